"""Stored timings: methods side by side, and time against size."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tfdynlib.plot import _drawing
from tfdynlib.plot._still import LIGHT
from tfdynlib.records import OURS, Series, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@_drawing.styled
def timings(table: Table, ax: "Axes | None" = None) -> "Axes":
    """Methods of one case on a log axis of time: a dot at the median, a line from the
    least to the most.  Ours is blue; beside the others stands how much slower they are.
    """
    rows = table.rows[::-1]
    ax = _drawing.new(ax, (560, 84 + 30 * len(rows)), (130, 46, 70, 24))
    _drawing.chart(ax, "ms of one velocity, log", "")
    _drawing.scales(ax, "log", "linear")
    ax.grid(axis="y", linewidth=0)
    for k, r in enumerate(rows):
        colour = LIGHT["state" if r.method == OURS else "ctl"]
        ax.plot([r.least, r.most], [k, k], color=colour, linewidth=2.4)
        ax.plot(r.median, k, "o", color=colour, markersize=8)
        if r.method != OURS:
            _drawing.beside(ax, f"× {r.median / table.ours:.3g}", (r.most, k), (26, 0))
    ax.set_yticks(range(len(rows)), [r.method for r in rows])
    ax.set_ylim(-0.6, len(rows) - 0.4)
    return ax


@_drawing.styled
def scaling(series: Sequence[Series], ax: "Axes | None" = None) -> "Axes":
    """Time against the number of tokens, log-log, one curve for each method."""
    ax = _drawing.new(ax, (560, 360), (52, 46, 150, 40))
    _drawing.chart(ax, "tokens $N$, log", "ms of one velocity, log")
    _drawing.scales(ax, "log", "log")
    for width, s in zip(np.linspace(2.6, 1.3, max(2, len(series))), series):
        look = {"color": LIGHT["state"], "linewidth": width, "markersize": 5}
        ax.plot(s.x, s.y, "o-", **look)
        name = f"{s.name['method']}, $d={s.name['d']}$"
        end = (s.x[-1], s.y[-1])
        # A curve that goes on, beyond and above, would run through a name at the right.
        free = not any(o.x[-1] > end[0] and o.y[-1] > end[1] for o in series)
        side = {"shift": (9, 0), "ha": "left"} if free else {"shift": (-9, 2)}
        _drawing.beside(ax, name, end, **({"ha": "right"} | side))
    return ax
