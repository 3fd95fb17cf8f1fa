"""Moments where attention holds a large covariance: an implicit method goes on.

Across the line p^T B p = 0 on which such a cloud slides, attention acts at the rate
|V Sigma B|, which grows with the cloud; explicit steps are as short as its inverse.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from tfdynlib import flow
from tfdynlib.flow import Crossings, Event, Trajectory

State = Float[np.ndarray, "n 1"]
Times = Float[np.ndarray, " m"]

# Steps of the explicit method before stiffness is thought of; as many more are too many
# if stability asks for them: a step may be this long in units of the fastest rate.
PATIENCE, STABLE = 2_000, 6.0
# Steps of the implicit one, its best tolerance, and the largest system for its dense
# matrices.
MOST, FINEST, LARGEST = 5_000, 1e-11, 400


@runtime_checkable
class System(Protocol):
    """Equations, where their coefficients jump, and their fastest rate."""

    breaks: tuple[float, ...]

    def __call__(self, t: float, y: State) -> State: ...

    def fastest(self, t: float, y: State) -> float: ...


def solve(
    system: System,
    start: State,
    times: Times,
    rtol: float,
    atol: float,
    events: Sequence[Event],
    max_steps: int,
) -> Trajectory:
    """As ``flow.solve`` by the method of order 8; by an implicit one when that is too
    slow.  Events are those that fall below zero and stop the run."""
    how = ("dop853", rtol, atol, events)
    run = flow.solve(system, start, times, *how, max_steps=min(max_steps, PATIENCE))
    if _stiff(system, run, times[-1]) and len(start) <= LARGEST:
        fine = max(rtol, FINEST)
        rest = _implicit(system, run.x[-1], _left(run, times), fine, events)
        run = _joined(run, rest, times)
    if _tired(run) and max_steps > PATIENCE:
        left = max_steps - PATIENCE
        rest = flow.solve(system, run.x[-1], _left(run, times), *how, max_steps=left)
        run = _joined(run, rest, times)
    return run


def _tired(run: Trajectory) -> bool:
    return run.status == "too many steps"


def _stiff(system: System, run: Trajectory, end: float) -> bool:
    """Whether the rest is slow because of stability, and without a jump."""
    t = float(run.t[-1])
    jumps = any(t < b < end for b in system.breaks)
    rate = system.fastest(t, run.x[-1])
    return _tired(run) and not jumps and rate * (end - t) > STABLE * PATIENCE


def _left(run: Trajectory, times: Times) -> Times:
    """From the place reached on."""
    reached = float(run.t[-1])
    return np.append(reached, times[times > reached])


def _joined(run: Trajectory, rest: Trajectory, times: Times) -> Trajectory:
    """Both, without the place between them unless it is an output time."""
    k = int(np.searchsorted(times, run.t[-1], side="right"))
    t, x = np.append(run.t[:k], rest.t[1:]), np.concatenate([run.x[:k], rest.x[1:]])
    taken = run.n_evaluations + rest.n_evaluations
    return Trajectory(t, x, rest.status, taken, rest.events)


def _implicit(
    system: System, start: State, times: Times, rtol: float, events: Sequence[Event]
) -> Trajectory:
    """Radau IIA of order 5."""
    from scipy.integrate import Radau

    def field(t: float, y: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return system(t, y[:, None])[:, 0]

    ends = float(times[0]), start[:, 0], float(times[-1])
    steps = Radau(field, *ends, rtol=rtol, atol=0.1 * rtol)
    out, status = [(float(times[0]), start)], "too many steps"
    crossed: list[int] = []
    for _ in range(MOST):
        with np.errstate(over="ignore", invalid="ignore"):
            steps.step()
        if steps.status == "failed":
            status = "step too small"
            break
        between, before = steps.dense_output(), out[-1][0]
        for t in times[(times > max(before, steps.t_old)) & (times <= steps.t)]:
            out.append((float(t), between(t)[:, None]))
        place = (float(steps.t), steps.y[:, None].copy())
        crossed = [k for k, g in enumerate(events) if g(*place) < 0]
        if crossed or steps.status == "finished":
            status = "event" if crossed else "done"
            break
    if status != "done" and out[-1][0] < steps.t:
        out.append((float(steps.t), steps.y[:, None].copy()))
    found = [
        Crossings(
            np.array([steps.t] * (k in crossed)),
            np.array([out[-1][1]] * (k in crossed)),
        )
        for k in range(len(events))
    ]
    t, x = np.array([t for t, _ in out]), np.stack([y for _, y in out])
    return Trajectory(t, x, status, steps.nfev, tuple(found))
