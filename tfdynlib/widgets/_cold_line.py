"""Consensus on a line, a view of the figure ``cold``: particles with masses."""

from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import flow
from tfdynlib.widgets._widget import doubles

State = dict[str, Any]
Places = Float[np.ndarray, "n 1"]
Masses = Float[np.ndarray, " n"]

NODES = 161  # particles, evenly spaced
REACH = 6.0  # standard deviations of the start that they cover
CHECKED = (0.5, 3.0)  # times at which page and Python are compared


def start_of(state: State) -> tuple[Places, Masses]:
    """Even places with the masses of N(m0, spread)."""
    z = np.linspace(-REACH, REACH, NODES)
    mass = np.exp(-(z**2) / 2)
    x = state["m0"] + np.sqrt(state["spread"]) * z
    return x[:, None], mass / mass.sum()


def height(objective: str, y: np.ndarray) -> np.ndarray:
    """The landscape: (y - 1)^2 / 2, or (y^2 - 1)^2 / 4."""
    if objective == "quadratic":
        return np.asarray((y - 1) ** 2 / 2)
    return np.asarray((y**2 - 1) ** 2 / 4)


def pull(state: State, x: Places, mass: Masses) -> Places:
    """m(x) - x, with m the mean that each particle hears."""
    score = np.log(mass) - state["alpha"] * height(state["objective"], x[:, 0])
    table = np.broadcast_to(score, (len(x), len(x)))
    if state["kernel"] > 0:
        table = table - (x - x.T) ** 2 / (2 * state["kernel"] ** 2)
    w = np.exp(table - table.max(axis=1, keepdims=True))
    return (w @ x) / w.sum(axis=1, keepdims=True) - x


def run(state: State, times: list[float]) -> tuple[Float[np.ndarray, "m n"], Masses]:
    """Particles at these times, and their masses."""
    x, mass = start_of(state)
    t = np.unique([0.0, *times])
    path = flow.solve(
        lambda t, x: pull(state, x, mass), x, t, rtol=1e-10, space="euclidean"
    )
    return path.x[np.searchsorted(t, times), :, 0], mass


def reference(state: State) -> dict[str, Any]:
    """Means and variances at two times."""
    x, mass = run(state, [min(t, state["t_end"]) for t in CHECKED])
    mean = x @ mass
    return {
        "t": doubles(np.minimum(CHECKED, state["t_end"])),
        "mean": doubles(mean),
        "variance": doubles(x**2 @ mass - mean**2),
    }


def still(state: State) -> str:
    """Where the mean is, and where it would stop, up to ``t``."""
    from tfdynlib import plot

    t = np.linspace(0, max(min(state["t"], state["t_end"]), 0.5), 41)
    x, mass = run(state, t.tolist())
    mean = x @ mass
    theory = {}
    if state["objective"] == "quadratic" and state["kernel"] == 0:
        left = (1 - state["m0"]) / np.sqrt(1 + state["alpha"] * state["spread"])
        theory["stop"] = np.full(len(t), 1 - left)
    ax = plot.curves(t, {"mean": mean}, theory=theory, y_name="place")
    alt = (
        f"Mean of particles under consensus-based optimisation: {mean[0]:.3g} at the "
        f"start, {mean[-1]:.4g} at time {t[-1]:.3g}."
    )
    return plot.show(ax, alt=alt).svg
