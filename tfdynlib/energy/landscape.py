"""The interaction energy, what it weighs tokens with, and its first variation."""

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, _slopes, attention
from tfdynlib._check import Number
from tfdynlib.weights import Heads


def interaction(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Interaction energy of the tokens.

    .. math::
        E = \frac{1}{2\beta} \sum_h m_h \iint e^{\beta\langle B_h x, y\rangle}\,
            d\mu(x)\, d\mu(y)

    Self pairs included.  A descent head (V = -B, B symmetric) lowers it, an ascent head
    (V = B) raises it, at the rate ``dissipation``.  For B = I it is largest,
    :math:`e^\beta / 2\beta`, when all tokens are one.
    """
    return float(
        _slopes.exponential(
            np.array(log_interaction(x, heads, mass, method, tol)), heads
        )
    )


def log_interaction(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    """Logarithm of ``interaction``; finite for every beta."""
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    log_s = attention.log_partition(x, heads, mass, None, method, tol)
    weight = heads.mass[:, None] * mass
    top = log_s[weight > 0].max()
    total = np.sum(weight * np.exp(np.minimum(log_s - top, 0)))
    return float(top + np.log(total) - np.log(2 * heads.beta))


def head_weights(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Float[np.ndarray, "H n"]:
    r"""The attention each token feels, :math:`s_h(x_i) = \int e^{\beta\langle B_h x_i,
    y\rangle} d\mu(y)`, for each head: the price of moving token i with head h."""
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    return _slopes.exponential(
        attention.log_partition(x, heads, mass, None, method, tol), heads
    )


def effective_weight(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Float[np.ndarray, " n"]:
    r"""Harmonic mean over heads, :math:`\hat b = \bigl(\sum_h m_h / s_h\bigr)^{-1}`.

    The least of :math:`\sum m_h s_h |v_h|^2` among all ways to write a velocity as
    :math:`v = \sum m_h v_h` is :math:`\hat b\, |v|^2`.  (It multiplies the squared
    velocity; what is called mobility is its inverse.)
    """
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    how = attention.how(method, tol)
    return _slopes.exponential(_slopes.log_effective_weight(x, heads, mass, how), heads)


def weight_bounds(heads: Heads) -> tuple[float, float]:
    r"""Least and largest value that ``effective_weight`` may take for any tokens.

    .. math::
        \Bigl(\sum_h m_h e^{R_h}\Bigr)^{-1} \le \hat b \le
        \Bigl(\sum_h m_h e^{-R_h}\Bigr)^{-1}, \qquad R_h = \beta |B_h|

    with the operator norm.  One head bI and all tokens in one place reach the upper one
    if b > 0, the lower one if b < 0.
    """
    _check.dimension(heads)
    reach = heads.beta * np.linalg.norm(heads.B, 2, axis=(1, 2))
    _slopes.exponential(reach, heads)
    return tuple(float(1 / (heads.mass @ np.exp(s * reach))) for s in (1, -1))  # type: ignore[return-value]


def first_variation(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    at: Real[np.ndarray, "k d"] | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Float[np.ndarray, " k"]:
    r"""First variation of E at the tokens, or at other points ``at``.

    .. math:: \frac{\delta E}{\delta\mu} = \frac1\beta \bar s, \qquad
              \bar s = \sum_h m_h s_h

    Moving a little mass ε from y to z changes E by ε times the difference of the values
    at z and y.  If some B_h is not symmetric, the mean of s for B_h and for its
    transpose stands for s_h.
    """
    x, mass, at = _check.cloud(x, _check.dimension(heads), mass, at)
    log_beta = np.log(heads.beta)
    both = [
        _slopes.exponential(
            attention.log_partition(x, part, mass, at, method, tol) - log_beta, heads
        )
        for part in _slopes.halves(heads)
    ]
    return np.mean([heads.mass @ s for s in both], axis=0)
