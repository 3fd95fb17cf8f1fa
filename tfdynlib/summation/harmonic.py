r"""Tokens on the two-sphere: sums by spherical harmonics, at a cost that is O(N).

.. math::
    \int e^{\langle p, y\rangle} d\mu(y) = \sum_{l,m} 4\pi\, i_l(r)\, a_{lm}
    Y_{lm}(\psi), \qquad p = r \psi, \quad a_{lm} = \int \overline{Y_{lm}}\, d\mu

The measures of y_1, y_2, y_3 times mu give the first moments; their coefficients come
from those of mu.  If K is a multiple of an orthogonal matrix, r is the same for all
tokens, and the sums at tokens are values of one function each.  For other K the sums
are computed at a grid of points x, by interpolation between several r, and are again
functions on the sphere that are evaluated at the tokens.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Complex, Float

from tfdynlib.summation import _bessel, _legendre, _two_sphere
from tfdynlib.summation._moments import (
    EPS,
    Masses,
    Matrix,
    Method,
    Moments,
    Queries,
    Task,
    Tokens,
)
from tfdynlib.summation._truncation import (
    Scale,
    circle_tail,
    least,
    scale,
    sphere_tail,
)

Coefficients = Complex[np.ndarray, "4 m l"]
Located = Float[np.ndarray, "k _"]

# Parts of tol that each approximation may take of the largest sum.
SHARE = 1e-6
# Exponents beyond this one need more coefficients than memory should hold; without
# ducc0 it is the table of Legendre functions that gets too large.
LARGEST, LARGEST_ALONE = 3e4, 500.0
# Steps of a grid from pole to pole, at most: 2 million points.
STEPS = 1000
# Seconds for a pair of tokens by the fastest exact method.
PAIR = 1.5e-9
# Sum of the moduli of the Fourier coefficients of e^{<p, y> - |p|} in the angles of y:
# at most 1.4 wherever computed, |p| = 1 .. 1000.
WAVES = 1.5


def accuracy(tol: float) -> float:
    """Accuracy of each approximation: small against tol, since sums may be small."""
    return float(np.clip(SHARE * tol, EPS / 4, 1e-8))


def degree(r: float, tol: float) -> int:
    """Degree that sums for queries of length r need: the rest is tol at most."""
    return least(sphere_tail, r, tol)


def radii(largest: float, smallest: float, tol: float) -> int:
    r"""Chebyshev nodes in :math:`r \in [s, S]` that interpolate
    :math:`e^{r(u-1)}`, |u| <= 1, to tol.

    With :math:`c = (1-u)(S-s)/2` its coefficients are
    :math:`2 e^{-(1-u)s} e^{-c} I_k(c)` in modulus, so the tail is the circle's.
    """
    width = largest - smallest
    c = width * np.concatenate([[0.0], np.geomspace(1e-7, 1, 240)])
    fall = np.exp(-2 * c * smallest / width)

    def worst(_: float, n: int) -> float:  # between c's: the larger of either factor
        return max(4 * f * circle_tail(b, n) for f, b in zip(fall[:-1], c[1:]))

    return least(worst, width, tol) + 1


@dataclass(frozen=True)
class Plan:
    """How one head is summed.

    Attributes
    ----------
    radial
        What coefficients of degree l are multiplied with, for each Chebyshev polynomial
        in the length r of the query; one row if that is the same for all queries.
    middle, half
        Of the interval of r.
    scale
        The factor taken out of the sums, and the modes that then are left.
    """

    radial: Float[np.ndarray, "r l"]
    middle: float
    half: float
    scale: Scale

    @property
    def degree(self) -> int:
        """Degree of the coefficients that matter."""
        return self.radial.shape[1] - 1

    @property
    def grid(self) -> int:
        """Steps of the grid from pole to pole."""
        return _two_sphere.fast(self.scale.modes + 1)


@lru_cache(maxsize=64)
def _plan(K: bytes, small: float) -> Plan:
    """The plan of one head; K in bytes, so that it can be remembered."""
    L, n, fits, largest, smallest = _fit(K, small)
    middle, half = (largest + smallest) / 2, (largest - smallest) / 2
    angle = np.pi * (np.arange(n) + 0.5) / n
    at_nodes = _bessel.spherical(middle + half * np.cos(angle), L)
    chebyshev = 2 / n * np.cos(np.outer(np.arange(n), angle))
    chebyshev[0] /= 2
    return Plan(4 * np.pi * chebyshev @ at_nodes.T, middle, half, fits)


@lru_cache(maxsize=64)
def _fit(K: bytes, small: float) -> tuple[int, int, Scale, float, float]:
    """Degree, number of radii, scale, and the extreme singular values of K."""
    values = np.linalg.svd(np.frombuffer(K).reshape(3, 3), compute_uv=False)
    largest, smallest = float(values[0]), float(values[-1])
    L = max(1, degree(largest, small))
    if largest - smallest <= 8 * EPS * largest:
        return L, 1, Scale(0.0, 0.0, L), largest, largest
    fits = scale(largest, smallest, small / 8)
    return L, radii(largest, smallest, small), fits, largest, smallest


def sums(at: Queries, x: Tokens, K: Matrix, mass: Masses, tol: float) -> Moments:
    """Moments of one head."""
    return stack(at, x, K[None], mass, tol)[0]


def stack(
    at: Queries, x: Tokens, Ks: Float[np.ndarray, "H d d"], mass: Masses, tol: float
) -> list[Moments]:
    """Moments of several heads; the coefficients of the tokens are taken once."""
    small = accuracy(tol)
    plans = [_plan(_bytes(K), small) for K in Ks]
    where = _two_sphere.locate(x)
    there = where if at is x else _two_sphere.locate(at)
    most = max(plan.degree for plan in plans)
    a = _legendre.first_moments(_two_sphere.analyse(where, mass, most + 1, small))
    total = float(mass.sum())
    return [_one(at, there, K, plan, a, total, small) for K, plan in zip(Ks, plans)]


def _bytes(K: Matrix) -> bytes:
    """The entries of K, row by row."""
    return np.ascontiguousarray(K, dtype=float).tobytes()


def _one(
    at: Queries,
    there: Located,
    K: Matrix,
    plan: Plan,
    a: Coefficients,
    total: float,
    small: float,
) -> Moments:
    """Moments of one head from the coefficients of the tokens."""
    a = a[:, : plan.degree + 1, : plan.degree + 1]
    p = at @ K.T
    reach = np.sqrt(np.einsum("kd,kd->k", p, p))
    shift, loss = reach, 0.0
    if (K == K[0, 0] * np.eye(3)).all():
        signs = np.sign(K[0, 0]) ** np.arange(plan.degree + 1)  # harmonics of -x
        f, lost = _two_sphere.synthesise(a * (plan.radial[0] * signs), there, small)
    elif len(plan.radial) == 1 or len(at) <= 2 * plan.grid**2:
        f, lost = _at_queries(a, plan, p, reach, small)
    else:
        f, lost = _by_grid(a, plan, K, there, small)
        shift, loss = plan.scale(reach), plan.scale.loss
    analysed = WAVES * _two_sphere.mass_error(small) * total
    relative = (analysed + lost) / total if total > 0 else 0.0
    if len(plan.radial) > 1:
        relative *= 2  # rounding of the series in r, measured
    tail = 4 * small + relative * np.exp(loss)
    return Moments(shift, f[0], f[1:].T, reach, total, tail=float(tail))


def _at_points(
    a: Coefficients,
    plan: Plan,
    where: Located,
    t: Float[np.ndarray, " k"] | None,
    small: float,
) -> tuple[Float[np.ndarray, "4 k"], float]:
    """The sums, over e^r, for queries in the directions ``where`` and of lengths r =
    middle + half t; and a bound of what the transforms lost."""
    total, lost = _two_sphere.synthesise(a * plan.radial[0], where, small)
    if t is None:
        return total, lost
    before, now = np.ones_like(t), t
    for factor in plan.radial[1:]:
        more, error = _two_sphere.synthesise(a * factor, where, small)
        total += now * more
        lost += error
        before, now = now, 2 * t * now - before
    return total, lost


def _at_queries(
    a: Coefficients,
    plan: Plan,
    p: Queries,
    r: Float[np.ndarray, " k"],
    small: float,
) -> tuple[Float[np.ndarray, "4 k"], float]:
    """The same for queries p, of lengths r."""
    pole = np.broadcast_to([0.0, 0.0, 1.0], p.shape).copy()
    direction = np.divide(p, r[:, None], out=pole, where=r[:, None] > 0)
    t = None
    if len(plan.radial) > 1:
        t = np.clip((r - plan.middle) / plan.half, -1, 1)
    return _at_points(a, plan, _two_sphere.locate(direction), t, small)


def _by_grid(
    a: Coefficients, plan: Plan, K: Matrix, at: Located, small: float
) -> tuple[Float[np.ndarray, "4 k"], float]:
    """The sums, over e^scale, at points ``at``: first on a grid, then in between."""
    n = plan.grid
    down, around = np.pi / n * np.arange(n + 1), np.pi / n * np.arange(2 * n)
    x = np.empty((n + 1, 2 * n, 3))
    x[:, :, 0] = np.sin(down)[:, None] * np.cos(around)
    x[:, :, 1] = np.sin(down)[:, None] * np.sin(around)
    x[:, :, 2] = np.cos(down)[:, None]
    p = x.reshape(-1, 3) @ K.T
    r = np.sqrt(np.einsum("kd,kd->k", p, p))
    f, lost = _at_queries(a, plan, p, r, small)
    f *= np.exp(r - plan.scale(r))
    out, error = _two_sphere.evaluate(f.reshape(4, n + 1, 2 * n), at, small)
    return out, lost + error


def _sizes(task: Task) -> tuple[int, int, int]:
    """Degree, number of radii and steps of the grid for the task's head."""
    K = np.zeros((3, 3)) if task.K is None else task.K
    L, n, fits, _, _ = _fit(_bytes(K), accuracy(task.tol))
    return L, n, fits.modes + 1


def why_not(task: Task) -> str | None:
    """Only on the two-sphere, and where series and grids fit into memory and pay."""
    if task.d != 3 or not task.on_sphere:
        return (
            "'harmonic' sums over tokens on the two-sphere (d = 3, norm 1); "
            "'dense' takes any tokens"
        )
    if task.K is None:
        return "'harmonic' needs the matrix of a head; 'dense' takes free queries"
    largest = LARGEST if _two_sphere.installed() else LARGEST_ALONE
    if task.beta > largest:
        more = "" if largest == LARGEST else " without the package ducc0"
        return f"'harmonic' takes exponents up to {largest:g}{more}; 'dense' takes any"
    L, n, steps = _sizes(task)
    if n > 1 and steps > STEPS:
        return (
            "'harmonic' needs too fine a grid for a B this far from a rotation at this "
            "beta; 'dense' needs none"
        )
    if n > 1 and cost(task) > PAIR * task.n * task.k:
        return (
            f"'harmonic' takes longer than all pairs do for {task.n} tokens when B is "
            "no multiple of a rotation; 'dense' is faster"
        )
    return None


def cost(task: Task) -> float:
    """Seconds on one core."""
    L, n, steps = _sizes(task)
    shared = 5e-4 + 3e-7 * L * L + 3.6e-8 * (task.n + task.k)
    if _two_sphere.installed():
        shared += 8e-8 * task.n + 2e-10 * L**3
    else:
        shared += _products(task.n, L) / 4
    if n == 1:
        return shared + _synthesis(task.k, L)
    if task.k <= 2 * steps * steps:
        return shared + n * _synthesis(task.k, L)
    on_grid = n * _synthesis(2 * steps * steps, L)
    return shared + on_grid + 6e-7 * steps**2 + _evaluation(task.k, steps)


def _synthesis(k: int, L: int) -> float:
    """Seconds for four functions at k points."""
    if not _two_sphere.installed() or k > 2 * L * L:
        return 6e-7 * L * L + 3e-10 * L**3 + _evaluation(k, L)
    return 4 * (3e-4 + 4.5e-8 * k + 7e-11 * L**3)


def _evaluation(k: int, n: int) -> float:
    return 1.4e-7 * k if _two_sphere.installed() else _products(k, n)


def _products(k: int, n: int) -> float:
    return k * n * (8e-9 + 8e-10 * n)


METHOD = Method("harmonic", sums, why_not, cost, stack=stack, exact=False)
