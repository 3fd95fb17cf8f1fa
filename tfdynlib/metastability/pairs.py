"""Theory of one and two clusters: an antipodal pair, a single body, and their ends."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, flow, sphere
from tfdynlib._check import Number
from tfdynlib.metastability.limit import SAME, one_head
from tfdynlib.weights import Heads

POLES, REST, TURNING = "poles", "rest", "turning"


def pair_velocity(x: Real[np.ndarray, "n d"], heads: Heads) -> Float[np.ndarray, "n d"]:
    r"""Velocity of x in a pair x, -x of equal masses, for each row by itself.

    .. math:: \dot x = \sum_h m_h \tanh(\beta\langle x, B_h x\rangle)\, P_x V_h x

    Exact: the two stay antipodal.  Where :math:`\langle x, Bx\rangle < 0` a single
    head drives the pair backwards, away from what V favours.
    """
    x = _rows(x, heads)
    push = np.tanh(heads.beta * np.einsum("nd,hde,ne->hn", x, heads.B, x))
    pull = np.einsum("h,hn,hde,ne->nd", heads.mass, push, heads.V, x)
    return sphere.project(x, pull)


def cluster_velocity(
    x: Real[np.ndarray, "n d"], heads: Heads
) -> Float[np.ndarray, "n d"]:
    r"""Velocity of all tokens in one point x, :math:`P_x \sum_h m_h V_h x`, for each
    row by itself: exact, and B and beta play no part."""
    x = _rows(x, heads)
    return sphere.project(x, np.einsum("h,hde,ne->nd", heads.mass, heads.V, x))


@dataclass(frozen=True)
class Top:
    """The eigenvalues of largest real part: that part, the gap below, and a real
    orthonormal basis of their space; None if they are complex."""

    value: float
    gap: float
    basis: Float[np.ndarray, "d k"] | None


def top_of(V: Float[np.ndarray, "d d"]) -> Top:
    """The dominant real eigenspace of a matrix that need not be symmetric."""
    values, vectors = np.linalg.eig(V)
    size = max(float(np.abs(values).max()), 1e-300)
    top = values.real >= values.real.max() - SAME * size
    rest = values.real[~top]
    value = float(values.real.max())
    gap = value - float(rest.max()) if len(rest) else 0.0
    if np.abs(values[top].imag).max() > SAME * size:
        return Top(value, gap, None)
    basis = np.linalg.qr(vectors[:, top].real)[0]
    return Top(value, gap, np.ascontiguousarray(basis))


@dataclass(frozen=True)
class End:
    """Where one or two clusters end.

    Attributes
    ----------
    kind
        ``"poles"``: at an eigenvector of V, with :math:`\\langle x, Bx\\rangle \\ne 0`;
        ``"rest"``: where nothing pushes (a pair with :math:`\\langle x, Bx\\rangle =
        0`, a cluster in an eigenspace of dimension two or more); ``"turning"``:
        nowhere.
    x
        The place, up to sign; None if there is none.
    score
        :math:`\\langle x, Bx\\rangle` there; nan if there is no place.
    why
        In words.
    """

    kind: str
    x: Float[np.ndarray, " d"] | None
    score: float
    why: str


def predicted_end(heads: Heads) -> End:
    r"""Where the theory of two points sends equal pairs of clusters, in the long run.

    With v the dominant real eigenvector of V (largest real part):
    :math:`\langle v, Bv\rangle > 0` makes ±v a stable pair of ``"poles"``, as
    Conjecture 1 has it.  Where it is negative, or zero, an equal pair is driven away
    from v and comes to ``"rest"``, most often where :math:`\langle x, Bx\rangle = 0`
    (a single cluster still goes to v, and so do unequal ones as a rule); so it does
    anywhere in an eigenspace of dimension two or more.  A complex dominant pair keeps
    all of them ``"turning"``.

    Source: Conjecture 1 of :cite:t:`alcalde2026quantifying` in summary; its hypotheses
    are not known to us, and this theory is ours.
    """
    B, V = one_head(heads)
    top = top_of(V)
    if top.basis is None:
        return End(TURNING, None, float("nan"), "V's dominant eigenvalues are complex")
    v = top.basis[:, 0] * np.sign(top.basis[np.abs(top.basis[:, 0]).argmax(), 0])
    score = float(v @ B @ v)
    if top.basis.shape[1] > 1:
        return End(REST, v, score, "V's dominant eigenspace is no line")
    if score > 0:
        return End(POLES, v, score, "<v, Bv> > 0 at V's dominant eigenvector v")
    return End(REST, v, score, "<v, Bv> <= 0: an equal pair is driven away from v")


def end_of_pair(
    x0: ArrayLike, heads: Heads, t: Number = 1000.0, tol: Number = 1e-6
) -> End:
    """Where the equal pair x0, -x0 has come by layer-time t, by ``pair_velocity``.

    ``"poles"`` if it rests at an eigenvector of V, ``"rest"`` if it rests because
    <x, Bx> vanishes, ``"turning"`` if its speed is still above ``tol``.  A start that
    rests already is an end.
    """
    one_head(heads)
    x0 = np.atleast_2d(_check.array(x0, "x0"))
    if len(x0) != 1:
        raise _check.refuse("x0", "one point", x0)

    def field(t: float, x: np.ndarray) -> np.ndarray:
        return pair_velocity(x, heads)

    last, tol = _check.positive(t, "t"), _check.positive(tol, "tol")
    x, now, step = _rows(x0, heads), 0.0, 1.0
    speed = _speed(x, heads)
    while now < last and speed > tol:  # longer and longer stretches
        after = min(last, now + step)
        run = flow.solve(field, x, [now, after], max_steps=100_000)
        x, now, step = run.x[-1], after, 2 * step
        speed = _speed(x, heads)
    score = float(x[0] @ heads.B[0] @ x[0])
    if speed > tol:
        return End(TURNING, x[0], score, f"it moves at speed {speed:.2g}")
    free = float(np.linalg.norm(cluster_velocity(x, heads)))
    if free <= 10 * speed + 10 * tol:
        return End(POLES, x[0], score, "an eigenvector of V")
    return End(REST, x[0], score, "<x, Bx> = 0: the two sides pull alike")


def _speed(x: Float[np.ndarray, "1 d"], heads: Heads) -> float:
    return float(np.linalg.norm(pair_velocity(x, heads)))


def _rows(x: Real[np.ndarray, "n d"], heads: Heads) -> Float[np.ndarray, "n d"]:
    d = _check.dimension(heads)
    why = ", the dimension of the heads"
    return _check.shaped(_check.unit_rows(x), "x", (None, d), why)
