"""The figure ``paths``: tokens on S^2 while the weights of their heads move."""

from typing import Any

import numpy as np
import traitlets

from tfdynlib import attention, energy, flow, sphere, weights
from tfdynlib._check import shown
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._sweep import stored_runs
from tfdynlib.widgets._traits import OneOf, Real, Trait, Whole
from tfdynlib.widgets._widget import Preset, Widget, doubles

STEP = 0.05  # of the RK4 run, on the page and here
CHECKED = 1.0  # layer-time at which page and Python are compared
NEAR = 0.05  # noise of a token near an axis, each coordinate
LAYOUTS = ("frozen", "ou", "spread", "common")
MOST = 160  # points of the chart against H


class Visited(Trait):
    """Points of the chart against H, [layout, H, mean] of each, and their settings."""

    def validate(self, obj: Any, value: Any) -> dict[str, Any]:
        wanted = f'{{"of": text, "points": up to {MOST} of [layout, H, mean]}}'
        try:
            of = value["of"]
            points = [(str(a), int(b), float(c)) for a, b, c in value["points"]]
        except (TypeError, ValueError, LookupError, OverflowError):
            raise self.no(wanted, shown(value)) from None
        fits = isinstance(of, str) and len(points) <= MOST
        if not fits or not all(
            a in LAYOUTS and 1 <= b <= 32 and 0 < c < np.inf for a, b, c in points
        ):
            raise self.no(wanted, shown(value))
        return {"of": of, "points": [list(point) for point in points]}


class Paths(Widget):
    """Tokens on the sphere S^2 under descent heads whose weights move.

    ``layout`` says how: ``"frozen"``; ``"ou"``, noisy heads that return to I, variance
    ``g2``; ``"spread"`` and ``"common"``, heads that chase an oscillating target, with
    phases 2 pi h / H or all 0.  ``n`` tokens (``start``: ``"uniform"``, or ``"axes"``,
    near the six points +-e_i), then ``H`` heads Z + Z^T, then the noise are drawn from
    ``np.random.default_rng(seed)``.  The figure integrates
    with RK4 to layer-time ``t_end``; ``entry`` of the weights is drawn, and every run
    that comes to its end leaves a point in the chart of the mean of G^2 against
    H, before the stored runs of ``records.published("heads")``.
    """

    name = "paths"
    _esm = esm("paths")
    _css = style()

    layout = OneOf("ou", words=LAYOUTS).tag(sync=True, page=True)
    H = Whole(10, min=1, max=32).tag(sync=True, page=True)
    n = Whole(40, min=2, max=200).tag(sync=True, page=True)
    start = OneOf("uniform", words=("uniform", "axes")).tag(sync=True, page=True)
    g2 = Real(2.0, min=0.1, max=4.0).tag(sync=True, page=True)
    seed = Whole(0, min=0, max=9999).tag(sync=True, page=True)
    rule = OneOf("softmax", words=("softmax", "gradient")).tag(sync=True, page=True)
    # The noise is drawn step by step, so a longer run begins like a shorter one.
    t_end = Whole(20, min=5, max=40).tag(sync=True, page=True, numbers=False)
    entry = OneOf("11", words=("11", "12", "13")).tag(
        sync=True, page=True, numbers=False
    )
    visited = Visited({"of": "", "points": []}).tag(sync=True, page=True, view=True)
    t = Real(0.0, min=0.0, max=40.0).tag(sync=True, page=True, view=True)
    turn = Real(158.0, min=-180.0, max=180.0).tag(sync=True, page=True, view=True)
    tilt = Real(18.0, min=-90.0, max=90.0).tag(sync=True, page=True, view=True)
    sweep: traitlets.List = traitlets.List().tag(sync=True)

    PRESETS = {
        "ou": Preset("Noise", {}, 8.0, "Ten noisy heads: a floor, not zero."),
        "oscillating_spread": Preset(
            "Waves, spread",
            {"layout": "spread", "H": 2, "entry": "12"},
            12.0,
            "Two heads with opposite phases; then try three.",
        ),
        "oscillating_common": Preset(
            "Waves, in step",
            {"layout": "common"},
            12.0,
            "Ten heads with one phase shake like one.",
        ),
        "frozen": Preset(
            "Frozen",
            {"layout": "frozen", "rule": "gradient"},
            6.0,
            "No motion of the weights: the slope goes to zero.",
        ),
        "h_sweep": Preset(
            "More heads",
            {"H": 4, "n": 24},
            15.0,
            "Each H you visit leaves a point before the stored runs.",
        ),
        "s2_ou": Preset(
            "The paper: noise",
            {"start": "axes", "n": 200, "H": 3, "seed": 42},
            10.0,
            "200 tokens near the axes under three noisy heads.",
        ),
        "s2_oscillating": Preset(
            "The paper: waves",
            {"start": "axes", "n": 200, "H": 3, "seed": 42, "layout": "spread"},
            10.0,
            "200 tokens under three waves whose phases cancel in the mean.",
        ),
    }
    OPENING = ("ou", "oscillating_spread", "oscillating_common", "frozen", "h_sweep")

    def __init__(self, *presets: str, **values: Any) -> None:
        super().__init__(*presets, **values)
        self.sweep = list(stored_runs())

    def page_state(self) -> dict[str, Any]:
        """The state with the stored runs beside it."""
        return {**super().page_state(), "sweep": self.sweep}

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Tokens, energy and G^2 at the start and a little later."""
        x, path, t = trajectory({**state, "t_end": 5, "t": CHECKED})
        ends = [(x[0], path(t[0])), (x[-1], path(t[-1]))]
        rates = [
            (energy.interaction(y, heads), action_of(state, y, heads))
            for y, heads in ends
        ]
        numbers = np.concatenate([x[-1].ravel(), np.ravel(rates)])
        return {"t": CHECKED, "numbers": doubles(numbers)}

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """G^2 up to the moment shown."""
        from tfdynlib import plot

        x, path, t = trajectory(state)
        every = slice(None, None, 4)
        rates = [action_of(state, y, path(s)) for s, y in zip(t[every], x[every])]
        ax = plot.curves(
            t[every],
            {f"H = {state['H']}": np.array(rates)},
            y_name="$G^2$",
            y_scale="log",
        )
        alt = (
            f"G squared of {state['n']} tokens under {state['H']} heads, layout "
            f"{state['layout']}, against layer-time up to {t[-1]:g}, on a log axis."
        )
        return plot.show(ax, alt=alt).svg


def start_of(state: dict[str, Any]) -> tuple[np.ndarray, weights.WeightPath]:
    """Tokens at layer-time 0 and the path of the weights, drawn as on the page."""
    rng, H = np.random.default_rng(state["seed"]), state["H"]
    x0 = _tokens(state, rng)
    Z = rng.standard_normal((H, 3, 3))
    D0 = Z + Z.swapaxes(1, 2)
    if state["layout"] == "frozen":
        return x0, weights.constant(weights.Heads.descent(D0))
    if state["layout"] == "ou":
        t = STEP * np.arange(round(state["t_end"] / STEP) + 1)
        return x0, weights.ornstein_uhlenbeck(D0, t, rng, state["g2"])
    return x0, weights.oscillating(H, 3, D0, state["layout"])


def _tokens(state: dict[str, Any], rng: np.random.Generator) -> np.ndarray:
    """Tokens at layer-time 0."""
    n = state["n"]
    if state["start"] == "uniform":
        return sphere.uniform(n, 3, rng)
    which = np.floor(6 * rng.random(n)).astype(int)
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    return sphere.retract(axes[which] + NEAR * rng.standard_normal((n, 3)))


def action_of(state: dict[str, Any], x: np.ndarray, heads: weights.Heads) -> float:
    """G^2, the squared length of the velocity of the tokens in the heads' metric."""
    v = attention.velocity(x, heads, rule=state["rule"])
    return energy.action(x, v, heads)


def trajectory(
    state: dict[str, Any],
) -> tuple[np.ndarray, weights.WeightPath, np.ndarray]:
    """Tokens at 0, 0.05, 0.10, ... up to ``t`` (at least one step), weights, times."""
    x0, path = start_of(state)
    last = max(1, round(min(state["t"], state["t_end"]) / STEP))
    t = STEP * np.arange(last + 1)
    field = attention.field(path, rule=state["rule"])
    return flow.solve(field, x0, t, method="rk4").x, path, t
