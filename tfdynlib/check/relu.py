"""Checks of the page *A kink, for a short while*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from tfdynlib.check._verdict import Case, Verdict, compare


def relu_gap(function: Callable) -> Verdict:
    """Exercise 4: is ``function(mean, cov, A, c)`` the mean of |(Ay + c)^-|^2?

    Tried in one to three dimensions, and with a row that has no variance.
    """
    return compare(function, _gap, _layers(), 1e-10, 1e-12)


def _gap(mean: np.ndarray, cov: np.ndarray, A: np.ndarray, c: np.ndarray) -> float:
    total = 0.0
    for row, offset in zip(A, c):
        m, s = float(row @ mean + offset), float(np.sqrt(max(row @ cov @ row, 0)))
        if s == 0:
            total += min(m, 0.0) ** 2
            continue
        bell = np.exp(-((m / s) ** 2) / 2) / np.sqrt(2 * np.pi)
        total += (m * m + s * s) * float(ndtr(-m / s)) - m * s * float(bell)
    return total


def _layers() -> list[Case]:
    cases = []
    for d in (1, 2, 3):
        rng = np.random.default_rng(d)
        G, A = rng.normal(size=(2, d, d))
        mean, c = rng.normal(size=(2, d))
        cases.append(Case(f"d = {d}", (mean, G @ G.T, A, c)))
    flat = np.array([[1.0, 0.0], [0.0, 0.0]])
    still = (np.array([0.5, 0.2]), np.eye(2), flat, np.array([0.0, -2.0]))
    return [*cases, Case("a row of zeros", still)]
