"""The distance of two Gaussians, and samples of one."""

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib.gaussian.types import Gaussian


def distance(g: Gaussian, h: Gaussian) -> float:
    r"""Wasserstein distance W₂ of two Gaussians (Bures–Wasserstein), not squared.

    .. math::
        W_2^2 = |m_0 - m_1|^2 + \mathrm{tr}\bigl(\Sigma_0 + \Sigma_1
                - 2(\Sigma_0^{1/2}\Sigma_1\Sigma_0^{1/2})^{1/2}\bigr)

    Computed from the factors as :math:`\min_R |L_0 - L_1 R|_F` over orthogonal R: a
    norm of a difference, so that near Gaussians keep their digits (a sum of traces
    would stop at 1e-8), and any ranks are welcome.  Equal Gaussians have distance 0.

    Raises ``ValueError`` for different dimensions.  Source:
    :cite:t:`peyre2019computational`, remark 2.31.
    """
    for value, name in ((g, "g"), (h, "h")):
        _check.instance(value, Gaussian, name, "a gaussian.Gaussian")
    if g.d != h.d:
        raise _check.refuse("h", f"of d={g.d}, as g has it", h)
    shift = float(np.linalg.norm(g.mean - h.mean))
    if g.factor.shape == h.factor.shape and np.array_equal(g.cov, h.cov):
        return shift
    # The roots are padded to square so that R may be any rotation of R^d.
    L0, L1 = (
        np.pad(f, ((0, 0), (0, f.shape[0] - f.shape[1]))) for f in (g.factor, h.factor)
    )
    U, _, Vt = np.linalg.svd(L1.T @ L0)
    return float(np.hypot(shift, np.linalg.norm(L0 - L1 @ (U @ Vt))))


def sample(g: Gaussian, n: int, rng: np.random.Generator) -> Float[np.ndarray, "n d"]:
    """n independent points of g, (n, d); they lie in the range of its covariance."""
    _check.instance(g, Gaussian, "g", "a gaussian.Gaussian")
    z = _check.generator(rng).standard_normal((_check.count(n, "n"), g.rank))
    return g.mean + z @ g.factor.T
