"""Checks of the page *Layers as time*."""

from __future__ import annotations

import numpy as np

from tfdynlib import attention, fits, flow, sphere
from tfdynlib._check import UNIT_TOLERANCE
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, numbers, yes
from tfdynlib.weights import Heads

HORIZON = 1.0
LAYERS = (8, 16, 32, 64)


def layer(function: object) -> Verdict:
    """Exercise 4: does ``function(x, heads, h)`` tend to the flow at order one?

    The function is applied L times with h = T/L for L = 8, 16, 32, 64 and
    compared with the flow at T = 1.  Tokens must stay on the sphere and the
    slope of the error in log-log must be 1 ± 0.1.
    """
    x0, heads = _tokens(), _heads()
    exact = flow.solve(attention.field(heads), x0, np.array([0.0, HORIZON])).x[-1]
    errors = []
    for count in LAYERS:
        x, complaint = _through(function, x0, heads, count)
        if complaint:
            return not_yet(complaint)
        errors.append(np.linalg.norm(x - exact, axis=1).max())
    return _judge(np.array(errors))


def _tokens() -> np.ndarray:
    return sphere.uniform(6, 3, np.random.default_rng(11))


def _heads() -> Heads:
    B = np.array([[1.0, 0.5, 0.0], [-0.3, 0.8, 0.0], [0.0, 0.2, 1.0]])
    return Heads(B, np.diag([1.0, 0.5, -0.5]), beta=2.0)


def _through(
    function: object, x: np.ndarray, heads: Heads, count: int
) -> tuple[np.ndarray, str]:
    """Tokens after ``count`` layers, and a complaint if one of them went wrong."""
    step = HORIZON / count
    for _ in range(count):
        value, complaint = call(function, Case(f"h = 1/{count}", (x, heads, step)))
        if complaint:
            return x, complaint
        x, complaint = numbers(value, x.shape)
        if complaint:
            return x, complaint
        length = np.linalg.norm(x, axis=1)
        off = np.abs(length - 1).max()
        if off > UNIT_TOLERANCE:
            return x, f"a token left the sphere, its norm is off by {off:.2g}."
    return x, ""


def _judge(errors: np.ndarray) -> Verdict:
    """First order means: twice the layers, half the error."""
    counts = ", ".join(str(count) for count in LAYERS)
    if errors[-1] < 1e-8:
        return not_yet(
            f"the error at L = {LAYERS[-1]} is already rounding: not a layer."
        )
    order = -fits.power(np.array(LAYERS), errors).slope
    if abs(order - 1) > 0.1:
        return not_yet(
            f"tried L = {counts}; the error should fall like 1/L, "
            f"its measured order is {order:.2f} and its last value {errors[-1]:.2g}."
        )
    return yes(
        f"tried L = {counts}; measured order {order:.2f}, "
        f"error {errors[-1]:.4f} at L = {LAYERS[-1]}."
    )
