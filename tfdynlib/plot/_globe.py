"""The sphere as glass, from back to front."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.plot import _drawing
from tfdynlib.plot._still import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Turn = Float[np.ndarray, "3 3"]


def draw(
    ax: "Axes",
    x: Float[np.ndarray, "n 3"],
    trails: Float[np.ndarray, "m n 3"] | None,
    view: tuple[Number, Number],
) -> None:
    """Far side, glass, near side."""
    turn = camera(*_check.shaped(np.asarray(view, dtype=object), "view", (2,)))
    seen = x @ turn.T
    far = seen[:, 2] < 0
    _drawing.rim(ax, facecolor=LIGHT["glass1"], edgecolor="none", zorder=0)
    _graticule(ax, turn, side=-1, alpha=0.45, zorder=0.5)
    size = 2.6 + 0.4 * seen[far, 2]
    _drawing.dots(ax, seen[far, :2], size, alpha=0.36, linewidths=0, zorder=0.6)
    _highlight(ax)
    _graticule(ax, turn, side=1, alpha=1, zorder=1.5)
    _drawing.rim(ax, zorder=2)
    _axis_names(ax, turn)
    if trails is not None:
        _drawing.trails(ax, _near_pieces(trails @ turn.T))
    order = np.argsort(seen[:, 2])
    near = seen[order[seen[order, 2] >= 0]]
    _drawing.dots(ax, near[:, :2], 3.2 + 1.6 * near[:, 2])


def camera(longitude: Number, height: Number) -> Turn:
    """Rows: right, up, and towards an eye at this longitude and height, in degrees."""
    a, b = np.deg2rad([float(longitude), float(height)])
    eye = np.array([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return np.stack([right, np.cross(eye, right), eye])


def _graticule(
    ax: "Axes", turn: Turn, side: int, alpha: Number, zorder: Number
) -> None:
    """Meridians and parallels every 30 degrees, on one side of the glass."""
    s = np.linspace(0, 2 * np.pi, 73)
    lines = [
        np.stack([np.cos(s) * np.cos(a), np.cos(s) * np.sin(a), np.sin(s)], axis=1)
        for a in np.deg2rad(np.arange(0, 180, 30))
    ]
    for b in np.deg2rad([-60, -30, 0, 30, 60]):
        level = np.full_like(s, np.sin(b))
        ring = [np.cos(b) * np.cos(s), np.cos(b) * np.sin(s), level]
        lines.append(np.stack(ring, axis=1))
    pieces = [p for line in lines for p in _runs(line @ turn.T, side)]
    look = {"edgecolor": LIGHT["grat"], "linewidth": 0.9, "alpha": alpha}
    _drawing.strokes(ax, pieces, zorder=zorder, **look)


def _runs(line: Float[np.ndarray, "m 3"], side: int) -> list[Float[np.ndarray, "_ 2"]]:
    """The pieces of a closed line on one side, each up to where it passes the rim."""
    visible = side * line[:, 2] >= 0
    edges = np.flatnonzero(np.diff(visible.astype(int)) != 0) + 1
    pieces = []
    for part in np.split(np.arange(len(line)), edges):
        if visible[part[0]]:
            ends = range(max(part[0] - 1, 0), min(part[-1] + 2, len(line)))
            pieces.append(line[ends, :2])
    return [p for p in pieces if len(p) > 1]


def _near_pieces(
    paths: Float[np.ndarray, "m n 3"],
) -> list[Float[np.ndarray, "_ 2"]]:
    """Trails up to now, from where they last came to the near side."""
    pieces = []
    for i in range(paths.shape[1]):
        behind = np.flatnonzero(paths[:, i, 2] < 0)
        start = behind[-1] + 1 if len(behind) else 0
        pieces.append(paths[start:, i, :2])
    return [p for p in pieces if len(p) > 1]


def _highlight(ax: "Axes") -> None:
    """Light on the glass, at the upper left: the SVG fills it with a gradient."""
    from matplotlib.patches import Circle

    place, radius = (-0.3, 0.36), 0.52
    light = Circle(place, radius, facecolor=LIGHT["glass0"], linewidth=0, zorder=1)
    light.set_gid("glass")
    ax.add_patch(light)


def _axis_names(ax: "Axes", turn: Turn) -> None:
    """A tick and a name at each axis that comes out on the near side."""
    for k in range(3):
        foot, depth = turn[:2, k], turn[2, k]
        length = np.hypot(*foot)
        if depth < -0.05 or length < 0.2:
            continue
        out = foot / length
        tick = np.stack([foot, foot + 0.05 * out])
        ax.plot(*tick.T, color=LIGHT["mut"], linewidth=1.2, clip_on=False)
        name = f"$e_{k + 1}$"
        _drawing.beside(ax, name, foot + 0.11 * out, color=LIGHT["mut"])
