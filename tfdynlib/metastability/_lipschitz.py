"""How steep a function on the sphere is, seen with two steps."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from tfdynlib import sphere

STEPS = (1e-2, 1e-4)

Points = Float[np.ndarray, "n d"]
Values = Float[np.ndarray, " n"]


def steepness(density: Callable[[Points], Values], x: Points) -> tuple[float, float]:
    """Largest difference quotient at the points, over a hundredth of a radian, and at
    the midpoints of its steepest step over a hundredth of that."""
    quotient, place = _steepest(density, x, STEPS[0])
    finer = quotient
    step = STEPS[0]
    while step > STEPS[1]:  # halve the step that is steepest, down to the short one
        step /= 2
        middle = sphere.retract(place.mean(axis=0, keepdims=True))
        halves = [np.stack([place[0], middle[0]]), np.stack([middle[0], place[1]])]
        slopes = [abs(np.diff(density(half))[0]) / step for half in halves]
        best = int(np.argmax(slopes))
        place, finer = halves[best], float(slopes[best])
    return quotient, finer


def _steepest(
    density: Callable[[Points], Values], x: Points, step: float
) -> tuple[float, Float[np.ndarray, "2 d"]]:
    """The largest quotient, and the two ends of its step."""
    best, place = -1.0, x[:1].repeat(2, axis=0)
    here = density(x)
    for axis in np.eye(x.shape[1]):
        v = sphere.project(x, np.broadcast_to(axis, x.shape))
        size = np.linalg.norm(v, axis=1, keepdims=True)
        unit = np.divide(v, size, out=np.zeros_like(v), where=size > 1e-6)
        y = sphere.exp(x, step * unit)
        slope = np.abs(density(y) - here) / step
        k = int(slope.argmax())
        if slope[k] > best:
            best, place = float(slope[k]), np.stack([x[k], y[k]])
    return best, place
