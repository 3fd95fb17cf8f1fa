"""Checks of the page *The landscape of attention*."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np

from tfdynlib import sphere
from tfdynlib.check._verdict import Case, Verdict, compare


def interaction_moments(function: Callable) -> Verdict:
    """Exercise 3: is ``function(x, beta, kmax)`` the energy by moments up to kmax?

    x has shape (n, d), equal masses, B = I.  With kmax = 20 and beta up to 2 the sum is
    the energy itself to nine decimals; the short sums show that kmax is heard.
    """
    # The terms are positive and below 10, so sums in any order agree to 1e-12.
    return compare(function, _moments, _clouds(), tried="five clouds")


def _moments(x: np.ndarray, beta: float, kmax: int) -> float:
    """By Horner's rule for the truncated exponential of every score."""
    score = beta * x @ x.T
    terms = np.array([1 / factorial(k) for k in range(kmax + 1)])
    return float(np.mean(np.polynomial.polynomial.polyval(score, terms)) / (2 * beta))


def _clouds() -> list[Case]:
    """Clouds of several sizes and dimensions, with long sums and with short ones."""
    sizes = (
        (1, 2, 1.0, 20),
        (7, 3, 2.0, 20),
        (30, 5, 0.5, 20),
        (5, 3, 2.0, 0),
        (9, 4, 1.5, 3),
    )
    return [
        Case(
            f"{n} tokens in dimension {d}, beta = {beta:g}, kmax = {kmax}",
            (sphere.uniform(n, d, np.random.default_rng([n, d])), beta, kmax),
        )
        for n, d, beta, kmax in sizes
    ]
