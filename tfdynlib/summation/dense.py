"""All pairs in NumPy: exact, in blocks of rows, so that memory is O(N)."""

import numpy as np
from jaxtyping import Float

from tfdynlib.summation._moments import (
    Masses,
    Matrix,
    Method,
    Moments,
    Queries,
    Task,
    Tokens,
)

# Scores held at a time: 2^17 doubles are 1 MB, which stays in the cache.
BLOCK = 2**17
# Sums below this, in units of the bound e^reach, are summed again from their maximum.
TINY = 1e-280


def scores(
    p: Queries, y: Tokens, mass: Masses
) -> tuple[Float[np.ndarray, "k n"], Float[np.ndarray, " k"]]:
    """Unnormalised weights e^{<p,y>} mass / e^{shift}, and the shift of each row."""
    s = p @ y.T
    s += _log(mass)
    shift = s.max(axis=1)
    s -= shift[:, None]
    return np.exp(s, out=s), shift


def _log(mass: Masses) -> Masses:
    """Logarithm of masses; an atom without mass gets -inf and is never seen."""
    return np.log(mass, out=np.full(len(mass), -np.inf), where=mass > 0)


def reach_of(p: Queries, y: Tokens) -> Float[np.ndarray, " k"]:
    """Bound |p| max|y| of the exponents of each query, with room for rounding."""
    longest = np.sqrt(np.einsum("nd,nd->n", y, y).max())
    return np.sqrt(np.einsum("kd,kd->k", p, p)) * longest


def free(p: Queries, y: Tokens, mass: Masses, tol: float) -> Moments:
    """Moments for free queries: every pair, a block of queries at a time."""
    k, n = len(p), len(y)
    shift, total = np.empty(k), np.empty((k, y.shape[1] + 1))
    lifted = np.concatenate([y, np.ones((n, 1))], axis=1)
    rows = max(1, BLOCK // n)
    for start in range(0, k, rows):
        part = slice(start, start + rows)
        a, shift[part] = scores(p[part], y, mass)
        np.matmul(a, lifted, out=total[part])
    whole = float(mass.sum())
    return Moments(shift, total[:, -1], total[:, :-1], reach_of(p, y), whole)


def sums(at: Queries, x: Tokens, K: Matrix, mass: Masses, tol: float) -> Moments:
    """Moments of one head."""
    return free(at @ K.T, x, mass, tol)


def why_not(task: Task) -> str | None:
    """It can do everything."""
    return None


def cost(task: Task) -> float:
    """Seconds on one core."""
    return 2e-5 + task.k * task.n * (3e-9 + 1e-10 * task.d)


METHOD = Method("dense", sums, why_not, cost, free)
