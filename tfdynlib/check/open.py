"""Checks of the page *What is not known*."""

from __future__ import annotations

import numpy as np

from tfdynlib import energy
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, numbers, yes
from tfdynlib.weights import Heads

SIZES = (1.0, 0.1, 0.01)
ROUNDING = 1e-14  # equal heads have a dissipation of that size, of either sign
J = np.array([[0.0, 1.0], [1.0, 0.0]])


def uphill(function: object) -> Verdict:
    """Exercise 2: does ``function(r)`` find c, k, a whose token softmax takes uphill?

    One token at the angle a under the descent heads cJ and -kJ with 0 < c, k <= r.
    """
    for r in SIZES:
        value, complaint = call(function, Case(f"r = {r:g}", (r,)))
        if complaint:
            return not_yet(complaint)
        found, complaint = numbers(value, (3,))
        if complaint:
            return not_yet(f"on r = {r:g}: {complaint}")
        c, k, a = (float(v) for v in found)
        if not (0 < c <= r and 0 < k <= r):
            return not_yet(f"on r = {r:g} c and k must lie between 0 and {r:g}.")
        loss = _dissipation(c, k, a)
        if not loss < -ROUNDING:
            return not_yet(f"on r = {r:g} the dissipation is {loss:.3g}, not negative.")
    return yes("softmax takes the token uphill for heads of size 1, 0.1 and 0.01.")


def _dissipation(c: float, k: float, a: float) -> float:
    x = np.array([[np.cos(a), np.sin(a)]])
    return float(energy.dissipation(x, Heads.descent(np.array([c * J, -k * J]))))
