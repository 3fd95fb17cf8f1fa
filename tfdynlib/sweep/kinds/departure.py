"""How long a cloud on the circle stays near its limit before it leaves.

V = diag(1, v) and B = diag(2, b) with v b < 2: the limit is at the poles of the first
axis, and for v > 1 the end is elsewhere.  A ``regular`` start is
``metastability.circle`` with a skew (chance plays no part), a ``random`` one draws as
many angles from the same law.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfdynlib import _check, attention, flow, metastability
from tfdynlib._measure import Measure
from tfdynlib.metastability import Limit
from tfdynlib.sweep.kinds.checks import at_least, within, word
from tfdynlib.sweep.study import Axis, Kind, Output, Parameter
from tfdynlib.weights import Heads


def times(p: Mapping[str, Any]) -> np.ndarray:
    """Output times, a step apart."""
    return p["step"] * np.arange(round(p["t_end"] / p["step"]) + 1)


def start(p: Mapping[str, Any], rng: np.random.Generator) -> np.ndarray:
    """Tokens on the circle."""
    if p["start"] == "regular":
        return metastability.circle(p["n"], p["skew"], p["turn"])
    angle = 2 * np.pi * rng.random(p["n"])
    angle = angle + p["skew"] * np.sin(angle - 1) + p["turn"]
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def run(p: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One cloud to the end of time."""
    heads = Heads(np.diag([2.0, p["b"]]), np.diag([1.0, p["v"]]), p["beta"])
    x, t, limit = start(p, rng), times(p), Limit.of(heads)
    field = attention.field(heads)
    course = flow.solve(field, x, t, rtol=p["rtol"], atol=p["rtol"] / 100)
    if course.status != "done":
        raise RuntimeError(f"the flow stopped at t = {course.t[-1]:g}: {course.status}")
    mu = Measure(x)
    distance = [
        metastability.distance_to_limit(Measure(y), limit, mu) for y in course.x
    ]
    leaving = metastability.exit_time(t, distance, p["threshold"])
    stay = np.array(distance)[t <= leaving]
    return {
        "exit": leaving,
        "least": stay.min(),
        "when": t[stay.argmin()],
        "distance": distance,
        "alignment": np.sqrt(np.mean(course.x[-1, :, 1] ** 2)),
    }


KIND = Kind(
    "exit",
    "Exit time from the limit on the circle, V = diag(1, v), B = diag(2, b)",
    run,
    {
        "beta": Parameter("inverse temperature", 80.0, _check.positive),
        "v": Parameter("second eigenvalue of V", 2.0, _check.positive),
        "b": Parameter("second eigenvalue of B", 0.5, _check.positive),
        "skew": Parameter("skew of the start", 0.4, within(-1, 1), "rad"),
        "turn": Parameter("angle that the start is turned by", 0.0, _check.time, "rad"),
        "start": Parameter(
            "start of equal steps or of chance", "regular", word("regular", "random")
        ),
        "n": Parameter("tokens", 200, at_least(2)),
        "rtol": Parameter("tolerance of the integrator", 1e-8, _check.positive),
        "threshold": Parameter("W2 that counts as left", 0.2, _check.positive),
        "step": Parameter("between output times", 0.05, _check.positive, shared=True),
        "t_end": Parameter("last layer-time", 15.0, _check.positive, shared=True),
    },
    {
        "exit": Output(
            "layer-time at which W2 crosses the threshold upwards; inf: never"
        ),
        "least": Output("least W2 before the exit"),
        "when": Output("layer-time of the least W2"),
        "distance": Output("chordal W2 to the limit of the start", axes=("t",)),
        "alignment": Output("root mean square of the second coordinate at the end"),
    },
    {"t": Axis("layer-time", times)},
)
