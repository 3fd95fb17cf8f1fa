"""Checks of the page *Do the books close?*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import attention, energy, flow, sphere, weights
from tfdynlib.check._verdict import Case, Verdict, compare
from tfdynlib.flow import Trajectory
from tfdynlib.weights import WeightPath


def residual(function: Callable) -> Verdict:
    """Exercise 4: does ``function(trajectory, path, rule)`` close the account?

    The residual at the end, with sums over left ends, for weights without noise.
    """
    return compare(function, _residual, _runs(), rtol=0.0, atol=1e-10)


def _residual(trajectory: Trajectory, path: WeightPath, rule: str) -> float:
    return float(energy.balance(trajectory, path, rule).left_point[-1])


def _runs() -> list[Case]:
    """Frozen and oscillating heads under either rule, in steps that are not equal."""
    cases = []
    t = np.array([0.0, 0.1, 0.15, 0.3, 0.4])
    for d, rule, moving in (
        (2, "softmax", True),
        (3, "gradient", True),
        (3, "softmax", False),
    ):
        rng = np.random.default_rng(d)
        Z = rng.normal(size=(2, d, d)) / 2
        D = Z + Z.swapaxes(1, 2)
        path = (
            weights.oscillating(2, d, D)
            if moving
            else weights.constant(weights.Heads.descent(D))
        )
        x = sphere.uniform(5, d, rng)
        run = flow.solve(attention.field(path, rule=rule), x, t, "euler")
        name = f"{'oscillating' if moving else 'frozen'} heads under the {rule} rule"
        cases.append(Case(name, (run, path, rule)))
    return cases
