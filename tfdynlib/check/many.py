"""Checks of the page *A sentence as a sample*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from tfdynlib.check._verdict import Case, Verdict, compare

TURN = 2 * np.pi


def w2_to_uniform_circle(function: Callable) -> Verdict:
    """Exercise 4: is ``function(theta)`` the geodesic W2 to the uniform law?

    theta are the angles of n equal atoms on the circle, in any order and over any
    number of turns.  The truth is found by trying turns of the arcs that the atoms
    spread over, each with its integral of squared walks.
    """
    # A minimum is flat: the search leaves the turn uncertain by about 1e-8, and the
    # square of that in the value.
    return compare(
        function, _by_turning, _clouds(), rtol=1e-10, tried="nine clouds of tokens"
    )


def _clouds() -> list[Case]:
    rng = np.random.default_rng(15)
    polygons = [TURN * np.arange(n) / n + 0.3 for n in (1, 2, 7)]
    wound = rng.permutation(TURN * np.arange(5) / 5 + TURN * np.arange(-2, 3))
    return [
        *(Case(f"a regular {len(x)}-gon", (x,)) for x in polygons[1:]),
        Case("a single token", (polygons[0],)),
        Case("five tokens at one point", (np.full(5, 1.0),)),
        Case("two close tokens on either side of angle 0", (np.array([-0.1, 0.1]),)),
        Case("a regular 5-gon over several turns", (wound,)),
        Case("four tokens on half of the circle", (np.array([3.0, 0.5, 1.0, 2.0]),)),
        Case("twelve random tokens", (rng.uniform(0, TURN, 12),)),
        Case("forty random tokens over three turns", (rng.uniform(-7, 12, 40),)),
    ]


def _by_turning(theta: np.ndarray) -> float:
    """Least root mean square walk over all turns of the arcs."""
    sorted_angles = np.sort(np.mod(theta, TURN))
    arc = TURN / len(theta)
    walk = sorted_angles - arc * np.arange(len(theta))

    def cost(turn: float) -> float:
        """Mean square of the walk of the mass, by the integral over each arc."""
        low, high = turn - walk - arc / 2, turn - walk + arc / 2
        return float(np.mean(high**3 - low**3) / (3 * arc))

    bounds = (float(walk.min()) - 1e-6, float(walk.max()) + 1e-6)
    found = minimize_scalar(cost, bounds=bounds, method="bounded")
    return float(np.sqrt(found.fun))
