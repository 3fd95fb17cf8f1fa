"""Gaussian laws in the plane, as ellipses."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.gaussian import Gaussian
from tfdynlib.plot import _drawing
from tfdynlib.plot._still import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TURN = np.linspace(0, 2 * np.pi, 121)
_SIGMAS = 2.0


@_drawing.styled
def ellipses(
    laws: Sequence[Gaussian],
    names: Mapping[int, str] | None = None,
    limit: Gaussian | None = None,
    trail: Float[np.ndarray, "m 2"] | None = None,
    reach: Number | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Gaussian laws of the plane at two standard deviations.

    The last one is the present: filled, with its half axes, the long one thick.  Those
    before it are pale outlines.  ``names`` stand above the ellipses of these indices;
    ``limit`` is dashed; ``trail`` is the way of the mean.  The square shows ``reach``
    to each side of the origin, by default as much as the first and the last need.

    Raises ``ValueError`` for no law, and for one that is not of the plane.
    """
    if not isinstance(laws, Sequence) or len(laws) == 0:
        raise _check.refuse("laws", "a list of at least one Gaussian", laws)
    for law in [*laws, *([] if limit is None else [limit])]:
        _check.instance(law, Gaussian, "laws", "gaussian.Gaussian")
        if law.d != 2:
            raise _check.refuse("laws", "of the plane, d=2", law)
    ends = [laws[0], laws[-1]] + ([] if limit is None else [limit])
    far = max(float(np.abs(_outline(law)).max()) for law in ends)
    reach = min(1.12 * far, 8.0) if reach is None else _check.positive(reach, "reach")
    ax = _drawing.new(ax, (380, 380), (8, 8, 8, 8))
    _drawing.stage(ax, reach)
    for origin in (ax.axhline, ax.axvline):
        origin(0, color=LIGHT["grat"], linewidth=1, zorder=0)
    for law in laws[:-1]:
        ax.plot(*_outline(law).T, color=LIGHT["state"], linewidth=1, alpha=0.45)
    if trail is not None:
        ax.plot(*trail.T, color=LIGHT["state"], linewidth=1.6)
    _present(ax, laws[-1])
    if limit is not None:
        style: dict[str, Any] = {"color": LIGHT["theory"], "linewidth": 1.8}
        ax.plot(*_outline(limit).T, linestyle=(0, (6, 5)), **style)
    for k, name in (names or {}).items():
        outline = _outline(laws[k])
        top = outline[np.argmax(outline[:, 1])]
        _drawing.beside(ax, name, np.clip(top, -0.9 * reach, 0.9 * reach), (0, 9))
    return ax


def _outline(law: Gaussian) -> Float[np.ndarray, "k 2"]:
    """Points at two standard deviations, along the axes of the law."""
    U, sizes, _ = np.linalg.svd(np.pad(law.factor, ((0, 0), (0, 2 - law.rank))))
    turn = np.stack([np.cos(_TURN), np.sin(_TURN)])
    return law.mean + (_SIGMAS * (U * sizes) @ turn).T


def _present(ax: "Axes", law: Gaussian) -> None:
    """The present law: filled, its half axes and its mean."""
    outline = _outline(law)
    ax.fill(*outline.T, color=LIGHT["state"], alpha=0.15, linewidth=0)
    ax.plot(*outline.T, color=LIGHT["state"], linewidth=2.4)
    U, sizes, _ = np.linalg.svd(np.pad(law.factor, ((0, 0), (0, 2 - law.rank))))
    for axis, size, width in zip(U.T, sizes, (2.4, 1.2)):
        ends = np.stack([law.mean, law.mean + _SIGMAS * size * axis])
        ax.plot(*ends.T, color=LIGHT["state"], linewidth=width)
    _drawing.dots(ax, law.mean[None])
