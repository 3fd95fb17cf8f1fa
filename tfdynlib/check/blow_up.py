"""Checks of the page *Infinity in finite depth*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib._check import shown
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, yes

RTOL = 1e-9


def wall(function: Callable) -> Verdict:
    """Exercise 4: is ``function(v, B, cov)`` the time of the wall, inf without one?

    For A = 0 and V = v I; some of the layers have no wall.
    """
    cases = _layers()
    for case in cases:
        expected = _wall(*case.arguments)
        value, complaint = call(function, case)
        if complaint:
            return not_yet(complaint)
        try:
            got = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return not_yet(f"on {case.name} expected one number, got {shown(value)}.")
        if np.isinf(expected) and got != np.inf:
            return not_yet(f"on {case.name} there is no wall; got {got:.6g}.")
        if np.isfinite(expected) and not abs(got - expected) <= RTOL * expected:
            return not_yet(f"on {case.name} expected {expected:.9g}, got {got:.9g}.")
    return yes(f"tried on {len(cases)} layers, some of them without a wall.")


def _wall(v: float, B: np.ndarray, cov: np.ndarray) -> float:
    """From the eigenvalues of cov (B + B^T), which are those of the theorem."""
    top = np.linalg.eigvals(v * cov @ (B + B.T)).real.max()
    return float(1 / top) if top > 0 else np.inf


def _layers() -> list[Case]:
    cases = []
    for k, d in enumerate((1, 2, 2, 3, 4)):
        rng = np.random.default_rng([d, k])
        B, G = rng.normal(size=(2, d, d))
        cov, safe = G @ G.T + 0.1 * np.eye(d), B @ B.T + 0.1 * np.eye(d)
        cases += [
            Case(f"a layer with d = {d} and v = 0.7", (0.7, safe + B - B.T, cov)),
            Case(f"a layer with d = {d} and v = -0.7", (-0.7, safe, cov)),
            Case(f"another layer with d = {d} and v = -0.7", (-0.7, B, cov)),
        ]
    return cases
