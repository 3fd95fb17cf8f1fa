"""The squared slope of the energy against the number of heads.

The experiments of the first paper (``experiments``), each repetition with tokens and
heads of its own.  Source: settings of the public code of
:cite:t:`massucco2026multihead`.
"""

from typing import Any

import numpy as np

from tfdynlib import _check, experiments
from tfdynlib.experiments import Setting
from tfdynlib.sweep.kinds.checks import at_least, word
from tfdynlib.sweep.study import Kind, Output, Parameter


def run(p: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One path of the weights, from tokens and heads of its own."""
    sizes = {name: p[name] for name in ("d", "H", "n", "T", "dt")}
    setting = Setting(p["layout"], **sizes, seed=int(rng.integers(2**31)))
    course = experiments.course(setting, account=False)
    late = slice(setting.steps // 2, None)
    return {
        "slope_squared": course.action[late].mean(),
        "metric_slope": course.slope[late].mean(),
        "dissipation": course.lost[late].mean(),
    }


KIND = Kind(
    "slope",
    "Late mean of the squared slope against the number of heads",
    run,
    {
        "layout": Parameter("how the heads move", "ou", word(*experiments.LAYOUTS)),
        "H": Parameter("heads", 1, at_least(1)),
        "d": Parameter("dimension of a token", 3, at_least(2)),
        "n": Parameter("tokens", 50, at_least(1)),
        "T": Parameter("last layer-time", 20.0, _check.positive),
        "dt": Parameter("step of Euler's method", 5e-3, _check.positive),
    },
    {
        "slope_squared": Output("mean of G^2 (energy.action) over the second half"),
        "metric_slope": Output("mean of the squared metric slope over it"),
        "dissipation": Output("mean of the rate of fall of the energy over it"),
    },
)
