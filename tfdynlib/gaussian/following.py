"""A covariance followed until it blows up, for fates that no theorem times."""

from dataclasses import replace

import numpy as np

from tfdynlib._check import LARGEST
from tfdynlib.gaussian.certificates import Case
from tfdynlib.gaussian.closed import Moebius, value_number
from tfdynlib.gaussian.moments import counted
from tfdynlib.gaussian.theorems import small
from tfdynlib.gaussian.types import Gaussian, Layer

# Steps that the way may take in all: by the integrator, by the closed form.
FOLLOWED, EXACTLY = 1200, 10_000
# A covariance that moved less than this part of itself in a piece of time rests.
STILL = 1e-9
# Rates beyond this, or below its inverse, are measured in units of their own.
FAR = 1e6
# Pieces, growing by a factor, in which it is followed.
FIRST_PIECE = 1.0


def followed(case: Case, horizon: float) -> float:
    """The blow-up met by following the covariance; inf if none up to the horizon.

    Where time has a unit far from one it is changed.
    """
    layer = case.layer
    sizes = [float(np.abs(M).max()) for M in (layer.A, layer.B, layer.V, case.cov)]
    unit = max(sizes[0], sizes[1] * sizes[2] * sizes[3])
    if 1 / FAR <= unit <= FAR or not 1 / LARGEST <= unit <= LARGEST:
        return _followed(case, horizon)
    A, B, V = layer.A / unit, layer.B / unit, layer.V
    return _followed(replace(case, layer=Layer(A, B, V)), horizon * unit) / unit


def _followed(case: Case, horizon: float) -> float:
    """As ``followed``, with time as it is."""
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
