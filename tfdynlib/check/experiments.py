"""Checks of the page *The paper's experiments, again*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import experiments
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, numbers, yes
from tfdynlib.weights import WeightPath

# Late means of four paths are within this factor of one another.
FACTOR = 2.0
HEADS = 10


def four_heads(value: object, seed: object) -> Verdict:
    """Exercise 4: is ``value`` a late mean of G^2 under four noisy heads?

    It is compared with a run of another seed, four paths on forty tokens to T = 12:
    both are means of noise, so within a factor of two is close enough.  The seed is
    asked for since a number without one is no reproduction.
    """
    found, complaint = numbers(value, ())
    if complaint:
        return not_yet(complaint)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        return not_yet(
            "tell the seed, a number 0, 1, 2, ...: without it nobody can "
            "run the same again."
        )
    other = experiments.Setting("ou", 3, 4, 40, T=12.0, seed=int(seed) + 1)
    wanted = experiments.run(other, 4).late_mean
    if not wanted / FACTOR < float(found) < wanted * FACTOR:
        return not_yet(
            f"another seed gives {wanted:.3g}; yours, {float(found):.3g}, is not "
            "within a factor of two. Is it the mean over the second half?"
        )
    return yes(f"another seed gives {wanted:.3g}.")


def in_step(function: Callable) -> Verdict:
    """Exercise 5: does ``function(D0)`` make ten heads chase one oscillating target?

    D0 has shape (10, 3, 3).  The heads must start there, forget their starts like
    e^{-t}, and go on moving.
    """
    Z = np.random.default_rng(11).standard_normal((HEADS, 3, 3))
    D0 = Z + Z.swapaxes(1, 2)
    path, complaint = call(function, Case("ten starts", (D0,)))
    if complaint:
        return not_yet(complaint)
    if not isinstance(path, WeightPath) or (path.H, path.d) != (HEADS, 3):
        return not_yet(
            "return a path of ten heads in three dimensions, as "
            "weights.oscillating makes it."
        )
    if np.abs(path(0.0).B - D0).max() > 1e-9:
        return not_yet("at t = 0 the heads must be D0.")
    late = path(12.0).B
    apart = np.abs(late - late[0]).max()
    if apart > 2 * np.exp(-12.0) * np.abs(D0 - D0[0]).max():
        return not_yet(
            f"at t = 12 two heads are still {apart:.2g} apart: they chase "
            "different targets."
        )
    if np.abs(path(12.0 + np.pi / 2).B - late).max() < 0.1:
        return not_yet("the heads have come to rest; their target must oscillate.")
    return yes("ten heads, one target.")
