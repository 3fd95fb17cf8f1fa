"""A density on the circle at one time."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._circle import points
from tfdynlib.density import _labels
from tfdynlib.density._labels import TURN, Angles, Panels, Rows, Start, Values
from tfdynlib.measure import Measure


@dataclass(frozen=True, repr=False)
class Density:
    """A density on the circle at one time, known along the labels.

    Attributes
    ----------
    label, angle, log_density, mass
        Label, angle (a continuous one: it may leave [0, 2π)), logarithm of the density
        there and mass of each node.
    panels
        Number of panels that the labels are cut into; 0 while they are equally spaced.
    """

    label: Float[np.ndarray, " n"]
    angle: Float[np.ndarray, " n"]
    log_density: Float[np.ndarray, " n"]
    mass: Float[np.ndarray, " n"]
    panels: int
    _nodes: Rows | Panels
    _start: Start
    _quantile: bool

    def __repr__(self) -> str:
        kind = f"{self.panels} panels" if self.panels else "spectral"
        return f"Density({len(self.angle)} nodes, {kind})"

    @property
    def measure(self) -> Measure:
        """The nodes with their masses: every integral of a smooth function."""
        return Measure(points(self.angle), self.mass)

    def moment(self, k: int = 1) -> complex:
        r"""Circular moment :math:`\int e^{ik\theta} d\mu`."""
        return complex(self.mass @ np.exp(1j * _check.integer(k, "k") * self.angle))

    def on(self, angles: ArrayLike) -> Float[np.ndarray, " k"]:
        """The density at any angles: X(a) = θ is solved for the label a."""
        places = self._place_at(_check.array(angles, "angles", ndim=1))
        return np.asarray(np.exp(self._values(places)[1]))

    def quantile(self, u: ArrayLike) -> Float[np.ndarray, " k"]:
        """The angle that has moved with the mass at level u of the start: u of the mass
        of the start lies between the angle 0 and it.  Grows by 2π with u by 1."""
        u = _check.array(u, "u", ndim=1)
        label = TURN * u if self._quantile else self._start.quantile(u)
        return np.asarray(self._values(self._nodes.place(label))[0])

    def between(self, low: ArrayLike, high: ArrayLike) -> Float[np.ndarray, " k"]:
        """Mass on the arcs that lead from ``low`` upward to ``high``."""
        low, high = (
            _check.array(value, name, ndim=1)
            for value, name in ((low, "low"), (high, "high"))
        )
        if low.shape != high.shape:
            raise _check.refuse("high", f"of the shape {low.shape} of low", high)
        if not (high >= low).all():
            raise _check.refuse("high", "low or more, on every arc", high)
        a, b = (self._nodes.label(self._place_at(angle)) for angle in (low, high))
        if self._quantile:
            return (b - a) / TURN
        return self._start.below(b) - self._start.below(a)

    def _values(self, place: Angles) -> Values:
        at = np.stack([self.angle, self.log_density])
        return self._nodes.values(at, place)

    def _place_at(self, angle: Angles) -> Angles:
        """Places of the labels that are at these angles."""
        turns = np.floor((angle - self.angle[0]) / TURN)
        known = np.append(self.angle, self.angle[0] + TURN)
        places = np.append(self._nodes.places, self._nodes.places[0])
        places[-1] += self._nodes.period
        target = angle - TURN * turns
        # Angles of one cluster may have lost their order to rounding.
        k = np.searchsorted(np.maximum.accumulate(known), target, side="right") - 1
        k = np.clip(k, 0, len(known) - 2)

        def f(place: Angles) -> tuple[Angles, Angles]:
            X, log_density = self._values(place)
            slope = self._nodes.stretch(place) * np.exp(-log_density)
            if self._quantile:
                return X, slope / TURN
            return X, slope * self._start.density(self._nodes.label(place))

        found = _labels.inverse(f, target, places[k], places[k + 1])
        return found + self._nodes.period * turns
