"""Checks of the page *What of this is seen in trained models*."""

from __future__ import annotations

import numpy as np

from tfdynlib import pretrained
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, numbers, yes

N, D, REPS = 256, 3, 800
# Ends of a 95% band from 800 samples: their own standard deviation is about 0.03 for a
# kurtosis of 256 tokens, twice for two such bands.
NEAR = 0.15


def _kurtosis(x: np.ndarray) -> float:
    return float(pretrained.excess_kurtosis(x)[0])


def null_band(function: object) -> Verdict:
    """Exercise 3: does ``function(statistic, N, d, reps, rng)`` give the 95% band?

    Tried on the excess kurtosis of the first coordinate of 256 tokens in R^3, and on
    their number, which is no random quantity.
    """
    rng = np.random.default_rng(5)
    exact = Case("the number of tokens", (lambda x: float(len(x)), N, D, 20, rng))
    value, complaint = call(function, exact)
    if complaint:
        return not_yet(complaint)
    found, complaint = numbers(value, (2,))
    if complaint:
        return not_yet(complaint)
    if np.abs(found - N).max() > 1e-9:
        return not_yet(f"the statistic is handed tokens of shape ({N}, {D}).")
    value, complaint = call(function, Case("kurtosis", (_kurtosis, N, D, REPS, rng)))
    if complaint:
        return not_yet(complaint)
    found, complaint = numbers(value, (2,))
    if complaint:
        return not_yet(complaint)
    wanted = pretrained.null_band(_kurtosis, N, D, np.random.default_rng(6), REPS)
    if np.abs(found - wanted).max() > NEAR:
        return not_yet(
            f"95% of the samples lie from {wanted[0]:.2f} to {wanted[1]:.2f}; yours "
            f"is {found[0]:.2f} to {found[1]:.2f}."
        )
    again, _ = call(function, Case("kurtosis", (_kurtosis, N, D, REPS, rng)))
    if np.array_equal(numbers(again, (2,))[0], found):
        return not_yet("a second call with the same rng must draw new samples.")
    return yes(f"excess kurtosis of {N} tokens: {found[0]:.2f} to {found[1]:.2f}.")
