r"""Distances where moving mass costs more the stronger attention is.

A curve of measures that moves with velocity v has the action

.. math:: \int_0^1 \int \hat b\, |v_t|^2\, d\mu_t\, dt

with the effective weight :math:`\hat b` of ``energy``.  Only the scores B, beta and the
masses of the heads enter, never V.  Source: :cite:t:`massucco2026multihead`; for one
head :cite:t:`burger2025analysis`.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib import _check, _geodesic, _matching
from tfdynlib._check import Number
from tfdynlib._geodesic import Path, Problem
from tfdynlib._matching import Matching
from tfdynlib._measure import Measure
from tfdynlib._quantile import Quantile
from tfdynlib.energy import action
from tfdynlib.weights import Heads, WeightPath

__all__ = [
    "Geodesic",
    "Quantile",
    "action",
    "equivalence_bounds",
    "splitting_threshold",
    "weighted_distance",
]

ATOMS = ("split", "rigid")
# Exponentials of scores, squared and divided, stay doubles up to this score.
LARGEST_SCORE = 100.0
# Matchings that are tried at most, and how many of them are followed to the end.
TRIES, FINALISTS = 64, 3
# A first look at a matching: the gradient at which it stops, and how much worse than
# the best it may look to be followed.
GLANCE, NEAR = 1e-4, 1.05
SPREAD = 0.3
# So many turns leave an angle the digits that ``tol`` asks for.
MOST_TURNS = 1e6
OUTPUT = np.linspace(0, 1, 65)


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


def weighted_distance(
    mu: Measure | Quantile,
    nu: Measure | Quantile,
    heads: Heads | WeightPath,
    atoms: str = "split",
    tol: Number = 1e-8,
    parts: int = 8,
    nodes: int = 64,
    shift: Number | None = None,
) -> Geodesic:
    r"""The distance in which heads weigh motion.

    .. math::
        W_{m,2}(\mu, \nu)^2 = \min \int_0^1 \int \hat b[\mu_t]\, |v_t|^2\, d\mu_t\, dt

    over all curves of measures from μ to ν on the sphere.  Two measures of atoms on any
    sphere, or two densities on the circle (``Quantile``, moved at ``nodes`` labels with
    a free rotation).  Mass that moves together pays for its own attention, so an atom
    may split on the way: ``"split"`` cuts each into ``parts``, ``"rigid"`` only where
    the masses of the two sides force it.  The minimum is looked for
    over paths polynomial in time, from every matching that can still win (circle) or
    from the best assignment and exchanges of it (sphere); modes are added until ``gap``
    and what they gain are below ``tol``.  What is found is an upper bound.  On the
    circle ``shift`` holds one matching: the mass below level u goes to level u + shift.

    One iteration costs O(modes (parts n)^2) exponentials for each head; scores beyond
    about 10 take many, and end with a label.  For a
    ``WeightPath``, seen on [0, 1], the minimum is an action, not a distance.

    Raises ``ValueError`` for measures off the sphere or not alike, for weights that are
    noisy, or jump or bend on the way, and for scores beyond 100.
    """
    _check.one_of(atoms, ATOMS, "atoms")
    tol, parts = _check.positive(tol, "tol"), _check.count(parts, "parts")
    nodes, lower = _check.count(nodes, "nodes", 2), _lower(heads)
    shift = _held(shift, heads)
    if isinstance(mu, Quantile):
        _check.instance(nu, Quantile, "nu", "a Quantile, as mu is")
        if heads.d != 2:
            raise _check.refuse("heads", "of dimension 2, the circle", f"d={heads.d}")
        return _of_densities(mu, nu, heads, tol, nodes, shift)  # type: ignore[arg-type]
    first, second = _atoms(mu, "mu", heads.d), _atoms(nu, "nu", heads.d)
    parts = parts if atoms == "split" else 1
    if heads.d == 2:
        paths, tried, whole = _circle_search(first, second, heads, lower, parts, shift)
    else:
        paths, tried, whole = _sphere_search(first, second, heads, lower, parts)
    return _report(_best(paths), heads, tol, tried, whole)


def equivalence_bounds(heads: Heads) -> tuple[float, float]:
    r"""Factors between which the distance lies, in units of :math:`W_2` (geodesic).

    .. math::
        \Bigl(\sum_h m_h e^{R_h}\Bigr)^{-1/2} \le \frac{W_{m,2}}{W_2} \le
        \Bigl(\sum_h m_h e^{-R_h}\Bigr)^{-1/2}, \qquad R_h = \beta |B_h|

    with the operator norm.  Never wider than :math:`e^{\mp R/2}`, R the largest R_h.
    Raises ``ValueError`` for R beyond 100.
    """
    _check.instance(heads, Heads, "heads", "made by weights.Heads")
    norms = _norms(heads)
    return tuple(float((heads.mass @ np.exp(s * norms)) ** -0.5) for s in (1, -1))  # type: ignore[return-value]


def splitting_threshold(b: Number, beta: Number = 1.0, d: int = 2) -> float:
    r"""How far one atom may travel whole, under one head B = bI, before splitting wins.

    .. math:: \varphi = \frac{\pi}{\sqrt{\beta b}} \quad (d = 2), \qquad
              \varphi = \frac{\pi}{\sqrt{1 + \beta b}} \quad (d \ge 3)

    On the circle the atom splits along its way, on larger spheres sideways.  From the
    second variation of the action about the rigid path.  ``inf`` for b <= 0.
    """
    score = _check.positive(beta, "beta") * _check.time(b, "b")
    if _check.count(d, "d", 2) > 2:
        return float(np.pi / np.sqrt(1 + score)) if score > 0 else np.inf
    return float(np.pi / np.sqrt(score)) if score > 0 else np.inf


def _norms(heads: Heads) -> Float[np.ndarray, " H"]:
    """Largest scores of the heads between unit vectors."""
    norms = heads.beta * np.linalg.norm(heads.B, 2, axis=(1, 2))
    if norms.max() > LARGEST_SCORE:
        wanted = f"small enough for scores up to {LARGEST_SCORE:g}"
        raise _check.refuse("beta", wanted, f"scores up to {norms.max():.3g}")
    return norms


def _lower(heads: Heads | WeightPath) -> float:
    """The factor of W2 that every path reaches; the front door for weights."""
    if isinstance(heads, Heads):
        _dimension(heads.d)
        return equivalence_bounds(heads)[0]
    _check.instance(heads, WeightPath, "heads", "made by weights.Heads, or a path")
    _dimension(heads.d)
    if heads.noise_var != 0:
        raise _check.refuse("heads", "free of noise", f"noise_var={heads.noise_var:g}")
    jumps = [b for b in heads.breaks if 0 < b < 1]
    if jumps:
        raise _check.refuse(
            "heads", "free of jumps and bends on (0, 1)", f"one at {jumps[0]:g}"
        )
    return min(equivalence_bounds(heads(t))[0] for t in _geodesic.gauss(68)[0])


def _atoms(mu: Measure | Quantile, name: str, d: int) -> Measure:
    """A measure of atoms on the sphere of the heads."""
    _check.instance(mu, Measure, name, "a Measure, or a Quantile if both are")
    x = _check.unit_rows(mu.x, f"{name}.x")  # type: ignore[union-attr]
    _check.shaped(x, f"{name}.x", (None, d), ", the dimension of the heads")
    return mu  # type: ignore[return-value]


def _held(shift: Number | None, heads: Heads | WeightPath) -> float | None:
    """The one shift to look at, if it is given."""
    if shift is None:
        return None
    if heads.d != 2:
        raise _check.refuse("shift", "left out off the circle", shift)
    out = _check.time(shift, "shift")
    if abs(out) > MOST_TURNS:
        raise _check.refuse("shift", f"up to {MOST_TURNS:g} turns", shift)
    return out


def _dimension(d: int) -> None:
    if d < 2:
        raise _check.refuse("heads", "of dimension 2 or more", d)


def _of_densities(
    mu: Quantile,
    nu: Quantile,
    heads: Heads | WeightPath,
    tol: float,
    nodes: int,
    shift: float | None,
) -> Geodesic:
    """Labels of equal mass on the circle, with a free shift from where W2 has it."""
    u = (np.arange(nodes) + 0.5) / nodes
    x = mu(u)

    def end(shift: float) -> tuple[_geodesic.Ends, _geodesic.Ends]:
        return nu(u + shift)[:, None], nu.slope(u + shift)[:, None]

    free = shift is None
    first = _matching.least_shift(x, nu) if shift is None else shift
    mass = np.full(nodes, 1 / nodes)
    problem = Problem(_geodesic.Angle(), x[:, None], end, mass, heads, free)
    start = np.zeros((2 * _geodesic.FIRST, nodes, 1))
    path = _geodesic.minimise(problem, start, first, GLANCE)
    return _report(path, heads, tol, 1, True)


def _glance(matching: Matching, heads: Heads | WeightPath) -> Path:
    """A first look at a matching, with few modes."""
    chart = _geodesic.Angle() if heads.d == 2 else _geodesic.Arc()
    ends = matching.end, np.zeros_like(matching.end)
    problem = Problem(chart, matching.start, lambda _: ends, matching.mass, heads)
    modes = matching.first_mode(SPREAD, _geodesic.FIRST)
    return _geodesic.minimise(problem, modes, matching.shift, GLANCE)


def _circle_search(
    mu: Measure,
    nu: Measure,
    heads: Heads | WeightPath,
    lower: float,
    parts: int,
    shift: float | None,
) -> tuple[list[Path], int, bool]:
    """Paths of all shifts that may win; how many; whether none was left out.

    A shift whose W2 cost times the lower bound is no better than a path that was found
    cannot win.
    """
    found: list[Path] = []
    best = np.inf
    for matching in _matching.on_circle(mu, nu, parts, shift):
        if lower**2 * matching.cost >= best:
            continue
        if len(found) == TRIES:
            return found, TRIES, False
        found.append(_glance(matching, heads))
        best = min(best, found[-1].action)
    return found, len(found), True


def _sphere_search(
    mu: Measure, nu: Measure, heads: Heads | WeightPath, lower: float, parts: int
) -> tuple[list[Path], int, bool]:
    """Paths from the best assignment, and from exchanges as long as they help."""
    matching = _matching.on_sphere(mu, nu, parts)
    found = [_glance(matching, heads)]
    best, helped = found[0].action, True
    while helped:
        helped = False
        for other in _matching.exchanges(matching, parts):
            if lower**2 * other.cost >= best:
                break
            if len(found) == TRIES:
                return found, TRIES, False
            found.append(_glance(other, heads))
            if found[-1].action < best * (1 - GLANCE):
                best, matching, helped = found[-1].action, other, True
                break
    return found, len(found), True


def _best(paths: list[Path]) -> Path:
    """The path that is best with twice the modes, among those that look good.

    (A minimum with few modes, found exactly, may lead into a worse one with many.)
    """
    paths = sorted(paths, key=lambda path: path.action)
    near = [p for p in paths if p.action <= NEAR * paths[0].action][:FINALISTS]
    further = []
    for path in near:
        modes = np.concatenate([path.modes, np.zeros_like(path.modes)])
        further.append(_geodesic.minimise(path.problem, modes, path.shift, GLANCE))
    return min(further, key=lambda path: path.action)


def _report(
    path: Path, heads: Heads | WeightPath, tol: float, tried: int, whole: bool
) -> Geodesic:
    """The path with as many modes as the tolerance asks for, and its account."""
    fixed = isinstance(heads, Heads)
    path, reach, left, settled = _geodesic.refine(path, tol, fixed)
    x, _ = path.problem.chart.place(*path.at(OUTPUT))
    status = "done" if settled else "time not resolved"
    status = status if whole else "search cut short"
    # The gradient is in units of the action, about reach^2: off by an eighth of this.
    status = "not minimised" if path.gradient**2 * reach**3 > tol else status
    return Geodesic(
        distance=reach,
        gap=left,
        kind="distance" if fixed else "action",
        status=status,
        t=OUTPUT.copy(),
        path=x,
        mass=path.problem.mass,
        shift=path.shift,
        modes=len(path.modes),
        tried=tried,
        evaluations=path.evaluations,
        gradient=path.gradient,
        drift=_geodesic.length(path)[1],
    )
