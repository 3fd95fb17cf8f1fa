"""How fast the energy falls, along steepest descent and along a rule."""

import numpy as np
from jaxtyping import Real
from numpy.typing import ArrayLike

from tfdynlib import _check, _slopes, attention, sphere
from tfdynlib._check import Number
from tfdynlib.weights import Heads, gradient_sign


def slope_squared(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Square of the metric slope of E, the rate of descent along the gradient rule.

    .. math:: |\partial E|^2 = \int \hat b^{-1} \Bigl|\sum_h m_h g_h\Bigr|^2 d\mu
    """
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    how = attention.how(method, tol)
    g = _slopes.euclidean_gradient(x, heads, mass, how)
    if np.abs(g).max() > _check.LARGEST:
        wanted = f"of slopes up to {_check.LARGEST:g}"
        raise _check.refuse("heads", wanted, f"{np.abs(g).max():g}")
    g = sphere.project(x, g)
    inverse = _slopes.exponential(
        -_slopes.log_effective_weight(x, heads, mass, how), heads
    )
    with np.errstate(over="ignore"):  # inf is refused
        return _slopes.double(mass @ (inverse * np.sum(g * g, axis=1)), "heads")


def dissipation(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    rule: str = "softmax",
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Rate at which E falls along a rule of ``attention.velocity``, weights frozen.

    .. math:: -\frac{d}{dt} E = -\int \Bigl\langle \sum_h m_h g_h,\, v \Bigr\rangle d\mu

    Exact for every rule and any heads.  For one descent head it is
    :math:`\int |g|^2 / s\, d\mu \ge 0`.  For several *different* descent heads the
    softmax rule may have a negative one: E rises.
    """
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    how = attention.how(method, tol)
    v = attention.velocity(x, heads, mass, rule, method, tol)
    return -_slopes.rate(x, v, heads, mass, how)


def action(
    x: Real[np.ndarray, "n d"],
    v: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Squared length of a velocity in the metric of the heads,
    :math:`\int \hat b\, |v|^2 d\mu`."""
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    how = attention.how(method, tol)
    v = _check.bounded(_check.shaped(v, "v", x.shape, why=", that of x"), "v")
    weight = _slopes.exponential(
        _slopes.log_effective_weight(x, heads, mass, how), heads
    )
    with np.errstate(over="ignore"):  # inf is refused
        return _slopes.double(mass @ (weight * np.sum(v * v, axis=1)), "v")


def head_mismatch(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    """How far softmax is from steepest descent: dissipation minus action, along it.

    Zero for one head, for equal heads, and whenever all heads weigh every token
    equally.  For ascent heads (V = B) the rate of climb takes the place of the
    dissipation.  Raises ``ValueError`` for heads that are neither.
    """
    _check.dimension(heads)
    sign = gradient_sign(heads)
    how = attention.how(method, tol)
    v = attention.velocity(x, heads, mass, "softmax", *how)
    return -sign * dissipation(x, heads, "softmax", mass, *how) - action(
        x, v, heads, mass, *how
    )
