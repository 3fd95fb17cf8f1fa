"""Still figures: each function draws on ``ax`` (or makes one) and returns it.

``show(ax, alt)`` turns the drawing into a ``Still``, an inline SVG that follows the
theme of the page.  Colours have one meaning each: blue is the state, green is theory
(dashed), plum is where a flow or a theorem ends, orange can be moved; all else is ink
or grey.  Labels stand at the thing; there is no legend.  No flow is solved here.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Real

from tfdynlib import _check, _courses, _drawing, _globe, measure
from tfdynlib import attention as attention_
from tfdynlib._check import Number
from tfdynlib._still import LIGHT, Still, still
from tfdynlib.geometry import Geodesic
from tfdynlib.measure import Measure
from tfdynlib.records import OURS, Series, Table
from tfdynlib.weights import Heads

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Still",
    "attention",
    "circle",
    "curves",
    "energy",
    "geodesic",
    "matching",
    "power_of_ten",
    "rays",
    "scaling",
    "show",
    "sphere",
    "timings",
]

TIME = "layer-time $t$"
# Up to this many columns the cells of an attention matrix have room for a number.
WRITTEN = 4


def show(ax: "Axes", alt: str) -> Still:
    """The drawing on ``ax`` as a ``Still``; ``alt`` says in words what it shows."""
    if not alt.strip():
        raise _check.refuse("alt", "a description of the picture", repr(alt))
    figure = ax.get_figure(root=True)
    if figure is None:
        raise _check.refuse("ax", "part of a figure", "axes that were removed")
    return still(figure, alt)


def power_of_ten(value: Number) -> str:
    """A very small or large number as a word of a sentence, such as ``9·10⁻⁷``."""
    digit, exponent = f"{value:.0e}".split("e")
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return f"{digit}·10{str(int(exponent)).translate(raised)}".replace("-", "−")


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
    ax: "Axes | None" = None,
) -> "Axes":
    """Curves over t, each with its name at its right end.

    ``series`` are measured: blue, the first one widest.  ``theory`` are predicted:
    green and dashed.  Values that are not finite leave a gap.
    """
    ax = _drawing.new(ax, (560, 340), (52, 46, 118, 40))
    _drawing.chart(ax, x_name, y_name)
    _drawing.scales(ax, x_scale, y_scale)
    ax.set_xlim(t[0], t[-1])
    ends = []
    widths = np.linspace(2.6, 1.3, max(2, len(series)))
    for width, (name, y) in zip(widths, series.items()):
        ax.plot(t, y, color=LIGHT["state"], linewidth=width, zorder=3)
        ends.append((name, _last(y), LIGHT["state"]))
    for name, y in (theory or {}).items():
        ax.plot(t, y, color=LIGHT["theory"], linewidth=1.7, dashes=_drawing.DASH)
        ends.append((name, _last(y), LIGHT["theory"]))
    _drawing.end_labels(ax, ends)
    return ax


def _last(y: Real[np.ndarray, " m"]) -> float:
    """The last value that is finite."""
    finite = np.asarray(y)[np.isfinite(y)]
    if len(finite) == 0:
        raise _check.refuse("series", "finite somewhere", "a curve without values")
    return float(finite[-1])


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
