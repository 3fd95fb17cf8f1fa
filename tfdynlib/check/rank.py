"""Checks of the page *What no weights can change*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib.check._verdict import Case, Verdict, call, compare, not_yet, numbers, yes
from tfdynlib.gaussian import Layer

STEPS = 1000


def rank_preserving_step(function: Callable) -> Verdict:
    """Exercise 4: is ``function(L, layer, dt)`` a Runge–Kutta step of the factor?

    Single steps are compared; then a line makes a thousand of them.
    """
    cases = _layers()
    verdict = compare(function, _step, cases, 1e-11, 1e-13)
    if not verdict:
        return verdict
    L, layer, dt = cases[0].arguments
    for k in range(STEPS):
        value, complaint = call(function, Case(f"step {k + 1}", (L, layer, dt)))
        L, wrong = numbers(value, L.shape)
        if complaint or wrong:
            return not_yet(complaint or f"on step {k + 1} {wrong}")
    rank = np.linalg.matrix_rank(L @ L.T, tol=1e-12)
    if rank != 1:
        return not_yet(f"after {STEPS} steps the line has rank {rank}.")
    return yes(f"the steps are right, and after {STEPS} of them the rank is 1.")


def _step(L: np.ndarray, layer: Layer, dt: float) -> np.ndarray:
    slopes, at = [], L
    for weight in (0.5, 0.5, 1.0, 0.0):
        slopes.append(layer.jacobian(at @ at.T) @ at)
        at = L + weight * dt * slopes[-1]
    return L + dt * np.tensordot([1 / 6, 1 / 3, 1 / 3, 1 / 6], slopes, 1)


def _layers() -> list[Case]:
    A = np.array([[0.4, 0.3], [-0.2, 0.6]])
    B = np.array([[1.0, 0.5], [-0.3, 0.8]])
    d1 = Layer(A, B, -0.7 * np.eye(2))
    cases = [Case("a line in d1", (np.ones((2, 1)), d1, 0.01))]
    for d, r in ((2, 2), (3, 1), (4, 3)):
        rng = np.random.default_rng([d, r])
        A, B, V = rng.normal(size=(3, d, d)) / 2
        case = (rng.normal(size=(d, r)), Layer(A, B, V), 0.05)
        cases.append(Case(f"rank {r} in {d} dimensions", case))
    return cases
