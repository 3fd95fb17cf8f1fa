"""How steep a function on the sphere is, seen with two steps."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from tfdynlib import _check, sphere

# Great circles, points on each, and how many of their steps make a long one.
CIRCLES, POINTS, LONG = 8, 16_384, 32

Points = Float[np.ndarray, "n d"]
Values = Float[np.ndarray, " n"]


def steepness(density: Callable[[Points], Values], x: Points) -> tuple[float, float]:
    """Largest difference quotients over 1.2e-2 and 4e-4 radians, along great circles
    through some of the points towards each axis: a circle meets every hyperplane."""
    angle = 2 * np.pi * np.arange(POINTS) / POINTS
    some = x[:: max(1, len(x) // CIRCLES)]
    long = short = 0.0
    for axis in np.eye(x.shape[1]):
        v = sphere.project(some, np.broadcast_to(axis, some.shape))
        size = np.linalg.norm(v, axis=1)
        for point, unit in zip(some[size > 1e-6], v[size > 1e-6]):
            unit = unit / np.linalg.norm(unit)
            circle = np.outer(np.cos(angle), point) + np.outer(np.sin(angle), unit)
            value = _check.shaped(density(circle), "density(x)", (POINTS,))
            long = max(long, float(np.abs(value - np.roll(value, LONG)).max()) / LONG)
            short = max(short, float(np.abs(value - np.roll(value, 1)).max()))
    return long / angle[1], short / angle[1]
