"""Checks of the page *Old friends: Kalman, Bucy, Riccati*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import control, gaussian
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, numbers, yes
from tfdynlib.gaussian import Gaussian, Layer

# Relative difference of the covariances at t = 3: the integrator, with some digits.
MISSED = 1e-8
SPIN = np.array([[0.0, 1.0], [-1.0, 0.0]])
LAYERS = {
    "a": (-np.eye(2), np.eye(2)),
    "b": (np.eye(2), np.eye(2)),
    "c": (-np.eye(2), SPIN),
    "d": (np.diag([-1.0, -2.0]), np.eye(2)),
}


def layer_of_filter(function: Callable) -> Verdict:
    """Exercise 2: does ``function(A, C, R, v)`` return (A, B, V) with V = vI whose
    covariance is that of the filter at t = 3, and B symmetric?"""
    for case in _cases():
        A, C, R, v = case.arguments
        value, complaint = call(function, case)
        if complaint:
            return not_yet(complaint)
        if not isinstance(value, tuple | list) or len(value) != 3:
            return not_yet("return three matrices, A, B and V.")
        parts = []
        for name, matrix in zip("ABV", value):
            M, complaint = numbers(matrix, A.shape)
            if complaint:
                return not_yet(f"on {case.name}, of {name}: {complaint}")
            parts.append(M)
        gap = _gap(parts, A, C, R)
        if np.abs(parts[2] - v * np.eye(len(A))).max() > 1e-12:
            return not_yet(f"on {case.name} V should be vI with v = {v:g}.")
        if np.abs(parts[1] - parts[1].T).max() > 1e-12:
            return not_yet(f"on {case.name} B is not symmetric.")
        if gap > MISSED:
            return not_yet(
                f"on {case.name} the covariances at t = 3 differ: {gap:.2g}, relative."
            )
    return yes("layer and filter have one covariance at t = 3, in three cases.")


def filters(answers: object) -> Verdict:
    """Exercise 5: four truth values, (a) to (d)."""
    values, complaint = numbers(answers, (4,))
    if complaint:
        return not_yet(complaint)
    wrong = [
        letter
        for letter, value in zip(LAYERS, values)
        if bool(value) != _is_filter(*LAYERS[letter])
    ]
    if wrong:
        return not_yet(f"look again at ({'), ('.join(wrong)}).")
    return yes("all four.")


def _is_filter(V: np.ndarray, B: np.ndarray) -> bool:
    try:
        control.filter_of_layer(Layer(np.eye(2), B, V))
    except ValueError:
        return False
    return True


def _gap(parts: list[np.ndarray], A: np.ndarray, C: np.ndarray, R: np.ndarray) -> float:
    """Relative difference at t = 3, from the identity; inf after a blow-up."""
    d = len(A)
    start = Gaussian(np.zeros(d), np.eye(d))
    run = gaussian.solve(Layer(*parts), start, np.array([0.0, 3.0]))
    if run.status != "done":
        return float("inf")
    truth = control.riccati_flow(A, C, R, None, start.cov, 3.0)
    return float(np.linalg.norm(run.cov[-1] - truth) / np.linalg.norm(truth))


def _cases() -> list[Case]:
    """One reading of two states, three readings of two, and v that is not one."""
    cases = []
    for m, v in ((1, -1.0), (3, -0.5), (2, 2.0)):
        rng = np.random.default_rng([m, 5])
        A, C = rng.normal(size=(2, 2)) / 2, rng.normal(size=(m, 2))
        R = np.diag(1.0 + np.arange(m))
        cases.append(Case(f"{m} readings and v = {v:g}", (A, C, R, v)))
    return cases
