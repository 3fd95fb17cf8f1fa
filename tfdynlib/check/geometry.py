"""Checks of the page *The weighted distance*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import energy, sphere
from tfdynlib.check._verdict import Case, Verdict, compare
from tfdynlib.weights import Heads


def action(function: Callable) -> Verdict:
    """Exercise 4: is ``function(x, beta)`` the action of a film of equal atoms?

    x has shape (m + 1, n, 2); the weight of each step is that at its beginning.
    """
    return compare(function, _action, _films(), 1e-8, tried="three films")


def _action(x: np.ndarray, beta: float) -> float:
    heads, m = Heads.descent(np.eye(2), beta), len(x) - 1
    steps = zip(x[:-1], m * np.diff(x, axis=0))
    return sum(energy.action(y, v, heads) for y, v in steps) / m


def _films() -> list[Case]:
    """One atom, two, and seven, at different temperatures."""
    cases = []
    for n, m, beta in ((1, 5, 1.0), (2, 8, 4.0), (7, 12, 0.5)):
        ends = [sphere.uniform(n, 2, np.random.default_rng([n, k])) for k in (0, 1)]
        t = np.linspace(0, 1, m + 1)[:, None, None]
        turn = np.arctan2(ends[1][:, 1], ends[1][:, 0])[:, None] * t**2
        c, s = np.cos(turn), np.sin(turn)
        x, y = ends[0][:, :1], ends[0][:, 1:]
        film = np.concatenate([c * x - s * y, s * x + c * y], axis=2)
        cases.append(Case(f"{n} atoms in {m} steps", (film, beta)))
    return cases
