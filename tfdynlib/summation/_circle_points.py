"""Points of the circle, and the two transforms between them and modes: on a grid for
any number of modes, or in compiled loops for few."""

from functools import cached_property

import numpy as np
from jaxtyping import Complex, Float

from tfdynlib.summation import _circle, compiled
from tfdynlib.summation._moments import Masses, Queries

# Up to this many modes a power of each token for each mode is quicker than a grid...
FEW_MODES = 64
# ...and from so many tokens on it is worth the half second of loading numba.
MANY = 4096
# Tokens that a loop takes at once.
STEP = 32


class Angles:
    """Points by their angles, for the transforms of ``_circle``."""

    def __init__(self, x: Queries):
        self.theta = np.arctan2(x[:, 1], x[:, 0])

    def coefficients(
        self, mass: Masses, n: int, accuracy: float
    ) -> Complex[np.ndarray, " m"]:
        r"""Fourier coefficients :math:`\sum_j m_j e^{-ik\theta_j}`, k = 0 .. n."""
        return _circle.coefficients(self.theta, mass, n, accuracy)

    def values(
        self, c: Complex[np.ndarray, "3 m"], accuracy: float
    ) -> Float[np.ndarray, "3 n"]:
        r"""Real functions :math:`c_0 + 2\,\mathrm{Re} \sum_{k>0} c_k e^{ik\theta}`."""
        return _circle.values(self.theta, c, accuracy)

    def remainder(self, n: int, accuracy: float) -> float:
        """Relative error of the mode n, at most ``accuracy``."""
        return _circle.remainder(n, accuracy, len(self.theta))


class Vectors:
    """Points as unit vectors, for compiled loops over their powers; exact to rounding.

    The mode k is off by about k roundings, as it is for an angle.  Large modes weigh
    little: in the sums of a head this is worth the root of its exponent.
    """

    def __init__(self, x: Queries):
        self.n, self.m = len(x), -(-len(x) // STEP) * STEP
        self.z = np.zeros((2, self.m))
        # Of norm one to the last digit: a power makes the most of what is missing.
        np.divide(x.T, np.sqrt(np.einsum("nd,nd->n", x, x)), out=self.z[:, : self.n])

    @cached_property
    def flat(self) -> Float[np.ndarray, " _"]:
        """One coordinate after the other."""
        return self.z.ravel()

    def coefficients(
        self, mass: Masses, n: int, accuracy: float
    ) -> Complex[np.ndarray, " m"]:
        """See ``Angles``."""
        weight, out = np.zeros(self.m), np.empty((2, n + 1))
        weight[: self.n] = mass
        compiled.waves().coefficients(self.flat, self.m, weight, n, out.ravel())
        return out[0] - 1j * out[1]

    def values(
        self, c: Complex[np.ndarray, "3 m"], accuracy: float
    ) -> Float[np.ndarray, "3 n"]:
        """See ``Angles``."""
        n = c.shape[1] - 1
        parts = np.stack([2 * c.real.T, -2 * c.imag.T], axis=2)
        parts[0] /= 2
        out = np.empty((3, self.m))
        compiled.waves().values(self.flat, self.m, parts.ravel(), n, out.ravel())
        return out[:, : self.n]

    def remainder(self, n: int, accuracy: float) -> float:
        """See ``Angles``."""
        return 0.0


Points = Angles | Vectors


def in_loops(points: int, n: int) -> bool:
    """Whether the loops take so many points with modes up to n."""
    return n <= FEW_MODES and points >= MANY and compiled.installed()


def points(x: Queries, n: int) -> Points:
    """Points for modes up to n."""
    return Vectors(x) if in_loops(len(x), n) else Angles(x)
