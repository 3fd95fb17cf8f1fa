"""Checks of the page *The theorem and its two clocks*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import sphere
from tfdynlib.check._verdict import Case, Verdict, compare
from tfdynlib.measure import Measure, wasserstein2


def w2_two_poles(function: Callable) -> Verdict:
    """Exercise 4: is ``function(x, mass_plus)`` the chordal W2 to two poles?

    Equal masses at the rows of x, ``mass_plus`` at e_1 and the rest at -e_1; in most
    clouds one token has to be split.
    """
    cases = []
    for n, d, share in (
        (8, 2, 0.5),
        (7, 2, 0.5),
        (9, 3, 0.21),
        (12, 4, 0.88),
        (5, 3, 1),
    ):
        x = sphere.uniform(n, d, np.random.default_rng([n, d]))
        cases.append(Case(f"{n} tokens and the mass {share}", (x, float(share))))
    return compare(function, _transport, cases, rtol=1e-10, atol=1e-10)


def _transport(x: np.ndarray, mass_plus: float) -> float:
    pole = np.eye(x.shape[1])[0]
    poles = Measure(np.array([pole, -pole]), np.array([mass_plus, 1 - mass_plus]))
    return wasserstein2(Measure(x), poles)
