"""The views of the figure ``cold`` in Python: numbers to compare, and stills."""

from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import attention, flow, metastability, sphere, weights
from tfdynlib.measure import Measure
from tfdynlib.widgets import _cold_line
from tfdynlib.widgets._widget import doubles

State = dict[str, Any]
Tokens = Float[np.ndarray, "n d"]

FRAMES = 400  # of a run, as on the page
FIRST = 0.05  # where logarithmic layer-time begins
# Frames at which page and Python are compared, for few tokens and for many.
CHECKED = {"linear": ((20, 80), (4, 20)), "log": ((200, 280), (120, 160))}
MANY = 500
ROUGH = 1e-5  # tolerance of a still picture
DOTS = 64  # on a circle before they run into each other
KAPPAS = (0.1, 1.0, 10.0, 100.0, 1e4)  # at which one query is compared


def heads_of(state: State) -> weights.Heads:
    """The head of a state."""
    return weights.Heads(state["B"], state["V"], beta=state["beta"])


def start_of(state: State) -> Measure:
    """Tokens and masses at layer-time 0, as the page places them."""
    d = len(state["V"])
    mu = _even(state, d)
    if state["start"] == "pair":
        return mu
    x, mass = mu.x, mu.mass
    mass = mass * (1 + state["density"] * x[:, 0])
    kept = (np.abs(x[:, 0]) >= state["band"]) & (mass > 0)
    if kept.sum() < 2:
        return mu
    return Measure(x[kept], mass[kept] / mass[kept].sum())


def _even(state: State, d: int) -> Measure:
    """The start without band and density."""
    if state["start"] == "pair":
        row = np.array([np.cos(state["angle"]), np.sin(state["angle"]), 0.0])[:d]
        return Measure(np.stack([row, -row]))
    if state["start"] == "draw":
        rng = np.random.default_rng(state["seed"])
        return Measure(sphere.uniform(state["n"], d, rng))
    if state["start"] == "fine":
        return _fine(state["n"], d)
    if d == 2:
        skew = state["skew"]
        turn = 0.1 if skew == 0 else 0.0
        return Measure(metastability.circle(state["n"], skew, turn))
    h = max(2, int(np.sqrt(state["n"]) + 0.5))
    z, w = np.polynomial.legendre.leggauss(h)
    z, a = np.repeat(z, h), np.tile(2 * np.pi * (np.arange(h) + 0.5) / h, h)
    r = np.sqrt(1 - z**2)
    x = np.stack([z, r * np.cos(a), r * np.sin(a)], axis=1)
    return Measure(x, np.repeat(w, h) / (2 * h))


def _fine(n: int, d: int) -> Measure:
    """Weighted nodes, dense where tokens may be late: equator and poles of axis 1."""
    longitudes = 2 if d == 2 else max(2, int(np.sqrt(n / 2) + 0.5))
    h = max(2, int(n / 2 + 0.5)) if d == 2 else 2 * longitudes
    v, w = np.polynomial.legendre.leggauss(h)
    z, mass = v**5 * (3.5 - 2.5 * v**2), w * v**4 * (1 - v**2)
    z, mass = np.repeat(z, longitudes), np.repeat(mass, longitudes)
    if d == 2:
        a, side = np.pi / 2 * (1 + z), np.tile([1, -1], h)
        x = np.stack([np.cos(a), side * np.sin(a)], axis=1)
    else:
        a = np.tile(2 * np.pi * np.arange(longitudes) / longitudes, h)
        r = np.sqrt(1 - z**2)
        x = np.stack([z, r * np.cos(a), r * np.sin(a)], axis=1)
    return Measure(x, mass / mass.sum())


def frames_of(state: State) -> Float[np.ndarray, " m"]:
    """Times of the page's frames."""
    if state["time"] == "log":
        return np.append(0.0, np.geomspace(FIRST, state["t_end"], FRAMES))
    return np.arange(FRAMES + 1) * (state["t_end"] / FRAMES)


def run_to(state: State, times: Float[np.ndarray, " m"]) -> flow.Trajectory:
    """The page's run, as far as the last of ``times``: the same steps, and so the
    horizon of the state."""
    start = start_of(state)
    field = attention.field(heads_of(state), start.mass, state["rule"], "dense")
    if state["rule"] == "hardmax":  # a field that jumps, by fixed steps
        frames = frames_of(state)
        frames = frames[frames <= times[-1] + 1e-12]
        return flow.solve(field, start.x, frames, method="rk4")
    last = float(times[-1])
    stop = flow.Event(lambda t, x: t - last - 1e-6, terminal=True)
    t = np.concatenate([[0.0], times, [state["t_end"]]])
    return flow.solve(field, start.x, np.unique(t), events=[stop])


def limit_of(state: State) -> metastability.Limit | None:
    """The limit, if M is symmetric and has a gap."""
    try:
        limit = metastability.Limit.of(heads_of(state))
    except ValueError:
        return None
    return limit if limit.gap > 0 else None


def distance(state: State, x: Tokens) -> float:
    """W2 to the projected start, for a great circle the cost of each to its own."""
    limit, start = limit_of(state), start_of(state)
    if limit is None:
        return float("nan")
    if limit.dim == 1:
        mu = Measure(x, start.mass)
        return metastability.distance_to_limit(mu, limit, start)
    gap = x - limit.project(start.x)
    return float(np.sqrt(start.mass @ np.sum(gap**2, axis=1)))


def flow_reference(state: State) -> dict[str, Any]:
    """Tokens and distances at two frames, neighbours heard at the start."""
    start = start_of(state)
    heard = np.inf
    if state["rule"] == "softmax":
        seen = metastability.effective_neighbours(
            start.x, heads_of(state), start.mass, "dense"
        )
        heard = float(seen.mean())
    checked = CHECKED[state["time"]][len(start.x) > MANY]
    t = frames_of(state)[list(checked)]
    run = run_to(state, t)
    x = [run.x[int(np.argmin(np.abs(run.t - s)))] for s in t]
    return {
        "t": doubles(t),
        "x": [doubles(y) for y in x],
        "value": doubles(np.array([distance(state, y) for y in x])),
        "heard": doubles(np.array([heard])),
    }


def length(d: int, kappa: float) -> float:
    """Length of the mean that a query hears of the uniform law."""
    return float(metastability.bessel_ratio(d, np.array(kappa)))


def query(state: State, kappa: float) -> tuple[float, float, float]:
    """Length of the mean of a uniform law; along and across the query, of a tilted one.

    From the second moment (A/kappa) I + (1 - dA/kappa) x x^T of e^{kappa <x, y>}.
    """
    d, c, angle = state["dim"], state["density"], state["angle"]
    A = length(d, kappa)
    mass = 1 + c * A * np.cos(angle)
    along = (A + c * np.cos(angle) * (1 - (d - 1) * A / kappa)) / mass
    return A, float(along), float(c * np.sin(angle) * A / kappa / mass)


def query_reference(state: State) -> dict[str, Any]:
    """What the query hears at a few temperatures."""
    numbers = [query(state, kappa) for kappa in KAPPAS]
    return {"kappa": doubles(np.array(KAPPAS)), "numbers": doubles(np.array(numbers))}


def flow_still(state: State) -> str:
    """The tokens at ``t``."""
    from tfdynlib import plot

    start, t = start_of(state), min(state["t"], state["t_end"])
    x, where = start.x, "circle" if start.x.shape[1] == 2 else "sphere"
    if t > 0:
        rule = state["rule"]
        field = attention.field(heads_of(state), start.mass, rule)
        x = flow.solve(field, x, [0, t], rtol=ROUGH, atol=ROUGH).x[-1]
    if where == "circle":
        ax = plot.circle(x[:: -(-len(x) // DOTS)])
    else:
        ax = plot.sphere(x, view=(state["turn"], state["tilt"]))
    beta = f"{state['beta']:g}" if state["rule"] == "softmax" else "infinity"
    apart = distance(state, x)
    far = "" if np.isnan(apart) else f" Distance to the limit {apart:.3g}."
    alt = (
        f"{len(x)} tokens on the {where} at layer-time {t:g}, inverse temperature "
        f"{beta}.{far}"
    )
    return plot.show(ax, alt=alt).svg


def query_still(state: State) -> str:
    """Length of the attention mean against the inverse temperature."""
    from tfdynlib import plot

    kappa = np.geomspace(0.1, 1e5, 200)
    dims = sorted({2, 3, 64, 768, state["dim"]})
    lengths = {f"$d$ = {d}": metastability.bessel_ratio(d, kappa) for d in dims}
    ax = plot.curves(
        kappa,
        lengths,
        x_name="inverse temperature of the query",
        y_name="length of the mean",
        x_scale="log",
    )
    A = length(state["dim"], state["kappa"])
    alt = (
        f"Length of what a query hears of a uniform law against the inverse "
        f"temperature, in {', '.join(map(str, dims))} dimensions; in {state['dim']} "
        f"at {state['kappa']:g} it is {A:.4f}."
    )
    return plot.show(ax, alt=alt).svg


REFERENCES = {
    "flow": flow_reference,
    "query": query_reference,
    "consensus": _cold_line.reference,
}
STILLS = {"flow": flow_still, "query": query_still, "consensus": _cold_line.still}
