"""Claims of the second paper on reachability, and on the price of weights.

Costs are the book's own.
"""

import numpy as np
from jaxtyping import Float

from tfdynlib import control, gaussian
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.gaussian_setup import COV, OURS, PAPER, START, A, B
from tfdynlib.gaussian import Gaussian, Layer

GOAL = np.array([[2, -0.5], [-0.5, 0.7]])
PAIR = Gaussian([0.5, -0.3], COV), Gaussian([-1, 2], GOAL)
CENTRED = START, Gaussian([0, 0], GOAL)
SWAP = Gaussian([0, 0], np.diag([4, 1.0])), Gaussian([0, 0], np.diag([1, 4.0]))


def _random(d: int, r: int, rng: np.random.Generator) -> Gaussian:
    """Axes of length about one in directions drawn by rng."""
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0][:, :r]
    return Gaussian.from_factor(rng.normal(size=d), Q * np.exp(rng.normal(size=r) / 2))


def _arrived(start: Gaussian, target: Gaussian, T: float) -> float:
    """One, and the larger of two errors: of a width, and W2 in units of the pair."""
    found = control.verify(control.steer(start, target, T), start, target)
    return 1 + max(found.stretch, found.error)


def _same_rank(rng: np.random.Generator) -> Evidence:
    cases = [(d, r) for d in (1, 2, 3, 5) for r in range(1, d + 1)]
    found = [
        _arrived(_random(d, r, rng), _random(d, r, rng), np.exp(-k))
        for k, (d, r) in enumerate(cases)
    ]
    # Ranges at right angles: the turn is furthest, and no single constant A does it.
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    start = Gaussian.from_factor(np.zeros(4), Q[:, :2])
    target = Gaussian.from_factor(np.ones(4), Q[:, 2:] * [1.0, 3.0])
    return Evidence(max(*found, _arrived(start, target, 1.0)), 1.0)


def _thickness(Q: Float[np.ndarray, "2 2"] | None) -> float:
    """Second axis over first, from a line; the flow here does not keep the rank."""
    line, information = np.outer([1.0, 1], [1.0, 1]), 0.7 * (B + B.T)
    R = np.linalg.inv(information)
    end = control.riccati_flow(A, np.eye(2), R, Q, line, 1.0)
    values = np.linalg.eigvalsh(end)
    return float(np.sqrt(abs(values[0]) / values[1]))


def _other_rank(rng: np.random.Generator) -> Evidence:
    return Evidence(_thickness(None), 0.0, _thickness(0.01 * np.eye(2)))


def _attention_alone(rng: np.random.Generator) -> Evidence:
    """Precision half-way, in units of the mean of both."""
    path = control.steer(*PAIR, 1.0, "attention")
    run = gaussian.solve(path, PAIR[0], np.array([0.0, 0.5, 1.0]))
    mean = (np.linalg.inv(COV) + np.linalg.inv(GOAL)) / 2
    found = np.linalg.solve(mean, np.linalg.inv(run.cov[1]))
    return Evidence(float(np.trace(found)) / 2, 1.0)


def _geodesic(rng: np.random.Generator) -> Evidence:
    path = control.steer(*PAIR, 2.0, "geodesic")
    shortest = gaussian.distance(*PAIR) ** 2 / 2.0
    return Evidence(control.kinetic_cost(path, PAIR[0]) / shortest, 1.0)


def _filter(rng: np.random.Generator) -> Evidence:
    """Trace of the layer's limit over that of the filter that reads its quadratic
    term, with -(V B + B^T V^T) in the place of the information."""

    def ratio(V: Float[np.ndarray, "2 2"]) -> float:
        layer = Layer(A, B, V)
        ours = gaussian.solve(layer, CENTRED[0], np.array([0.0, 60.0])).cov[-1]
        information = -(V @ B + B.T @ V.T)
        theirs = control.riccati(A, np.eye(2), np.linalg.inv(information)).solution
        return float(np.trace(ours) / np.trace(theirs))

    return Evidence(ratio(-0.7 * np.eye(2)), 1.0, ratio(-np.diag([1.0, 0.4])))


def _constant_is_cheapest(rng: np.random.Generator) -> Evidence:
    """Cheapest A(t) in four pieces over the constant symmetric one."""

    def ratio(start: Gaussian, target: Gaussian) -> float:
        found = control.cheapest(start, target, 1.0, 4, "feedforward")
        return found.cost / (found.cost + found.gap["feedforward"])

    return Evidence(ratio(*SWAP), 1.0, ratio(*CENTRED))


def _price_of_attention(rng: np.random.Generator) -> Evidence:
    """Cheapest attention in a tenth of the time over that in the whole."""
    short, long = (control.cheapest(*SWAP, T, 4, "attention").cost for T in (0.1, 1.0))
    return Evidence(short / long, 1.0)


CLAIMS = (
    Claim(
        "2.3",
        "The rank of the covariance never changes, so a Gaussian of another rank is "
        "reached by no weights in finite time.",
        PAPER,
        "from a line, along the running example, t = 1, by a flow that does not keep "
        "the rank; width over length.  Outside: with noise added in every layer",
        1e-7,
        "the root of rounding, since a width is the root of a variance",
        _other_rank,
        page="gaussians/rank",
    ),
    Claim(
        "2.4",
        "Every Gaussian whose covariance has the rank of the start is reached exactly, "
        "in any time.",
        PAPER,
        "eleven pairs at random, dimension 1 to 5, every rank, times 1 to e^-10, and "
        "two planes at right angles; one and the worst error of mean and covariance",
        1e-9,
        "three digits above the integrator's 1e-12",
        _same_rank,
        page="control/reachable",
    ),
    Claim(
        "2.8",
        "The covariance obeys the Riccati equation of a filter without process noise.",
        PAPER,
        "running example, limits of layer and filter, ratio of traces.  Outside: V = "
        "-diag(1, 0.4)",
        1e-9,
        "three digits above the integrator's 1e-12",
        _filter,
        "V is a multiple of the identity (and -v(B + B^T) has no negative eigenvalue)",
        page="control/neighbours",
    ),
    Claim(
        "2.18",
        "Attention alone, V = vI and a constant B, leads between Gaussians of full "
        "rank, along a straight line of precisions.",
        OURS,
        "reference pair, precision at half of the time over the mean of both",
        1e-9,
        "three digits above the integrator's 1e-12",
        _attention_alone,
        page="control/reachable",
    ),
    Claim(
        "2.19",
        "The straight path moves tokens least: its kinetic cost is the squared "
        "distance over the time.",
        "Benamou and Brenier 2000, known",
        "reference pair, T = 2, quadrature along the integrated moments, over W2^2 / 2",
        1e-9,
        "three digits above the 1e-12 of integrator and quadrature",
        _geodesic,
        page="control/steering",
    ),
    Claim(
        "2.20",
        "Of all feed-forward weights the constant symmetric ones cost least.",
        OURS,
        "diag(4, 1) to diag(1, 4), four pieces; ratio of costs.  Outside: reference "
        "pair without means",
        1e-6,
        "the square of the slope at which the solver stops, with a factor",
        _constant_is_cheapest,
        "A commutes with the covariance of the start",
        page="control/steering",
    ),
    Claim(
        "2.21",
        "The price of attention does not depend on the time in which it acts.",
        OURS,
        "diag(4, 1) to diag(1, 4), cheapest V and B in four pieces, T = 0.1 over T = 1",
        1e-5,
        "the square of the slope at which the solver stops, with a factor",
        _price_of_attention,
        page="control/steering",
    ),
)
