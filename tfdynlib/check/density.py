"""Checks of the page *Tokens as a mist*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import attention, density, flow, metastability
from tfdynlib.check._verdict import Case, Verdict, call, compare, not_yet, numbers, yes
from tfdynlib.weights import Heads

NOISE, ATOMS = 0.01, 200


def growth_rates(function: Callable) -> Verdict:
    """Exercise 5: is ``function(beta, kmax)`` the rates of the modes 1 ... kmax?

    Tried from a mild beta to one at which the Bessel functions are no doubles.
    """
    cases = [
        Case(f"beta = {beta:g}, kmax = {kmax}", (beta, kmax))
        for beta, kmax in ((0.3, 3), (9.0, 12), (1500.0, 60))
    ]
    return compare(function, density.growth_rates, cases, rtol=1e-10)


def five_clusters(function: Callable) -> Verdict:
    """Exercise 6: does ``function(theta)`` displace a regular grid so that 5 clusters
    form at beta = 9?

    Noise of 0.01 rad is added to every angle, three times; clusters are counted at
    t = 15.  The displacement may be 0.1 rad at most.
    """
    grid = 2 * np.pi * np.arange(ATOMS) / ATOMS
    value, complaint = call(function, Case("the regular grid", (grid,)))
    moved, wrong = (None, complaint) if complaint else numbers(value, grid.shape)
    if moved is None or wrong:
        return not_yet(wrong)
    largest = float(np.abs(moved - grid).max())
    if largest > 0.1:
        return not_yet(f"displace by 0.1 rad at most; here it is {largest:.3g}.")
    found = [_count(moved, seed) for seed in (31, 32, 33)]
    for count in found:
        if count != 5:
            return not_yet(f"with noise, {count} clusters are there at t = 15.")
    return yes("5 clusters at t = 15 for three draws of the noise.")


def _count(angle: np.ndarray, seed: int) -> int:
    angle = angle + NOISE * np.random.default_rng(seed).standard_normal(len(angle))
    x0 = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    field = attention.field(Heads(np.eye(2), np.eye(2), 9.0))
    x = flow.solve(field, x0, [0, 15], rtol=1e-5, atol=1e-7).x[-1]
    return int(metastability.clusters(x, 0.1).max()) + 1
