"""Checks of the page *Why a bell stays a bell*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib.check._verdict import Case, Verdict, compare


def attend_gaussian(function: Callable) -> Verdict:
    """Exercise 5: is ``function(x, mean, cov, B)`` the softmax mean of a Gaussian?

    x has shape (n, d); tried on full covariances and on one of rank one.
    """
    return compare(function, _attend, _clouds(), 1e-12)


def _attend(
    x: np.ndarray, mean: np.ndarray, cov: np.ndarray, B: np.ndarray
) -> np.ndarray:
    return np.einsum("ij,jk,nk->ni", cov, B, x) + mean


def _clouds() -> list[Case]:
    """Full rank in two and three dimensions, and a line in the plane."""
    cases = []
    for d, rank in ((2, 2), (3, 3), (2, 1)):
        rng = np.random.default_rng([d, rank])
        L, B = rng.normal(size=(d, rank)), rng.normal(size=(d, d))
        name = f"{d} dimensions, rank {rank}"
        x, mean = rng.normal(size=(4, d)), rng.normal(size=d)
        cases.append(Case(name, (x, mean, L @ L.T, B)))
    return cases
