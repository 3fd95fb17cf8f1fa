"""Checks of the page *Balance, and where the mean goes*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib._check import shown
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, yes
from tfdynlib.gaussian import Layer

A = np.array([[0.4, 0.3], [-0.2, 0.6]])
B = np.array([[1.0, 0.5], [-0.3, 0.8]])


def is_equilibrium(function: Callable) -> Verdict:
    """Exercise 3: does ``function(layer, cov, tol)`` tell rest from motion?

    Tried at rest, near it on both sides of the tolerance, and far from it.
    """
    cases = _clouds()
    for case, expected in cases:
        value, complaint = call(function, case)
        if complaint:
            return not_yet(complaint)
        if not isinstance(value, bool | np.bool_):
            return not_yet(
                f"on {case.name} expected true or false, got {shown(value)}."
            )
        if bool(value) != expected:
            state = "at rest" if expected else "not at rest"
            return not_yet(f"{case.name} is {state} up to {case.arguments[2]:g}.")
    return yes(f"tried on {len(cases)} clouds, at rest and in motion.")


def _clouds() -> list[tuple[Case, bool]]:
    """With V = -0.7 I the cloud of d1 at rest, by its linear equation."""
    d1 = Layer(A, B, -0.7 * np.eye(2))
    eye = np.eye(2)
    linear = np.kron(A.T, eye) + np.kron(eye, A.T)
    P = np.linalg.solve(linear, 0.7 * (B + B.T).ravel()).reshape(2, 2)
    rest = np.linalg.inv((P + P.T) / 2)
    swirl = Layer(np.array([[0.0, -1.0], [1.0, 0.0]]), np.zeros((2, 2)), eye)
    point = np.zeros((2, 2))
    return [
        (Case("the rest of d1", (d1, rest, 1e-9)), True),
        (Case("the identity under d1", (d1, eye, 1e-9)), False),
        (Case("a cloud near the rest of d1", (d1, rest + 1e-4 * eye, 1e-9)), False),
        (Case("a cloud near the rest of d1", (d1, rest + 1e-4 * eye, 1e-2)), True),
        (Case("a round cloud that turns", (swirl, eye, 1e-9)), True),
        (Case("a long cloud that turns", (swirl, np.diag([2.0, 1.0]), 1e-9)), False),
        (Case("a cloud that is one point", (d1, point, 1e-9)), True),
    ]
