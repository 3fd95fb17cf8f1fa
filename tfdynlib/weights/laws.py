"""The law of noisy heads, and the length of a path of laws."""

import numpy as np
from numpy.typing import ArrayLike

from tfdynlib import _check, _noise, _panels
from tfdynlib._check import Number
from tfdynlib.weights.motions import symmetric_mean, symmetric_start
from tfdynlib.weights.paths import WeightPath, slope

LONGEST = 1e5  # there are sixteen nodes to each unit of time, and more


def ornstein_uhlenbeck_law(
    D0: ArrayLike,
    noise_var: Number = 2.0,
    mean: ArrayLike | None = None,
    mass: ArrayLike | None = None,
) -> _noise.Law:
    """The law of ``ornstein_uhlenbeck`` heads, that of infinitely many from each start.

    A value with ``mean(t)``, ``variance(t)`` and ``length(p, t0, t1)`` in Wasserstein
    distance, finite for all time: the law is integrable where its samples are not.
    """
    start = symmetric_start(D0)
    target = symmetric_mean(mean, start.shape[-1])
    g2 = _check.positive(noise_var, "noise_var")
    return _noise.Law(start, g2, target, _check.masses(mass, len(start), "mass").copy())


def length(path: WeightPath, t0: Number, t1: Number, p: int = 2) -> float:
    r"""Length of the path of the measure over heads, in :math:`W_p`, p = 1 or 2.

    .. math:: \int_{t_0}^{t_1} \Bigl(\sum_h m_h |B_h'(t)|^p\Bigr)^{1/p} dt

    with Frobenius norms, and the jumps of layers added.  It is the length in
    :math:`W_p` as long as no two heads coincide (jumps: an upper bound).  ``inf`` for
    noisy weights.
    Panels of Gauss nodes between breaks, halved until they agree to 1e-10.
    """
    _check.instance(path, WeightPath, "path", "a WeightPath")
    if _check.count(p, "p") > 2:
        raise _check.refuse("p", "1 or 2", p)
    t0, t1 = _check.time(t0, "t0"), _check.time(t1, "t1")
    if not t0 < t1:
        raise _check.refuse("t1", f"later than t0, {t0:g}", t1)
    if t1 - t0 > LONGEST:
        raise _check.refuse("t1", f"at most {LONGEST:g} later than t0, {t0:g}", t1)
    mass = path(t0).mass
    path(t1)  # refuses an end at which there are no weights
    if path.noise_var > 0:
        return np.inf
    inner = [b for b in path.breaks if t0 < b < t1]
    edges = [t0, *inner, t1]

    def speed(t: float) -> float:
        return _panels.size(slope(path, t), mass, p)

    total = sum(_panels.integral(speed, a, b) for a, b in zip(edges, edges[1:]))
    for b in inner:
        before = path(float(np.nextafter(b, t0)))
        total += _panels.size(path(b).B - before.B, mass, p)
    return total
