"""Claims of the second paper on reachability, and on the price of weights; used by
``claims``.

Only the abstract of :cite:t:`alcalde2026gaussian` was read, so rows measure sentences
in summary; costs are the book's own.
"""

import numpy as np
from jaxtyping import Float

from tfdynlib import control, gaussian
from tfdynlib._ledger import Claim, Evidence
from tfdynlib.gaussian import Gaussian, Layer

PAPER = "Alcalde et al. 2026, in summary"
OURS = "derived in the book"
S0, S1 = np.array([[1, 0.3], [0.3, 0.6]]), np.array([[2, -0.5], [-0.5, 0.7]])
PAIR = Gaussian([0.5, -0.3], S0), Gaussian([-1, 2], S1)
CENTRED = Gaussian([0, 0], S0), Gaussian([0, 0], S1)
SWAP = Gaussian([0, 0], np.diag([4, 1.0])), Gaussian([0, 0], np.diag([1, 4.0]))
A, B = np.array([[0.4, 0.3], [-0.2, 0.6]]), np.array([[1, 0.5], [-0.3, 0.8]])


def _random(d: int, r: int, rng: np.random.Generator) -> Gaussian:
    """Axes of length about one in directions drawn by rng."""
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0][:, :r]
    return Gaussian.from_factor(rng.normal(size=d), Q * np.exp(rng.normal(size=r) / 2))


def _width(start: Gaussian, target: Gaussian, method: str, T: float) -> float:
    """One, but for the worst relative error of a width at the end."""
    path = control.steer(start, target, T, method)
    return 1 + control.verify(path, start, target).stretch


def _same_rank(rng: np.random.Generator) -> Evidence:
    cases = [(d, r) for d in (1, 2, 3, 5) for r in range(1, d + 1)]
    found = max(
        _width(_random(d, r, rng), _random(d, r, rng), "feedforward", np.exp(-k))
        for k, (d, r) in enumerate(cases)
    )
    return Evidence(found, 1.0)


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
    mean = (np.linalg.inv(S0) + np.linalg.inv(S1)) / 2
    found = np.linalg.solve(mean, np.linalg.inv(run.cov[1]))
    return Evidence(float(np.trace(found)) / 2, 1.0)


def _geodesic(rng: np.random.Generator) -> Evidence:
    path = control.steer(*PAIR, 1.0, "geodesic")
    return Evidence(control.kinetic_cost(path, PAIR[0]), 8.0181335660)


def _free_mean(rng: np.random.Generator) -> Evidence:
    """Share of the way that the mean has gone, for a goal drawn by rng."""
    goal = 10 * rng.normal(size=2)
    way, parts = goal - PAIR[0].mean, []
    for method in ("feedforward", "attention", "geodesic"):
        path = control.steer(PAIR[0], Gaussian(goal, S1), 1.0, method)
        end = control.verify(path, PAIR[0], Gaussian(goal, S1)).moments.end
        parts.append(float((end.mean - PAIR[0].mean) @ way / (way @ way)))
    return Evidence(max(parts, key=lambda part: abs(part - 1)), 1.0)


def _two_factors(rng: np.random.Generator) -> Evidence:
    """Between ranges at right angles, where the turn is furthest."""
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    start = Gaussian.from_factor(np.zeros(4), Q[:, :2])
    target = Gaussian.from_factor(np.ones(4), Q[:, 2:] * [1.0, 3.0])
    return Evidence(_width(start, target, "feedforward", 1.0), 1.0)


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
        "2.17",
        "Every Gaussian whose covariance has the rank of the start is reached exactly, "
        "in any time.",
        PAPER,
        "eleven pairs at random, dimension 1 to 5, every rank, times 1 to e^-10; width "
        "of the end over that of the target, worst direction",
        1e-9,
        "three digits above the integrator's 1e-12",
        _same_rank,
    ),
    Claim(
        "2.18",
        "A Gaussian of another rank is reached by no weights in finite time.",
        PAPER,
        "from a line, along the running example, t = 1, by a flow that does not keep "
        "the rank; width over length.  Outside: with noise added in every layer",
        1e-7,
        "the root of rounding, since a width is the root of a variance",
        _other_rank,
    ),
    Claim(
        "2.19",
        "Attention alone, V = vI and a constant B, leads between Gaussians of full "
        "rank, along a straight line of precisions.",
        OURS,
        "reference pair, precision at half of the time over the mean of both",
        1e-9,
        "three digits above the integrator's 1e-12",
        _attention_alone,
    ),
    Claim(
        "2.20",
        "The straight path moves tokens least: its kinetic cost is the squared "
        "distance over the time.",
        "Benamou and Brenier 2000, known",
        "reference pair, T = 1, quadrature along the integrated moments",
        1e-8,
        "printed digits",
        _geodesic,
    ),
    Claim(
        "2.21",
        "The mean is free: b brings it anywhere, whatever the covariance does.",
        PAPER,
        "three methods, a goal at random; share of the way",
        1e-9,
        "three digits above the integrator's 1e-12",
        _free_mean,
    ),
    Claim(
        "2.22",
        "A stretch and then a turn suffice, also where no single constant A does.",
        OURS,
        "two planes at right angles in R^4; width of the end over that of the target",
        1e-9,
        "three digits above the integrator's 1e-12",
        _two_factors,
    ),
    Claim(
        "2.23",
        "The covariance obeys the Riccati equation of a filter without process noise.",
        PAPER,
        "running example, limits of layer and filter, ratio of traces",
        1e-9,
        "three digits above the integrator's 1e-12",
        _filter,
        "V is a multiple of the identity (and -v(B + B^T) has no negative eigenvalue)",
    ),
    Claim(
        "2.24",
        "Of all feed-forward weights the constant symmetric ones cost least.",
        OURS,
        "diag(4, 1) to diag(1, 4), four pieces; ratio of costs",
        1e-6,
        "the square of the slope at which the solver stops, with a factor",
        _constant_is_cheapest,
        "A commutes with the covariance of the start",
    ),
    Claim(
        "2.25",
        "The price of attention does not depend on the time in which it acts.",
        OURS,
        "diag(4, 1) to diag(1, 4), cheapest V and B in four pieces, T = 0.1 over T = 1",
        1e-5,
        "the square of the slope at which the solver stops, with a factor",
        _price_of_attention,
    ),
)
