r"""How many terms a series needs: bounds that hold, not estimates.

Sums are in units of :math:`e^{r}`, the largest value of :math:`e^{\langle p,y\rangle}`
for a query p of length r and unit vectors y.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib._check import Number


def circle_tail(r: Number, n: int) -> float:
    r"""Bound of :math:`\sum_{|k|>n} e^{-r} I_k(r)`, the modes beyond n on the circle.

    :math:`e^{-r} I_k(r)` is the law of the difference of two Poisson variables of mean
    r/2, so that Chernoff's bound is
    :math:`2 \exp(\sqrt{r^2+m^2} - r - m\,\mathrm{asinh}(m/r))` with m = n + 1.
    """
    m = n + 1
    if r == 0:
        return 0.0
    rise = m * m / (math.hypot(r, m) + r)  # sqrt(r^2 + m^2) - r without cancellation
    return 2 * math.exp(rise - m * math.asinh(m / r))


def sphere_tail(r: Number, n: int) -> float:
    r"""The sum :math:`\sum_{l>n} (2l+1) e^{-r} i_l(r)`, the degrees beyond n on the
    two-sphere, exactly.

    The recurrence :math:`(2l+1)\, i_l / r = i_{l-1} - i_{l+1}` telescopes it to
    :math:`r e^{-r} (i_n + i_{n+1})`; the i are modified spherical Bessel functions.
    """
    from scipy.special import ive

    half = math.sqrt(math.pi * r / 2)
    return half * float(ive(n + 0.5, r) + ive(n + 1.5, r))


def least(tail: Callable[[float, int], float], r: Number, tol: float) -> int:
    """The smallest n >= 0 with tail(r, n) <= tol."""
    low, high = -1, 8
    while tail(float(r), high) > tol:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if tail(float(r), middle) <= tol:
            high = middle
        else:
            low = middle
    return high


@dataclass(frozen=True)
class Scale:
    r"""The factor that keeps :math:`e^{\langle Kx, y\rangle}` in range, and how many
    Fourier modes the quotient has along every circle of points x.

    .. math:: \sigma(x) = \sqrt{|Kx|^2 + \delta^2} \ge |Kx|

    :math:`e^{\langle Kx,y\rangle - \sigma(x)} \le 1` is analytic in x, up to the strip
    where the root branches.  With delta = 0 it is as large as can be; a positive delta
    widens the strip where K is nearly singular, and loses a factor :math:`e^{loss}` at
    most.

    Attributes
    ----------
    modes
        Fourier modes of the quotient beyond this one are worth ``tol`` in all, in units
        of :math:`e^{|Kx|}`, aliases included.
    """

    delta: float
    loss: float
    modes: int

    def __call__(self, r: Float[np.ndarray, "*k"]) -> Float[np.ndarray, "*k"]:
        return np.hypot(r, self.delta) if self.delta else r


# Larger losses would show rounding at more than a fortieth of the sums.
LOSS = 3.0
DELTAS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
# Nearer to a branch of the root than this there is no useful strip.
BRANCH = 1e-6


def scale(largest: float, smallest: float, tol: float) -> Scale:
    """The scale that needs the fewest modes, for the extreme singular values of K."""
    choices = []
    for delta in map(float, DELTAS):
        loss = math.hypot(smallest, delta) - smallest
        if math.hypot(smallest, delta) <= BRANCH * math.hypot(largest, delta):
            continue
        if loss > LOSS:
            break
        modes = _modes(largest, smallest, delta, tol * math.exp(-loss))
        choices.append(Scale(delta, loss, modes))
    return min(choices, key=lambda s: s.modes)


def _modes(largest: float, smallest: float, delta: float, tol: float) -> int:
    r"""Modes of :math:`e^{\langle Kx(t),y\rangle - \sigma(x(t))}` along a great circle.

    On the line Im t = a, :math:`x(t+ia) = \cosh a\, x + i \sinh a\, x'` with
    :math:`x' \perp x`.  There the modulus is at most :math:`e^{E}`,

    .. math:: E = \cosh a\, s - \sqrt{\cosh^2 a\, s^2 - \sinh^2 a\, S^2 + \delta^2}

    with the extreme singular values S, s of K (x along the short axis, x' along the
    long one), and modes beyond n with their aliases are at most
    :math:`4 e^{E - (n+1)a} / (1 - e^{-a})`; the best a is taken.  Circles of latitude
    are no worse.  For delta = 0 and S = s this is Chernoff's bound again.
    """
    big, small = math.hypot(largest, delta), math.hypot(smallest, delta)
    branch = math.atanh(small / big) if small < big * (1 - 1e-12) else math.inf
    widest = min(0.999 * branch, 8.0)
    a = np.geomspace(1e-3 * widest, widest, 200)
    fall = small**2 + np.sinh(a) ** 2 * (smallest - largest) * (smallest + largest)
    growth = np.cosh(a) * smallest - np.sqrt(np.maximum(fall, 0))
    n = (growth + math.log(4 / tol) - np.log(-np.expm1(-a))) / a - 1
    return max(1, math.ceil(n.min()))
