"""Checks of the page *Plateaus and stairs*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import attention, metastability
from tfdynlib.check._verdict import Case, Verdict, compare
from tfdynlib.weights import Heads


def dwell_time(function: Callable) -> Verdict:
    """Exercise 4: is ``function(gap, beta)`` the wait of two equal clusters until 0.1?

    Six digits are asked for, up to a gap at which the force is nearly zero.
    """
    cases = [
        Case(f"a gap of {gap:.4g} at beta = {beta:g}", (gap, beta))
        for gap, beta in ((1.0, 1.0), (np.pi / 2, 9.0), (3.0, 4.0), (3.14, 9.0))
    ]
    return compare(function, metastability.dwell_time, cases, rtol=1e-6)


def gap_rhs(function: Callable) -> Verdict:
    """Exercise 5: is ``function(phi, beta, p)`` the speed of the gap of two clusters?

    Held against the field itself, for unequal masses.
    """
    rng = np.random.default_rng(12)
    cases = []
    for _ in range(20):
        phi, beta, p = rng.uniform((0.1, 0.5, 0.05), (3.1, 12, 0.95)).tolist()
        name = f"phi = {phi:.3g}, beta = {beta:.3g}, p = {p:.3g}"
        cases.append(Case(name, (phi, beta, p)))
    return compare(function, _gap, cases, 1e-9, 1e-10, "twenty pairs of clusters")


def _gap(phi: float, beta: float, p: float) -> float:
    x = np.array([[1.0, 0.0], [np.cos(phi), np.sin(phi)]])
    v = attention.velocity(x, Heads(np.eye(2), np.eye(2), beta), np.array([p, 1 - p]))
    turn = x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]
    return float(turn[1] - turn[0])
