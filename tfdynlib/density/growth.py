"""How fast harmonics grow out of the uniform density."""

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.summation import _bessel

# 1 / beta is a double.
LEAST_BETA = 1e-300


def growth_rates(beta: Number, kmax: int, d: int = 2) -> Float[np.ndarray, " kmax"]:
    r"""Rates at which harmonics of degree 1 ... kmax grow out of the uniform density.

    .. math:: \lambda_k = \frac{k (k + d - 2)\, I_{k + d/2 - 1}(\beta)}
                               {\beta\, I_{d/2 - 1}(\beta)}

    for one head B = V = I on the sphere of R^d under the softmax rule; with V = -I they
    decay at this rate.  On the circle, d = 2, it is
    :math:`k^2 I_k(\beta) / \beta I_0(\beta)`, largest near :math:`k = \sqrt{2\beta}`.
    Derived in the book.
    """
    beta, d = _check.positive(beta, "beta"), _check.count(d, "d", 2)
    if beta < LEAST_BETA:
        raise _check.refuse("beta", f"{LEAST_BETA:g} or more", beta)
    kmax = _check.count(kmax, "kmax")
    k = np.arange(1, kmax + 1)
    steps = _bessel.ratios(np.array([beta]), kmax, half=d / 2 - 1)[1:, 0]
    return k * (k + d - 2) / beta * np.cumprod(steps)
