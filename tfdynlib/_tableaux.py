"""Coefficients of the two adaptive Runge-Kutta methods.

The numbers are those that SciPy shows as class attributes of its solvers; nothing else
of these is used.  Sources: J. R. Dormand, P. J. Prince (1980), with the interpolant of
L. F. Shampine (1986); E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary
Differential Equations I, II.5 (order 8, with estimates of order 5 and 3).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float

Row = Float[np.ndarray, " _"]
Rows = Float[np.ndarray, "_ _"]


@dataclass(frozen=True)
class Tableau:
    """Stages k_i = f(t + c_i h, y + h sum_j a_ij k_j), end y1 = y + h sum_i b_i k_i.

    Attributes
    ----------
    a, b, c
        As above; the last stage is f(t + h, y1), the first one of the next step.
    errors
        Weights of the stages (the last one included) in one or two error estimates.
    order
        The error estimate falls as h to this power.
    dense
        Weights of the stages in the interpolant, one row for each power of time.
    extra
        Nodes and coefficients of stages that only the interpolant needs.
    """

    a: Rows
    b: Row
    c: Row
    errors: tuple[Row, ...]
    order: int
    dense: Rows
    extra: tuple[Row, Rows] | None = None


@cache
def tableau(method: str) -> Tableau:
    """The coefficients of ``"dopri5"`` or ``"dop853"``."""
    from scipy.integrate import DOP853, RK45

    if method == "dopri5":
        kind = RK45
        return Tableau(kind.A, kind.B, kind.C, (kind.E,), 5, kind.P.T)
    kind = DOP853
    extra = (kind.C_EXTRA, kind.A_EXTRA)
    return Tableau(kind.A, kind.B, kind.C, (kind.E5, kind.E3), 8, kind.D, extra)
