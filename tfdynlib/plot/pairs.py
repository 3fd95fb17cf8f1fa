"""Matrices of pairs: attention, and couplings of two measures."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Real

from tfdynlib import _check, measure
from tfdynlib.measure import Measure
from tfdynlib.plot import _drawing
from tfdynlib.plot._still import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Up to this many columns the cells of an attention matrix have room for a number.
WRITTEN = 4


@_drawing.styled
def attention(a: Real[np.ndarray, "k n"], ax: "Axes | None" = None) -> "Axes":
    """An attention matrix: row i is what token i looks at, the area is the weight.

    Tokens are counted from 1.  Up to four columns, the weights are written as well.
    """
    a = _check.array(a, "a", ndim=2)
    rows, columns = a.shape
    side = 300 / max(rows, columns)
    ax = _drawing.new(ax, (60 + side * columns, 70 + side * rows), (48, 12, 12, 58))
    for line, k in [(ax.axhline, rows), (ax.axvline, columns)]:
        for edge in range(k + 1):
            line(edge - 0.5, color=LIGHT["line2"], linewidth=1, zorder=0)
    _drawing.squares(ax, a)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, pad=6, labeltop=True, labelbottom=False)
    for set_ticks, k in [(ax.set_xticks, columns), (ax.set_yticks, rows)]:
        places = range(0, k, max(1, k // 8))
        set_ticks(places, [str(place + 1) for place in places])
    _drawing.note(ax, "token", (0, 1), (-44, 9))
    _drawing.note(ax, "looks at token", (0, 1), (2, 32))
    if columns <= WRITTEN:
        _write_weights(ax, a)
    return ax


def _write_weights(ax: "Axes", a: Float[np.ndarray, "k n"]) -> None:
    """Each weight in its cell: on the square if that is large, else below it."""
    for (i, j), weight in np.ndenumerate(a):
        large = weight > 0.3
        ax.text(
            j,
            i if large else i + 0.47 * np.sqrt(weight) + 0.04,
            f"{weight:.3f}",
            color=LIGHT["bg" if large else "mut"],
            ha="center",
            va="center" if large else "top",
        )


@_drawing.styled
def matching(
    mu: Measure, nu: Measure, ground: str = "chordal", ax: "Axes | None" = None
) -> "Axes":
    """An optimal matching of two measures, on the circle or on the line.

    Dots are μ, rings are ν; a line is as wide as the mass it carries, and runs along
    the circle if the ground is ``"geodesic"``.  The distance stands below.
    """
    coupling = measure.plan(mu, nu, ground)
    distance = measure.wasserstein2(mu, nu, ground)
    on_line = mu.x.shape[1] == 1
    if on_line:
        ax = _drawing.new(ax, (560, 170), (24, 46, 24, 24))
        first, second = _on_levels(ax, mu, nu)
    else:
        first = _check.shaped(_check.unit_rows(mu.x, "mu.x"), "mu.x", (None, 2))
        second = nu.x
        ax = _drawing.new(ax, (380, 400), (12, 32, 12, 12))
        _drawing.stage(ax, 1.3)
        _drawing.rim(ax)
    for i, j in np.argwhere(coupling > 1e-9 * coupling.max()):
        width = 0.8 + 1.8 * coupling[i, j] / coupling.max()
        route = _drawing.route(first[i], second[j], ground)
        ax.plot(*route.T, color=LIGHT["ctl"], linewidth=width, zorder=2, clip_on=False)
    _drawing.ring(ax, second, 6, linewidths=1.25)
    _drawing.dots(ax, first, 4)
    for name, atoms, others in (("$\\mu$", first, second), ("$\\nu$", second, first)):
        gap = np.linalg.norm(atoms[:, None] - others, axis=2).min(axis=1)
        # The first atom of a line; on the circle the one that stands most alone.
        atom = atoms[atoms[:, 0].argmin() if on_line else gap.argmax()]
        shift = (-20, 0) if on_line else tuple(20 * atom)
        _drawing.beside(ax, name, atom, shift, fontsize=14)
    place = (0.5, 0), (0, -36 if on_line else -16)
    _drawing.note(
        ax, f"$W_2$ = {distance:.4f}", *place, ha="center", color=LIGHT["ink"]
    )
    return ax


def _on_levels(
    ax: "Axes", mu: Measure, nu: Measure
) -> tuple[Float[np.ndarray, "n 2"], Float[np.ndarray, "m 2"]]:
    """Atoms of the line on two levels, over one axis."""
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.spines["bottom"].set(linewidth=1, color=LIGHT["ctl"])
    ax.set(ylim=(-0.35, 1.1), yticks=[])
    ax.tick_params(axis="x", length=4, width=1, pad=5)
    upper = np.concatenate([mu.x, np.ones_like(mu.x)], axis=1)
    lower = np.concatenate([nu.x, np.zeros_like(nu.x)], axis=1)
    return upper, lower
