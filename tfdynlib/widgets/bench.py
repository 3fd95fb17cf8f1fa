"""How fast and how exact: sums, tolerances, steps and exponentials on trial."""

from typing import Any

import numpy as np

from tfdynlib import attention, flow, metastability, summation, weights
from tfdynlib._check import Number, shown
from tfdynlib._circle import points
from tfdynlib.widgets import _bench_pole, _bench_softmax
from tfdynlib.widgets._bench_presets import PRESETS
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._traits import OneOf, Real, Trait, Whole
from tfdynlib.widgets._widget import Widget, doubles

CHECKED = 256  # tokens at which sums are compared with all pairs
FIRST = 8  # waves whose weights are compared
MOST = 256  # tokens of a run
COMPARED = 2.0  # layer-time at which runs are compared
TOLERANCES = (1e-3, 1e-6, 1e-9)
RADIUS = 0.1  # neighbours closer than this are one cluster
TURN = 2 * np.pi
ARC = (0.1, 6.2832)


class Sign(Trait):
    """1 or -1."""

    def validate(self, obj: Any, value: Any) -> int:
        number = isinstance(value, Number) and not isinstance(value, bool)
        if not number or value not in (1, -1):
            raise self.no("1 or -1", shown(value))
        return int(value)


class Bench(Widget):
    """Sums, tolerances, steps and exponentials on trial: ``Bench("methods_race")``.

    Four views, each with its own presets (``Bench.PRESETS`` has a line on every one):

    ``"race"``
        the sum over ``n`` tokens, drawn on an ``arc`` of the circle, by ``K`` waves
        against the sum over all pairs: errors, bounds, and times in the browser.
        ``sign`` 1 is B = I; with -1, B = -I, every token looks away from itself.
    ``"tolerance"``
        the flow of the same kind of tokens (or of an even grid with a ``noise``) with
        three tolerances: how many clusters each counts, how far they are apart.
    ``"pole"``
        a variance that blows up at t = 1/2 by Euler's method with steps of ``dt`` and
        of a half and a fifth of it: each walks through the wall.
    ``"softmax"``
        the weights that a question in the direction ``look`` gives to three tokens at
        the inverse temperature ``cold``, in single or double ``precision``: with naive
        exponentials, and with the largest score taken out first.
    """

    name = "bench"
    _esm = esm("bench")
    _css = style()
    PRESETS = PRESETS
    OPENING = ("methods_race", "cold_race", "look_away", "tolerance_and_truth")

    view = OneOf("race", words=("race", "tolerance", "pole", "softmax")).tag(
        sync=True, page=True
    )
    n = Whole(64, min=2, max=4096).tag(sync=True, page=True)
    beta = Real(16.0, min=0.5, max=256.0).tag(sync=True, page=True)
    seed = Whole(0, min=0, max=9999).tag(sync=True, page=True)
    arc = Real(TURN, min=ARC[0], max=ARC[1]).tag(sync=True, page=True)
    sign = Sign(1).tag(sync=True, page=True)
    K = Whole(6, min=0, max=400).tag(sync=True, page=True, view=True)
    curve = OneOf("sum", words=("sum", "mean")).tag(sync=True, page=True, numbers=False)
    start = OneOf("uniform", words=("uniform", "grid")).tag(sync=True, page=True)
    noise = Real(1e-4, min=1e-9, max=1.0).tag(sync=True, page=True)
    shows = OneOf("clusters", words=("clusters", "distance")).tag(
        sync=True, page=True, numbers=False
    )
    dt = Real(0.01, min=0.01, max=0.05).tag(sync=True, page=True)
    look = Real(np.pi / 2, min=-3.1416, max=3.1416).tag(sync=True, page=True)
    precision = OneOf("single", words=("single", "double")).tag(sync=True, page=True)
    cold = Real(100.0, min=0.1, max=2000.0).tag(sync=True, page=True, view=True)
    t_end = Real(1000.0, min=5.0, max=3000.0).tag(sync=True, page=True)
    t = Real(0.0, min=0.0, max=1e5).tag(sync=True, page=True, view=True)

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """What Python gets for the numbers of a view, to compare the page with."""
        own = {"pole": _bench_pole.numbers, "softmax": _bench_softmax.numbers}
        made = {"race": _sums, "tolerance": _run, **own}
        return {"numbers": doubles(made[state["view"]](state))}

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """Error against waves, a sum against the inverse temperature; or clusters, or a
        variance, against layer-time."""
        from tfdynlib import plot

        own = {"pole": _bench_pole.still, "softmax": _bench_softmax.still}
        draws = {"race": _still_race, "tolerance": _still_tolerance, **own}
        ax, alt = draws[state["view"]](plot, state)
        return plot.show(ax, alt=alt).svg


# --- the race ---


def angles_of(state: dict[str, Any]) -> np.ndarray:
    """Angles of the tokens: a draw on the arc."""
    return state["arc"] * np.random.default_rng(state["seed"]).random(state["n"])


def exact_sums(state: dict[str, Any]) -> np.ndarray:
    r"""Rows z and first moments over all pairs, in units of :math:`e^\beta`, for the
    first tokens as queries."""
    x = points(angles_of(state))
    p = state["sign"] * state["beta"] * x[:CHECKED]
    sums = summation.moments(p, x, np.full(len(x), 1 / len(x)))
    scale = np.exp(sums.shift - state["beta"])
    return np.concatenate([[sums.z], sums.first.T]) * scale


def _sums(state: dict[str, Any]) -> np.ndarray:
    """The weights of the first waves, then the sums over all pairs."""
    from scipy.special import ive

    waves = ive(np.arange(FIRST), state["beta"])
    return np.concatenate([waves, exact_sums(state).ravel()])


def tail_bound(r: Number, K: Any) -> Any:
    r"""Chernoff's bound :math:`2e^{\sqrt{r^2+K^2}-r-K\,\mathrm{asinh}(K/r)}` of the
    waves beyond K."""
    K = np.asarray(K, dtype=float)
    return 2 * np.exp(K**2 / (np.hypot(r, K) + r) - K * np.arcsinh(K / r))


def errors_of(state: dict[str, Any], most: int) -> np.ndarray:
    """Largest error of the sum by 0, 1, ..., most waves."""
    from scipy.special import ive

    theta, k = angles_of(state), np.arange(most + 1)
    psi = theta[:CHECKED] + (0 if state["sign"] > 0 else np.pi)
    c = np.exp(-1j * np.outer(k, theta)).mean(axis=1)
    weight = ive(k, state["beta"]) * np.where(k > 0, 2, 1)
    terms = (weight * c)[:, None] * np.exp(1j * np.outer(k, psi))
    partial = np.cumsum(terms.real, axis=0)
    return np.abs(partial - exact_sums(state)[0]).max(axis=1)


def _still_race(plot: Any, state: dict[str, Any]) -> tuple[Any, str]:
    r = state["beta"]
    most = next(K for K in range(1, 1000) if tail_bound(r, K) < 1e-15)
    K = np.arange(most + 1)
    measured = np.maximum(errors_of(state, most), 1e-17)
    ax = plot.curves(
        K.astype(float),
        {"measured": measured},
        {"bound": tail_bound(r, K)},
        x_name="waves $K$",
        y_name="error of the sum",
        y_scale="log",
    )
    return ax, (
        f"Error of the sum over {state['n']} tokens by K waves, at inverse temperature "
        f"{r:g}: it falls faster than a power of ten a wave and stays below its bound."
    )


# --- the tolerances ---


def start_of(state: dict[str, Any]) -> np.ndarray:
    """Tokens of a run: a draw on the arc, or an even grid with a little noise."""
    n = min(state["n"], MOST)
    draw = np.random.default_rng(state["seed"]).random(n)
    if state["start"] == "grid":
        return points(TURN * np.arange(n) / n + state["noise"] * draw)
    return points(state["arc"] * draw)


def _field(state: dict[str, Any]) -> attention.Field:
    return attention.field(weights.Heads(np.eye(2), np.eye(2), beta=state["beta"]))


def _run(state: dict[str, Any]) -> np.ndarray:
    """Tokens of a run without tolerance to speak of, early enough to be compared."""
    end = min(COMPARED, state["t_end"])
    # Beyond rounding nothing is asked: both sides stop at 1e-12 a step.
    run = flow.solve(
        _field(state), start_of(state), [0.0, end], "dop853", rtol=1e-12, atol=1e-12
    )
    return run.x[-1].ravel()


def counts_of(state: dict[str, Any], t: np.ndarray) -> np.ndarray:
    """Clusters at the times t, one row for each tolerance."""
    field, x0 = _field(state), start_of(state)
    rows = []
    for tol in TOLERANCES:
        run = flow.solve(field, x0, t, rtol=tol, atol=tol)
        rows.append([metastability.clusters(x, RADIUS).max() + 1 for x in run.x])
    return np.array(rows)


def _still_tolerance(plot: Any, state: dict[str, Any]) -> tuple[Any, str]:
    t = np.concatenate([[0.0], np.geomspace(0.1, state["t_end"], 120)])
    tightest, middle, loosest = counts_of(state, t)[::-1, 1:].astype(float)
    ax = plot.curves(
        t[1:],
        {"at 10⁻⁹": tightest, "at 10⁻⁶": middle, "at 10⁻³": loosest},
        y_name="clusters",
        x_scale="log",
    )
    return ax, (
        f"Number of clusters of {len(start_of(state))} tokens against layer-time on a "
        "log axis, solved with tolerances 1e-9, 1e-6 and 1e-3."
    )
