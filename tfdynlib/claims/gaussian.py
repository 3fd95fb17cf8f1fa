"""Claims of the second paper on Gaussian tokens and their moments."""

from math import e

import numpy as np
from scipy.linalg import expm, solve_continuous_lyapunov
from scipy.special import ndtri

from tfdynlib import attention, flow, gaussian
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.gaussian_setup import (
    COV,
    I2,
    OURS,
    PAPER,
    SETTLES,
    START,
    SYSTEM,
    A,
    B,
    furthest,
    scalar,
)
from tfdynlib.gaussian import Gaussian
from tfdynlib.weights import Heads

REPETITIONS, TOKENS = 40, 20_000


def _mean_and_error(found: list[float], expected: float) -> Evidence:
    error = float(np.std(found, ddof=1) / len(found) ** 0.5)
    return Evidence(float(np.mean(found)), expected, standard_error=error)


def _closure(rng: np.random.Generator) -> Evidence:
    """First coordinate of the softmax mean for one query, against (m + Sigma B x)_1."""
    x, cloud = np.array([[0.6, -0.4]]), Gaussian([0.5, -0.3], COV)
    found = [
        attention.velocity(
            gaussian.sample(cloud, TOKENS, rng), Heads(B, I2), space="euclidean", at=x
        )[0, 0]
        for _ in range(REPETITIONS)
    ]
    return _mean_and_error(found, float((cloud.mean + COV @ B @ x[0])[0]))


def _mixture(rng: np.random.Generator) -> Evidence:
    """The softmax mean of a mixture for the query 1."""
    found, heads, at = [], Heads([[1.0]], [[1.0]]), np.ones((1, 1))
    for _ in range(REPETITIONS):
        side = rng.choice([-1.0, 1.0], TOKENS)
        y = (side + 0.5 * rng.standard_normal(TOKENS))[:, None]
        seen = attention.velocity(y, heads, space="euclidean", at=at)
        found.append(float(seen[0, 0]))
    return _mean_and_error(found, float(np.tanh(1) + 0.25))


def _relu(rng: np.random.Generator) -> Evidence:
    """W2 of quantiles that the ReLU moves to those of the Gaussian, over the bound.

    Both maps of the line are increasing, so equal quantiles belong together.
    """
    t, n = 0.01, 2000
    x = ndtri((np.arange(n) + 0.5) / n)[:, None]
    field = gaussian.relu_field([[1.0]], [0.0])
    moved = flow.solve(field, x, [0.0, t], space="euclidean").x[-1]
    found = np.sqrt(np.mean((moved - np.exp(t) * x) ** 2))
    bound = gaussian.relu_bound(Gaussian([0.0], [[1.0]]), [[1.0]], [0.0], [0.0, t])[1]
    return Evidence(float(found / bound), 1.0)


def _one_dimension(rng: np.random.Generator) -> Evidence:
    """Covariance and mean at t = 1 over their formulas; the one that is further off."""
    wide = gaussian.solve(*scalar(0.5, -1.0, 2.0), [0.0, 1.0], "ode")
    moved = gaussian.solve(*scalar(0.0, -1.0, 2.0, mean=1.0), [0.0, 1.0], "ode")
    ratios = [
        wide.cov[-1, 0, 0] / (2 * e / (1 + 4 * (e - 1))),
        moved.mean[-1, 0] / (e * 5**-0.5),
    ]
    return Evidence(furthest(ratios), 1.0)


def _precision(rng: np.random.Generator) -> Evidence:
    """Integrated covariance times the precision by formula, at t = 2."""
    t, push = 2.0, 0.7 * (B + B.T)
    limit = solve_continuous_lyapunov(A.T, push)
    decay = expm(-A * t)
    theory = limit + decay.T @ (np.linalg.inv(COV) - limit) @ decay
    run = gaussian.solve(SETTLES, START, [0.0, t], "ode")
    return Evidence(furthest(np.linalg.eigvals(theory @ run.cov[-1]).real), 1.0)


def _determinant(rng: np.random.Generator) -> Evidence:
    nodes, weights = np.polynomial.legendre.leggauss(24)
    t = np.concatenate([[0.0], nodes + 1, [2.0]])
    run = gaussian.solve(SETTLES, START, t, "ode")
    traces = [np.trace(SETTLES.jacobian(cov)) for cov in run.cov[1:-1]]
    gain = np.linalg.slogdet(run.cov[-1])[1] - np.linalg.slogdet(COV)[1]
    return Evidence(float(gain), 2 * float(weights @ traces))


CLAIMS = (
    Claim(
        "2.1",
        "The softmax mean over N(m, Sigma) is m + Sigma B x, affine in x: Gaussian "
        "tokens stay Gaussian.",
        PAPER,
        "one query, first coordinate, 40 samples of 20 000 tokens",
        4.0,
        "standard errors; what softmax of a sample is biased by is a twentieth of one",
        _closure,
        page="gaussians/closure",
    ),
    Claim(
        "2.2",
        "With a ReLU tokens stay near Gaussian for short times: W2 is the mass it cuts "
        "times t.",
        PAPER,
        "d = 1, from N(0, 1), t = 0.01, 2000 quantiles; W2 over the bound",
        0.01,
        "the next term is half of t, and the outermost quantiles lack 0.002",
        _relu,
        page="gaussians/relu",
    ),
    Claim(
        "2.10",
        "Mixtures of Gaussians do not stay: their softmax mean is not affine.",
        PAPER,
        "two bells at -1 and 1 of width 1/2: tanh x + x/4 at x = 1",
        4.0,
        "standard errors; what softmax of a sample is biased by is a twentieth of one",
        _mixture,
        page="gaussians/closure",
    ),
    Claim(
        "2.11",
        "In one dimension the equations of mean and covariance have a closed form.",
        SYSTEM,
        "covariance for a = 1/2, vk = -1, mean for a = 0, v = -k = 1; S = 2, t = 1",
        1e-10,
        "two digits above the integrator's 1e-12, for some dozens of steps",
        _one_dimension,
        page="gaussians/riccati",
    ),
    Claim(
        "2.12",
        "If V = vI, the inverse of the covariance obeys a linear equation.",
        OURS,
        "running example, t = 2; integrated covariance times the formula's inverse, "
        "worst direction",
        1e-10,
        "two digits above the integrator's 1e-12, for some dozens of steps",
        _precision,
        page="gaussians/riccati",
    ),
    Claim(
        "2.13",
        "The logarithm of the determinant grows by twice the integral of tr J.",
        OURS,
        "running example, to t = 2, 24 nodes of Gauss",
        1e-10,
        "two digits above the integrator's 1e-12, for some dozens of steps",
        _determinant,
        page="gaussians/rank",
    ),
)
