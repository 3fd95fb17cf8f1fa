"""How many tokens a token sees: when n of them are a continuum, and when not."""

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, attention
from tfdynlib._check import Number
from tfdynlib.weights import Heads

COLDEST = 1e9  # later the Bessel functions have no digits


def effective_fraction(d: int, beta: Number | ArrayLike) -> Float[np.ndarray, "..."]:
    r"""Which part of a uniform cloud on the sphere of R^d a token sees, with B = I.

    .. math:: \frac{N_{\rm eff}}{N}
        = \frac{\bigl(\int e^{\beta z}\bigr)^2}{\int e^{2\beta z}}
        \qquad \Bigl(d = 3: \frac{\tanh\beta}{\beta},
        \quad d = 2: \frac{I_0(\beta)^2}{I_0(2\beta)}\Bigr)

    It falls like :math:`\beta^{-(d-1)/2}`: a cloud is a continuum only for
    :math:`N \gg \beta^{(d-1)/2}`.
    """
    d, beta = _check.count(d, "d", 2), _check.array(beta, "beta")
    if beta.size and beta.min() <= 0:
        raise _check.refuse("beta", "positive", f"{beta.min():g}")
    if beta.size and not (beta.max() <= COLDEST and beta.min() * COLDEST >= 1):
        wanted = f"between {1 / COLDEST:g} and {COLDEST:g}"
        raise _check.refuse("beta", wanted, f"{beta.min():g} to {beta.max():g}")
    return np.asarray(
        np.exp(2 * _log_integral(d, beta) - _log_integral(d, np.asarray(2 * beta)))
    )


def _log_integral(d: int, beta: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    r"""Logarithm of the mean of e^{beta z}: :math:`{}_0F_1(d/2;\ \beta^2/4)`."""
    from scipy.special import gammaln, hyp0f1, ive

    order = d / 2 - 1
    bessel = ive(order, beta)
    # Where the scaled Bessel function is no double, the series is one.
    large = bessel > 1e-280
    safe, small = np.where(large, beta, 1.0), np.where(large, 0.0, beta)
    far = np.log(np.where(large, bessel, 1.0)) + safe + gammaln(order + 1)
    far = far - order * np.log(safe / 2)
    return np.asarray(np.where(large, far, np.log(hyp0f1(order + 1, small**2 / 4))))


def effective_neighbours(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Float[np.ndarray, "H n"]:
    r"""How many tokens each token sees, :math:`1 / \sum_j a_{ij}^2`, for each head.

    Between 1 (only one counts) and n (all alike).  Below some dozens the cloud is no
    continuum: it falls into local clumps that no density would show.  Summed like
    ``attention.log_partition``, at beta and at twice beta.
    """
    _check.dimension(heads)
    mass = _check.masses(mass, len(_check.unit_rows(x)))
    seen = mass > 0
    square = float(mass @ mass)
    twice = Heads(heads.B, heads.V, 2 * heads.beta, heads.mass)
    y = _check.unit_rows(x)[seen]
    one = attention.log_partition(y, heads, mass[seen], x, method, tol)
    weight = mass[seen] ** 2 / square
    two = attention.log_partition(y, twice, weight, x, method, tol)
    return np.asarray(np.exp(2 * one - two) / square)
