"""Checks of the page *How many tokens make a continuum?*"""

from __future__ import annotations

from collections.abc import Callable

from tfdynlib import metastability
from tfdynlib.check._verdict import Case, Verdict, compare


def effective_fraction(function: Callable) -> Verdict:
    """Exercise 4: is ``function(d, beta)`` the share of a uniform cloud that is heard?

    From the circle to sixty-four dimensions, where it is a tiny number.
    """
    cases = [
        Case(f"d = {d}, beta = {beta:g}", (d, beta))
        for d, beta in ((2, 320.0), (3, 2.0), (8, 8.0), (64, 64.0), (5, 900.0))
    ]
    truth = metastability.effective_fraction
    return compare(function, truth, cases, rtol=1e-4, atol=1e-300)
