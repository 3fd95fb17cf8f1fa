"""Checks of the page *Weights that move*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tfdynlib.check._verdict import Case, Verdict, call, not_yet, numbers, yes

# How much the head mean must vary, and how near matched targets must be.
VARIES, NEAR = 0.1, 0.02
CROWD, MOMENT = 1000, 0.3


def targets(s: ArrayLike) -> np.ndarray:
    """The targets T at the phases s for d = 2, as on the page; shape (H, 2, 2)."""
    c, r = 1.5 * np.cos(s), np.sin(2 * np.asarray(s))
    return np.moveaxis(np.array([[2 + c, r], [r, 2 - c]]), -1, 0)


def phases(phi: object) -> Verdict:
    """Exercise 4: three phases whose head mean of the targets is not constant in time.

    Some entry of the mean must vary by more than 0.1 over a period.
    """
    values, complaint = numbers(phi, (3,))
    if complaint:
        return not_yet(complaint)
    t = np.linspace(0, 2 * np.pi, 200)
    mean = np.mean([targets(t + p) for p in values], axis=0)
    swing = float(np.ptp(mean, axis=0).max())
    if swing <= VARIES:
        return not_yet(f"no entry of the head mean varies by more than {swing:.2g}.")
    return yes(f"an entry of the head mean varies by {swing:.3g} over a period.")


def partner(function: Callable) -> Verdict:
    """Exercise 5: does ``partner(t, H)`` match the targets at t to those at 0?

    The answer is a permutation p, and the mean distance of T_h(t) to T_p(h)(0), which
    bounds W1 of their laws, must be below 0.02 for 1000 heads at t = 0.3.
    """
    found, complaint = call(function, Case("1000 heads at t = 0.3", (MOMENT, CROWD)))
    if complaint:
        return not_yet(complaint)
    values, complaint = numbers(found, (CROWD,))
    if complaint:
        return not_yet(complaint)
    if not np.array_equal(np.sort(values), np.arange(CROWD)):
        return not_yet("each head must be the partner of exactly one.")
    phi = 2 * np.pi * np.arange(CROWD) / CROWD
    apart = targets(MOMENT + phi) - targets(phi[values.astype(int)])
    mean = float(np.linalg.norm(apart, axis=(1, 2)).mean())
    if mean >= NEAR:
        return not_yet(f"matched targets are {mean:.3g} apart on average.")
    return yes(f"a thousand moving heads, and matched targets are {mean:.4f} apart.")
