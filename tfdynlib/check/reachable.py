"""Checks of the page *Which clouds can weights reach?*."""

from __future__ import annotations

import numpy as np

from tfdynlib import gaussian
from tfdynlib.check._verdict import Verdict, not_yet, numbers, yes
from tfdynlib.gaussian import Gaussian, Layer

# What the end may miss, in the largest entry: printed digits.
MISSED = 1e-6
# Larger weights are no answer of this size, and slow to integrate.
LARGEST = 100.0


def two_stages(pair: object) -> Verdict:
    """Exercise 4: do (A1, A2), half a time each, take e1 e1^T into a a^T?"""
    A, complaint = _pair(pair)
    if complaint:
        return not_yet(complaint)
    goal = 2 * np.array([0.5, np.sqrt(0.75)])
    end = _end(A, Gaussian(np.zeros(2), np.diag([1.0, 0.0])))
    gap = float(np.abs(end.cov - np.outer(goal, goal)).max())
    if gap > MISSED:
        return not_yet(f"the covariance at the end is off by {gap:.3g}.")
    return yes(f"the end is off by {gap:.0e}, and its rank is {end.rank}.")


def no_logarithm(pair: object) -> Verdict:
    """Exercise 5: is the map of (A1, A2), half a time each, diag(-1, -2)?

    The map is read off from where the columns of I, as two lines, are taken.
    """
    A, complaint = _pair(pair)
    if complaint:
        return not_yet(complaint)
    G = np.stack([_moved(A, e) for e in np.eye(2)], axis=1)
    gap = float(np.abs(G - np.diag([-1.0, -2.0])).max())
    if gap > MISSED:
        rows = "; ".join(" ".join(f"{x:.4f}" for x in row) for row in G)
        return not_yet(f"the map is ({rows}), off by {gap:.3g}.")
    return yes(f"the map is diag(-1, -2), up to {gap:.0e}.")


def _pair(pair: object) -> tuple[np.ndarray, str]:
    A, complaint = numbers(pair, (2, 2, 2))
    if not complaint and np.abs(A).max() > LARGEST:
        complaint = f"no entry need be larger than {LARGEST:g}."
    return A, complaint


def _path(A: np.ndarray) -> gaussian.LayerPath:
    none = np.zeros((2, 2))
    return gaussian.piecewise([Layer(M, none, none) for M in A], [0.0, 0.5, 1.0])


def _end(A: np.ndarray, start: Gaussian) -> Gaussian:
    return gaussian.solve(_path(A), start, np.array([0.0, 1.0])).end


def _moved(A: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Where a single token goes."""
    return _end(A, Gaussian(point, np.zeros((2, 2)))).mean
