"""Claims of the second paper on where Gaussian tokens end."""

import numpy as np
from jaxtyping import Float

from tfdynlib import flow, gaussian
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.gaussian_setup import (
    B2,
    COV,
    I2,
    O2,
    OURS,
    PAPER,
    SETTLES,
    START,
    V2,
    ZERO,
    A,
    B,
    furthest,
    scalar,
)
from tfdynlib.gaussian import Gaussian, Layer


def _least(A: Float[np.ndarray, "2 2"]) -> float:
    """Least eigenvalue at t = 1000, opposite signs, V = I, over that at t = 500."""
    t = [0.0, 500.0, 1000.0]
    run = gaussian.solve(Layer(A, -B2, I2), START, t)
    return float(np.linalg.eigvalsh(run.cov[2])[0] / np.linalg.eigvalsh(run.cov[1])[0])


def _positive_limit(rng: np.random.Generator) -> Evidence:
    return Evidence(_least(A), 1.0, _least(O2))


def _end_of_mean(sign: float) -> float:
    """Distance of the mean at t = 40 from (1, -2), for which b was chosen; the signs of
    V and B are both turned by ``sign``."""
    twin = Layer(A, sign * B, -0.7 * sign * I2)
    b = gaussian.equilibrium(twin).bias([1.0, -2.0])
    run = gaussian.solve(Layer(A, twin.B, twin.V, b), START, [0.0, 40.0])
    return float(np.linalg.norm(run.mean[-1] - [1.0, -2.0]))


def _matched_mean(rng: np.random.Generator) -> Evidence:
    return Evidence(_end_of_mean(1.0), 0.0, _end_of_mean(-1.0))


def _wall(a: float, cov: float) -> float:
    """When the covariance blows up, inf if not until t = 40; v = k = 1."""
    return gaussian.solve(*scalar(a, 1.0, cov), [0.0, 40.0], "ode").blow_up_time


def _equal_signs(rng: np.random.Generator) -> Evidence:
    """Time by formula over the time found; nothing if there is no blow-up."""
    times = {0.5: np.log(1.25), 0.0: 0.25, -0.5: -np.log(0.75)}
    inside = [time / _wall(a, 2.0) for a, time in times.items()]
    return Evidence(furthest(inside), 1.0, float(times[-0.5] / _wall(-0.5, 0.4)))


def _bounded(rng: np.random.Generator) -> Evidence:
    """Largest tr(V^-1 Sigma) over its bound, along runs from three starts."""
    layer, used = Layer(A, -B2, V2), []
    for cov in (COV, 9 * I2, 0.01 * I2):
        run = gaussian.solve(layer, Gaussian(ZERO, cov), np.linspace(0, 10, 101))
        y = np.trace(np.linalg.inv(V2) @ run.cov, axis1=1, axis2=2)
        bound = gaussian.regime(layer, cov).certificate.bounds["y below"]
        used.append(float(y.max()) / bound)
    return Evidence(max(used), 1.0)


def _approach(rng: np.random.Generator) -> Evidence:
    """Exponential rate between t = 4 and 24 of the distance from the limit."""
    limit = gaussian.equilibrium(SETTLES).cov
    run = gaussian.solve(SETTLES, START, [0.0, 4.0, 24.0])
    early, late = (np.linalg.norm(c - limit) for c in run.cov[1:])
    return Evidence(float(np.log(early / late) / 20), 1.0)


def _wall_in_the_plane(rng: np.random.Generator) -> Evidence:
    run = gaussian.solve(Layer(O2, B, 0.7 * I2), START, [0.0, 1.0], "ode")
    L = np.linalg.cholesky(COV)
    theory = 1 / (0.7 * np.linalg.eigvalsh(L.T @ (B + B.T) @ L)[-1])
    return Evidence(run.blow_up_time / float(theory), 1.0)


def _between(rng: np.random.Generator) -> Evidence:
    """How much of the room between the bounds the blow-up uses, at most."""
    cases = [(I2, I2, I2), (I2, I2, np.diag([1.0, 0.0]))]  # each attains a bound
    for _ in range(10):
        S, K, L = rng.standard_normal((3, 2, 2))
        cases.append((K @ K.T + 0.1 * I2, S @ S.T + 0.1 * I2, L @ L.T))
    used = []
    for M, N, cov in cases:
        low, high = gaussian.blow_up_bounds(Layer(O2, M, N), cov)
        t = gaussian.blow_up_time(Layer(O2, M, N), cov)
        used.append(max(low / t, t / high))
    return Evidence(max(used), 1.0)


def _tokens(rng: np.random.Generator) -> Evidence:
    """Growth of the largest norm of 200 tokens past the blow-up, over e^{|V| t}."""
    layer, g = scalar(0.0, 1.0, 1.0)
    x = gaussian.sample(g, 200, rng)
    run = flow.solve(gaussian.particles(layer), x, [0.0, 0.7])
    return Evidence(float(np.abs(run.x[-1]).max() / np.abs(x).max() / np.exp(0.7)), 1.0)


CLAIMS = (
    Claim(
        "2.5",
        "Opposite signs of V and B: the covariance goes to a positive definite "
        "equilibrium.",
        PAPER,
        "V = I, B negative definite; least eigenvalue at t = 1000 over that at "
        "t = 500.  Outside: A = 0",
        1e-9,
        "e^-500 is left at t = 500; rounding, with a factor for the closed form",
        _positive_limit,
        "A is expansive",
        page="gaussians/regimes",
    ),
    Claim(
        "2.6",
        "A constant bias brings the mean to a given target.",
        PAPER,
        "running example, target (1, -2), distance at t = 40.  Outside: the signs of V "
        "and of B turned, which leaves the covariance as it is",
        1e-9,
        "of the start e^-28 is left; three digits above the integrator's 1e-12",
        _matched_mean,
        "V + J is stable at the equilibrium",
        page="gaussians/equilibria",
    ),
    Claim(
        "2.7",
        "Equal signs of V and B: the covariance blows up in finite time.",
        PAPER,
        "d = 1, v = k = 1, a = 1/2, 0 and -1/2 from S = 2; time by formula over time "
        "found, worst.  Outside: a = -1/2 from S = 2/5",
        1e-10,
        "the time is found to 1e-11 of it",
        _equal_signs,
        "A does not contract, or the start is wide (d = 1: above |a|/(vk))",
        page="gaussians/blow_up",
    ),
    Claim(
        "2.9",
        "Opposite signs of V and B keep the covariance bounded.",
        PAPER,
        "V positive, B negative definite, three starts, to t = 10, over the bound; the "
        "widest begins on it",
        1e-9,
        "three digits above the integrator's 1e-12",
        _bounded,
        at_most=True,
        page="gaussians/regimes",
    ),
    Claim(
        "2.14",
        "The equilibrium is reached at the rate 2 min Re spec(A).",
        OURS,
        "running example, between t = 4 and 24",
        0.1,
        "a slow rotation rides on it: a factor e^2 over 20 units of time",
        _approach,
        page="gaussians/equilibria",
    ),
    Claim(
        "2.15",
        "With A = 0 and V = vI the blow-up is when v t times the largest eigenvalue of "
        "B + B^T, measured by the covariance, is one.",
        OURS,
        "running example with V = 0.7 I, A = 0; time found over the formula",
        1e-10,
        "the time is found to 1e-11 of it",
        _wall_in_the_plane,
        page="gaussians/blow_up",
    ),
    Claim(
        "2.16",
        "With A = 0 and definite V, B of equal signs the blow-up lies between two "
        "bounds.",
        OURS,
        "ten positive definite pairs at random in d = 2, and two that attain a bound: "
        "all round, all on a line",
        1e-9,
        "the time is found to 1e-11 of it, the covariances have conditions to 1e2",
        _between,
        at_most=True,
        page="gaussians/blow_up",
    ),
    Claim(
        "2.17",
        "A finite number of tokens does not blow up: norms stay below e^{|V| t}.",
        OURS,
        "200 tokens past the blow-up of their Gaussian: growth of the largest norm "
        "over the bound",
        1e-6,
        "tolerance of the integrator",
        _tokens,
        at_most=True,
        page="gaussians/blow_up",
    ),
)
