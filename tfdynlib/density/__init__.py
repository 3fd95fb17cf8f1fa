r"""The cloud as a density on the circle, and weighted grids on the sphere.

For a density ρ of tokens on S^1 and the velocity v[ρ] of ``attention.velocity``,

.. math:: \partial_t \rho + \partial_\theta(\rho\, v[\rho]) = 0 .

Every bit of mass keeps a label a.  Its angle X and the log-density ℓ there obey

.. math:: \dot X = v(X), \qquad \dot\ell = -\partial_\theta v(X),

so that mass is exact, the density positive, and no grid limits the step.  As long as
X(a) is smooth, equally spaced labels converge geometrically.  Once clusters form, X(a)
is a staircase; then the labels are cut into panels, and the steep ones in halves.
"""

from tfdynlib.density.grid import sphere_grid
from tfdynlib.density.growth import growth_rates
from tfdynlib.density.path import DensityPath
from tfdynlib.density.solving import LABELS, solve
from tfdynlib.density.state import Density

__all__ = [
    "LABELS",
    "Density",
    "DensityPath",
    "growth_rates",
    "solve",
    "sphere_grid",
]
