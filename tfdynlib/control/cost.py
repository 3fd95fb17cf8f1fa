"""What a path of weights costs: in weights, and in motion of the tokens."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib.control.arrival import edges
from tfdynlib.gaussian import Gaussian, Layer, LayerPath, solve

Times = Float[np.ndarray, " k"]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
# A panel is halved until its halves say the same, relative to the whole.
AGREE = 1e-11
# 2^-40 of the interval: a path that still is not smooth there is not smooth.
LEVELS = 40


def weight_cost(path: LayerPath) -> float:
    r""":math:`\int|A|^2+|B|^2+|V|^2+|b|^2\,dt`, Frobenius norms.

    Gauss-Legendre sums of 8 nodes (order 16) on panels between the breaks, which are
    halved where a panel and its halves differ by more than 1e-11 of the whole.  Raises
    ``ValueError`` for a path without end, or not smooth between its breaks.
    """
    edges(path)
    return _integral(lambda t: np.array([_squares(path(s)) for s in t]), path)


def kinetic_cost(path: LayerPath, start: Gaussian) -> float:
    r""":math:`\int E|u_t(x)|^2\,dt`, the motion of the tokens along the path.

    On :math:`N(m,\Sigma)` it is :math:`|\dot m|^2+\mathrm{tr}\,J\Sigma J^\top`.  At
    least :math:`W_2^2/T`, which the geodesic attains (Benamou-Brenier).  The moments
    are integrated to 1e-12; the quadrature is that of ``weight_cost``.  ``inf`` if the
    covariance blows up on the way; ``ValueError`` for a path too stiff to be followed.
    """
    _check.instance(start, Gaussian, "start", "a gaussian.Gaussian")
    first, last = edges(path)
    whole = solve(path, start, np.array([first, last]))
    if whole.status in ("blow-up", "not finite"):
        return float("inf")
    if whole.status != "done":
        raise _check.refuse("path", "one that can be followed", f"{whole.status!r}")

    def motion(t: Times) -> Times:
        # The start is no node; times between output times are not seen by the steps.
        run = solve(path, start, np.concatenate([[first], t]))
        cases = zip(t, run.mean[1:], run.factor[1:])
        return np.array([_motion(path(s), m, L) for s, m, L in cases])

    return _integral(motion, path)


def _squares(layer: Layer) -> float:
    return float(sum(np.sum(M**2) for M in (layer.A, layer.B, layer.V, layer.b)))


def _motion(layer: Layer, mean: np.ndarray, L: np.ndarray) -> float:
    """|m'|^2 + |J L|^2; the product V Sigma B is never formed."""
    attended = layer.V @ (mean + L @ (L.T @ (layer.B @ mean)))
    drift = layer.A @ mean + attended + layer.b
    spread = layer.A @ L + layer.V @ (L @ (L.T @ (layer.B @ L)))
    return float(drift @ drift + np.sum(spread**2))


def _integral(f: Callable[[Times], Times], path: LayerPath) -> float:
    """Integral of f over the path; f takes increasing times, never a break."""
    first, last = edges(path)
    ends = np.array([first, *path.breaks, last])
    left, right = ends[:-1], ends[1:]
    coarse = _sums(f, left, right)
    total = 0.0
    for _ in range(LEVELS):
        middle = (left + right) / 2
        halves = np.stack([left, middle, right], axis=1)
        both = _sums(f, halves[:, :2].ravel(), halves[:, 1:].ravel()).reshape(-1, 2)
        fine = both.sum(axis=1)
        whole = total + fine.sum()
        open_ = np.abs(fine - coarse) > AGREE * abs(whole)
        total += fine[~open_].sum()
        if not open_.any():
            return float(total)
        left, right = halves[open_, :2].ravel(), halves[open_, 1:].ravel()
        coarse = both[open_].ravel()
    wanted = "smooth between its breaks"
    raise _check.refuse("path", wanted, f"one that is not near t = {left[0]:g}")


def _sums(f: Callable[[Times], Times], left: Times, right: Times) -> Times:
    """Gauss-Legendre sum of each panel."""
    half = (right - left)[:, None] / 2
    t = (left[:, None] + half + half * NODES).ravel()
    return (f(t).reshape(half.shape[0], -1) * half) @ WEIGHTS
