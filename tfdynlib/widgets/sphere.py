"""The figure ``sphere``: tokens on S^2 under up to four heads."""

from typing import Any

import numpy as np

from tfdynlib import attention, flow, sphere, weights
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._sphere_trained import TRAINED
from tfdynlib.widgets._sphere_twins import CHANGES, TWINS, Twins
from tfdynlib.widgets._traits import Matrices, OneOf, Real, Whole
from tfdynlib.widgets._widget import Preset, Widget, doubles

STEP = 0.05
LARGEST = (
    2.6  # RK4 is stable while step times the field's Lipschitz bound is below 2.78
)
HALVINGS = 5
CHECKPOINTS = (1.0, 5.0)  # layer-times at which page and Python are compared
PAIRS = 2e6  # pairs of tokens that a reference may look at

EYE = np.eye(3).tolist()
TURN = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def diagonal(*entries: float | int) -> list[list[list[float]]]:
    """One head whose matrix is diagonal."""
    return [np.diag(entries).astype(float).tolist()]


class Sphere(Widget):
    """Tokens on the sphere S^2 under softmax attention with up to four heads.

    ``n`` tokens start uniformly (``start="cap"``: within 60 degrees of the north pole),
    drawn from ``np.random.default_rng(seed)``; the score of x for y is beta <B x, y>;
    what y sends is V y.  The figure integrates with RK4 to layer-time ``t_end`` and
    opens at ``t``, seen from longitude ``turn`` and height ``tilt`` in degrees.

    ``view="twins"`` puts a second cloud beside the first.  It differs by ``change``:
    ``"prompt"``, token 0 starts an arc ``size`` to the east; ``"weights"``, entries are
    rounded to ``bits`` bits; ``"sign"``, the weights are ``size`` times B and V in one
    cloud, ``-size`` times in the other.
    """

    name = "sphere"
    _esm = esm("sphere")
    _css = style()

    view = OneOf("tokens", words=("tokens", "twins")).tag(sync=True, page=True)
    n = Whole(64, min=2, max=512).tag(sync=True, page=True)
    beta = Real(6.0, min=0.1, max=50.0).tag(sync=True, page=True)
    seed = Whole(43, min=0, max=9999).tag(sync=True, page=True)
    start = OneOf("uniform", words=("uniform", "cap")).tag(sync=True, page=True)
    rule = OneOf("softmax", words=("softmax", "unnormalised", "hardmax")).tag(
        sync=True, page=True
    )
    B = Matrices([EYE], d=3).tag(sync=True, page=True)
    V = Matrices([EYE], d=3).tag(sync=True, page=True)
    change = OneOf("prompt", words=tuple(CHANGES)).tag(sync=True, page=True)
    size = Real(0.01, min=1e-5, max=1.0).tag(sync=True, page=True)
    bits = Whole(8, min=2, max=16).tag(sync=True, page=True)
    t_end = Whole(30, min=5, max=200).tag(sync=True, page=True, numbers=False)
    t = Real(0.0, min=0.0, max=200.0).tag(sync=True, page=True, view=True)
    turn = Real(158.0, min=-180.0, max=180.0).tag(sync=True, page=True, view=True)
    tilt = Real(18.0, min=-90.0, max=90.0).tag(sync=True, page=True, view=True)

    PRESETS = {
        "pause_and_merge": Preset("Pause and merge", {}, 4.2),
        "gather_at_once": Preset("Gather at once", {"beta": 1.0, "t_end": 10}, 2.0),
        "attract_I": Preset(
            "Attract", {"n": 32, "beta": 4.0, "seed": 0, "t_end": 100}, 5.0
        ),
        "repel_I": Preset(
            "Spread out",
            {"n": 100, "beta": 1.0, "seed": 0, "V": diagonal(-1, -1, -1), "t_end": 20},
            5.0,
        ),
        "saddle_head": Preset(
            "Saddle head",
            {
                "n": 60,
                "beta": 4.0,
                "seed": 0,
                "B": diagonal(1, 0, -1),
                "V": diagonal(1, 0, -1),
                "t_end": 100,
            },
            5.0,
        ),
        "hemisphere": Preset(
            "All in one cap",
            {"n": 32, "beta": 4.0, "seed": 0, "start": "cap", "t_end": 20},
            1.0,
        ),
        "one_head_turns": Preset(
            "One head turns",
            {"beta": 9.0, "seed": 7, "B": [EYE, EYE], "V": [EYE, TURN]},
            6.0,
        ),
        "two_poles": Preset(
            "Two poles",
            {"beta": 4.0, "B": diagonal(0, 0, 1), "V": diagonal(0, 0, 1), "t_end": 15},
            2.0,
        ),
        **TWINS,
        **TRAINED,
    }
    OPENING = (
        "pause_and_merge",
        "gather_at_once",
        "repel_I",
        "one_head_turns",
        "two_poles",
    )

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Velocity at the start, and tokens at the checkpoints of the RK4 run."""
        heads, x0 = heads_of(state), start_of(state)
        dt = step_length(state)
        if state["view"] == "twins":
            both = Twins(heads, x0, state)
            dt = step_length(both.widened(state))
            return both.reference(dt) if dt else {}
        if dt is None:
            return {}
        field = attention.field(heads, rule=state["rule"])
        work = len(x0) ** 2 * len(heads) * 4 / dt
        times = [t for t in CHECKPOINTS if t * work <= PAIRS * 10]
        tokens = []
        x = x0
        for begin, end in zip([0.0, *times], times):
            steps = round((end - begin) / dt)
            t = begin + dt * np.arange(steps + 1)
            x = flow.solve(field, x, t, method="rk4").x[-1]
            tokens.append({"t": end, "x": doubles(x)})
        return {"dt": dt, "velocity": doubles(field(0.0, x0)), "tokens": tokens}

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """The tokens at ``t`` with their last 1.6 units of layer-time."""
        from tfdynlib import plot

        if state["view"] == "twins":
            both = Twins(heads_of(state), start_of(state), state)
            return both.still(step_length(both.widened(state)), STEP)
        path = trajectory(state)
        ax = plot.sphere(
            path[-1], trails=path[-33:], view=(state["turn"], state["tilt"])
        )
        alt = (
            f"{state['n']} tokens on the sphere at layer-time {state['t']:g}, "
            f"inverse temperature {state['beta']:g}."
        )
        return plot.show(ax, alt=alt).svg


def heads_of(state: dict[str, Any]) -> weights.Heads:
    """The heads of a state, with equal masses."""
    H = min(len(state["B"]), len(state["V"]))
    return weights.Heads(state["B"][:H], state["V"][:H], beta=state["beta"])


def start_of(state: dict[str, Any]) -> np.ndarray:
    """The tokens at layer-time 0, as the page draws them from the same seed."""
    rng = np.random.default_rng(state["seed"])
    if state["start"] == "uniform":
        return sphere.uniform(state["n"], 3, rng)
    u = rng.random((state["n"], 2))
    z, angle = 1 - u[:, 0] / 2, 2 * np.pi * u[:, 1]
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def _size(matrix: np.ndarray) -> float:
    """A bound of the operator norm: root of largest row times largest column sum."""
    a = np.abs(matrix)
    return float(np.sqrt(a.sum(axis=1).max() * a.sum(axis=0).max()))


def step_length(state: dict[str, Any]) -> float | None:
    """Step of the RK4 run: 0.05, halved while it is too long for the field.

    The field's Lipschitz bound is taken as |V| (1 + beta |B|), times e^(beta |B|) for
    the unnormalised rule.  ``None`` if more than five halvings were needed: then the
    figure shows the start and says so.
    """
    bound = 0.0
    for B, V in zip(np.array(state["B"]), np.array(state["V"])):
        heat = state["beta"] * _size(B)
        growth = np.exp(min(heat, 700.0)) if state["rule"] == "unnormalised" else 1.0
        bound = max(bound, _size(V) * (1 + heat) * growth)
    dt = STEP
    for _ in range(HALVINGS + 1):
        if dt * bound <= LARGEST:
            return dt
        dt /= 2
    return None


def trajectory(state: dict[str, Any]) -> np.ndarray:
    """Tokens at 0, 0.05, 0.10, ... up to ``t``: what the page has drawn until then."""
    dt, x0 = step_length(state), start_of(state)
    frames = round(state["t"] / STEP)
    if dt is None or frames == 0:
        return x0[None]
    inner = round(STEP / dt)
    times = dt * np.arange(frames * inner + 1)
    field = attention.field(heads_of(state), rule=state["rule"])
    return flow.solve(field, x0, times, method="rk4").x[::inner]
