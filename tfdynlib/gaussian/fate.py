"""What becomes of a covariance, and which theorem says so.

Each theorem has its hypotheses checked in numbers, and the certificate keeps the
margins.  Where none applies the fate is *undecided*: nothing is guessed from a run.
"""

from collections.abc import Callable

from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.gaussian.certificates import Case, Certificate, Regime, case_of
from tfdynlib.gaussian.following import followed
from tfdynlib.gaussian.precision import precision
from tfdynlib.gaussian.signs import equal_or_opposite
from tfdynlib.gaussian.theorems import at_rest, attention_off, commuting, small
from tfdynlib.gaussian.types import Layer

# How far a covariance is followed to find a blow-up that no theorem foretells.
HORIZON = 100.0

THEOREMS: tuple[Callable[[Case], Regime | None], ...] = (
    at_rest,
    attention_off,
    commuting,
    precision,
    equal_or_opposite,
    small,
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
    case = case_of(layer, cov)
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
    case = case_of(layer, cov)
    fate = regime(layer, cov)
    if fate.blow_up_time is not None:
        return fate.blow_up_time
    return followed(case, horizon)
