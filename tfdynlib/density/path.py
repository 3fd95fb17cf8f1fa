"""Densities along a run: energy, moments, and clusters in the making."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Complex, Float
from numpy.typing import ArrayLike

from tfdynlib import _check, energy
from tfdynlib._circle import points
from tfdynlib.density._labels import TURN, Angles
from tfdynlib.density._rates import rates
from tfdynlib.density.state import Density
from tfdynlib.measure import Measure
from tfdynlib.weights import Heads, WeightPath

# A velocity below this part of its scale is rounding.
AT_REST = 1e-12
# Points at which zeros of the velocity are looked for.
GRID = 1024


@dataclass(frozen=True, repr=False)
class DensityPath:
    """The densities at layer-times t[k].

    Attributes
    ----------
    t, states
        Output times and densities.  Shorter than asked for only if ``status`` says why.
    status
        ``"done"``; ``"not finite"`` (the velocity left the numbers); ``"too steep"``
        (panels would have to be thinner than doubles can say, or too many); ``"step
        too small"`` (the velocity is too fast, see ``step`` of ``solve``).
    n_evaluations
        How often the velocity was computed.
    """

    t: Float[np.ndarray, " m"]
    states: tuple[Density, ...]
    status: str
    n_evaluations: int
    path: WeightPath = field(repr=False)
    rule: str = "softmax"

    def __repr__(self) -> str:
        return (
            f"DensityPath({len(self.t)} times in [{self.t[0]:g}, {self.t[-1]:g}], "
            f"{self.states[-1]!r} at the end, {self.status}, "
            f"{self.n_evaluations} evaluations)"
        )

    def energy(self) -> Float[np.ndarray, " m"]:
        """Interaction energy at each time, with the weights of that time."""
        return np.array(
            [
                energy.interaction(points(s.angle), self.path(t), s.mass)
                for t, s in zip(self.t, self.states)
            ]
        )

    def moment(self, k: int = 1) -> Complex[np.ndarray, " m"]:
        r"""Circular moment :math:`\int e^{ik\theta} d\mu` at each time."""
        return np.array([state.moment(k) for state in self.states])

    def on(self, angles: ArrayLike) -> Float[np.ndarray, "m k"]:
        """The densities at any angles, one row for each time."""
        return np.stack([state.on(angles) for state in self.states])

    def clusters(self, index: int = -1) -> Measure | None:
        """Clusters in the making at time ``t[index]``.

        Each zero of the velocity that attracts, with the mass between the two zeros
        beside it that repel.  None if no zero of the velocity repels, or if nothing
        moves.
        """
        index = _check.count(index, "index", -len(self.t))
        if index >= len(self.t):
            raise _check.refuse("index", f"below {len(self.t)}", index)
        state, heads = self.states[index], self.path(self.t[index])

        def v(angle: Angles) -> Angles:
            return rates(angle, state.angle, state.mass, heads, self.rule)[0]

        speed = np.abs(v(TURN * np.arange(GRID) / GRID)).max()
        if speed <= AT_REST * self._scale(state, heads):
            return None
        repel = _zeros(v, 1)
        if len(repel) == 0:
            return None
        mass = state.between(repel, np.append(repel[1:], repel[0] + TURN))
        attract = _zeros(v, -1)
        order = np.searchsorted(attract, repel[0])
        places = points(np.roll(attract, -int(order)))
        return Measure(places, mass / mass.sum())

    def _scale(self, state: Density, heads: Heads) -> float:
        """A speed that no token exceeds by much."""
        size = float(heads.mass @ np.linalg.norm(heads.V, 2, axis=(1, 2)))
        if self.rule != "unnormalised":
            return size
        x = points(state.angle)
        return size * float(energy.head_weights(x, heads, state.mass).max())


def _zeros(v: Callable[[Angles], Angles], sign: int) -> Angles:
    """Zeros in [0, 2 pi) at which sign * v turns from negative to positive."""
    grid = TURN * np.arange(GRID + 1) / GRID
    value = sign * v(grid)
    k = np.flatnonzero((value[:-1] < 0) & (value[1:] >= 0))
    low, high = grid[k], grid[k + 1]
    for _ in range(50):
        if len(k) == 0:
            break
        middle = (low + high) / 2
        below = sign * v(middle) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2
