r"""Velocity on the circle and its derivative along the circle.

With x = (cos θ, sin θ), x' its derivative, and for each head

    s = int K dmu,   M = int y K dmu,   S = int y y^T K dmu,   K = e^{beta <B x, y>}

the derivatives along the circle are s' = beta <B x', M> and M' = beta S B x'.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib._circle import points
from tfdynlib.weights import Heads, gradient_sign

Angles = Float[np.ndarray, " k"]
Plane = Float[np.ndarray, "k 2"]
# Scores held at a time: 2^17 doubles are 1 MB, which stays in the cache.
BLOCK = 2**17


@dataclass(frozen=True)
class Sums:
    """s, M and their derivatives along the circle, all divided by e^{shift}."""

    shift: Angles
    s: Angles
    slope: Angles
    first: Plane
    turned: Plane


def rates(
    at: Angles,
    angle: Float[np.ndarray, " n"],
    mass: Float[np.ndarray, " n"],
    heads: Heads,
    rule: str,
) -> tuple[Angles, Angles]:
    """Velocity and its derivative at the angles ``at``, from masses at ``angle``."""
    x, ahead = points(at), points(at + np.pi / 2)
    sums = [_sums(x, ahead, B, heads.beta, angle, mass) for B in heads.B]
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks at the values
        return RULES[rule](x, ahead, heads, sums)


def _sums(
    x: Plane,
    ahead: Plane,
    B: Float[np.ndarray, "2 2"],
    beta: float,
    angle: Float[np.ndarray, " n"],
    mass: Float[np.ndarray, " n"],
) -> Sums:
    """The sums of one head, a block of points at a time."""
    y, double = points(angle), points(2 * angle)
    carried = mass[:, None] * np.column_stack([np.ones(len(y)), y, double])
    p, turn = beta * x @ B.T, beta * ahead @ B.T
    shift, total = np.empty(len(x)), np.empty((len(x), 5))
    rows = max(1, BLOCK // len(y))
    for start in range(0, len(x), rows):
        part = slice(start, start + rows)
        score = p[part] @ y.T
        shift[part] = score.max(axis=1)
        score -= shift[part, None]
        np.matmul(np.exp(score, out=score), carried, out=total[part])
    s, first, c, d = total[:, 0], total[:, 1:3], total[:, 3], total[:, 4]
    # y y^T is half of the identity plus the reflection with angle 2 θ.
    reflected = np.stack(
        [c * turn[:, 0] + d * turn[:, 1], d * turn[:, 0] - c * turn[:, 1]], axis=1
    )
    turned = (s[:, None] * turn + reflected) / 2
    return Sums(shift, s, np.sum(turn * first, axis=1), first, turned)


def _push(
    x: Plane, ahead: Plane, V: Float[np.ndarray, "2 2"], sums: Sums
) -> tuple[Angles, Angles]:
    """<x', V M> and its derivative, divided by e^{shift}."""
    pulled = sums.first @ V.T
    slope = np.sum(ahead * (sums.turned @ V.T), axis=1) - np.sum(x * pulled, axis=1)
    return np.sum(ahead * pulled, axis=1), slope


def _softmax(
    x: Plane, ahead: Plane, heads: Heads, sums: list[Sums]
) -> tuple[Angles, Angles]:
    v, slope = np.zeros(len(x)), np.zeros(len(x))
    for share, V, part in zip(heads.mass, heads.V, sums):
        push, turn = _push(x, ahead, V, part)
        v += share * push / part.s
        slope += share * (turn - push * part.slope / part.s) / part.s
    return v, slope


def _unnormalised(
    x: Plane, ahead: Plane, heads: Heads, sums: list[Sums]
) -> tuple[Angles, Angles]:
    v, slope = np.zeros(len(x)), np.zeros(len(x))
    for share, V, part in zip(heads.mass, heads.V, sums):
        push, turn = _push(x, ahead, V, part)
        size = share * np.exp(part.shift)
        v += size * push
        slope += size * turn
    return v, slope


def _gradient(
    x: Plane, ahead: Plane, heads: Heads, sums: list[Sums]
) -> tuple[Angles, Angles]:
    """The inverse of the effective weight times the mean push of the heads."""
    inverse, fall = np.zeros(len(x)), np.zeros(len(x))
    total, turning = np.zeros(len(x)), np.zeros(len(x))
    top = np.max([part.shift for part in sums], axis=0)
    for share, B, part in zip(heads.mass, heads.B, sums):
        push, turn = _push(x, ahead, B, part)
        size = np.exp(part.shift - top)
        total += share * size * push
        turning += share * size * turn
        inverse += share / (size * part.s)
        fall -= share * part.slope / (size * part.s**2)
    sign = gradient_sign(heads)
    return sign * inverse * total, sign * (fall * total + inverse * turning)


RULES: dict[str, Callable[..., tuple[Angles, Angles]]] = {
    "softmax": _softmax,
    "gradient": _gradient,
    "unnormalised": _unnormalised,
}
