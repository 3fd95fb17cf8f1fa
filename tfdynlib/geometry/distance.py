"""The distance in which heads weigh motion, found over paths polynomial in time."""

import numpy as np

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib._measure import Measure
from tfdynlib.geometry import _matching, _path, _search
from tfdynlib.geometry._chart import Angle, Ends
from tfdynlib.geometry._path import Path, Problem
from tfdynlib.geometry.bounds import equivalence_bounds
from tfdynlib.geometry.geodesic import Geodesic
from tfdynlib.geometry.quantile import Quantile
from tfdynlib.weights import Heads, WeightPath

ATOMS = ("split", "rigid")
# So many turns leave an angle the digits that ``tol`` asks for.
MOST_TURNS = 1e6
OUTPUT = np.linspace(0, 1, 65)


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
        paths, tried, whole = _search.on_circle(
            first, second, heads, lower, parts, shift
        )
    else:
        paths, tried, whole = _search.on_sphere(first, second, heads, lower, parts)
    return _report(_search.best_of(paths), heads, tol, tried, whole)


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
    return min(equivalence_bounds(heads(t))[0] for t in _path.gauss(68)[0])


def _dimension(d: int) -> None:
    if d < 2:
        raise _check.refuse("heads", "of dimension 2 or more", d)


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

    def end(shift: float) -> tuple[Ends, Ends]:
        return nu(u + shift)[:, None], nu.slope(u + shift)[:, None]

    free = shift is None
    first = _matching.least_shift(x, nu) if shift is None else shift
    mass = np.full(nodes, 1 / nodes)
    problem = Problem(Angle(), x[:, None], end, mass, heads, free)
    start = np.zeros((2 * _path.FIRST, nodes, 1))
    path = _path.minimise(problem, start, first, _search.GLANCE)
    return _report(path, heads, tol, 1, True)


def _report(
    path: Path, heads: Heads | WeightPath, tol: float, tried: int, whole: bool
) -> Geodesic:
    """The path with as many modes as the tolerance asks for, and its account."""
    fixed = isinstance(heads, Heads)
    path, reach, left, settled = _path.refine(path, tol, fixed)
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
        drift=_path.length(path)[1],
    )
