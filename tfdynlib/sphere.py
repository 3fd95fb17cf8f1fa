"""The unit sphere in R^d: tangent vectors, great circles, distances, quadrature.

The base point always comes first.  Points are rows; every function works on one point
or on any stack of them.
"""

import numpy as np
from jaxtyping import Float, Real

from tfdynlib import _check, _circle
from tfdynlib._check import Number
from tfdynlib._measure import Measure

# Below this a square is lost among the smallest doubles; above its inverse it is none.
SMALL = 1e-150


def uniform(n: int, d: int, rng: np.random.Generator) -> Float[np.ndarray, "n d"]:
    """``n`` independent points, uniform on the sphere of R^d.

    For d = 2 and d = 3 they are made from ``rng.random`` alone (angle; height and
    angle), so that a page can make the very same points from the same seed.
    For other d, normalised normal vectors.
    """
    n, d = _check.count(n, "n"), _check.count(d, "d")
    rng = _check.generator(rng)
    if d == 2:
        angle = 2 * np.pi * rng.random(n)
        return _circle.points(angle)
    if d == 3:
        u = rng.random((n, 2))
        return _from_height(2 * u[:, 0] - 1, 2 * np.pi * u[:, 1])
    return retract(rng.standard_normal((n, d)))


def _from_height(
    z: Float[np.ndarray, " n"], angle: Float[np.ndarray, " n"]
) -> Float[np.ndarray, "n 3"]:
    """Points of S^2 from height and longitude (Archimedes: both may be uniform)."""
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def project(
    x: Real[np.ndarray, "*#n d"], v: Real[np.ndarray, "*#n d"]
) -> Float[np.ndarray, "... d"]:
    r"""Tangent part at x of a vector v, :math:`P_x v = v - \langle v, x\rangle x`."""
    x, v = _check.pair(x, v, ("x", "v"))
    return v - np.sum(v * x, axis=-1, keepdims=True) * x


def retract(x: Real[np.ndarray, "*n d"]) -> Float[np.ndarray, "*n d"]:
    r"""Nearest point of the sphere, :math:`x / |x|`.

    ``retract(x + h v)`` for tangent v is the geodesic step ``exp(x, h v)`` up to
    :math:`h|v| - \arctan(h|v|)`, a third-order gap.  Raises ``ValueError`` at x = 0.
    """
    x = _check.array(x, "x")
    if x.ndim == 0:
        raise _check.refuse("x", "a point, or rows of points", x)
    size = np.abs(x).max(axis=-1, keepdims=True, initial=0.0)
    if not size.all():
        raise _check.refuse("x", "different from zero", "a zero vector")
    extreme = (size < SMALL) | (size > 1 / SMALL)
    x = np.where(extreme, x / size, x)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def exp(
    x: Real[np.ndarray, "*#n d"], v: Real[np.ndarray, "*#n d"]
) -> Float[np.ndarray, "... d"]:
    r"""End of the geodesic that leaves x with tangent velocity v, after unit time.

    .. math:: \exp_x(v) = \cos|v|\, x + \frac{\sin|v|}{|v|}\, v

    The distance from x is :math:`|v|` as long as this is at most π.
    """
    x, v = _check.pair(x, v, ("x", "v"))
    with np.errstate(over="ignore"):
        r = np.linalg.norm(v, axis=-1, keepdims=True)
    if not np.isfinite(r).all():
        raise _check.refuse("v", "of a length that is a double", "a length of inf")
    return np.cos(r) * x + np.sinc(r / np.pi) * v


def log(
    x: Real[np.ndarray, "*#n d"], y: Real[np.ndarray, "*#n d"]
) -> Float[np.ndarray, "... d"]:
    r"""The shortest tangent vector v at x with :math:`\exp_x(v) = y`.

    Its length is ``distance(x, y)``.  Raises ``ValueError`` if y is the antipode of x,
    where every direction is as good.
    """
    x, y = _check.pair(x, y, ("x", "y"))
    near, far = y - x, y + x
    if not np.any(far, axis=-1).all():
        raise _check.refuse("y", "different from the antipode of x", "-x")
    # Both differences are free of cancellation on their own half of the sphere.
    same_side = np.sum(x * y, axis=-1, keepdims=True) >= 0
    v = project(x, np.where(same_side, near, far))
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    angle = distance(x, y)[..., None]
    return np.divide(angle, length, out=np.ones_like(length), where=length > 0) * v


def distance(
    x: Real[np.ndarray, "*#n d"], y: Real[np.ndarray, "*#n d"]
) -> Float[np.ndarray, "..."]:
    r"""Geodesic distance (angle, in [0, π]) of unit vectors, row by row.

    ``distance(x[:, None], y)`` gives all pairs.

    .. math:: d(x, y) = 2\,\mathrm{atan2}(|x - y|, |x + y|)

    This form keeps all digits for close and for opposite points, where the arc cosine
    of :math:`\langle x, y\rangle` loses half of them.  Source: W. Kahan.
    """
    x, y = _check.pair(x, y, ("x", "y"))
    apart = np.linalg.norm(x - y, axis=-1)
    return np.asarray(2 * np.arctan2(apart, np.linalg.norm(x + y, axis=-1)))


def quadrature(d: int, n: int) -> Measure:
    """Nodes and masses that stand for the uniform measure on the sphere of R^d.

    d = 2: n equally spaced angles, exact for trigonometric polynomials of degree < n.
    d = 3: n Gauss-Legendre heights times 2n longitudes, exact for polynomials of
    degree < 2n.  Raises ``ValueError`` for other d.
    """
    d, n = _check.count(d, "d"), _check.count(n, "n")
    if d == 2:
        angle = 2 * np.pi * np.arange(n) / n
        return Measure(_circle.points(angle))
    if d == 3:
        height, weight = np.polynomial.legendre.leggauss(n)
        angle = np.pi * np.arange(2 * n) / n
        x = _from_height(np.repeat(height, 2 * n), np.tile(angle, n))
        return Measure(x, np.repeat(weight / (4 * n), 2 * n))
    raise _check.refuse("d", "2 or 3", d)


def chord(radius: Number) -> float:
    """Length in R^d of the chord that spans a geodesic distance ``radius``."""
    return 2 * np.sin(min(_check.positive(radius, "radius"), np.pi) / 2)
