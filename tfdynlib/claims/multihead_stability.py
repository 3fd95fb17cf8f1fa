"""Claims of the first paper on small changes of the start and of the weights."""

from collections.abc import Callable

import numpy as np

from tfdynlib import attention, energy, flow, sphere, stability
from tfdynlib._circle import points
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.multihead_setup import I2, PAPER, J, P, account, order
from tfdynlib.measure import Measure, wasserstein2
from tfdynlib.weights import Heads, WeightPath

DECAY_START = points(
    2 * np.pi * np.arange(24) / 24 + 0.4 * np.sin(2 * np.pi * np.arange(24) / 24)
)


def _growth(rng: np.random.Generator) -> Evidence:
    """Growth of a perturbation in units of e^T, for a pair that repels."""
    field = attention.field(Heads.descent(I2))
    eps, t = 1e-4, np.array([0.0, 0.5, 1.0, 2.0, 4.0])
    runs = [
        flow.solve(field, points(np.array([0.0, phi])), t, rtol=1e-10, atol=1e-12).x
        for phi in (0.1, 0.1 + eps)
    ]
    start, *later = (
        wasserstein2(Measure(a), Measure(b), "geodesic") for a, b in zip(*runs)
    )
    grown = np.array(later) / start
    return Evidence(float(np.max(grown / np.exp(t[1:]))), 1.0)


def _weight_perturbation(rng: np.random.Generator) -> Evidence:
    """|E - E'| in units of its bound: clouds drawn by rng, and equal tokens."""
    cases = [(P, P + 0.1 * J, sphere.uniform(n, 2, rng)) for n in (1, 2, 5, 20)]
    cases.append((I2, 1.1 * I2, np.array([[1.0, 0.0]])))
    used = []
    for D, other, x in cases:
        one, two = Heads.descent(D), Heads.descent(other)
        gap = abs(energy.interaction(x, one) - energy.interaction(x, two))
        used.append(gap / stability.energy_gap_bound(one, two))
    return Evidence(max(used), 1.0)


def _nearest_minimum(eps: float) -> stability.Minimum:
    """One token from e2 under diag(2, -1) and a bit of exchange."""
    heads = Heads.descent(np.diag([2.0, -1.0]) + eps * J)
    return stability.minimise(points(np.array([np.pi / 2])), heads)


def _least_energies(rng: np.random.Generator) -> Evidence:
    limit, coarse, fine = (_nearest_minimum(e).energy for e in (0.0, 0.2, 0.1))
    return Evidence(order((coarse - limit, fine - limit)), 2.0)


def _minimisers(rng: np.random.Generator) -> Evidence:
    coarse, fine = (abs(_nearest_minimum(e).x[0, 0]) for e in (0.1, 0.05))
    return Evidence(order((coarse, fine)), 1.0)


def _ends_apart(change: Callable[[float], WeightPath | Heads], eps: float) -> float:
    """W2 at t = 2 between runs under the weights and under changed ones."""
    theta = 2 * np.pi * np.arange(24) / 24
    x = points(theta + 0.4 * np.sin(theta))
    one, two = (
        flow.solve(attention.field(change(e)), x, [0.0, 2.0], rtol=1e-10, atol=1e-12)
        for e in (0.0, eps)
    )
    return wasserstein2(Measure(one.x[-1]), Measure(two.x[-1]), "geodesic")


def _flows(rng: np.random.Generator) -> Evidence:
    def change(eps: float) -> Heads:
        return Heads.descent(P + eps * J)

    coarse, fine = (_ends_apart(change, e) for e in (0.05, 0.025))
    return Evidence(order((coarse, fine)), 1.0)


def _decaying(rate: float) -> WeightPath:
    """One descent head e^{-rate t} P; integrable for a positive rate."""

    def drift(t: float) -> tuple[np.ndarray, np.ndarray]:
        D = rate * np.exp(-rate * t) * P[None]
        return -D, D

    def heads_at(t: float) -> Heads:
        return Heads.descent(np.exp(-rate * t) * P)

    return WeightPath(heads_at, drift, 1, 2, integrable=rate > 0)


def _slow_decay(rng: np.random.Generator) -> Evidence:
    coarse, fine = (_ends_apart(_decaying, e) for e in (0.05, 0.025))
    return Evidence(order((coarse, fine)), 1.0)


def _weight_decay(rng: np.random.Generator) -> Evidence:
    run = account(_decaying(1.0), DECAY_START, 12.0, 240)
    return Evidence(float(run.dissipated[-1]), 0.0147676244)


def _comes_to_rest(rng: np.random.Generator) -> Evidence:
    """Power of e^-t at which the square of the speed falls, between t = 5 and 10."""
    path, t = _decaying(1.0), [0.0, 5.0, 10.0]
    run = flow.solve(attention.field(path), DECAY_START, t, rtol=1e-10, atol=1e-12)
    early, late = (
        np.mean(attention.velocity(x, path(s)) ** 2) for x, s in zip(run.x[1:], t[1:])
    )
    return Evidence(float(np.log(early / late) / 5), 2.0)


CLAIMS = (
    Claim(
        "1.6",
        "Two starts drift apart at most like a growing exponential (Grönwall).",
        PAPER,
        "two tokens, D = I: the rate is at most 1, and nearly so close together",
        1e-6,
        "tolerance of the integrator, 1e-10, over the distance 1e-4",
        _growth,
        at_most=True,
        page="flows/stability",
    ),
    Claim(
        "1.7",
        "E changes under a change of weights by at most e^R W1 / 2, for every cloud.",
        PAPER,
        "one head on the circle, clouds of 1, 2, 5 and 20 random tokens; I to 1.1 "
        "I at a point",
        1e-12,
        "rounding",
        _weight_perturbation,
        at_most=True,
        page="flows/stability",
    ),
    Claim(
        "1.8",
        "Integrable weights: the total dissipation is finite.",
        PAPER,
        "one head that decays like e^-t, 24 tokens, to t = 12",
        2e-8,
        "steps of 1/20 leave 1e-8, and what is lost after t = 12 is e^-24",
        _weight_decay,
        page="flows/layers_that_change",
    ),
    Claim(
        "1.19",
        "Least energies converge as the weights do (here to second order).",
        PAPER,
        "one token, diag(2, -1) with exchange of 0.2 and of 0.1",
        0.02,
        "the next term is a hundredth of the first at these sizes",
        _least_energies,
        page="flows/stability",
    ),
    Claim(
        "1.20",
        "Minimisers converge as the weights do (here to first order).",
        PAPER,
        "one token, diag(2, -1) with exchange of 0.1 and of 0.05",
        0.02,
        "the next term is a hundredth of the first at these sizes",
        _minimisers,
        page="flows/stability",
    ),
    Claim(
        "1.21",
        "Flows converge as the weights do, on a bounded time, to first order.",
        PAPER,
        "24 tokens on the circle, one head P with exchange of 0.05 and 0.025, to t = 2",
        0.05,
        "the next term is a twentieth of the first at these sizes",
        _flows,
        page="flows/stability",
    ),
    Claim(
        "1.22",
        "As the rate of weight decay goes to zero, the flow goes to that of "
        "constant weights.",
        PAPER,
        "24 tokens on the circle, one head, rates 0.05 and 0.025, to t = 2; first "
        "order",
        0.1,
        "the rate times the time is a tenth",
        _slow_decay,
        page="flows/stability",
    ),
    Claim(
        "1.23",
        "Integrable weights: the tokens come to rest, so limit points are stationary.",
        PAPER,
        "one head that decays like e^-t, 24 tokens; the speed falls like the weights",
        0.01,
        "the next term is e^-5 of the first",
        _comes_to_rest,
        page="flows/layers_that_change",
    ),
)
