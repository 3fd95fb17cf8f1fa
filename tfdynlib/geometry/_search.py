"""The search for the best path: matchings, a first look at each, the finalists."""

import numpy as np

from tfdynlib._measure import Measure
from tfdynlib.geometry import _matching, _path
from tfdynlib.geometry._chart import Angle, Arc
from tfdynlib.geometry._matching import Matching
from tfdynlib.geometry._path import Path, Problem
from tfdynlib.weights import Heads, WeightPath

# Matchings that are tried at most, and how many of them are followed to the end.
TRIES, FINALISTS = 64, 3
# A first look at a matching: the gradient at which it stops, and how much worse than
# the best it may look to be followed.
GLANCE, NEAR = 1e-4, 1.05
SPREAD = 0.3


def on_circle(
    mu: Measure,
    nu: Measure,
    heads: Heads | WeightPath,
    lower: float,
    parts: int,
    shift: float | None,
) -> tuple[list[Path], int, bool]:
    """Paths of all shifts that may win; how many; whether none was left out.

    A shift whose W2 cost times the lower bound is no better than a path that was found
    cannot win.
    """
    found: list[Path] = []
    best = np.inf
    for matching in _matching.on_circle(mu, nu, parts, shift):
        if lower**2 * matching.cost >= best:
            continue
        if len(found) == TRIES:
            return found, TRIES, False
        found.append(_glance(matching, heads))
        best = min(best, found[-1].action)
    return found, len(found), True


def on_sphere(
    mu: Measure, nu: Measure, heads: Heads | WeightPath, lower: float, parts: int
) -> tuple[list[Path], int, bool]:
    """Paths from the best assignment, and from exchanges as long as they help."""
    matching = _matching.on_sphere(mu, nu, parts)
    found = [_glance(matching, heads)]
    best, helped = found[0].action, True
    while helped:
        helped = False
        for other in _matching.exchanges(matching, parts):
            if lower**2 * other.cost >= best:
                break
            if len(found) == TRIES:
                return found, TRIES, False
            found.append(_glance(other, heads))
            if found[-1].action < best * (1 - GLANCE):
                best, matching, helped = found[-1].action, other, True
                break
    return found, len(found), True


def best_of(paths: list[Path]) -> Path:
    """The path that is best with twice the modes, among those that look good.

    (A minimum with few modes, found exactly, may lead into a worse one with many.)
    """
    paths = sorted(paths, key=lambda path: path.action)
    near = [p for p in paths if p.action <= NEAR * paths[0].action][:FINALISTS]
    further = []
    for path in near:
        modes = np.concatenate([path.modes, np.zeros_like(path.modes)])
        further.append(_path.minimise(path.problem, modes, path.shift, GLANCE))
    return min(further, key=lambda path: path.action)


def _glance(matching: Matching, heads: Heads | WeightPath) -> Path:
    """A first look at a matching, with few modes."""
    chart = Angle() if heads.d == 2 else Arc()
    ends = matching.end, np.zeros_like(matching.end)
    problem = Problem(chart, matching.start, lambda _: ends, matching.mass, heads)
    modes = matching.first_mode(SPREAD, _path.FIRST)
    return _path.minimise(problem, modes, matching.shift, GLANCE)
