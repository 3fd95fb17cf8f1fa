"""What is known of the distance without a search: its bounds, and when atoms split."""

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.weights import Heads

# Exponentials of scores, squared and divided, stay doubles up to this score.
LARGEST_SCORE = 100.0


def equivalence_bounds(heads: Heads) -> tuple[float, float]:
    r"""Factors between which the distance lies, in units of :math:`W_2` (geodesic).

    .. math::
        \Bigl(\sum_h m_h e^{R_h}\Bigr)^{-1/2} \le \frac{W_{m,2}}{W_2} \le
        \Bigl(\sum_h m_h e^{-R_h}\Bigr)^{-1/2}, \qquad R_h = \beta |B_h|

    with the operator norm.  Never wider than :math:`e^{\mp R/2}`, R the largest R_h.
    Raises ``ValueError`` for R beyond 100.
    """
    _check.instance(heads, Heads, "heads", "made by weights.Heads")
    norms = _norms(heads)
    return tuple(float((heads.mass @ np.exp(s * norms)) ** -0.5) for s in (1, -1))  # type: ignore[return-value]


def splitting_threshold(b: Number, beta: Number = 1.0, d: int = 2) -> float:
    r"""How far one atom may travel whole, under one head B = bI, before splitting wins.

    .. math:: \varphi = \frac{\pi}{\sqrt{\beta b}} \quad (d = 2), \qquad
              \varphi = \frac{\pi}{\sqrt{1 + \beta b}} \quad (d \ge 3)

    On the circle the atom splits along its way, on larger spheres sideways.  From the
    second variation of the action about the rigid path.  ``inf`` for b <= 0.
    """
    score = _check.positive(beta, "beta") * _check.time(b, "b")
    if _check.count(d, "d", 2) > 2:
        return float(np.pi / np.sqrt(1 + score)) if score > 0 else np.inf
    return float(np.pi / np.sqrt(score)) if score > 0 else np.inf


def _norms(heads: Heads) -> Float[np.ndarray, " H"]:
    """Largest scores of the heads between unit vectors."""
    norms = heads.beta * np.linalg.norm(heads.B, 2, axis=(1, 2))
    if norms.max() > LARGEST_SCORE:
        wanted = f"small enough for scores up to {LARGEST_SCORE:g}"
        raise _check.refuse("beta", wanted, f"scores up to {norms.max():.3g}")
    return norms
