"""Adaptive Runge-Kutta steps: error control, restarts, interpolants."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib._charts import Flow, Place, Rate, State, Stop
from tfdynlib._stepping import Step
from tfdynlib._tableaux import Tableau, tableau

Stages = Float[np.ndarray, "_ n c"]

# The next step aims at this part of the step that would just meet the tolerance.
SAFETY = 0.9
# From one step to the next the length changes by a factor between these.
LEAST_FACTOR, LARGEST_FACTOR = 0.2, 10.0
# Share of the last error in the choice of the next step: damps its swings.
DAMPING = 0.04
# Factor by which a step shrinks when a trial stage left the numbers.
SHRINK = 0.1
# The shortest step, in units of the rounding of time.
SHORTEST = 10
# A step that would leave less than this part of itself to the end goes there at once.
STRETCH = 0.01


@dataclass(frozen=True)
class Control:
    """What is asked of the steps: tolerances, and how many may be tried."""

    rtol: float
    atol: float
    max_steps: int


def adaptive(
    flow: Flow,
    y: Place,
    v: Place,
    times: Float[np.ndarray, " m"],
    method: str,
    control: Control,
) -> Iterator[Step]:
    """Adaptive steps over the whole range, restarted at the breaks of the field.

    ``v`` is the velocity at the start.
    """
    first, last = float(times[0]), float(times[-1])
    inner = sorted(b for b in flow.breaks if first < b < last)
    stepper = _Stepper(flow, tableau(method), control, first, y)
    for end in [*inner, last]:
        f = flow.before(end)
        stepper.start(f, end, v if stepper.t == first else f(stepper.t, stepper.y))
        yield from stepper.steps(f, end)


class _Stepper:
    """Where the integration stands (t, y), the velocity v there, and the next h."""

    def __init__(
        self, flow: Flow, scheme: Tableau, control: Control, t: float, y: Place
    ):
        self.flow, self.scheme, self.control = flow, scheme, control
        self.t, self.y, self.v = t, y, y
        self.h = 0.0
        self.tried = 0
        self.last_error = 1.0

    def start(self, f: Rate, end: float, v: Place) -> None:
        """Take v for the velocity and guess the first step towards ``end``."""
        self.v, self.last_error = v, 1.0
        self.h = min(self._first_length(f, end), end - self.t)

    def steps(self, f: Rate, end: float) -> Iterator[Step]:
        """Accepted steps up to ``end``."""
        while self.t < end:
            t0, y0 = self.t, self.y
            t1, y1, stages = self._accepted(f, end)
            between = _interpolant(self.flow, self.scheme, f, t0, y0, t1, y1, stages)
            self.t, self.y, self.v = t1, self.flow.settle(y1), stages[-1]
            yield Step(t0, t1, self.flow.output(self.y), between)
            joined = self.flow.join(t1, self.y)
            if joined is not self.y and t1 < end:
                self.y, self.v = joined, f(t1, joined)
            self.y = joined

    def _accepted(self, f: Rate, end: float) -> tuple[float, Place, Stages]:
        """The first step, of lengths tried one after the other, within tolerance."""
        limit = 1.0  # a step that was taken back is not followed by a longer one
        while True:
            t1 = self._aim(end)
            h = t1 - self.t
            try:
                y1, stages, error = self._trial(f, t1)
            except Stop:  # a trial may leave the numbers
                self.h = SHRINK * h
                if self.h < self._shortest():
                    raise
                limit = 0.0
                continue
            if error <= 1:
                self.h = h * self._factor(error, LARGEST_FACTOR if limit else 1.0)
                self.last_error = max(error, 1e-4)
                return t1, y1, stages
            self.h = h * max(LEAST_FACTOR, SAFETY * error ** (-1 / self.scheme.order))
            limit = 0.0
            if self.h < self._shortest():
                raise Stop("step too small")

    def _aim(self, end: float) -> float:
        """The end of the next trial; raises ``Stop`` when too many were tried."""
        if self.tried >= self.control.max_steps:
            raise Stop("too many steps")
        self.tried += 1
        h = max(min(self.h, self.flow.longest(self.v)), self._shortest())
        return end if self.t + (1 + STRETCH) * h >= end else self.t + h

    def _shortest(self) -> float:
        return SHORTEST * float(np.spacing(abs(self.t)))

    def _trial(self, f: Rate, t1: float) -> tuple[Place, Stages, float]:
        """One step to t1: its end, its stages, its error in units of the tolerance."""
        scheme, h = self.scheme, t1 - self.t
        stages = np.empty((len(scheme.b) + 1, *self.y.shape))
        stages[0] = self.v
        # A trial step may overflow on its way; it is refused and shrinks.
        with np.errstate(over="ignore", invalid="ignore"):
            for s in range(1, len(scheme.b)):
                y = self.y + h * _mix(scheme.a[s, :s], stages)
                stages[s] = f(self.t + scheme.c[s] * h, y)
            y1 = self.y + h * _mix(scheme.b, stages)
            stages[-1] = f(t1, y1)
            error = self._error(h, y1, stages)
        if np.isnan(error):
            raise Stop("not finite")
        return y1, stages, error

    def _error(self, h: float, y1: Place, stages: Stages) -> float:
        """The error estimate; of two, the fifth order weighed down by the third."""
        scale = self._scale(y1)
        sizes = [
            h * self.flow.size(_mix(e, stages) / scale, self.y)
            for e in self.scheme.errors
        ]
        if len(sizes) == 1 or sizes[0] == 0:
            return sizes[0]
        return sizes[0] / float(np.hypot(1, 0.1 * sizes[1] / sizes[0]))

    def _scale(self, y1: Place) -> Place | float:
        return self.flow.scale(self.y, y1, self.control.rtol, self.control.atol)

    def _factor(self, error: float, largest: float) -> float:
        """Change of the step length after an accepted step (proportional-integral)."""
        if error == 0:
            return largest
        power = 1 / self.scheme.order - 0.75 * DAMPING
        factor = SAFETY * error**-power * self.last_error**DAMPING
        return min(largest, max(LEAST_FACTOR, factor))

    def _first_length(self, f: Rate, end: float) -> float:
        """A first step from the sizes of y, y' and y'' (Hairer, Norsett, Wanner).

        If the look ahead leaves the numbers, a tiny one.
        """
        scale = self._scale(self.y)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            place = self.flow.extent(self.y, scale)
            speed = self.flow.size(self.v / scale, self.y)
            tiny = place < 1e-5 or speed < 1e-5
            h = min(1e-6 if tiny else 0.01 * place / speed, end - self.t)
            if h == 0:  # the speed is near the largest double
                return 0.0
            try:
                ahead = f(self.t + h, self.y + h * self.v)
            except Stop:
                return 1e-9 * (end - self.t)
            bend = self.flow.size((ahead - self.v) / scale, self.y) / h
        if max(speed, bend) <= 1e-15:
            return max(1e-6, 1e-3 * h)
        return min(100 * h, (0.01 / max(speed, bend)) ** (1 / self.scheme.order))


def _mix(weights: Float[np.ndarray, " k"], stages: Stages) -> Place:
    """The sum of the first k stages with these weights."""
    flat = stages[: len(weights)].reshape(len(weights), -1)
    return (weights @ flat).reshape(stages.shape[1:])


def _interpolant(
    flow: Flow,
    scheme: Tableau,
    f: Rate,
    t0: float,
    y0: Place,
    t1: float,
    y1: Place,
    stages: Stages,
) -> Callable[[float], State]:
    """The tokens between the ends of a step, as accurate as these; made when first
    asked for (order 8 then takes three more stages)."""
    made: list[Callable[[float], Place]] = []
    h = t1 - t0

    def between(t: float) -> State:
        if not made:
            if scheme.extra is None:
                made.append(_quartic(scheme, h, y0, stages))
            else:
                more = _extra_stages(scheme, f, t0, h, y0, stages)
                made.append(_septic(scheme, h, y0, y1, more))
        return flow.output(made[0]((t - t0) / h))

    return between


def _quartic(
    scheme: Tableau, h: float, y0: Place, stages: Stages
) -> Callable[[float], Place]:
    """Order 4: a polynomial in s, the part of the step that has passed."""
    powers = h * np.stack([_mix(row, stages) for row in scheme.dense])
    return lambda s: y0 + _mix(s ** np.arange(1, len(powers) + 1), powers)


def _extra_stages(
    scheme: Tableau, f: Rate, t0: float, h: float, y0: Place, stages: Stages
) -> Stages:
    """The stages, and those that the interpolant needs besides."""
    nodes, rows = scheme.extra or ((), ())
    for c, row in zip(nodes, rows):
        k = f(t0 + c * h, y0 + h * _mix(row[: len(stages)], stages))
        stages = np.concatenate([stages, k[None]])
    return stages


def _septic(
    scheme: Tableau, h: float, y0: Place, y1: Place, stages: Stages
) -> Callable[[float], Place]:
    """Order 7: Hermite data of both ends, and corrections that vanish there."""
    v0, v1 = stages[0], stages[len(scheme.b)]
    rise = y1 - y0
    parts = [rise, h * v0 - rise, 2 * rise - h * (v1 + v0)]
    parts += [h * _mix(row, stages) for row in scheme.dense]

    def at(s: float) -> Place:
        y = np.zeros_like(y0)
        for k, part in reversed(list(enumerate(parts))):
            y = (y + part) * (s if k % 2 == 0 else 1 - s)
        return y0 + y

    return at
