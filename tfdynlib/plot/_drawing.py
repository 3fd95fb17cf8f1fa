"""What the drawings of ``plot`` are made of: stages, charts, dots, trails, labels."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from jaxtyping import Float

from tfdynlib._check import Number
from tfdynlib.plot._still import LIGHT, RC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

F = TypeVar("F", bound=Callable[..., Any])
HALO = 1.2  # px of ground colour round a dot
DASH = (3.6, 2.9)  # in line widths, near 6 px and 5 px


def styled(draw: F) -> F:
    """Draw in the book's style without touching Matplotlib's global settings."""

    @wraps(draw)
    def in_style(*args: Any, **kwargs: Any) -> "Axes":
        import matplotlib

        with matplotlib.rc_context(RC):
            return draw(*args, **kwargs)

    return in_style  # type: ignore[return-value]


def new(
    ax: "Axes | None",
    size: tuple[Any, Any],
    room: tuple[Any, Any, Any, Any],
) -> "Axes":
    """``ax``, or axes in a new figure of this size, both in px, with ``room`` for names
    and labels at the left, bottom, right and top."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    width, height = map(float, size)
    left, bottom, right, top = map(float, room)
    box = (
        left / width,
        bottom / height,
        1 - (left + right) / width,
        1 - (bottom + top) / height,
    )
    return Figure(figsize=(width / 72, height / 72), dpi=72).add_axes(box)


def note(
    ax: "Axes",
    text: str,
    at: tuple[Number, Number],
    shift: tuple[Number, Number],
    **style: Any,
) -> None:
    """Text at a fraction ``at`` of the axes, moved by ``shift`` px."""
    look: dict[str, Any] = {"color": LIGHT["mut"]} | style
    ax.annotate(text, at, shift, "axes fraction", "offset points", **look)


def beside(
    ax: "Axes",
    text: str,
    place: Any,
    shift: tuple[Number, Number] = (0, 0),
    **style: Any,
) -> None:
    """Text centred at a place in the coordinates of the data, moved by ``shift`` px."""
    look: dict[str, Any] = {"ha": "center", "va": "center"} | style
    place, where = (float(place[0]), float(place[1])), "offset points"
    ax.annotate(text, place, shift, textcoords=where, annotation_clip=False, **look)


def chart(ax: "Axes", x_name: str, y_name: str) -> None:
    """One hairline axis, a pale grid, the y-name above at the left, no box."""
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set(linewidth=1, color=LIGHT["ctl"])
    ax.tick_params(axis="y", which="both", length=0, pad=8)
    ax.tick_params(axis="x", length=4, width=1, pad=5)
    ax.grid(axis="y", color=LIGHT["line2"], linewidth=1)
    ax.set_axisbelow(True)
    note(ax, y_name, (0, 1), (-30, 14))
    note(ax, x_name, (1, 0), (0, -36), ha="right")


def scales(ax: "Axes", x_scale: str, y_scale: str) -> None:
    """Linear or log axes; a log axis has plain numbers and no minor ticks."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    ax.set(xscale=x_scale, yscale=y_scale)
    for axis, scale in ((ax.xaxis, x_scale), (ax.yaxis, y_scale)):
        if scale == "log":
            axis.set_major_formatter(FuncFormatter(lambda value, _: power(value)))
            axis.set_minor_locator(NullLocator())


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(value: float) -> str:
    """A power of ten in the fewest signs: 0.01, 1, 100, and 10⁵ beyond 10 000."""
    exponent = round(np.log10(value))
    if -3 <= exponent <= 4:
        return f"{value:g}"
    return "10" + str(exponent).translate(SUPERSCRIPTS)


def stage(ax: "Axes", reach: Number) -> None:
    """A square stage without axes."""
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.axis("off")


def rim(ax: "Axes", **style: Any) -> None:
    """The unit circle."""
    from matplotlib.patches import Circle

    look = {"facecolor": "none", "edgecolor": LIGHT["rim"], "linewidth": 1.25} | style
    ax.add_patch(Circle((0, 0), 1, **look))


def dots(
    ax: "Axes", x: Float[np.ndarray, "n 2"], radius: Any = 4.4, **style: Any
) -> None:
    """Dots with a halo in the colour of the ground, radius in px."""
    if len(x) == 0:
        return
    area = (2 * np.asarray(radius) + HALO) ** 2
    look: dict[str, Any] = {"facecolors": LIGHT["state"], "edgecolors": LIGHT["bg"]}
    look |= {"linewidths": HALO, "zorder": 4} | style
    ax.scatter(x[:, 0], x[:, 1], area, clip_on=False, **look)


def ring(ax: "Axes", x: Float[np.ndarray, "n 2"], radius: Number, **style: Any) -> None:
    """Hollow dots: a ring of ink round the colour of the ground."""
    look: dict[str, Any] = {"facecolors": LIGHT["bg"], "edgecolors": LIGHT["ink"]}
    look |= {"linewidths": 1.5}
    dots(ax, x, radius, **(look | style))


def trails(
    ax: "Axes", paths: list[Float[np.ndarray, "_ 2"]], width: Number = 2.4
) -> None:
    """Paths that fade into the past, thinner and from 55 % to 9 % opacity."""
    ages = 6
    for age in range(ages):
        pieces = []
        for path in paths:
            edge = np.linspace(0, len(path) - 1, ages + 1).astype(int)
            pieces.append(path[edge[age] : edge[age + 1] + 1])
        fresh = age / (ages - 1)
        strokes(
            ax,
            pieces,
            edgecolor=LIGHT["state"],
            linewidth=width * (0.42 + 0.58 * fresh),
            alpha=0.09 + 0.46 * fresh,
            zorder=3,
        )


def strokes(ax: "Axes", pieces: list[Float[np.ndarray, "_ 2"]], **style: Any) -> None:
    """Many open lines as one path, which keeps the picture small."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    pieces = [piece for piece in pieces if len(piece) > 1]
    if not pieces:
        return
    codes = np.full(sum(map(len, pieces)), Path.LINETO)
    codes[np.cumsum([0, *map(len, pieces[:-1])])] = Path.MOVETO
    path = Path(np.concatenate(pieces), codes)
    look = {"facecolor": "none", "capstyle": "butt", "clip_on": False} | style
    ax.add_patch(PathPatch(path, **look))


def arrow(
    ax: "Axes", start: Float[np.ndarray, " 2"], step: Float[np.ndarray, " 2"]
) -> None:
    """A grey arrow, for a velocity."""
    look = {
        "arrowstyle": "-|>,head_width=0.22,head_length=0.42",
        "color": LIGHT["ctl"],
        "linewidth": 1.5,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    head, tail = tuple(start + step), tuple(start)
    ax.annotate("", head, tail, arrowprops=look, annotation_clip=False)


def route(
    start: Float[np.ndarray, " 2"], end: Float[np.ndarray, " 2"], ground: str
) -> Float[np.ndarray, "k 2"]:
    """A straight line, or an arc of the circle that bulges so that arcs lie apart."""
    if ground != "geodesic":
        return np.stack([start, end])
    a, b = (np.arctan2(p[1], p[0]) for p in (start, end))
    turn = (b - a + np.pi) % (2 * np.pi) - np.pi
    s = np.linspace(0, 1, 33)
    r = 1 + (0.03 + 0.05 * abs(turn)) * np.sin(np.pi * s)
    return np.stack([r * np.cos(a + turn * s), r * np.sin(a + turn * s)], axis=1)


def squares(ax: "Axes", a: Float[np.ndarray, "k n"]) -> None:
    """One square in each cell, its area the weight; all in one path."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    cells = np.argwhere(a > 1e-3)
    if len(cells) == 0:
        return
    half = 0.47 * np.sqrt(a[a > 1e-3])
    corner = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
    corners = cells[:, None, ::-1] + half[:, None, None] * corner
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    path = Path(corners.reshape(-1, 2), codes * len(cells))
    ax.add_patch(PathPatch(path, facecolor=LIGHT["state"], linewidth=0))


def end_labels(ax: "Axes", ends: list[tuple[str, float, str]]) -> None:
    """Names at the right ends of curves, moved apart so that none lies on another.

    Each end is a name, the last value of the curve, and a colour.
    """
    ax.autoscale_view()
    height = ax.bbox.height
    to_px = ax.transScale + ax.transLimits
    places = sorted((to_px.transform((1, y))[1] * height, n, c) for n, y, c in ends)
    apart = spread([place[0] for place in places], gap=17.0)
    for level, (_, name, colour) in zip(apart, places):
        note(ax, name, (1, level / height), (8, 0), color=colour, va="center")


def spread(levels: list[float], gap: float) -> list[float]:
    """Increasing levels moved as little as needed to be ``gap`` apart.

    Levels that would touch form a pool, which is spread evenly about its mean.
    """

    def low(pool: list[float]) -> float:
        return sum(pool) / len(pool) - gap * (len(pool) - 1) / 2

    pools: list[list[float]] = []
    for level in levels:
        pools.append([level])
        while len(pools) > 1 and low(pools[-1]) < low(pools[-2]) + gap * len(pools[-2]):
            last = pools.pop()
            pools[-1] += last
    return [low(pool) + k * gap for pool in pools for k in range(len(pool))]
