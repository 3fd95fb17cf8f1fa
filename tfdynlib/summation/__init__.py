"""Engine room: weighted sums of exponentials, the only O(N^2) work of the package.

One file for each method; each ends with a ``Method`` that ``METHODS`` lists.
``"auto"`` takes the one that a measured cost model calls fastest.  The accuracy asked
for, ``tol``, is an absolute error of the softmax mean in units of the longest token.
"""

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.summation import certificate, dense
from tfdynlib.summation._moments import Method, Moments, Task
from tfdynlib.summation.dense import BLOCK, scores
from tfdynlib.weights import Heads

__all__ = [
    "BLOCK",
    "LOG_MAX",
    "METHODS",
    "NAMES",
    "Method",
    "Moments",
    "Task",
    "moments",
    "of_heads",
    "queries",
    "scores",
]

# The largest double is e^709.78; sums may reach e^700, which leaves room for weights.
LOG_MAX = 700.0
# Rows count as unit vectors when their squared norm is 1 up to this.
UNIT = 1e-12

METHODS: dict[str, Method] = {m.name: m for m in (dense.METHOD,)}
NAMES = ("auto", *METHODS)


def moments(
    p: Float[np.ndarray, "k d"],
    y: Float[np.ndarray, "n d"],
    mass: Float[np.ndarray, " n"],
    method: str = "auto",
    tol: Number = 1e-10,
) -> Moments:
    """Moments of the measure with atoms y for the free queries p.

    Subtracting a large exponent is exact, not an approximation: the common factor
    cancels in every ratio.  Exponents may be as large as doubles go.
    """
    _check.one_of(method, NAMES, "method")
    return dense.free(p, y, mass, float(tol))


def queries(at: Float[np.ndarray, "k d"], heads: Heads) -> Float[np.ndarray, "H k d"]:
    """What the points ask for with each head, p = beta B_h x."""
    return heads.beta * np.einsum("hij,kj->hki", heads.B, at)


def of_heads(
    at: Float[np.ndarray, "k d"],
    x: Float[np.ndarray, "n d"],
    heads: Heads,
    mass: Float[np.ndarray, " n"],
    method: str = "auto",
    tol: Number = 1e-10,
) -> list[Moments]:
    """The sums over tokens x that each head needs at the points ``at``."""
    _check.one_of(method, NAMES, "method")
    found = []
    for K in heads.beta * heads.B:
        sums = dense.METHOD.sums(at, x, K, mass, float(tol))
        if sums.tail:
            p = at @ K.T
            sums = certificate.repair(sums, p, x, mass, float(tol), dense.METHOD)
        found.append(sums)
    return found
