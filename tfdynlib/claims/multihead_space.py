"""Claims of the first paper on distances, steps and limits of many tokens."""

import numpy as np
from jaxtyping import Float
from scipy.special import ive

from tfdynlib import attention, density, energy, flow, geometry, jko, sphere
from tfdynlib._circle import points
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.multihead_setup import I2, OURS, PAPER, P, Q, order
from tfdynlib.measure import Measure, wasserstein2
from tfdynlib.weights import Heads


def _equivalence(rng: np.random.Generator) -> Evidence:
    """Part of the room between the bounds that is used: 1 is the end of it."""
    a, b = (np.array(v) for v in ([0.3, 1.1, 2.5, 4.0], [1.0, 2.2, 3.6, 5.9]))
    used = []
    for heads, start, end in (
        (Heads.descent(np.stack([P, Q])), a, b),
        (Heads.descent(I2), a[:1], b[:1]),  # b = e along the way, the largest there is
        (Heads.descent(-I2), a[:1], b[:1]),  # and the least
    ):
        mu, nu = Measure(points(start)), Measure(points(end))
        ratio = geometry.weighted_distance(mu, nu, heads, "rigid").distance
        ratio /= wasserstein2(mu, nu, "geodesic")
        low, high = geometry.equivalence_bounds(heads)
        used.append(max(low / ratio, ratio / high))
    return Evidence(max(used), 1.0)


def _splitting(rng: np.random.Generator) -> Evidence:
    """Where the gain by splitting is zero, from two distances beyond it.

    The gain grows like the square of the excess, so its root is a line at first.
    """
    heads, theory = Heads.descent(4 * I2), geometry.splitting_threshold(4.0)
    over = np.array([1.05, 1.1]) * theory
    start = Measure(points(np.zeros(1)))

    def gain(turn: float) -> float:
        end = Measure(points(np.array([turn])))
        split = geometry.weighted_distance(start, end, heads, "split", parts=2)
        return 1 - (split.distance / (np.exp(2) * turn)) ** 2

    near, far = (np.sqrt(gain(turn)) for turn in over)
    found = over[0] - near * (over[1] - over[0]) / (far - near)
    return Evidence(float(found), theory)


def _movements(rng: np.random.Generator, kind: int, steps: tuple[int, int]) -> Evidence:
    heads = Heads.descent(I2)
    end = flow.solve(
        attention.field(heads), I2, [0.0, 1.0], "dop853", rtol=1e-12, atol=1e-12
    ).x[-1]
    coarse, fine = (
        sphere.distance(jko.solve(I2, heads, 1 / n, n, order=kind).x[-1], end).max()
        for n in steps
    )
    return Evidence(order((coarse, fine)), float(kind))


def _minimising_movements(rng: np.random.Generator) -> Evidence:
    return _movements(rng, 1, (20, 40))


def _extrapolated_movements(rng: np.random.Generator) -> Evidence:
    return _movements(rng, 2, (5, 10))


def _step_inequality(rng: np.random.Generator) -> Evidence:
    """Largest cost of a movement in units of the fall of the energy."""
    heads, tau, x = Heads.descent(I2), 0.5, points(np.array([0.0, 0.3]))
    run = jko.solve(x, heads, tau, 8)
    b = [energy.effective_weight(y, heads) for y in run.x[:-1]]
    moved = sphere.distance(run.x[:-1], run.x[1:]) ** 2
    cost = np.mean(np.array(b) * moved, axis=1) / (2 * tau)
    fall = -np.diff([energy.interaction(y, heads) for y in run.x])
    return Evidence(float(np.max(cost / fall)), 1.0)


def _ripple(rng: np.random.Generator) -> Evidence:
    beta, k, size = 9.0, 4, 1e-4
    heads, t = Heads(I2, I2, beta), [0.0, 0.25]

    def start(a: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
        return (1 + size * np.cos(k * a)) / (2 * np.pi)

    waves = density.solve(start, heads, t, tol=1e-10).moment(k).real
    rate = k**2 * ive(k, beta) / (beta * ive(0, beta))
    return Evidence(float(np.log(waves[1] / waves[0]) / t[1]), float(rate))


def _at_one(labels: Float[np.ndarray, " n"]) -> Measure:
    """Tokens with these shares of a turn, bent, under two heads at t = 1."""
    angle = 2 * np.pi * labels
    x = points(angle + 0.4 * np.sin(angle))
    field = attention.field(Heads.descent(np.stack([P, Q])))
    return Measure(flow.solve(field, x, [0.0, 1.0]).x[-1])


def _even(n: int) -> Float[np.ndarray, " n"]:
    return (np.arange(n) + 0.5) / n


def _even_tokens(rng: np.random.Generator) -> Evidence:
    """Sizes that divide the reference: what it lacks itself is in third order."""
    limit = _at_one(_even(960))
    coarse, fine = (
        wasserstein2(_at_one(_even(n)), limit, "geodesic") for n in (20, 40)
    )
    return Evidence(order((coarse, fine)), 1.0)


def _random_tokens(rng: np.random.Generator) -> Evidence:
    """Slope in log-log of the root mean square distance; error from the pairs."""
    limit, sizes, times = _at_one(_even(480)), (16, 128), 24
    squares = np.array(
        [
            [
                wasserstein2(_at_one(rng.random(n)), limit, "geodesic") ** 2
                for _ in range(times)
            ]
            for n in sizes
        ]
    )
    mean = squares.mean(axis=1)
    relative = squares.std(axis=1, ddof=1) / mean / np.sqrt(times)
    reach = 2 * np.log(sizes[1] / sizes[0])
    slope = np.log(mean[1] / mean[0]) / reach
    error = float(np.hypot(*relative) / reach)
    return Evidence(float(slope), -0.5, standard_error=error)


CLAIMS = (
    Claim(
        "1.4",
        "The weighted distance and W2 bound each other.",
        PAPER,
        "two heads and four atoms on the circle that stay whole; one atom under I "
        "and under -I",
        1e-8,
        "tolerance of the search for the distance",
        _equivalence,
        at_most=True,
        page="flows/geometry",
    ),
    Claim(
        "1.5",
        "Minimising movements converge to the gradient flow, to first order.",
        PAPER,
        "two tokens, D = I, to t = 1 with 20 and 40 steps",
        0.05,
        "the next order is 1/40 at these steps",
        _minimising_movements,
        page="flows/steps",
    ),
    Claim(
        "1.16",
        "An atom that travels further than pi over the root of beta b splits on "
        "the way.",
        OURS,
        "circle, one head 4I, two halves, excess of 5 and 10 per cent",
        0.05,
        "a line through two excesses x and y misses by a multiple of xy, 0.005 pi / 2",
        _splitting,
        page="flows/geometry",
    ),
    Claim(
        "1.17",
        "Extrapolated minimising movements converge to second order.",
        OURS,
        "two tokens, D = I, to t = 1 with 5 and 10 steps",
        0.25,
        "the next order is a fifth at these steps",
        _extrapolated_movements,
        page="flows/steps",
    ),
    Claim(
        "1.18",
        "A minimising movement costs at most what the energy falls.",
        PAPER,
        "two tokens that repel, from 0.3 rad, eight steps of a half",
        1e-6,
        "the search stops at 1e-8 in a token, a hundredth of the least movement",
        _step_inequality,
        at_most=True,
        page="flows/steps",
    ),
    Claim(
        "1.25",
        "A ripple of k waves in an even mist grows at the rate k^2 I_k(beta) / "
        "(beta I_0(beta)).",
        OURS,
        "ascent head I, beta = 9, k = 4, a ripple of 1e-4, t = 1/4",
        1e-5,
        "tolerance 1e-10 over the ripple, with a factor 10 for rates per quarter",
        _ripple,
        page="flows/density",
    ),
    Claim(
        "1.26",
        "Tokens at even shares of mass come to the mean field to first order in 1/n.",
        OURS,
        "two heads on the circle, t = 1, 20 and 40 tokens",
        0.05,
        "the next term is a twentieth of the first",
        _even_tokens,
        page="tokens/many",
    ),
    Claim(
        "1.27",
        "Tokens drawn at random come to the mean field like n to the power of -1/2.",
        OURS,
        "two heads on the circle, t = 1, 24 draws of 16 and of 128 tokens",
        3.3,
        "standard errors of the slope: normal, 99.9 %",
        _random_tokens,
        page="tokens/many",
    ),
)
