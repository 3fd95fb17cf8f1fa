r"""Tokens on the circle that far queries see: few atoms in place of many tokens.

A query p that points away from all tokens sees mostly those nearest to its direction.
The circle is cut into panels, so narrow that no exponent changes by more than 2 within
one.  There the kernel is, to rounding, a polynomial of degree :data:`NODES` - 1 in the
angle, so the tokens of a panel act on every query as weights at its Chebyshev nodes:

.. math::
    \sum_i m_i f(\theta_i) = \sum_j W_j f(t_j), \qquad
    W_j = \frac{2}{n} \sum_{k<n}{}^{'} T_k(t_j) \sum_i m_i T_k(\theta_i)

(the sum with a stroke halves its first term).  Of these atoms each query takes those
whose exponents are near its largest one.  Both are exact to rounding, at a cost that is
O(N) and some hundreds of exponentials for each query.
"""

from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Float

from tfdynlib.summation import compiled, dense
from tfdynlib.summation._moments import EPS, Masses, Moments, Queries, Tokens

NODES = 16
# No panel is wider than this, in radians, however small the exponents.
WIDEST = 0.5
# Below so many pairs all of them are summed: making the atoms costs more.
PAIRS = 2**24
# Queries that share one window of atoms.
BESIDE = 256
# Masses below this part of the whole are left to the sums over all pairs.
LIGHTEST = 1e-100

Angles = Float[np.ndarray, " m"]
Row = Float[np.ndarray, " k"]


def rest(k: int, mass: Masses) -> Callable[..., Moments] | None:
    """``free`` for k queries, unless all pairs are so few that they cost less than the
    atoms, or some mass is all but zero."""
    light = mass[mass > 0].min(initial=1.0) < LIGHTEST * mass.sum()
    return free if k * len(mass) > PAIRS and not light else None


def free(p: Queries, y: Tokens, mass: Masses, tol: float) -> Moments:
    """Moments for free queries, of tokens y on the unit circle; exact to rounding."""
    reach, toward = np.hypot(*p.T), np.arctan2(p[:, 1], p[:, 0])
    seen = mass > 0
    theta = np.arctan2(y[seen, 1], y[seen, 0])
    at, weight = atoms(theta, mass[seen], float(reach.max()))
    depth = float(np.log(mass.sum() / (EPS * mass[seen].min())))
    pairs = compiled.pairs if compiled.installed() else dense.PAIRS
    out, shift = np.empty((len(p), 3)), np.empty(len(p))
    for rows, part, nearest in windows(reach, toward, at, depth):
        shift[rows] = reach[rows] * np.cos(nearest)
        place = np.stack([np.cos(at[part]), np.sin(at[part])], axis=1)
        out[rows] = pairs(p[rows], shift[rows], place, weight[part])
    total = float(mass.sum())
    return Moments(shift, out[:, 2], out[:, :2], reach, total)


def atoms(
    theta: Float[np.ndarray, " n"], mass: Masses, r: float
) -> tuple[Angles, Angles]:
    """Angles and weights, in the order of angles, that act as the tokens do on queries
    of length r and less.  Weights may be negative; panels with few tokens keep them."""
    order = np.argsort(theta)
    theta, mass = theta[order], mass[order]
    width = min(WIDEST, 2 / max(r, 1e-300))
    cell = np.floor((theta + np.pi) / width)
    first = np.flatnonzero(np.diff(cell, prepend=-1.0))
    count = np.diff(first, append=len(theta))
    full = count > NODES
    keep = ~np.repeat(full, count)
    at, weight = _nodes(theta[~keep], mass[~keep], count[full])
    both = np.concatenate([theta[keep], at]), np.concatenate([mass[keep], weight])
    again = np.argsort(both[0])
    return both[0][again], both[1][again]


def _nodes(
    theta: Float[np.ndarray, " n"], mass: Masses, count: np.ndarray
) -> tuple[Float[np.ndarray, " j"], Float[np.ndarray, " j"]]:
    """Chebyshev nodes of each panel, between its first and its last token, and their
    weights; ``count`` tokens are in each panel, one panel after another."""
    if len(count) == 0:
        return np.empty(0), np.empty(0)
    first = np.cumsum(count) - count
    low, high = theta[first], theta[first + count - 1]
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, EPS)
    u = np.clip((theta - np.repeat(middle, count)) / np.repeat(half, count), -1, 1)
    k = np.arange(NODES)
    t = (k + 0.5) * np.pi / NODES
    moments = np.empty((len(count), NODES))
    before, now = u, np.ones_like(u)  # T_1 = T_{-1} and T_0
    for degree in k:
        moments[:, degree] = np.add.reduceat(mass * now, first)
        before, now = now, 2 * u * now - before
    moments[:, 0] /= 2
    weight = moments @ np.cos(k[:, None] * t) * (2 / NODES)
    return (middle[:, None] + half[:, None] * np.cos(t)).ravel(), weight.ravel()


def windows(
    reach: Row, toward: Row, at: Angles, depth: float
) -> Iterator[tuple[np.ndarray, np.ndarray, Float[np.ndarray, " j"]]]:
    """Queries in groups: their places, those of the atoms they see, and the angle from
    each query to the atom nearest to its direction.

    An atom is seen if its exponent is at most ``depth`` below the largest one.
    """
    order, m = np.argsort(toward), len(at)
    round_ = np.concatenate([at - 2 * np.pi, at, at + 2 * np.pi])
    for start in range(0, len(order), BESIDE):
        rows = order[start : start + BESIDE]
        psi, r = toward[rows], np.maximum(reach[rows], 1e-300)
        right = np.searchsorted(round_, psi)
        nearest = np.minimum(psi - round_[right - 1], round_[right] - psi)
        widest = np.arccos(np.maximum(np.cos(nearest) - depth / r, -1.0))
        low = int(np.searchsorted(round_, (psi - widest).min() - EPS))
        high = int(np.searchsorted(round_, (psi + widest).max() + EPS, "right"))
        yield rows, np.arange(low, max(low + 1, min(high, low + m))) % m, nearest
