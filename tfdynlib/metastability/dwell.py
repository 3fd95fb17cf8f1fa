"""How long two clusters wait for each other on the circle."""

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number

NODES = 20
# Exponents above this leave the doubles.
LARGEST = 700.0
LEAST = 1e-300  # an angle whose half still has a logarithm


def gap_velocity(gap: Number, beta: Number, mass: Number = 0.5) -> float:
    r"""Rate of the gap φ between two clusters of masses p, 1 - p, with V = B = I.

    .. math:: \dot\varphi = -\sin\varphi\,(a_1 + a_2),
        \qquad a_1 = \frac{1-p}{p\,e^{\beta(1-\cos\varphi)} + 1 - p}

    and a_2 with p and 1 - p exchanged.  Equal masses:
    :math:`-2\sin\varphi/(1 + e^{\beta(1-\cos\varphi)})`.
    """
    gap, p = _angle(gap, "gap"), _share(mass)
    a = _weights(np.array([gap]), _check.positive(beta, "beta"), p)
    return -float(np.sin(gap) * a[0])


def dwell_time(
    gap: Number, beta: Number, until: Number = 0.1, mass: Number = 0.5
) -> float:
    r"""Time in which two clusters on the circle come from ``gap`` to ``until`` radians.

    .. math:: T = \int_{\rm until}^{\rm gap} \frac{d\varphi}{|\dot\varphi|}
        = \tfrac12\int \bigl(1 + e^{\beta(1 + \tanh u)}\bigr)\,du,
        \qquad u = \log\tan\tfrac\varphi2 \quad\text{(equal masses)}

    With V = B = I and masses p = ``mass`` and 1 - p (see ``gap_velocity``).  It grows
    like e^{2 beta} near gap π: not the log beta of the theorem on concentration but
    another metastability.  Relative error 1e-12 or so; inf beyond the doubles.
    """
    gap, end = _angle(gap, "gap"), _angle(until, "until")
    beta, p = _check.positive(beta, "beta"), _share(mass)
    if end >= gap:
        raise _check.refuse("until", f"below the gap {gap:g}", until)
    if end < LEAST:
        raise _check.refuse("until", f"{LEAST:g} or more", until)
    low, high = (float(np.log(np.tan(phi / 2))) for phi in (end, gap))
    # Panels of half a unit, and such that the exponent beta tanh u changes by one.
    wide = np.linspace(low, high, 2 + int(2 * (high - low)))
    if beta > (LARGEST + abs(np.log(p / (1 - p)))) / (1 + np.tanh(high)):
        return float("inf")
    first, last = (beta * float(np.tanh(u)) for u in (low, high))
    steep = np.linspace(first, last, 2 + int(last - first))[1:-1] / beta
    edge = np.unique(np.clip(np.concatenate([wide, np.arctanh(steep)]), low, high))
    node, weight = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(edge) / 2
    u = edge[:-1, None] + half[:, None] * (1 + node)
    slow = 1 / _weights(2 * np.arctan(np.exp(u)), beta, p)
    return float(half @ slow @ weight)


def _weights(
    gap: Float[np.ndarray, "..."], beta: float, p: float
) -> Float[np.ndarray, "..."]:
    """a_1 + a_2 at every gap."""
    far, ratio = 2 * beta * np.sin(gap / 2) ** 2, np.log(p / (1 - p))
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(far + ratio)) + 1 / (1 + np.exp(far - ratio)))


def _angle(value: Number, name: str) -> float:
    out = _check.positive(value, name)
    if out >= np.pi:
        raise _check.refuse(name, "below π, where the two rest", value)
    return out


def _share(value: Number) -> float:
    out = _check.positive(value, "mass")
    if out >= 1:
        raise _check.refuse("mass", "below 1", value)
    return out
