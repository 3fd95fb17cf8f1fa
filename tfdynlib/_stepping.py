"""Steps of an integrator, and what lies between their ends; used by ``flow``."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number

State = Float[np.ndarray, "n d"]
Flat = Float[np.ndarray, " nd"]
Rate = Callable[[float, State], State]

# A field counts as tangent when its radial part is below this fraction of its size.
TANGENT_TOLERANCE = 1e-6
# Factor by which a step shrinks when a trial stage left the numbers.
SHRINK = 0.1
# Steps below this fraction of the range, so many in a row, would never reach its end.
CRAWL, PATIENCE = 1e-12, 300


class Stop(Exception):
    """Ends a run early; ``status`` says why."""

    def __init__(self, status: str):
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Step:
    """One accepted step from (t0, x0) to (t1, x1), and the states between."""

    t0: float
    x0: State
    t1: float
    x1: State
    between: Callable[[float], State]

    def at(self, t: float) -> State:
        """The state at t in [t0, t1]."""
        return self.x1 if t == self.t1 else self.between(t)


class Flow:
    """A field with its space: evaluates F(y) = f(y / |y|), counts, and guards.

    On the sphere F is homogeneous of degree 0, so that its value at the end of a step
    is also its value at the retraction of that end.
    """

    def __init__(self, field: Callable[[float, State], State], on_sphere: bool):
        self.field = field
        self.on_sphere = on_sphere
        self.breaks = tuple(getattr(field, "breaks", ()))
        self.n_evaluations = 0

    def retract(self, y: State) -> State:
        """A fresh point of the space; leaves the numbers with a labelled stop."""
        if not self.on_sphere:
            return y.copy()
        with np.errstate(over="ignore"):  # a norm of inf is reported below
            norm = np.linalg.norm(y, axis=1, keepdims=True)
        if not (np.isfinite(norm).all() and norm.all()):
            raise Stop("not finite")
        return y / norm

    def __call__(self, t: float, y: State) -> Float[np.ndarray, "..."]:
        self.n_evaluations += 1
        # A field may overflow on its way to infinity: the check below reports it.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            v = np.asarray(self.field(t, self.retract(y)))
        if v.dtype.kind not in _check.REAL_KINDS:
            raise _check.refuse("field", "an array of real numbers", str(v.dtype))
        v = v.astype(float, copy=False)
        if v.shape != y.shape:
            raise _check.refuse("field", f"of the shape {y.shape} of x0", v)
        if not np.isfinite(v).all():
            raise Stop("not finite")
        return v

    def enter(self, t: float, x: State) -> State:
        """The first velocity, after a check of tangency.

        Further values are trusted to be tangent.
        """
        v = self(t, x)
        if self.on_sphere:
            radial = np.abs(np.sum(v * x, axis=1)).max()
            if radial > TANGENT_TOLERANCE * np.abs(v).max():
                raise _check.refuse(
                    "field",
                    "tangent to the sphere (see sphere.project; or space='euclidean')",
                    f"a radial part of {radial:.3g}",
                )
        return v


def fixed(
    flow: Flow, x: State, v: State, times: Float[np.ndarray, " m"], method: str
) -> Iterator[Step]:
    """One Euler or classical Runge-Kutta step for each interval of ``times``.

    ``v`` is the velocity at the start.
    """
    advance = {"euler": _euler, "rk4": _rk4}[method]
    for t0, t1 in zip(times[:-1].tolist(), times[1:].tolist()):
        # Just before a jump of the field, its value after the jump must not be used.
        last = float(np.nextafter(t1, t0)) if t1 in flow.breaks else t1

        def f(t: float, y: State, last: float = last) -> State:
            return flow(min(t, last), y)

        x0, v0 = x, v if t0 == times[0] else f(t0, x)
        with np.errstate(over="ignore", invalid="ignore"):  # retract reports it
            end = x0 + advance(f, t0, x0, v0, t1 - t0)
        x = flow.retract(end)
        yield Step(t0, x0, t1, x, _hermite(flow, f, t0, x0, v0, t1, x))


def _euler(f: Rate, t: float, x: State, v: State, h: float) -> State:
    return h * v


def _rk4(f: Rate, t: float, x: State, k1: State, h: float) -> State:
    k2 = f(t + h / 2, x + h / 2 * k1)
    k3 = f(t + h / 2, x + h / 2 * k2)
    k4 = f(t + h, x + h * k3)
    return h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _hermite(
    flow: Flow, f: Rate, t0: float, x0: State, v0: State, t1: float, x1: State
) -> Callable[[float], State]:
    """Cubic through both ends with their velocities; made when first asked for."""
    end: list[State] = []

    def between(t: float) -> State:
        if not end:
            end.append(f(t1, x1))
        h, s = t1 - t0, (t - t0) / (t1 - t0)
        rise = x1 - x0
        bend = s * (1 - s) * ((1 - s) * (h * v0 - rise) + s * (rise - h * end[0]))
        return flow.retract(x0 + s * rise + bend)

    return between


def adaptive(
    flow: Flow,
    x: State,
    times: Float[np.ndarray, " m"],
    method: str,
    rtol: float,
    atol: float,
) -> Iterator[Step]:
    """Adaptive steps over the whole range, restarted at the breaks of the field."""
    inner = [b for b in flow.breaks if times[0] < b < times[-1]]
    edges = [float(times[0]), *sorted(inner), float(times[-1])]
    for t0, t1 in zip(edges[:-1], edges[1:]):
        for step in _smooth_piece(flow, x, t0, t1, method, rtol, atol):
            yield step
            x = step.x1


def _smooth_piece(
    flow: Flow, x: State, t0: float, t1: float, method: str, rtol: float, atol: float
) -> Iterator[Step]:
    """Steps of a SciPy stepper on the flattened state, retracted one by one."""
    shape = x.shape
    last = float(np.nextafter(t1, t0)) if t1 in flow.breaks else t1

    def f(t: float, y: Flat) -> Flat:
        return flow(min(t, last), y.reshape(shape)).ravel()

    solver = _stepper(f, t0, x.ravel(), t1, method, rtol, atol)
    crawl = 0
    while solver.status == "running":
        _advance(solver)
        crawl = crawl + 1 if solver.t - solver.t_old < CRAWL * (t1 - t0) else 0
        if crawl > PATIENCE:
            raise Stop("step too small")
        x0, x = x, flow.retract(solver.y.reshape(shape))
        step = Step(solver.t_old, x0, solver.t, x, _dense(flow, solver, shape))
        yield step
        solver.y = x.ravel()


def _stepper(
    f: Callable[[float, Flat], Flat],
    t0: float,
    y0: Flat,
    t1: float,
    method: str,
    rtol: float,
    atol: float,
) -> Any:
    """A SciPy stepper; if its trial of a first step leaves the numbers, a tiny one."""
    from scipy.integrate import DOP853, RK45

    kind = {"dopri5": RK45, "dop853": DOP853}[method]
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return kind(f, t0, y0, t1, rtol=rtol, atol=atol)
    except Stop:
        tiny = 1e-9 * (t1 - t0)
        return kind(f, t0, y0, t1, rtol=rtol, atol=atol, first_step=tiny)


def _advance(solver: Any) -> None:
    """One accepted step; a stage that left the numbers makes the step shrink."""
    while True:
        try:
            # A trial step may overflow on its way; it is refused and shrinks.
            with np.errstate(over="ignore", invalid="ignore"):
                solver.step()
        except Stop:
            solver.h_abs *= SHRINK
            if solver.h_abs < 10 * np.spacing(abs(solver.t)):
                raise
        else:
            break
    if solver.status == "failed":
        raise Stop("step too small")


def _dense(flow: Flow, solver: Any, shape: tuple[int, ...]) -> Callable[[float], State]:
    """The stepper's own interpolant, retracted; made while the step is fresh."""
    made: list = []

    def between(t: float) -> State:
        if not made:
            made.append(solver.dense_output())
        return flow.retract(made[0](t).reshape(shape))

    return between


def value(g: Callable[[float, State], Number], t: float, x: State) -> float:
    """What an event function says, one real number."""
    try:
        number = float(g(t, x))
    except (TypeError, ValueError):
        wanted = "functions whose value is one real number"
        raise _check.refuse("events", wanted, g(t, x)) from None
    return number


def root(g: Callable[[float, State], Number], step: Step) -> float:
    """The time in the step at which g changes sign, by bisection to rounding."""
    low, high = step.t0, step.t1
    end = value(g, high, step.x1)
    if end == 0:
        return high
    while low < (middle := 0.5 * (low + high)) < high:
        if value(g, middle, step.at(middle)) * end > 0:
            high = middle
        else:
            low = middle
    return high


class Progress:
    """Writes the layer-time to standard error, at most five times a second."""

    def __init__(self, t_end: float):
        self.t_end = t_end
        self.last = -np.inf

    def __call__(self, t: float) -> None:
        done, now = t >= self.t_end, time.monotonic()
        if done or now - self.last > 0.2:
            self.last = now
            end = "\n" if done else ""
            print(f"\rlayer-time {t:.4g} of {self.t_end:.4g}", end=end, file=sys.stderr)
