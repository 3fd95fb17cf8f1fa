"""Engine room: weighted sums of exponentials, the only O(N^2) work of the package.

One method today, ``dense``: exact, in blocks of rows, so that memory is O(N).
A further method is one more function with the signature of ``_dense`` in ``METHODS``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib.weights import Heads

# The largest double is e^709.78; sums may reach e^700, which leaves room for weights.
LOG_MAX = 700.0
# Scores held at a time: 2^17 doubles are 1 MB, which stays in the cache.
BLOCK = 2**17


@dataclass(frozen=True)
class Moments:
    r"""Sums of :math:`e^{\langle p, y\rangle}` over a measure, free of overflow.

    .. math::
        \int e^{\langle p,y\rangle}\, d\mu(y) = e^{\mathrm{shift}}\, z, \qquad
        \int y\, e^{\langle p,y\rangle}\, d\mu(y) = e^{\mathrm{shift}}\, \mathrm{first}

    for each query p.  The shift is the largest exponent (with the log of its mass), so
    that :math:`1 \le z \le n`.
    """

    shift: Float[np.ndarray, " k"]
    z: Float[np.ndarray, " k"]
    first: Float[np.ndarray, "k d"]

    @property
    def mean(self) -> Float[np.ndarray, "k d"]:
        """What each query attends to: the softmax mean, first / z."""
        return self.first / self.z[:, None]

    @property
    def log_z(self) -> Float[np.ndarray, " k"]:
        """Logarithm of the whole sum, shift + log z."""
        return self.shift + np.log(self.z)


def moments(
    p: Float[np.ndarray, "k d"],
    y: Float[np.ndarray, "n d"],
    mass: Float[np.ndarray, " n"],
    method: str = "auto",
) -> Moments:
    """Moments of the measure with atoms y for the queries p.

    Subtracting the largest exponent is exact, not an approximation: the common factor
    cancels in every ratio.  Exponents may be as large as doubles go.
    """
    return METHODS[_check.one_of(method, METHODS, "method")](p, y, mass)


def queries(at: Float[np.ndarray, "k d"], heads: Heads) -> Float[np.ndarray, "H k d"]:
    """What the points ask for with each head, p = beta B_h x."""
    return heads.beta * np.einsum("hij,kj->hki", heads.B, at)


def of_heads(
    at: Float[np.ndarray, "k d"],
    x: Float[np.ndarray, "n d"],
    heads: Heads,
    mass: Float[np.ndarray, " n"],
    method: str = "auto",
) -> list[Moments]:
    """The sums over tokens x that each head needs at the points ``at``."""
    return [moments(p, x, mass, method) for p in queries(at, heads)]


def scores(
    p: Float[np.ndarray, "k d"],
    y: Float[np.ndarray, "n d"],
    mass: Float[np.ndarray, " n"],
) -> tuple[Float[np.ndarray, "k n"], Float[np.ndarray, " k"]]:
    """Unnormalised weights e^{<p,y>} mass / e^{shift}, and the shift of each row."""
    s = p @ y.T
    s += _log(mass)
    shift = s.max(axis=1)
    s -= shift[:, None]
    return np.exp(s, out=s), shift


def _log(mass: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Logarithm of masses; an atom without mass gets -inf and is never seen."""
    return np.log(mass, out=np.full(len(mass), -np.inf), where=mass > 0)


def _dense(
    p: Float[np.ndarray, "k d"],
    y: Float[np.ndarray, "n d"],
    mass: Float[np.ndarray, " n"],
) -> Moments:
    """All pairs, a block of queries at a time."""
    k, n = len(p), len(y)
    shift, total = np.empty(k), np.empty((k, y.shape[1] + 1))
    lifted = np.concatenate([y, np.ones((n, 1))], axis=1)
    rows = max(1, BLOCK // n)
    for start in range(0, k, rows):
        part = slice(start, start + rows)
        a, shift[part] = scores(p[part], y, mass)
        np.matmul(a, lifted, out=total[part])
    return Moments(shift, total[:, -1], total[:, :-1])


METHODS: dict[str, Callable[..., Moments]] = {"auto": _dense, "dense": _dense}
