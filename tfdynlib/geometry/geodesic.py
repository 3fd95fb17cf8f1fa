"""A path of least action between two measures, as far as it was found."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, repr=False)
class Geodesic:
    r"""A path of least action between two measures, as far as it was found.

    Attributes
    ----------
    distance
        The length of the path, :math:`\int (\int \hat b |v|^2 d\mu)^{1/2} dt`: an upper
        bound of the distance, whatever the status.  Along weights that change in
        time the root of the action.
    gap
        By how much the root of the action exceeds the length: zero for a path of
        constant speed, so it certifies the resolution in time, not that no other path
        is shorter.  Along weights that change in time: the change of the root of
        the action when modes were added last.
    kind
        ``"distance"``, or ``"action"`` along weights that change in time (not symmetric
        then, and no distance).
    status
        ``"done"``; ``"time not resolved"`` if the gap, or the change of the distance
        when modes were added last, is not below the tolerance;
        ``"not minimised"`` if the gradient is not small; ``"search cut short"`` if
        there were more matchings than were tried.
    t, path
        Times, and places on the sphere of every piece of mass at them.
    mass
        Masses of the pieces.
    shift
        The matching on the circle: the mass below level u goes to level u + shift, both
        counted from the angle -π (atoms), or as the quantile functions count.
    modes, tried, evaluations
        Modes in time; matchings looked at; evaluations of the action for the last path.
    gradient, drift
        Largest entry of the relative gradient; largest relative deviation of the
        squared speed from its mean.
    """

    distance: float
    gap: float
    kind: str
    status: str
    t: Float[np.ndarray, " m"]
    path: Float[np.ndarray, "m n d"]
    mass: Float[np.ndarray, " n"]
    shift: float
    modes: int
    tried: int
    evaluations: int
    gradient: float
    drift: float

    def __repr__(self) -> str:
        name = "distance" if self.kind == "distance" else "root of the action"
        return (
            f"Geodesic({name} {self.distance:.10g}, gap {self.gap:.1e}, {self.status}, "
            f"{len(self.mass)} pieces, {self.modes} modes)"
        )
