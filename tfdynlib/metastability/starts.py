"""Starts that are densities, not samples: nodes with masses; and circles."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, _circle, sphere
from tfdynlib._check import Number
from tfdynlib._measure import Measure

Points = Float[np.ndarray, "n d"]
Values = Float[np.ndarray, " n"]


def weighted(nodes: Measure, density: Callable[[Points], Values]) -> Measure:
    """The measure with this density against ``nodes``, in any unit; its masses are
    divided by their sum.  ``sphere.quadrature`` makes nodes of the uniform law."""
    _check.instance(nodes, Measure, "nodes", "a Measure (see sphere.quadrature)")
    _check.function(density, "density", "a function of points (n, d)")
    value = _check.shaped(density(nodes.x.copy()), "density(x)", (len(nodes.x),))
    total = float(nodes.mass @ value)
    if value.min() < 0 or not total > 0:
        raise _check.refuse(
            "density(x)", "zero or positive, and somewhere positive", value
        )
    return Measure(nodes.x, nodes.mass * value / total)


def tilted(d: int, n: int, tilt: Number, axis: ArrayLike | None = None) -> Measure:
    r"""Density :math:`1 + c\langle x, a\rangle` (c = ``tilt``, below 1 in size) on the
    nodes of ``sphere.quadrature(d, n)``; the axis a is the last one if not given."""
    c = _check.number(tilt, "tilt")
    if not abs(c) < 1:
        raise _check.refuse("tilt", "between -1 and 1, so that it is a density", tilt)
    a = _axis(d, axis)
    return weighted(sphere.quadrature(d, n), lambda x: 1 + c * (x @ a))


def kinked(d: int, n: int, tilt: Number, axis: ArrayLike | None = None) -> Measure:
    r"""Density :math:`1 + c\max(\langle x, a\rangle, 0)`: Lipschitz, and not smooth
    where x is orthogonal to a.  ``tilt`` is c > -1."""
    c = _check.number(tilt, "tilt")
    if not -1 < c < np.inf:
        raise _check.refuse("tilt", "above -1, so that it is a density", tilt)
    a = _axis(d, axis)
    return weighted(sphere.quadrature(d, n), lambda x: 1 + c * np.maximum(x @ a, 0))


def trapped(start: Measure, share: Number, axis: ArrayLike) -> Measure:
    """``start`` with a share of its mass moved onto the equator of an axis.

    If the axis spans the dominant space E, this breaks the second assumption on
    purpose: that mass never leaves, and W2 to the limit stays above sqrt(2 share).
    Every node goes to the nearest point of the equator.
    """
    _check.instance(start, Measure, "start", "a Measure (see measure.Measure)")
    share = _check.positive(share, "share")
    if share >= 1:
        raise _check.refuse("share", "below 1", share)
    a = _axis(start.x.shape[1], axis)
    flat = start.x - np.outer(start.x @ a, a)
    size = np.linalg.norm(flat, axis=1)
    seen = size > 1e-8
    ring = flat[seen] / size[seen, None]
    ring = sphere.retract(ring - np.outer(ring @ a, a))
    mass = start.mass[seen] / start.mass[seen].sum()
    x = np.concatenate([start.x, ring])
    return Measure(x, np.concatenate([(1 - share) * start.mass, share * mass]))


def circle(n: int, skew: Number = 0.0, turn: Number = 0.0) -> Points:
    r"""n tokens at the angles :math:`\varphi + e\sin(\varphi - 1) + a`, with
    :math:`\varphi = 2\pi(k + \frac12)/n`, e = ``skew`` and a = ``turn``: a density that
    no symmetry of the axes keeps, for :math:`|e| < 1`."""
    n, e = _check.count(n, "n"), _check.number(skew, "skew")
    if not abs(e) < 1:
        raise _check.refuse("skew", "between -1 and 1, so that tokens keep order", skew)
    angle = 2 * np.pi * (np.arange(n) + 0.5) / n
    angle = angle + e * np.sin(angle - 1) + _check.time(turn, "turn")
    return _circle.points(angle)


def _axis(d: int, axis: ArrayLike | None) -> Float[np.ndarray, " d"]:
    if axis is None:
        return np.eye(_check.count(d, "d"))[-1]
    a = _check.shaped(axis, "axis", (d,))
    largest = np.abs(a).max(initial=0.0)
    if largest == 0:
        raise _check.refuse("axis", "different from zero", "a zero vector")
    a = a / largest
    return np.asarray(a / np.linalg.norm(a))
