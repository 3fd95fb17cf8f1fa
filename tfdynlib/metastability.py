"""Clusters of tokens: how many, and who belongs to which."""

import numpy as np
from jaxtyping import Int, Real

from tfdynlib import _check, sphere
from tfdynlib._check import Number
from tfdynlib._components import components


def clusters(x: Real[np.ndarray, "n d"], radius: Number) -> Int[np.ndarray, " n"]:
    """Cluster label of each token: 0, 1, ... in the order of first tokens.

    Two tokens are in one cluster if a chain of tokens leads from one to the other with
    geodesic steps of at most ``radius`` (in radians, positive).  So a cluster may be
    much wider than ``radius``: a closed ring of tokens is one cluster.  The number of
    clusters is ``labels.max() + 1``.  Ten thousand tokens take a fraction of a second.
    """
    return components(_check.unit_rows(x), sphere.chord(radius))
