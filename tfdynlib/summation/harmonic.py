r"""Tokens on the two-sphere: sums by spherical harmonics, at a cost that is O(N).

.. math::
    \int e^{\langle p, y\rangle} d\mu(y) = \sum_{l,m} 4\pi\, i_l(r)\, a_{lm}
    Y_{lm}(\psi), \qquad p = r \psi, \quad a_{lm} = \int \overline{Y_{lm}}\, d\mu

The measures of y_1, y_2, y_3 times mu give the first moments; their coefficients come
from those of mu.  If K is a multiple of an orthogonal matrix, r is the same for all
tokens, and the sums at tokens are values of one function each.  For other K the sums
are computed at a grid of points x, by interpolation between several r, and are again
functions on the sphere that are evaluated at the tokens.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Complex, Float

from tfdynlib.summation import _bessel, _legendre, _two_sphere
from tfdynlib.summation._moments import (
    EPS,
    Masses,
    Matrix,
    Method,
    Moments,
    Queries,
    Task,
    Tokens,
)
from tfdynlib.summation._truncation import (
    Scale,
    circle_tail,
    least,
    scale,
    sphere_tail,
)

Coefficients = Complex[np.ndarray, "4 m l"]

# Parts of tol that each approximation may take of the largest sum.
SHARE = 1e-5
# What double precision leaves of the sums, in units of the largest.
ROUNDING = 16 * EPS
# Sum of the moduli of the Fourier coefficients of e^{<p, y> - |p|} in the angles of y.
WAVES = 2.0


def accuracy(tol: float) -> float:
    """Accuracy of each approximation: small against tol, since sums may be small."""
    return float(np.clip(SHARE * tol, EPS / 4, 1e-8))


def degree(r: float, tol: float) -> int:
    """Degree that sums for queries of length r need: the rest is tol at most."""
    return least(sphere_tail, r, tol)


def radii(largest: float, smallest: float, tol: float) -> int:
    r"""Chebyshev nodes in :math:`r \in [s, S]` that interpolate
    :math:`e^{r(u-1)}`, |u| <= 1, to tol.

    With :math:`c = (1-u)(S-s)/2` its coefficients are
    :math:`2 e^{-(1-u)s} e^{-c} I_k(c)` in modulus, so the tail is the circle's.
    """
    width = largest - smallest
    c = np.linspace(0, width, 65)[1:]
    fall = np.exp(-2 * c * smallest / width)

    def worst(_: float, n: int) -> float:
        return max(4 * f * circle_tail(b, n) for f, b in zip(fall, c))

    return least(worst, width, tol) + 1


@dataclass(frozen=True)
class Plan:
    """How one head is summed.

    Attributes
    ----------
    degree
        Degree of the tokens' coefficients that matters.
    scale
        The factor taken out of the sums, and the modes that then are left.
    r
        Lengths of queries at which sums are computed: one for a multiple of an
        orthogonal matrix, else Chebyshev nodes.
    """

    degree: int
    scale: Scale
    r: Float[np.ndarray, " r"]


@lru_cache(maxsize=64)
def _plan(K: bytes, small: float) -> Plan:
    """The plan of one head; K in bytes, so that it can be remembered."""
    values = np.linalg.svd(np.frombuffer(K).reshape(3, 3), compute_uv=False)
    largest, smallest = float(values[0]), float(values[-1])
    L = degree(largest, small)
    if largest - smallest <= 8 * EPS * largest:
        return Plan(L, Scale(0.0, 0.0, L), np.array([largest]))
    n = radii(largest, smallest, small)
    node = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    r = (largest + smallest) / 2 + (largest - smallest) / 2 * node
    return Plan(L, scale(largest, smallest, small / 8), r)


def sums(at: Queries, x: Tokens, K: Matrix, mass: Masses, tol: float) -> Moments:
    """Moments of one head."""
    return stack(at, x, K[None], mass, tol)[0]


def stack(
    at: Queries, x: Tokens, Ks: Float[np.ndarray, "H d d"], mass: Masses, tol: float
) -> list[Moments]:
    """Moments of several heads; the coefficients of the tokens are taken once."""
    small = accuracy(tol)
    plans = [_plan(_bytes(K), small) for K in Ks]
    most = max(plan.degree for plan in plans)
    a = _legendre.first_moments(_two_sphere.analyse(x, mass, most + 1, small))
    total = float(mass.sum())
    return [_one(at, K, plan, a, total, small) for K, plan in zip(Ks, plans)]


def _bytes(K: Matrix) -> bytes:
    """The entries of K, row by row."""
    return np.ascontiguousarray(K, dtype=float).tobytes()


def _one(
    at: Queries, K: Matrix, plan: Plan, a: Coefficients, total: float, small: float
) -> Moments:
    """Moments of one head from the coefficients of the tokens."""
    L = plan.degree
    a = a[:, : L + 1, : L + 1]
    p = at @ K.T
    reach = np.sqrt(np.einsum("kd,kd->k", p, p))
    if len(plan.r) == 1:
        at = at if _is_multiple(K) else p
        f, size = _at_radius(a, float(plan.r[0]), at, small, _sign(K))
        shift, loss = reach, 1.0
    elif len(at) <= _grid_size(plan):
        f, size = _between_radii(a, plan, p, reach, small)
        shift, loss = reach, 1.0
    else:
        grid, size = _sums_on_grid(a, plan, K, small)
        f = _two_sphere.evaluate(grid, at, small)
        size += _two_sphere.size(grid)
        shift, loss = plan.scale(reach), np.exp(plan.scale.loss)
    wave = _two_sphere.error(small)
    size = size / total if total > 0 else 0.0
    tail = 4 * small + loss * (wave * (WAVES + size) + ROUNDING)
    return Moments(shift, f[0], f[1:].T, reach, total, tail=float(tail))
