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
# Eigenvectors nearer than this are one.
ALIKE = 1e-7


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
    # Of a Jordan block every eigenvector is the same.
    basis, length, _ = np.linalg.svd(vectors[:, top].real, full_matrices=False)
    return Top(value, gap, np.ascontiguousarray(basis[:, length > ALIKE * length[0]]))


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
    Conjecture 1 has it (a pair of clusters, that is: if the eigenvalue is negative too
    the tokens of a cluster drift apart).  Where it is negative, or zero, an equal pair
    is driven away from v and comes to ``"rest"``, most often where
    :math:`\langle x, Bx\rangle = 0` (a single cluster still goes to v, and so do
    unequal ones as a rule); so it does anywhere in an eigenspace of dimension two or
    more.  A complex dominant pair of eigenvalues keeps it ``"turning"`` if
    :math:`\langle x, Bx\rangle > 0` in all of their plane; else it turns until that
    vanishes, and is at ``"rest"``.

    Source: Conjecture 1 of :cite:t:`alcalde2026quantifying` in summary; its hypotheses
    are not known to us, and this theory is ours.
    """
    B, V = one_head(heads)
    top = top_of(V)
    if top.basis is None:
        return _turning(B, V, top)
    v = top.basis[:, 0] * np.sign(top.basis[np.abs(top.basis[:, 0]).argmax(), 0])
    score = float(v @ B @ v)
    if top.basis.shape[1] > 1:
        return End(REST, v, score, "V's dominant eigenspace is no line")
    if score > 0:
        return End(POLES, v, score, "<v, Bv> > 0 at V's dominant eigenvector v")
    return End(REST, v, score, "<v, Bv> <= 0: an equal pair is driven away from v")


def _turning(B: Float[np.ndarray, "d d"], V: Float[np.ndarray, "d d"], top: Top) -> End:
    """The end if the dominant eigenvalues are complex."""
    values, vectors = np.linalg.eig(V)
    seen = vectors[:, values.real >= top.value - SAME * np.abs(values).max()]
    plane = np.linalg.svd(np.hstack([seen.real, seen.imag]))
    inside = plane[0][:, : int((plane[1] > ALIKE * plane[1][0]).sum())]
    why = "V's dominant eigenvalues are complex"
    if np.linalg.eigvalsh(inside.T @ (B + B.T) @ inside)[0] > 0:
        return End(TURNING, None, float("nan"), why)
    return End(
        REST, None, float("nan"), why + ", and <x, Bx> <= 0 somewhere on the way"
    )


def end_of_pair(
    x0: ArrayLike, heads: Heads, t: Number = 1000.0, tol: Number = 1e-6
) -> End:
    r"""Where the equal pair x0, -x0 has come by layer-time t, by ``pair_velocity``.

    ``"rest"`` where :math:`|\langle x, Bx\rangle| \le` tol |B|, ``"poles"`` where
    :math:`|P_x V x| \le` tol |V|, which is at an eigenvector of V; ``"turning"`` if
    it has come to neither.  A start that is there already is an end.  (The way is that
    of the linear flow of V, forwards or backwards by the sign of
    :math:`\langle x_0, Bx_0\rangle`: beta says only how fast the pair goes.)
    """
    B, V = one_head(heads)
    x0 = np.atleast_2d(_check.array(x0, "x0"))
    if len(x0) != 1:
        raise _check.refuse("x0", "one point", x0)
    x = _rows(x0, heads, "x0").copy()
    last, tol = _check.positive(t, "t"), _check.positive(tol, "tol")
    size_b, size_v = (float(np.linalg.norm(matrix, 2)) for matrix in (B, V))

    def score(t: float, x: Float[np.ndarray, "1 d"]) -> float:
        return float(x[0] @ B @ x[0])

    side = 1.0 if score(0.0, x) > 0 else -1.0

    def pull(t: float, x: Float[np.ndarray, "1 d"]) -> float:
        return side * score(t, x) - tol * size_b

    def free(t: float, x: Float[np.ndarray, "1 d"]) -> float:
        return float(np.linalg.norm(cluster_velocity(x, heads))) - tol * size_v

    words = ""
    if pull(0.0, x) > 0 and free(0.0, x) > 0:
        ends = [flow.Event(g, True, -1) for g in (pull, free)]
        run = flow.solve(
            lambda t, x: pair_velocity(x, heads),
            *(x, [0.0, last], "dopri5", 1e-9, 1e-11, ends),
            max_steps=100_000,
        )
        x = run.x[-1]
        if run.status not in ("done", "event"):
            words = f"; the integrator stopped at t = {run.t[-1]:g}: {run.status}"
    # An event is found up to rounding, and an end may lie just above it.
    if free(0.0, x) <= tol * size_v:
        return End(POLES, x[0], score(0.0, x), "an eigenvector of V")
    if pull(0.0, x) <= tol * size_b:
        why = "<x, Bx> = 0: the two sides pull alike"
        return End(REST, x[0], score(0.0, x), why)
    speed = float(np.linalg.norm(pair_velocity(x, heads)))
    return End(TURNING, x[0], score(0.0, x), f"it moves at speed {speed:.2g}{words}")


def _rows(
    x: Real[np.ndarray, "n d"], heads: Heads, name: str = "x"
) -> Float[np.ndarray, "n d"]:
    d = _check.dimension(heads)
    why = ", the dimension of the heads"
    return _check.shaped(_check.unit_rows(x, name), name, (None, d), why)
