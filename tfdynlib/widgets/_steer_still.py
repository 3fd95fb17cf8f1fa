"""The figure ``steer`` on paper: the same picture as on the page."""

from typing import TYPE_CHECKING

import numpy as np

from tfdynlib import gaussian, plot
from tfdynlib.control.arrival import edges
from tfdynlib.plot import _drawing
from tfdynlib.plot._still import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIGMAS = 2.0  # at which an ellipse is drawn
GHOSTS = 6  # equal parts of the time at which the way is drawn
AIR = 1.14


def outline(law: gaussian.Gaussian) -> np.ndarray:
    """A closed curve at two deviations, (73, 2)."""
    turn = np.linspace(0, 2 * np.pi, 73)
    circle = np.stack([np.cos(turn), np.sin(turn)], 1)[:, : law.rank]
    return law.mean + SIGMAS * circle @ law.factor.T


@_drawing.styled
def draw(
    start: gaussian.Gaussian,
    target: gaussian.Gaussian,
    path: gaussian.LayerPath | None,
    t: float,
) -> "Axes":
    """Start and target in orange, the ellipses between them in blue, now filled."""
    laws, trail = way_of(start, path, t)
    ends = [outline(start), outline(target)]
    every = np.concatenate([*ends, *(outline(law) for law in laws)])
    middle = (every.min(0) + every.max(0)) / 2
    reach = AIR * float(np.abs(every - middle).max())
    ax = plot.ellipses(laws, trail=trail, reach=reach)
    ax.set(
        xlim=(middle[0] - reach, middle[0] + reach),
        ylim=(middle[1] - reach, middle[1] + reach),
    )
    names = ("start", "target" if path is not None else "out of reach")
    upper = start.mean[1] > target.mean[1]
    for curve, name, above in zip(ends, names, (upper, not upper)):
        tone = LIGHT["stop" if name == "out of reach" else "grab"]
        ax.plot(*curve.T, color=tone, linewidth=1.5)
        k = curve[:, 1].argmax() if above else curve[:, 1].argmin()
        _drawing.beside(ax, name, curve[k], (0, 9 if above else -9), color=tone)
    return ax


def way_of(
    start: gaussian.Gaussian, path: gaussian.LayerPath | None, t: float
) -> tuple[list[gaussian.Gaussian], np.ndarray | None]:
    """Laws at equal parts of the time and then at t; means up to t."""
    if path is None:
        return [start], None
    last = edges(path)[1]
    run = gaussian.solve(path, start, np.linspace(0, last, GHOSTS + 1))
    laws = [gaussian.Gaussian(m, S) for m, S in zip(run.mean[1:-1], run.cov[1:-1])]
    if t == 0:
        return [*laws, start], None
    past = gaussian.solve(path, start, np.linspace(0, t, 41))
    return [*laws, gaussian.Gaussian(past.mean[-1], past.cov[-1])], past.mean
