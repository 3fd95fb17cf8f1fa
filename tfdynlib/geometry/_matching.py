"""Who goes where: the matchings between two measures that a path may start from.

On the circle tokens need never cross, so a matching is a shift of the levels of the
quantile staircases, lifted to the line.  On other spheres it is an assignment, which
exchanges of two targets may improve.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib import measure, sphere
from tfdynlib._measure import Measure
from tfdynlib.geometry.quantile import Quantile

Line = Float[np.ndarray, "_"]

# Pieces lighter than this are rounding of cumulated masses.
DUST = 1e-12


@dataclass(frozen=True)
class Matching:
    """Pieces of mass with their two ends, in coordinates of a chart.

    ``shift`` is in units of the total mass (circle only); ``cost`` is the mean squared
    distance, W2 squared if the matching is the best one.
    """

    start: Float[np.ndarray, "n k"]
    end: Float[np.ndarray, "n k"]
    mass: Line
    shift: float
    cost: float

    def first_mode(self, size: float, p: int) -> Float[np.ndarray, "p n k"]:
        """Coefficients that spread out pieces with the same ends, where they move."""
        modes = np.zeros((p, *self.start.shape))
        both = np.concatenate([self.start, self.end], axis=1)
        _, label = np.unique(both, axis=0, return_inverse=True)
        far = np.linalg.norm(self.end - self.start, axis=1)
        k = np.arange(self.start.shape[1]) + 1
        for group in range(label.max() + 1):
            who = np.flatnonzero(label.ravel() == group)
            level = (np.arange(len(who))[:, None] + 0.5) / len(who)
            reach = size * min(1.0, float(far[who[0]]))
            wide = np.cos(np.pi * level * k)
            wide[:, 0] = np.linspace(-1, 1, len(who))
            modes[0, who] = reach * wide * (len(who) > 1)
        return modes


def on_circle(
    mu: Measure, nu: Measure, parts: int, shift: float | None = None
) -> list[Matching]:
    """All lifted matchings up to one turn, or the one with this shift; every atom is
    cut into equal ``parts`` beforehand.

    First those that whole atoms have as well, then the others; each time the cheapest
    first.
    """
    first, second = (_staircase(m, parts) for m in (mu, nu))
    if shift is not None:
        return [_shifted(first, second, shift)]
    whole = set(_meetings(*(_staircase(m, 1) for m in (mu, nu))))
    found = [_shifted(first, second, s) for s in _meetings(first, second)]
    return sorted(found, key=lambda m: (m.shift not in whole, m.cost, abs(m.shift)))


def _meetings(first: tuple[Line, Line], second: tuple[Line, Line]) -> list[float]:
    """Shifts at which a step of one staircase meets one of the other."""
    up, other = (np.append(np.cumsum(m)[:-1], 0.0) for _, m in (first, second))
    meet = np.round(np.subtract.outer(other, up).ravel() % 1.0, 12) % 1.0
    shifts = np.concatenate([meet - 1, meet, [1.0]])
    return np.unique(np.round(shifts, 12)).tolist()


def _staircase(mu: Measure, parts: int) -> tuple[Line, Line]:
    """Sorted angles and their masses; atoms without mass are left out."""
    angle = np.arctan2(mu.x[:, 1], mu.x[:, 0])
    order = np.argsort(angle, kind="stable")
    order = order[mu.mass[order] > 0]
    return np.repeat(angle[order], parts), np.repeat(mu.mass[order] / parts, parts)


def _shifted(
    first: tuple[Line, Line], second: tuple[Line, Line], shift: float
) -> Matching:
    """The matching of level u with level u + shift, on the common refinement."""
    up, other = np.cumsum(first[1])[:-1], np.cumsum(second[1])[:-1]
    inner = np.concatenate([up, (other - shift) % 1.0, [-shift % 1.0]])
    level = np.concatenate([[0.0], np.sort(inner), [1.0]])
    width = np.diff(level)
    keep = width > DUST
    middle, mass = (level[:-1] + width / 2)[keep], width[keep] / width[keep].sum()
    lap = np.floor(middle + shift)
    start = first[0][np.searchsorted(up, middle)]
    end = second[0][np.searchsorted(other, middle + shift - lap)] + 2 * np.pi * lap
    cost = float(mass @ (end - start) ** 2)
    return Matching(start[:, None], end[:, None], mass, shift, cost)


def least_shift(x: Line, nu: Quantile) -> float:
    """The real shift of quantile labels for which the squared distance is least."""
    from scipy.optimize import minimize_scalar

    u = (np.arange(len(x)) + 0.5) / len(x)
    middle = float(np.mean(x - nu(u))) / (2 * np.pi)
    bracket = middle - 0.1, middle + 0.1
    least = minimize_scalar(lambda s: np.mean((nu(u + s) - x) ** 2), bracket=bracket)
    return float(least.x)


def on_sphere(mu: Measure, nu: Measure, parts: int) -> Matching:
    """The cheapest matching for the geodesic distance."""
    coupling = measure.plan(mu, nu, "geodesic")
    i, j = np.nonzero(coupling > DUST)
    mass = coupling[i, j] / coupling[i, j].sum()
    return _pieces(mu.x[i], nu.x[j], mass, parts)


def _pieces(
    start: Float[np.ndarray, "n d"],
    end: Float[np.ndarray, "n d"],
    mass: Line,
    parts: int,
) -> Matching:
    cost = float(mass @ sphere.distance(start, end) ** 2)
    return Matching(
        np.repeat(start, parts, axis=0),
        np.repeat(end, parts, axis=0),
        np.repeat(mass / parts, parts),
        0.0,
        cost,
    )


def exchanges(matching: Matching, parts: int) -> list[Matching]:
    """The matchings with two targets of equal pieces exchanged, the cheapest first."""
    start, end = matching.start[::parts], matching.end[::parts]
    mass = parts * matching.mass[::parts]
    found = []
    for i, j in _pairs(len(mass)):
        if abs(mass[i] - mass[j]) <= DUST:
            turned = end.copy()
            turned[[i, j]] = end[[j, i]]
            found.append(_pieces(start, turned, mass, parts))
    return sorted(found, key=lambda m: m.cost)


def _pairs(n: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(n) for j in range(i))
