r"""Sums over a cloud that has come together: a cell of many tokens is a few nodes.

.. math::
    \int_{\text{cell}} e^{\langle p, y\rangle} \binom{1}{y}\,d\mu(y)
    \approx \sum_j w_j\, e^{\langle p, y_j\rangle} \binom{1}{y_j},
    \qquad w_j = \int_{\text{cell}} L_j\,d\mu

with Chebyshev nodes :math:`y_j` of the cell and their Lagrange polynomials
:math:`L_j`, and the same polynomials carry sums from the nodes of a cell back to its
tokens.  A cell is so small that exponents change by a few units across it, so every
sum keeps its digits however small it is.  Series on the whole circle or sphere lose
them where tokens ask far away from all others, and all pairs are the price.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from tfdynlib import attention, sphere
from tfdynlib.summation import compiled, dense

Points = Float[np.ndarray, "n d"]
# Half of a cell in units of 1/|beta B|: what exponents change by, at most.
REACH = 2.0
# No cell has a larger half: the circle and the sphere bend.
WIDEST = 0.1
# Chebyshev nodes in each direction, for errors of 1e-12 and 1e-5 in the mean.
NODES = {2: 14, 3: 6}
# Up to so many nodes are summed in pairs; a cloud that needs more is not together.
MOST = {2: 8_000, 3: 30_000}

PAIRS = compiled.pairs if compiled.installed() else dense.PAIRS


@dataclass(frozen=True)
class Cells:
    """Which nodes stand for which tokens.

    Attributes
    ----------
    y
        Nodes of crowded cells, and the tokens of the others, which stay alone.
    alone
        Numbers of these.
    crowded, spread
        Numbers of the others, and the matrix that carries values at nodes to them.
    """

    y: Points
    alone: Int[np.ndarray, " a"]
    crowded: Int[np.ndarray, " b"]
    spread: Any

    def masses(self, mass: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
        """Masses of y; those of nodes may be negative, and sum to the cell's."""
        return np.concatenate([self.spread.T @ mass[self.crowded], mass[self.alone]])


def cells(x: Points, half: float, most: int) -> Cells | None:
    """Cells of this half width on the faces of a cube around the circle or sphere;
    None if more than ``most`` nodes are left."""
    d = x.shape[1]
    p = NODES[d]
    face, u = _on_cube(x)
    place = np.floor((u + 1) / (2 * half)).astype(np.int64)
    side = int(1 / half) + 2
    key = face
    for k in range(d - 1):
        key = key * side + place[:, k]
    _, first, label = np.unique(key, return_index=True, return_inverse=True)
    full = np.bincount(label) > p ** (d - 1)
    inside = full[label]
    alone, crowded = np.flatnonzero(~inside), np.flatnonzero(inside)
    if full.sum() * p ** (d - 1) + len(alone) > most:
        return None
    number = np.cumsum(full) - 1
    middle = (2 * place + 1) * half - 1
    y = _nodes(face[first[full]], middle[first[full]], half, p)
    local = (u[crowded] - middle[crowded]) / half
    spread = _spread(local, number[label[crowded]], int(full.sum()), p)
    return Cells(np.concatenate([y, x[alone]]), alone, crowded, spread)


def _on_cube(x: Points) -> tuple[Int[np.ndarray, " n"], Float[np.ndarray, "n c"]]:
    """Face (2 axis + side) and coordinates in [-1, 1] of the point of a cube."""
    n, d = x.shape
    axis = np.abs(x).argmax(axis=1)
    top = x[np.arange(n), axis]
    others = np.array([[k for k in range(d) if k != a] for a in range(d)])[axis]
    u = np.take_along_axis(x, others, axis=1) / np.abs(top)[:, None]
    return 2 * axis + (top < 0), u


def _nodes(
    face: Int[np.ndarray, " m"], middle: Float[np.ndarray, "m c"], half: float, p: int
) -> Points:
    """The nodes of cells, cell by cell, on the circle or sphere."""
    m, c = middle.shape
    grid = np.stack(np.meshgrid(*[_chebyshev(p)] * c, indexing="ij"), -1).reshape(-1, c)
    u = (middle[:, None] + half * grid).reshape(-1, c)
    axis, sign = (
        np.repeat(face // 2, len(grid)),
        np.repeat(1 - 2 * (face % 2), len(grid)),
    )
    y = np.empty((len(u), c + 1))
    for a in range(c + 1):
        here = axis == a
        y[here] = np.insert(u[here], a, sign[here], axis=1)
    return sphere.retract(y)


def _chebyshev(p: int) -> Float[np.ndarray, " p"]:
    return np.cos(np.pi * (np.arange(p) + 0.5) / p)


def _lagrange(s: Float[np.ndarray, " n"], p: int) -> Float[np.ndarray, "n p"]:
    """Lagrange polynomials of the nodes at s in [-1, 1]."""
    k = np.arange(p)
    sums = 2 / p * np.cos(np.outer(k, np.pi * (k + 0.5) / p))
    sums[0] /= 2
    return np.cos(np.arccos(np.clip(s, -1, 1))[:, None] * k) @ sums


def _spread(
    local: Float[np.ndarray, "b c"], cell: Int[np.ndarray, " b"], m: int, p: int
) -> Any:
    """The sparse matrix from values at the nodes of m cells to those at tokens."""
    from scipy.sparse import csr_array

    rows = _lagrange(local[:, 0], p)
    for s in local.T[1:]:
        rows = (rows[:, :, None] * _lagrange(s, p)[:, None, :]).reshape(
            len(rows), rows.shape[1] * p
        )
    b, q = rows.shape
    columns = cell[:, None] * q + np.arange(q)
    ends = np.arange(b + 1) * q
    return csr_array((rows.ravel(), columns.ravel(), ends), shape=(b, m * q))


@dataclass(frozen=True)
class Field:
    """The velocity of softmax attention with one head, in the plane or in space: by
    cells as soon as the cloud is together, and as ``plain`` says before."""

    plain: attention.Field

    def __call__(self, t: float, x: Points) -> Points:
        heads, d = self.plain.path(t), x.shape[1]
        steep = float(np.linalg.norm(heads.beta * heads.B[0], 2))
        half = REACH / max(steep, REACH / WIDEST)
        found = cells(x, half, MOST[d])
        if found is None:
            return self.plain(t, x)
        mass = self.plain.mass
        mass = np.full(len(x), 1 / len(x)) if mass is None else mass
        asked = heads.beta * found.y @ heads.B[0].T
        # One shift for a cell: the sums are smooth there, their ratio less so.
        nodes, q = found.spread.shape[1], NODES[d] ** (d - 1)
        shift = dense.largest(asked, found.y, np.ones(len(found.y)))
        one = shift[:nodes].reshape(-1, q).max(axis=1)
        shift[:nodes] = np.repeat(one, q)
        sums = PAIRS(asked, shift, found.y, found.masses(mass))
        seen = np.empty((len(x), d + 1))
        seen[found.alone], seen[found.crowded] = (
            sums[nodes:],
            found.spread @ sums[:nodes],
        )
        seen = seen[:, :-1] / seen[:, -1:]
        v = seen @ heads.V[0].T
        return sphere.project(x, sphere.project(x, v))
