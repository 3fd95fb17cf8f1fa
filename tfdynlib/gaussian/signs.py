r"""The theorem for values of one sign and scores of one sign, and bounds of a blow-up.

Both come from one inequality for :math:`y = \mathrm{tr}(V^{-1}\Sigma)`: see
``blow_up_bounds``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tfdynlib.gaussian.certificates import BORDER, Case, Certificate, Regime, case_of
from tfdynlib.gaussian.following import followed
from tfdynlib.gaussian.scalar import scalar_blow_up_time
from tfdynlib.gaussian.types import Layer, symmetric_part


@dataclass(frozen=True)
class Signs:
    """A layer whose values have one sign, in coordinates where they are v_i > 0."""

    y0: float
    rank: int
    v: tuple[float, float]  # least and largest value
    beta: tuple[float, float]  # least and largest eigenvalue of (B + B^T)/2
    alpha: tuple[float, float]  # of the symmetric part of V^-1/2 A V^1/2

    @classmethod
    def of(cls, case: Case) -> "Signs | None":
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


def equal_or_opposite(case: Case) -> Regime | None:
    """Values of one sign and scores of one sign: a logistic inequality for a trace."""
    s = Signs.of(case)
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
        end = followed(case, 2 * upper)
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
    case = case_of(layer, cov)
    if not case.L.shape[1]:
        return np.inf, np.inf
    s = Signs.of(case)
    if s is None:
        top = float(np.linalg.eigvalsh(symmetric_part(layer.A))[-1])
        push = float(np.linalg.norm(layer.V, 2) * np.linalg.norm(layer.B, 2))
        size = float(np.linalg.norm(case.L, 2) ** 2)
        return float(scalar_blow_up_time(top, push, size)), np.inf
    down, up = s.push
    lower = scalar_blow_up_time(s.alpha[1], up, s.y0)
    upper = scalar_blow_up_time(s.alpha[0], down, s.y0)
    return float(lower), float(upper)
