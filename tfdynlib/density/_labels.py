"""Labels of mass on the circle: functions of a label, known at nodes.

A label a in [0, 2 pi) names a bit of mass for all time.  What moves are two functions
of it, the angle X(a) with X(a + 2 pi) = X(a) + 2 pi, and the log-density at that angle;
an array (2, n) holds both at the nodes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib import _check

TURN = 2 * np.pi
Angles = Float[np.ndarray, " k"]
Pairs = Float[np.ndarray, "2 n"]
Values = Float[np.ndarray, "2 k"]

# Gauss nodes of a panel, and the way from values there to Legendre coefficients.
ORDER = 16
NODES, WEIGHTS = np.polynomial.legendre.leggauss(ORDER)
TO_LEGENDRE = (
    (np.arange(ORDER) + 0.5)
    * np.polynomial.legendre.legvander(NODES, ORDER - 1)
    * WEIGHTS[:, None]
)
# From Legendre coefficients to values at the nodes of both halves.
TO_HALVES = np.polynomial.legendre.legvander(
    np.concatenate([NODES - 1, NODES + 1]) / 2, ORDER - 1
).T
ITERATIONS = 100


def inverse(
    f: Callable[[Angles], tuple[Angles, Angles]],
    target: Angles,
    low: Angles,
    high: Angles,
) -> Angles:
    """Where an increasing function has the values ``target``, between low and high.

    ``f`` returns value and slope.  Newton's method, with a bisection wherever that
    would leave the bracket or does not halve the step.
    """
    low, high = low.copy(), high.copy()
    a, before = (low + high) / 2, high - low
    for _ in range(ITERATIONS):
        value, slope = f(a)
        above = value > target
        high, low = np.where(above, a, high), np.where(above, low, a)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            trial = a - (value - target) / slope  # a flat place is left by bisection
            good = (trial >= low) & (trial <= high) & (2 * abs(trial - a) <= before)
        following = np.where(good, trial, (low + high) / 2)
        before = np.abs(following - a)
        a = following
        if np.all(before <= 2 * np.spacing(np.abs(a) + 1)):
            break
    return a


class Start:
    """A positive density on the circle, its cumulative function and that one's
    inverse."""

    PANELS = 64

    def __init__(self, rho0: Callable[[Angles], Angles]):
        self._given = rho0
        self._total = 1.0
        edges = np.linspace(0, TURN, self.PANELS + 1)
        parts = self._integral(edges[:-1], edges[1:])
        total = float(parts.sum())
        if abs(total - 1) > _check.MASS_TOLERANCE:
            raise _check.refuse("rho0", "of integral 1", f"an integral of {total:.9g}")
        self._total = total
        self._edges = edges
        self._below = np.concatenate([[0.0], np.cumsum(parts / total)])

    def density(self, angle: Angles) -> Angles:
        """The density at these angles."""
        value = _check.shaped(self._given(angle.copy()), "rho0(angles)", angle.shape)
        if not (value > 0).all():
            raise _check.refuse("rho0", "positive", f"a value of {value.min():g}")
        return value / self._total

    def below(self, angle: Angles) -> Angles:
        """Mass between 0 and the angle; grows by 1 with every turn."""
        turns, rest = np.divmod(angle, TURN)
        k = np.minimum((rest / TURN * self.PANELS).astype(int), self.PANELS - 1)
        return turns + self._below[k] + self._integral(self._edges[k], rest)

    def quantile(self, u: Angles) -> Angles:
        """The angle with mass u between 0 and it."""
        turns, rest = np.divmod(u, 1.0)
        k = np.clip(np.searchsorted(self._below, rest, side="right") - 1, 0, 63)
        found = inverse(
            lambda a: (self.below(a), self.density(a)),
            rest,
            self._edges[k],
            self._edges[k + 1],
        )
        return TURN * turns + found

    def _integral(self, low: Angles, high: Angles) -> Angles:
        half = (high - low)[:, None] / 2
        nodes = (high + low)[:, None] / 2 + half * NODES
        value = self.density(nodes.ravel()).reshape(nodes.shape)
        return np.sum(half * WEIGHTS * value, axis=1)


@dataclass(frozen=True)
class Rows:
    """Equally spaced labels; functions between them are trigonometric polynomials.

    A place, the coordinate in which functions are evaluated, is the label itself.
    """

    n: int
    period = TURN

    @property
    def places(self) -> Angles:
        """Places of the nodes."""
        return TURN * (np.arange(self.n) + 0.5) / self.n

    @property
    def weights(self) -> Angles:
        """Lengths of label that the nodes stand for."""
        return np.full(self.n, TURN / self.n)

    def label(self, place: Angles) -> Angles:
        """Labels of places."""
        return place

    def place(self, label: Angles) -> Angles:
        """Places of labels."""
        return label

    def stretch(self, place: Angles) -> Angles:
        """Derivative of the label by the place."""
        return np.ones_like(place)

    def values(self, at: Pairs, place: Angles) -> Values:
        """Both functions at any places."""
        spectrum = self._spectrum(at)
        k = np.arange(spectrum.shape[1])
        since = place - self.places[0]
        out = (spectrum @ np.exp(1j * np.multiply.outer(k, since))).real
        out[0] += place
        return out

    def _spectrum(self, at: Pairs) -> np.ndarray:
        """Coefficients such that the real part of the sum is the function."""
        periodic = at - np.stack([self.places, np.zeros(self.n)])
        out = np.fft.rfft(periodic, axis=1) / self.n
        out[:, 1:] *= 2
        if self.n % 2 == 0:
            out[:, -1] /= 2
        return out

    def tail(self, at: Pairs) -> float:
        """Largest coefficient of X in the upper third of the spectrum."""
        spectrum = np.abs(self._spectrum(at)[0])
        return float(spectrum[-len(spectrum) // 3 :].max())


@dataclass(frozen=True)
class Panels:
    """Pieces of label with 16 Gauss nodes each; polynomials between the nodes.

    ``edges`` are in turns, from 0 to 1: binary fractions, so that no halving rounds.  A
    place is the number of a panel plus the part of it that has been passed: it keeps
    all its digits in a panel that is thinner than the rounding of a label.
    """

    edges: Float[np.ndarray, " m"]

    @property
    def period(self) -> int:
        """Number of panels."""
        return len(self.edges) - 1

    @property
    def places(self) -> Angles:
        """Places of the nodes."""
        return (np.arange(self.period)[:, None] + (1 + NODES) / 2).ravel()

    @property
    def weights(self) -> Angles:
        """Lengths of label that the nodes stand for."""
        return TURN * (np.diff(self.edges)[:, None] / 2 * WEIGHTS).ravel()

    def _parts(self, place: Angles) -> tuple[Angles, np.ndarray, Angles]:
        """Turns, number of the panel, part of it that has been passed."""
        turns, rest = np.divmod(place, self.period)
        k = np.minimum(rest.astype(int), self.period - 1)
        return turns, k, rest - k

    def label(self, place: Angles) -> Angles:
        """Labels of places."""
        turns, k, part = self._parts(place)
        inside = self.edges[k] + part * (self.edges[k + 1] - self.edges[k])
        return TURN * (turns + inside)

    def place(self, label: Angles) -> Angles:
        """Places of labels."""
        turns, rest = np.divmod(label / TURN, 1.0)
        k = np.searchsorted(self.edges, rest, side="right") - 1
        k = np.clip(k, 0, self.period - 1)
        part = (rest - self.edges[k]) / (self.edges[k + 1] - self.edges[k])
        return self.period * turns + k + part

    def stretch(self, place: Angles) -> Angles:
        """Derivative of the label by the place."""
        _, k, _ = self._parts(place)
        return TURN * (self.edges[k + 1] - self.edges[k])

    def values(self, at: Pairs, place: Angles) -> Values:
        """Both functions at any places."""
        turns, k, part = self._parts(place)
        basis = np.polynomial.legendre.legvander(2 * part - 1, ORDER - 1)
        out = np.einsum("fkm,km->fk", self._legendre(at)[:, k], basis)
        out[0] += TURN * turns
        return out

    def _legendre(self, at: Pairs) -> Float[np.ndarray, "2 p 16"]:
        return at.reshape(2, -1, ORDER) @ TO_LEGENDRE

    def rough(self, at: Pairs, tol: tuple[float, float]) -> np.ndarray:
        """Which panels carry too much in the last two coefficients."""
        last = np.abs(self._legendre(at)[:, :, -2:]).max(axis=2)
        return (last > np.array(tol)[:, None]).any(axis=0)

    def bisected(self, rough: np.ndarray) -> "Panels":
        """The panels with the rough ones halved."""
        middle = (self.edges[:-1] + self.edges[1:])[rough] / 2
        return Panels(np.sort(np.concatenate([self.edges, middle])))

    def handed_down(self, at: Pairs, rough: np.ndarray) -> Values:
        """Both functions at the nodes of ``bisected(rough)``."""
        k = np.flatnonzero(rough)
        halves = self._legendre(at)[:, k] @ TO_HALVES
        pieces = list(at.reshape(2, -1, ORDER).swapaxes(0, 1))
        for i, both in zip(k.tolist(), halves.swapaxes(0, 1)):
            pieces[i] = both
        return np.concatenate(pieces, axis=1)
