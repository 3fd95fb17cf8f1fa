"""Three phases of a run: concentration, a plateau, and the end."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib._measure import Measure
from tfdynlib.flow import Trajectory
from tfdynlib.metastability.distance import distance_to_limit
from tfdynlib.metastability.limit import SAME, Limit, one_head
from tfdynlib.metastability.pairs import top_of
from tfdynlib.weights import Heads

CONCENTRATION, PLATEAU, TERMINAL = "concentration", "plateau", "terminal"
# Alignment with V's dominant space that counts as having arrived.
ARRIVED = 0.99


@dataclass(frozen=True, repr=False)
class Phases:
    """What a run does, and when.

    Attributes
    ----------
    t, distance
        Times, and W2 to the projection of the start (chordal unless asked otherwise).
    alignment
        Root mean square length of the tokens' part in V's dominant real eigenspace, in
        [0, 1]; nan if the dominant eigenvalues of V are complex.
    concentrated, least
        When the distance is least before the exit, and its value.
    exit
        When the distance crosses the threshold upwards after that; inf if it does not.
    terminal
        From when on the alignment stays above 0.99; inf if it does not.
    """

    t: Float[np.ndarray, " m"]
    distance: Float[np.ndarray, " m"]
    alignment: Float[np.ndarray, " m"]
    concentrated: float
    least: float
    exit: float
    terminal: float

    @classmethod
    def of_curves(
        cls,
        t: Float[np.ndarray, " m"],
        distance: Float[np.ndarray, " m"],
        alignment: Float[np.ndarray, " m"],
        threshold: Number = 0.2,
    ) -> "Phases":
        """The phases of curves that were measured already."""
        leaving, best = _exit(t, distance, threshold)
        late = np.flatnonzero(~(alignment >= ARRIVED))
        after = 0 if len(late) == 0 else int(late[-1]) + 1
        arrived = float(t[after]) if after < len(t) else float("inf")
        begun, least = float(t[best]), float(distance[best])
        return cls(t, distance, alignment, begun, least, leaving, arrived)

    def phase(self, t: Number) -> str:
        """``"concentration"``, ``"plateau"`` or ``"terminal"``, by the time: up to the
        least distance, up to the exit, after it."""
        t = _check.time(t, "t")
        if t < self.concentrated:
            return CONCENTRATION
        return PLATEAU if t < self.exit else TERMINAL

    def __repr__(self) -> str:
        return (
            f"Phases(W2 least {self.least:.4g} at t = {self.concentrated:.4g}, "
            f"exit {self.exit:.4g}, terminal {self.terminal:.4g})"
        )


def phases(
    trajectory: Trajectory,
    limit: Limit,
    V: Real[np.ndarray, "d d"],
    mass: ArrayLike | None = None,
    threshold: Number = 0.2,
    ground: str = "chordal",
) -> Phases:
    """The phases of a trajectory whose heads have this limit and these values V.

    ``threshold`` is the distance that counts as having left (see ``exit_time``).
    """
    _check.instance(trajectory, Trajectory, "trajectory", "a flow.Trajectory")
    mass = _check.masses(mass, trajectory.x.shape[1])
    start = Measure(trajectory.x[0], mass)
    distance = np.array(
        [
            distance_to_limit(Measure(x, mass), limit, start, ground)
            for x in trajectory.x
        ]
    )
    there = alignment(trajectory.x, _check.shaped(V, "V", limit.M.shape), mass)
    return Phases.of_curves(trajectory.t, distance, there, threshold)


def exit_time(
    t: Number | ArrayLike, distance: Number | ArrayLike, threshold: Number = 0.2
) -> float:
    """First time at which the distance crosses the threshold upwards, between output
    times by a straight line; inf if it never does.

    Only crossings after the distance has been below the threshold count, and after
    its minimum of that stay.
    """
    return _exit(t, distance, threshold)[0]


def _exit(
    t: Number | ArrayLike, distance: Number | ArrayLike, threshold: Number
) -> tuple[float, int]:
    """Time of the exit, and index of the least distance before it."""
    times = _check.increasing(t, "t")
    value = _check.shaped(distance, "distance", (len(times),), ", one for each time")
    level = _check.positive(threshold, "threshold")
    up = np.flatnonzero((value[:-1] < level) & (value[1:] >= level))
    if len(up) == 0:
        return float("inf"), int(value.argmin())
    k = int(up[0])
    part = (level - value[k]) / (value[k + 1] - value[k])
    leaving = times[k] + part * (times[k + 1] - times[k])
    return float(leaving), int(value[: k + 1].argmin())


def alignment(
    x: Float[np.ndarray, "m n d"],
    V: Float[np.ndarray, "d d"],
    mass: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " m"]:
    """Root mean square length of the tokens' part in V's dominant real eigenspace; nan
    if the dominant eigenvalues are complex."""
    basis = top_of(V).basis
    if basis is None:
        return np.full(len(x), np.nan)
    inside = np.einsum("mnd,dk->mnk", x, basis)
    return np.sqrt(np.einsum("mnk,n->m", inside**2, mass))


def exit_slope(heads: Heads) -> float:
    r"""How much longer the plateau lasts for each e-fold of beta, by the mechanism.

    .. math:: \frac{dt_{\rm exit}}{d\ln\beta} \approx
        \frac{|Be_1|}{2\gamma} + \frac{1}{2(v_2 - v_1)}

    The cluster at the pole e_1 shrinks at the rate :math:`\gamma/|Be_1|` until its
    width is :math:`1/\sqrt\beta`; then it moves as one body, and what is left of order
    :math:`1/\sqrt\beta` grows at :math:`v_2 - v_1`, with v_1 the mean
    :math:`\langle e_1, V e_1\rangle` and v_2 the largest real part of the spectrum of
    V.  Good to about a tenth.  If e_1 is no eigenvector of V the body moves at once,
    so that the first term is all (good to about a fifth).  Only for E a line with
    :math:`\langle e_1, Be_1\rangle > 0`; inf if v_2 = v_1 (nothing leaves).
    """
    limit = Limit.of(heads)
    if limit.dim != 1:
        raise _check.refuse("heads", "such that E is a line", repr(limit))
    B, V = one_head(heads)
    e = limit.basis[:, 0]
    if e @ B @ e <= 0:
        wanted = "such that <e_1, B e_1> > 0 at the pole e_1 of V B"
        raise _check.refuse("heads", wanted, f"{e @ B @ e:.3g}")
    mean = float(e @ V @ e)
    aside, push = float(np.linalg.norm(V @ e - mean * e)), top_of(V).value - mean
    seen = float(np.linalg.norm(B @ e) / (2 * limit.gap))
    size = np.linalg.norm(V, 2)
    if aside > SAME * size:
        return seen
    return seen + 1 / (2 * push) if push > SAME * size else float("inf")
