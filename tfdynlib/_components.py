"""Connected components of points that are near each other."""

import numpy as np
from jaxtyping import Float, Int

Points = Float[np.ndarray, "n d"]
Labels = Int[np.ndarray, "_"]

# Neighbours listed for every point in the first pass.
NEAREST = 8
# A length counts as within the reach up to this relative rounding.
ROUNDING = 1e-12


def components(x: Points, reach: float) -> Int[np.ndarray, " n"]:
    """Labels of the components of the graph |x_i - x_j| <= reach.

    Labels count up from 0 in the order of the first point of each component.  Only
    the nearest neighbours of each point are listed, so that memory stays O(n) however
    dense a cluster is; edges that this may miss are looked for afterwards.
    """
    x, inverse = np.unique(x, axis=0, return_inverse=True)
    labels, crowded = _nearest_pass(x, reach)
    labels = _join(x, reach, labels, crowded)[inverse.ravel()]
    first = np.unique(labels, return_index=True)[1]
    return np.argsort(np.argsort(first))[labels]


def centres(
    x: Points, mass: Float[np.ndarray, " n"], label: Labels
) -> Float[np.ndarray, "k d"]:
    """Centre of mass of the points of each label; the mean where no point has mass."""
    total = np.bincount(label, mass)
    weight = np.where(total[label] > 0, mass, 1.0)
    sums = [np.bincount(label, weight * column) for column in x.T]
    return np.stack(sums, axis=1) / np.bincount(label, weight)[:, None]


def _nearest_pass(x: Points, reach: float) -> tuple[Labels, Labels]:
    """Components by nearest neighbours, and the points that may have further ones."""
    from scipy.spatial import cKDTree

    n, k = len(x), min(NEAREST + 1, len(x))
    bound = reach * (1 + ROUNDING) + np.finfo(float).tiny
    gap, other = cKDTree(x).query(x, k=[*range(1, k + 1)], distance_upper_bound=bound)
    near = np.isfinite(gap)
    source = np.repeat(np.arange(n), near.sum(axis=1))
    crowded = near[:, -1] if k < n else np.zeros(n, dtype=bool)
    return _label(n, source, other[near]), np.flatnonzero(crowded)


def _join(x: Points, reach: float, labels: Labels, crowded: Labels) -> Labels:
    """Merge components linked by an edge between crowded points.

    A point with a free place in its list has all its neighbours there, so an edge that
    was missed has a crowded point at both ends.
    """
    from scipy.spatial import cKDTree

    groups = np.unique(labels[crowded])
    bound = reach * (1 + ROUNDING) + np.finfo(float).tiny
    links = []
    for group in groups[:-1]:
        inside = crowded[labels[crowded] == group]
        outside = crowded[labels[crowded] > group]
        gap, _ = cKDTree(x[inside]).query(x[outside], distance_upper_bound=bound)
        links += [(group, g) for g in np.unique(labels[outside[np.isfinite(gap)]])]
    if not links:
        return labels
    source, target = np.array(links).T
    return _label(int(labels.max()) + 1, source, target)[labels]


def _label(n: int, source: np.ndarray, target: np.ndarray) -> Labels:
    """Component labels of a graph on n nodes from its edges."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(source)), (source, target)), shape=(n, n))
    return connected_components(edges, directed=False)[1]
