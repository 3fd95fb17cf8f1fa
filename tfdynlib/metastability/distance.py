"""How far a cloud is from the limit of its start."""

import numpy as np

from tfdynlib import _check, measure
from tfdynlib._measure import Measure
from tfdynlib.metastability.limit import Limit


def distance_to_limit(
    mu: Measure,
    limit: Limit,
    start: Measure | None = None,
    ground: str = "chordal",
) -> float:
    r""":math:`W_2(\mu, \Pi_\# \mu_0)`, exact, with ``start`` the measure :math:`\mu_0`.

    Without a start :math:`\mu_0 = \mu`: then every token is nearest to its own
    projection, so the coupling is known,

    .. math:: W_2^2 = \int 2 (1 - |P_E x|)\, d\mu \qquad \text{(chordal)}

    which along the zero-temperature flow is the same, since that conserves
    :math:`\Pi(x)`.  At finite beta it is not: pass the start.  A target of two poles
    (E a line) takes a sort by :math:`\langle x, e_1\rangle`, the circle with the
    geodesic ground another; else equal projections are merged and it is a transport
    programme with the limits of ``measure.wasserstein2``.

    ``ground`` is ``"chordal"`` or ``"geodesic"``.  Raises ``ValueError`` for a start
    with mass on the complement of E, which has no projection.
    """
    _check.instance(mu, Measure, "mu", "a Measure (see measure.Measure)")
    _check.instance(limit, Limit, "limit", "a Limit (see Limit.of)")
    _check.one_of(ground, ("chordal", "geodesic"), "ground")
    _check.shaped(mu.x, "mu.x", (None, limit.d), ", the dimension of the limit")
    if start is None:
        reach = limit.reach(mu.x)
        far = np.linalg.norm(mu.x - mu.x @ limit.basis @ limit.basis.T, axis=1)
        angle = np.arctan2(far, reach)
        # 2 (1 - cos) without cancellation.
        square = angle**2 if ground == "geodesic" else 4 * np.sin(angle / 2) ** 2
        return float(np.sqrt(mu.mass @ square))
    _check.instance(start, Measure, "start", "a Measure (see measure.Measure)")
    _check.shaped(start.x, "start.x", (None, limit.d), ", the dimension of the limit")
    seen = start.mass > 0
    target = Measure(limit.project(start.x[seen]), start.mass[seen])
    return measure.wasserstein2(mu, target, ground)
