"""Tokens on the circle: motion, attention, distance, layers, laws, mists, atoms."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tfdynlib import attention, energy, flow, measure, sphere, weights
from tfdynlib._circle import points
from tfdynlib.widgets import _circle_mist, _circle_split
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._circle_presets import PRESETS, RIGHT_ANGLE, SQUARE, THIRDS, I
from tfdynlib.widgets._traits import Angles, Flag, Matrices, OneOf, Real, Whole
from tfdynlib.widgets._widget import Widget, doubles

FRAMES = 500  # of a run, as on the page
FIRST = 0.01  # where logarithmic layer-time begins
CHECKED = 60  # frames up to which the page is compared with Python
FINE = 960  # steps of the flow beside the layers
DRAWS = 100  # in the band of the view "sample"


def heads_of(state: dict[str, Any]) -> weights.Heads:
    """Heads of a state, with equal masses."""
    H = min(len(state["B"]), len(state["V"]))
    return weights.Heads(state["B"][:H], state["V"][:H], beta=state["beta"])


def start_of(state: dict[str, Any]) -> np.ndarray:
    """Tokens of a state at layer-time 0."""
    if state["start"] == "uniform":
        return sphere.uniform(state["n"], 2, np.random.default_rng(state["seed"]))
    if state["start"] == "gap":
        return points(np.array([-1, 1]) * state["gap"] / 2)
    return points(np.array(state["angles"]))


def clouds_of(state: dict[str, Any]) -> tuple[measure.Measure, measure.Measure]:
    """The first cloud, and the second one turned."""
    turned = np.array(state["targets"]) + state["turned"]
    return measure.Measure(points(np.array(state["angles"]))), measure.Measure(
        points(turned)
    )


def longest_step(heads: weights.Heads) -> float:
    """The page's largest step: 2 / (|V| (1 + beta |B| / 4)), at most a half."""
    norm_b, norm_v = (np.linalg.norm(m, axis=(1, 2)) for m in (heads.B, heads.V))
    return min(0.5, 2 / max(np.max(norm_v * (1 + heads.beta * norm_b / 4)), 1e-12))


def frames_of(state: dict[str, Any]) -> np.ndarray:
    """Times of the page's frames."""
    if state["time"] == "log" and state["t_end"] > FIRST:
        return np.concatenate([[0], np.geomspace(FIRST, state["t_end"], FRAMES)])
    return np.arange(FRAMES + 1) * (state["t_end"] / FRAMES)


def steps_between(t: np.ndarray, longest: float) -> np.ndarray:
    """Every frame gap in equal steps of at most ``longest``: the page's own grid."""
    parts = np.maximum(1, np.ceil(np.diff(t) / longest - 1e-6)).astype(int)
    inner = [a + (b - a) / k * np.arange(1, k + 1) for a, b, k in zip(t, t[1:], parts)]
    return np.concatenate([t[:1], *inner])


def _tokens(state: dict[str, Any]) -> dict[str, Any]:
    """Velocity at the start and tokens at a few frames of the page's RK4 run."""
    heads, x0 = heads_of(state), start_of(state)
    field = attention.field(heads)
    t = frames_of(state)[: CHECKED + 1]
    grid = steps_between(t, longest_step(heads))
    run = flow.solve(field, x0, grid, method="rk4")
    frames = [1, CHECKED // 2, CHECKED]
    x = run.x[[int(np.argmin(np.abs(grid - t[k]))) for k in frames]]
    return {"frames": frames, "velocity": doubles(field(0.0, x0)), "tokens": doubles(x)}


def _rays(state: dict[str, Any]) -> dict[str, Any]:
    """Weights of the chosen token, their perplexity, the length of its velocity."""
    heads, x = heads_of(state), start_of(state)
    query = min(state["query"], len(x) - 1)
    a = attention.attend(x, heads).mean(axis=0)[query]
    entropy = -np.sum(a * np.log(a, out=np.zeros_like(a), where=a > 0))
    pull = np.linalg.norm(attention.velocity(x, heads)[query])
    return {"numbers": doubles(np.array([*a, np.exp(entropy), pull]))}


def _clouds(state: dict[str, Any]) -> dict[str, Any]:
    """Both distances of the two clouds."""
    if len(state["angles"]) != len(state["targets"]):
        return {}
    mu, nu = clouds_of(state)
    both = [measure.wasserstein2(mu, nu, ground=g) for g in ("geodesic", "chordal")]
    return {"numbers": doubles(np.array(both))}


def layers_of(state: dict[str, Any]) -> np.ndarray:
    """Tokens after every layer; without normalisation they live in the plane."""
    space = "sphere" if state["normalise"] else "euclidean"
    field = attention.field(heads_of(state), space=space)
    times = state["t_end"] * np.arange(state["layers"] + 1) / state["layers"]
    return flow.solve(field, start_of(state), times, method="euler").x


def _layered(state: dict[str, Any]) -> dict[str, Any]:
    """Tokens after the last layer, and those of the flow at the same time."""
    field, x0 = attention.field(heads_of(state)), start_of(state)
    end = layers_of(state)[-1]
    fine = state["t_end"] * np.arange(FINE + 1) / FINE
    exact = flow.solve(field, x0, fine, method="rk4").x[-1]
    return {"numbers": doubles(np.concatenate([end.ravel(), exact.ravel()]))}


def to_uniform(x: np.ndarray) -> float:
    """Geodesic W2 of equal atoms on the circle to the uniform law.

    In the order of their angles the atoms spread over equal arcs; the best turn of
    these makes the mean walk zero.  To its variance comes that of a uniform arc.
    """
    n = len(x)
    walk = np.sort(np.arctan2(x[:, 1], x[:, 0])) - 2 * np.pi * np.arange(n) / n
    return float(np.sqrt(np.var(walk) + (np.pi / n) ** 2 / 3))


def draws_of(state: dict[str, Any]) -> list[np.ndarray]:
    """The samples of a state: as many tokens, from one seed after another."""
    seeds = range(state["seed"], state["seed"] + DRAWS)
    return [
        sphere.uniform(state["n"], 2, np.random.default_rng(seed)) for seed in seeds
    ]


def _sample(state: dict[str, Any]) -> dict[str, Any]:
    """Energy (B = I) and W2 to the uniform law of every draw, and the energy's band."""
    heads = weights.Heads(I, I, beta=state["beta"])
    draws = draws_of(state)
    E = np.array([energy.interaction(x, heads) for x in draws])
    W2 = np.array([to_uniform(x) for x in draws])
    return {"numbers": doubles(np.concatenate([E, W2, [E.mean(), E.std()]]))}


def _density(state: dict[str, Any]) -> dict[str, Any]:
    """Velocity and tokens of a mist."""
    cap = longest_step(_circle_mist.heads_of(state))
    return _circle_mist.reference_for(state, FRAMES, cap)


REFERENCES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "tokens": _tokens,
    "rays": _rays,
    "clouds": _clouds,
    "layers": _layered,
    "sample": _sample,
    "density": _density,
    "split": _circle_split.reference_for,
}


class Circle(Widget):
    """Tokens on the circle: ``Circle("two_attract", "two_repel")``.

    Seven views, each with its own presets (``Circle.PRESETS`` has a line on every one):

    ``"tokens"``
        n tokens under up to four heads, from a uniform draw, a pair with a gap, or
        angles, over linear or logarithmic layer-time; energy, or the gap of a pair.
    ``"rays"``
        attention weights of one token as rays, and their course as beta changes.
    ``"clouds"``
        two clouds (``angles``, ``targets``), their optimal matching and W2.
    ``"layers"``
        that many Euler steps beside the flow.
    ``"sample"``
        n uniform tokens, draw after draw: energy and W2 to the uniform law (``shown``
        chooses the chart), with the band over a hundred draws.
    ``"density"``
        n tokens on a regular grid with ``noise`` and, if not 0, a ``planted`` ripple:
        their density, and how fast its ripples grow.  B = I, V = I or -I.
    ``"split"``
        one atom on its way over the angle ``gap``, in ``parts``; its path and cost.
    """

    name = "circle"
    _esm = esm("circle")
    _css = style()
    PRESETS = PRESETS | _circle_mist.PRESETS | _circle_split.PRESETS
    OPENING = ("first_minute", "two_attract", "two_repel", "many")

    view = OneOf("tokens", words=tuple(REFERENCES)).tag(sync=True, page=True)
    n = Whole(32, min=2, max=256).tag(sync=True, page=True)
    beta = Real(4.0, min=0.01, max=100.0).tag(sync=True, page=True)
    B = Matrices([I], d=2).tag(sync=True, page=True)
    V = Matrices([I], d=2).tag(sync=True, page=True)
    start = OneOf("uniform", words=("uniform", "gap", "angles")).tag(
        sync=True, page=True
    )
    seed = Whole(0, min=0, max=2**31 - 1).tag(sync=True, page=True)
    gap = Real(RIGHT_ANGLE, min=0.0, max=np.pi).tag(sync=True, page=True)
    angles = Angles(THIRDS).tag(sync=True, page=True)
    targets = Angles(SQUARE).tag(sync=True, page=True)
    turned = Real(0.0, min=-np.pi, max=np.pi).tag(sync=True, page=True)
    pair = OneOf("best", words=("best", "labels")).tag(
        sync=True, page=True, numbers=False
    )
    shift = Whole(0, min=-128, max=128).tag(sync=True, page=True, numbers=False)
    query = Whole(0, min=0, max=255).tag(sync=True, page=True)
    curve = OneOf("perplexity", words=("perplexity", "weights", "score")).tag(
        sync=True, page=True, numbers=False
    )
    time = OneOf("linear", words=("linear", "log")).tag(sync=True, page=True)
    t_end = Real(20.0, min=0.1, max=1e5).tag(sync=True, page=True)
    layers = Whole(12, min=1, max=96).tag(sync=True, page=True)
    normalise = Flag(True).tag(sync=True, page=True)
    shown = OneOf("energy", words=("energy", "distance")).tag(
        sync=True, page=True, numbers=False
    )
    noise = Real(0.01, min=1e-6, max=1.0).tag(sync=True, page=True)
    planted = Whole(0, min=0, max=12).tag(sync=True, page=True)
    parts = Whole(2, min=1, max=8).tag(sync=True, page=True)
    t = Real(0.0, min=0.0, max=1e5).tag(sync=True, page=True, view=True)

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """What Python gets for the numbers of a view, to compare the page with."""
        return REFERENCES[state["view"]](state)

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """The view as one picture: tokens with their last way, rays, or a matching."""
        from tfdynlib import plot

        ax, alt = STILLS[state["view"]](plot, state)
        return plot.show(ax, alt=alt).svg


def _still_tokens(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    x = path_to(state, state["t"])
    what = f"{len(x[0])} tokens on the circle at layer-time {state['t']:g}"
    return plot.circle(
        x[-1], trails=x
    ), f"{what}, inverse temperature {state['beta']:g}."


def _still_rays(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    x = start_of(state)
    query = min(state["query"], len(x) - 1)
    a = attention.attend(x, heads_of(state)).mean(axis=0)[query]
    alt = f"Token {query} of {len(x)} on the circle and its attention as rays; "
    return plot.rays(
        x, heads_of(state), query
    ), f"{alt}its own weight is {a[query]:.3f}."


def _still_clouds(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    mu, nu = clouds_of(state)
    distance = measure.wasserstein2(mu, nu, ground="geodesic")
    alt = f"Two clouds on the circle, optimally matched; geodesic W2 is {distance:.6f}."
    return plot.matching(mu, nu, ground="geodesic"), alt


def _still_layers(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    x = layers_of(state)
    on_it = sphere.retract(x)  # the still shows directions
    alt = f"{len(x[0])} tokens on the circle after {state['layers']} layers."
    return plot.circle(on_it[-1], trails=on_it), alt


def _still_sample(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    x = draws_of(state)[0]
    alt = f"{len(x)} tokens drawn at random from the uniform law of the circle; "
    return plot.circle(x), f"{alt}geodesic W2 to that law is {to_uniform(x):.4f}."


STILLS: dict[str, Callable[[ModuleType, dict[str, Any]], tuple[Any, str]]] = {
    "tokens": _still_tokens,
    "rays": _still_rays,
    "clouds": _still_clouds,
    "layers": _still_layers,
    "sample": _still_sample,
    "density": _circle_mist.still,
    "split": _circle_split.still,
}


def path_to(state: dict[str, Any], t: float) -> np.ndarray:
    """Tokens on their way from the start to t; only the start if t is 0."""
    x0 = start_of(state)
    if t <= 0:
        return x0[None]
    log = state["time"] == "log" and t > FIRST
    times = np.geomspace(FIRST, t, 60) if log else np.linspace(t / 60, t, 60)
    return flow.solve(attention.field(heads_of(state)), x0, np.append(0, times)).x
