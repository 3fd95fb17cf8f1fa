"""Claims of the first paper on weights that never come to rest."""

import numpy as np

from tfdynlib import fits, sphere, weights
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.multihead_setup import CODE, OURS, PAPER, late_rate, symmetric

REPETITIONS = 8


def _law_length(rng: np.random.Generator) -> Evidence:
    law = weights.ornstein_uhlenbeck_law(np.diag([3.0, 1.0, 1.0]))
    return Evidence(law.length(), 3.5035425514)


def _slope_against_heads(rng: np.random.Generator) -> Evidence:
    """Exponent of H in the late rate, the mean of independent fits."""
    t, counts = np.linspace(0, 12, 121), (2, 8, 32)
    powers = []
    for _ in range(REPETITIONS):
        x = sphere.uniform(16, 3, rng)
        rates = [
            late_rate(
                weights.ornstein_uhlenbeck(symmetric(H, 3, rng), t, rng), x, t, "euler"
            )
            for H in counts
        ]
        powers.append(fits.power(counts, rates).slope)
    error = np.std(powers, ddof=1) / np.sqrt(REPETITIONS)
    return Evidence(float(np.mean(powers)), -1.0, standard_error=float(error))


def _oscillation_persists(rng: np.random.Generator) -> Evidence:
    """Late rate of many heads in units of that of one."""
    t, x = np.linspace(0, 14, 141), sphere.uniform(12, 3, rng)
    D0 = symmetric(3, 3, rng)

    def rate(H: int, phase: str) -> float:
        path = weights.oscillating(H, 3, D0[:H], phase)
        return late_rate(path, x, t, "rk4")

    one = rate(1, "spread")
    return Evidence(rate(3, "common") / one, 1.0, rate(3, "spread") / one)


def _ito_factor(rng: np.random.Generator) -> Evidence:
    """Variance of a score under the noise of one step, per half a unit of time."""
    heads, h, u = 4000, 0.01, 0.6
    x, y = np.array([1.0, 0, 0]), np.array([u, np.sqrt(1 - u**2), 0])
    D0 = np.tile(np.eye(3), (heads, 1, 1))
    path = weights.ornstein_uhlenbeck(D0, [0.0, h], rng, noise_var=1.0)
    score = np.einsum("i,hij,j->h", x, path(h).B - D0, y)
    return Evidence(float(np.var(score) / (h / 2)), 1 + u**2)


CLAIMS = (
    Claim(
        "1.9",
        "Ornstein-Uhlenbeck weights: the squared slope falls like 1/H.",
        CODE + ", README",
        "16 tokens on the sphere, t in [6, 12], H = 2, 8, 32, eight independent fits",
        3.5,
        "standard errors of the mean of eight fits: Student, 7 degrees, 99 %",
        _slope_against_heads,
        page="flows/experiments",
    ),
    Claim(
        "1.10",
        "Oscillating weights: the tokens never come to rest, whatever the number of "
        "heads.",
        CODE + ", README",
        "12 tokens on the sphere, t in [7, 14], three heads against one",
        0.5,
        "clouds of other weights agree in size only",
        _oscillation_persists,
        "there are one or two heads, or all have a common phase",
        page="flows/layers_that_change",
    ),
    Claim(
        "1.14",
        "The law of Ornstein-Uhlenbeck weights has finite length for all time.",
        PAPER,
        "W2, d = 3, from the distance 2 of the mean",
        1e-9,
        "printed digits",
        _law_length,
        page="flows/layers_that_change",
    ),
    Claim(
        "1.24",
        "The noise of symmetric weights moves the score of x for y by (1 + <x, "
        "y>^2) dt / 2 in the square.",
        OURS,
        "4000 independent heads, a step of 0.01, <x, y> = 0.6",
        0.14,
        "four standard errors of a variance, root of 2/4000 each, and the drift "
        "of one step, 0.01 of it",
        _ito_factor,
        page="flows/balance",
    ),
)
