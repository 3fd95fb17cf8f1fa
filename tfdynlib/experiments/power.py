"""How the late mean falls with the number of heads."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tfdynlib import _check, fits
from tfdynlib.experiments.runs import Run


def listed(runs: Iterable[Run]) -> list[Run]:
    """Runs as a list, if they are."""
    wanted = "a list of Runs (see experiments.run)"
    found = list(_check.instance(runs, Iterable, "runs", wanted))
    return [_check.instance(r, Run, "runs", wanted) for r in found]


def fit(runs: Sequence[Run]) -> fits.Line:
    """The late means against H as a power law, weighed by their standard errors.

    The interval is that of the samples, not of the model (``fits.power``).  If the
    errors of some means are 0 or unknown all weigh the same, and the interval is all
    numbers.
    """
    runs = listed(runs)
    if len({r.setting.H for r in runs}) < 2:
        raise _check.refuse("runs", "of two numbers of heads or more", len(runs))
    H = [r.setting.H for r in runs]
    mean, error = np.array([(r.late_mean, r.late_error) for r in runs]).T
    if np.all(np.isfinite(error) & (error > 0)):
        return fits.power(H, mean, error)
    return replace(fits.power(H, mean), standard_error=float("inf"))
