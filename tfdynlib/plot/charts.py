"""Quantities against time and other numbers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Real

from tfdynlib import _check
from tfdynlib.plot import _drawing
from tfdynlib.plot._still import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIME = "layer-time $t$"


@_drawing.styled
def energy(
    t: Real[np.ndarray, " m"],
    energy: Real[np.ndarray, " m"],
    levels: Mapping[str, float] | None = None,
    y_name: str = "energy $E$",
    ax: "Axes | None" = None,
) -> "Axes":
    """Energy against layer-time; ``levels``, values theory knows, are named dashes."""
    ax = _drawing.new(ax, (560, 320), (52, 46, 20, 40))
    _drawing.chart(ax, TIME, y_name)
    ax.plot(t, energy, color=LIGHT["state"], linewidth=2.4, zorder=3)
    ax.set_xlim(t[0], t[-1])
    green = LIGHT["theory"]
    for name, level in (levels or {}).items():
        ax.axhline(level, color=green, linewidth=1.7, dashes=_drawing.DASH)
        look = {"color": green, "ha": "left", "va": "baseline"}
        _drawing.beside(ax, name, (t[0], level), (8, 5), **look)
    return ax


@_drawing.styled
def curves(
    t: Real[np.ndarray, " m"],
    series: Mapping[str, Real[np.ndarray, " m"]],
    theory: Mapping[str, Real[np.ndarray, " m"]] | None = None,
    x_name: str = TIME,
    y_name: str = "",
    x_scale: str = "linear",
    y_scale: str = "linear",
    marks: Mapping[str, float] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Curves over t, each with its name at its right end, wherever that is.

    ``series`` are measured: blue, the first one widest.  ``theory`` are predicted:
    green and dashed.  Values that are not finite leave a gap.  ``marks`` are places on
    the axis that theory knows: upright dashes, named at their upper end.
    """
    ax = _drawing.new(ax, (560, 340), (52, 46, 118, 40))
    _drawing.chart(ax, x_name, y_name)
    _drawing.scales(ax, x_scale, y_scale)
    ax.set_xlim(t[0], t[-1])
    named = []
    widths = np.linspace(2.6, 1.3, max(2, len(series)))
    for width, (name, y) in zip(widths, series.items()):
        ax.plot(t, y, color=LIGHT["state"], linewidth=width, zorder=3)
        named.append((name, y, LIGHT["state"]))
    for name, y in (theory or {}).items():
        ax.plot(t, y, color=LIGHT["theory"], linewidth=1.7, dashes=_drawing.DASH)
        named.append((name, y, LIGHT["theory"]))
    for name, place in (marks or {}).items():
        ax.axvline(place, color=LIGHT["theory"], linewidth=1.7, dashes=_drawing.DASH)
        ax.annotate(
            name,
            (place, 1),
            (0, 4),
            ("data", "axes fraction"),
            "offset points",
            color=LIGHT["theory"],
            ha="center",
        )
    ends = []
    for name, y, colour in named:
        last = _last(y)
        if last == len(t) - 1:
            ends.append((name, float(y[last]), colour))
        else:
            _drawing.beside(
                ax, name, (t[last], y[last]), (8, 0), color=colour, ha="left"
            )
    _drawing.end_labels(ax, ends)
    return ax


def _last(y: Real[np.ndarray, " m"]) -> int:
    """Where the last value is that is finite."""
    finite = np.flatnonzero(np.isfinite(y))
    if len(finite) == 0:
        raise _check.refuse("series", "finite somewhere", "a curve without values")
    return int(finite[-1])
