"""Checks of the page *At what cost?*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import control, gaussian
from tfdynlib.check._verdict import Case, Verdict, compare
from tfdynlib.gaussian import Gaussian


def midpoint(function: Callable) -> Verdict:
    """Exercise 4: is ``function(S0, S1, method)`` the covariance at half of the time?

    Tried with all three methods, in dimension 2 and 3, to 1e-8.
    """
    said = "three methods in two and three dimensions"
    return compare(function, _midpoint, _cases(), 1e-8, tried=said)


def _midpoint(S0: np.ndarray, S1: np.ndarray, method: str) -> np.ndarray:
    """By the weights themselves, along the integrated moments."""
    start, target = (Gaussian(np.zeros(len(S)), S) for S in (S0, S1))
    path = control.steer(start, target, 1.0, method)
    return gaussian.solve(path, start, np.array([0.0, 0.5])).cov[-1]


def _cases() -> list[Case]:
    pairs = [(np.array([[1, 0.3], [0.3, 0.6]]), np.array([[2, -0.5], [-0.5, 0.7]]))]
    rng = np.random.default_rng(7)
    L = rng.normal(size=(2, 3, 3)) + 2 * np.eye(3)
    pairs.append((L[0] @ L[0].T, L[1] @ L[1].T))
    return [
        Case(f"{method} in dimension {len(S0)}", (S0, S1, method))
        for S0, S1 in pairs
        for method in ("feedforward", "attention", "geodesic")
    ]
