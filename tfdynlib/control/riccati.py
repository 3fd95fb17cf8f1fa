r"""The equation of this part in older clothes: filters and regulators.

The error covariance of the Kalman-Bucy filter for :math:`\dot x=Ax+` noise of
intensity Q, seen through :math:`y=Cx+` noise of intensity R, obeys

.. math:: \dot\Sigma=A\Sigma+\Sigma A^\top-\Sigma C^\top R^{-1}C\,\Sigma+Q .

A layer with V = vI has
:math:`\dot\Sigma=A\Sigma+\Sigma A^\top+v\Sigma(B+B^\top)\Sigma`.  The two
are one equation if and only if Q = 0 and :math:`-v(B+B^\top)=C^\top R^{-1}C`.
The regulator with input matrix C is the filter of :math:`(A^\top,C^\top)` in reversed
time.  Known: :cite:t:`kalman1961new`; the dictionary is derived in the book.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Complex, Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.gaussian import Gaussian, Layer, solve

Matrix = Float[np.ndarray, "_ _"]
# A matrix, or a number for one of size one.
Entries = ArrayLike | Number
PROBLEMS = ("filter", "regulator")
# Below this share of the size of the matrices a mode counts as unseen, or as undamped:
# half of the digits, since a double eigenvalue is known to no more.
UNSEEN = 1e-8
# Largest residual of an accepted solution, relative to the terms of the equation.
RESIDUAL = 1e-8
SHARPENED = 2  # steps of Newton, each of which squares the error
# Largest difference of V from a multiple of I, relative: rounding.
SAME = 1e-12
# Natural times after which e^-2t is below rounding.
SETTLED = 20.0


@dataclass(frozen=True)
class Hautus:
    """Whether every mode of A that does not decay leaves a trace in C x.

    Attributes
    ----------
    margin
        Least singular value of (A - lambda I; C) over the eigenvalues lambda of A with
        real part >= 0, relative to the norms of A and C; ``inf`` if all modes decay.
    eigenvalue, direction
        The mode with this margin; zero if all modes decay.
    """

    margin: float
    eigenvalue: complex
    direction: Complex[np.ndarray, " d"] = field(repr=False)

    def __bool__(self) -> bool:
        return self.margin > UNSEEN


@dataclass(frozen=True)
class Riccati:
    """The stabilising solution of a Riccati equation, found twice.

    Attributes
    ----------
    solution
        Sigma of the filter, X of the regulator; shape (d, d), symmetric, no negative
        eigenvalue.
    gain
        Sigma C^T R^-1, shape (d, m), of the filter; R^-1 C^T X, shape (m, d), of the
        regulator.
    closed_loop
        Eigenvalues of A less gain and C; all have negative real part.
    residual
        Norm of what is left of the equation, relative to the sum of its terms' norms,
        or to 1e-8 of |A|^2 over the norm of C^T R^-1 C if that is more.
    by_flow, gap
        The same matrix as the end of a flow in time from the identity, and the norm
        of the difference, relative to the larger of 1 and the norm of the solution.
    flow
        ``"moments"`` if our layers can run this equation (Q = 0), else
        ``"doubling"``: the flow of the pair (X, Y) with Sigma = Y X^-1, by
        exponentials.
    """

    solution: Matrix = field(repr=False)
    gain: Matrix = field(repr=False)
    closed_loop: Complex[np.ndarray, " d"]
    residual: float
    by_flow: Matrix = field(repr=False)
    gap: float
    flow: str


@dataclass(frozen=True)
class _Data:
    """A filter problem; a regulator has been turned into one."""

    A: Matrix
    C: Matrix
    R: Matrix
    Q: Matrix

    @property
    def information(self) -> Matrix:
        """C^T R^-1 C, symmetric."""
        S = self.C.T @ np.linalg.solve(self.R, self.C)
        return (S + S.T) / 2

    def rate(self, S: Matrix) -> Matrix:
        return self.A @ S + S @ self.A.T - S @ self.information @ S + self.Q


def hautus(A: Entries, C: Entries) -> Hautus:
    r"""Hautus' test: (A, C) is detectable if every mode that does not decay is seen.

    A is (d, d), C is (m, d).  For an input matrix B of shape (d, m) ask
    ``hautus(A.T, B.T)``: then it says whether (A, B) is stabilisable.
    """
    A, C = _square(A, "A"), _matrix(C, "C")
    C = _check.shaped(C, "C", (None, len(A)), ", a row for each reading")
    values = np.linalg.eigvals(A)
    return _weakest(A, C, values[values.real >= -UNSEEN * _norm(A)])


def _weakest(A: Matrix, C: Matrix, values: np.ndarray) -> Hautus:
    """The mode, of those with the given eigenvalues, that leaves the least trace."""
    d, worst = len(A), (np.inf, 0j, np.zeros(len(A), dtype=complex))
    for value in values:
        tall = np.vstack([A - value * np.eye(d), C.astype(complex)])
        _, s, W = np.linalg.svd(tall)
        margin = float(s[-1] / (_norm(A) + _norm(C) or 1.0))
        if margin < worst[0]:
            worst = (margin, complex(value), W[-1].conj())
    return Hautus(*worst)


def riccati(
    A: Entries,
    C: Entries,
    R: Entries,
    Q: Entries | None = None,
    problem: str = "filter",
) -> Riccati:
    r"""Steady state of a filter, or the cost matrix of a regulator, found twice.

    ``"filter"``
        :math:`A\Sigma+\Sigma A^\top-\Sigma C^\top R^{-1}C\Sigma+Q=0`; C is (m, d).
    ``"regulator"``
        :math:`A^\top X+XA-XCR^{-1}C^\top X+Q=0`; C is the input matrix, (d, m).

    R is symmetric positive definite; Q, zero if not given, symmetric without negative
    eigenvalues.  Solved by ``scipy.linalg.solve_continuous_are`` and once more by a
    flow in time; numbers stand for matrices of size one.

    Raises ``ValueError``, with the mode that is to blame, if the problem is not
    detectable (for a regulator: not stabilisable), if a mode on the imaginary axis is
    not driven by Q (then the limit, if any, is reached like 1/t only), or if the
    solver's answer does not solve the equation or does not stabilise.
    """
    _check.one_of(problem, PROBLEMS, "problem")
    data = _data(A, C, R, Q, problem)
    _solvable(data, problem)
    S = _steady(data)
    gain = np.linalg.solve(data.R, data.C @ S).T
    loop = np.linalg.eigvals(data.A - gain @ data.C).astype(complex)
    residual = _residual(data, S)
    if residual > RESIDUAL or loop.real.max() >= 0:
        raise ValueError(
            "the solver's answer cannot be trusted: relative residual "
            f"{residual:.1e}, slowest mode of the closed loop {loop.real.max():.1e} "
            "(it must be negative); rescale A, C, R and Q"
        )
    end, flow = _by_flow(data, float(-loop.real.max()))
    gap = float(np.linalg.norm(end - S) / max(1.0, _norm(S)))
    gain = gain if problem == "filter" else gain.T
    return Riccati(S, gain, loop, residual, end, gap, flow)


def riccati_flow(
    A: Entries,
    C: Entries,
    R: Entries,
    Q: Entries | None,
    start: Entries,
    t: Number,
) -> Matrix:
    r"""The filter's covariance at the time t >= 0 from ``start``, to rounding.

    With :math:`\Sigma=YX^{-1}` the equation is linear: :math:`X'=-A^\top X+SY`,
    :math:`Y'=QX+AY`, :math:`S=C^\top R^{-1}C`.  One short step is an exponential; the
    step is then doubled until it has length t, in the form
    :math:`\Sigma\mapsto\gamma+a^\top\Sigma(I+\beta\Sigma)^{-1}a`, in which nothing
    grows.  This knows nothing of layers: it is the other side of every comparison.
    """
    data = _data(A, C, R, Q, "filter")
    start = _semidefinite(start, "start", len(data.A))
    return _doubled(data, start, _check.since(_check.time(t, "t"), "t"))


def layer_of_filter(
    A: Entries,
    C: Entries,
    R: Entries,
    Q: Entries | None = None,
    v: Number = -1.0,
) -> Layer:
    r"""The layer whose covariance is that of the filter: V = vI, B = -C^T R^-1 C / 2v.

    Raises ``ValueError`` if Q is not zero: a layer maps clouds by invertible maps, so
    it cannot add noise.
    """
    v = _check.number(v, "v")
    if not (np.isfinite(v) and v != 0):
        raise _check.refuse("v", "finite and not zero", v)
    data = _data(A, C, R, Q, "filter")
    if data.Q.any():
        raise ValueError(
            "Q must be zero: process noise fattens a cloud in every direction, also a "
            "cloud on a line, and no layer changes the rank of a covariance"
        )
    d = len(data.A)
    return Layer(data.A, -data.information / (2 * v), v * np.eye(d), np.zeros(d))


def filter_of_layer(layer: Layer) -> tuple[Matrix, Matrix, Matrix]:
    r"""The filter (A, C, R) whose error covariance is that of the layer; R = I.

    :math:`C^\top C=-v(B+B^\top)`; C has one row for each direction that is read.
    Raises ``ValueError`` where there is none: V is no multiple of the identity, or
    :math:`-v(B+B^\top)` has a negative eigenvalue (a reading that *adds* uncertainty).
    """
    _check.instance(layer, Layer, "layer", "a gaussian.Layer")
    A, B, V = layer.A, layer.B, layer.V
    d = len(A)
    v = float(np.trace(V)) / d
    if _norm(V - v * np.eye(d)) > SAME * _norm(V):
        raise ValueError(
            "V must be a multiple of the identity: otherwise the quadratic term "
            "V S B S + S B^T S V^T is not of the form S M S, and the equation is of "
            "Riccati's type but not Riccati's"
        )
    M = -v * (B + B.T)
    values, Q = np.linalg.eigh(M)
    if values[0] < -SAME * max(abs(values[0]), values[-1]):
        raise ValueError(
            "-v(B + B^T) must have no negative eigenvalue, got "
            f"{values[0]:.3g}: a filter's readings take uncertainty away, this "
            "direction would add some"
        )
    read = values > SAME * values[-1]
    if not read.any():
        return A.copy(), np.zeros((1, d)), np.eye(1)
    C = np.sqrt(values[read])[:, None] * Q[:, read].T
    return A.copy(), C, np.eye(len(C))


# ------------------------------------------------------------------ the front door


def _norm(M: np.ndarray) -> float:
    return float(np.linalg.norm(M))


def _matrix(value: Entries, name: str) -> Matrix:
    """A matrix; a number is one of size one, a list of numbers a row."""
    rows: Any = [[value]] if isinstance(value, Number) else value
    return _check.bounded(np.atleast_2d(_check.array(rows, name)), name)


def _square(value: Entries, name: str) -> Matrix:
    return _check.shaped(_check.square(_matrix(value, name), name), name, (None, None))


def _data(A: Any, C: Any, R: Any, Q: Any, problem: str) -> _Data:
    A, C = _square(A, "A"), _matrix(C, "C")
    d = len(A)
    if problem == "regulator":
        wanted = ", a column for each input"
        A, C = A.T, _check.shaped(C, "C", (d, None), wanted).T
    C = _check.shaped(C, "C", (None, d), ", a row for each reading")
    m = len(C)
    R = _check.shaped(_check.symmetric(_matrix(R, "R"), "R"), "R", (m, m))
    if np.linalg.eigvalsh(R)[0] <= 0:
        wanted = "positive definite: no reading, and no input, is free"
        raise _check.refuse("R", wanted, f"eigenvalue {np.linalg.eigvalsh(R)[0]:.3g}")
    noise = np.zeros((d, d)) if Q is None else _semidefinite(Q, "Q", d)
    return _Data(A, C, R, noise)


def _semidefinite(value: Entries, name: str, d: int) -> Matrix:
    M = _check.shaped(_check.symmetric(_matrix(value, name), name), name, (d, d))
    least = float(np.linalg.eigvalsh(M)[0])
    if least < -SAME * _norm(M):
        raise _check.refuse(name, "without negative eigenvalues", f"{least:.3g}")
    return (M + M.T) / 2


def _solvable(data: _Data, problem: str) -> None:
    """Refuse what has no stabilising solution, and name the mode."""
    seen = hautus(data.A, data.C)
    verb = "is not seen in C x" if problem == "filter" else "is moved by no input"
    if not seen:
        word = "detectable" if problem == "filter" else "stabilisable"
        raise ValueError(
            f"the pair must be {word}: the mode of eigenvalue {_value(seen)}, "
            f"direction {_direction(seen)}, does not decay and {verb} "
            f"(margin {seen.margin:.1e}), so nothing can bring it down"
        )
    values = np.linalg.eigvals(data.A)
    still = values[abs(values.real) <= UNSEEN * max(_norm(data.A), 1e-300)]
    driven = _weakest(data.A.T, data.Q, still)
    if not driven:
        raise ValueError(
            f"Q must drive every mode on the imaginary axis: that of eigenvalue "
            f"{_value(driven)} neither grows nor decays by itself, so the solution "
            "comes to rest only like 1/t and does not stabilise it"
        )


def _value(mode: Hautus) -> str:
    z = mode.eigenvalue
    return f"{z.real:.4g}" if abs(z.imag) < 1e-12 else f"{z:.4g}"


def _direction(mode: Hautus) -> str:
    u = mode.direction
    u = u * np.exp(-1j * np.angle(u[np.argmax(abs(u))]))
    parts = [f"{z.real:.3g}" if abs(z.imag) < 1e-9 else f"{z:.3g}" for z in u + 0.0]
    return f"({', '.join(parts)})"


# ------------------------------------------------------------------------ solving


def _steady(data: _Data) -> Matrix:
    """SciPy's solution, sharpened by Newton's method; its refusals are ours.

    A step of Newton solves a Lyapunov equation of the closed loop (Kleinman).
    """
    from scipy.linalg import (
        LinAlgError,
        solve_continuous_are,
        solve_continuous_lyapunov,
    )

    try:
        S = solve_continuous_are(data.A.T, data.C.T, data.Q, data.R)
    except LinAlgError as error:
        raise ValueError(f"the solver found no stabilising solution: {error}") from None
    S = (S + S.T) / 2
    for _ in range(SHARPENED):
        closed = data.A - S @ data.information
        if np.linalg.eigvals(closed).real.max() < 0:
            step = solve_continuous_lyapunov(closed, -data.rate(S))
            S = S + (step + step.T) / 2
    return S


def _residual(data: _Data, S: Matrix) -> float:
    terms = 2 * _norm(data.A @ S) + _norm(S @ data.information @ S) + _norm(data.Q)
    # Where S is the rounding of zero, in units of A over the information.
    natural = _norm(data.A) ** 2 / (_norm(data.information) or 1.0)
    return _norm(data.rate(S)) / (max(terms, RESIDUAL * natural) or 1.0)


def _by_flow(data: _Data, slowest: float) -> tuple[Matrix, str]:
    """The end of a flow from the identity, after many times of the slowest mode."""
    d, t = len(data.A), SETTLED / slowest
    if data.Q.any():
        return _doubled(data, np.eye(d), t), "doubling"
    layer = layer_of_filter(data.A, data.C, data.R)
    start = Gaussian(np.zeros(d), np.eye(d))
    return solve(layer, start, np.array([0.0, t])).cov[-1], "moments"


def _doubled(data: _Data, start: Matrix, t: float) -> Matrix:
    """One exponential of norm below a half, doubled until its time is t."""
    from scipy.linalg import expm

    d, S = len(data.A), data.information
    M = np.block([[-data.A.T, S], [data.Q, data.A]])
    doublings = max(0, int(np.ceil(np.log2(max(2 * _norm(M) * t, 1.0)))))
    E = expm(M * (t / 2**doublings))
    a = np.linalg.inv(E[:d, :d])
    beta, gamma = a @ E[:d, d:], E[d:, :d] @ a
    for _ in range(doublings):
        between = np.eye(d) + beta @ gamma
        once = np.linalg.solve(between, a)
        beta, gamma, a = (
            beta + a @ np.linalg.solve(between, beta) @ a.T,
            gamma + a.T @ gamma @ once,
            a @ once,
        )
    end = gamma + a.T @ start @ np.linalg.solve(np.eye(d) + beta @ start, a)
    return (end + end.T) / 2
