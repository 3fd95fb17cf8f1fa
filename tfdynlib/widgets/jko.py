"""The figure ``jko``: minimising movements beside the flow that they imitate."""

from typing import Any

import numpy as np

from tfdynlib import _proximal, _slopes, attention, energy, flow, jko, sphere, weights
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._jko_presets import EYE, PRESETS
from tfdynlib.widgets._traits import Matrix, OneOf, Real, Whole
from tfdynlib.widgets._widget import Widget, doubles

SHORT = 1.0  # steps up to this length have one minimum that both sides find
STEPS = 3  # of which energy and price are compared


class Symmetric(Matrix):
    """A symmetric matrix."""

    def wanted(self) -> str:
        return f"symmetric, {super().wanted()}"

    def fits(self, array: np.ndarray) -> bool:
        return super().fits(array) and bool((array == array.T).all())


class JKO(Widget):
    """Minimising movements of descent heads on the sphere: ``JKO("two_tokens")``.

    ``start="pair"``: two tokens with a ``gap`` on a tilted great circle; ``"cloud"``:
    ``n`` uniform tokens from ``seed``.  Heads ``D1`` and ``D2``, symmetric and of equal
    mass, are one head if they are equal; with ``moving="oscillating"`` they chase the
    target of ``weights.oscillating``, in phase.  Steps have the length ``tau``, the
    price takes its ``weight`` ``"frozen"`` or ``"implicit"``.  ``t`` counts steps.
    """

    name = "jko"
    _esm = esm("jko")
    _css = style()
    PRESETS = PRESETS
    OPENING = ("two_tokens", "hundred", "weights_move", "beyond_the_cut")

    tau = Real(1.0, min=0.01, max=100.0).tag(sync=True, page=True)
    weight = OneOf("frozen", words=jko.WEIGHTS).tag(sync=True, page=True)
    start = OneOf("pair", words=("pair", "cloud")).tag(sync=True, page=True)
    gap = Real(np.pi / 2, min=0.0, max=np.pi).tag(sync=True, page=True)
    n = Whole(24, min=2, max=128).tag(sync=True, page=True)
    seed = Whole(0, min=0, max=9999).tag(sync=True, page=True)
    beta = Real(1.0, min=0.1, max=10.0).tag(sync=True, page=True)
    D1 = Symmetric(EYE, d=3).tag(sync=True, page=True)
    D2 = Symmetric(EYE, d=3).tag(sync=True, page=True)
    moving = OneOf("still", words=("still", "oscillating")).tag(sync=True, page=True)
    curve = OneOf("error", words=("error", "energy")).tag(
        sync=True, page=True, numbers=False
    )
    beside = OneOf("flow", words=("flow", "euler")).tag(
        sync=True, page=True, numbers=False
    )
    t = Real(0.0, min=0.0, max=1000.0).tag(sync=True, page=True, view=True)
    turn = Real(8.0, min=-180.0, max=180.0).tag(sync=True, page=True, view=True)
    tilt = Real(18.0, min=-90.0, max=90.0).tag(sync=True, page=True, view=True)

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """The function of the first step and its gradient, at the explicit step; for
        short steps the energies after the first ones, and what these left over."""
        x0, path, tau = start_of(state), path_of(state), state["tau"]
        aim = first_aim(x0, path(tau), tau, state["weight"])
        v = attention.velocity(x0, path(tau), rule="gradient")
        length = tau * np.linalg.norm(v, axis=1, keepdims=True)
        value, gradient = aim(aim.unknown(tau * v / np.maximum(length, 1.0)))
        numbers = [value, *gradient]
        if tau <= SHORT:
            run = jko.solve(x0, path, tau, STEPS, weight=state["weight"])
            for k in range(STEPS):
                after = energy.interaction(run.x[k + 1], path(run.t[k + 1]))
                numbers += [after, run.decrease[k]]
        return {"numbers": doubles(np.array(numbers))}

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """The tokens after the steps shown, with their ways."""
        from tfdynlib import plot

        path = ways_of(state)
        ax = plot.sphere(path[-1], trails=path, view=(state["turn"], state["tilt"]))
        alt = (
            f"{len(path[-1])} tokens on the sphere after {int(state['t'])} minimising "
            f"movements of length {state['tau']:g}, with the ways that they took."
        )
        return plot.show(ax, alt=alt).svg


def start_of(state: dict[str, Any]) -> np.ndarray:
    """Tokens of a state at layer-time 0."""
    if state["start"] == "cloud":
        return sphere.uniform(state["n"], 3, np.random.default_rng(state["seed"]))
    c, s = np.cos(state["gap"] / 2), np.sin(state["gap"] / 2)
    return np.array([[0.8 * c, -s, 0.6 * c], [0.8 * c, s, 0.6 * c]])


def path_of(state: dict[str, Any]) -> weights.WeightPath:
    """Heads over layer-time; two equal ones are one."""
    D = [state["D1"]] if state["D1"] == state["D2"] else [state["D1"], state["D2"]]
    if state["moving"] == "still":
        return weights.constant(weights.Heads.descent(D, beta=state["beta"]))
    return weights.oscillating(len(D), 3, D, "common", beta=state["beta"])


def first_aim(
    x: np.ndarray, heads: weights.Heads, tau: float, weight: str
) -> _proximal.Proximal:
    """The function that the first step makes small, as ``jko.step`` has it."""
    mass = np.full(len(x), 1 / len(x))
    usual = _slopes.log_effective_weight(x, heads, mass, attention.USUAL)
    b = _slopes.exponential(usual, heads)
    return _proximal.Proximal(
        x=x,
        heads=heads,
        mass=mass,
        tau=tau,
        sign=1,
        frozen=b if weight == "frozen" else None,
        frame=_proximal.frames(x),
        scale=np.sqrt(mass * b / tau),
    )


def ways_of(state: dict[str, Any]) -> np.ndarray:
    """Tokens up to the step shown, along the great circles of every step."""
    x, path, tau = start_of(state), path_of(state), state["tau"]
    places = [x]
    for k in range(int(state["t"])):
        y = jko.step(x, path((k + 1) * tau), tau, weight=state["weight"]).x
        u = sphere.log(x, y)
        places += [sphere.retract(sphere.exp(x, s * u)) for s in (0.25, 0.5, 0.75)]
        places.append(y)
        x = y
    return np.array(places)


def flow_to(state: dict[str, Any], t: float) -> np.ndarray:
    """Tokens of the flow at t."""
    field = attention.field(path_of(state), rule="gradient")
    return flow.solve(field, start_of(state), [0, t], rtol=1e-11, atol=1e-12).x[-1]
