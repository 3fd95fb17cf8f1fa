"""Clusters of tokens: how many, and who belongs to which."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, sphere
from tfdynlib._check import Number
from tfdynlib._components import components
from tfdynlib.flow import Trajectory


def clusters(x: Real[np.ndarray, "n d"], radius: Number) -> Int[np.ndarray, " n"]:
    """Cluster label of each token: 0, 1, ... in the order of first tokens.

    Two tokens are in one cluster if a chain of tokens leads from one to the other with
    geodesic steps of at most ``radius`` (in radians, positive).  So a cluster may be
    much wider than ``radius``: a closed ring of tokens is one cluster.  The number of
    clusters is ``labels.max() + 1``.  Ten thousand tokens take a fraction of a second.
    """
    return components(_check.unit_rows(x), sphere.chord(radius))


@dataclass(frozen=True)
class Counts:
    """Numbers of clusters at several radii; print it to see whether they agree."""

    radii: Float[np.ndarray, " k"]
    counts: Int[np.ndarray, " k"]

    @property
    def agree(self) -> bool:
        """Whether every radius finds the same number."""
        return bool((self.counts == self.counts[0]).all())

    def __str__(self) -> str:
        if self.agree:
            low, high = self.radii.min(), self.radii.max()
            return f"{self.counts[0]} clusters at radii from {low:g} to {high:g}"
        found = ", ".join(f"{c} at {r:g}" for c, r in zip(self.counts, self.radii))
        return f"the radii disagree: {found}"


def count_clusters(x: Real[np.ndarray, "n d"], radii: Number | ArrayLike) -> Counts:
    """Number of clusters at each radius (radians, positive).

    A number of clusters that changes with the radius is a choice, not a finding.
    """
    out = np.atleast_1d(_check.array(radii, "radii"))
    if out.ndim != 1 or out.size == 0:
        raise _check.refuse("radii", "a radius, or a list of radii", out)
    return Counts(out, np.array([clusters(x, float(r)).max() + 1 for r in out]))


@dataclass(frozen=True)
class Plateau:
    """A number of clusters that stays from ``start`` to ``end``."""

    start: float
    end: float
    count: int

    @property
    def length(self) -> float:
        """How long it stays."""
        return self.end - self.start


def plateaus(t: Number | ArrayLike, counts: ArrayLike) -> tuple[Plateau, ...]:
    """The stretches of time with one number of clusters, in order.

    One ends, and the next begins, at the first output time that shows another number;
    so ends are as sharp as the output times are dense.  The last one ends with t.
    """
    times = _check.increasing(t, "t")
    count = _check.shaped(counts, "counts", (len(times),), ", one for each time")
    if not (count == np.round(count)).all() or count.min() < 0:
        raise _check.refuse("counts", "whole numbers, zero or more", count.min())
    new = np.flatnonzero(np.append(True, count[1:] != count[:-1]))
    ends = np.append(times[new[1:]], times[-1])
    return tuple(
        Plateau(float(times[a]), float(end), int(count[a])) for a, end in zip(new, ends)
    )


def dwell_times(trajectory: Trajectory, radius: Number) -> tuple[Plateau, ...]:
    """The plateaus of a trajectory: how long each number of clusters stays.

    Clusters are those of ``clusters`` at this radius.  The first plateau begins, and
    the last one ends, where the trajectory does: their lengths are lower bounds.
    """
    _check.instance(trajectory, Trajectory, "trajectory", "a flow.Trajectory")
    _check.positive(radius, "radius")
    counts = [clusters(x, radius).max() + 1 for x in trajectory.x]
    return plateaus(trajectory.t, np.array(counts))
