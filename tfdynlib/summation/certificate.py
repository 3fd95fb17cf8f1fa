"""The promise of the tolerance, kept for every row of an approximation."""

from collections.abc import Callable
from dataclasses import replace

from tfdynlib.summation._moments import (
    Masses,
    Matrix,
    Method,
    Moments,
    Queries,
    Tokens,
)


def repair(
    sums: Moments,
    at: Queries,
    K: Matrix,
    x: Tokens,
    mass: Masses,
    tol: float,
    exact: Callable[[int], Method],
) -> Moments:
    r"""The same sums, with every row whose error bound misses ``tol`` computed anew.

    A row is kept if :math:`2(\mathrm{tail} + \epsilon) / q \le` tol; a row with a sum
    that is not a positive number never is.  Queries are those of the points ``at`` with
    the matrix K.  ``exact(k)`` is the method that computes the k others.
    """
    bad = ~(sums.error <= tol)
    if not bad.any():
        return sums
    method = exact(int(bad.sum()))
    if method.free is None:
        raise TypeError(f"method {method.name!r} takes no free queries")
    again = method.free(at[bad] @ K.T, x, mass, tol)
    parts = {name: getattr(sums, name).copy() for name in ("shift", "z", "first")}
    for name, value in parts.items():
        value[bad] = getattr(again, name)
    return replace(sums, **parts)
