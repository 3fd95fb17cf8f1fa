"""Stability: what a small change of the input or of the weights does to the tokens.

Three lines belong in one figure: the measured growth of a perturbation, the exponential
of the integrated logarithmic norm, and that of a constant that holds for every cloud.
Only the second is close to the first.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, _slopes, attention, energy, sphere
from tfdynlib._check import Number
from tfdynlib.attention import Masses, Tokens
from tfdynlib.flow import Trajectory
from tfdynlib.weights import Heads, WeightPath, gradient_sign
from tfdynlib.weights.paths import as_path


def lipschitz_constant(heads: Heads) -> float:
    r"""A constant L with :math:`W_2(\mu_t, \nu_t) \le e^{Lt}\, W_2(\mu_0, \nu_0)` for
    any two clouds under the softmax rule; crude.

    .. math:: L = \frac1\beta \bigl( R^2 + 2R + e^{2R} (2R^2 + R) \bigr), \qquad
              R = \beta \max_h |B_h|

    For gradient heads (V = B or V = -B) only.  Source: derived in the book.
    """
    _check.dimension(heads)
    gradient_sign(heads)
    R = heads.beta * float(np.linalg.norm(heads.B, 2, axis=(1, 2)).max())
    if R > 300:
        raise _check.refuse("heads", "of beta |B| up to 300", f"{R:g}")
    return float((R**2 + 2 * R + np.exp(2 * R) * (2 * R**2 + R)) / heads.beta)


def geodesic_constant(heads: Heads) -> float:
    r"""A constant L with :math:`W_2(\mu_t, \nu_t) \le e^{Lt}\, W_2(\mu_0, \nu_0)` for
    any two clouds under the softmax rule, along arcs; for any heads.

    .. math:: L = \sum_h m_h |V_h| \bigl(1 + R_h + (1 + 2R_h) \cosh R_h\bigr),
              \qquad R_h = \beta |B_h|

    The token that listens gives 1 + R, those that it listens to the rest.  Source:
    derived in the book.
    """
    _check.dimension(heads)
    R = heads.beta * np.linalg.norm(heads.B, 2, axis=(1, 2))
    if R.max() > 300:
        raise _check.refuse("heads", "of beta |B| up to 300", f"{R.max():g}")
    rate = 1 + R + (1 + 2 * R) * np.cosh(R)
    return float(heads.mass @ (np.linalg.norm(heads.V, 2, axis=(1, 2)) * rate))


def field_gap(heads: Heads, other: Heads) -> float:
    r"""Bound of the distance of two softmax velocities at one token, the same for every
    cloud: :math:`\sum_h m_h (|V_h - V'_h| + \beta |V'_h| |B_h - B'_h|)`.

    Heads are compared one by one, so both need as many, of the same masses and beta.
    """
    _check.dimension(heads)
    _check.fixed_heads(other, "other")
    same = heads.B.shape == other.B.shape and heads.beta == other.beta
    if not (same and np.array_equal(heads.mass, other.mass)):
        raise _check.refuse("other", "of the same shape, masses and beta", other)

    def norm(M: Float[np.ndarray, "H d d"]) -> Float[np.ndarray, " H"]:
        return np.linalg.norm(M, 2, axis=(1, 2))

    with np.errstate(over="ignore", invalid="ignore"):  # inf is refused
        turned = heads.beta * norm(heads.B - other.B)
        gap = norm(heads.V - other.V) + turned * norm(other.V)
        return _slopes.double(heads.mass @ gap, "heads")


def log_drift_bound(t: Number, heads: Heads, other: Heads, start: Number) -> float:
    r"""Logarithm of the largest distance :math:`W_2(\mu_t, \nu_t)` that Grönwall's
    lemma allows two clouds at distance ``start``, the one under ``heads`` and the other
    under ``other``: :math:`e^{Lt} W_2(\mu_0, \nu_0) + \delta\,(e^{Lt} - 1) / L`.

    L is ``geodesic_constant(heads)`` and delta is ``field_gap``.  The logarithm, since
    the bound itself is soon no double; -inf for equal clouds under equal heads.
    """
    t, start = _check.since(t, "t"), _check.since(start, "start")
    t, start = _check.time(t, "t"), _check.time(start, "start")
    L, gap = geodesic_constant(heads), field_gap(heads, other)
    slow = gap * t if L == 0 else -gap * np.expm1(-L * t) / L
    apart = start + slow
    return float(L * t + np.log(apart)) if apart > 0 else -np.inf


def logarithmic_norm(
    x: Real[np.ndarray, "n d"], heads: Heads, mass: ArrayLike | None = None
) -> float:
    r"""Largest instantaneous rate at which a perturbation of the tokens grows under the
    softmax rule: the top eigenvalue of the symmetric part of the Jacobian.

    .. math:: \frac{d}{dt} |\xi| \le \lambda_{\max}\Bigl(\frac{A + A^\top}{2}\Bigr)
              |\xi|, \qquad |\xi|^2 = \sum_i m_i |\xi_i|^2, \quad
              \xi_i \perp x_i

    A is the covariant derivative of the velocity on the product of spheres.
    Needs positive masses; O((nd)^2) memory.
    """
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    if not mass.all():
        raise _check.refuse("mass", "positive for every token", "a zero")
    if x.shape[1] < 2:
        raise _check.refuse("x", "of two columns or more", x)
    A = _jacobian(x, heads, mass)
    root = np.sqrt(np.repeat(mass, x.shape[1] - 1))
    A = root[:, None] * A / root
    return float(np.linalg.eigvalsh((A + A.T) / 2)[-1])


def _jacobian(x: Tokens, heads: Heads, mass: Masses) -> Float[np.ndarray, "N N"]:
    """Covariant derivative of the softmax velocity, in orthonormal tangent frames."""
    n, d = x.shape
    frame = np.linalg.qr(x[:, :, None], mode="complete")[0][:, :, 1:]
    blocks = np.zeros((n, n, d, d))
    pull = np.zeros((n, d))
    diagonal = np.arange(n)
    for w, a, B, V in zip(
        heads.mass, attention.attend(x, heads, mass), heads.B, heads.V
    ):
        mean = a @ x
        gap = x - mean[:, None]  # (query, key, d)
        tilt = heads.beta * x @ B.T
        spread = np.einsum("ij,ija,ijb->iab", a, gap, gap)
        as_key = a[..., None, None] * (
            np.eye(d) + gap[..., None] * tilt[:, None, None, :]
        )
        as_key[diagonal, diagonal] += heads.beta * spread @ B
        blocks += w * V @ as_key
        pull += w * mean @ V.T
    radial = np.sum(pull * x, axis=1)
    blocks[diagonal, diagonal] -= radial[:, None, None] * np.eye(d)
    A = np.einsum("iap,ijab,jbq->ipjq", frame, blocks, frame)
    return A.reshape(n * (d - 1), n * (d - 1))


def growth_bound(
    trajectory: Trajectory, path: WeightPath | Heads, mass: ArrayLike | None = None
) -> Float[np.ndarray, " m"]:
    r"""Largest growth of an infinitesimal perturbation since the start,
    :math:`\exp \int_0^t` of ``logarithmic_norm``, by Simpson's rule on the times of the
    trajectory, from one jump of the weights to the next.  The run must have followed
    the softmax rule.  ``inf`` beyond the doubles.

    Raises ``ValueError`` if the weights jump or bend at a time that is not among
    ``trajectory.t``."""
    wanted = "a Trajectory (see flow.solve)"
    _check.instance(trajectory, Trajectory, "trajectory", wanted)
    path = as_path(path)
    t = trajectory.t
    inner = [b for b in path.breaks if t[0] < b < t[-1]]
    missing = sorted(set(inner) - set(t.tolist()))
    if missing:
        wanted = f"inclusive of the jump of the weights at {missing[0]:g}"
        raise _check.refuse("trajectory.t", wanted, t)
    edges = [0, *np.searchsorted(t, inner).tolist(), len(t) - 1]
    log_growth = np.zeros(len(t))
    for a, b in zip(edges, edges[1:]):
        piece = _log_growth(t[a : b + 1], trajectory.x[a : b + 1], path, mass)
        log_growth[a : b + 1] = log_growth[a] + piece
    with np.errstate(over="ignore"):  # inf is a bound
        return np.exp(log_growth)


def _log_growth(
    t: Float[np.ndarray, " k"],
    x: Float[np.ndarray, "k n d"],
    path: WeightPath,
    mass: ArrayLike | None,
) -> Float[np.ndarray, " k"]:
    """Integral of ``logarithmic_norm`` along weights that jump at t[-1] at most."""
    from scipy.integrate import cumulative_simpson

    times = t.tolist()
    if times[-1] in path.breaks:
        times[-1] = float(np.nextafter(times[-1], times[0]))
    rates = [logarithmic_norm(y, path(s), mass) for s, y in zip(times, x)]
    return np.asarray(cumulative_simpson(np.array(rates), x=t, initial=0.0))


def energy_gap_bound(heads: Heads, other: Heads) -> float:
    r"""Bound of :math:`|E - E'|`, the same for every cloud:
    :math:`\tfrac12 e^R W_1(\Theta, \Theta')`, R the largest :math:`\beta |B|` of both.

    W1 between the measures over heads, with operator norms.  Uniform convergence of
    energies on a compact space is Γ-convergence, and minimisers converge with them.
    """
    import ot

    _check.dimension(heads)
    _check.fixed_heads(other, "other")
    if (heads.beta, heads.d) != (other.beta, other.d):
        raise _check.refuse("other", f"of beta={heads.beta:g}, d={heads.d}", other)
    cost = np.linalg.norm(heads.B[:, None] - other.B, 2, axis=(2, 3))
    R = max(np.linalg.norm(h.B, 2, axis=(1, 2)).max() for h in (heads, other))
    if heads.beta * R > 300:
        raise _check.refuse("heads", "of beta |B| up to 300", f"{heads.beta * R:g}")
    distance = float(ot.emd2(heads.mass, other.mass, cost))
    return float(np.exp(heads.beta * R) * distance / 2)


@dataclass(frozen=True)
class Minimum:
    """Tokens at which the energy does not fall further, reached from a start.

    ``slope`` is the largest component of the gradient there; ``status`` is
    ``"done"``, or the reason why the search stopped before.
    """

    x: Tokens
    energy: float
    slope: float
    status: str


def minimise(
    x0: Real[np.ndarray, "n d"], heads: Heads, mass: ArrayLike | None = None
) -> Minimum:
    """A local minimum of ``energy.interaction``, by L-BFGS from x0, with y / |y| for
    each token.  Another start may find a lower one."""
    from scipy.optimize import minimize

    d = _check.dimension(heads)
    x0, mass, _ = _check.cloud(x0, d, mass, names=("x0", "at"))

    def value(y: Float[np.ndarray, " nd"]) -> tuple[float, Float[np.ndarray, " nd"]]:
        y = y.reshape(x0.shape)
        norm = np.linalg.norm(y, axis=1, keepdims=True)
        x = y / norm
        pull = _slopes.euclidean_gradient(x, heads, mass, attention.USUAL)
        g = sphere.project(x, mass[:, None] * pull)
        return energy.interaction(x, heads, mass), (g / norm).ravel()

    options = {"gtol": 1e-12, "ftol": 1e-16, "maxiter": 10_000}
    found = minimize(value, x0.ravel(), jac=True, method="L-BFGS-B", options=options)
    x = sphere.retract(found.x.reshape(x0.shape))
    E, g = value(x.ravel())
    slope = float(np.abs(g).max())
    return Minimum(x, E, slope, "done" if slope < 1e-6 else str(found.message))
