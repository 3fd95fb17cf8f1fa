"""The moving nodes of one run: steps in time, and labels cut into panels."""

from collections.abc import Callable

import numpy as np

from tfdynlib._charts import Stop
from tfdynlib.density._labels import TURN, Angles, Pairs, Panels, Rows, Start, Values
from tfdynlib.density._rates import rates
from tfdynlib.density.state import Density
from tfdynlib.weights import WeightPath

# Panels at the start, and those at which a run is given up; edges near 1 are doubles.
PANELS, MOST_PANELS, THINNEST = 4, 1000, 2.0**-51
# No step is longer than this part of the fastest time scale, 1 / max |dv/dθ|.
PART = 0.25
# A velocity that asks for more steps between two outputs is given up.
MOST_STEPS = 100_000
# Log-densities are for drawing: panels keep four digits of them.
LOG_TOLERANCE = 1e-4


class Run:
    """The moving nodes of one call of ``solve``."""

    def __init__(
        self,
        start: Start,
        path: WeightPath,
        rule: str,
        labels: str,
        n: int,
        step: float,
        tol: float,
    ):
        self.start, self.path, self.rule, self.labels = start, path, rule, labels
        self.step, self.tol = step, tol
        self.n_evaluations = 0
        self.nodes: Rows | Panels = Rows(n)
        self.values = self._at_start(self.nodes.places)
        self.mass = self._masses()

    def begin(self) -> None:
        """Cut the labels into panels, if that is asked for or needed."""
        if self.labels == "panels":
            self._to_panels(self._at_start)
        self._panels_if_rough()

    def _at_start(self, label: Angles) -> Values:
        angle = label
        if self.labels == "quantile":
            angle = self.start.quantile(label / TURN)
        return np.stack([angle, np.log(self.start.density(angle))])

    def _masses(self) -> Angles:
        """Masses of the nodes, of sum 1."""
        if self.labels == "quantile":
            return np.full(len(self.nodes.places), 1 / len(self.nodes.places))
        label = self.nodes.label(self.nodes.places)
        mass = self.start.density(label) * self.nodes.weights
        return mass / mass.sum()

    def state(self) -> Density:
        """What there is now."""
        panels = self.nodes.period if isinstance(self.nodes, Panels) else 0
        return Density(
            self.nodes.label(self.nodes.places),
            self.values[0].copy(),
            self.values[1].copy(),
            self.mass.copy(),
            panels,
            self.nodes,
            self.start,
            self.labels == "quantile",
        )

    def to(self, low: float, high: float) -> None:
        """Go from one output time to the next."""
        inner = sorted(b for b in self.path.breaks if low < b < high)
        for a, b in zip([low, *inner], [*inner, high]):
            self._piece(a, b)

    def _piece(self, t: float, end: float) -> None:
        """Go on without a jump of the weights on the way."""
        # Just before a jump, the weights after it must not be used.
        last = float(np.nextafter(end, t)) if end in self.path.breaks else end
        while t < end:
            k1 = self._rate(t, self.values)
            fastest = float(np.abs(k1[1]).max())
            longest = min(self.step, PART / fastest) if fastest > 0 else self.step
            steps = (end - t) / longest * (1 - 1e-12)
            if steps > MOST_STEPS:  # inf, too
                raise Stop("step too small")
            count = int(np.ceil(steps))
            h = (end - t) / max(count, 1)
            x, middle = self.values, min(t + h / 2, last)
            k2 = self._rate(middle, x + h / 2 * k1)
            k3 = self._rate(middle, x + h / 2 * k2)
            k4 = self._rate(min(t + h, last), x + h * k3)
            self.values = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            t = end if count <= 1 else t + h
            self._bisect()
            self._panels_if_rough()

    def _rate(self, t: float, values: Pairs) -> Pairs:
        self.n_evaluations += 1
        angle = values[0]
        v, slope = rates(angle, angle, self.mass, self.path(t), self.rule)
        if not (np.isfinite(v).all() and np.isfinite(slope).all()):
            raise Stop("not finite")
        return np.stack([v, -slope])

    def _panels_if_rough(self) -> None:
        """Change to panels once the equally spaced labels are too few."""
        if self.labels == "auto" and isinstance(self.nodes, Rows):
            rows, values = self.nodes, self.values
            if rows.tail(values) > self.tol / 100:
                self._to_panels(lambda label: rows.values(values, label))

    def _to_panels(self, sample: Callable[[Angles], Values]) -> None:
        """Change to as many panels as the functions of ``sample`` ask for."""
        panels = Panels(np.linspace(0, 1, PANELS + 1))
        while True:
            values = sample(panels.label(panels.places))
            rough = panels.rough(values, self._tolerances())
            if not rough.any():
                break
            panels = self._few(panels.bisected(rough))
        self.nodes, self.values = panels, values
        self.mass = self._masses()

    def _bisect(self) -> None:
        """Bisect the panels on which the functions are not smooth any more."""
        while isinstance(self.nodes, Panels):
            rough = self.nodes.rough(self.values, self._tolerances())
            if not rough.any():
                break
            self.values = self.nodes.handed_down(self.values, rough)
            self.nodes = self._few(self.nodes.bisected(rough))
            self.mass = self._masses()

    def _few(self, panels: Panels) -> Panels:
        """The panels, unless there are too many to go on, or too thin to be halved."""
        width = np.diff(panels.edges).min()
        if panels.period > MOST_PANELS or width < THINNEST:
            raise Stop("too steep")
        return panels

    def _tolerances(self) -> tuple[float, float]:
        return self.tol, max(LOG_TOLERANCE, self.tol)
