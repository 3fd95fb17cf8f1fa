"""Theorems about any layer, and about layers whose modes are of one dimension.

Each looks at a case and gives its fate, or None where its hypotheses do not hold.
"""

import numpy as np

from tfdynlib.gaussian.certificates import BORDER, Case, Certificate, Regime, outside
from tfdynlib.gaussian.closed import Modes, value_number
from tfdynlib.gaussian.scalar import scalar_blow_up_time
from tfdynlib.gaussian.types import Matrix, symmetric_part


def at_rest(case: Case) -> Regime | None:
    own, seen = _terms(case)
    half = own + seen
    size = float(np.linalg.norm(own) + np.linalg.norm(seen))
    residual = float(np.linalg.norm(half + half.T))
    if residual > 1e-14 * size:
        return None
    why = Certificate(
        "J Sigma + Sigma J^T = 0 at the start.",
        {"residual, relative (zero)": residual / (size or 1.0)},
    )
    return Regime("rests", why, limit=case.cov)


def _terms(case: Case) -> tuple[Matrix, Matrix]:
    """A Sigma and V Sigma B Sigma over one number, as they may be no doubles."""
    layer = case.layer
    (A, a), (B, b), (V, v), (S, s) = map(_unit, (layer.A, layer.B, layer.V, case.cov))
    sizes = np.array([a + s, v + b + 2 * s])
    top = sizes.max()
    own, seen = np.exp(sizes - top) if top > -np.inf else (0.0, 0.0)
    return own * A @ S, seen * V @ S @ B @ S


def _unit(M: Matrix) -> tuple[Matrix, float]:
    """A matrix over its largest entry, and the logarithm of that, -inf for zero."""
    size = float(np.abs(M).max())
    return (M / size, float(np.log(size))) if size > 0 else (M, -np.inf)


def attention_off(case: Case) -> Regime | None:
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
    unstable = outside(case, strictly=True)
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


def commuting(case: Case) -> Regime | None:
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


def small(case: Case) -> Regime | None:
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
