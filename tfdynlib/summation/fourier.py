r"""Tokens on the circle: sums by Fourier series, at a cost that is O(N).

.. math::
    \int e^{\langle p, y\rangle} d\mu(y) = \sum_k I_k(r)\, c_k\, e^{ik\psi},
    \qquad p = r(\cos\psi, \sin\psi), \quad
    c_k = \int e^{-ik\theta(y)} d\mu(y)

With p = K x(t) the left side, divided by :math:`e^{|p|}`, is a smooth periodic function
of the angle t of x.  A linear map, made once for each K, takes the coefficients c to
its coefficients; what is left are two non-uniform transforms.  Queries that point away
from all tokens, whose sums are small, are left to ``panels``.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Complex, Float

from tfdynlib.summation import _bessel, panels
from tfdynlib.summation._circle_points import Points, in_loops, points
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
from tfdynlib.summation._truncation import Scale, circle_tail, least, scale

# Parts of tol that all approximations together may take of the largest sum.
SHARE = 1e-5
# Exponents beyond this one; there the maps of heads and their making get slow.
LARGEST = 1e5
# Numbers in the map of a head, at most: 128 MB.
ENTRIES = 2**24
# What double precision leaves of the coefficients, in units of the largest sum.
ROUNDING = 16 * EPS


def accuracy(tol: float) -> float:
    """Accuracy of each approximation: small against tol, since sums may be small."""
    return float(np.clip(SHARE * tol, EPS / 4, 1e-8))


def modes(r: float, tol: float) -> int:
    """Modes that sums for queries of length r need: the rest is tol at most."""
    return least(circle_tail, r, tol)


def sums(at: Queries, x: Tokens, K: Matrix, mass: Masses, tol: float) -> Moments:
    """Moments of one head."""
    return stack(at, x, K[None], mass, tol)[0]


def stack(
    at: Queries, x: Tokens, Ks: Float[np.ndarray, "H d d"], mass: Masses, tol: float
) -> list[Moments]:
    """Moments of several heads; the coefficients of the tokens are taken once."""
    small = accuracy(tol)
    maps = [_map(_bytes(K), small) for K in Ks]
    most = max(m.modes for m in maps) + 1
    highest = max(most, *(m.scale.modes for m in maps))
    here = points(x, highest)
    there = here if at is x else points(at, highest)
    c = here.coefficients(mass, most, small)
    lost = here.remainder(most, small)
    total = float(mass.sum())
    return [_one(at, there, K, m, c, total, lost, small) for K, m in zip(Ks, maps)]


def _one(
    at: Queries,
    there: Points,
    K: Matrix,
    head: "Map",
    c: Complex[np.ndarray, " m"],
    total: float,
    lost: float,
    small: float,
) -> Moments:
    """Moments of one head from the coefficients of the tokens."""
    f = head(c)
    z, *first = there.values(f, small)
    if head.waves is None:  # every query is as long as the first column of K
        reach = np.full(len(at), np.hypot(*K[:, 0]))
    else:
        p = at @ K.T
        reach = np.sqrt(np.einsum("kd,kd->k", p, p))
    size = 2 * float(np.abs(f).sum()) / total if total > 0 else 0.0
    evaluated = there.remainder(f.shape[1] - 1, small) * size
    tail = 2 * small + lost + (evaluated + ROUNDING) * np.exp(head.scale.loss)
    return Moments(
        head.scale(reach), z, np.stack(first, axis=1), reach, total, tail=float(tail)
    )


@dataclass(frozen=True)
class Map:
    """From coefficients of the tokens to those of the three sums, for one K.

    Attributes
    ----------
    modes
        Modes of the tokens that matter.
    scale
        The factor taken out of the sums.
    waves
        Each mode seen from angles t on a grid: real parts above, imaginary parts below.
        For a multiple of an orthogonal K, None: then modes are not mixed.
    diagonal
        What each mode is multiplied with then, and whether K turns the circle over.
    """

    modes: int
    scale: Scale
    waves: Float[np.ndarray, "w g"] | None
    diagonal: Complex[np.ndarray, " m"]
    flipped: bool

    def __call__(self, c: Complex[np.ndarray, " m"]) -> Complex[np.ndarray, "3 k"]:
        three = _with_first_moments(c[: self.modes + 2])
        if self.waves is None:
            out = three * self.diagonal
            return out.conj() if self.flipped else out
        three[:, 1:] *= 2
        values = np.concatenate([three.real, -three.imag], axis=1) @ self.waves
        return np.fft.rfft(values, norm="forward")[:, : self.scale.modes + 1]


def _bytes(K: Matrix) -> bytes:
    """The entries of K, row by row."""
    return np.ascontiguousarray(K, dtype=float).tobytes()


def _with_first_moments(c: Complex[np.ndarray, " m"]) -> Complex[np.ndarray, "3 k"]:
    """Coefficients of the measures dmu, cos dmu and sin dmu, one mode fewer."""
    before = np.concatenate([c[1:2].conj(), c[:-2]])
    after = c[1:]
    return np.stack([c[:-1], (before + after) / 2, (before - after) / 2j])


@lru_cache(maxsize=64)
def _fit(K: bytes, small: float) -> tuple[int, Scale, bool]:
    """Modes of tokens and of queries that matter, and whether K is a multiple of an
    orthogonal matrix; K in bytes, so that it can be remembered."""
    values = np.linalg.svd(np.frombuffer(K).reshape(2, 2), compute_uv=False)
    largest, smallest = map(float, values)
    n = modes(largest, small)
    if largest - smallest <= 4 * EPS * largest:
        return n, Scale(0.0, 0.0, n), True
    return n, scale(largest, smallest, small), False


@lru_cache(maxsize=8)
def _map(K: bytes, small: float) -> Map:
    """The map of one head."""
    matrix = np.frombuffer(K).reshape(2, 2)
    n, fits, orthogonal = _fit(K, small)
    if orthogonal:
        r, psi = np.hypot(*matrix[:, :1]), np.arctan2(*matrix[::-1, :1])
        flipped = bool(np.linalg.det(matrix) < 0)
        return Map(n, fits, None, _waves(r, psi, n)[:, 0], flipped)
    size = _even(2 * fits.modes + 2)
    t = 2 * np.pi / size * np.arange(size)
    p = np.stack([np.cos(t), np.sin(t)], axis=1) @ matrix.T
    r, psi = np.hypot(*p.T), np.arctan2(p[:, 1], p[:, 0])
    waves = _waves(r, psi, n)
    waves *= np.exp(r - fits(r))
    return Map(n, fits, np.concatenate([waves.real, waves.imag]), waves[:, 0], False)


def _even(n: int) -> int:
    """A number of grid points from n on that is fast to transform."""
    from scipy.fft import next_fast_len

    return int(2 * next_fast_len((n + 1) // 2, real=True))


def _waves(
    r: Float[np.ndarray, " g"], psi: Float[np.ndarray, " g"], n: int
) -> Complex[np.ndarray, "m g"]:
    r""":math:`e^{-r} I_k(r) e^{ik\psi}` for k = 0 .. n."""
    steps = _bessel.ratios(r, n).astype(complex)
    steps[1:] *= np.exp(1j * psi)
    return np.multiply.accumulate(steps, axis=0)


def _entries(task: Task) -> tuple[int, int]:
    """Numbers in the map of the task's head, and modes of its queries."""
    K = np.zeros((2, 2)) if task.K is None else task.K
    n, fits, orthogonal = _fit(_bytes(K), accuracy(task.tol))
    return (2 * n if orthogonal else 4 * n * fits.modes), fits.modes


def why_not(task: Task) -> str | None:
    """Only on the circle, and only if the map of the head fits into memory."""
    if task.d != 2 or not task.on_sphere:
        return (
            "'fourier' sums over tokens on the circle (d = 2, norm 1); "
            "'dense' takes any tokens"
        )
    if task.K is None:
        return "'fourier' needs the matrix of a head; 'dense' takes free queries"
    if task.beta > LARGEST:
        return f"'fourier' takes exponents up to {LARGEST:g}; 'dense' takes any"
    if _entries(task)[0] > ENTRIES:
        return (
            "'fourier' needs too many modes for a nearly singular B at this beta; "
            "'dense' does not"
        )
    return None


def cost(task: Task) -> float:
    """Seconds on one core, the map counted as made once for many calls."""
    entries, n = _entries(task)
    if in_loops(min(task.n, task.k), n):
        loops = (5e-9 + 1.2e-10 * n) * (task.n + task.k)
        return float(1e-4 + loops + 3e-9 * entries)
    transforms = 6e-9 * task.n + 2 * (1.5 + 0.1 * np.log2(max(n, 1))) * 1e-8 * task.k
    return float(2.5e-4 + transforms + 6e-7 * n + 3e-9 * entries)


METHOD = Method(
    "fourier", sums, why_not, cost, stack=stack, rest=panels.rest, exact=False
)
