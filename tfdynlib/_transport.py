"""Squared Wasserstein distances that need no programme: the line and the circle.

In one dimension the arrows of an optimal plan do not cross.  On the line this leaves
one plan, on the circle one for each shift of the target's levels of mass, and the cost
is convex in the shift: J. Delon, J. Salomon, A. Sobolevski, Fast transport
optimization for Monge costs on the circle (2010).
"""

import numpy as np
from jaxtyping import Float

from tfdynlib._measure import Measure

Row = Float[np.ndarray, " n"]
Other = Float[np.ndarray, " m"]
Laps = Float[np.ndarray, " _"]

TURN = 2 * np.pi
# A shift of the levels of mass is known when its bracket is this short.
ROUNDING = float(np.finfo(float).eps)


def line(x: Row, a: Row, y: Other, b: Other) -> float:
    """On the line, points x of masses a against points y of masses b."""
    i, j = np.argsort(x), np.argsort(y)
    return _matched(x[i], _levels(a[i]), y[j], _levels(b[j]))


def _levels(mass: Row) -> Row:
    """Running sums of masses, the last one exactly 1."""
    level = np.cumsum(mass)
    level[-1] = 1.0
    return level


def _matched(x: Row, up_x: Row, y: Other, up_y: Other) -> float:
    """Mean square gap of two quantile functions, that end their steps at the levels.

    Levels of one side that miss one of the other by no more than the rounding of
    running sums count as equal.
    """
    level = np.sort(np.concatenate([up_x[:-1], up_y[:-1]]), kind="stable")
    width = np.diff(level, prepend=0.0, append=1.0)
    middle = np.concatenate([[0.0], level]) + width / 2
    width[width < 2 * ROUNDING * np.sqrt(len(level) + 1)] = 0.0
    xs = x[np.searchsorted(up_x[:-1], middle)]
    ys = y[np.searchsorted(up_y[:-1], middle)]
    return float(width @ (xs - ys) ** 2)


def angles(mu: Measure) -> Row:
    """Sorted angles of the atoms of a measure on the circle."""
    return np.sort(np.arctan2(mu.x[:, 1], mu.x[:, 0]))


def angles_and_masses(mu: Measure) -> tuple[Row, Row]:
    """The same, with the masses of the atoms."""
    angle = np.arctan2(mu.x[:, 1], mu.x[:, 0])
    order = np.argsort(angle)
    return angle[order], mu.mass[order]


def circle_of_equals(x: Row, y: Row) -> float:
    """On the circle, n equal atoms a side, from their sorted angles.

    Only a cyclic shift k of the targets is free, x_i to y_{i+k} of the target lifted
    to the line.  The increment of the cost from k to k + 1 grows with k: bisect it.
    """
    n = len(x)
    lifted = np.concatenate([y + TURN * k for k in (-2, -1, 0, 1, 2)])
    step, double = np.diff(lifted), 2 * x
    pair = lifted[1:] + lifted[:-1]

    def increment(k: int) -> float:
        part = slice(2 * n + k, 3 * n + k)
        return float(step[part] @ (pair[part] - double))

    low, high = -n, n
    while low < high:
        middle = (low + high) // 2
        if increment(middle) >= 0:
            high = middle
        else:
            low = middle + 1
    return float(np.mean((x - lifted[2 * n + low : 3 * n + low]) ** 2))


def circle(x: Row, a: Row, y: Other, b: Other) -> float:
    """On the circle, sorted angles x of masses a against y of masses b.

    The target's quantile function is shifted by s, a part of the whole mass.  The cost
    is convex and piecewise linear in s, with corners where a level of one side meets
    one of the other: bisect its slope until the bracket holds one corner only.
    """
    x, a, y, b = *_seen(x, a), *_seen(y, b)
    up_x, up_y = _levels(a), _levels(b)
    shift = _best_shift(x, up_x, y, up_y)
    return _shifted(x, up_x, y, up_y, shift)


def _seen(x: Row, a: Row) -> tuple[Laps, Laps]:
    """Atoms whose mass is more than the rounding of the running sums."""
    keep = a > 4 * ROUNDING
    return x[keep], a[keep] / a[keep].sum()


def _best_shift(x: Row, up_x: Row, y: Other, up_y: Other) -> float:
    """The shift of least cost, up to rounding.

    As the target's levels move up by ds, the mass ds passes at each level from the
    arrow x_i to y_{j+1} to the arrow x_i to y_j, where i is the source at that level.
    """
    laps = np.append(x, x[0] + TURN)
    ahead = np.append(y[1:], y[0] + TURN)
    step, pair, level = ahead - y, ahead + y, up_y

    def source(s: float) -> Laps:
        lap = np.floor(level + s)
        return laps[np.searchsorted(up_x, level + s - lap, side="right")] + TURN * lap

    low, high, known = -1.0, 1.0, 0.0
    at_low, at_high = source(low), source(high)
    while high - low > ROUNDING:
        middle = (low + high) / 2
        here = source(middle)
        if known + step @ (2 * here - pair) >= 0:
            high, at_high = middle, here
        else:
            low, at_low = middle, here
        moving = at_low != at_high
        if 2 * np.count_nonzero(moving) < len(moving):  # the others are settled
            still = ~moving
            known += float(step[still] @ (2 * here - pair)[still])
            step, pair, level = step[moving], pair[moving], level[moving]
            at_low, at_high = at_low[moving], at_high[moving]
    return high


def _shifted(x: Row, up_x: Row, y: Other, up_y: Other, s: float) -> float:
    """The cost of the target shifted by s, its levels brought back into [0, 1]."""
    lap = np.floor(up_y + s)
    level = up_y + s - lap
    first = int(np.argmin(level))
    turned = np.roll(y - TURN * lap, -first)
    # The step of y_j ends at its level; the last one passes the cut and comes again.
    again = np.append(turned, turned[0] + TURN)
    return _matched(x, up_x, again, np.append(np.roll(level, -first), 1.0))
