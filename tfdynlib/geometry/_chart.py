"""Charts: the circle by its angle, any sphere around great-circle arcs."""

from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib.geometry._action import Places, Squares

Ends = Float[np.ndarray, "n k"]
Paths = Float[np.ndarray, "q n k"]
Times = Float[np.ndarray, " q"]


class Angle:
    """A chart: the circle by lifted angles, k = 1; the base path turns evenly.

    ``path`` is the base path moved by u, in coordinates y; ``place`` the points on the
    sphere and squared speeds.  ``pull`` and ``release`` take gradients back.
    """

    def path(
        self, start: Ends, end: Ends, t: Times, u: Paths, du: Paths
    ) -> tuple[Paths, Paths]:
        step = end - start
        return start + t[:, None, None] * step + u, step + du

    def release(
        self, start: Ends, end: Ends, t: Times, gy: Paths, gdy: Paths
    ) -> tuple[Paths, Paths]:
        return gy, gdy

    def place(self, y: Paths, dy: Paths) -> tuple[Places, Squares]:
        x = np.concatenate([np.cos(y), np.sin(y)], axis=2)
        return x, dy[:, :, 0] ** 2

    def pull(
        self, y: Paths, dy: Paths, by_place: Places, by_square: Squares
    ) -> tuple[Paths, Paths]:
        turned = by_place[..., 1:] * np.cos(y) - by_place[..., :1] * np.sin(y)
        return turned, 2 * dy * by_square[..., None]


class Arc:
    """A chart: any sphere by x = y / |y| with y = g + R u, k = d.

    g is the great-circle arc between the ends, R the turn along it, and of u only the
    part normal to the start counts.  So |y| >= 1, and paths stay within a quarter turn
    of their arc.
    """

    def path(
        self, start: Ends, end: Ends, t: Times, u: Paths, du: Paths
    ) -> tuple[Paths, Paths]:
        angle, side, g, ahead = _turn(start, end, t)
        u, du = _normal(u, start), _normal(du, start)
        c, dc = _dot(u, side), _dot(du, side)
        y = g + u + c * (ahead - side)
        return y, angle * ahead + du + dc * (ahead - side) - c * angle * g

    def release(
        self, start: Ends, end: Ends, t: Times, gy: Paths, gdy: Paths
    ) -> tuple[Paths, Paths]:
        angle, side, g, ahead = _turn(start, end, t)
        by_c = _dot(gy, ahead - side) - angle * _dot(gdy, g)
        by_dc = _dot(gdy, ahead - side)
        return _normal(gy, start) + by_c * side, _normal(gdy, start) + by_dc * side

    def place(self, y: Paths, dy: Paths) -> tuple[Places, Squares]:
        r = np.linalg.norm(y, axis=2, keepdims=True)
        x = y / r
        return x, np.sum(_normal(dy, x) ** 2, axis=2) / r[..., 0] ** 2

    def pull(
        self, y: Paths, dy: Paths, by_place: Places, by_square: Squares
    ) -> tuple[Paths, Paths]:
        r = np.linalg.norm(y, axis=2, keepdims=True)
        x = y / r
        across, c = _normal(dy, x), 2 * by_square[..., None] / r**2
        slower = c * (_dot(across, across) * x + _dot(dy, x) * across)
        return (_normal(by_place, x) - slower) / r, c * across


def _dot(a: Any, b: Any) -> Any:
    return np.sum(a * b, axis=-1, keepdims=True)


def _normal(a: Any, x: Any) -> Any:
    """The part of a normal to the unit vectors x."""
    return a - _dot(a, x) * x


def _turn(
    start: Ends, end: Ends, t: Times
) -> tuple[Float[np.ndarray, "n 1"], Ends, Paths, Paths]:
    """Angle and first direction of the arcs; their points and directions at t."""
    angle, side = _arc(start, end)
    turn = t[:, None, None] * angle
    c, s = np.cos(turn), np.sin(turn)
    return angle, side, c * start + s * side, c * side - s * start


def _arc(start: Ends, end: Ends) -> tuple[Float[np.ndarray, "n 1"], Ends]:
    """Angles of great-circle arcs, and the unit vectors they leave along.

    To an antipode, or nowhere, every direction is as good: those rows fan out evenly,
    in the plane of the two axes that are most nearly tangent.
    """
    near, far = end - start, end + start
    size = [np.linalg.norm(z, axis=1, keepdims=True) for z in (near, far)]
    angle = 2 * np.arctan2(*size)
    way = _normal(np.where(size[0] <= size[1], near, far), start)
    lost = np.linalg.norm(way, axis=1, keepdims=True) < 1e-12
    way = np.where(lost, _fan(start, lost), way)
    return angle, way / np.linalg.norm(way, axis=1, keepdims=True)


def _fan(start: Ends, lost: np.ndarray) -> Ends:
    """Tangent directions that turn once around over the rows that are lost."""
    axes = np.eye(start.shape[1])[np.argsort(np.abs(start), axis=1)[:, :2]]
    one = _normal(axes[:, 0], start)
    one /= np.linalg.norm(one, axis=1, keepdims=True)
    two = _normal(_normal(axes[:, 1], start), one)
    two /= np.linalg.norm(two, axis=1, keepdims=True)
    turn = 2 * np.pi * np.cumsum(lost, axis=0) / max(1, lost.sum())
    return np.cos(turn) * one + np.sin(turn) * two


Chart = Angle | Arc
