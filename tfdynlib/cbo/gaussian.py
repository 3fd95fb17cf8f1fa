"""Consensus of a Gaussian cloud on a quadratic objective, in closed form."""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number


def gaussian_mean(
    m0: ArrayLike | Number,
    S0: ArrayLike | Number,
    a: ArrayLike | Number,
    alpha: Number,
    t: ArrayLike | Number = np.inf,
    H: ArrayLike | None = None,
) -> Float[np.ndarray, "..."]:
    r"""Mean at time t of N(m0, S0) under noise-free consensus on a quadratic.

    For :math:`f(y) = \tfrac12 (y-a)^\top H (y-a)` Gaussians stay Gaussian, with
    :math:`S(t) = e^{-2t}S_0`, and with :math:`K = \alpha S_0 H`

    .. math::
        a - m(t) = \bigl[(I + e^{-2t}K)(I + K)^{-1}\bigr]^{1/2} (a - m_0),

    so the consensus stops short of a: :math:`a - m(\infty) = (I+K)^{-1/2}(a - m_0)`,
    in one dimension :math:`(1+\alpha S_0)^{-1/2}(a - m_0)`.  For α = 10 from N(0, 1)
    and a = 1 it is 0.698489.

    Numbers m0, S0, a are one dimension; else (d,), (d, d), (d,).  S0 may be singular;
    H is symmetric, the identity if not given, and may have negative eigenvalues as
    long as the weighted mean exists, which is refused otherwise.  ``t`` >= 0 is a
    number or (m,), ``inf`` included; times come first in the result.  Derived in the
    book.
    """
    alpha, times = _check.positive(alpha, "alpha"), _times(t)
    plain = np.ndim(m0) == 0
    start = np.atleast_1d(_check.array(m0, "m0"))
    d = len(start)
    S = _check.symmetric(
        np.reshape(_check.array(S0, "S0"), (1, 1)) if plain else S0, "S0"
    )
    S = _check.shaped(S, "S0", (d, d), ", the dimension of m0")
    goal = _check.shaped(np.atleast_1d(_check.array(a, "a")), "a", (d,), ", that of m0")
    bowl = np.eye(d) if H is None else _check.symmetric(np.atleast_2d(H), "H")
    bowl = _check.shaped(bowl, "H", (d, d), ", the dimension of m0")
    L = _root(S)
    with np.errstate(over="ignore", invalid="ignore"):
        K = alpha * L.T @ bowl @ L
    if not np.abs(K).max() < _check.LARGEST:
        wanted = f"such that alpha S0 H is below {_check.LARGEST:g}"
        raise _check.refuse("alpha", wanted, alpha)
    values, Q = np.linalg.eigh(K)
    if values[0] <= -1:
        wanted = "such that e^(-alpha f) has a mean (1 + alpha S0 H positive)"
        raise _check.refuse("H", wanted, f"an eigenvalue {1 + values[0]:.3g}")
    away = goal - start
    # f(K) = I + alpha L Q g(values) Q^T L^T H with g(k) = (f(k) - 1) / k.
    left, right = alpha * L @ Q, Q.T @ L.T @ bowl @ away
    change = (_over(values, np.exp(-2 * times)[..., None]) * right) @ left.T
    out = goal - away - change
    return out[..., 0] if plain else out


def _times(t: ArrayLike | Number) -> Float[np.ndarray, "..."]:
    out = np.asarray(t)
    if out.dtype.kind not in "iuf" or out.ndim > 1 or not (out >= 0).all():
        raise _check.refuse("t", "zero or positive, a number or (m,)", t)
    return out.astype(float)


def _root(S: Float[np.ndarray, "d d"]) -> Float[np.ndarray, "d d"]:
    """The symmetric square root of a covariance."""
    values, U = np.linalg.eigh(S)
    if values[0] < -1e-12 * abs(values[-1]):
        came = f"an eigenvalue of {values[0]:.3g}"
        raise _check.refuse("S0", "a covariance (no negative eigenvalue)", came)
    return (U * np.sqrt(np.maximum(values, 0.0))) @ U.T


def _over(
    k: Float[np.ndarray, " d"], q: Float[np.ndarray, "*m 1"]
) -> Float[np.ndarray, "*m d"]:
    r"""(sqrt((1 + q k)/(1 + k)) - 1) / k, which is smooth at k = 0."""
    return (q - 1) / ((1 + k) * (np.sqrt((1 + q * k) / (1 + k)) + 1))
