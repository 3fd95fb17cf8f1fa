"""What becomes of a covariance, and which theorem says so.

Each theorem below has its hypotheses checked in numbers, and the certificate keeps the
margins.  Where none applies the fate is *undecided*: nothing is guessed from a run.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.gaussian.closed import Modes, Moebius, scalar_blow_up_time, value_number
from tfdynlib.gaussian.moments import counted
from tfdynlib.gaussian.types import (
    Factor,
    Gaussian,
    Layer,
    Matrix,
    factor_of,
    symmetric_part,
)

KINDS = ("rests", "settles", "decays", "bounded", "grows", "blow-up", "undecided")

# Spectra this close to a border, against the size of the matrix, are on it.
BORDER = 1e-12
# How far a covariance is followed to find a blow-up that no theorem foretells.
HORIZON = 100.0
# The same in units of 1/|A| where two certificates are waited for.
PATIENCE = 300.0
# Steps that the way may take in all: by the integrator, by the closed form.
FOLLOWED, EXACTLY = 1200, 10_000
# Doublings of time, and halvings, in which a certain blow-up is looked for.
DOUBLINGS, HALVINGS = 200, 56
# A covariance that moved less than this part of itself in a piece of time rests.
STILL = 1e-9
# Pieces, growing by a factor, in which it is followed.
FIRST_PIECE = 1.0


@dataclass(frozen=True)
class Certificate:
    """Why a fate is certain.

    Attributes
    ----------
    theorem
        The statement that applies, in one sentence.
    margins
        Its hypotheses, each with the number that must be positive (zero where the
        sentence says so).
    bounds
        Numbers that the theorem gives besides.
    """

    theorem: str
    margins: dict[str, float] = field(default_factory=dict)
    bounds: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [f"  {k}: {v:.6g}" for k, v in {**self.margins, **self.bounds}.items()]
        return "\n".join([self.theorem, *parts])


@dataclass(frozen=True)
class Regime:
    """The fate of a covariance.

    Attributes
    ----------
    kind
        ``"rests"`` (it is an equilibrium); ``"settles"`` (tends to ``limit``);
        ``"decays"`` (tends to zero); ``"bounded"``; ``"grows"`` (without bound, but in
        infinite time); ``"blow-up"``; ``"undecided"`` (no theorem here applies).
    certificate
        The theorem, and by how much its hypotheses hold.
    rate
        Exponential rate at which the limit is reached, up to polynomial factors: zero
        for one slower than any exponential, None if not known.
    limit
        The limit, (d, d), or None.
    blow_up_time
        inf if there is none; None if the fate is undecided.
    """

    kind: str
    certificate: Certificate
    rate: float | None = None
    limit: Matrix | None = None
    blow_up_time: float | None = np.inf


@dataclass(frozen=True)
class _Case:
    """A layer and a covariance with its factor."""

    layer: Layer
    cov: Matrix
    L: Factor

    @property
    def d(self) -> int:
        return self.layer.d

    def spectrum(self) -> tuple[np.ndarray, float]:
        """Real parts of the eigenvalues of A, those on the border set to zero, and
        the distance from zero of the others."""
        values = np.linalg.eigvals(self.layer.A).real
        scale = float(np.linalg.norm(self.layer.A, 2))
        values = np.where(np.abs(values) <= BORDER * scale, 0.0, values)
        return np.sort(values), scale


def _case(layer: Layer, cov: ArrayLike) -> _Case:
    """Front door."""
    _check.instance(layer, Layer, "layer", "a gaussian.Layer")
    shape = (layer.d, layer.d)
    return _Case(
        layer, *factor_of(_check.shaped(cov, "cov", shape, ", as the layer has it"))
    )


def regime(layer: Layer, cov: ArrayLike) -> Regime:
    """The fate of a covariance under a constant layer, with the theorem that says so.

    The theorems, in this order: a start at rest; attention off; commuting matrices (one
    dimension is such) mode by mode; V = vI by the linear equation of the precision;
    values of one sign and scores of one sign (V with positive eigenvalues, or with
    negative ones, and B + B^T definite) by the trace of V^-1 Σ; a contracting A with a
    small covariance.  If none applies ``kind`` is ``"undecided"``.

    ``cov`` is (d, d), of any rank.  Raises ``ValueError`` for bad input only.  Sources:
    the regimes of :cite:t:`alcalde2026gaussian`; their explicit forms are derived in
    the book.
    """
    case = _case(layer, cov)
    for theorem in THEOREMS:
        found = theorem(case)
        if found is not None:
            return found
    reason = "no theorem of this room applies (follow the covariance with solve)"
    return Regime("undecided", Certificate(reason), blow_up_time=None)


def blow_up_time(layer: Layer, cov: ArrayLike, horizon: Number = HORIZON) -> float:
    r"""The time at which the covariance leaves every bound; inf if it never does.

    A closed form for commuting matrices and, for A = 0 and V = vI,

    .. math:: t^* = 1 / \lambda_{\max}(L^\top v(B + B^\top) L), \quad \Sigma = LL^\top ;

    else the covariance is followed, by the closed form of the precision if V = vI, to
    about 1e-11 of the time.  inf is certain where ``regime`` is; where it is undecided,
    inf says that it came to rest, or that there is none before ``horizon`` or before
    the equations became too stiff to be followed.

    Raises ``ValueError`` for bad input only.
    """
    horizon = _check.positive(horizon, "horizon")
    case = _case(layer, cov)
    fate = regime(layer, cov)
    if fate.blow_up_time is not None:
        return fate.blow_up_time
    return _followed(case, horizon)


def _followed(case: _Case, horizon: float) -> float:
    """The blow-up met by following the covariance; inf if none up to the horizon."""
    v = value_number(case.layer)
    if v is not None:
        return Moebius(case.layer, v, EXACTLY).follow(case.L, 0.0, horizon)[2]
    start = Gaussian._kept(np.zeros(case.d), case.L.copy())
    now, piece, left = 0.0, FIRST_PIECE, FOLLOWED
    while now < horizon and left > 0:
        end = min(now + piece, horizon)
        run, taken = counted(case.layer, start, [now, end], left)
        left -= taken
        if run.status != "done":
            return run.blow_up_time
        moved = float(np.linalg.norm(run.cov[-1] - start.cov))
        start, now, piece = run.end, end, 4 * piece
        still = moved <= STILL * float(np.linalg.norm(start.cov))
        if still or _small(_Case(case.layer, start.cov, start.factor)) is not None:
            return np.inf
    return np.inf


# --- the theorems, in order ---


def _at_rest(case: _Case) -> Regime | None:
    half = case.layer.jacobian(case.cov) @ case.cov
    size = sum(
        np.linalg.norm(M)
        for M in (case.layer.A @ case.cov, case.layer.V @ case.cov @ case.layer.B)
    ) * max(1.0, float(np.linalg.norm(case.cov)))
    residual = float(np.linalg.norm(half + half.T))
    if residual > 1e-14 * size:
        return None
    why = Certificate(
        "J Sigma + Sigma J^T = 0 at the start.", {"residual (zero)": residual}
    )
    return Regime("rests", why, limit=case.cov)


def _attention_off(case: _Case) -> Regime | None:
    v, B = value_number(case.layer), case.layer.B
    acts = case.layer.V.any() and B.any()
    if acts and not (v is not None and np.array_equal(B, -B.T)):
        return None
    real, _ = case.spectrum()
    if real[-1] < 0:
        why = Certificate(
            "Attention is off and A contracts: Sigma = e^{At} Sigma_0 e^{A^T t}.",
            {"slowest contraction": -float(real[-1])},
        )
        return Regime("decays", why, -2 * float(real[-1]), np.zeros_like(case.cov))
    unstable = _outside(case, strictly=True)
    if real[-1] > 0 and unstable > 1e-10:
        why = Certificate(
            "Attention is off and A expands a direction of the cloud.",
            {"largest growth of A": float(real[-1]), "part of the cloud": unstable},
        )
        return Regime("grows", why)
    top = float(np.linalg.eigvalsh(symmetric_part(case.layer.A))[-1])
    if top <= BORDER * float(np.linalg.norm(case.layer.A, 2)):
        why = Certificate(
            "Attention is off and A expands nothing: lengths do not grow.",
            {"- top of A + A^T (zero or more)": -top},
        )
        return Regime("bounded", why)
    return None


def _commuting(case: _Case) -> Regime | None:
    modes = Modes.of(case.layer, case.cov)
    if modes is None:
        return None
    lives = modes.start > 0
    a, c, s = modes.a[lives], modes.c[lives], modes.start[lives]
    times = scalar_blow_up_time(a, c, s)
    one = case.d == 1
    name = "One dimension" if one else "Commuting matrices, mode by mode"
    pull = a + c * s  # half the relative growth of a mode at the start
    scale = np.abs(a) + np.abs(c * s)
    if times.min() < np.inf:
        first = int(np.argmin(times))
        if pull[first] <= 1e-13 * scale[first]:
            return None  # on the threshold
        why = Certificate(
            f"{name}: value and score of one sign, the covariance above its threshold.",
            {"c": float(c[first]), "a + c S": float(pull[first])},
        )
        return Regime("blow-up", why, blow_up_time=float(times[first]))
    growing = (c == 0) & (a > 0)
    if growing.any():
        why = Certificate(f"{name}: a mode without attention expands.")
        return Regime("grows", why, float(2 * a[growing].max()))
    idle = (np.abs(pull) <= 1e-13 * scale) & (c > 0) | (scale == 0)
    settles = (c < 0) & (a > 0)
    limits = np.where(idle, s, 0.0)
    limits[settles] = -a[settles] / c[settles]
    moving = ~idle
    rate = float(2 * np.abs(a[moving]).min()) if moving.any() else 0.0
    margins = {}
    if settles.any():
        margins["least a of those that settle"] = float(a[settles].min())
        margins["least -c of those that settle"] = float((-c[settles]).min())
    if not settles.all():
        margins["least -(a + c S) of the others"] = float((-pull[~settles]).min())
    Q = modes.basis[:, lives]
    kind = "settles" if limits.any() else "decays"
    why = Certificate(f"{name}: no mode can blow up.", margins)
    return Regime(kind, why, rate, (Q * limits) @ Q.T)


def _precision(case: _Case) -> Regime | None:
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


def _straight(case: _Case, S: Matrix) -> Regime | None:
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


def _negative(case: _Case, S: Matrix, margin: float) -> Regime:
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


def _outside(case: _Case, strictly: bool) -> float:
    """How much of L, relatively, is not in the directions that A contracts; strictly:
    not in those that it does not expand."""
    from scipy.linalg import schur

    scale = float(np.linalg.norm(case.layer.A, 2))
    cut = (1 if strictly else -1) * BORDER * scale
    *_, Z, k = schur(case.layer.A.T, sort=lambda x, y=0.0: x >= cut)
    # Left vectors of the others vanish on what A contracts.
    return float(np.linalg.norm(Z[:, :k].T @ case.L) / np.linalg.norm(case.L))


def _positive(case: _Case, S: Matrix, low: float, v: float) -> Regime | None:
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
    outside = _outside(case, strictly=False)
    if low > BORDER * float(np.abs(S).max()) and outside > 1e-10:
        why = Certificate(
            "V = vI, v(B + B^T) positive, and A does not contract the whole cloud.",
            {"least eigenvalue of v(B + B^T)": low, "part not contracted": outside},
        )
        return _blows(case, S, v, why)
    return None


def _blows(case: _Case, S: Matrix, v: float, why: Certificate) -> Regime | None:
    """A blow-up, with its time; None if that cannot be reached."""
    end = _meet(case, S, v)
    return None if end is None else Regime("blow-up", why, blow_up_time=end)


def _reach(A: Matrix, S: Matrix, L: Factor) -> float:
    """Largest eigenvalue of L^T G L, with G the integral of e^{A^T s} S e^{A s}."""
    from scipy.linalg import solve_sylvester

    G = symmetric_part(solve_sylvester(A.T, A, -S))
    return float(np.linalg.eigvalsh(symmetric_part(L.T @ G @ L))[-1])


def _meet(case: _Case, S: Matrix, v: float) -> float | None:
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


def _indefinite(case: _Case, S: Matrix, v: float) -> Regime | None:
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
    case: _Case, S: Matrix, L: Factor, now: float, slowest: float
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


@dataclass(frozen=True)
class _Signs:
    """A layer whose values have one sign, in coordinates where they are v_i > 0."""

    y0: float
    rank: int
    v: tuple[float, float]  # least and largest value
    beta: tuple[float, float]  # least and largest eigenvalue of (B + B^T)/2
    alpha: tuple[float, float]  # of the symmetric part of V^-1/2 A V^1/2

    @classmethod
    def of(cls, case: _Case) -> "_Signs | None":
        """None unless V has real eigenvalues of one sign and is diagonalisable."""
        V, B = case.layer.V, case.layer.B
        if np.array_equal(V, V.T):
            values, T = np.linalg.eigh(V)
        else:
            found, vectors = np.linalg.eig(V)
            if np.iscomplexobj(found) and np.abs(found.imag).max() > 0:
                return None
            values, T = found.real, vectors.real
        if values.max() < 0:
            values, B = -values, -B
        if values.min() <= BORDER * np.abs(values).max() or np.linalg.cond(T) > 1e8:
            return None
        back = np.linalg.inv(T)
        root = np.sqrt(values)
        A = (back @ case.layer.A @ T) * root[None, :] / root[:, None]
        L = back @ case.L
        alpha = np.linalg.eigvalsh(symmetric_part(A))
        beta = np.linalg.eigvalsh(symmetric_part(T.T @ B @ T))
        return cls(
            float(np.sum(L**2 / values[:, None])),
            case.L.shape[1],
            (float(values.min()), float(values.max())),
            (float(beta[0]), float(beta[-1])),
            (float(alpha[0]), float(alpha[-1])),
        )

    @property
    def push(self) -> tuple[float, float]:
        """c with c_0 y^2 <= tr(Sigma B Sigma) <= c_1 y^2, at worst shape."""
        low, high = self.beta
        small, large = self.v[0] ** 2, self.v[1] ** 2
        down = low * small / self.rank if low > 0 else low * large
        up = high * large if high > 0 else high * small / self.rank
        return down, up


def _signs(case: _Case) -> Regime | None:
    """Values of one sign and scores of one sign: a logistic inequality for a trace."""
    s = _Signs.of(case)
    if s is None or s.beta[0] * s.beta[1] <= 0:
        return None
    down, up = s.push
    name = "Values of one sign and B + B^T definite, y = tr(V^-1 Sigma): "
    if s.beta[0] > 0:
        growth = s.alpha[0] + down * s.y0
        small = 1e-12 * (abs(s.alpha[0]) + down * s.y0)
        if growth <= small:
            return None
        lower, upper = blow_up_bounds(case.layer, case.cov)
        why = Certificate(
            f"{name}equal signs, and y grows at least like a logistic equation "
            "above its threshold.",
            {
                "least eigenvalue of B + B^T": 2 * s.beta[0],
                "growth at the start": growth,
            },
            {"not before": lower, "not after": upper},
        )
        end = _followed(case, 2 * upper)
        return Regime("blow-up", why, blow_up_time=end) if end < np.inf else None
    margins = {"least eigenvalue of -(B + B^T)": -2 * s.beta[1]}
    edge = BORDER * max(abs(s.alpha[0]), abs(s.alpha[1]))
    if s.alpha[1] <= edge:
        margins["- largest growth of A in the norm of V (zero or more)"] = -s.alpha[1]
        why = Certificate(
            f"{name}opposite signs, and A expands nothing: y decays, at least like "
            "y_0/(1 + 2 c y_0 t).",
            margins,
            {"c": -up},
        )
        rate = 2 * max(0.0, -float(case.spectrum()[0][-1]))
        return Regime("decays", why, rate, np.zeros_like(case.cov))
    bound = max(s.y0, s.alpha[1] / -up)
    why = Certificate(
        f"{name}opposite signs keep y bounded.", margins, {"y below": bound}
    )
    return Regime("bounded", why)


def _small(case: _Case) -> Regime | None:
    """A contracts, and the covariance is too small for attention to matter."""
    from scipy.linalg import solve_sylvester

    real, _ = case.spectrum()
    if real[-1] >= 0:
        return None
    A, B, V = case.layer.A, case.layer.B, case.layer.V
    X = symmetric_part(solve_sylvester(A.T, A, -np.eye(case.d)))
    y = float(np.trace(X @ case.cov))
    wall = float(np.linalg.eigvalsh(X)[0])
    wall /= 2 * float(np.linalg.norm(X @ V, 2) * np.linalg.norm(B, 2))
    if y >= wall:
        return None
    why = Certificate(
        "A contracts and the covariance is small: y = tr(X Sigma) falls, with "
        "A^T X + X A = -I.",
        {
            "slowest contraction of A": -float(real[-1]),
            "1 - y over its wall": 1 - y / wall,
        },
    )
    return Regime("decays", why, -2 * float(real[-1]), np.zeros_like(case.cov))


THEOREMS: tuple[Callable[[_Case], Regime | None], ...] = (
    _at_rest,
    _attention_off,
    _commuting,
    _precision,
    _signs,
    _small,
)


def blow_up_bounds(layer: Layer, cov: ArrayLike) -> tuple[float, float]:
    r"""Times (lower, upper) between which a blow-up lies, without following anything.

    With y = tr(V⁻¹Σ), for V with positive eigenvalues (else turn both signs), r the
    rank of Σ and α the spectrum of the symmetric part of V^{-1/2} A V^{1/2}:

    .. math::
        2\alpha_{\min} y + \tfrac{2}{r}\lambda_{\min}(B)\lambda_{\min}(V)^2 y^2
        \le \dot y \le
        2\alpha_{\max} y + 2\lambda_{\max}(B)\lambda_{\max}(V)^2 y^2,

    B standing for its symmetric part; both sides are equations of one dimension.  The
    lower bound is inf if the right side never blows up (then Σ does not either); the
    upper one is inf if the left side does not.  For other V the lower bound is that of
    :math:`\dot s = 2\mu(A)s + 2|V||B|s^2` for the largest eigenvalue s, μ the largest
    eigenvalue of the symmetric part, and the upper one is inf.

    For A = 0 the bounds of the book, which have d for r; they sharpen a claim of
    :cite:t:`alcalde2026gaussian`.
    """
    case = _case(layer, cov)
    if not case.L.shape[1]:
        return np.inf, np.inf
    s = _Signs.of(case)
    if s is None:
        top = float(np.linalg.eigvalsh(symmetric_part(layer.A))[-1])
        push = float(np.linalg.norm(layer.V, 2) * np.linalg.norm(layer.B, 2))
        size = float(np.linalg.norm(case.L, 2) ** 2)
        return float(scalar_blow_up_time(top, push, size)), np.inf
    down, up = s.push
    lower = scalar_blow_up_time(s.alpha[1], up, s.y0)
    upper = scalar_blow_up_time(s.alpha[0], down, s.y0)
    return float(lower), float(upper)
