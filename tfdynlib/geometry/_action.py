"""The action of moving tokens at many times at once, and its gradient.

One array axis, ``q``, runs over times; the tokens of one time see only each other.
All inputs have passed the front door of ``geometry``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib.weights import Heads, WeightPath

Places = Float[np.ndarray, "q n d"]
Squares = Float[np.ndarray, "q n"]
Masses = Float[np.ndarray, " n"]

# Scores held at a time for one head: 2^20 doubles are 8 MB.
BLOCK = 2**20


@dataclass(frozen=True)
class Layers:
    """Score matrices times beta, and the masses of the heads, at q times."""

    B: Float[np.ndarray, "q H d d"]
    mass: Float[np.ndarray, "q H"]

    def part(self, rows: slice) -> "Layers":
        """The layers at some of the times."""
        return Layers(self.B[rows], self.mass[rows])


def layers(heads: Heads | WeightPath, t: Float[np.ndarray, " q"]) -> Layers:
    """What the heads are at the times t."""
    if isinstance(heads, Heads):
        B, q = heads.beta * heads.B, len(t)
        return Layers(
            np.broadcast_to(B, (q, *B.shape)),
            np.broadcast_to(heads.mass, (q, heads.H)),
        )
    at = [heads(float(s)) for s in t]
    return Layers(np.stack([h.beta * h.B for h in at]), np.stack([h.mass for h in at]))


def rates(
    x: Places, square: Squares, mass: Masses, at: Layers
) -> Float[np.ndarray, " q"]:
    r"""The action :math:`\sum_i p_i \hat b_i |v_i|^2` at each time, from the squared
    speeds."""
    out = np.empty(len(x))
    for rows in _blocks(x):
        b = _head_sums(x[rows], mass, at.part(rows))[0]
        out[rows] = (b * square[rows]) @ mass
    return out


def gradient(
    x: Places,
    square: Squares,
    mass: Masses,
    at: Layers,
    w: Float[np.ndarray, " q"],
) -> tuple[float, Places, Squares]:
    r"""The sum of :math:`w_q p_i \hat b_i |v_i|^2`, and its gradients.

    With :math:`\lambda_{hi} = w_q p_i |v_i|^2 \hat b_i^2 m_h / s_{hi}^2`, that in a
    token is

    .. math:: \beta \sum_h \Bigl( \lambda_{hi} B_h^\top \sum_j p_j K^h_{ij} x_j
              + p_i \sum_j \lambda_{hj} K^h_{ji} B_h x_j \Bigr)

    (ambient, not projected), that in a squared speed :math:`w_q p_i \hat b_i`.
    """
    total, by_place, by_square = 0.0, np.empty_like(x), np.empty_like(square)
    for rows in _blocks(x):
        part = at.part(rows)
        b, sums, kernels = _head_sums(x[rows], mass, part)
        by_square[rows] = w[rows, None] * mass * b
        weighted = by_square[rows] * square[rows]
        total += float(weighted.sum())
        by_place[rows] = _by_place(x[rows], mass, part, weighted * b, sums, kernels)
    return total, by_place, by_square


def _by_place(
    x: Places,
    mass: Masses,
    at: Layers,
    factor: Squares,
    sums: list[Squares],
    kernels: list[Any],
) -> Places:
    """The gradient in the tokens; ``factor`` is w p |v|^2 b^2."""
    out = np.zeros_like(x)
    for h, (s, K) in enumerate(zip(sums, kernels)):
        B = at.B[:, h]
        share = factor * at.mass[:, h, None] / s**2
        out += share[..., None] * (K @ (mass[:, None] * x) @ B)
        asked = share[..., None] * (x @ B.swapaxes(1, 2))
        out += mass[:, None] * (K.swapaxes(1, 2) @ asked)
    return out


def _head_sums(
    x: Places, mass: Masses, at: Layers
) -> tuple[Squares, list[Squares], list[Any]]:
    """The effective weights; and for each head the sums s_h and the exponentials."""
    kernels = [
        np.exp(x @ at.B[:, h].swapaxes(1, 2) @ x.swapaxes(1, 2))
        for h in range(at.B.shape[1])
    ]
    sums = [K @ mass for K in kernels]
    inverse = sum(at.mass[:, h, None] / s for h, s in enumerate(sums))
    return np.asarray(1 / inverse), sums, kernels


def _blocks(x: Places) -> list[slice]:
    """Times in blocks that hold few enough scores."""
    q, n = x.shape[:2]
    rows = max(1, BLOCK // n**2)
    return [slice(k, k + rows) for k in range(0, q, rows)]
