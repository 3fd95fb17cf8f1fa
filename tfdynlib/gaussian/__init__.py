"""Gaussian tokens: layers that keep a bell a bell, and what becomes of it.

In Euclidean space, without normalisation, one head and an affine map; β is in B.  See
``Layer`` for the field and ``solve`` for the equations.

Source: :cite:t:`alcalde2026gaussian`.
"""

from tfdynlib.gaussian.certificates import Certificate, Regime
from tfdynlib.gaussian.closed import closed_form
from tfdynlib.gaussian.distance import distance, sample
from tfdynlib.gaussian.equilibrium import Equilibrium, NoEquilibrium, equilibrium
from tfdynlib.gaussian.fate import blow_up_time, regime
from tfdynlib.gaussian.moments import solve
from tfdynlib.gaussian.particles import (
    Particles,
    distance_to_gaussian,
    effective_fraction,
    excess_kurtosis,
    matched,
    particles,
    sample_fraction,
)
from tfdynlib.gaussian.phases import Phases, phase_diagram
from tfdynlib.gaussian.relu import relu_bound, relu_field, relu_gap
from tfdynlib.gaussian.scalar import scalar_blow_up_time, scalar_covariance
from tfdynlib.gaussian.signs import blow_up_bounds
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
    "Gaussian",
    "Layer",
    "LayerPath",
    "Moments",
    "NoEquilibrium",
    "Particles",
    "Phases",
    "Regime",
    "blow_up_bounds",
    "blow_up_time",
    "closed_form",
    "constant",
    "distance",
    "distance_to_gaussian",
    "effective_fraction",
    "equilibrium",
    "excess_kurtosis",
    "matched",
    "particles",
    "phase_diagram",
    "piecewise",
    "regime",
    "relu_bound",
    "relu_field",
    "relu_gap",
    "sample",
    "sample_fraction",
    "scalar_blow_up_time",
    "scalar_covariance",
    "solve",
]
