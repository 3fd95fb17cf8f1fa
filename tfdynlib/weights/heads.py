"""The heads of one layer."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number

# Scores beta <Bx, y> of unit tokens stay below this, with room for sums over d.
MOST = 1e300

Stack = Float[np.ndarray, "H d d"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Heads:
    r"""The attention heads of one layer on R^d, stacked.

    Attributes
    ----------
    B
        Score matrices.  Token x looks at y with score
        :math:`\beta\langle B x, y\rangle` in every room of the book.  (For a paper that
        scores :math:`\langle B^\top x, y\rangle` pass the transpose: conventions are
        converted here, at the edge.)
    V
        Value matrices.  What y sends to x is Vy.
    beta
        Inverse temperature, dimensionless, positive.  Large: x sees only its best
        match; small: x sees the mean of all tokens.
    mass
        The measure Θ over heads, uniform if not given: velocities are means over
        heads with these masses.

    A single (d, d) matrix is one head.  Arrays are copied and cannot be written into.
    Raises ``ValueError`` for shapes that do not fit, numbers that are not finite,
    beta <= 0, and masses that do not sum to 1.
    """

    B: Stack
    V: Stack
    beta: float
    mass: Float[np.ndarray, " H"]

    def __init__(
        self,
        B: ArrayLike,
        V: ArrayLike,
        beta: Number = 1.0,
        mass: ArrayLike | None = None,
    ):
        B, V = stack(B, "B"), stack(V, "V")
        if B.shape != V.shape:
            raise _check.refuse("V", f"of the shape {B.shape} of B", V)
        mass = _check.masses(mass, len(B), "mass").copy()
        for name, value in (("B", B), ("V", V), ("mass", mass)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        beta, size = _check.positive(beta, "beta"), np.abs(B).max()
        if beta > MOST / max(size, 1.0):
            raise _check.refuse("beta", f"such that beta B is below {MOST:g}", beta)
        object.__setattr__(self, "beta", beta)

    @classmethod
    def from_qkv(
        cls,
        Q: ArrayLike,
        K: ArrayLike,
        V: ArrayLike,
        beta: Number = 1.0,
        mass: ArrayLike | None = None,
    ) -> "Heads":
        r"""Heads with score :math:`\beta\langle Qx, Ky\rangle`: :math:`B = K^\top Q`.

        Q and K are (k, d) or (H, k, d), V is (d, d) or (H, d, d).  The head width k may
        be smaller than d; the rank of B is then at most k.
        """
        Q, K = _check.array(Q, "Q"), _check.array(K, "K")
        if Q.ndim not in (2, 3):
            raise _check.refuse("Q", "of shape (k, d) or (H, k, d)", Q)
        if K.shape != Q.shape:
            raise _check.refuse("K", f"of the shape {Q.shape} of Q", K)
        return cls(np.swapaxes(K, -1, -2) @ Q, V, beta, mass)

    @classmethod
    def descent(
        cls, D: ArrayLike, beta: Number = 1.0, mass: ArrayLike | None = None
    ) -> "Heads":
        """Heads with B = D and V = -D for symmetric D: a single one descends
        ``energy.interaction``.  D = I spreads tokens apart."""
        D = _check.symmetric(D, "D")
        return cls(D, -D, beta, mass)

    @property
    def H(self) -> int:
        """Number of heads."""
        return len(self.B)

    @property
    def d(self) -> int:
        """Dimension of a token."""
        return self.B.shape[-1]

    def __len__(self) -> int:
        return self.H

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Heads):
            return NotImplemented
        return self.beta == other.beta and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("B", "V", "mass")
        )

    def __repr__(self) -> str:
        if self.H == 1 and self.d <= 4:
            B, V = self.B[0].tolist(), self.V[0].tolist()
            return f"Heads(B={B}, V={V}, beta={self.beta:g})"
        return f"Heads(H={self.H}, d={self.d}, beta={self.beta:g})"


def stack(value: ArrayLike, name: str) -> Stack:
    """One matrix or a stack of them, as a fresh (H, d, d) array."""
    out = _check.square(value, name)
    if out.ndim > 3:
        raise _check.refuse(name, "square, (d, d) or (H, d, d)", out)
    return _check.bounded(out, name).reshape(-1, *out.shape[-2:]).copy()


def gradient_sign(heads: Heads) -> int:
    """-1 if V = -B (descent) and +1 if V = B (ascent), B symmetric, in every head.

    Raises ``ValueError`` for any other heads: they have no gradient rule.
    """
    _check.symmetric(_check.fixed_heads(heads, "heads").B, "heads.B")
    for sign in (-1, 1):
        if np.array_equal(heads.V, sign * heads.B):
            return sign
    raise _check.refuse(
        "heads.V", "-B in every head, or B in every head (gradient heads)", heads
    )
