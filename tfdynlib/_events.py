"""Outputs and sign changes, collected from the steps of a flow as they come."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._charts import State, Stop
from tfdynlib._check import Number
from tfdynlib._stepping import Step

Reached = list[tuple[float, State]]


class Recorder:
    """Collects outputs and crossings from the steps as they come.

    Attributes
    ----------
    out
        Times and tokens at the output times reached so far.
    found
        Times and tokens of the crossings, a list for each event.
    """

    def __init__(
        self,
        times: Float[np.ndarray, " m"],
        start: State,
        events: Sequence[Callable[[float, State], Number]],
    ):
        self.times = times
        self.out: Reached = [(float(times[0]), start)]
        self.events = tuple(events)
        self.sign = [value(g, *self.out[0]) for g in self.events]
        self.found: list[Reached] = [[] for _ in self.events]
        self.last = self.out[0]

    def take(self, step: Step) -> None:
        """Outputs and crossings within one step; raises ``Stop`` at a terminal one."""
        stop = self._crossings(step)
        end = step.t1 if stop is None else stop
        while len(self.out) < len(self.times) and self.times[len(self.out)] <= end:
            t = float(self.times[len(self.out)])
            self.out.append((t, step.at(t)))
        if stop is not None:
            self.last = stop, step.at(stop)
            raise Stop("event")
        self.last = step.t1, step.x1

    def close(self) -> None:
        """Add the place reached, if it is no output time (the end came early)."""
        if self.out[-1][0] < self.last[0]:
            self.out.append(self.last)

    def _crossings(self, step: Step) -> float | None:
        """Note the crossings in this step; the time of the first terminal one."""
        hits = []
        for k, g in enumerate(self.events):
            before, after = self.sign[k], value(g, step.t1, step.x1)
            self.sign[k] = after
            if before * after < 0 or (after == 0 and before != 0):
                if getattr(g, "direction", 0) * (after - before) >= 0:
                    hits.append((root(g, step), k))
        stops = [t for t, k in hits if getattr(self.events[k], "terminal", False)]
        stop = min(stops, default=None)
        for t, k in sorted(hits):
            if stop is None or t <= stop:
                self.found[k].append((t, step.at(t)))
        return stop

    def arrays(self, reached: Reached) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of a list of pairs, which may be empty."""
        shape = self.out[0][1].shape
        t = np.array([t for t, _ in reached])
        return t, np.array([x for _, x in reached]).reshape(len(reached), *shape)


def value(g: Callable[[float, State], Number], t: float, x: State) -> float:
    """What an event function says, one real number."""
    came = g(t, x.copy())
    try:
        number = float(came)
    except (TypeError, ValueError, OverflowError):
        wanted = "functions whose value is one real number"
        raise _check.refuse("events", wanted, came) from None
    if np.isnan(number):
        wanted = "functions whose value is one real number"
        raise _check.refuse("events", wanted, f"nan at t = {t:g}")
    return number


def root(g: Callable[[float, State], Number], step: Step) -> float:
    """The time in the step at which g changes sign, by bisection to rounding."""
    low, high = step.t0, step.t1
    end = value(g, high, step.x1)
    if end == 0:
        return high
    while low < (middle := 0.5 * (low + high)) < high:
        here = value(g, middle, step.at(middle))
        if here == 0:
            return middle
        if here * end > 0:
            high = middle
        else:
            low = middle
    return high
