"""Who met whom, and when: the merging tree, and the stairs of the energy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from tfdynlib import _check, energy
from tfdynlib._check import Number
from tfdynlib.flow import Trajectory
from tfdynlib.metastability.clusters import clusters
from tfdynlib.weights import Heads

Labels = Int[np.ndarray, " n"]


@dataclass(frozen=True, repr=False)
class Tree:
    """Groups of the start and how they merge, at one radius.

    Attributes
    ----------
    radius
        In radians.
    leaves
        Label of each token's group at the first time: 0, 1, ..., L - 1.
    t, pairs, sizes
        Merge k happens by t[k], joins the two nodes pairs[k] into node L + k, and that
        has sizes[k] tokens.  Several groups that meet between two output times are
        joined two by two, at one time.
    splits
        How many times a cluster was in two pieces at the next output time; 0 if the
        radius suits the run.
    """

    radius: float
    leaves: Labels
    t: Float[np.ndarray, " k"]
    pairs: Int[np.ndarray, "k 2"]
    sizes: Int[np.ndarray, " k"]
    splits: int

    @property
    def left(self) -> Int[np.ndarray, " k"]:
        """How many clusters are left after each merge."""
        first = int(self.leaves.max()) + 1
        return first - 1 - np.arange(len(self.t))

    @property
    def linkage(self) -> Float[np.ndarray, "k 4"]:
        """The merges as ``scipy.cluster.hierarchy`` writes them, time as height."""
        return np.column_stack([self.pairs, self.t, self.sizes]).astype(float)

    def __repr__(self) -> str:
        first, last = int(self.leaves.max()) + 1, len(self.t)
        return f"Tree({first} clusters become {first - last}, {self.splits} splits)"


def merging_tree(
    trajectory: Trajectory, radii: Number | ArrayLike
) -> Tree | tuple[Tree, ...]:
    """The tree of mergers of a trajectory; one for each radius if there are several.

    Tokens are one group from the output time on at which they are in one cluster (see
    ``clusters``) until the end.  Those that touch and part again have not merged.
    """
    _check.instance(trajectory, Trajectory, "trajectory", "a flow.Trajectory")
    several = _check.array(radii, "radii")
    if several.ndim > 1 or several.size == 0:
        raise _check.refuse("radii", "a radius, or a list of radii", several)
    trees = tuple(_tree(trajectory, float(r)) for r in np.atleast_1d(several))
    return trees[0] if several.ndim == 0 else trees


def _tree(trajectory: Trajectory, radius: float) -> Tree:
    seen = [clusters(x, radius) for x in trajectory.x]
    groups = _groups(seen)
    leaves = groups[0]
    node = leaves.copy()  # of the tree, for every token
    first = int(leaves.max()) + 1
    t: list[float] = []
    pairs: list[tuple[int, int]] = []
    sizes: list[int] = []
    for time, label in zip(trajectory.t[1:], groups[1:]):
        for group in range(label.max() + 1):
            parts = np.unique(node[label == group])
            for other in parts[1:]:
                joined = np.isin(node, [parts[0], other])
                new = first + len(t)
                t.append(float(time))
                pairs.append((int(parts[0]), int(other)))
                sizes.append(int(joined.sum()))
                node[joined] = new
                parts[0] = new
    return Tree(
        radius,
        leaves,
        np.array(t, float),
        np.array(pairs, int).reshape(-1, 2),
        np.array(sizes, int),
        sum(int(_both(a, b).max() - a.max()) for a, b in zip(seen, seen[1:])),
    )


def _groups(seen: Sequence[Labels]) -> list[Labels]:
    """At every time, who is in one cluster from then to the end."""
    out = [seen[-1]]
    for label in reversed(seen[:-1]):
        out.append(_both(label, out[-1]))
    return out[::-1]


def _both(a: Labels, b: Labels) -> Labels:
    """Labels that are equal where both are, in the order of first tokens."""
    pairs = a * (b.max() + 1) + b
    _, first, part = np.unique(pairs, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[part]


def energy_staircase(
    trajectory: Trajectory, heads: Heads, mass: ArrayLike | None = None
) -> Float[np.ndarray, " m"]:
    """The interaction energy at every output time: flat while clusters wait, a step
    where two of them meet (``energy.interaction``; softmax with V = B climbs it)."""
    _check.instance(trajectory, Trajectory, "trajectory", "a flow.Trajectory")
    return np.array([energy.interaction(x, heads, mass) for x in trajectory.x])
