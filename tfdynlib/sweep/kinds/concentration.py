r"""W2 to the limit of a cloud against time: beta, gap, dimension.

.. math:: V = \mathrm{diag}(2, 1, \dots, 1, 1), \qquad
    V B = \mathrm{diag}(1, 1, \dots, 1, 1 + \gamma)

The limit is at the poles of the last axis, and the end at those of the first.  The
cloud has the density 1 + c <x, a> with a between the two: in the plane and in space
nodes with masses, above a sample with masses.

Source: the theorem on concentration of :cite:t:`alcalde2026quantifying`; the family is
ours.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfdynlib import _check, attention, flow, metastability, sphere
from tfdynlib._measure import Measure
from tfdynlib.metastability import Limit
from tfdynlib.sweep.kinds.checks import at_least, even, within
from tfdynlib.sweep.study import Axis, Kind, Output, Parameter
from tfdynlib.weights import Heads


def heads(d: int, gamma: float, beta: float) -> Heads:
    """The head of the family."""
    V, M = np.ones((2, d))
    V[0], M[-1] = 2.0, 1 + gamma
    return Heads(np.diag(M / V), np.diag(V), beta)


def start(d: int, n: int, tilt: float, rng: np.random.Generator) -> Measure:
    """The cloud; for d = 3 an even number of heights, twice as many longitudes."""
    if d == 2:
        nodes = Measure(metastability.circle(n))
    elif d == 3:
        nodes = sphere.quadrature(3, 2 * max(1, round(np.sqrt(n / 8))))
    else:
        nodes = Measure(sphere.uniform(n, d, rng))
    between = (nodes.x[:, 0] + nodes.x[:, -1]) / np.sqrt(2)
    return metastability.weighted(nodes, lambda x: 1 + tilt * between)


def times(p: Mapping[str, Any]) -> np.ndarray:
    """Output times."""
    return np.linspace(0, p["t_end"], p["points"])


def run(p: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One cloud, along the flow at beta and at zero temperature."""
    one, t = heads(p["d"], p["gamma"], p["beta"]), times(p)
    mu, limit = start(p["d"], p["n"], p["tilt"], rng), Limit.of(one)
    field = attention.field(one, mu.mass, tol=p["rtol"] / 10)
    course = flow.solve(field, mu.x, t, rtol=p["rtol"], atol=p["rtol"] / 10)
    if course.status != "done":
        raise RuntimeError(f"the flow stopped at t = {course.t[-1]:g}: {course.status}")
    frozen = metastability.zero_temperature(mu.x, one, t)

    def distance(x: np.ndarray) -> float:
        return metastability.distance_to_limit(Measure(x, mu.mass), limit, mu)

    found = np.array([distance(x) for x in course.x])
    leaving = metastability.exit_time(t, found, p["threshold"])
    stay = found[t <= leaving]
    return {
        "distance": found,
        "frozen": [distance(x) for x in frozen],
        "least": stay.min(),
        "when": t[stay.argmin()],
        "exit": leaving,
        "neighbours": metastability.effective_neighbours(mu.x, one, mu.mass).min(),
    }


KIND = Kind(
    "concentration",
    "W2 to the limit of a cloud that stays near it and leaves",
    run,
    {
        "beta": Parameter("inverse temperature", 80.0, _check.positive),
        "gamma": Parameter("gap of V B", 1.0, _check.positive),
        "d": Parameter("dimension of a token", 2, at_least(2)),
        "n": Parameter("tokens (in space the next number of a grid)", 2048, even),
        "tilt": Parameter("tilt of the density", 0.5, within(-1, 1)),
        "rtol": Parameter("tolerance of the integrator", 1e-6, _check.positive),
        "threshold": Parameter("W2 that counts as left", 0.3, _check.positive),
        "t_end": Parameter("last layer-time", 10.0, _check.positive, shared=True),
        "points": Parameter("number of output times", 41, at_least(2), shared=True),
    },
    {
        "distance": Output("chordal W2 to the limit of the start", axes=("t",)),
        "frozen": Output("the same along the flow at zero temperature", axes=("t",)),
        "least": Output("least distance before the exit"),
        "when": Output("layer-time of the least distance"),
        "exit": Output(
            "layer-time at which W2 crosses the threshold upwards; inf: never"
        ),
        "neighbours": Output(
            "least effective number of tokens that one sees, at first"
        ),
    },
    {"t": Axis("layer-time", times)},
)
