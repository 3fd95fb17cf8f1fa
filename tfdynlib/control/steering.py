r"""Weights that lead from one Gaussian to another of the same rank, exactly.

With :math:`\Sigma_i=L_iL_i^\top` everything starts from one singular value
decomposition, :math:`L_0^\top L_1=UDW^\top`.  The factor :math:`L_1WU^\top` of the
target is the one nearest to :math:`L_0`, and :math:`G=L_1WU^\top L_0^{-1}`, where
:math:`L_0` is square, is the symmetric positive map with :math:`G\Sigma_0G=\Sigma_1`.

Source: reachability is claimed in :cite:t:`alcalde2026gaussian` (abstract); the
constructions are derived in the book.  The map G: :cite:t:`peyre2019computational`,
remark 2.31.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.control.ranks import pair, reachable
from tfdynlib.gaussian import Gaussian, Layer, LayerPath, piecewise

Matrix = Float[np.ndarray, "d d"]
Vector = Float[np.ndarray, " d"]
METHODS = ("feedforward", "attention", "geodesic")
# Angles below this are rounding of two frames, and have no direction...
STRAIGHT = 1e-14
# ...and ranges closer than this are the same: three digits below the tolerance.
SAME_RANGE = 1e-12
# Vectors whose angle has a smaller cosine are at a right angle: there one of two turns,
# equally long, has to be chosen.
RIGHT = 1e-9


def steer(
    start: Gaussian,
    target: Gaussian,
    t_end: Number = 1.0,
    method: str = "feedforward",
    v: Number = 1.0,
) -> LayerPath:
    r"""Weights on [0, t_end] that take ``start`` to ``target``, exactly.

    ``"feedforward"``
        B = V = 0.  Full rank: constant :math:`A=\log(G)/T` with the symmetric positive
        G, and the constant b that brings the mean along.  Rank r < d: a stretch within
        the range in the first half of the time, and in the second half the least turn
        of the range into the other; one piece if the ranges are the same.  Of two
        turns by a right angle it takes the one to the left: in the plane, from the
        first axis to the second.
    ``"attention"``
        A = 0, V = vI, constant :math:`B=(\Sigma_0^{-1}-\Sigma_1^{-1})/(2vT)`: the
        precision moves on a straight line.  b(t) keeps the mean on a straight line
        too.  For long times take v < 0: errors of the mean then die out.  Where the
        cloud gets wider by a factor, a blow-up is near: relative errors of the weights
        are amplified by the square of that factor.
    ``"geodesic"``
        B = V = 0 and the straight line of optimal transport: each token keeps its
        velocity.  Full rank: :math:`A=(G-I)((1-s)I+sG)^{-1}/T` with s = t/T; below, the
        inverse is taken on the range, and of two ways at a right angle tokens take the
        one to the left.

    The path is defined on [0, t_end] only.  Raises ``ValueError`` if the target cannot
    be reached (with the reason of ``reachable``), and for ``"attention"`` of less than
    full rank, where there is no precision.
    """
    d = pair(start, target)
    T = _check.moderate(t_end, "t_end")
    _check.one_of(method, METHODS, "method")
    reach = reachable(start, target)
    if not reach:
        raise ValueError(f"target must be reachable: {reach.reason}")
    if method == "geodesic":
        return _geodesic(start, target, T)
    if method == "feedforward":
        return _feedforward(start, target, T)
    if start.rank < d:
        raise ValueError(
            f"attention alone steers clouds of full rank, {d}, through their "
            f"precision; these fill {start.rank} and have none: the part of B outside "
            "their range acts on nothing, and what V = vI does inside is a stretch, "
            "never a turn"
        )
    return _attention(start, target, T, _slope(v))


def nearest_factor(start: Gaussian, target: Gaussian) -> Float[np.ndarray, "d r"]:
    """The factor of the target's covariance that is nearest to that of the start.

    Below full rank there may be two that are equally near.  Then the tokens go to the
    left, as ``steer`` says.
    """
    return target.factor @ _nearest(start.factor, target.factor)


def _nearest(L0: np.ndarray, L1: np.ndarray) -> np.ndarray:
    """The rotation R that brings L1 R nearest to L0; then L0^T L1 R is symmetric."""
    U, _, Wt = np.linalg.svd(L0.T @ L1)
    if len(L0) > len(U):  # of full rank only one is nearest
        Wt = Wt * _left(L0 @ U, L1 @ Wt.T)[:, None]
    return (U @ Wt).T


def _left(X: np.ndarray, Y: np.ndarray) -> Float[np.ndarray, " r"]:
    """-1 for each pair of columns at a right angle from which the way from x to -y goes
    to the left, and 1 for all others.

    From x to y is a turn by y x^T - x y^T; it goes to the left if its largest entry
    below the diagonal is positive.  It does not matter if both change their signs.
    """
    sizes = np.linalg.norm(X, axis=0) * np.linalg.norm(Y, axis=0)
    sign = np.ones(X.shape[1])
    for k in np.flatnonzero(np.abs(np.sum(X * Y, axis=0)) <= RIGHT * sizes):
        below = np.tril(np.outer(Y[:, k], X[:, k]) - np.outer(X[:, k], Y[:, k])).ravel()
        sign[k] = np.sign(below[np.argmax(np.abs(below))]) or 1.0
    return sign


def bures_map(start: Gaussian, target: Gaussian) -> Matrix:
    r"""The symmetric positive G with :math:`G\Sigma_0G=\Sigma_1`, full rank.

    Raises ``ValueError`` for less than full rank.
    """
    d = pair(start, target)
    if min(start.rank, target.rank) < d:
        wanted = "of full rank, as target must be"
        raise _check.refuse("start", wanted, f"ranks {start.rank}, {target.rank}")
    return _map_of(start.factor, nearest_factor(start, target))


def _map_of(L0: Matrix, L1: Matrix) -> Matrix:
    G = np.linalg.solve(L0.T, L1.T).T
    return (G + G.T) / 2


def _slope(v: Number) -> float:
    out = _check.number(v, "v")
    if out == 0 or not np.isfinite(out):
        raise _check.refuse("v", "finite and not zero: attention sends V times", v)
    return float(np.copysign(_check.moderate(abs(out), "v"), out))


# ------------------------------------------------------------- feed-forward alone


def _affine(A: Matrix, b: Vector) -> Layer:
    nothing = np.zeros_like(A)
    return Layer(A, nothing, nothing, b)


def _feedforward(start: Gaussian, target: Gaussian, T: float) -> LayerPath:
    d, r = start.d, start.rank
    m0, m1 = start.mean, target.mean
    if r == 0:
        return piecewise([_affine(np.zeros((d, d)), (m1 - m0) / T)], [0, T])
    if r == d:
        G = bures_map(start, target)
        return piecewise([_stretching(G, m0, m1, T)], [0, T])
    Q0, Q1 = (np.linalg.qr(g.factor)[0] for g in (start, target))
    K, turn = _least_turn(Q0, Q1)
    # The stretch, in the coordinates of Q0, to the target turned back.
    here, there = Q0.T @ start.factor, Q0.T @ (turn.T @ target.factor)
    stretch = _map_of(here, there @ _nearest(here, there))
    G = np.eye(d) + Q0 @ (stretch - np.eye(r)) @ Q0.T
    if np.linalg.norm(K) <= SAME_RANGE:
        return piecewise([_stretching(G, m0, m1, T)], [0, T])
    half = (m0 + m1) / 2
    first = _stretching(G, m0, half, T / 2)
    return piecewise([first, _turning(K, half, m1, T / 2)], [0, T / 2, T])


def _stretching(G: Matrix, m0: Vector, m1: Vector, T: float) -> Layer:
    r"""The constant layer with end map G, symmetric and positive, in the time T.

    With eigenvalues :math:`e^l`: A has l/T, and b is l/(e^l - 1), which is 1 at l = 0,
    times what is missing of the mean.
    """
    g, Q = np.linalg.eigh(G)
    l = np.log(g)
    grown = np.expm1(l)
    share = np.divide(l, grown, out=np.ones_like(l), where=grown != 0)
    missing = m1 - m0 - Q @ (grown * (Q.T @ m0))
    return _affine((Q * (l / T)) @ Q.T, Q @ (share * (Q.T @ missing)) / T)


def _turning(K: Matrix, m0: Vector, m1: Vector, T: float) -> Layer:
    """The constant layer that turns by e^K, K skew with angles up to a right one."""
    from scipy.linalg import expm

    d = len(K)
    # expm of (K, I; 0, 0) is (e^K, phi; 0, I), phi the integral of e^sK over [0, 1].
    both = expm(np.block([[K, np.eye(d)], [np.zeros((d, 2 * d))]]))
    b = np.linalg.solve(both[:d, d:], m1 - both[:d, :d] @ m0) / T
    return _affine(K / T, b)


def _least_turn(
    Q0: Float[np.ndarray, "d r"], Q1: Float[np.ndarray, "d r"]
) -> tuple[Matrix, Matrix]:
    r"""K skew, and e^K, the least turn that takes one range into the other.

    The principal vectors :math:`x_i, y_i` of the ranges, at the angles
    :math:`\theta_i\le\pi/2`, span planes at right angles to each other; the turn goes
    by :math:`\theta_i` from :math:`x_i` to :math:`y_i`.  It has determinant 1, also
    where the ranges are at right angles; by a right angle it goes to the left.
    """
    U, c, Wt = np.linalg.svd(Q0.T @ Q1)
    X, Y = Q0 @ U, Q1 @ Wt.T
    sign = _left(X, Y)
    Y, c = Y * sign, c * sign
    aside = Y - X * c
    aside -= X @ (X.T @ aside)
    sine = np.linalg.norm(aside, axis=0)
    angle = np.arctan2(sine, c)
    E = np.divide(aside, sine, out=np.zeros_like(aside), where=sine > 0)
    E = _orthonormal(X, E, sine)
    K = (E * angle) @ X.T
    K = K - K.T
    cosine, sine = np.cos(angle) - 1, np.sin(angle)
    turn = (X * cosine) @ X.T + (E * cosine) @ E.T + (E * sine) @ X.T
    turn = turn - (X * sine) @ E.T + np.eye(len(K))
    return K, turn


def _orthonormal(X: np.ndarray, E: np.ndarray, sine: np.ndarray) -> np.ndarray:
    """Directions at right angles to X and to each other, the surest first; those of
    angles that are rounding stay out (their turn is none)."""
    out = np.zeros_like(E)
    done = [X]
    for k in np.argsort(-sine):
        e = E[:, k]
        for _ in range(2):
            for block in done:
                e = e - block @ (block.T @ e)
        size = np.linalg.norm(e)
        if sine[k] > STRAIGHT and size > 0.5:
            out[:, k] = e / size
            done.append(out[:, k : k + 1])
    return out


# ----------------------------------------------------------- attention; geodesic


def _straight_mean(
    start: Gaussian, target: Gaussian, T: float
) -> Callable[[float], Vector]:
    m0, m1 = start.mean, target.mean
    return lambda t: m0 + (m1 - m0) * (t / T)


def _attention(start: Gaussian, target: Gaussian, T: float, v: float) -> LayerPath:
    d, L0 = start.d, start.factor
    # Columns of X: P0 becomes I and P1 diagonal, with the values kappa.
    _, s, Wt = np.linalg.svd(np.linalg.solve(target.factor, L0))
    X, kappa = L0 @ Wt.T, s**2
    back = np.linalg.inv(X)
    B = back.T @ ((1 - kappa)[:, None] * back) / (2 * v * T)
    B, V, A = (B + B.T) / 2, v * np.eye(d), np.zeros((d, d))
    mean, drift = _straight_mean(start, target, T), (target.mean - start.mean) / T

    def layer_at(t: float) -> Layer:
        s = t / T
        J = (X * ((1 - kappa) / (2 * T * (1 - s + s * kappa)))) @ back
        m = mean(t)
        return Layer(A, B, V, drift - v * m - J @ m)

    return LayerPath(layer_at, d, edges=(0.0, T))


def _geodesic(start: Gaussian, target: Gaussian, T: float) -> LayerPath:
    d, L0 = start.d, start.factor
    step = nearest_factor(start, target) - L0
    mean, drift = _straight_mean(start, target, T), (target.mean - start.mean) / T

    def layer_at(t: float) -> Layer:
        if not start.rank:
            return _affine(np.zeros((d, d)), drift)
        # The factor moves on a straight line: L' = A L, A zero across the range.
        Q, R = np.linalg.qr(L0 + step * (t / T))
        A = np.linalg.solve(R.T, step.T).T @ Q.T / T
        return _affine(A, drift - A @ mean(t))

    return LayerPath(layer_at, d, edges=(0.0, T))
