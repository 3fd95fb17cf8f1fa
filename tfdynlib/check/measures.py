"""Checks of the page *Many tokens are one measure*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from tfdynlib.check._verdict import Case, Verdict, compare, not_yet, numbers, yes

# A detour counts when it is longer than the distance by more than rounding can make it.
STRICT = 1e-9


def w2_line(function: Callable) -> Verdict:
    """Exercise 3: is ``function(x, y)`` the distance W2 of equal atoms on the line?

    x and y are arrays of equal length, in any order; the answer is compared with an
    exact assignment.
    """
    tried = "five pairs of clouds"
    return compare(function, _by_assignment, _lines(), rtol=1e-10, tried=tried)


def _lines() -> list[Case]:
    rng = np.random.default_rng(12)
    scattered = (rng.normal(size=9), 3 + rng.normal(size=9))
    ties = (np.array([1.0, 0.0, 1.0, 2.0]), np.array([2.0, 2.0, -1.0, 0.5]))
    shuffled = (np.array([0.0, 1.0, 2.0]), np.array([2.0, 0.0, 1.0]))
    return [
        Case("the page's three tokens", (np.arange(3.0), np.array([1.0, 4.0, 0.5]))),
        Case("one token each", (np.array([2.0]), np.array([-1.0]))),
        Case("the same tokens in another order", shuffled),
        Case("tokens with ties", ties),
        Case("nine random tokens", scattered),
    ]


def _by_assignment(x: np.ndarray, y: np.ndarray) -> float:
    return _assign((x[:, None] - y) ** 2)


def _assign(cost: np.ndarray) -> float:
    """Root of the least mean cost over all assignments of rows to columns."""
    return float(np.sqrt(cost[linear_sum_assignment(cost)].mean()))


def detour(x: ArrayLike, y: ArrayLike) -> Verdict:
    """Exercise 4: do the tokens x walk farther to their images y than they have to?

    x and y have shape (n, d), and y must be the image of x under a map: tokens at one
    place have one image.  The root mean square of the walks |x - y| must exceed W2 of
    the two clouds.
    """
    start, complaint = _cloud(x)
    image, complaint = (start, complaint) if complaint else numbers(y, start.shape)
    if complaint:
        return not_yet(complaint)
    same_start = (start[:, None] == start).all(axis=-1)
    same_image = (image[:, None] == image).all(axis=-1)
    if (same_start & ~same_image).any():
        return not_yet("two tokens at one place have different images: that is no map.")
    walk = float(np.sqrt(((start - image) ** 2).sum(axis=1).mean()))
    distance = _assign(((start[:, None] - image) ** 2).sum(axis=-1))
    if walk - distance <= STRICT * walk:
        return not_yet(
            f"the walk is {walk:.6g} and so is W2: equal. This map is optimal."
        )
    return yes(f"the walk is {walk:.6g}, W2 is only {distance:.6g}.")


def _cloud(x: ArrayLike) -> tuple[np.ndarray, str]:
    """Tokens as a float array of shape (n, d), and a complaint."""
    try:
        shape = np.shape(x)
    except ValueError:
        return np.zeros((1, 1)), "expected tokens of shape (n, d), got uneven rows."
    if len(shape) != 2 or 0 in shape:
        return np.zeros((1, 1)), f"expected tokens of shape (n, d), got {shape}."
    return numbers(x, shape)


def w2_circle(function: Callable) -> Verdict:
    """Exercise 5: is ``function(theta, phi)`` the geodesic W2 on the circle?

    theta and phi are angles of n equal atoms each, unsorted and not reduced to
    [0, 2π); twenty pairs are compared with an exact assignment, to 1e-10.
    """
    return compare(
        function,
        _round_the_circle,
        _circles(),
        rtol=1e-10,
        tried="twenty pairs of clouds",
    )


def _circles() -> list[Case]:
    rng = np.random.default_rng(13)
    cases = []
    for k in range(20):
        n = 1 + k // 2
        theta, phi = rng.uniform(-np.pi, 3 * np.pi, (2, n))
        cases.append(Case(f"pair {k + 1}, with n = {n}", (theta, phi)))
    return cases


def _round_the_circle(theta: np.ndarray, phi: np.ndarray) -> float:
    gap = theta[:, None] - phi
    return _assign((np.mod(gap + np.pi, 2 * np.pi) - np.pi) ** 2)
