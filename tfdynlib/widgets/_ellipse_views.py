"""The views of the figure ``ellipse`` in Python: numbers to compare, and stills."""

from typing import Any

import numpy as np
from scipy.stats import norm

from tfdynlib import attention, flow, gaussian, weights
from tfdynlib.widgets._widget import doubles

State = dict[str, Any]

SHARES = np.array([0.1, 0.3, 0.6, 0.95])  # of a run: where page and Python compare
STEP = 0.01  # of the tokens on the line
CHECKED = 10  # of those steps
LONGEST = 2.0  # their run, at most
KINK_END = 1.5  # end of the run through the kink


def layer_of(state: State) -> gaussian.Layer:
    """The layer of a state, of one dimension in the view ``"map"``."""
    if state["view"] == "map":
        return gaussian.Layer([[state["a"]]], [[1.0]], [[state["vk"]]])
    return gaussian.Layer(state["A"], state["B"], state["V"], state["b"])


def start_of(state: State) -> gaussian.Gaussian:
    """The law of a state at layer-time 0."""
    if state["view"] == "map":
        return gaussian.Gaussian([0.0], [[state["s0"]]])
    return gaussian.Gaussian(state["mean"], state["cov"])


def moments_to(state: State, t: float, frames: int = 9) -> gaussian.Moments:
    """Moments up to t, or up to short of a blow-up before it."""
    layer, start = layer_of(state), start_of(state)
    run = gaussian.solve(layer, start, np.linspace(0, max(t, 1e-9), frames))
    if run.status == "done":
        return run
    last = min(float(run.t[-1]), 0.999 * run.blow_up_time)
    return gaussian.solve(layer, start, np.linspace(0, last, frames))


def flow_reference(state: State) -> dict[str, Any]:
    """Moments at four times of the run, and where it blows up."""
    layer, start = layer_of(state), start_of(state)
    blow_up = gaussian.solve(layer, start, [0, state["t_end"]]).blow_up_time
    run = gaussian.solve(layer, start, [0, *SHARES * min(state["t_end"], blow_up)])
    arrays = {"t": run.t[1:], "mean": run.mean[1:], "cov": run.cov[1:]}
    arrays["blow_up"] = np.array([blow_up])
    return {key: doubles(value) for key, value in arrays.items()}


def tilted(state: State, share: float) -> np.ndarray:
    """Tilted mean and effective part; of the sample the mean and effective number."""
    law = start_of(state)
    p = share * np.array(state["B"]) @ state["query"]
    numbers = [*(law.mean + law.cov @ p), np.exp(-p @ law.cov @ p)]
    if state["shown"] == "sample":
        y = sample_of(state)
        w = np.exp(y @ p - (y @ p).max())
        numbers += [*(w @ y / w.sum()), w.sum() ** 2 / (w @ w)]
    return np.array(numbers)


def sample_of(state: State) -> np.ndarray:
    """The tokens as the page draws them."""
    law, rng = start_of(state), np.random.default_rng(state["seed"])
    values, U = np.linalg.eigh(law.cov)
    root = (U * np.sqrt(np.maximum(values, 0))) @ U.T
    return law.mean + rng.standard_normal((state["n"], 2)) @ root


def tokens_after(state: State, steps: int) -> np.ndarray:
    """Tokens on the line after rk4 steps, (n,)."""
    z = np.random.default_rng(state["seed"]).standard_normal((state["n"], 1))
    x = np.sqrt(state["s0"]) * (z - z.mean()) / z.std()
    heads = weights.Heads([[1.0]], [[state["vk"]]])

    def field(t: float, x: np.ndarray) -> np.ndarray:
        pull = attention.velocity(x, heads, space="euclidean")
        return state["a"] * x + pull

    if steps == 0:
        return x[:, 0]
    t = STEP * np.arange(steps + 1)
    return flow.solve(field, x, t, method="rk4", space="euclidean").x[-1, :, 0]


def cloud_reference(state: State) -> dict[str, Any]:
    """Tokens after a few steps; none for so many that Python takes seconds."""
    end = min(state["t_end"], LONGEST)
    steps = min(CHECKED, max(1, round(end / STEP)))
    if state["n"] > 2000:
        return {}
    return {"steps": steps, "x": doubles(tokens_after(state, steps))}


def kink(m: float, t: float) -> dict[str, float]:
    """Moments and distances of the law of x' = max(x, 0) from N(m, 1) at t."""
    up, down, f, e = norm.cdf(m), norm.cdf(-m), norm.pdf(m), np.exp(t)
    start = gaussian.Gaussian([m], [[1.0]])
    gap = np.sqrt(gaussian.relu_gap(start, [[1.0]], [0.0])[0])
    mean = e * (m * up + f) - (f - m * down)
    second = e**2 * ((m**2 + 1) * up + m * f) + (m**2 + 1) * down - m * f
    var = second - mean**2
    c, g = m**3 + 3 * m, (m**2 + 2) * f
    third = e**3 * (c * up + g) - (g - c * down) - 3 * mean * var - mean**3
    sd = np.sqrt(var)
    matched = np.sqrt(max(0.0, 2 * sd * (sd - e * up - down)))
    return {
        "distance": float((e - 1) * gap),
        "bound": float(t * e * gap),
        "skewness": float(third / sd**3),
        "matched": float(matched),
        "mean": float(mean),
        "variance": float(var),
    }


def kink_reference(state: State) -> dict[str, Any]:
    """Distances and skewness at time 1."""
    found = kink(state["m"], 1.0)
    keys = ("distance", "bound", "skewness", "matched")
    return {"numbers": doubles(np.array([found[key] for key in keys]))}


REFERENCES = {
    "flow": flow_reference,
    "tilt": lambda state: {"numbers": doubles(tilted(state, 1.0))},
    "map": flow_reference,
    "cloud": cloud_reference,
    "relu": kink_reference,
}


def words(values: np.ndarray) -> str:
    """Numbers in words."""
    return " and ".join(f"{v:.2f}" for v in values)


def flow_still(state: State) -> str:
    """The ellipse at the start and at ``t``, and those between."""
    from tfdynlib import plot

    run = moments_to(state, state["t"])
    laws = [run.at(k) for k in range(len(run.t))]
    ax = plot.ellipses(laws, names={0: "start"}, trail=run.mean)
    sizes = np.linalg.svd(run.factor[-1], compute_uv=False)
    alt = (
        f"Ellipse of a Gaussian cloud from layer-time 0 to {run.t[-1]:.3g}: mean "
        f"{words(run.mean[-1])}, standard deviations {words(sizes)}."
    )
    return plot.show(ax, alt=alt).svg


def tilt_still(state: State) -> str:
    """The tokens and what the query sees of them."""
    from tfdynlib import plot

    law = start_of(state)
    mean = tilted(state, min(state["t"], 1.0))[:2]
    seen = gaussian.Gaussian(mean, law.cov)
    names = {0: "tokens"}
    ax = plot.ellipses([law, seen], names=names, trail=np.stack([law.mean, mean]))
    alt = f"A Gaussian and the same one as a query sees it, its mean at {words(mean)}."
    return plot.show(ax, alt=alt).svg


def map_still(state: State) -> str:
    """The variance up to ``t``."""
    from tfdynlib import plot

    run = moments_to(state, state["t"], frames=101)
    S = run.cov[:, 0, 0]
    ax = plot.curves(run.t, {"$S$": S}, y_name="variance")
    alt = f"Variance against layer-time, from {S[0]:.3g} to {S[-1]:.3g}."
    return plot.show(ax, alt=alt).svg


def cloud_still(state: State) -> str:
    """The variance of the tokens up to ``t``, beside that of the law."""
    from tfdynlib import plot

    few = state | {"n": min(state["n"], 400), "view": "map"}
    end = min(max(state["t"], STEP), LONGEST)
    t = STEP * np.linspace(0, round(end / STEP), 6).round()
    t = np.unique(t)
    seen = np.array([tokens_after(few, round(s / STEP)).var() for s in t])
    layer, start = layer_of(few), start_of(few)
    wall = gaussian.solve(layer, start, [0, 2 * end]).blow_up_time
    alive = t < 0.98 * wall
    law = np.full(len(t), np.nan)
    law[alive] = state["s0"]
    if alive.sum() > 1:
        law[alive] = gaussian.solve(layer, start, t[alive]).cov[:, 0, 0]
    tokens = {f"{few['n']} tokens": seen}
    ax = plot.curves(t, tokens, theory={"law": law}, y_name="variance")
    alt = (
        f"Variance of {few['n']} tokens at layer-time {t[-1]:.3g}: {seen[-1]:.3g}; "
        f"of the law at {t[alive][-1]:.3g}: {law[alive][-1]:.3g}."
    )
    return plot.show(ax, alt=alt).svg


def kink_still(state: State) -> str:
    """The density at ``t`` beside its Gaussian."""
    from tfdynlib import plot

    m, t = state["m"], min(state["t"], KINK_END)
    e = np.exp(t)
    x = np.linspace(-4, 4 + (m + 2) * e * 0.7, 241)
    law = np.where(x > 0, norm.pdf(x / e - m) / e, norm.pdf(x - m))
    theory = {"Gaussian": norm.pdf(x / e - m) / e}
    ax = plot.curves(x, {"law": law}, theory=theory, y_name="density", x_name="$x$")
    found = kink(m, t)
    alt = (
        f"Density of the tokens under the kink at layer-time {t:.3g}, at distance "
        f"{found['distance']:.3g} from the Gaussian without it."
    )
    return plot.show(ax, alt=alt).svg


STILLS = {
    "flow": flow_still,
    "tilt": tilt_still,
    "map": map_still,
    "cloud": cloud_still,
    "relu": kink_still,
}
