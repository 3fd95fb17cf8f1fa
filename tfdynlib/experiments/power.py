"""How the late mean falls with the number of heads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tfdynlib import _check
from tfdynlib.experiments.runs import Run


@dataclass(frozen=True)
class Power:
    """A fit a H^b: the exponent, half of its 95% interval, and the factor."""

    exponent: float
    half_width: float
    factor: float

    def __str__(self) -> str:
        return f"{self.exponent:.3f} ± {self.half_width:.3f}"


def listed(runs: Iterable[Run]) -> list[Run]:
    """Runs as a list, if they are."""
    wanted = "a list of Runs (see experiments.run)"
    found = list(_check.instance(runs, Iterable, "runs", wanted))
    return [_check.instance(r, Run, "runs", wanted) for r in found]


def fit(runs: Sequence[Run]) -> Power:
    """The late means against H as a H^b, weighed by their standard errors.

    The interval is 1.96 standard errors, those of the means carried to the exponent:
    the error of the samples, not that of the model.  If the errors of some means are
    0 or unknown all weigh the same, and the interval is nan.
    """
    runs = listed(runs)
    if len({r.setting.H for r in runs}) < 2:
        raise _check.refuse("runs", "of two numbers of heads or more", len(runs))
    H = np.log([float(r.setting.H) for r in runs])
    mean = np.array([r.late_mean for r in runs])
    relative = np.array([r.late_error for r in runs]) / mean
    known = bool(np.all(np.isfinite(relative) & (relative > 0)))
    weight = 1 / relative**2 if known else np.ones(len(runs))
    weight = weight / weight.sum()
    centre, level = weight @ H, weight @ np.log(mean)
    along = weight * (H - centre) / (weight @ (H - centre) ** 2)
    b = float(along @ np.log(mean))
    half = 1.96 * float(np.sqrt(along**2 @ relative**2)) if known else float("nan")
    return Power(b, half, float(np.exp(level - b * centre)))
