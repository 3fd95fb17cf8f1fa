"""All pairs in NumPy: exact, tile by tile, so that memory is O(N).

The shift of a query is the bound |p| max|y| of its exponents, known without looking at
the pairs; it is one more coordinate of a matrix product.  The few rows whose sum
vanishes under that bound are summed again, with their largest exponent.

``compiled`` uses the same tiles with an exponential of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

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

# Scores held at a time by a whole row of pairs: 2^17 doubles are 1 MB.
BLOCK = 2**17
# Edge of a tile: 2^16 scores are half a megabyte, which stays in the second cache.
TILE = 256
# Sums below this, in units of the bound, are summed again: weights e^-37 below the
# largest still have to be normal doubles.
TINY = 1e-280
# Above this bound a shift by the bound itself would cost digits.
FAR = 1e10
# Symmetric scores share one shift if the bounds of all rows are this close.
APART = 300.0

Row = Float[np.ndarray, " k"]


@dataclass(frozen=True)
class Exponential:
    """``in_place(s)`` replaces the tile s by e^(s / scale)."""

    in_place: Callable[[np.ndarray], object]
    scale: float


def _exp(s: np.ndarray) -> None:
    np.exp(s, out=s)


NUMPY = Exponential(_exp, 1.0)


def scores(p: Queries, y: Tokens, mass: Masses) -> tuple[Float[np.ndarray, "k n"], Row]:
    """Unnormalised weights e^{<p,y>} mass / e^{shift}, and the shift of each row."""
    s = p @ y.T
    s += _log(mass)
    shift = s.max(axis=1)
    s -= shift[:, None]
    return np.exp(s, out=s), shift


def _log(mass: Masses) -> Masses:
    """Logarithm of masses; an atom without mass gets -inf and is never seen."""
    return np.log(mass, out=np.full(len(mass), -np.inf), where=mass > 0)


def reach_of(p: Queries, y: Tokens) -> Row:
    """Bound |p| max|y| of the exponents of each query."""
    longest = np.sqrt(np.einsum("nd,nd->n", y, y).max())
    return np.asarray(np.sqrt(np.einsum("kd,kd->k", p, p)) * longest)


def largest(p: Queries, y: Tokens, mass: Masses) -> Row:
    """The largest exponent of each query, with the log of its positive mass; masses
    below e^-600 count as that, so that no factor overflows."""
    log_mass, out = np.maximum(np.log(mass), -600), np.empty(len(p))
    rows = max(1, BLOCK // len(y))
    for start in range(0, len(p), rows):
        s = p[start : start + rows] @ y.T
        s += log_mass
        s.max(axis=1, out=out[start : start + rows])
    return out


def lift(y: Tokens, mass: Masses) -> Float[np.ndarray, "n d1"]:
    """Tokens times their masses, with the masses as a last coordinate."""
    return np.concatenate([y, np.ones((len(y), 1))], axis=1) * mass[:, None]


def all_pairs(
    p: Queries, shift: Row, y: Tokens, mass: Masses, exp: Exponential
) -> Float[np.ndarray, "k d1"]:
    """Sums of e^{<p,y> - shift} (y, 1) over the measure, a tile at a time."""
    left, right = _sides(p, shift, y, exp)
    w, out = lift(y, mass), np.zeros((len(p), p.shape[1] + 1))
    for i in _parts(len(p)):
        for j in _parts(len(y)):
            s = left[i] @ right[:, j]
            exp.in_place(s)
            out[i] += s @ w[j]
    return out


def same_pairs(
    p: Queries, shift: Row, x: Tokens, mass: Masses, exp: Exponential
) -> Float[np.ndarray, "n d1"]:
    """``all_pairs`` for symmetric scores and a common shift: tile (i, j) is also (j, i)
    transposed."""
    left, right = _sides(p, shift, x, exp)
    w, out = lift(x, mass), np.zeros((len(p), p.shape[1] + 1))
    parts = _parts(len(x))
    for a, i in enumerate(parts):
        for b, j in enumerate(parts[a:]):
            s = left[i] @ right[:, j]
            exp.in_place(s)
            out[i] += s @ w[j]
            if b:
                out[j] += s.T @ w[i]
    return out


def _sides(
    p: Queries, shift: Row, y: Tokens, exp: Exponential
) -> tuple[Float[np.ndarray, "k d1"], Float[np.ndarray, "d1 n"]]:
    """Two matrices whose product holds the shifted scores times the scale."""
    left = np.concatenate([p, -shift[:, None]], axis=1) * exp.scale
    return left, np.concatenate([y.T, np.ones((1, len(y)))])


def _parts(n: int) -> list[slice]:
    return [slice(start, start + TILE) for start in range(0, n, TILE)]


def is_symmetric(K: Matrix) -> bool:
    """Equal to the transpose up to the rounding of a product such as R D R^T."""
    return bool(np.abs(K - K.T).max() <= 4 * EPS * np.abs(K).max())


Pairs = Callable[[Queries, Row, Tokens, Masses], Float[np.ndarray, "k d1"]]


def safely(
    p: Queries, y: Tokens, mass: Masses, pairs: Pairs, same: Pairs | None = None
) -> Moments:
    """Moments by a function that sums over all pairs with given shifts.

    ``same`` is its faster form for symmetric scores of y with itself.  Rows that vanish
    under the first shift are summed again by ``pairs``.
    """
    reach, total = reach_of(p, y), float(mass.sum())
    if reach.max() > FAR:
        return _by_largest(p, y, mass, reach, total)
    shift = reach.copy()
    if same is not None and np.ptp(reach) < APART:
        shift[:] = reach.max()
        pairs_first = same
    else:
        pairs_first = pairs
    with np.errstate(under="ignore"):
        out = pairs_first(p, shift, y, mass)
        lost = ~(out[:, -1] >= TINY * total)
        if lost.any():
            q, seen = p[lost], mass > 0
            shift[lost] = largest(q, y[seen], mass[seen])
            out[lost] = pairs(q, shift[lost], y[seen], mass[seen])
    return Moments(shift, out[:, -1], out[:, :-1], reach, total)


def _by_largest(
    p: Queries, y: Tokens, mass: Masses, reach: Row, total: float
) -> Moments:
    """For scores so large that their rounding outgrows a shift by the bound: the
    largest score of a row is taken off the scores themselves."""
    out, shift = np.empty((len(p), p.shape[1] + 1)), np.empty(len(p))
    ones = lift(y, np.ones(len(y)))
    rows = max(1, BLOCK // len(y))
    for start in range(0, len(p), rows):
        part = slice(start, start + rows)
        a, shift[part] = scores(p[part], y, mass)
        out[part] = a @ ones
    return Moments(shift, out[:, -1], out[:, :-1], reach, total)


def with_exponential(exp: Exponential) -> tuple[Pairs, Pairs]:
    """The two forms of the sum over pairs with this exponential."""

    def pairs(p: Queries, shift: Row, y: Tokens, mass: Masses) -> np.ndarray:
        return all_pairs(p, shift, y, mass, exp)

    def same(p: Queries, shift: Row, y: Tokens, mass: Masses) -> np.ndarray:
        return same_pairs(p, shift, y, mass, exp)

    return pairs, same


PAIRS, SAME = with_exponential(NUMPY)


def free(p: Queries, y: Tokens, mass: Masses, tol: float) -> Moments:
    """Moments for free queries."""
    return safely(p, y, mass, PAIRS)


def sums(at: Queries, x: Tokens, K: Matrix, mass: Masses, tol: float) -> Moments:
    """Moments of one head; every exponential serves two pairs if it can."""
    symmetric = at is x and is_symmetric(K)
    return safely(at @ K.T, x, mass, PAIRS, SAME if symmetric else None)


def why_not(task: Task) -> str | None:
    """It can do everything."""
    return None


def cost(task: Task) -> float:
    """Seconds on one core (measured: Zen 4, AVX-512, OpenBLAS)."""
    halved = task.same and task.K is not None and is_symmetric(task.K)
    pair = 0.65e-9 + 0.8e-10 * task.d if halved else 1.15e-9 + 1e-10 * task.d
    return 3e-5 + task.k * task.n * pair


METHOD = Method("dense", sums, why_not, cost, free)
