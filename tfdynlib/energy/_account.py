r"""What noisy weights do to the energy, and the account along a sample; for ``energy``.

Between two samples the weights move along their chord, so that the run is one along
piecewise linear weights and its account closes to fourth order in the step: the noise
spoils no quadrature.  What remains of the work of the chord when drift and Itô term are
taken off is the martingale.

All inputs have passed the front door of ``energy``.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib import _slopes, attention, sphere, summation
from tfdynlib.attention import How, Masses, Tokens
from tfdynlib.flow import Trajectory
from tfdynlib.weights import Heads, Stack, WeightPath
from tfdynlib.weights.paths import slope

Series = Float[np.ndarray, " m"]


def power(x: Tokens, heads: Heads, rate: Stack, mass: Masses, how: How) -> float:
    r"""Rate of change of E at frozen tokens when B changes at this rate,
    :math:`\frac12 \sum m_h \iint \langle \dot B_h x, y\rangle
    e^{\beta\langle B_h x, y\rangle}`."""
    if not rate.any():
        return 0.0
    rates = [
        np.sum((mass * _slopes.exponential(m.log_z, heads)) @ ((x @ F.T) * m.mean))
        for m, F in zip(summation.of_heads(x, x, heads, mass, *how), rate)
    ]
    return float(heads.mass @ np.array(rates)) / 2


def ito(x: Tokens, heads: Heads, noise_var: float, mass: Masses) -> float:
    r"""The second-order part of the noise, :math:`\frac{\beta g^2}{8} \sum m_h \iint
    (1 + \langle x, y\rangle^2) e^{\beta\langle B_h x, y\rangle}`, for symmetric noise
    and unit tokens."""
    total = 0.0
    rows = max(1, summation.BLOCK // len(x))
    for m, p in zip(heads.mass, summation.queries(x, heads)):
        for start in range(0, len(x), rows):
            part = slice(start, start + rows)
            kernel = _slopes.exponential(p[part] @ x.T, heads)
            total += m * (mass[part] @ (kernel * (1 + (x[part] @ x.T) ** 2)) @ mass)
    return float(heads.beta * noise_var * total / 8)


@dataclass(frozen=True)
class Node:
    """Rates at one state and one time."""

    v: Tokens
    smooth: float  # drift and Itô part of the rate of E at frozen tokens
    lost: float  # rate at which E falls at frozen weights


def _node(
    x: Tokens, t: float, path: WeightPath, rule: str, mass: Masses, how: How
) -> Node:
    heads = path(t)
    v = attention.velocity(x, heads, mass, rule, *how)
    smooth = power(x, heads, slope(path, t), mass, how)
    smooth += ito(x, heads, path.noise_var, mass)
    return Node(v, smooth, -_slopes.rate(x, v, heads, mass, how))


def noisy(
    trajectory: Trajectory,
    path: WeightPath,
    rule: str,
    mass: Masses,
    how: How,
    first: int,
) -> tuple[Series, Series, Series, Series]:
    """Increments over each interval: smooth work, dissipation, work of the noise (all
    along the chord), and the left-point sum of all three together.

    ``first`` is the number of the sample at which the trajectory starts.
    """
    t, x = trajectory.t.tolist(), trajectory.x
    nodes = [_node(y, s, path, rule, mass, how) for s, y in zip(t, x)]
    rows = [
        _interval(t[k], t[k + 1], x[k], x[k + 1], nodes[k], nodes[k + 1], *given)
        for k, given in enumerate(_given(path, rule, mass, how, first, len(t) - 1))
    ]
    table = np.array(rows).reshape(-1, 4)
    return table[:, 0], table[:, 1], table[:, 2], table[:, 3]


def _given(
    path: WeightPath, rule: str, mass: Masses, how: How, first: int, count: int
) -> list[tuple[WeightPath, str, Masses, How, Stack, Stack]]:
    """What each interval needs of the sample: the chord, and the noise."""
    assert path.sample is not None
    chords = np.diff(path.sample.D[first : first + count + 1], axis=0)
    noise = path.sample.noise[first : first + count]
    return [(path, rule, mass, how, chord, dW) for chord, dW in zip(chords, noise)]


def _interval(
    t0: float,
    t1: float,
    x0: Tokens,
    x1: Tokens,
    left: Node,
    right: Node,
    path: WeightPath,
    rule: str,
    mass: Masses,
    how: How,
    chord: Stack,
    noise: Stack,
) -> tuple[float, float, float, float]:
    h, centre = t1 - t0, (t0 + t1) / 2
    y = sphere.retract((x0 + x1) / 2 + h * (left.v - right.v) / 8)
    middle = _node(y, centre, path, rule, mass, how)
    smooth = h * (left.smooth + 4 * middle.smooth + right.smooth) / 6
    lost = h * (left.lost + 4 * middle.lost + right.lost) / 6
    places = ((1, x0, t0), (4, y, centre), (1, x1, t1))
    work = sum(w * power(z, path(t), chord, mass, how) for w, z, t in places) / 6
    itos = h * (left.smooth - left.lost) + power(x0, path(t0), noise, mass, how)
    return smooth, lost, work - smooth, itos
