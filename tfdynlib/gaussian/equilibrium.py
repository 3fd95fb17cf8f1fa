r"""Where the covariance may rest: the algebraic Bernoulli equation.

.. math:: J\Sigma + \Sigma J^\top = 0, \qquad J = A + V\Sigma B, \quad \Sigma \succ 0

JΣ is skew there, so that the spectrum of J lies on the imaginary axis.  For V = vI the
precision solves a Lyapunov equation, :math:`A^\top P + PA = -v(B + B^\top)`.  Sources:
:cite:t:`alcalde2026gaussian` for the equation and its regimes; explicit forms are
derived in the book.
"""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Complex, Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib.gaussian.closed import value_number
from tfdynlib.gaussian.moments import solve
from tfdynlib.gaussian.types import Gaussian, Layer, Matrix, Vector, symmetric_part

# A solution counts as one if its residual is this small against its terms.
RESIDUAL = 1e-11
# Newton's steps from a start near a solution; it doubles the digits at each.
STEPS = 60
# How long the flow is followed towards an equilibrium, in units of 1/|A|, and the steps
# that this may take: it only has to come near.
PATIENCE = (3.0, 30.0)
MOST_STEPS = 500


class NoEquilibrium(ArithmeticError):
    """There is no positive definite equilibrium, or none was found; says which."""


@dataclass(frozen=True)
class Equilibrium:
    r"""A positive definite covariance that stays, and what happens near it.

    Attributes
    ----------
    cov
        Σ, (d, d).
    residual
        Norm of :math:`J\Sigma + \Sigma J^\top` over that of its terms.
    spectrum
        Eigenvalues of J, the closed loop, (d,): on the imaginary axis.
    rate
        Slowest exponential rate at which nearby covariances come to it; negative if
        some leave.
    mean_rate
        The same for the mean: minus the largest real part of the spectrum of J + V.
    layer
        The layer it belongs to.
    """

    cov: Matrix
    residual: float
    spectrum: Complex[np.ndarray, " d"]
    rate: float
    mean_rate: float
    layer: Layer = field(repr=False)

    @property
    def jacobian(self) -> Matrix:
        """J = A + VΣB."""
        return self.layer.jacobian(self.cov)

    @property
    def attracts(self) -> bool:
        """Whether nearby covariances come to it."""
        return self.rate > 0

    def bias(self, mean: ArrayLike) -> Vector:
        """The b for which the mean rests at ``mean``: -(J + V) mean.  It attracts if
        ``mean_rate`` is positive."""
        d = self.layer.d
        mean = _check.shaped(mean, "mean", (d,), ", as the layer has it")
        return -(self.jacobian + self.layer.V) @ mean

    @property
    def mean(self) -> Vector | None:
        """Where the mean rests under the layer's own b; None if J + V is singular."""
        M = self.jacobian + self.layer.V
        sizes = np.linalg.svd(M, compute_uv=False)
        if sizes[-1] <= 1e-13 * max(sizes[0], 1e-300):
            return None
        return -np.linalg.solve(M, self.layer.b)


def equilibrium(layer: Layer) -> Equilibrium:
    r"""A positive definite Σ with :math:`J\Sigma + \Sigma J^\top = 0`.

    For V = vI the only one, from a Lyapunov equation.  For other V the flow is followed
    forwards, and backwards for one that repels, until Newton's method finishes; there
    may be more than one then.  Every answer has been put into the equation: relative
    residual below 1e-11, and positive definite.

    Raises ``NoEquilibrium`` with the reason: there is none (V = vI; attention off; a
    trace that cannot vanish), or none was found (other V).
    """
    _check.instance(layer, Layer, "layer", "a gaussian.Layer")
    v = value_number(layer)
    if v is not None:
        return _checked(layer, _by_precision(layer, v))
    _refuse_impossible(layer)
    for sign in (1.0, -1.0):
        reverse = Layer(sign * layer.A, sign * layer.B, layer.V)
        cov = _by_flow(reverse)
        if cov is not None:
            return _checked(layer, cov)
    raise NoEquilibrium(
        "none was found: followed forwards and backwards from several starts, the "
        "covariance dies, grows or circles"
    )


def _by_precision(layer: Layer, v: float) -> Matrix:
    """For V = vI: the inverse of the solution of the Lyapunov equation."""
    from scipy.linalg import solve_sylvester

    S = v * (layer.B + layer.B.T)
    spectrum = np.linalg.eigvals(layer.A)
    size = max(float(np.abs(spectrum).max()), float(np.linalg.norm(layer.A, 2)))
    gap = np.abs(spectrum[:, None] + spectrum[None, :]).min()
    if gap <= 1e-12 * size:
        raise NoEquilibrium(
            f"A has eigenvalues {spectrum[0]:.3g}, ... of which two sum to zero: the "
            "precision, A^T P + P A = -v (B + B^T), has no unique rest"
        )
    P = symmetric_part(solve_sylvester(layer.A.T, layer.A, -S))
    values = np.linalg.eigvalsh(P)
    if values[0] <= 1e-13 * max(abs(values[0]), abs(values[-1])):
        raise NoEquilibrium(
            "the only precision at rest, A^T P + P A = -v (B + B^T), is not positive "
            f"definite: its eigenvalues go from {values[0]:.3g} to {values[-1]:.3g}"
        )
    return symmetric_part(np.linalg.inv(P))


def _refuse_impossible(layer: Layer) -> None:
    """Raise if a trace shows that no positive definite rest exists."""
    V, K = symmetric_part(layer.V), symmetric_part(layer.B)
    if np.abs(layer.V - V).max() > 1e-13 * np.abs(V).max(initial=0.0):
        return
    for sign in (1.0, -1.0):
        low = np.linalg.eigvalsh(sign * V)[0]
        if low <= 0:
            continue
        root, back = _root(sign * V)
        alpha = np.linalg.eigvalsh(symmetric_part(back @ layer.A @ root))
        beta = np.linalg.eigvalsh(sign * K)
        slack = 1e-14 * np.abs(alpha).max()
        dying = beta[-1] < 0 and alpha[-1] <= slack
        growing = beta[0] > 0 and alpha[0] >= -slack
        if dying or growing:
            raise NoEquilibrium(
                "tr(V^-1 Sigma) "
                + ("falls" if dying else "grows")
                + " at every positive definite Sigma: V and B of "
                + ("opposite signs need" if dying else "equal signs need")
                + (" an expansive A" if dying else " a contracting A")
            )


def _root(V: Matrix) -> tuple[Matrix, Matrix]:
    """The symmetric square root of a positive definite matrix, and its inverse."""
    values, U = np.linalg.eigh(V)
    return (U * np.sqrt(values)) @ U.T, (U / np.sqrt(values)) @ U.T


def _by_flow(layer: Layer) -> Matrix | None:
    """Follow the covariance until Newton's method takes over."""
    d = layer.d
    reach = max(float(np.linalg.norm(layer.A, 2)), 1e-12)
    push = float(np.linalg.norm(layer.V, 2) * np.linalg.norm(layer.B, 2))
    scale = reach / max(push, 1e-12)
    for factor in (1.0, 0.1):
        start = Gaussian(np.zeros(d), factor * scale * np.eye(d))
        for patience in PATIENCE:
            end = [0.0, patience / reach]
            run = solve(layer, start, end, "ode", 1e-5, 1e-6, MOST_STEPS)
            if run.status != "done":
                break
            cov = _newton(layer, run.cov[-1])
            if cov is not None:
                return cov
    return None


def _newton(layer: Layer, cov: Matrix) -> Matrix | None:
    """Newton's method on the Bernoulli equation; None if it ends nowhere."""
    for _ in range(STEPS):
        values = np.linalg.eigvalsh(cov)
        if not np.isfinite(cov).all() or values[0] <= 1e-12 * values[-1]:
            return None
        residual, terms = _residual(layer, cov)
        if np.linalg.norm(residual) <= 1e-14 * terms:
            return cov
        step = np.linalg.lstsq(_linear(layer, cov), -residual.ravel(), rcond=None)[0]
        cov, before = symmetric_part(cov + step.reshape(cov.shape)), cov
        if np.linalg.norm(cov - before) <= 1e-15 * np.linalg.norm(cov):
            break
    residual, terms = _residual(layer, cov)
    positive = np.linalg.eigvalsh(cov)[0] > 0
    return cov if positive and np.linalg.norm(residual) <= RESIDUAL * terms else None


def _residual(layer: Layer, cov: Matrix) -> tuple[Matrix, float]:
    """J Sigma + Sigma J^T, and the size of its terms."""
    own, seen = layer.A @ cov, layer.V @ cov @ layer.B @ cov
    half = own + seen
    return half + half.T, 2 * float(np.linalg.norm(own) + np.linalg.norm(seen))


def _linear(layer: Layer, cov: Matrix) -> Float[np.ndarray, "k k"]:
    """The derivative of the covariance's velocity, on matrices in rows."""
    d, eye = layer.d, np.eye(layer.d)
    J = layer.jacobian(cov)
    # X -> J X + V X B Sigma, and the transpose of its value.
    half = np.kron(J, eye) + np.kron(layer.V, (layer.B @ cov).T)
    flip = np.arange(d * d).reshape(d, d).T.ravel()
    # Restricted to symmetric X, X^T = X.
    return half + half[flip]


def _checked(layer: Layer, cov: Matrix) -> Equilibrium:
    """The equilibrium with its numbers; raises if it does not solve the equation."""
    residual, terms = _residual(layer, cov)
    relative = float(np.linalg.norm(residual)) / terms if terms else 0.0
    if relative > RESIDUAL:
        raise NoEquilibrium(
            f"the equation is too ill-conditioned: a residual of {relative:.3g}"
        )
    d = layer.d
    J = layer.jacobian(cov)
    # An orthonormal basis of symmetric matrices.
    rows, cols = np.triu_indices(d)
    basis = np.zeros((len(rows), d, d))
    weight = np.where(rows == cols, 0.5, np.sqrt(0.5))
    basis[np.arange(len(rows)), rows, cols] += weight
    basis[np.arange(len(rows)), cols, rows] += weight
    E = basis.reshape(len(rows), -1)
    motion = np.linalg.eigvals(E @ _linear(layer, cov) @ E.T)
    return Equilibrium(
        cov,
        relative,
        np.linalg.eigvals(J).astype(complex),
        -float(motion.real.max()),
        -float(np.linalg.eigvals(J + layer.V).real.max()),
        layer,
    )
