"""How long each number of clusters stays on the circle, V = B = I.

Tokens of chance come together in places, and the places wait for each other.  Tokens
within ``merge`` of each other go on as one, so that a wait costs few steps; a number of
clusters is counted at ``radius``.  When two are left, their gap and masses say what the
wait should be (``metastability.dwell_time``).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from tfdynlib import _check, attention, flow, metastability, sphere
from tfdynlib.sweep.kinds.checks import at_least, within
from tfdynlib.sweep.study import Axis, Kind, Output, Parameter
from tfdynlib.weights import Heads

# Output times for each decade: plateaus end to within 6 %.
DENSE = 40


def times(p: Mapping[str, Any]) -> Float[np.ndarray, " m"]:
    """0, and output times that grow by one factor."""
    decades = np.log10(p["t_end"] / p["t_first"])
    points = max(2, round(DENSE * decades) + 1)
    return np.append(0.0, np.geomspace(p["t_first"], p["t_end"], points))


def lefts(p: Mapping[str, Any]) -> Int[np.ndarray, " k"]:
    """Numbers of clusters that are counted."""
    return np.arange(2, p["most"] + 1, dtype=np.int32)


def run(p: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One staircase."""
    x = sphere.uniform(p["n"], 2, rng)
    one = Heads(np.eye(2), np.eye(2), p["beta"])
    options = {"rtol": p["rtol"], "atol": p["rtol"] / 100, "merge": p["merge"]}
    course = flow.solve(attention.field(one), x, times(p), **options)
    if course.status != "done":
        raise RuntimeError(f"the flow stopped at t = {course.t[-1]:g}: {course.status}")
    stairs = metastability.dwell_times(course, p["radius"])
    stay = dict.fromkeys(lefts(p).tolist(), 0.0)
    for step in stairs:
        if step.count in stay:
            stay[step.count] += step.length
    if stairs[-1].count in stay:
        stay[stairs[-1].count] = float("inf")
    two = next((step.start for step in stairs if step.count == 2), None)
    gap, mass, wait = 0.0, 0.0, 0.0
    if two is not None:
        gap, mass = pair(course.x[np.searchsorted(course.t, two)], p["radius"])
        wait = metastability.dwell_time(gap, p["beta"], p["radius"], mass)
    found = {"stay": list(stay.values()), "gap": gap, "mass": mass, "wait": wait}
    return found | {"last": stairs[-1].count}


def pair(x: Float[np.ndarray, "n d"], radius: float) -> tuple[float, float]:
    """The gap between two clusters of equal tokens, and the mass of the first."""
    first = metastability.clusters(x, radius) == 0
    a, b = (sphere.retract(part.mean(axis=0)) for part in (x[first], x[~first]))
    return float(sphere.distance(a, b)), float(first.mean())


KIND = Kind(
    "dwell",
    "How long each number of clusters stays on the circle, V = B = I",
    run,
    {
        "beta": Parameter("inverse temperature", 6.0, _check.positive),
        "n": Parameter("tokens, uniform by chance", 32, at_least(2)),
        "radius": Parameter("radius of a cluster", 0.1, within(0, np.pi), "rad"),
        "merge": Parameter(
            "radius within which tokens go on as one", 1e-4, _check.positive
        ),
        "rtol": Parameter("tolerance of the integrator", 1e-8, _check.positive),
        "t_first": Parameter(
            "first layer-time after 0", 0.1, _check.positive, shared=True
        ),
        "t_end": Parameter("last layer-time", 1e8, _check.positive, shared=True),
        "most": Parameter(
            "most clusters that are told apart", 6, at_least(2), shared=True
        ),
    },
    {
        "stay": Output(
            "layer-time with this many clusters; 0: never, inf: to the end of the run",
            axes=("clusters",),
        ),
        "gap": Output("gap of two clusters when no others are left; 0: never", "rad"),
        "mass": Output("mass of one of the two"),
        "wait": Output("layer-time that the two should stay apart, by quadrature"),
        "last": Output("clusters at the end of the run"),
    },
    {"clusters": Axis("number of clusters", lefts)},
)
