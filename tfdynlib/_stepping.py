"""One step of an integrator and what lies between its ends; steps of given length."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib._charts import Flow, Place, Rate, State


@dataclass(frozen=True)
class Step:
    """One accepted step from t0 to (t1, x1), and the tokens between."""

    t0: float
    t1: float
    x1: State
    between: Callable[[float], State]

    def at(self, t: float) -> State:
        """The tokens at t in [t0, t1]."""
        return self.x1 if t == self.t1 else self.between(t)


def fixed(
    flow: Flow, y: Place, v: Place, times: Float[np.ndarray, " m"], method: str
) -> Iterator[Step]:
    """One Euler or classical Runge-Kutta step for each interval of ``times``.

    ``v`` is the velocity at the start.
    """
    advance = {"euler": _euler, "rk4": _rk4}[method]
    for t0, t1 in zip(times[:-1].tolist(), times[1:].tolist()):
        f = flow.before(t1)
        y0, v0 = y, v if t0 == times[0] else f(t0, y)
        with np.errstate(over="ignore", invalid="ignore"):  # settle reports it
            end = y0 + advance(f, t0, y0, v0, t1 - t0)
        y = flow.settle(end)
        yield Step(t0, t1, flow.output(y), _hermite(flow, f, t0, y0, v0, t1, y))
        y = flow.join(t1, y)


def _euler(f: Rate, t: float, y: Place, v: Place, h: float) -> Place:
    return h * v


def _rk4(f: Rate, t: float, y: Place, k1: Place, h: float) -> Place:
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _hermite(
    flow: Flow, f: Rate, t0: float, y0: Place, v0: Place, t1: float, y1: Place
) -> Callable[[float], State]:
    """Cubic through both ends with their velocities; made when first asked for."""
    end: list[Place] = []

    def between(t: float) -> State:
        if not end:
            end.append(f(t1, y1))
        h, s = t1 - t0, (t - t0) / (t1 - t0)
        rise = y1 - y0
        bend = s * (1 - s) * ((1 - s) * (h * v0 - rise) + s * (rise - h * end[0]))
        return flow.output(y0 + s * rise + bend)

    return between
