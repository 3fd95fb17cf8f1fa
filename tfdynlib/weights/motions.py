"""Weights in motion: oscillating ones, and those with noise."""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, _noise, _oscillation
from tfdynlib._check import Number
from tfdynlib.weights.heads import Heads, Stack, stack
from tfdynlib.weights.paths import WeightPath, inner, piece


def oscillating(
    H: int,
    d: int,
    D0: ArrayLike,
    phase: str = "spread",
    beta: Number = 1.0,
    mass: ArrayLike | None = None,
) -> WeightPath:
    r"""Descent heads that chase an oscillating target, in closed form.

    .. math:: D_h' = T(t + \varphi_h) - D_h, \qquad D_h(0) = D_0^h

    Symmetric T with diagonal near 2 that turns once in 2π, and entries off it that
    turn twice (``_oscillation.target``; for d = 2
    :math:`T(s) = \begin{pmatrix} 2 + \frac32\cos s & \sin 2s \\ \sin 2s & 2 -
    \frac32\cos s \end{pmatrix}`).

    ``phase="spread"`` is the layout of the first paper's code,
    :math:`\varphi_h = 2\pi h / H`: from three heads on the mean over heads of T is
    2I at every time.  ``"common"`` gives all heads the phase 0.  D0 is (d, d), one
    start for all, or (H, d, d).  Defined for t >= 0; of infinite length.

    Source: the code of :cite:t:`massucco2026multihead`.
    """
    H, d = _check.count(H, "H"), _check.count(d, "d", 2)
    _check.one_of(phase, ("spread", "common"), "phase")
    start = symmetric_start(D0, H, d)
    target, angle = _oscillation.target(d), _oscillation.phases(H, phase == "spread")
    transient = start - target.response(angle)
    mass = _check.masses(mass, H, "mass").copy()

    def D(t: float) -> Stack:
        _check.bounded(np.array(_check.since(t, "t")), "t")
        return np.exp(-t) * transient + target.response(t + angle)

    def drift(t: float) -> tuple[Stack, Stack]:
        now = D(t)
        F = target.at(t + angle) - now
        return F, -F

    def heads_at(t: float) -> Heads:
        return Heads.descent(D(t), beta, mass)

    heads_at(0.0)  # refuses what cannot be heads
    return WeightPath(heads_at, drift, H, d, integrable=False)


def ornstein_uhlenbeck(
    D0: ArrayLike,
    t: ArrayLike,
    rng: np.random.Generator,
    noise_var: Number = 2.0,
    mean: ArrayLike | None = None,
    beta: Number = 1.0,
    mass: ArrayLike | None = None,
    method: str = "exact",
) -> WeightPath:
    r"""One sample of noisy descent heads that return to a mean, identity if not given.

    .. math:: dD = (\bar D - D)\, dt + g\, dW_{sym}, \qquad
              dW_{sym} = (dZ + dZ^\top) / 2, \qquad g^2 = \text{noise\_var}

    Drawn at the times t from D0 at t[0] (one (d, d) or a stack (H, d, d) of heads,
    which get independent noise): exact transitions for any step, or
    ``method="euler"`` for Euler-Maruyama, with the same Brownian motion for the same
    seed.  Between samples the path is their chord.  ``drift`` is that of the equation;
    ``sample.noise`` holds :math:`g\int dW_{sym}`, drawn jointly.

    The noise never stops: a path has infinite length, though that of its law is
    finite (``ornstein_uhlenbeck_law``).

    Source: :cite:t:`massucco2026multihead`, code.
    """
    times, rng = _check.increasing(t, "t"), _check.generator(rng)
    g2 = _check.positive(noise_var, "noise_var")
    _check.one_of(method, ("exact", "euler"), "method")
    start = symmetric_start(D0)
    target = symmetric_mean(mean, start.shape[-1])
    Heads.descent(start, beta, mass)  # refuses what cannot be heads
    sample = _noise.sample(start, times, rng, g2, target, method == "exact")
    mass = _check.masses(mass, len(start), "mass").copy()
    return _noisy(sample, g2, target, beta, mass)


def _noisy(
    sample: _noise.Sample,
    g2: float,
    target: Float[np.ndarray, "d d"],
    beta: Number,
    mass: Float[np.ndarray, " H"],
) -> WeightPath:
    """The path along the chords of a sample."""

    def D(t: float) -> Stack:
        piece(sample.t, t)
        return sample.at(t)

    def drift(t: float) -> tuple[Stack, Stack]:
        F = target - D(t)
        return F, -F

    H, d = sample.D.shape[1:3]
    return WeightPath(
        lambda t: Heads.descent(D(t), beta, mass),
        drift,
        H,
        d,
        noise_var=g2,
        breaks=inner(sample.t),
        sample=sample,
        integrable=False,
    )


def thin(path: WeightPath, k: int) -> WeightPath:
    """The same noisy sample seen at every k-th of its times.

    Their number of intervals must be a multiple of k.  For exact transitions
    this is a path of the same law, driven by the same Brownian motion.
    """
    _check.instance(path, WeightPath, "path", "a WeightPath")
    if path.sample is None:
        raise _check.refuse("path", "made by weights.ornstein_uhlenbeck", path)
    steps, k = len(path.sample.noise), _check.count(k, "k")
    if steps % k:
        raise _check.refuse("k", f"a divisor of the {steps} intervals", k)
    heads, t0 = path(path.sample.t[0]), float(path.sample.t[0])
    target = path.drift(t0)[0][0] + heads.B[0]
    sample = path.sample.thin(k)
    return _noisy(sample, path.noise_var, target, heads.beta, heads.mass)


def symmetric_start(D0: ArrayLike, H: int | None = None, d: int | None = None) -> Stack:
    """Symmetric starts as a fresh stack; one is repeated for H heads."""
    out = stack(_check.symmetric(D0, "D0"), "D0")
    out = np.repeat(out, H, axis=0) if H is not None and np.ndim(D0) == 2 else out
    if H is not None and out.shape != (H, d, d):
        raise _check.refuse("D0", f"of shape ({d}, {d}) or ({H}, {d}, {d})", out)
    return out


def symmetric_mean(mean: ArrayLike | None, d: int) -> Float[np.ndarray, "d d"]:
    """The symmetric matrix that noisy heads return to; the identity if not given."""
    if mean is None:
        return np.eye(d)
    out = _check.symmetric(_check.shaped(mean, "mean", (d, d)), "mean")
    return _check.bounded(out, "mean").copy()
