"""Claims of the second paper on the asymptotics of Gaussian tokens; for ``claims``."""

import numpy as np

from tfdynlib import attention, flow, gaussian
from tfdynlib._ledger import Claim, Evidence
from tfdynlib.gaussian import Gaussian, Layer
from tfdynlib.weights import Heads

PAPER = ":cite:t:`alcalde2026gaussian`"
BOOK = "derived in the book; " + PAPER
I2, O2 = np.eye(2), np.zeros((2, 2))
A = np.array([[0.4, 0.3], [-0.2, 0.6]])
B = np.array([[1.0, 0.5], [-0.3, 0.8]])
COV = np.array([[1.0, 0.3], [0.3, 0.6]])
V2, B2 = np.diag([1.0, 0.5]), np.array([[1.2, 0.3], [0.3, 0.8]])
SETTLES = Layer(A, B, -0.7 * I2)
ZERO = np.zeros(2)
SIZES = 40, 20_000


def _seen(rng: np.random.Generator, turned: bool) -> Evidence:
    """First coordinate of the softmax mean for one query, against (Sigma B x)_1."""
    x = np.array([[0.6, -0.4]])
    means = [
        attention.velocity(
            gaussian.sample(Gaussian(ZERO, COV), SIZES[1], rng),
            Heads(B, I2),
            space="euclidean",
            at=x,
        )[0, 0]
        for _ in range(SIZES[0])
    ]
    right, wrong = (float((COV @ M @ x[0])[0]) for M in (B, B.T))
    error = float(np.std(means, ddof=1) / SIZES[0] ** 0.5)
    found = float(np.mean(means))
    if turned:  # how far the wrong transpose is from what was measured
        return Evidence(found - wrong, right - wrong, None, error)
    return Evidence(found, right, None, error)


def _closure(rng: np.random.Generator) -> Evidence:
    return _seen(rng, False)


def _transpose(rng: np.random.Generator) -> Evidence:
    return _seen(rng, True)


def _rank(rng: np.random.Generator) -> Evidence:
    L = rng.standard_normal((5, 2))
    M = 0.4 * rng.standard_normal((3, 5, 5))
    run = gaussian.solve(Layer(*M), Gaussian.from_factor(np.zeros(5), L), [0.0, 0.05])
    return Evidence(float(np.linalg.matrix_rank(run.cov[-1], 1e-10)), 2.0)


def _determinant(rng: np.random.Generator) -> Evidence:
    t = np.linspace(0, 2, 401)
    run = gaussian.solve(SETTLES, Gaussian(ZERO, COV), t, "ode")
    trace = np.array([np.trace(SETTLES.jacobian(c)) for c in run.cov])
    weight = np.full(401, 2.0)
    weight[1::2], weight[[0, -1]] = 4.0, 1.0
    gain = np.linalg.slogdet(run.cov[-1])[1] - np.linalg.slogdet(COV)[1]
    return Evidence(float(gain), 2 * float(weight @ trace) * 0.005 / 3)


def _scalar(a: float, k: float, start: float) -> tuple[Layer, Gaussian]:
    return Layer([[a]], [[k]], [[1.0]]), Gaussian([0.0], [[start]])


def _one_dimension(rng: np.random.Generator) -> Evidence:
    run = gaussian.solve(*_scalar(0.5, -1.0, 2.0), [0.0, 1.0], "ode")
    return Evidence(float(run.cov[-1, 0, 0]), 2 * np.e / (1 + 4 * (np.e - 1)))


def _wall(a: float, expected: float) -> Evidence:
    run = gaussian.solve(*_scalar(a, 1.0, 2.0), [0.0, 1.0], "ode")
    return Evidence(run.blow_up_time, expected)


def _wall_expanding(rng: np.random.Generator) -> Evidence:
    return _wall(0.5, float(np.log(1.25)))


def _wall_still(rng: np.random.Generator) -> Evidence:
    return _wall(0.0, 0.25)


def _wall_contracting(rng: np.random.Generator) -> Evidence:
    return _wall(-0.5, float(-np.log(0.75)))


def _bounded(rng: np.random.Generator) -> Evidence:
    """Largest tr(V^-1 Sigma) over its bound, along runs from three starts."""
    layer, used = Layer(A, -B2, V2), []
    for cov in (COV, 9 * I2, 0.01 * I2):
        run = gaussian.solve(layer, Gaussian(ZERO, cov), np.linspace(0, 10, 101))
        y = np.trace(np.linalg.inv(V2) @ run.cov, axis1=1, axis2=2)
        bound = gaussian.regime(layer, cov).certificate.bounds["y below"]
        used.append(float(y.max()) / bound)
    return Evidence(max(used), 1.0)


def _least(A: np.ndarray) -> float:
    """Least eigenvalue at t = 1000, opposite signs, V = I, over that at t = 500."""
    t = [0.0, 500.0, 1000.0]
    run = gaussian.solve(Layer(A, -B2, I2), Gaussian(ZERO, COV), t)
    return float(np.linalg.eigvalsh(run.cov[2])[0] / np.linalg.eigvalsh(run.cov[1])[0])


def _positive_limit(rng: np.random.Generator) -> Evidence:
    return Evidence(_least(A), 1.0, _least(O2))


def _approach(rng: np.random.Generator) -> Evidence:
    """Exponential rate between t = 4 and 24 of the distance from the limit."""
    limit = gaussian.equilibrium(SETTLES).cov
    run = gaussian.solve(SETTLES, Gaussian(ZERO, COV), [0.0, 4.0, 24.0])
    early, late = (np.linalg.norm(c - limit) for c in run.cov[1:])
    return Evidence(float(np.log(early / late) / 20), 1.0)


def _end_of_mean(sign: float) -> float:
    """Distance of the mean at t = 40 from (1, -2), for which b was chosen; the signs of
    V and B are both turned by ``sign``."""
    twin = Layer(A, sign * B, -0.7 * sign * I2)
    b = gaussian.equilibrium(twin).bias([1.0, -2.0])
    layer = Layer(A, twin.B, twin.V, b)
    run = gaussian.solve(layer, Gaussian(ZERO, COV), [0.0, 40.0])
    return float(np.linalg.norm(run.mean[-1] - [1.0, -2.0]))


def _matched_mean(rng: np.random.Generator) -> Evidence:
    return Evidence(_end_of_mean(1.0), 0.0, _end_of_mean(-1.0))


def _between(rng: np.random.Generator) -> Evidence:
    """How much of the room between the bounds the blow-up uses, over ten layers."""
    used = []
    for _ in range(10):
        S, K, L = rng.standard_normal((3, 2, 2))
        layer = Layer(O2, K @ K.T + 0.1 * I2, S @ S.T + 0.1 * I2)
        low, high = gaussian.blow_up_bounds(layer, L @ L.T)
        t = gaussian.blow_up_time(layer, L @ L.T)
        used.append(max(low / t, t / high))
    return Evidence(max(used), 1.0)


def _relu(rng: np.random.Generator) -> Evidence:
    """W2 to the Gaussian over its bound: exact, (e^t - 1)/sqrt 2, at t = 0.01."""
    t = 0.01
    bound = gaussian.relu_bound(Gaussian([0.0], [[1.0]]), [[1.0]], [0.0], [0.0, t])[1]
    return Evidence(float(np.expm1(t) / 2**0.5 / bound), 1.0)


def _mixture(rng: np.random.Generator) -> Evidence:
    """Bend of the softmax mean of a mixture at x = 1: tanh 1 + 1/4."""
    found = []
    for _ in range(SIZES[0]):
        side = rng.choice([-1.0, 1.0], SIZES[1])
        y = (side + 0.5 * rng.standard_normal(SIZES[1]))[:, None]
        heads = Heads([[1.0]], [[1.0]])
        at = np.ones((1, 1))
        seen = attention.velocity(y, heads, space="euclidean", at=at)
        found.append(float(seen[0, 0]))
    error = float(np.std(found, ddof=1) / SIZES[0] ** 0.5)
    return Evidence(float(np.mean(found)), float(np.tanh(1) + 0.25), None, error)


def _tokens(rng: np.random.Generator) -> Evidence:
    """Growth of the largest norm of 200 tokens past the blow-up, over e^{|V| t}."""
    layer, g = _scalar(0.0, 1.0, 1.0)
    x = gaussian.sample(g, 200, rng)
    run = flow.solve(gaussian.particles(layer), x, [0.0, 0.7])
    return Evidence(float(np.abs(run.x[-1]).max() / np.abs(x).max() / np.exp(0.7)), 1.0)


ROWS = (
    (
        "The softmax mean over N(m, Sigma) is m + Sigma B x.",
        PAPER,
        "one query, first coordinate, 40 samples of 20 000 tokens",
        4.0,
        "four standard errors",
        _closure,
        "",
        False,
    ),
    (
        "The score is <Bx, y>: with the transpose of B the mean is another.",
        PAPER,
        "the same, measured from the mean that the transpose would give",
        4.0,
        "four standard errors",
        _transpose,
        "",
        False,
    ),
    (
        "The rank of the covariance never changes.",
        PAPER,
        "rank 2 in five dimensions, a random layer, to t = 0.05",
        0.0,
        "a rank is an integer",
        _rank,
        "",
        False,
    ),
    (
        "The logarithm of the determinant grows by twice the integral of tr J.",
        BOOK,
        "d = 2, V = -0.7 I, to t = 2, Simpson's rule",
        1e-10,
        "error of Simpson's rule with steps of 0.005",
        _determinant,
        "",
        False,
    ),
    (
        "One dimension has a closed form.",
        BOOK,
        "a = 1/2, vk = -1, S = 2, t = 1",
        1e-10,
        "tolerance of the integrator over some dozens of steps",
        _one_dimension,
        "",
        False,
    ),
    (
        "Equal signs of V and B: blow-up in finite time (A expands).",
        PAPER,
        "d = 1, a = 1/2, vk = 1, S = 2: t* = ln 1.25",
        1e-10,
        "the time is found to 1e-11 of it",
        _wall_expanding,
        "",
        False,
    ),
    (
        "Equal signs of V and B: blow-up in finite time (A = 0).",
        PAPER,
        "d = 1, vk = 1, S = 2: t* = 1/4",
        1e-10,
        "the time is found to 1e-11 of it",
        _wall_still,
        "",
        False,
    ),
    (
        "Equal signs of V and B: blow-up in finite time (A contracts).",
        PAPER,
        "d = 1, a = -1/2, vk = 1, S = 2, above the threshold: t* = -ln 0.75",
        1e-10,
        "the time is found to 1e-11 of it",
        _wall_contracting,
        "",
        False,
    ),
    (
        "Opposite signs of V and B keep the covariance bounded.",
        PAPER,
        "V positive, B negative definite, three starts, to t = 10, over the bound",
        1e-9,
        "tolerance of the integrator",
        _bounded,
        "",
        True,
    ),
    (
        "Opposite signs: the covariance goes to a positive definite equilibrium.",
        PAPER,
        "V = I, B negative definite: least eigenvalue at t = 1000 over that at "
        "t = 500; outside, A = 0",
        1e-9,
        "what is left at t = 500 is e^-500",
        _positive_limit,
        "A is expansive",
        False,
    ),
    (
        "The equilibrium is reached at the rate 2 min Re spec(A).",
        BOOK,
        "d = 2, V = -0.7 I, between t = 4 and 24",
        0.1,
        "a slow rotation rides on it: a factor e^2 over 20 units of time",
        _approach,
        "",
        False,
    ),
    (
        "A bias brings the mean to a given target.",
        PAPER,
        "d = 2, V = -0.7 I, target (1, -2), t = 40; outside, both signs turned",
        1e-9,
        "e^-28 of the start is left",
        _matched_mean,
        "V + J is stable",
        False,
    ),
    (
        "With A = 0 the blow-up lies between two bounds.",
        BOOK,
        "ten random positive definite V, B in d = 2",
        1e-9,
        "the time is found to 1e-11 of it",
        _between,
        "",
        True,
    ),
    (
        "For short times a ReLU moves the law from the Gaussian by the mass it cuts.",
        PAPER,
        "d = 1, N(0, 1), t = 0.01: W2 over the bound",
        0.01,
        "the next term is half of t",
        _relu,
        "",
        False,
    ),
    (
        "Mixtures of Gaussians do not stay: their softmax mean is not affine.",
        PAPER,
        "two bells at -1 and 1 of width 1/2: tanh x + x/4 at x = 1",
        4.0,
        "four standard errors",
        _mixture,
        "",
        False,
    ),
    (
        "A finite number of tokens does not blow up.",
        BOOK,
        "200 tokens past the blow-up of their Gaussian: largest norm over e^{|V| t}",
        1e-6,
        "tolerance of the integrator",
        _tokens,
        "",
        True,
    ),
)

CLAIMS = tuple(
    Claim(f"2.{k + 1}", text, source, where, tol, why, measure, only_if, at_most)
    for k, (text, source, where, tol, why, measure, only_if, at_most) in enumerate(ROWS)
)
