r"""Distances where moving mass costs more the stronger attention is.

A curve of measures that moves with velocity v has the action

.. math:: \int_0^1 \int \hat b\, |v_t|^2\, d\mu_t\, dt

with the effective weight :math:`\hat b` of ``energy``.  Only the scores B, beta and the
masses of the heads enter, never V.  Source: :cite:t:`massucco2026multihead`; for one
head :cite:t:`burger2025analysis`.
"""

from tfdynlib.energy import action
from tfdynlib.geometry.bounds import equivalence_bounds, splitting_threshold
from tfdynlib.geometry.distance import weighted_distance
from tfdynlib.geometry.geodesic import Geodesic
from tfdynlib.geometry.quantile import Quantile

__all__ = [
    "Geodesic",
    "Quantile",
    "action",
    "equivalence_bounds",
    "splitting_threshold",
    "weighted_distance",
]
