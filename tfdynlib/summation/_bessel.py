"""Modified Bessel functions of all orders at once, scaled so that nothing overflows."""

import numpy as np
from jaxtyping import Float


def ratios(
    r: Float[np.ndarray, " g"], n: int, half: float = 0.0
) -> Float[np.ndarray, "m g"]:
    r"""Scaled first value and ratios of successive orders, k = 0 .. n.

    Row 0 is :math:`e^{-r} f_0(r)` and row k is :math:`f_k / f_{k-1}` with :math:`f_k =
    I_k` (half = 0) or the spherical :math:`f_k = i_k` (half = 1/2).  Ratios come from
    the downward recurrence, which is stable; their products cannot overflow.
    """
    from scipy.special import i0e, ive

    out = np.empty((n + 1, len(r)))
    top, below = ive(n + 1 + half, r), ive(n + half, r)
    # Where both are too small to matter, the ratio's upper bound will do.
    bound = r / (n + half + 0.5 + np.hypot(n + half + 1.5, r))
    rho = np.divide(top, below, out=bound, where=below > 1e-280)
    for k in range(n, 0, -1):
        rho = r / (2 * (k + half) + r * rho)
        out[k] = rho
    if half:
        out[0] = np.divide(-np.expm1(-2 * r), 2 * r, out=np.ones_like(r), where=r > 0)
    else:
        out[0] = i0e(r)
    return out


def spherical(r: Float[np.ndarray, " g"], n: int) -> Float[np.ndarray, "m g"]:
    r""":math:`e^{-r} i_l(r)` for l = 0 .. n."""
    return np.multiply.accumulate(ratios(r, n, half=0.5), axis=0)
