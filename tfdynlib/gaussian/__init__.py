"""Gaussian tokens: layers that keep a bell a bell, and what becomes of it.

In Euclidean space, without normalisation, one head and an affine map; β is in B.  See
``Layer`` for the field and ``solve`` for the equations.

Source: :cite:t:`alcalde2026gaussian`.
"""

from tfdynlib.gaussian.closed import (
    closed_form,
    scalar_blow_up_time,
    scalar_covariance,
)
from tfdynlib.gaussian.distance import distance, sample
from tfdynlib.gaussian.equilibrium import Equilibrium, NoEquilibrium, equilibrium
from tfdynlib.gaussian.fate import (
    Certificate,
    Regime,
    blow_up_bounds,
    blow_up_time,
    regime,
)
from tfdynlib.gaussian.moments import solve
from tfdynlib.gaussian.types import (
    Gaussian,
    Layer,
    LayerPath,
    Moments,
    constant,
    piecewise,
)

__all__ = [
    "Certificate",
    "Equilibrium",
    "NoEquilibrium",
    "Regime",
    "blow_up_bounds",
    "blow_up_time",
    "equilibrium",
    "regime",
    "Gaussian",
    "Layer",
    "LayerPath",
    "Moments",
    "closed_form",
    "constant",
    "distance",
    "piecewise",
    "sample",
    "scalar_blow_up_time",
    "scalar_covariance",
    "solve",
]
