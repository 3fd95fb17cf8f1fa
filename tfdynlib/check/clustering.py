"""Checks of the page *Why tokens meet*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tfdynlib import attention, flow, sphere
from tfdynlib.check._verdict import Case, Verdict, compare, not_yet, numbers, yes
from tfdynlib.weights import Heads

# What is asked of "stationary": a few hundred roundings of numbers of order one.
AT_REST = 1e-12


def lowest(function: Callable) -> Verdict:
    """Exercise 3: is ``function(x, w)`` the smallest ⟨xᵢ, w⟩ at each time?

    x has shape (m, n, d), w is a unit vector.  Tried on one run of an ascent head,
    where the answer rises, and one of a descent head, where it falls while positive.
    """
    return compare(function, _lowest, _runs(), tried="runs of both signs")


def _lowest(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.einsum("mnd,d->mn", x, w).min(axis=1)


def _runs() -> list[Case]:
    """A cap of tokens in four dimensions, under heads of either sign."""
    scattered = sphere.uniform(200, 4, np.random.default_rng(15))
    w = np.array([0.5, 0.5, 0.5, -0.5])
    cap, t, unit = scattered[scattered @ w > 0.4][:10], np.linspace(0, 2, 21), np.eye(4)
    signs = {"an ascent head": 1.0, "a descent head": -1.0}
    runs = {
        name: flow.solve(attention.field(Heads(unit, sign * unit, 3.0)), cap, t).x
        for name, sign in signs.items()
    }
    return [Case(f"a run of {name}", (x, w)) for name, x in runs.items()]


def balanced(x: ArrayLike) -> Verdict:
    """Exercise 4: are these four tokens on S² at rest, and not in a plane?

    x has shape (4, 3) and unit rows.  For B = V = I the speed must stay below 1e-12 at
    β = 0.5, 2 and 8, and the rank must be 3.
    """
    tokens, complaint = numbers(x, (4, 3))
    if complaint:
        return not_yet(complaint)
    length = np.linalg.norm(tokens, axis=1)
    off = abs(length - 1).max()
    if off > 1e-9:
        return not_yet(f"tokens have norm 1; here the norm is off by {off:.2g}.")
    rank = np.linalg.matrix_rank(tokens, tol=1e-6)
    if rank < 3:
        return not_yet(f"they span a space of dimension {rank}, not 3.")
    speeds = {beta: _fastest(tokens, beta) for beta in (0.5, 2.0, 8.0)}
    for beta, speed in speeds.items():
        if speed > AT_REST:
            return not_yet(f"at beta = {beta:g} a token moves at speed {speed:.2g}.")
    return yes(f"rank 3, and no speed above {max(speeds.values()):.1e}.")


def _fastest(x: np.ndarray, beta: float) -> float:
    v = attention.velocity(x, Heads(np.eye(3), np.eye(3), beta))
    return float(np.linalg.norm(v, axis=1).max())
