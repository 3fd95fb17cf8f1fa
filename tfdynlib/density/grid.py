"""Grids that carry a density on the two-sphere."""

from collections.abc import Callable

import numpy as np

from tfdynlib import _check, sphere
from tfdynlib.density._labels import Angles
from tfdynlib.measure import Measure


def sphere_grid(rho0: Callable[..., Angles], n: int) -> Measure:
    """Tokens on S^2 that carry masses of a density: n Gauss-Legendre heights times 2n
    longitudes (half a step from the zeroth meridian), with mass ``rho0`` times area.

    ``rho0`` takes points, a (k, 3) array, and returns the density with respect to area
    (the uniform one is 1 / 4π).  Moved by ``flow.solve`` with
    ``attention.field(heads, mass)``, the integrals of smooth functions converge
    geometrically in n as long as the map of the flow is smooth.  Raises ``ValueError``
    for a density that is negative, or whose total mass on this grid is not 1.
    """
    grid = sphere.quadrature(3, n)
    _check.function(rho0, "rho0", "a function of points on the sphere")
    c, s = np.cos(np.pi / (2 * n)), np.sin(np.pi / (2 * n))
    x = grid.x @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    value = _check.shaped(rho0(x.copy()), "rho0(points)", (len(x),))
    return Measure(x, _check.masses(4 * np.pi * value * grid.mass, len(value)))
