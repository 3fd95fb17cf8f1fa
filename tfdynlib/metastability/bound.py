r"""The bound of the theorem on concentration, and constants fitted to it.

.. math:: W_2(\rho^\beta_t, \Pi_\#\rho_0)
    \le C \Bigl(\sqrt{\tfrac{\log(\beta+1)}{\beta}}\, e^{C_1 t} + e^{-ct}\Bigr)

Source: :cite:t:`alcalde2026quantifying`, Theorem 1, in summary: its constants are not
known to us, so those here are asked for, or fitted.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number

# Half of a 95% interval, in standard errors.
NORMAL = 1.959963984540054


def concentration_bound(
    beta: ArrayLike,
    t: ArrayLike,
    C: Number = 1.0,
    C1: Number = 1.0,
    c: Number = 0.5,
) -> Float[np.ndarray, "..."]:
    """The bound at every beta and time, which are broadcast against each other.

    Raises ``ValueError`` for constants or beta that are not positive and negative
    times; inf where it leaves the doubles.
    """
    beta, t = _positive(beta, "beta"), _check.array(t, "t")
    if t.size and t.min() < 0:
        raise _check.refuse("t", "zero or positive", f"{t.min():g}")
    C, C1, c = (_check.positive(v, k) for v, k in ((C, "C"), (C1, "C1"), (c, "c")))
    with np.errstate(over="ignore"):
        return np.asarray(C * (_cold(beta) * np.exp(C1 * t) + np.exp(-c * t)))


def bound_minimum(
    beta: Number, C1: Number = 1.0, c: Number = 0.5, C: Number = 1.0
) -> tuple[float, float]:
    r"""When the bound is least, and its value there.

    .. math:: t^* = \frac{1}{C_1 + c}
        \ln\Bigl(\frac{c}{C_1} \sqrt{\tfrac{\beta}{\log(\beta+1)}}\Bigr)

    or 0 if that is negative.  The value falls like :math:`\beta^{-c/2(C_1+c)}` up to
    logarithms, and t* grows like :math:`\log\beta/2(C_1+c)`.
    """
    beta, C1 = _check.positive(beta, "beta"), _check.positive(C1, "C1")
    c = _check.positive(c, "c")
    t = max(0.0, float(np.log(c / C1 / _cold(np.asarray(beta))) / (C1 + c)))
    return t, float(concentration_bound(beta, t, C, C1, c))


@dataclass(frozen=True)
class Fit:
    """Constants fitted to distances; not those of the theorem.

    Attributes
    ----------
    C, C1, c
        Least squares in the logarithm of the distance.
    C_interval, C1_interval, c_interval
        95% intervals, as if what is left over were independent noise; it is rather
        what the form of the bound cannot follow, so take them for a scale.
    excess
        Largest ratio of a distance to the fit: with C times this it is a bound of all.
    """

    C: float
    C1: float
    c: float
    C_interval: tuple[float, float]
    C1_interval: tuple[float, float]
    c_interval: tuple[float, float]
    excess: float

    def bound(self, beta: ArrayLike, t: ArrayLike) -> Float[np.ndarray, "..."]:
        """The bound with these constants and C times ``excess``."""
        return concentration_bound(beta, t, self.C * self.excess, self.C1, self.c)


def fit_bound(beta: ArrayLike, t: ArrayLike, distance: ArrayLike) -> Fit:
    """Constants C, C1, c for distances at some beta and times.

    The three are broadcast against each other: a column of k betas, a row of m times
    and a (k, m) array of distances, or three lists.  Give the times up to where the
    cloud has left (``exit_time``): later the distance does not grow any more, and the
    bound does.  Raises ``ValueError`` for fewer than four distances or one that is not
    positive, and ``RuntimeError`` if the search fails.
    """
    from scipy.optimize import least_squares

    beta, times = _positive(beta, "beta"), _check.array(t, "t")
    values = _positive(distance, "distance")
    try:
        beta, times, values = np.broadcast_arrays(beta, times, values)
    except ValueError:
        wanted = "of a shape that fits beta and t"
        raise _check.refuse("distance", wanted, values) from None
    if values.size < 4:
        raise _check.refuse("distance", "four numbers or more", values.size)
    if times.min() < 0:
        raise _check.refuse("t", "zero or positive", f"{times.min():g}")
    cold, times = np.log(_cold(beta)).ravel(), times.ravel()
    seen = np.log(values).ravel()

    def left(p: Float[np.ndarray, " 3"]) -> Float[np.ndarray, " m"]:
        c1, c = np.exp(p[1:])
        return np.asarray(p[0] + np.logaddexp(cold + c1 * times, -c * times) - seen)

    tries = [
        least_squares(left, np.log([1.0, c1, c]), x_scale="jac", max_nfev=2000)
        for c1, c in ((0.3, 0.3), (1.0, 0.5), (0.1, 1.0))
    ]
    best = min((found for found in tries if found.success), key=_cost, default=None)
    if best is None:
        raise RuntimeError("no constants were found")
    variance = 2 * best.cost / max(values.size - 3, 1)
    spread = np.sqrt(variance * np.diag(np.linalg.pinv(best.jac.T @ best.jac)))
    with np.errstate(over="ignore"):
        low, mid, high = np.exp(best.x + NORMAL * np.outer([-1, 0, 1], spread))
    ends = [(float(a), float(b)) for a, b in zip(low, high)]
    excess = float(np.exp(-best.fun.min()))
    C, C1, c = map(float, mid)
    return Fit(C, C1, c, ends[0], ends[1], ends[2], excess)


def _cost(found: object) -> float:
    return float(getattr(found, "cost"))  # noqa: B009


def _cold(beta: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """sqrt(log(beta + 1) / beta)."""
    return np.asarray(np.sqrt(np.log1p(beta) / beta))


def _positive(value: ArrayLike, name: str) -> Float[np.ndarray, "..."]:
    out = _check.array(value, name)
    if out.size == 0 or out.min() <= 0:
        raise _check.refuse(name, "positive", "a number that is not")
    return out
