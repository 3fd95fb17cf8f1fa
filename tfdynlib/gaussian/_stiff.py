"""Moments where attention holds a large covariance: an implicit method goes on.

Across the line p^T B p = 0 on which such a cloud slides, attention acts at the rate
|V Sigma B|, which grows with the cloud; explicit steps are as short as its inverse.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from tfdynlib import flow
from tfdynlib.flow import Crossings, Event, Trajectory

State = Float[np.ndarray, "n 1"]
Times = Float[np.ndarray, " m"]

# Explicit steps after which stiffness is thought of; it is stiffness if stability asks
# for as many more, where a step may be this long in units of the fastest rate.
PATIENCE, STABLE = 1_000, 6.0
# So stiff that an implicit method, which solves linear systems, keeps no digits.
HOPELESS = 1e12
# Shortly before a blow-up attention is fast too.  It holds the cloud if what is left
# until one would be as many units of the fastest rate.
HELD = 100.0
# The implicit one: its best tolerance, calls of the field, the size of its matrices.
FINEST, CALLS, LARGEST = 1e-11, 20_000, 200
# It is believed if a run with a tolerance larger by the first factor agrees with it to
# the second.
LOOSER, AGREED = 100.0, 1e4


@runtime_checkable
class System(Protocol):
    """Equations, where their coefficients jump, and how fast they are."""

    breaks: tuple[float, ...]

    def __call__(self, t: float, y: State) -> State: ...

    def fastest(self, t: float, y: State) -> float: ...

    def time_left(self, t: float, y: State) -> float: ...


class _Tired(Exception):
    """The implicit method called the field too often, or cannot go on."""


def solve(
    system: System,
    start: State,
    times: Times,
    rtol: float,
    atol: float,
    events: Sequence[Event],
    max_steps: int,
) -> tuple[Trajectory, bool]:
    """As ``flow.solve`` by the method of order 8, unless the equations turn stiff; and
    whether an implicit method went on.  ``events`` stop the run, falling below zero."""
    how = ("dop853", rtol, atol, events)
    run = flow.solve(system, start, times, *how, max_steps=min(max_steps, PATIENCE))
    tried = False
    while run.status == "too many steps" and max_steps > PATIENCE:
        max_steps -= PATIENCE
        place, rest = run.x[-1], _left(run, times)
        needed = _needed(system, place, float(rest[0]), float(rest[-1]))
        if PATIENCE < needed < HOPELESS and not tried:
            tried = True
            found = _believed(system, place, rest, max(rtol, FINEST), events)
            if found is not None:
                return _joined(run, found, times), True
        if needed > max_steps and (tried or needed >= HOPELESS):
            break
        most = min(max_steps, PATIENCE)
        found = flow.solve(system, place, rest, *how, max_steps=most)
        run = _joined(run, found, times)
    return run, False


def _needed(system: System, place: State, t: float, end: float) -> float:
    """Explicit steps that attention asks for if it holds the cloud; else 0."""
    rate = system.fastest(t, place)
    held = rate * system.time_left(t, place) > HELD
    return rate * (end - t) / STABLE if held else 0.0


def _left(run: Trajectory, times: Times) -> Times:
    """From the place reached on."""
    return np.append(run.t[-1], times[times > run.t[-1]])


def _joined(run: Trajectory, rest: Trajectory, times: Times) -> Trajectory:
    """Both, without the place between them unless it is an output time."""
    k = int(np.searchsorted(times, run.t[-1], side="right"))
    t, x = np.append(run.t[:k], rest.t[1:]), np.concatenate([run.x[:k], rest.x[1:]])
    calls = run.n_evaluations + rest.n_evaluations
    return replace(rest, t=t, x=x, n_evaluations=calls)


def _believed(
    system: System, start: State, times: Times, rtol: float, events: Sequence[Event]
) -> Trajectory | None:
    """The rest of a run if two tolerances tell the same of it."""
    if len(start) > LARGEST:
        return None
    try:
        run, other = (
            _implicit(system, start, times, tol, events)
            for tol in (rtol, LOOSER * rtol)
        )
    except _Tired:
        return None
    limit = AGREED * rtol
    same = run.status == other.status and len(run.t) == len(other.t)
    same = same and bool(np.allclose(run.t, other.t, rtol=limit, atol=0))
    k = len(run.t) - (run.status == "event")  # where it ends it runs away
    near = np.allclose(run.x[:k], other.x[:k], rtol=limit, atol=limit)
    return run if same and near else None


def _implicit(
    system: System, start: State, times: Times, rtol: float, events: Sequence[Event]
) -> Trajectory:
    """SciPy's Radau IIA of order 5, restarted where the coefficients jump."""
    inner = [b for b in system.breaks if times[0] < b < times[-1]]
    t, x, calls = [float(times[0])], [start], 0
    for begin, end in pairwise([times[0], *inner, times[-1]]):
        asked = np.union1d(times[(begin < times) & (times <= end)], end)
        part = _piece(system, x[-1], asked, (begin, end), rtol, events, CALLS - calls)
        calls += part.nfev
        if t[-1] not in times:  # where the coefficients jumped
            t, x = t[:-1], x[:-1]
        t += list(map(float, part.t))  # no arrays if it ended before all of them
        x += [y[:, None] for y in np.asarray(part.y).T]
        if part.status:
            found = [
                Crossings(at, np.reshape(place, (-1, *start.shape)))
                for at, place in zip(part.t_events, part.y_events)
            ]
            (stop,) = (some for some in found if len(some.t))
            t, x = [*t, float(stop.t[0])], [*x, stop.x[0]]
            return Trajectory(np.array(t), np.stack(x), "event", calls, tuple(found))
    return Trajectory(np.array(t), np.stack(x), "done", calls)


def _piece(
    system: System,
    start: State,
    asked: Times,
    ends: tuple[float, float],
    rtol: float,
    events: Sequence[Event],
    most: int,
) -> Any:
    """Between two jumps: what ``solve_ivp`` returns, or ``_Tired``."""
    from scipy.integrate import solve_ivp

    last, calls = np.nextafter(ends[1], ends[0]), 0

    def field(t: float, y: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        nonlocal calls
        calls += 1
        if calls > most:
            raise _Tired
        return system(min(t, last), y[:, None])[:, 0]

    def ending(event: Event) -> Any:
        def g(t: float, y: Float[np.ndarray, " n"]) -> float:
            return float(event(t, y[:, None]))

        g.terminal, g.direction = True, -1  # type: ignore[attr-defined]
        return g

    with np.errstate(all="ignore"):  # a trial may go too far, an error may be 0
        part = solve_ivp(
            field,
            ends,
            start[:, 0],
            "Radau",
            asked,
            events=[ending(event) for event in events],
            rtol=rtol,
            atol=0.1 * rtol,
        )
    if part.status < 0:
        raise _Tired
    return part
