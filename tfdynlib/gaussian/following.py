"""A covariance followed until it blows up, for fates that no theorem times."""

import numpy as np

from tfdynlib.gaussian.certificates import Case
from tfdynlib.gaussian.closed import Moebius, value_number
from tfdynlib.gaussian.moments import counted
from tfdynlib.gaussian.theorems import small
from tfdynlib.gaussian.types import Gaussian

# Steps that the way may take in all: by the integrator, by the closed form.
FOLLOWED, EXACTLY = 1200, 10_000
# A covariance that moved less than this part of itself in a piece of time rests.
STILL = 1e-9
# Pieces, growing by a factor, in which it is followed.
FIRST_PIECE = 1.0


def followed(case: Case, horizon: float) -> float:
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
        if still or small(Case(case.layer, start.cov, start.factor)) is not None:
            return np.inf
    return np.inf
