"""Tokens that have met go on as one, with the sum of their masses; used by ``flow``."""

from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from tfdynlib import _check
from tfdynlib._components import centres, components

Points = Float[np.ndarray, "n d"]
Centres = Float[np.ndarray, "k d"]


class Merging:
    """Which tokens of the start have become one, and their masses.

    Attributes
    ----------
    place
        For each token of the start, the row of the state that holds it now.
    mass
        Masses of the rows of the state.
    log
        Pairs (layer-time, how many tokens are left).
    """

    def __init__(self, field: Any, n: int, radius: float, on_sphere: bool):
        self.radius = radius
        self.on_sphere = on_sphere
        self.place: Int[np.ndarray, " n"] = np.arange(n)
        self.mass = _check.masses(field.mass, n)
        self.log: list[tuple[float, int]] = []

    def join(self, t: float, x: Points) -> Centres | None:
        """The tokens x after all that are near each other have met; None if none is.

        Tokens linked by a chain of steps of at most the radius meet when each of them
        is within the radius of their centre of mass: nothing moves further than that.
        """
        if not _closest(x) <= self.radius:
            return None
        label = components(x, self.radius)
        centre = self._centres(x, label)
        far = np.linalg.norm(centre[label] - x, axis=1) > self.radius
        if far.any():  # chains too long for one place stay as they are
            label = _split(label, far)
            centre = self._centres(x, label)
        if len(centre) == len(x):
            return None
        self.mass = np.bincount(label, self.mass)
        self.place = label[self.place]
        self.log.append((t, len(centre)))
        return centre

    def with_masses(self, field: Any) -> Any:
        """The field with the masses of now."""
        return replace(field, mass=self.mass)

    def _centres(self, x: Points, label: Int[np.ndarray, " n"]) -> Centres:
        """Centres of mass; tokens that never move (alone) keep all their digits."""
        centre = centres(x, self.mass, label)
        if self.on_sphere:
            norm = np.linalg.norm(centre, axis=1, keepdims=True)
            centre = centre / np.where(norm > 0, norm, 1)
        alone = np.bincount(label)[label] == 1
        centre[label[alone]] = x[alone]
        return centre


def _closest(x: Points) -> float:
    """The distance of the closest pair, in O(n log n)."""
    from scipy.spatial import cKDTree

    return float(cKDTree(x).query(x, k=2)[0][:, 1].min())


def _split(
    label: Int[np.ndarray, " n"], far: Bool[np.ndarray, " n"]
) -> Int[np.ndarray, " n"]:
    """Labels in which the tokens of every chain with a far token stay alone."""
    apart = np.isin(label, label[far])
    new = np.where(apart, len(label) + np.arange(len(label)), label)
    return np.unique(new, return_inverse=True)[1].ravel()


def merging(field: Callable, n: int, radius: Any, on_sphere: bool) -> Merging | None:
    """Front door of the option ``merge`` of ``flow.solve``."""
    if radius is None:
        return None
    radius = _check.positive(radius, "merge")
    if not is_dataclass(field) or not hasattr(field, "mass"):
        wanted = "None for a field without masses (attention.field has them)"
        raise _check.refuse("merge", wanted, radius)
    return Merging(field, n, radius, on_sphere)
