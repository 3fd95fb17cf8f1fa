"""How many tokens a token sees: when n of them are a continuum, and when not."""

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, attention
from tfdynlib._check import Number
from tfdynlib.weights import Heads

# Beyond this SciPy's Bessel functions are no numbers, and few terms are exact.
FAR, TERMS = 1e8, 8
LEAST = 1e-300  # below this every part is 1, to the last digit


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
    cold = np.asarray(np.maximum(_check.bounded(beta, "beta"), LEAST), dtype=float)
    twice = _log_integral(d, np.asarray(2 * cold))
    return np.asarray(np.exp(2 * _log_integral(d, cold) - twice))


def _log_integral(d: int, beta: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    r"""Logarithm of the mean of e^{beta (z - 1)}, where e^beta is no part of it:
    :math:`e^{-\beta}\, {}_0F_1(d/2;\ \beta^2/4)`."""
    from scipy.special import gammaln, hyp0f1, ive

    order, near = d / 2 - 1, np.minimum(beta, FAR)
    bessel = ive(order, near)
    # Where the scaled Bessel function is no double, the series is one.
    large = bessel > 1e-280
    log = np.log(np.where(large, bessel, 1.0))
    out = np.asarray(np.maximum(beta, FAR))
    log = np.where(beta > FAR, _log_far(order, out), log)
    safe, small = np.where(large, beta, 1.0), np.where(large, 0.0, beta)
    log = log + gammaln(order + 1) - order * np.log(safe / 2)
    return np.where(large, log, np.log(hyp0f1(order + 1, small**2 / 4)) - small)


def _log_far(order: float, x: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Logarithm of e^{-x} I(x) far out, by Hankel's expansion."""
    term = total = np.ones_like(x)
    for k in range(1, TERMS):
        term = -term * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k * x)
        total = total + term
    return np.asarray(np.log(total) - 0.5 * np.log(2 * np.pi * x))


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
