"""Checks of the page *Almost the same prompt*."""

from __future__ import annotations

import numpy as np

from tfdynlib import energy
from tfdynlib.check._verdict import Verdict, not_yet, numbers, yes
from tfdynlib.weights import Heads

# What all tokens at one point reach: (e^1.1 - e) / 2 = 0.142942, given three digits.
ENOUGH = 0.1429


def worst_cloud(x: object) -> Verdict:
    """Exercise 3: tokens at which the energies of D = I and D = 1.1 I differ most.

    x has shape (n, 2), n at least 2, and unit rows.
    """
    try:
        rows = len(x)  # type: ignore[arg-type]
    except TypeError:
        return not_yet("expected an array of tokens, of shape (n, 2).")
    tokens, complaint = numbers(x, (rows, 2))
    if complaint:
        return not_yet(complaint)
    if rows < 2:
        return not_yet("expected at least two tokens.")
    off = abs(np.linalg.norm(tokens, axis=1) - 1).max()
    if off > 1e-9:
        return not_yet(f"tokens have norm 1; here the norm is off by {off:.2g}.")
    one, other = (
        energy.interaction(tokens, Heads.descent(c * np.eye(2))) for c in (1.0, 1.1)
    )
    gap = float(abs(other - one))
    if gap < ENOUGH:
        return not_yet(f"the energies differ by {gap:.4f}; more is possible.")
    return yes(f"the energies differ by {gap:.6f}, no cloud does more.")
