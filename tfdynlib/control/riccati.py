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

import numpy as np
from jaxtyping import Complex

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.control._filtering import (
    Entries,
    Filtering,
    Matrix,
    filtering,
    norm,
    semidefinite,
)
from tfdynlib.control.filters import layer_of_filter
from tfdynlib.control.modes import refuse_unsolvable
from tfdynlib.gaussian import Gaussian, solve

PROBLEMS = ("filter", "regulator")
# Largest residual of an accepted solution, relative to the terms of the equation.
RESIDUAL = 1e-8
ROUNDING = 1e-15  # of modes, in units of A or of the root of the other two terms
SHARPENED = 2  # steps of Newton, each of which squares the error
# Natural times after which e^-2t is below rounding.
SETTLED = 20.0


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
        The same matrix as the end of a flow in time from a round start, and the norm
        of the difference, relative to the larger of that start (of a size that the
        equation has by itself) and the norm of the solution.
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
    data = filtering(A, C, R, Q, problem)
    refuse_unsolvable(data, problem)
    scaled, unit, rate = data.in_units()
    S = _steady(scaled)
    loop = np.linalg.eigvals(scaled.A - S @ scaled.information).astype(complex)
    residual = _residual(scaled, S)
    if residual > RESIDUAL or loop.real.max() > -ROUNDING:
        raise ValueError(
            "the solver's answer cannot be trusted: relative residual "
            f"{residual:.1e}, slowest mode of the closed loop {loop.real.max():.1e} in "
            "natural units (it must be negative); rescale A, C, R and Q"
        )
    end, flow = _by_flow(scaled, float(-loop.real.max()))
    gap = float(np.linalg.norm(end - S) / max(1.0, norm(S)))
    S, end = _in_bounds(S, unit), _in_bounds(end, unit)
    gain = np.linalg.solve(data.R, data.C @ S).T
    gain = gain if problem == "filter" else gain.T
    return Riccati(S, gain, rate * loop, residual, end, gap, flow)


def _in_bounds(S: Matrix, unit: float) -> Matrix:
    """S in the reader's units."""
    if not np.abs(S).max() <= _check.LARGEST / unit:
        wanted = f"such that the covariance stays below {_check.LARGEST:g}"
        raise _check.refuse("A, C, R and Q", wanted, "one that does not")
    return unit * S


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
    data = filtering(A, C, R, Q, "filter")
    start = semidefinite(start, "start", len(data.A))
    t = _check.since(_check.time(t, "t"), "t")
    scaled, unit, rate = data.in_units()
    if not rate * t:
        return start
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # then it is out of bounds
            end = _doubled(scaled, start / unit, rate * t)
    except np.linalg.LinAlgError:
        raise _check.refuse("t", "short enough for doubles", t) from None
    return _in_bounds(end, unit)


def _steady(data: Filtering) -> Matrix:
    """SciPy's solution, sharpened by Newton's method; its refusals are ours.

    A step of Newton solves a Lyapunov equation of the closed loop (Kleinman).
    """
    from scipy.linalg import (
        LinAlgError,
        solve_continuous_are,
        solve_continuous_lyapunov,
    )

    try:
        with np.errstate(invalid="ignore"):  # of what is singular, and refused
            S = solve_continuous_are(data.A.T, data.C.T, data.Q, data.R)
    except (LinAlgError, ValueError) as error:
        raise ValueError(f"the solver found no stabilising solution: {error}") from None
    S = (S + S.T) / 2
    for _ in range(SHARPENED):
        closed = data.A - S @ data.information
        if np.linalg.eigvals(closed).real.max() < 0:
            step = solve_continuous_lyapunov(closed, -data.rate(S))
            S = S + (step + step.T) / 2
    return S


def _residual(data: Filtering, S: Matrix) -> float:
    terms = 2 * norm(data.A @ S) + norm(S @ data.information @ S) + norm(data.Q)
    # Where S is the rounding of zero, in units of A over the information.
    natural = norm(data.A) ** 2 / (norm(data.information) or 1.0)
    return norm(data.rate(S)) / (max(terms, RESIDUAL * natural) or 1.0)


def _by_flow(data: Filtering, slowest: float) -> tuple[Matrix, str]:
    """The end of a flow from the identity, after many times of the slowest mode."""
    d, t = len(data.A), SETTLED / slowest
    if data.Q.any():
        return _doubled(data, np.eye(d), t), "doubling"
    layer = layer_of_filter(data.A, data.C, data.R)
    start = Gaussian(np.zeros(d), np.eye(d))
    return solve(layer, start, np.array([0.0, t])).cov[-1], "moments"


def _doubled(data: Filtering, start: Matrix, t: float) -> Matrix:
    """One exponential of norm below a half, doubled until its time is t."""
    from scipy.linalg import expm

    d, S = len(data.A), data.information
    M = np.block([[-data.A.T, S], [data.Q, data.A]])
    doublings = max(0, int(np.ceil(np.log2(max(2 * norm(M) * t, 1.0)))))
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
