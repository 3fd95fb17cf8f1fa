r"""The theorem for V = vI, whose precision obeys a linear equation.

.. math:: \dot P = -A^\top P - PA - S, \qquad S = v(B + B^\top)

What becomes of it is told by the signs of S and by what A expands and contracts.
"""

from typing import Any

import numpy as np

from tfdynlib import _check
from tfdynlib.gaussian.certificates import BORDER, Case, Certificate, Regime, outside
from tfdynlib.gaussian.closed import Moebius, value_number
from tfdynlib.gaussian.following import EXACTLY, FIRST_PIECE
from tfdynlib.gaussian.types import Factor, Matrix, symmetric_part

# How far, in units of 1/|A|, one of two certificates is waited for.
PATIENCE = 300.0
# Doublings of time, and halvings, in which a certain blow-up is looked for.
DOUBLINGS, HALVINGS = 200, 56


def precision(case: Case) -> Regime | None:
    """V = vI."""
    v = value_number(case.layer)
    if v is None:
        return None
    S = v * (case.layer.B + case.layer.B.T)
    low, high = (float(e) for e in np.linalg.eigvalsh(S)[[0, -1]])
    edge = BORDER * max(abs(low), abs(high))
    if not case.layer.A.any():
        return _straight(case, S)
    if high < -edge:
        return _negative(case, S, -high)
    if low >= -edge:
        return _positive(case, S, low, v)
    return _indefinite(case, S, v)


def _straight(case: Case, S: Matrix) -> Regime | None:
    """A = 0: the precision moves along a straight line."""
    values, U = np.linalg.eigh(symmetric_part(case.L.T @ S @ case.L))
    size = max(abs(values[0]), abs(values[-1]))
    name = "V = vI and A = 0: the precision moves on the line P_0 - t v (B + B^T)"
    if values[-1] > BORDER * size:
        top = float(values[-1])
        why = Certificate(
            f"{name}, which leaves the cone.",
            {"largest eigenvalue of L^T v(B + B^T) L": top},
        )
        return Regime("blow-up", why, blow_up_time=1 / top)
    still = np.abs(values) <= BORDER * size
    K = case.L @ U[:, still]
    margins = {"- largest eigenvalue of L^T v(B + B^T) L": -float(values[-1])}
    why = Certificate(f"{name} and goes up.", margins)
    return Regime("settles" if still.any() else "decays", why, 0.0, K @ K.T)


def _negative(case: Case, S: Matrix, margin: float) -> Regime:
    """-S positive definite: the precision is fed; the limit lives where A expands."""
    real, _ = case.spectrum()
    expands = real > 0
    margins = {"least eigenvalue of -v(B + B^T)": margin}
    rate = 2 * float(np.abs(real).min())
    if not expands.any():
        margins["- largest growth of A (zero or more)"] = -float(real[-1])
        why = Certificate(
            "V = vI, v(B + B^T) negative, and A expands nothing: Sigma decays.", margins
        )
        return Regime("decays", why, rate, np.zeros_like(case.cov))
    full = case.L.shape[1] == case.d
    if not full:
        why = Certificate(
            "V = vI and v(B + B^T) negative: Sigma stays below the flow of a thicker "
            "start, which is bounded.  Its rank is not full, so that its limit "
            "depends on its range.",
            margins,
        )
        return Regime("bounded", why)
    from scipy.linalg import schur, solve_sylvester

    k = int(expands.sum())
    border = BORDER * float(np.linalg.norm(case.layer.A, 2))
    T, Z, _ = schur(case.layer.A, sort=lambda x, y=0.0: x > border)
    W, A_u = Z[:, :k], T[:k, :k]
    P = symmetric_part(solve_sylvester(A_u.T, A_u, -(W.T @ S @ W)))
    limit = W @ symmetric_part(np.linalg.inv(P)) @ W.T
    margins["distance of A's spectrum from the axis"] = float(np.abs(real).min())
    where = "" if k == case.d else ", on the directions that A expands"
    why = Certificate(
        "V = vI and v(B + B^T) negative: the precision obeys a linear equation, and "
        f"the covariance settles{where}.",
        margins,
    )
    return Regime("settles", why, rate, limit)


def _positive(case: Case, S: Matrix, low: float, v: float) -> Regime | None:
    """S positive semidefinite: the way to the wall only shrinks."""
    real, scale = case.spectrum()
    if real[-1] < 0:
        reach = _reach(case.layer.A, S, case.L)
        margins = {"slowest contraction of A": -float(real[-1])}
        if abs(reach - 1) <= 1e-10:
            return None
        margins["1 - reach" if reach < 1 else "reach - 1"] = abs(1 - reach)
        name = "V = vI, v(B + B^T) positive, A contracts; reach is the largest "
        name += "eigenvalue of L^T G L with A^T G + G A = -v(B + B^T)"
        if reach < 1:
            why = Certificate(f"{name}: below 1, Sigma decays.", margins)
            rate = -2 * float(real[-1])
            return Regime("decays", why, rate, np.zeros_like(case.cov))
        why = Certificate(f"{name}: above 1, Sigma blows up.", margins)
        return _blows(case, S, v, why)
    kept = outside(case, strictly=False)
    if low > BORDER * float(np.abs(S).max()) and kept > 1e-10:
        why = Certificate(
            "V = vI, v(B + B^T) positive, and A does not contract the whole cloud.",
            {"least eigenvalue of v(B + B^T)": low, "part not contracted": kept},
        )
        return _blows(case, S, v, why)
    return None


def _blows(case: Case, S: Matrix, v: float, why: Certificate) -> Regime | None:
    """A blow-up, with its time; None if that cannot be reached."""
    end = _meet(case, S, v)
    return None if end is None else Regime("blow-up", why, blow_up_time=end)


def _reach(A: Matrix, S: Matrix, L: Factor) -> float:
    """Largest eigenvalue of L^T G L, with G the integral of e^{A^T s} S e^{A s}."""
    from scipy.linalg import solve_sylvester

    G = symmetric_part(solve_sylvester(A.T, A, -S))
    return float(np.linalg.eigvalsh(symmetric_part(L.T @ G @ L))[-1])


def _meet(case: Case, S: Matrix, v: float) -> float | None:
    """The root t of "the largest eigenvalue of L^T G(t) L is 1", for S >= 0; None if it
    is out of reach.

    G only grows then, and all sums are of matrices of one sign: t is found by doubling,
    G(2h) = G(h) + e^{A^T h} G(h) e^{Ah}, and then bit by bit.
    """
    flow = Moebius(case.layer, v)

    def after(one: tuple[Matrix, Matrix], two: tuple[Matrix, Matrix]) -> Any:
        return two[0] @ one[0], one[1] + one[0].T @ two[1] @ one[0]

    def size(G: Matrix) -> float:
        return float(np.linalg.eigvalsh(symmetric_part(case.L.T @ G @ case.L))[-1])

    h = 1 / max(float(np.linalg.norm(case.layer.A, 2)), size(S))
    maps = [flow.maps(h)]
    while size(maps[-1][1]) < 1:
        largest = max(float(np.abs(M).max()) for M in maps[-1])
        if len(maps) > DOUBLINGS or largest > _check.LARGEST**0.25:
            return None
        maps.append(after(maps[-1], maps[-1]))
    t, reached = 0.0, (np.eye(case.d), np.zeros_like(S))
    h *= 2.0 ** (len(maps) - 1)
    for k in range(len(maps) - 1 + HALVINGS):
        h *= 0.5
        step = maps[-2 - k] if k < len(maps) - 1 else flow.maps(h)
        further = after(reached, step)
        if size(further[1]) < 1:
            t, reached = t + h, further
    return t


def _indefinite(case: Case, S: Matrix, v: float) -> Regime | None:
    """S of both signs: follow the exact flow until one of two certificates holds."""
    values, U = np.linalg.eigh(S)
    S_up = (U * np.maximum(values, 0)) @ U.T
    real, scale = case.spectrum()
    flow = Moebius(case.layer, v, EXACTLY)
    L, now, piece = case.L, 0.0, FIRST_PIECE / scale
    while now < PATIENCE / scale:
        asked = now + piece
        if real[-1] < 0:
            reach = _reach(case.layer.A, S_up, L)
            if reach < 1 - 1e-10:
                why = Certificate(
                    "V = vI and A contracts: from this time on no precision can "
                    "reach the wall.",
                    {
                        "slowest contraction of A": -float(real[-1]),
                        "1 - reach": 1 - reach,
                    },
                    {"from time": now},
                )
                rate = -2 * float(real[-1])
                return Regime("decays", why, rate, np.zeros_like(case.cov))
        if real[0] > 0 and L.shape[1] == case.d:
            found = _trapped(case, S, L, now, float(real[0]))
            if found is not None:
                return found
        L, now, end = flow.follow(L, now, asked)
        if end < np.inf:
            why = Certificate(
                "V = vI: the exact precision becomes singular.",
                {"time": end},
            )
            return Regime("blow-up", why, blow_up_time=end)
        if now < asked:  # out of steps, or of the doubles
            return None
        piece *= 1.5
    return None


def _trapped(
    case: Case, S: Matrix, L: Factor, now: float, slowest: float
) -> Regime | None:
    """-A contracts and the precision is so near its rest that it must come to it."""
    from scipy.linalg import solve_sylvester

    A = case.layer.A
    rest = symmetric_part(solve_sylvester(A.T, A, -S))
    low = float(np.linalg.eigvalsh(rest)[0])
    if low <= BORDER * float(np.abs(rest).max()):
        return None
    X = symmetric_part(solve_sylvester(A.T, A, np.eye(case.d)))
    values = np.linalg.eigvalsh(X)
    if np.linalg.cond(L) > 1e7:  # the precision has no digits
        return None
    back = np.linalg.inv(L)
    gap = float(np.linalg.norm(back.T @ back - rest, 2)) * values[-1] / values[0]
    if gap >= low:
        return None
    why = Certificate(
        "V = vI and A expands: the precision is inside the region from which it comes "
        "to the solution of A^T P + P A = -v(B + B^T).",
        {"least growth of A": slowest, "room": low - gap},
        {"from time": now},
    )
    return Regime("settles", why, 2 * slowest, symmetric_part(np.linalg.inv(rest)))
