"""The figure ``steer`` on paper: the same picture as on the page."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tfdynlib import _drawing, gaussian
from tfdynlib._still import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIGMAS = 2.0  # at which an ellipse is drawn
GHOSTS = 8


def outline(mean: np.ndarray, cov: np.ndarray) -> np.ndarray:
    """A closed curve at two deviations, (73, 2)."""
    values, vectors = np.linalg.eigh(cov)
    root = vectors * np.sqrt(np.maximum(values, 0))
    turn = np.linspace(0, 2 * np.pi, 73)
    return mean + SIGMAS * np.stack([np.cos(turn), np.sin(turn)], 1) @ root.T


@_drawing.styled
def draw(
    start: gaussian.Gaussian,
    target: gaussian.Gaussian,
    path: gaussian.LayerPath | None,
    t: float,
) -> "Axes":
    """Start and target in orange, the ellipses between them in blue, now filled."""
    ax = _drawing.new(None, (420, 420), (8, 8, 8, 8))
    curves = [outline(g.mean, g.cov) for g in (start, target)]
    now, moments = start, None
    if path is not None:
        T = path.edges[1] if path.edges else 1.0
        times = np.union1d(np.linspace(0, T, GHOSTS + 1), [t])
        moments = gaussian.solve(path, start, times)
        k = int(np.searchsorted(times, t))
        now = gaussian.Gaussian(moments.mean[k], moments.cov[k])
        for m, S, s in zip(moments.mean, moments.cov, times):
            curves.append(outline(m, S))
            line(ax, curves[-1], "state", linewidth=1.1, alpha=0.5 if s <= t else 0.28)
        ax.plot(*moments.mean[: k + 1].T, color=LIGHT["state"], linewidth=2)
        ax.plot(*moments.mean[k:].T, color=LIGHT["state"], linewidth=2, alpha=0.35)
    _drawing.stage(ax, 1.1 * max(float(np.abs(c).max()) for c in curves))
    name = "target" if path is not None else "out of reach"
    for g, curve, word in zip((start, target), curves, ("start", name)):
        dash = {} if word != "out of reach" else {"dashes": _drawing.DASH}
        line(ax, curve, "grab", linewidth=1.5, **dash)
        top = curve[curve[:, 1].argmax()]
        _drawing.beside(ax, word, (g.mean[0], top[1]), (0, 9), color=LIGHT["grab"])
    shape = outline(now.mean, now.cov)
    ax.fill(*shape.T, color=LIGHT["state"], alpha=0.16, linewidth=0)
    line(ax, shape, "state", linewidth=2.4)
    _drawing.dots(ax, now.mean[None], 5)
    return ax


def line(ax: "Axes", curve: np.ndarray, tone: str, **style: Any) -> None:
    """A curve in one of the book's colours."""
    ax.plot(*curve.T, color=LIGHT[tone], **style)
