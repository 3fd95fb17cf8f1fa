"""The value ``Measure``, shown to the reader as ``measure.Measure``.

It stands before ``sphere`` on the way, so that ``sphere.quadrature`` can return one
and every import still looks back.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Measure:
    r"""A probability measure with finitely many atoms, :math:`\sum_i m_i \delta_{x_i}`.

    Attributes
    ----------
    x
        The atoms, one a row.  A plain list of numbers is a measure on the line.
    mass
        Their masses, none negative; uniform if not given.  Given masses of any positive
        sum are divided by it, so that what is kept sums to 1.

    Both are copies that cannot be written into.  The order of atoms carries no
    meaning: two measures that differ in it have distance zero.
    """

    x: Float[np.ndarray, "n d"]
    mass: Float[np.ndarray, " n"]

    def __init__(self, x: ArrayLike, mass: ArrayLike | None = None):
        x = _check.array(x, "x")
        x = _check.tokens(x[:, None] if x.ndim == 1 else x).copy()
        mass = _check.masses(mass, len(x), any_sum=True).copy()
        for name, value in (("x", x), ("mass", mass)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        n, d = self.x.shape
        kind = "equal" if np.ptp(self.mass) == 0 else "unequal"
        return f"Measure({n} atoms in R^{d}, {kind} masses)"
