r"""Oscillating weights in closed form; used by ``weights.oscillating``.

Every entry of a head relaxes to a harmonic target,

    D'(t) = T(t + phase) - D(t),    T_ij(s) = base_ij + size_ij cos(w_ij s + angle_ij),

so that D(t) = e^{-t} (D(0) - P(phase)) + P(t + phase), where P is the target damped by
1 / sqrt(1 + w^2) and late by arctan w.

Source: the targets are those of the public code of :cite:t:`massucco2026multihead`.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Stack = Float[np.ndarray, "H d d"]
Square = Float[np.ndarray, "d d"]
SINE = -np.pi / 2  # sin s = cos(s - pi/2)


@dataclass(frozen=True)
class Target:
    """base + size cos(w s + angle), entry by entry; symmetric."""

    base: Square
    size: Square
    w: Square
    angle: Square

    def at(self, s: Float[np.ndarray, " H"]) -> Stack:
        """The target at the phases s."""
        return self.base + self.size * np.cos(self._argument(s))

    def response(self, s: Float[np.ndarray, " H"]) -> Stack:
        """The periodic solution of D' = target - D at the phases s."""
        turn = self._argument(s)
        wave = np.cos(turn) + self.w * np.sin(turn)
        return self.base + self.size * wave / (1 + self.w**2)

    def _argument(self, s: Float[np.ndarray, " H"]) -> Stack:
        return self.w * s[:, None, None] + self.angle


def target(d: int) -> Target:
    """The target of the first paper's code in dimension d, 2 or more.

    The diagonal turns once in 2 pi about 2 with size 3/2.  Entries off the diagonal
    turn twice, with size 1; for d = 3 the entry (1, 3) turns once.
    """
    size, w = np.ones((d, d)), np.full((d, d), 2.0)
    np.fill_diagonal(size, 1.5)
    np.fill_diagonal(w, 1.0)
    if d == 3:
        w[0, 2] = w[2, 0] = 1.0
    return Target(2 * np.eye(d), size, w, _angles(d))


def _angles(d: int) -> Square:
    """Where each entry starts its turn."""
    pairs = d * (d - 1) // 2
    if d == 2:
        diagonal, off = np.array([0, np.pi]), np.array([SINE])
    elif d == 3:
        diagonal, off = np.array([0, SINE, np.pi / 4]), np.array([SINE, SINE, 0])
    else:
        diagonal = 2 * np.pi * np.arange(d) / d
        off = SINE + 2 * np.pi * np.arange(pairs) / pairs
    angle = np.diag(diagonal)
    angle[np.triu_indices(d, 1)] = off
    return angle + np.triu(angle, 1).T


def phases(H: int, spread: bool) -> Float[np.ndarray, " H"]:
    """2 pi h / H for head h, or one phase 0 for all."""
    return 2 * np.pi * np.arange(H) / H * spread
