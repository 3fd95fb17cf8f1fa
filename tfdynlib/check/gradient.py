"""Checks of the page *Downhill, by which ruler?*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tfdynlib import energy, sphere
from tfdynlib.check._verdict import Case, Verdict, compare, not_yet, numbers, yes
from tfdynlib.weights import Heads

# How far below zero the dissipation must be, and the norms the heads may have.
BELOW, LARGEST = -1e-3, 2.0


def p_weights(function: Callable) -> Verdict:
    """Exercise 4: does ``function(x, heads)`` weigh the heads as softmax does?

    The weights have shape (H, n); with them the mean of the slopes of the heads over
    the effective weight is the softmax velocity.
    """
    return compare(function, _p_weights, _crowds())


def _p_weights(x: np.ndarray, heads: Heads) -> np.ndarray:
    b, s = energy.effective_weight(x, heads), energy.head_weights(x, heads)
    return heads.mass[:, None] * b / s


def _crowds() -> list[Case]:
    """Equal masses and unequal ones, one head and several, mild ones and sharp ones."""
    cases = []
    for H, n, d, beta in ((1, 4, 2, 1.0), (2, 5, 3, 1.0), (3, 7, 2, 4.0)):
        rng = np.random.default_rng([H, n])
        A, mass = rng.normal(size=(H, d, d)), np.arange(1.0, H + 1) / sum(range(H + 1))
        heads = Heads.descent((A + A.swapaxes(1, 2)) / 2, beta, mass)
        name = f"{n} tokens under {H} head{'s' if H > 1 else ''}"
        cases.append(Case(name, (sphere.uniform(n, d, rng), heads)))
    return cases


def rising(x: ArrayLike, D: ArrayLike) -> Verdict:
    """Exercise 6: does the energy rise under the descent heads D, weights frozen?

    x has shape (2, 2) and unit rows; D has shape (2, 2, 2), symmetric matrices of norm
    at most 2.  At beta = 1 the dissipation along softmax must be below -1e-3.
    """
    tokens, complaint = numbers(x, (2, 2))
    if complaint:
        return not_yet(f"of the tokens: {complaint}")
    matrices, complaint = numbers(D, (2, 2, 2))
    if complaint:
        return not_yet(f"of the matrices: {complaint}")
    off = abs(np.linalg.norm(tokens, axis=1) - 1).max()
    if off > 1e-9:
        return not_yet(f"tokens have norm 1; here the norm is off by {off:.2g}.")
    if abs(matrices - matrices.swapaxes(1, 2)).max() > 1e-12:
        return not_yet("both matrices must be symmetric.")
    norm = np.linalg.norm(matrices, 2, axis=(1, 2)).max()
    if norm > LARGEST + 1e-9:
        return not_yet(f"the norms must be at most {LARGEST:g}; one is {norm:.6g}.")
    lost = energy.dissipation(tokens, Heads.descent(matrices))
    if lost >= BELOW:
        return not_yet(f"the dissipation is {lost:.3g}, not below {BELOW:g}.")
    return yes(f"the dissipation is {lost:.6f}: the energy rises.")
