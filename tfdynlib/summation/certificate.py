"""The promise of the tolerance, kept for every row of an approximation."""

from collections.abc import Callable
from dataclasses import replace

from tfdynlib.summation._moments import Masses, Matrix, Moments, Queries, Tokens


def repair(
    sums: Moments,
    at: Queries,
    K: Matrix,
    x: Tokens,
    mass: Masses,
    tol: float,
    exact: Callable[[int], Callable[..., Moments]],
) -> Moments:
    r"""The same sums, with every row whose error bound misses ``tol`` computed anew.

    A row is kept if :math:`2(\mathrm{tail} + \epsilon) / q \le` tol; a row with a sum
    that is not a positive number never is.  Queries are those of the points ``at`` with
    the matrix K.  ``exact(k)`` is the function of (p, x, mass, tol) that computes the k
    others from their queries p.
    """
    bad = ~(sums.error <= tol)
    if not bad.any():
        return sums
    again = exact(int(bad.sum()))(at[bad] @ K.T, x, mass, tol)
    parts = {name: getattr(sums, name).copy() for name in ("shift", "z", "first")}
    for name, value in parts.items():
        value[bad] = getattr(again, name)
    return replace(sums, **parts)
