r"""What a ReLU takes away: the field (Ax + b)⁺ in place of Ax + b.

A coupling of the two flows from one start and Grönwall's lemma give

.. math::
    W_2(\mathrm{law}_t, N_t) \le \int_0^t e^{L(t-s)}\,
        \|(A\cdot + b)^-\|_{L^2(N_s)}\, ds, \qquad L = |A|_2,

with N_s the Gaussian under Ax + b.  :cite:t:`alcalde2026gaussian` have an estimate of
this kind for short times; this form is derived in the book.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib.gaussian.moments import solve
from tfdynlib.gaussian.types import Gaussian, Layer, Matrix, Vector

# Nodes of the rule of Gauss for each interval of output times.
NODES = 16


def relu_gap(g: Gaussian, A: ArrayLike, b: ArrayLike) -> Vector:
    r"""Mean square of what a ReLU cuts off, coordinate by coordinate, (d,):

    .. math:: E[(y_i^-)^2] = (m_i^2 + s_i^2)\,\Phi(-m_i/s_i) - m_i s_i\,\varphi(m_i/s_i)

    for y = Ax + b with x drawn from g: y_i has mean :math:`m_i = (Am + b)_i` and
    variance :math:`s_i^2 = (A\Sigma A^\top)_{ii}`.  The gap of the two fields in
    L²(g) is the root of their sum.  A coordinate without variance has
    :math:`(m_i^-)^2`.
    """
    _check.instance(g, Gaussian, "g", "a gaussian.Gaussian")
    A, b = _affine(A, b, g.d)
    return _gaps(A @ g.mean + b, np.linalg.norm(A @ g.factor, axis=1))


def _affine(A: ArrayLike, b: ArrayLike, d: int) -> tuple[Matrix, Vector]:
    """Front door of an affine map of R^d."""
    why = ", as the Gaussian has it"
    A = _check.bounded(_check.shaped(A, "A", (d, d), why), "A")
    return A, _check.bounded(_check.shaped(b, "b", (d,), why), "b")


def _gaps(m: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The formula above; far on the positive side it cancels, and is summed by the
    scaled complementary error function."""
    from scipy.special import erfcx, ndtr

    safe = np.where(s > 0, s, 1.0)
    z = m / safe
    bell = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    # Phi(-z) = bell * tail for z > 0, with a tail that does not underflow.
    tail = np.sqrt(np.pi / 2) * erfcx(np.maximum(z, 0.0) / np.sqrt(2))
    right = bell * ((z**2 + 1) * tail - np.maximum(z, 0.0))
    left = (z**2 + 1) * ndtr(-z) - z * bell
    value = s**2 * np.where(z > 0, np.maximum(right, 0.0), left)
    return np.where(s > 0, value, np.minimum(m, 0.0) ** 2)


def relu_field(
    A: ArrayLike, b: ArrayLike
) -> Callable[[float, np.ndarray], Float[np.ndarray, "n d"]]:
    """The field f(t, x) = (Ax + b)⁺ for ``flow.solve(..., space="euclidean")``."""
    A = _check.square(_check.array(A, "A", ndim=2), "A")
    A, b = (M.copy() for M in _affine(A, b, len(A)))
    return lambda t, x: np.maximum(x @ A.T + b, 0.0)


def relu_bound(
    start: Gaussian, A: ArrayLike, b: ArrayLike, t: ArrayLike
) -> Float[np.ndarray, " m"]:
    r"""The bound on :math:`W_2(\mathrm{law}_t, N_t)` at times t[k], zero at t[0].

    .. math:: \int_{t_0}^t e^{|A|_2(t-s)} \Bigl(\sum_i E_{N_s}[(y_i^-)^2]\Bigr)^{1/2} ds

    by sixteen nodes of Gauss on each interval of t; see the head of this file.
    """
    _check.instance(start, Gaussian, "start", "a gaussian.Gaussian")
    A, b = _affine(A, b, start.d)
    times = _check.increasing(t, "t")
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    h = np.diff(times)
    at = times[:-1, None] + h[:, None] * (nodes + 1) / 2
    zero = np.zeros_like(A)
    run = solve(Layer(A, zero, zero, b), start, np.concatenate([times[:1], at.ravel()]))
    if run.status != "done":
        raise _check.refuse("t", "short enough for doubles", f"status {run.status}")
    m = run.mean[1:] @ A.T + b
    s = np.linalg.norm(np.einsum("ij,kjr->kir", A, run.factor[1:]), axis=2)
    gap = np.sqrt(_gaps(m, s).sum(axis=1)).reshape(at.shape)
    L = float(np.linalg.norm(A, 2))
    pieces = 0.5 * h * ((np.exp(L * (times[1:, None] - at)) * gap) @ weights)
    out = np.zeros(len(times))
    for k, piece in enumerate(pieces):
        out[k + 1] = np.exp(L * h[k]) * out[k] + piece
    return out
