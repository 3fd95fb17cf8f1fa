"""Checks of the page *How far from zero is cold?*"""

from __future__ import annotations

import warnings
from collections.abc import Callable

from tfdynlib import metastability
from tfdynlib.check._verdict import Case, Verdict, compare, not_yet

PAIRS = ((2, 0.01), (3, 5.0), (64, 8.0), (768, 1.0), (768, 100.0), (768, 1e6))


def bessel_ratio(function: Callable) -> Verdict:
    """Exercise 3: is ``function(d, kappa)`` the length of the softmax mean?

    Eight digits are asked for, where the Bessel functions themselves are no doubles,
    and NumPy must not warn.
    """
    cases = [Case(f"d = {d}, kappa = {kappa:g}", (d, kappa)) for d, kappa in PAIRS]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        verdict = compare(function, metastability.bessel_ratio, cases, 1e-8, 1e-300)
    if heard and verdict:
        return not_yet(
            f"the numbers agree, but there was a warning: {heard[0].message}"
        )
    return verdict
