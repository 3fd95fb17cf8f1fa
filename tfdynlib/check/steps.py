"""Checks of the page *Steps that cannot fail*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import energy, jko, sphere
from tfdynlib.check._verdict import Case, Verdict, compare
from tfdynlib.weights import Heads


def jko_energy_drop(function: Callable) -> Verdict:
    """Exercise 4: is ``function(x, y, heads, tau)`` the energy that a move from x to y
    sets free, less its price with the weights frozen at x?

    Tried on 20 clouds: half of the moves are minimising movements, where the value is
    not negative; the others are any moves.
    """
    return compare(function, _drop, _moves(), tried="20 clouds and moves")


def _drop(x: np.ndarray, y: np.ndarray, heads: Heads, tau: float) -> float:
    price = np.mean(energy.effective_weight(x, heads) * sphere.distance(x, y) ** 2)
    released = energy.interaction(x, heads) - energy.interaction(y, heads)
    return released - float(price) / (2 * tau)


def _moves() -> list[Case]:
    rng = np.random.default_rng(81)
    cases = []
    for k in range(20):
        D = rng.uniform(-1, 1, (2, 3, 3))
        heads = Heads.descent(D + D.swapaxes(1, 2), 1.5, [0.25, 0.75])
        x, tau = sphere.uniform(7, 3, rng), 10 ** rng.uniform(-1, 0.5)
        y = jko.step(x, heads, tau).x if k % 2 else sphere.uniform(7, 3, rng)
        cases.append(Case(f"cloud {k}", (x, y, heads, tau)))
    return cases
