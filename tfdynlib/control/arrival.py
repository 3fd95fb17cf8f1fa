"""Where a path of weights leads: the moments integrated, against the target."""

from dataclasses import dataclass, field

import numpy as np

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.control.ranks import pair
from tfdynlib.gaussian import Gaussian, LayerPath, Moments, distance, solve

# Tolerances and steps.  Where attention widens a cloud a thousandfold the first is lost
# in rounding, and steps shrink without end; some hundred are usual.
TRIED = ((1e-13, 6000), (1e-12, 20_000))


@dataclass(frozen=True)
class Arrival:
    """Where a path of weights leads, against where it should.

    Attributes
    ----------
    error
        W2 of end and target over the way to go, W2 of start and target, plus the size
        of the target, the root of E|x|^2: free of units.
    stretch
        Largest relative error of the width in any direction of the target's range;
        ``inf`` if the ranks differ.  It also sees directions too thin for ``error``.
    tolerance
        What ``bool(arrival)`` compares ``error`` with.
    moments
        The run: mean and covariance at the start, at the breaks and at the end.
    """

    error: float
    stretch: float
    tolerance: float
    moments: Moments = field(repr=False)

    def __bool__(self) -> bool:
        return self.moments.status == "done" and self.error <= self.tolerance


def verify(
    path: LayerPath, start: Gaussian, target: Gaussian, tolerance: Number = 1e-9
) -> Arrival:
    """Integrate the moments along the path, and compare the end with the target.

    The default tolerance leaves four digits to the integrator's 1e-13 and to the
    conditioning of the pair.  Attention that widens a cloud by a factor w in some
    direction amplifies errors by w squared (see ``steer``): what is missed is about
    4e-15 of that, so that 1e-9 is met up to w = 500 or so, and for w beyond 3000 by no
    weights in double precision, whose own rounding is amplified too.
    """
    pair(start, target)
    times = np.array([edges(path)[0], *path.breaks, edges(path)[1]])
    for rtol, most in TRIED:
        moments = solve(path, start, times, "auto", rtol, 0.1 * rtol, most)
        if moments.status != "too many steps":
            break
    end = moments.end
    size = np.sqrt(target.mean @ target.mean + np.sum(target.factor**2))
    scale = distance(start, target) + float(size)
    error = distance(end, target) / (scale or 1.0)
    tolerance = _check.positive(tolerance, "tolerance")
    return Arrival(float(error), _stretch(end, target), tolerance, moments)


def edges(path: LayerPath) -> tuple[float, float]:
    """First and last time of a path; refuses a path without end."""
    _check.instance(path, LayerPath, "path", "a gaussian.LayerPath")
    if path.edges is None:
        wanted = "defined between two times (LayerPath(..., edges=(0, T)))"
        raise _check.refuse("path", wanted, "a path for all times")
    return path.edges


def _stretch(end: Gaussian, target: Gaussian) -> float:
    if end.rank != target.rank:
        return float("inf")
    if target.rank == 0:
        return 0.0
    ratio = np.linalg.pinv(target.factor) @ end.factor
    return float(np.abs(np.linalg.svd(ratio, compute_uv=False) - 1).max())
