"""Checks of the page *Two tokens, then many*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import attention
from tfdynlib.check._verdict import Case, Verdict, call, compare, not_yet, numbers, yes
from tfdynlib.weights import Heads

# Error of a central difference with a step near 1e-5, with room for coarser ones.
SPECTRUM = 1e-4


def gap_rhs(function: Callable) -> Verdict:
    """Exercise 4: is ``function(phi, beta, sigma)`` the rate of change of the gap?

    phi in (0, π), beta in (0, 8), sigma = ±1; fifty random arguments are compared with
    ``attention.velocity`` of two tokens.
    """
    # The velocity is made of differences of numbers of order one, so it has an
    # absolute error of rounding; 1e-14 leaves room for a few of them.
    return compare(
        function, _gap_rate, _gaps(), rtol=1e-10, atol=1e-14, tried="fifty arguments"
    )


def _gaps() -> list[Case]:
    rng = np.random.default_rng(14)
    cases = []
    for k in range(50):
        phi, beta = rng.uniform(0.05, np.pi - 0.05), rng.uniform(0.1, 8.0)
        sigma = 1 - 2 * (k % 2)
        name = f"phi = {phi:.3f}, beta = {beta:.3f}, sigma = {sigma:+d}"
        cases.append(Case(name, (float(phi), float(beta), sigma)))
    return cases


def _gap_rate(phi: float, beta: float, sigma: int) -> float:
    x = np.array([[1.0, 0.0], [np.cos(phi), np.sin(phi)]])
    v = attention.velocity(x, Heads(np.eye(2), sigma * np.eye(2), beta))
    forward = np.column_stack([-x[:, 1], x[:, 0]])
    first, second = (forward * v).sum(axis=1)
    return float(second - first)


def jacobian(function: Callable) -> Verdict:
    """Exercise 5: is ``function(theta, beta)`` the Jacobian of the angular speeds?

    Its eigenvalues are read where all tokens coincide, for three numbers of tokens:
    0 once and -1 for all the rest, within 1e-4, whatever beta is.  And at a square,
    where they do depend on beta.
    """
    worst = 0.0
    for case in [*_points(), _square()]:
        theta, beta = case.arguments
        expected = _spectrum(theta, beta)
        value, complaint = call(function, case)
        if not complaint:
            matrix, complaint = numbers(value, (len(theta), len(theta)))
            complaint = complaint and f"on {case.name} {complaint}"
        if complaint:
            return not_yet(complaint)
        found = np.sort(np.linalg.eigvals(matrix).real)
        gap = float(abs(found - expected).max())
        if gap > SPECTRUM:
            return not_yet(
                f"on {case.name} the eigenvalues should be "
                f"{np.array2string(expected, precision=4)}; "
                f"yours are {np.array2string(found, precision=4)}."
            )
        worst = max(worst, gap)
    sizes = ", ".join(str(len(case.arguments[0])) for case in _points())
    return yes(
        f"tried with {sizes} tokens at one point, eigenvalues -1 and 0, and with a "
        f"square; the largest error is {worst:.1e}."
    )


def _spectrum(theta: np.ndarray, beta: float) -> np.ndarray:
    """Eigenvalues, in order, of tokens at one point or of a regular square."""
    if np.ptp(theta) == 0:
        return np.array([-1.0] * (len(theta) - 1) + [0.0])
    z = np.exp(beta) + 2 + np.exp(-beta)
    double, single = 2 * (beta + np.exp(-beta)) / z, 4 * beta / z
    return np.sort([0.0, double, double, single])


def _square() -> Case:
    return Case("a square, beta = 2", (0.4 + np.pi / 2 * np.arange(4), 2.0))


def _points() -> list[Case]:
    return [
        Case(f"{n} tokens at one point, beta = {beta:g}", (np.full(n, place), beta))
        for n, beta, place in ((2, 1.0, 0.3), (5, 4.0, 2.0), (8, 9.0, -1.0))
    ]
