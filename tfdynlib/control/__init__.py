"""Weights as controls: what can be reached, how to get there, what it costs.

See ``reachable`` for what weights can do to a Gaussian, ``steer`` for weights that do
it, ``weight_cost`` and ``kinetic_cost`` for two prices, ``cheapest`` for the least of
the first, and ``riccati`` for the same equation as engineers know it.

Source: :cite:t:`alcalde2026gaussian`.
"""

from tfdynlib.control.arrival import Arrival, verify
from tfdynlib.control.cheapest import Cheapest, cheapest
from tfdynlib.control.cost import kinetic_cost, weight_cost
from tfdynlib.control.filters import filter_of_layer, layer_of_filter
from tfdynlib.control.modes import Hautus, hautus
from tfdynlib.control.ranks import Reach, reachable
from tfdynlib.control.riccati import Riccati, riccati, riccati_flow
from tfdynlib.control.steering import bures_map, steer

__all__ = [
    "Arrival",
    "Cheapest",
    "Hautus",
    "Reach",
    "Riccati",
    "bures_map",
    "cheapest",
    "filter_of_layer",
    "hautus",
    "kinetic_cost",
    "layer_of_filter",
    "reachable",
    "riccati",
    "riccati_flow",
    "steer",
    "verify",
    "weight_cost",
]
