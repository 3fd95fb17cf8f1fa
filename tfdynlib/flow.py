"""Integration of any field f(t, x) on the sphere or in R^d.

The integrator knows nothing of attention.  What can go wrong with a flow (values that
are not finite, steps that shrink to nothing, an interrupt) ends in a ``Trajectory``
that says so in ``status`` and holds what was reached.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as default

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, _stepping
from tfdynlib._check import Number
from tfdynlib._stepping import State, Step, Stop

METHODS = ("dopri5", "dop853", "rk4", "euler")
SPACES = ("sphere", "euclidean")
# Below this a relative tolerance asks for less than rounding.
LEAST_RTOL = float(100 * np.finfo(float).eps)


@dataclass(frozen=True)
class Event:
    """A function g(t, x) whose change of sign is looked for.

    ``terminal`` stops the flow there; ``direction`` counts only upward (1) or only
    downward (-1) crossings.  ``solve`` also takes plain functions, with these two as
    optional attributes.
    """

    g: Callable[[float, State], Number]
    terminal: bool = False
    direction: int = 0

    def __call__(self, t: float, x: State) -> Number:
        return self.g(t, x)


@dataclass(frozen=True)
class Crossings:
    """Times and states at which one event changed its sign, in order."""

    t: Float[np.ndarray, " k"]
    x: Float[np.ndarray, "k n d"] = default(repr=False)


@dataclass(frozen=True, repr=False)
class Trajectory:
    """The states x[k] reached at layer-times t[k].

    Attributes
    ----------
    t, x
        Output times and tokens.  Shorter than asked for only if ``status`` says why.
    status
        ``"done"``; ``"event"`` (a terminal event: its time is the last one);
        ``"not finite"`` (the field left the numbers); ``"step too small"`` (the
        tolerance cannot be met, often a blow-up in finite time); ``"cancelled"``.
    n_evaluations
        How often the field was called.
    events
        One ``Crossings`` for each event passed to ``solve``.
    """

    t: Float[np.ndarray, " m"]
    x: Float[np.ndarray, "m n d"]
    status: str
    n_evaluations: int
    events: tuple[Crossings, ...] = ()

    def __repr__(self) -> str:
        m, n, d = self.x.shape
        return (
            f"Trajectory({n} tokens in R^{d}, {m} times in "
            f"[{self.t[0]:g}, {self.t[-1]:g}], {self.status}, "
            f"{self.n_evaluations} evaluations)"
        )


def solve(
    field: Callable[[float, State], State],
    x0: Real[np.ndarray, "n d"],
    t: ArrayLike,
    method: str = "dopri5",
    rtol: Number = 1e-8,
    atol: Number = 1e-10,
    events: Sequence[Callable[[float, State], Number]] = (),
    progress: bool = False,
    space: str | None = None,
) -> Trajectory:
    r"""Solve :math:`\dot x = f(t, x)` from x0 at t[0]; return x at every output time.

    ``t`` are output times, strictly increasing; t[0] is the start.

    ``"dopri5"``, ``"dop853"``
        Adaptive Runge-Kutta of order 5 and 8.  ``rtol`` and ``atol`` set the accuracy;
        the output times do not.
    ``"rk4"``, ``"euler"``
        Order 4 and 1, exactly *one* step for each interval of t.  Here the output
        times are the step, and the tolerances are not used.

    ``space`` is ``"sphere"`` or ``"euclidean"``; if not given, that of the field (its
    attribute ``space``), else the sphere.  On the sphere every stage is evaluated at
    the retraction of the stage point, and the state is retracted after each step: the
    order of the method is kept and every token has norm 1 to rounding.  If the field
    has ``breaks``, times at which it jumps, adaptive methods stop and restart there,
    and fixed steps that end there see the value before the jump.

    An event is a function g(t, x), or an ``Event``; its sign changes are located to
    rounding on the interpolant between two steps.  An even number of changes within
    one step is not seen.

    Raises ``ValueError`` for bad input only: tokens off the sphere, a field that is not
    tangent or has the wrong shape, repeated times.  Single precision is promoted; x0 is
    not written into.  ``progress`` writes the layer-time to standard error.
    """
    space = _check.one_of(
        str(space or getattr(field, "space", "sphere")), SPACES, "space"
    )
    _check.one_of(method, METHODS, "method")
    times = _check.increasing(t, "t")
    rtol, atol = _check.positive(rtol, "rtol"), _check.positive(atol, "atol")
    if rtol < LEAST_RTOL:
        raise _check.refuse("rtol", f"{LEAST_RTOL:.1e} or more", rtol)
    check = _check.unit_rows if space == "sphere" else _check.tokens
    x0 = check(x0, "x0")
    _check.function(field, "field", "a function f(t, x)")
    flow = _stepping.Flow(field, space == "sphere")
    start = flow.retract(x0)
    events = _check_events(events)
    record = _Recorder(times, start, events)
    report = _stepping.Progress(float(times[-1])) if progress else None
    status = "done"
    try:
        v = flow.enter(float(times[0]), start)
        for step in _steps(flow, start, v, times, method, rtol, atol):
            record.take(step)
            if report:
                report(step.t1)
    except Stop as stop:
        status = stop.status
    except KeyboardInterrupt:
        status = "cancelled"
    return record.trajectory(status, flow.n_evaluations)


def _check_events(
    events: Sequence[Callable[[float, State], Number]],
) -> Sequence[Callable[[float, State], Number]]:
    """``events``, a list of functions."""
    if not isinstance(events, Sequence):
        kind = type(events).__name__
        raise _check.refuse("events", "a list of functions g(t, x)", kind)
    for g in events:
        _check.function(g, "events", "a list of functions g(t, x)")
    return events


def _steps(
    flow: _stepping.Flow,
    start: State,
    v: State,
    times: Float[np.ndarray, " m"],
    method: str,
    rtol: float,
    atol: float,
) -> Iterator[Step]:
    """The steps of the method, one after the other."""
    if method in ("euler", "rk4"):
        return _stepping.fixed(flow, start, v, times, method)
    return _stepping.adaptive(
        flow,
        start,
        times,
        method,
        rtol,
        atol,
    )


class _Recorder:
    """Collects outputs and crossings from the steps as they come."""

    def __init__(
        self,
        times: Float[np.ndarray, " m"],
        start: State,
        events: Sequence[Callable[[float, State], Number]],
    ):
        self.times = times
        self.out: list[tuple[float, State]] = [(float(times[0]), start)]
        self.events = tuple(events)
        self.sign = [_stepping.value(g, *self.out[0]) for g in self.events]
        self.found: list[list[tuple[float, State]]] = [[] for _ in self.events]

    def take(self, step: Step) -> None:
        """Outputs and crossings within one step; raises ``Stop`` at a terminal one."""
        stop = self._crossings(step)
        end = step.t1 if stop is None else stop
        while len(self.out) < len(self.times) and self.times[len(self.out)] <= end:
            t = float(self.times[len(self.out)])
            self.out.append((t, step.at(t)))
        if stop is not None:
            if self.out[-1][0] < stop:
                self.out.append((stop, step.at(stop)))
            raise Stop("event")

    def _crossings(self, step: Step) -> float | None:
        """Note the crossings in this step; the time of the first terminal one."""
        hits = []
        for k, g in enumerate(self.events):
            before, after = self.sign[k], _stepping.value(g, step.t1, step.x1)
            self.sign[k] = after
            if before * after < 0 or (after == 0 and before != 0):
                if getattr(g, "direction", 0) * (after - before) >= 0:
                    hits.append((_stepping.root(g, step), k))
        stops = [t for t, k in hits if getattr(self.events[k], "terminal", False)]
        stop = min(stops, default=None)
        for t, k in sorted(hits):
            if stop is None or t <= stop:
                self.found[k].append((t, step.at(t)))
        return stop

    def trajectory(self, status: str, n_evaluations: int) -> Trajectory:
        """What was collected, with the reason of its end."""
        crossings = tuple(Crossings(*self._arrays(found)) for found in self.found)
        return Trajectory(*self._arrays(self.out), status, n_evaluations, crossings)

    def _arrays(
        self, pairs: list[tuple[float, State]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of a list of pairs, which may be empty."""
        shape = self.out[0][1].shape
        t = np.array([t for t, _ in pairs])
        return t, np.array([x for _, x in pairs]).reshape(len(pairs), *shape)
