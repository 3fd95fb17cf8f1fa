"""The view "density" of the figure ``circle``: a mist of tokens and its ripples."""

from types import ModuleType
from typing import Any

import numpy as np

from tfdynlib import attention, density, flow, weights
from tfdynlib._circle import points
from tfdynlib.widgets._circle_presets import I
from tfdynlib.widgets._widget import Preset, doubles

PLANTED = 0.1  # size of a planted ripple
CHECKED = (1, 15, 30)  # frames at which the page is compared with Python


def _mist(label: str, beta: float, moment: float, about: str) -> Preset:
    values = {"view": "density", "n": 256, "beta": beta, "noise": 0.01, "t_end": 20.0}
    return Preset(label, values, moment=moment, about=about)


PRESETS = {
    "mist_4": _mist(
        "*β* = 4", 4.0, 9.0, "Attention sees far: about three drops condense."
    ),
    "mist_9": _mist(
        "*β* = 9", 9.0, 8.5, "The ripple with four waves wins, and four drops condense."
    ),
    "mist_25": _mist(
        "*β* = 25", 25.0, 8.5, "A sharper attention lets more drops live side by side."
    ),
}


def sign_of(state: dict[str, Any]) -> int:
    """1 if attention pulls, -1 if it pushes."""
    return -1 if state["V"][0][0][0] < 0 else 1


def heads_of(state: dict[str, Any]) -> weights.Heads:
    """The one head of this view: B = I, V = I or -I."""
    return weights.Heads(I, sign_of(state) * np.array(I), beta=state["beta"])


def start_of(state: dict[str, Any]) -> np.ndarray:
    """A regular grid with Gaussian noise, and a planted ripple if there is one.

    The normal numbers are made from uniform ones by the rule of Box and Muller, which
    the page repeats.
    """
    n, k = state["n"], state["planted"]
    u, v = np.random.default_rng(state["seed"]).random((2, n))
    grid = 2 * np.pi * np.arange(n) / n
    ripple = PLANTED * np.sin(k * grid) / k if k > 0 else 0.0
    normal = np.sqrt(-2 * np.log(1 - u)) * np.cos(2 * np.pi * v)
    a = grid - ripple + state["noise"] * normal
    return points(a)


def frames_of(state: dict[str, Any], frames: int, cap: float) -> tuple[Any, int]:
    """Times of the page's frames, and RK4 steps from one to the next."""
    gap = state["t_end"] / frames
    return np.arange(frames + 1) * gap, max(1, int(np.ceil(gap / cap - 1e-9)))


def reference_for(state: dict[str, Any], frames: int, cap: float) -> dict[str, Any]:
    """Velocity at the start and tokens at a few frames of the page's RK4 run."""
    field, x0 = attention.field(heads_of(state)), start_of(state)
    t, parts = frames_of(state, frames, cap)
    grid = np.linspace(0, t[CHECKED[-1]], CHECKED[-1] * parts + 1)
    x = flow.solve(field, x0, grid, "rk4").x[[k * parts for k in CHECKED]]
    return {
        "frames": list(CHECKED),
        "velocity": doubles(field(0.0, x0)),
        "tokens": doubles(x),
    }


def still(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    """Size of the fastest ripple over layer-time, beside the linear theory."""
    rates = sign_of(state) * density.growth_rates(state["beta"], 24)
    k = int(np.argmax(np.abs(rates))) + 1
    t = np.linspace(0, state["t_end"], 81)
    x = flow.solve(
        attention.field(heads_of(state)), start_of(state), t, rtol=1e-4, atol=1e-6
    ).x
    size = 2 * np.abs(np.mean((x[..., 0] + 1j * x[..., 1]) ** k, axis=1))
    line = size[0] * np.exp(rates[k - 1] * t)
    ax = plot.curves(
        t,
        {f"ripple {k}": size},
        {"theory": np.where(line < 3, line, np.nan)},
        y_name="size of the ripple",
        y_scale="log",
    )
    return ax, (
        f"Size of the ripple with {k} waves in a mist of {len(x[0])} tokens, inverse "
        f"temperature {state['beta']:g}, on a log axis: it follows the straight line "
        "of the linear theory, then bends."
    )
