r"""One dimension: :math:`\dot S = 2aS + 2cS^2` has a closed form with its pole.

:cite:t:`alcalde2026gaussian` in one dimension.
"""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number

# A pull below this part of a: 1 + a / pull is a / pull, whose logarithm is a difference
# of such, as the quotient may be no double.
FAINT = 1e-20


def scalar_covariance(
    a: ArrayLike | Number,
    c: ArrayLike | Number,
    start: ArrayLike | Number,
    t: ArrayLike | Number,
) -> Float[np.ndarray, "..."]:
    r"""The variance S(t) of one-dimensional layers, :math:`\dot S = 2aS + 2cS^2`.

    .. math::
        S(t) = \frac{S_0 e^{2at}}{1 - \frac{c}{a} S_0 (e^{2at} - 1)},
        \qquad a = 0:\quad \frac{S_0}{1 - 2cS_0t}

    c = vk is the product of value and score.  Arguments broadcast; ``start`` and ``t``
    are zero or positive.  From the blow-up on, and beyond 1e300, the value is inf.
    """
    a, c, s0, t = _front(a, c, start, t)
    decay = np.exp(-2 * np.abs(a) * t)
    span = 2 * t * _mean_decay(np.asarray(2 * np.abs(a) * t))
    # Numerator and denominator are divided by e^{2at} if that is large.
    top = np.where(a > 0, s0, s0 * decay)
    below = np.where(a > 0, decay, 1.0) - c * s0 * span
    alive = (t < scalar_blow_up_time(a, c, s0)) & (below > 1e-300 * top)
    return np.where(alive | (s0 == 0), top / np.where(alive, below, 1.0), np.inf)


def scalar_blow_up_time(
    a: ArrayLike | Number, c: ArrayLike | Number, start: ArrayLike | Number
) -> Float[np.ndarray, "..."]:
    r"""When S of ``scalar_covariance`` becomes infinite; inf if it never does.

    .. math:: t^* = \frac{1}{2a}\ln\Bigl(1 + \frac{a}{cS_0}\Bigr),
              \qquad a = 0:\quad \frac{1}{2cS_0}

    Only for c > 0, and if a < 0 only above the threshold :math:`S_0 > |a|/c`.
    """
    a, c, s0, _ = _front(a, c, start, 0.0)
    pull = c * s0
    faint = (a > 0) & (c > 0) & (s0 > 0) & (pull <= FAINT * a)
    late = (_log(a, faint) - _log(c, faint) - _log(s0, faint)) / np.where(faint, a, 1.0)
    blows = (pull > 0) & (pull + a > 0) & ~faint
    ratio = np.where(blows, a, 0.0) / np.where(blows, pull, 1.0)
    # ln(1 + r) / r, which is 1 at r = 0
    curve = np.log1p(ratio) / np.where(ratio == 0, 1.0, ratio)
    curve = np.where(ratio == 0, 1.0, curve)
    with np.errstate(over="ignore"):  # inf: later than all doubles
        soon = curve / (2 * np.where(blows, pull, 1.0))
    return np.where(faint, late / 2, np.where(blows, soon, np.inf))


def _log(x: np.ndarray, where: Any) -> Any:
    """The logarithm where it is asked for, else 0."""
    return np.log(np.where(where, x, 1.0))


def _front(*values: ArrayLike | Number) -> tuple[np.ndarray, ...]:
    """The four arguments as arrays of one shape."""
    names = ("a", "c", "start", "t")
    arrays = [_check.bounded(_check.array(v, n), n) for v, n in zip(values, names)]
    for value, name in zip(arrays[2:], names[2:]):
        if (value < 0).any():
            raise _check.refuse(name, "zero or positive", f"{value.min():g}")
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(v.shape) for v in arrays)
        raise _check.refuse(
            "start", "of a shape that fits the others", shapes
        ) from None


def _mean_decay(x: np.ndarray) -> np.ndarray:
    """(1 - e^{-x}) / x, which is 1 at 0."""
    safe = np.where(x == 0, 1.0, x)
    return np.where(x == 0, 1.0, -np.expm1(-safe) / safe)
