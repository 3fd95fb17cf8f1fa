r"""How far the softmax mean is from its limit: Laplace's principle, in numbers."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, attention, sphere, summation
from tfdynlib._check import Number
from tfdynlib._measure import Measure
from tfdynlib.metastability.limit import one_head
from tfdynlib.summation._bessel import ratios
from tfdynlib.weights import Heads


@dataclass(frozen=True, repr=False)
class LaplaceError:
    r"""The softmax mean m of some queries beside its limit :math:`\hat x = Bx/|Bx|`.

    Attributes
    ----------
    kappa
        :math:`\beta |B x|`, what counts as cold.
    mean
        The softmax mean m.
    radial
        :math:`1 - \langle m, \hat x\rangle`; for the uniform law
        :math:`1 - A_d(\kappa) \approx (d-1)/2\kappa`.
    tangential
        :math:`P_{\hat x} m`; for a smooth density ρ near
        :math:`\frac1\kappa P_{\hat x}\nabla\log\rho(\hat x)`.
    """

    kappa: Float[np.ndarray, " k"]
    mean: Float[np.ndarray, "k d"]
    radial: Float[np.ndarray, " k"]
    tangential: Float[np.ndarray, "k d"]

    @property
    def sideways(self) -> Float[np.ndarray, " k"]:
        """Length of the tangential part."""
        return np.asarray(np.linalg.norm(self.tangential, axis=1))

    @property
    def total(self) -> Float[np.ndarray, " k"]:
        r"""Distance of m from :math:`\hat x`."""
        return np.hypot(self.radial, self.sideways)


def laplace_error(
    x: Real[np.ndarray, "k d"],
    heads: Heads,
    mu: Measure,
    method: str = "auto",
    tol: Number = 1e-10,
) -> LaplaceError:
    """The gap between the softmax mean over mu and B x / |B x|, for the queries x.

    ``method`` and ``tol`` are those of ``attention.velocity``.  Raises ``ValueError``
    for two heads or more, and for a query with B x = 0.

    Source: :cite:t:`alcalde2026quantifying`, quantitative Laplace principle, in
    summary; the expansions are ours.
    """
    B, _ = one_head(heads)
    _check.instance(mu, Measure, "mu", "a Measure (see measure.Measure)")
    seen = mu.mass > 0
    y, mass, at = _check.cloud(
        mu.x[seen], heads.d, mu.mass[seen], x, names=("mu.x", "x")
    )
    pull = at @ B.T
    size = np.linalg.norm(pull, axis=1)
    if not size.all():
        raise _check.refuse("x", "such that B x is not zero", "a row with B x = 0")
    unit = pull / size[:, None]
    (found,) = summation.of_heads(at, y, heads, mass, *attention.how(method, tol))
    radial = np.einsum("kd,kd->k", unit - found.mean, unit)
    tangential = sphere.project(unit, found.mean)
    return LaplaceError(heads.beta * size, found.mean, radial, tangential)


def bessel_ratio(d: int, kappa: Number | ArrayLike) -> Float[np.ndarray, "..."]:
    r"""Length of the softmax mean over the uniform law on the sphere of R^d.

    .. math:: A_d(\kappa) = \frac{I_{d/2}(\kappa)}{I_{d/2-1}(\kappa)},
        \qquad A_3 = \coth\kappa - \frac1\kappa,
        \qquad 1 - A_d \sim \frac{d-1}{2\kappa}

    By a recurrence of ratios, so that neither Bessel function has to be a double.
    """
    d = _check.count(d, "d", 2)
    kappa = _check.array(kappa, "kappa")
    if kappa.size and kappa.min() < 0:
        raise _check.refuse("kappa", "zero or positive", f"{kappa.min():g}")
    k, odd = divmod(d, 2)
    # From some orders above, where what the recurrence starts from is forgotten.
    out = ratios(kappa.ravel(), k + 40, odd / 2)[k]
    return np.asarray(out.reshape(kappa.shape))
