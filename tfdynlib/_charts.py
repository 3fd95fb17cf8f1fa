"""Coordinates in which an integrator steps: R^d, the sphere in R^d, angles.

Whatever the coordinates y, ``points(y)`` are the tokens they stand for, and the field
sees nothing else.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._merging import Merging

State = Float[np.ndarray, "n d"]
Place = Float[np.ndarray, "n c"]  # coordinates: d of them, or one angle
Rate = Callable[[float, Place], Place]

# A field counts as tangent when its radial part is below this fraction of its size.
TANGENT_TOLERANCE = 1e-6
# Below this it is the rounding of a sum that cancels, in a token at rest.
REST = 1e-12


class Stop(Exception):
    """Ends a run early; ``status`` says why."""

    def __init__(self, status: str):
        super().__init__(status)
        self.status = status


class Flow:
    """A field on R^d, y = x: evaluates, counts, guards, and joins tokens that met."""

    def __init__(
        self, field: Callable[[float, State], State], merging: Merging | None = None
    ):
        self.field: Any = field
        self.merging = merging
        self.breaks = tuple(getattr(field, "breaks", ()))
        self.n_evaluations = 0

    # --- coordinates ---

    def state(self, x: State) -> Place:
        """Coordinates of the tokens x."""
        return x

    def points(self, y: Place) -> State:
        """The tokens at y; leaves the numbers with a labelled stop."""
        if not np.isfinite(y).all():
            raise Stop("not finite")
        return y

    def settle(self, y: Place) -> Place:
        """The end of a step, in the form in which the next one starts."""
        return self.points(y)

    def rate(self, x: State, v: State) -> Place:
        """The velocity v of the tokens x in the coordinates."""
        return v

    def check(self, x: State, v: State) -> None:
        """Refuse a velocity that leaves the space."""

    # --- the measure of an error ---

    def scale(self, y0: Place, y1: Place, rtol: float, atol: float) -> Place | float:
        """The error allowed to each coordinate in a step from y0 to y1."""
        return atol + rtol * np.maximum(np.abs(y0), np.abs(y1))

    def size(self, e: Place, y: Place) -> float:
        """Root mean square over all coordinates of an error e at y."""
        return float(np.sqrt(np.mean(e**2)))

    def extent(self, y: Place, scale: Place | float) -> float:
        """How far y is from the origin, in units of the scale."""
        return self.size(y / scale, y)

    def longest(self, v: Place) -> float:
        """The longest step that a start with velocity v may take."""
        return np.inf

    # --- the field ---

    def __call__(self, t: float, y: Place) -> Place:
        x = self.points(y)
        return self.rate(x, self._velocity(t, x))

    def enter(self, t: float, y: Place) -> Place:
        """The first velocity, checked; further values are trusted to be tangent."""
        x = self.points(y)
        v = self._velocity(t, x)
        self.check(x, v)
        return self.rate(x, v)

    def before(self, t1: float) -> Rate:
        """The field of a step that ends at t1: a jump there is not yet seen."""
        if t1 not in self.breaks:
            return self
        last = float(np.nextafter(t1, -np.inf))
        return lambda t, y: self(min(t, last), y)

    def _velocity(self, t: float, x: State) -> Float[np.ndarray, "..."]:
        self.n_evaluations += 1
        # A field may overflow on its way to infinity: the check below reports it.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            v = np.asarray(self.field(t, x.copy()))
        if v.dtype.kind not in _check.REAL_KINDS:
            raise _check.refuse("field", "an array of real numbers", str(v.dtype))
        v = v.astype(float, copy=False)
        if v.shape != x.shape:
            raise _check.refuse("field", f"of the shape {x.shape} of x0", v)
        if not np.isfinite(v).all():
            raise Stop("not finite")
        return v

    # --- tokens that met ---

    def output(self, y: Place) -> Float[np.ndarray, "m d"]:
        """The tokens at y, one for each token of the start."""
        x = self.points(y)
        return x.copy() if self.merging is None else x[self.merging.place]

    def join(self, t: float, y: Place) -> Float[np.ndarray, "k c"]:
        """y, of fewer tokens if some have met; y itself if none has."""
        x = None if self.merging is None else self.merging.join(t, self.points(y))
        if self.merging is None or x is None:
            return y
        self.field = self.merging.with_masses(self.field)
        return self.settle(self.state(x))


class Sphere(Flow):
    """A field on the sphere, stepped in R^d as F(y) = f(y / |y|).

    F is homogeneous of degree 0, so that its value at the end of a step is also its
    value at the retraction of that end.
    """

    def points(self, y: Place) -> State:
        with np.errstate(over="ignore"):  # a norm of inf is reported below
            norm = np.linalg.norm(y, axis=1, keepdims=True)
        if not (np.isfinite(norm).all() and norm.all()):
            raise Stop("not finite")
        return y / norm

    def check(self, x: State, v: State) -> None:
        radial = np.abs(np.sum(v * x, axis=1)).max()
        if radial > max(REST, TANGENT_TOLERANCE * np.abs(v).max()):
            raise _check.refuse(
                "field",
                "tangent to the sphere (see sphere.project; or space='euclidean')",
                f"a radial part of {radial:.3g}",
            )

    def scale(self, y0: Place, y1: Place, rtol: float, atol: float) -> float:
        return atol + rtol

    def extent(self, y: Place, scale: Place | float) -> float:
        return 1 / float(np.max(scale))

    def size(self, e: Place, y: Place) -> float:
        """Root mean square over tokens of the tangent part of e at the tokens y."""
        radial = np.sum(e * y, axis=1)
        return float(np.sqrt(max(np.mean(np.sum(e**2, axis=1) - radial**2), 0.0)))


class Circle(Sphere):
    """A field on the circle, stepped in the angle of each token.

    The tokens (cos y, sin y) cannot leave the circle.
    """

    def state(self, x: State) -> Place:
        return np.arctan2(x[:, 1:], x[:, :1])

    def points(self, y: Place) -> State:
        if not np.isfinite(y).all():
            raise Stop("not finite")
        return np.concatenate([np.cos(y), np.sin(y)], axis=1)

    def settle(self, y: Place) -> Place:
        """The angle in [-π, π], so that it keeps its digits over many turns."""
        return y - 2 * np.pi * np.rint(y / (2 * np.pi))

    def rate(self, x: State, v: State) -> Place:
        return x[:, :1] * v[:, 1:] - x[:, 1:] * v[:, :1]

    def size(self, e: Place, y: Place) -> float:
        return Flow.size(self, e, y)

    def longest(self, v: Place) -> float:
        """A quarter turn: a uniform rotation has no error that would bound the step,
        but its events must not slip through."""
        fastest = float(np.abs(v).max())
        return np.pi / 2 / fastest if fastest > 0 else np.inf
