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
from tfdynlib.fits import NORMAL

LATEST = 1e9  # a time whose square, summed, is a double


def concentration_bound(
    beta: Number | ArrayLike,
    t: Number | ArrayLike,
    C: Number = 1.0,
    C1: Number = 1.0,
    c: Number = 0.5,
) -> Float[np.ndarray, "..."]:
    """The bound at every beta and time, which are broadcast against each other.

    Raises ``ValueError`` for constants or beta that are not positive and negative
    times; inf where it leaves the doubles.
    """
    beta, t = _together(beta, t)
    C, C1, c = (_check.positive(v, k) for v, k in ((C, "C"), (C1, "C1"), (c, "c")))
    return np.asarray(C * _shape(beta, t, 1.0, C1, c))


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
    r"""Constants fitted to distances; not those of the theorem.

    .. math:: A \sqrt{\tfrac{\log(\beta+1)}{\beta}}\, e^{C_1 t} + C e^{-ct}

    Attributes
    ----------
    C, C1, c, A
        Least squares in the logarithm of the distance; A = C if they were asked to be
        one, as in the theorem.
    C_interval, C1_interval, c_interval
        95% intervals, as if what is left over were independent noise; it is rather
        what the form of the bound cannot follow, so take them for a scale.
    excess
        Largest ratio of a distance to the fit: times this it is a bound of all.
    """

    C: float
    C1: float
    c: float
    A: float
    C_interval: tuple[float, float]
    C1_interval: tuple[float, float]
    c_interval: tuple[float, float]
    excess: float

    def bound(
        self, beta: Number | ArrayLike, t: Number | ArrayLike
    ) -> Float[np.ndarray, "..."]:
        """The fit times ``excess``: no distance of those that were given is above.

        Raises ``ValueError`` as ``concentration_bound`` does.
        """
        beta, t = _together(beta, t)
        shape = _shape(beta, t, self.A / self.C, self.C1, self.c)
        return np.asarray(self.excess * self.C * shape)


def fit_bound(
    beta: Number | ArrayLike,
    t: Number | ArrayLike,
    distance: Number | ArrayLike,
    joint: bool = True,
) -> Fit:
    """Constants C, C1, c for distances at some beta and times.

    The three are broadcast against each other: a column of k betas, a row of m times
    and a (k, m) array of distances, or three lists.  Give the times up to where the
    cloud has left (``exit_time``): later the distance does not grow any more, and the
    bound does.  ``joint`` asks for one factor C of both terms, as the theorem has;
    measured curves have a much smaller one before the first term, so that C1 is hardly
    seen.  Constants are looked for between 1e-6 and 1e6, rates between 1e-3 and 1e2.

    Raises ``ValueError`` for fewer than five distances or one that is not positive.
    """
    from scipy.optimize import least_squares

    beta, times = _together(beta, t)
    values = _positive(distance, "distance")
    try:
        beta, times, values = np.broadcast_arrays(beta, times, values)
    except ValueError:
        wanted = "of a shape that fits beta and t"
        raise _check.refuse("distance", wanted, values) from None
    if values.size < 5:
        raise _check.refuse("distance", "five numbers or more", values.size)
    if times.max() > LATEST:
        raise _check.refuse("t", f"up to {LATEST:g}", f"{times.max():g}")
    cold, times = np.log(_cold(beta)).ravel(), times.ravel()
    seen = np.log(values).ravel()

    def left(p: Float[np.ndarray, " k"]) -> Float[np.ndarray, " m"]:
        c1, c = np.exp(p[1:3])
        both = np.logaddexp(
            p[-1 if len(p) > 3 else 0] + cold + c1 * times, p[0] - c * times
        )
        return np.asarray(both - seen)

    low, high = np.log([1e-6, 1e-3, 1e-3, 1e-6]), np.log([1e6, 1e2, 1e2, 1e6])
    k = 3 if joint else 4
    tries = [
        least_squares(left, np.log([1, c1, c, 0.1])[:k], bounds=(low[:k], high[:k]))
        for c1, c in ((0.3, 0.3), (1.0, 0.5), (0.1, 1.0))
    ]
    best = min(tries, key=lambda found: float(found.cost))
    variance = 2 * best.cost / max(values.size - k, 1)
    spread = np.sqrt(variance * np.diag(np.linalg.pinv(best.jac.T @ best.jac)))
    ends = np.clip(best.x + NORMAL * np.outer([-1, 1], spread), low[:k], high[:k])
    intervals = [(float(a), float(b)) for a, b in np.exp(ends).T]
    C, C1, c = (float(v) for v in np.exp(best.x[:3]))
    A = C if joint else float(np.exp(best.x[3]))
    excess = float(np.exp(-best.fun.min()))
    return Fit(C, C1, c, A, intervals[0], intervals[1], intervals[2], excess)


def _cold(beta: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """sqrt(log(beta + 1) / beta)."""
    return np.asarray(np.sqrt(np.log1p(beta) / beta))


def _shape(
    beta: Float[np.ndarray, "..."],
    t: Float[np.ndarray, "..."],
    ratio: float,
    C1: float,
    c: float,
) -> Float[np.ndarray, "..."]:
    """The sum of both terms, the factor of the first one over that of the second."""
    with np.errstate(over="ignore"):
        return np.asarray(ratio * _cold(beta) * np.exp(C1 * t) + np.exp(-c * t))


def _together(
    beta: Number | ArrayLike, t: Number | ArrayLike
) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "..."]]:
    """Betas and times that can be broadcast against each other."""
    beta, t = _positive(beta, "beta"), _check.array(t, "t")
    if t.size and t.min() < 0:
        raise _check.refuse("t", "zero or positive", f"{t.min():g}")
    try:
        np.broadcast_shapes(beta.shape, t.shape)
    except ValueError:
        wanted = f"of a shape that fits {beta.shape}, that of beta"
        raise _check.refuse("t", wanted, t) from None
    return beta, t


def _positive(value: Number | ArrayLike, name: str) -> Float[np.ndarray, "..."]:
    out = _check.array(value, name)
    if out.size == 0 or out.min() <= 0:
        raise _check.refuse(name, "positive", f"{out.min():g}" if out.size else "none")
    return out
