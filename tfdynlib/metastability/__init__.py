"""Low temperature: the limit of cold attention, how long it is right, and what follows.

    limit = metastability.Limit.of(heads)      where beta = infinity sends a cloud
    metastability.distance_to_limit(mu, limit, start)
    metastability.phases(trajectory, limit, V)  concentration, plateau, end

Besides: clusters of tokens and how long they stay, on any sphere at any beta.

Source: :cite:t:`alcalde2026quantifying`; what is ours says so.
"""

from tfdynlib.metastability.bound import (
    Fit,
    bound_minimum,
    concentration_bound,
    fit_bound,
)
from tfdynlib.metastability.clusters import (
    Counts,
    Plateau,
    clusters,
    count_clusters,
    dwell_times,
    plateaus,
)
from tfdynlib.metastability.distance import distance_to_limit
from tfdynlib.metastability.dwell import dwell_time, gap_velocity
from tfdynlib.metastability.laplace import LaplaceError, bessel_ratio, laplace_error
from tfdynlib.metastability.limit import Check, Limit
from tfdynlib.metastability.neighbours import effective_fraction, effective_neighbours
from tfdynlib.metastability.pairs import (
    End,
    cluster_velocity,
    end_of_pair,
    pair_velocity,
    predicted_end,
)
from tfdynlib.metastability.phases import Phases, exit_slope, exit_time, phases
from tfdynlib.metastability.starts import circle, kinked, tilted, trapped, weighted
from tfdynlib.metastability.tree import Tree, energy_staircase, merging_tree
from tfdynlib.metastability.zero import zero_temperature

__all__ = [
    "Check",
    "Counts",
    "End",
    "Fit",
    "LaplaceError",
    "Limit",
    "Phases",
    "Plateau",
    "Tree",
    "bessel_ratio",
    "bound_minimum",
    "circle",
    "cluster_velocity",
    "clusters",
    "concentration_bound",
    "count_clusters",
    "distance_to_limit",
    "dwell_time",
    "dwell_times",
    "effective_fraction",
    "effective_neighbours",
    "end_of_pair",
    "energy_staircase",
    "exit_slope",
    "exit_time",
    "fit_bound",
    "gap_velocity",
    "kinked",
    "laplace_error",
    "merging_tree",
    "pair_velocity",
    "phases",
    "plateaus",
    "predicted_end",
    "tilted",
    "trapped",
    "weighted",
    "zero_temperature",
]
