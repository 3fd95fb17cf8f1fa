"""Many tokens are one measure: push-forward, Wasserstein distance, merging."""

import warnings
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from tfdynlib import _check, _transport, sphere
from tfdynlib._check import Number
from tfdynlib._components import centres, components
from tfdynlib._measure import Measure

__all__ = [
    "Measure",
    "plan",
    "push_forward",
    "merge",
    "sliced_wasserstein2",
    "wasserstein2",
]

A_MEASURE = "a Measure (see measure.Measure)"
GROUNDS = ("chordal", "geodesic", "euclidean")
# Marginals of a transport plan may be off by this much, in total mass.
MARGINAL_TOLERANCE = 1e-9
# Pairs of atoms that an exact programme may have: a cost matrix of 200 MB, minutes.
LARGEST_PROGRAMME = 25_000_000

Points = Float[np.ndarray, "n d"]
Cost = Float[np.ndarray, "n m"]


def push_forward(T: Callable[[Points], Points], mu: Measure) -> Measure:
    r"""The measure :math:`T_\# \mu`: every atom moved by T, masses kept.

    T takes all atoms at once, an (n, d) array, and returns (n, k).
    """
    _check.function(T, "T", "a map of points to points")
    _check.instance(mu, Measure, "mu", A_MEASURE)
    x = _check.shaped(T(mu.x.copy()), "T(mu.x)", (len(mu.x), None))
    return Measure(x, mu.mass)


def wasserstein2(mu: Measure, nu: Measure, ground: str = "chordal") -> float:
    r"""Wasserstein distance of order 2, exact and not squared.

    .. math::
        W_2(\mu, \nu) = \Bigl(\min_{\pi} \sum_{ij} \pi_{ij}\,
                        c(x_i, y_j)^2\Bigr)^{1/2}

    over all couplings π of the two.  The ground distance c is ``"chordal"``, |x - y|
    for points on the sphere; ``"geodesic"``, their angle; or ``"euclidean"``, |x - y|
    anywhere.  A measure and the same measure in another order have distance exactly 0.

    Closed forms where there are any: the line (by sorting), the circle with the
    geodesic ground (by sorting and a search for the shift), a target of one or two
    atoms.  Otherwise an exact linear programme (POT's network simplex), whose
    marginals are checked.  Raises ``ValueError`` for points off the sphere when the
    ground asks for it, of different dimension, or more than ``LARGEST_PROGRAMME``
    pairs of atoms where there is no closed form, and ``RuntimeError`` if the
    programme fails.

    Source for the circle: J. Delon, J. Salomon, A. Sobolevski, Fast transport
    optimization for Monge costs on the circle (2010).
    """
    _enter(mu, nu, ground)
    on_circle = ground == "geodesic" and mu.x.shape[1] == 2
    if on_circle and _equal_masses(mu, nu):
        x, y = _transport.angles(mu), _transport.angles(nu)
        return _root(_transport.circle_of_equals(x, y))
    mu, nu = _distinct(mu), _distinct(nu)
    if _same(mu, nu):
        return 0.0
    if mu.x.shape[1] == 1 and ground == "euclidean":
        return _root(_transport.line(mu.x[:, 0], mu.mass, nu.x[:, 0], nu.mass))
    if on_circle:
        laws = *_transport.angles_and_masses(mu), *_transport.angles_and_masses(nu)
        return _root(_transport.circle(*laws))
    if min(len(mu.x), len(nu.x)) <= 2:
        return _root(_few_atoms(mu, nu, ground))
    coupling, cost = _programme(mu, nu, ground)
    return _root(float(np.sum(coupling * cost)))


def plan(mu: Measure, nu: Measure, ground: str = "chordal") -> Cost:
    r"""An optimal coupling π: how much mass of atom i of μ goes to atom j of ν.

    Rows sum to the masses of μ, columns to those of ν.  For n equal atoms on both
    sides it is a permutation matrix divided by n.
    """
    _enter(mu, nu, ground)
    return _programme(mu, nu, ground)[0]


def sliced_wasserstein2(
    mu: Measure, nu: Measure, rng: np.random.Generator, directions: int = 128
) -> float:
    r"""Root mean square of :math:`W_2` between projections on random lines.

    Cheap for large clouds (a sort for each direction) and at most
    :math:`W_2 / \sqrt d` in the mean over all directions.  A random quantity: two
    calls differ by about its size over the square root of ``directions``.
    """
    _enter(mu, nu, "euclidean")
    lines = sphere.uniform(_check.count(directions, "directions"), mu.x.shape[1], rng)
    squares = [_transport.line(mu.x @ u, mu.mass, nu.x @ u, nu.mass) for u in lines]
    return _root(float(np.mean(squares)))


def merge(mu: Measure, radius: Number, ground: str = "chordal") -> Measure:
    """Atoms joined by chains of steps of at most ``radius`` become one atom.

    It sits at their centre of mass (on the sphere again unless the ground is
    ``"euclidean"``) and carries their total mass.  Merging exact duplicates changes no
    integral, so it changes no velocity; merging near ones changes them to second
    order in the radius.  Raises ``ValueError`` if a chain closes round the sphere so
    that its centre is the origin.
    """
    _check.instance(mu, Measure, "mu", A_MEASURE)
    _check.one_of(ground, GROUNDS, "ground")
    if ground != "euclidean":
        _check.unit_rows(mu.x, "mu.x")
    reach = _check.positive(radius, "radius")
    reach = sphere.chord(reach) if ground == "geodesic" else reach
    label = components(mu.x, reach)
    mass = np.bincount(label, mu.mass).astype(float)
    if not mass.all():  # atoms without mass still need a place
        raise _check.refuse("mu.mass", "positive for every atom to merge", "a zero")
    centre = centres(mu.x, mu.mass, label)
    if ground == "euclidean":
        return Measure(centre, mass)
    if np.linalg.norm(centre, axis=1).min() < 1e-8:
        raise _check.refuse("radius", "smaller: a cluster has no centre", radius)
    return Measure(sphere.retract(centre), mass)


def _enter(mu: Measure, nu: Measure, ground: str) -> None:
    """Front door of two measures and a ground distance."""
    for name, value in (("mu", mu), ("nu", nu)):
        _check.instance(value, Measure, name, A_MEASURE)
    _check.one_of(ground, GROUNDS, "ground")
    if mu.x.shape[1] != nu.x.shape[1]:
        raise _check.refuse("nu.x", f"of the dimension {mu.x.shape[1]} of mu.x", nu.x)
    if ground != "euclidean":
        _check.unit_rows(mu.x, "mu.x")
        _check.unit_rows(nu.x, "nu.x")


def _root(square: float) -> float:
    """Square root of a cost that rounding may have left below zero."""
    return float(np.sqrt(max(square, 0.0)))


def _distinct(mu: Measure) -> Measure:
    """The measure with equal atoms as one, in sorted order, and no atom of mass 0."""
    seen = mu.mass > 0
    x, mass = mu.x[seen], mu.mass[seen]
    order = np.lexsort(x.T)
    x = x[order]
    new = np.append(True, (x[1:] != x[:-1]).any(axis=1))
    return Measure(x[new], np.bincount(np.cumsum(new) - 1, mass[order]))


def _same(mu: Measure, nu: Measure) -> bool:
    """Whether two measures of distinct sorted atoms are one, up to the rounding of
    masses that were added."""
    if mu.x.shape != nu.x.shape or not np.array_equal(mu.x, nu.x):
        return False
    return float(np.abs(mu.mass - nu.mass).sum()) <= _check.DUST


def _equal_masses(mu: Measure, nu: Measure) -> bool:
    """Whether all atoms of both carry the same mass."""
    return len(mu.x) == len(nu.x) and not (np.ptp(mu.mass) or np.ptp(nu.mass))


def _cost(x: Points, y: Float[np.ndarray, "m d"], ground: str) -> Cost:
    """Squared ground distances, from differences so that no digit cancels."""
    from scipy.spatial.distance import cdist

    if ground != "geodesic":
        return cdist(x, y, "sqeuclidean")
    return (2 * np.arctan2(cdist(x, y), cdist(x, -y))) ** 2


def _few_atoms(mu: Measure, nu: Measure, ground: str) -> float:
    """Squared W2 if one side has one atom, or two: then a sort by the cost gap."""
    many, few = (mu, nu) if len(nu.x) <= 2 else (nu, mu)
    cost = _cost(many.x, few.x, ground)
    if len(few.x) == 1:
        return float(many.mass @ cost[:, 0])
    order = np.argsort(cost[:, 0] - cost[:, 1])
    filled = np.cumsum(many.mass[order]) - many.mass[order]
    first = np.clip(few.mass[0] - filled, 0, many.mass[order])
    gap = cost[order, 0] - cost[order, 1]
    return float(many.mass @ cost[:, 1] + first @ gap)


def _programme(mu: Measure, nu: Measure, ground: str) -> tuple[Cost, Cost]:
    """The optimal plan by POT's network simplex, its marginals checked; the cost."""
    if len(mu.x) * len(nu.x) > LARGEST_PROGRAMME:
        raise _check.refuse(
            "mu and nu",
            f"of at most {LARGEST_PROGRAMME:,} pairs of atoms for an exact programme "
            "(see sliced_wasserstein2, or merge)",
            f"{len(mu.x)} and {len(nu.x)} atoms",
        )
    import ot

    cost = _cost(mu.x, nu.x, ground)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            coupling = ot.emd(mu.mass, nu.mass, cost, numItermax=10_000_000)
        except UserWarning as warning:
            raise RuntimeError(f"optimal transport did not finish: {warning}") from None
    error = np.abs(coupling.sum(axis=1) - mu.mass).sum()
    error += np.abs(coupling.sum(axis=0) - nu.mass).sum()
    if error > MARGINAL_TOLERANCE:
        raise RuntimeError(f"optimal transport left {error:.3g} of the mass unmatched")
    return coupling, cost
