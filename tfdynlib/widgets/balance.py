"""The figure ``balance``: the account of the energy, term by term."""

from typing import Any

import numpy as np

from tfdynlib import attention, energy, flow, sphere, weights
from tfdynlib.widgets._balance_presets import EYE, PRESETS
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._traits import Matrices, OneOf, Real, Whole
from tfdynlib.widgets._widget import Widget, doubles

FRAMES = 1000
CHECKED = 8  # steps after which page and Python are compared


class Symmetric(Matrices):
    """One to four symmetric matrices, all (2, 2) or all (3, 3)."""

    shape = "(H, 2, 2) or (H, 3, 3), symmetric, H up to {most},"

    def fits(self, array: np.ndarray) -> bool:
        shaped = array.ndim == 3 and array.shape[1:] in ((2, 2), (3, 3))
        if not (shaped and 1 <= len(array) <= self.most):
            return False
        return bool((array == array.swapaxes(1, 2)).all())


class Balance(Widget):
    """The energy along moving heads, and what it is made of.

    ``n`` tokens start near the ends of the axes, uniformly, or all at the angle pi / 8
    (``start``).  The descent heads start at ``D`` (on the circle its leading block) and
    are ``"frozen"``, ``"oscillating"`` about twice the identity with phases spread over
    the heads, or ``"noisy"``: drawn back to the identity, with ``paths`` samples of
    noise of variance ``noise_var``.  ``motion="ascent"``: they are frozen, and V = D.

    Tokens and weights make Euler steps of about ``dt``, and all integrals are sums over
    left ends.  ``book`` says which loss is booked, the ``"exact"`` dissipation or the
    ``"coded"`` squared slope; ``shown``, which terms the chart has.
    """

    name = "balance"
    _esm = esm("balance")
    _css = style()

    space = OneOf("sphere", words=("circle", "sphere")).tag(sync=True, page=True)
    n = Whole(60, min=1, max=128).tag(sync=True, page=True)
    start = OneOf("uniform", words=("axes", "uniform", "point")).tag(
        sync=True, page=True
    )
    seed = Whole(0, min=0, max=9999).tag(sync=True, page=True)
    D = Symmetric([EYE], d=3).tag(sync=True, page=True)
    motion = OneOf("frozen", words=("frozen", "ascent", "oscillating", "noisy")).tag(
        sync=True, page=True
    )
    rule = OneOf("softmax", words=("softmax", "gradient")).tag(sync=True, page=True)
    book = OneOf("exact", words=("exact", "coded")).tag(
        sync=True, page=True, numbers=False
    )
    shown = OneOf("all", words=("all", "residual", "noise")).tag(
        sync=True, page=True, numbers=False
    )
    noise_var = Real(2.0, min=0.05, max=4.0).tag(sync=True, page=True)
    paths = Whole(20, min=1, max=40).tag(sync=True, page=True, numbers=False)
    dt = Real(0.01, min=0.00125, max=0.1).tag(sync=True, page=True)
    t_end = Whole(20, min=1, max=40).tag(sync=True, page=True)
    t = Real(0.0, min=0.0, max=40.0).tag(sync=True, page=True, view=True)
    turn = Real(158.0, min=-180.0, max=180.0).tag(sync=True, page=True, view=True)
    tilt = Real(18.0, min=-90.0, max=90.0).tag(sync=True, page=True, view=True)

    PRESETS = PRESETS
    OPENING = ("h1_oscillating", "h2_oscillating", "ou_paths")

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Tokens and account of the first path, at the first frame after 8 steps."""
        steps, stride = steps_of(state)
        frame = min(steps // stride, -(-CHECKED // stride))
        t, x, book = account(state, frame * stride)
        sums = [book[key][-1] for key in TERMS]
        return {"frame": frame, "x": doubles(x[-1]), "book": doubles(np.array(sums))}

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """The terms of the account up to ``t``, in at most 40 steps."""
        from tfdynlib import plot

        steps = round(STILL * state["t_end"] / state["t"]) if state["t"] > 0 else 1
        coarse = state | {"dt": max(state["dt"], state["t_end"] / max(steps, 1))}
        count = round(state["t"] / state["t_end"] * steps_of(coarse)[0])
        t, _, book = account(coarse, max(1, count))
        lost = book["coded" if state["book"] == "coded" else "lost"]
        terms = {"gain of $E$": book["energy"] - book["energy"][0], "lost": lost}
        if state["motion"] not in ("frozen", "ascent"):
            terms["weights"] = book["weights"]
        if state["motion"] == "noisy":
            terms["noise"] = book["noise"]
        ax = plot.curves(t, terms, y_name="terms of the account")
        alt = (
            f"Terms of the account of the energy to layer-time {t[-1]:g}: "
            + ", ".join(name.replace("$", "") for name in terms)
            + "."
        )
        return plot.show(ax, alt=alt).svg


DIMENSION = {"circle": 2, "sphere": 3}
STILL = 40  # steps of the run that a still picture shows at most
TERMS = ("energy", "weights", "lost", "coded", "noise")


def steps_of(state: dict[str, Any]) -> tuple[int, int]:
    """Number of steps, and how many lie between two frames; as the page has them."""
    wanted = max(1, round(state["t_end"] / state["dt"]))
    stride = -(-wanted // FRAMES)
    return -(-wanted // stride) * stride, stride


def start_of(state: dict[str, Any]) -> np.ndarray:
    """The tokens at layer-time 0, as the page draws them from the same seed."""
    n, d = state["n"], DIMENSION[state["space"]]
    rng = np.random.default_rng(state["seed"])
    if state["start"] == "uniform":
        return sphere.uniform(n, d, rng)
    if state["start"] == "point":
        return np.tile([np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0][:d], (n, 1))
    ends = np.concatenate([np.eye(d), -np.eye(d)])[rng.integers(0, 2 * d, n)]
    return sphere.retract(ends + 0.05 * rng.standard_normal((n, d)))


def heads_of(state: dict[str, Any]) -> np.ndarray:
    """The matrices at the start, cut or filled with zeros to the dimension."""
    d, D = DIMENSION[state["space"]], np.array(state["D"], dtype=float)
    wide = np.zeros((len(D), 3, 3))
    wide[:, : D.shape[1], : D.shape[1]] = D
    return wide[:, :d, :d]


def path_of(state: dict[str, Any], t: np.ndarray) -> weights.WeightPath:
    """The heads of the first path, Euler steps between the times t."""
    D = heads_of(state)
    H, d, _ = D.shape
    if state["motion"] == "noisy":
        rng, g2 = np.random.default_rng(state["seed"] + 1), state["noise_var"]
        return weights.ornstein_uhlenbeck(D, t, rng, noise_var=g2, method="euler")
    if state["motion"] == "oscillating":
        law, M = weights.oscillating(H, d, D), [D]
        for s, h in zip(t, np.diff(t)):
            M.append(M[-1] + h * (law.drift(s)[0] + law(s).B - M[-1]))
        return weights.interpolate(t, [weights.Heads.descent(m) for m in M])
    up = state["motion"] == "ascent"
    return weights.constant(weights.Heads(D, D) if up else weights.Heads.descent(D))


def account(
    state: dict[str, Any], count: int
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Times, tokens and the terms of the account (see ``TERMS``) of ``count`` steps.

    All integrals are sums over left ends; the work of the noise is what is left when
    the residual that ``energy.balance`` has for the left ends is taken off.
    """
    steps, _ = steps_of(state)
    t = np.linspace(0, state["t_end"], steps + 1)[: count + 1]
    path, rule = path_of(state, t), state["rule"]
    run = flow.solve(attention.field(path, rule=rule), start_of(state), t, "euler")
    left = energy.balance(run, path, rule)
    sign = -1 if state["motion"] == "ascent" else 1
    rows = []
    for s, x in zip(t[:-1], run.x):
        heads = path(s)
        v = attention.velocity(x, heads, rule=rule)
        push = energy.power(x, path, s)
        lost = energy.dissipation(x, heads, rule)
        rows.append((push, lost, sign * energy.action(x, v, heads)))
    sums = np.vstack([np.zeros(3), np.cumsum(np.diff(t)[:, None] * rows, axis=0)])
    pushed, lost, coded = sums.T
    noise = left.energy - left.energy[0] - pushed + lost - left.left_point
    book = dict(zip(TERMS, (left.energy, pushed, lost, coded, noise)))
    return t, run.x, book
