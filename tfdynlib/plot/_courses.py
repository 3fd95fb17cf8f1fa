"""The paths of a geodesic over time."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from tfdynlib._check import Number
from tfdynlib.geometry import Geodesic
from tfdynlib.plot import _drawing, _globe
from tfdynlib.plot._still import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(geodesic: Geodesic, view: tuple[Number, Number], ax: "Axes | None") -> "Axes":
    """Angles over time on the circle, trails on the sphere; the length below."""
    if geodesic.path.shape[2] == 2:
        ax = _drawing.new(ax, (560, 360), (52, 62, 24, 40))
        _over_time(ax, geodesic)
        below = (0.0, 0.0), (-30, -52)
    else:
        ax = _drawing.new(ax, (420, 440), (8, 32, 8, 8))
        _drawing.stage(ax, 1.16)
        _globe.draw(ax, geodesic.path[-1], geodesic.path, view)
        below = (0.0, 0.0), (12, -16)
    name = "length" if geodesic.kind == "distance" else "root of the action"
    said = f"{name} {geodesic.distance:.4f}"
    _drawing.note(ax, said, *below, color=LIGHT["ink"])
    return ax


def _over_time(ax: "Axes", geodesic: Geodesic) -> None:
    """One line for each piece of mass, dots where it starts and rings where it ends."""
    _drawing.chart(ax, "time $t$", "angle")
    angle = lifted(geodesic.path)
    ends = np.array([geodesic.t[0], geodesic.t[-1]])
    for course, mass in zip(angle.T, geodesic.mass):
        width = 0.8 + 1.8 * mass / geodesic.mass.max()
        ax.plot(geodesic.t, course, color=LIGHT["state"], linewidth=width, zorder=3)
    start, stop = (
        np.unique(np.stack([np.full(angle.shape[1], s), a], axis=1).round(9), axis=0)
        for s, a in zip(ends, (angle[0], angle[-1]))
    )
    _drawing.dots(ax, start)
    _drawing.ring(ax, stop, 4.4)
    ax.set_xlim(*ends)
    ticks = _quarters(angle.min(), angle.max())
    ax.set_yticks(np.pi / 2 * ticks, [_in_pi(int(k)) for k in ticks])


def lifted(path: Float[np.ndarray, "m n 2"]) -> Float[np.ndarray, "m n"]:
    """Angles along paths of the circle, without jumps; they start in (-π, π]."""
    return np.unwrap(np.arctan2(path[..., 1], path[..., 0]), axis=0)


def _quarters(low: Number, high: Number) -> Float[np.ndarray, " k"]:
    """The multiples of π/2 around a range, at most about eight of them."""
    first, last = np.floor(2 * low / np.pi), np.ceil(2 * high / np.pi)
    step = max(1, int(np.ceil((last - first) / 8)))
    return np.arange(first, last + 1, step)


def _in_pi(k: int) -> str:
    """k π/2 in the fewest signs."""
    if k % 2 == 0:
        return {0: "0", 1: "π", -1: "−π"}.get(k // 2, f"{k // 2}π".replace("-", "−"))
    return {1: "π/2", -1: "−π/2"}.get(k, f"{k}π/2".replace("-", "−"))
