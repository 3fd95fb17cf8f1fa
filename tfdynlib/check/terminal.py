"""Checks of the page *The end, and a conjecture*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import attention, sphere
from tfdynlib.check._verdict import Case, Verdict, compare
from tfdynlib.weights import Heads


def pair_rhs(function: Callable) -> Verdict:
    """Exercise 4: is ``function(x, V, B, beta)`` the velocity of x in the pair x, -x?

    Held against two tokens, one at x and one at -x.
    """
    cases = []
    for d, beta in ((2, 3.0), (2, 20.0), (3, 1.0), (5, 0.3)):
        rng = np.random.default_rng([d, int(10 * beta)])
        V, B = rng.normal(size=(2, d, d))
        x = sphere.uniform(1, d, rng)[0]
        cases.append(Case(f"a pair with d = {d} at beta = {beta:g}", (x, V, B, beta)))
    return compare(function, _two_tokens, cases, rtol=1e-10, atol=1e-12)


def _two_tokens(x: np.ndarray, V: np.ndarray, B: np.ndarray, beta: float) -> np.ndarray:
    return attention.velocity(np.stack([x, -x]), Heads(B, V, beta))[0]
