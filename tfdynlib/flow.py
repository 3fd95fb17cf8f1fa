"""Integration of any field f(t, x) on the sphere or in R^d.

The integrator knows nothing of attention.  What can go wrong with a flow (values that
are not finite, steps that shrink to nothing, an interrupt) ends in a ``Trajectory``
that says so in ``status`` and holds what was reached.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as default

import numpy as np
from jaxtyping import Float, Int, Real
from numpy.typing import ArrayLike

from tfdynlib import _adaptive, _check, _stepping, sphere
from tfdynlib._charts import Circle, Flow, Sphere, State, Stop
from tfdynlib._check import Number
from tfdynlib._ensemble import Ensemble as Ensemble
from tfdynlib._ensemble import solve_ensemble as solve_ensemble
from tfdynlib._events import Recorder
from tfdynlib._merging import merging
from tfdynlib._progress import Bar
from tfdynlib._stepping import Step

METHODS = ("dopri5", "dop853", "rk4", "euler")
FIXED = ("rk4", "euler")
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

    def __post_init__(self) -> None:
        _check.function(self.g, "g", "a function g(t, x)", 2)
        if _check.integer(self.direction, "direction") not in (-1, 0, 1):
            raise _check.refuse("direction", "-1, 0 or 1", self.direction)

    def __call__(self, t: float, x: State) -> Number:
        return self.g(t, x)


@dataclass(frozen=True)
class Crossings:
    """Times and states at which one event changed its sign, in order."""

    t: Float[np.ndarray, " k"]
    x: Float[np.ndarray, "k n d"] = default(repr=False)


@dataclass(frozen=True)
class Merges:
    """Layer-times at which tokens became one, and how many were left after each."""

    t: Float[np.ndarray, " k"]
    left: Int[np.ndarray, " k"]


@dataclass(frozen=True, repr=False)
class Trajectory:
    """The states x[k] reached at layer-times t[k].

    Attributes
    ----------
    t, x
        Output times and tokens.  Shorter than asked for only if ``status`` says why;
        then the last time is the one that was reached.
    status
        ``"done"``; ``"event"`` (a terminal event: its time is the last one);
        ``"not finite"`` (the field left the numbers); ``"step too small"`` (the
        tolerance cannot be met, often a blow-up in finite time); ``"too many steps"``
        (``max_steps`` were tried); ``"cancelled"``.
    n_evaluations
        How often the field was called.
    events
        One ``Crossings`` for each event passed to ``solve``.
    merges
        When tokens became one (option ``merge``), and how many were left.
    """

    t: Float[np.ndarray, " m"]
    x: Float[np.ndarray, "m n d"]
    status: str
    n_evaluations: int
    events: tuple[Crossings, ...] = ()
    merges: Merges = default(
        default_factory=lambda: Merges(np.empty(0), np.empty(0, dtype=int))
    )

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
    max_steps: int = 20_000,
    merge: Number | None = None,
) -> Trajectory:
    r"""Solve :math:`\dot x = f(t, x)` from x0 at t[0]; return x at every output time.

    ``t`` are output times, strictly increasing; t[0] is the start.

    ``"dopri5"``, ``"dop853"``
        Adaptive Runge-Kutta of order 5 and 8.  ``rtol`` and ``atol`` set the accuracy;
        the output times do not.  On the sphere the root mean square over tokens of the
        estimated error of a step stays below ``atol + rtol``.  At most ``max_steps``
        steps are tried.
    ``"rk4"``, ``"euler"``
        Order 4 and 1, exactly *one* step for each interval of t.  Here the output
        times are the step, and the tolerances and ``max_steps`` are not used.

    ``space`` is ``"sphere"`` or ``"euclidean"``; if not given, that of the field (its
    attribute ``space``), else the sphere.  On the sphere every stage is evaluated at
    the retraction of the stage point, and the state is retracted after each step: the
    order of the method is kept and every token has norm 1 to rounding.  On the circle
    (d = 2) adaptive methods step in the angles instead; fixed steps are layers with a
    normalisation there too.  If the field has ``breaks``, times at which it jumps,
    adaptive methods stop and restart there, and fixed steps that end there see the
    value before the jump.

    An event is a function g(t, x), or an ``Event``; its sign changes are located to
    rounding on the interpolant between two steps.  An even number of changes within
    one step is not seen.

    ``merge`` is a radius: after each step, tokens linked by a chain of distances (in
    R^d) up to it, and all that near their common centre of mass, go on as one token
    with the sum of their masses.  Equal tokens stay equal, so a merge of equal tokens
    changes nothing, and others move by the radius at most.  The trajectory still has
    every token of x0.  The field must have masses, as those of ``attention.field`` do.

    Raises ``ValueError`` for bad input only: tokens off the sphere, a field that is not
    tangent or has the wrong shape, repeated times, an event without a value.  Single
    precision is promoted; x0 is not written into.  ``progress`` shows the layer-time
    of a long run on standard error.
    """
    space = _check.one_of(
        str(space or getattr(field, "space", "sphere")), SPACES, "space"
    )
    _check.one_of(method, METHODS, "method")
    times = _check.increasing(t, "t")
    control = _control(rtol, atol, max_steps)
    check = _check.unit_rows if space == "sphere" else _check.tokens
    x0 = check(x0, "x0")
    _check.function(field, "field", "a function f(t, x)", 2)
    flow = _flow(field, x0, method, space, merge)
    start = x0.copy() if space == "euclidean" else sphere.retract(x0)
    record = Recorder(times, start, _check_events(events))
    bar = Bar(times, progress)
    status = "done"
    try:
        for step in _steps(flow, start, times, method, control):
            record.take(step)
            bar.at(step.t1)
    except Stop as stop:
        status = stop.status
    except KeyboardInterrupt:
        status = "cancelled"
    finally:
        bar.close()
    return _trajectory(record, status, flow)


def _control(rtol: Number, atol: Number, max_steps: int) -> _adaptive.Control:
    """Front door of what is asked of adaptive steps."""
    rtol, atol = _check.positive(rtol, "rtol"), _check.positive(atol, "atol")
    if rtol < LEAST_RTOL:
        raise _check.refuse("rtol", f"{LEAST_RTOL:.1e} or more", rtol)
    return _adaptive.Control(rtol, atol, _check.count(max_steps, "max_steps"))


def _check_events(
    events: Sequence[Callable[[float, State], Number]],
) -> Sequence[Callable[[float, State], Number]]:
    """``events``, a list of functions."""
    if not isinstance(events, Sequence):
        kind = type(events).__name__
        raise _check.refuse("events", "a list of functions g(t, x)", kind)
    for g in events:
        _check.function(g, "events", "a list of functions g(t, x)", 2)
    return events


def _flow(
    field: Callable[[float, State], State],
    x0: State,
    method: str,
    space: str,
    merge: Number | None,
) -> Flow:
    """The field in the coordinates in which the method steps."""
    on_sphere = space == "sphere"
    joined = merging(field, len(x0), merge, on_sphere)
    if not on_sphere:
        return Flow(field, joined)
    in_angles = x0.shape[1] == 2 and method not in FIXED
    return Circle(field, joined) if in_angles else Sphere(field, joined)


def _steps(
    flow: Flow,
    start: State,
    times: Float[np.ndarray, " m"],
    method: str,
    control: _adaptive.Control,
) -> Iterator[Step]:
    """The steps of the method, one after the other."""
    t0 = float(times[0])
    y = flow.join(t0, flow.settle(flow.state(start)))
    v = flow.enter(t0, y)
    if method in FIXED:
        return _stepping.fixed(flow, y, v, times, method)
    return _adaptive.adaptive(flow, y, v, times, method, control)


def _trajectory(record: Recorder, status: str, flow: Flow) -> Trajectory:
    """What was collected, with the reason of its end."""
    record.close()
    crossings = tuple(Crossings(*record.arrays(found)) for found in record.found)
    log = flow.merging.log if flow.merging else []
    merges = Merges(
        np.array([t for t, _ in log], dtype=float),
        np.array([left for _, left in log], dtype=int),
    )
    return Trajectory(
        *record.arrays(record.out), status, flow.n_evaluations, crossings, merges
    )
