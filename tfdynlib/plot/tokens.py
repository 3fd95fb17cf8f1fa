"""Tokens where they are, what they see, and where they went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Real

from tfdynlib import _check
from tfdynlib import attention as attention_
from tfdynlib._check import Number
from tfdynlib.geometry import Geodesic
from tfdynlib.plot import _courses, _drawing, _globe
from tfdynlib.plot._still import LIGHT
from tfdynlib.weights import Heads

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@_drawing.styled
def circle(
    x: Real[np.ndarray, "n 2"],
    trails: Real[np.ndarray, "m n 2"] | None = None,
    velocity: Real[np.ndarray, "n 2"] | None = None,
    names: Sequence[str] = (),
    ax: "Axes | None" = None,
) -> "Axes":
    """Tokens on the circle.

    ``trails`` are their last positions, oldest first; ``velocity`` gives each token an
    arrow, the longest a third of the radius; ``names`` stand outside, at the tokens.
    """
    x = _check.shaped(_check.unit_rows(x), "x", (None, 2))
    ax = _drawing.new(ax, (360, 360), (12, 12, 12, 12))
    _drawing.stage(ax, 1.22)
    _drawing.rim(ax)
    if trails is not None:
        _drawing.trails(ax, [trails[:, i] for i in range(len(x))], width=6)
    if velocity is not None:
        speed = np.linalg.norm(velocity, axis=1)
        for i in np.flatnonzero(speed > 0.1 * speed.max()):
            _drawing.arrow(ax, x[i], velocity[i] / (3 * speed.max()))
    _drawing.dots(ax, x)
    for name, place in zip(names, 1.14 * x):
        _drawing.beside(ax, name, place)
    return ax


@_drawing.styled
def sphere(
    x: Real[np.ndarray, "n 3"],
    trails: Real[np.ndarray, "m n 3"] | None = None,
    view: tuple[Number, Number] = (30.0, 20.0),
    ax: "Axes | None" = None,
) -> "Axes":
    """Tokens on the sphere, seen from far away as through glass.

    ``view`` is the longitude and the height of the eye, in degrees; ``trails`` are the
    last positions, oldest first.  Dots on the far side are pale and small.
    """
    x = _check.shaped(_check.unit_rows(x), "x", (None, 3))
    ax = _drawing.new(ax, (420, 420), (8, 8, 8, 8))
    _drawing.stage(ax, 1.16)
    _globe.draw(ax, x, trails, view)
    return ax


@_drawing.styled
def rays(
    x: Real[np.ndarray, "n 2"],
    heads: Heads,
    i: int,
    head: int = 0,
    ax: "Axes | None" = None,
) -> "Axes":
    """What token i sees: a ray to every token, as wide as its weight in one head.

    The hollow dot is the mean it attends to; the arrow, if there is any motion, its
    velocity under all heads.  Weights of one per cent and more are written outside.
    """
    x = _check.shaped(_check.unit_rows(x), "x", (None, 2))
    stack = _check.fixed_heads(heads, "heads")
    i, head = _check.index(i, len(x), "i"), _check.index(head, stack.H, "head")
    ax = _drawing.new(ax, (380, 380), (12, 12, 12, 12))
    _drawing.stage(ax, 1.32)
    _drawing.rim(ax)
    a = attention_.attend(x, heads)[head][i]
    for weight, y in zip(a, x):
        look = {"linewidth": 1 + 12 * weight, "alpha": 0.4, "solid_capstyle": "butt"}
        ax.plot(*np.stack([x[i], y]).T, color=LIGHT["state"], zorder=2, **look)
    v = attention_.velocity(x, heads)[i]
    if np.linalg.norm(v) > 1e-12:  # less is rounding
        _drawing.arrow(ax, x[i], 0.8 * v)
    _drawing.dots(ax, x)
    mean = (a @ x)[None]
    _drawing.ring(ax, mean, 4)
    side, shift = ("right", -10) if mean[0, 0] > 0 else ("left", 10)
    _drawing.beside(ax, "mean", mean[0], (shift, 0), ha=side)
    _drawing.ring(ax, x[i : i + 1], 8, facecolors="none", linewidths=1.25)
    _percentages(ax, a, x)
    return ax


def _percentages(
    ax: "Axes", a: Float[np.ndarray, " n"], x: Float[np.ndarray, "n 2"]
) -> None:
    """Weights of 1 % and more outside the circle; the larger goes where two collide."""
    placed: list[Float[np.ndarray, " 2"]] = []
    for weight, place in sorted(zip(a, 1.2 * x), key=lambda pair: -pair[0]):
        free = all(np.linalg.norm(place - other) > 0.19 for other in placed)
        if weight >= 0.01 and free:
            _drawing.beside(ax, f"{100 * weight:.0f} %", place)
            placed.append(place)


@_drawing.styled
def geodesic(
    geodesic: Geodesic,
    view: tuple[Number, Number] = (30.0, 20.0),
    ax: "Axes | None" = None,
) -> "Axes":
    """A path of least action (``geometry.weighted_distance``).

    On the circle the angle of every piece of mass over time, its line as wide as its
    mass; dots where it starts, rings where it ends.  On the sphere trails up to the
    end, seen from ``view``.  The length stands below.
    """
    wanted = "a Geodesic (see geometry.weighted_distance)"
    _check.instance(geodesic, Geodesic, "geodesic", wanted)
    if geodesic.path.shape[2] > 3:
        raise _check.refuse("geodesic", "on the circle or on S^2", geodesic)
    return _courses.draw(geodesic, view, ax)
