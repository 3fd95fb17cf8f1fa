"""Checks of the page *Where everything goes*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import sphere
from tfdynlib.check._verdict import Case, Verdict, compare


def project_to_dominant(function: Callable) -> Verdict:
    """Exercise 4: is ``function(x, M, tol)`` the projection on the dominant space?

    M is symmetric with a simple, a double and an almost double top eigenvalue.
    """
    spectra = {
        "a simple top eigenvalue": [2.0, 1, 0.5, -3],
        "a double one": [1.5, 1.5, 0.2, -1],
        "one that is double within tol": [1.0, 1 - 1e-9, 0.9, 0],
        "negative eigenvalues only": [-1.0, -2, -2, -3],
    }
    cases = []
    for seed, (name, values) in enumerate(spectra.items()):
        rng = np.random.default_rng([6, seed])
        Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        M = (Q * values) @ Q.T
        x = sphere.uniform(7, 4, rng)
        cases.append(Case(f"a matrix with {name}", (x, (M + M.T) / 2, 1e-6)))
    return compare(function, _project, cases, rtol=1e-7, atol=1e-7)


def _project(x: np.ndarray, M: np.ndarray, tol: float) -> np.ndarray:
    """By taking away the components outside, instead of a basis of the inside."""
    values, Q = np.linalg.eigh(M)
    for value, q in zip(values, Q.T, strict=True):
        if value < values[-1] - tol:
            x = x - np.outer(x @ q, q)
    return sphere.retract(x)
