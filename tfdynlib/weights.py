"""Weights: the heads of a layer, and how they change with layer-time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, _noise, _oscillation, _panels
from tfdynlib._check import Number

# Scores beta <Bx, y> of unit tokens stay below this, with room for sums over d.
MOST = 1e300

Stack = Float[np.ndarray, "H d d"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Heads:
    r"""The attention heads of one layer on R^d, stacked.

    Attributes
    ----------
    B
        Score matrices.  Token x looks at y with score
        :math:`\beta\langle B x, y\rangle` in every room of the book.  (For a paper that
        scores :math:`\langle B^\top x, y\rangle` pass the transpose: conventions are
        converted here, at the edge.)
    V
        Value matrices.  What y sends to x is Vy.
    beta
        Inverse temperature, dimensionless, positive.  Large: x sees only its best
        match; small: x sees the mean of all tokens.
    mass
        The measure Θ over heads, uniform if not given: velocities are means over
        heads with these masses.

    A single (d, d) matrix is one head.  Arrays are copied and cannot be written into.
    Raises ``ValueError`` for shapes that do not fit, numbers that are not finite,
    beta <= 0, and masses that do not sum to 1.
    """

    B: Stack
    V: Stack
    beta: float
    mass: Float[np.ndarray, " H"]

    def __init__(
        self,
        B: ArrayLike,
        V: ArrayLike,
        beta: Number = 1.0,
        mass: ArrayLike | None = None,
    ):
        B, V = _stack(B, "B"), _stack(V, "V")
        if B.shape != V.shape:
            raise _check.refuse("V", f"of the shape {B.shape} of B", V)
        mass = _check.masses(mass, len(B), "mass").copy()
        for name, value in (("B", B), ("V", V), ("mass", mass)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        beta, size = _check.positive(beta, "beta"), np.abs(B).max()
        if beta > MOST / max(size, 1.0):
            raise _check.refuse("beta", f"such that beta B is below {MOST:g}", beta)
        object.__setattr__(self, "beta", beta)

    @classmethod
    def from_qkv(
        cls,
        Q: ArrayLike,
        K: ArrayLike,
        V: ArrayLike,
        beta: Number = 1.0,
        mass: ArrayLike | None = None,
    ) -> "Heads":
        r"""Heads with score :math:`\beta\langle Qx, Ky\rangle`: :math:`B = K^\top Q`.

        Q and K are (k, d) or (H, k, d), V is (d, d) or (H, d, d).  The head width k may
        be smaller than d; the rank of B is then at most k.
        """
        Q, K = _check.array(Q, "Q"), _check.array(K, "K")
        if Q.ndim not in (2, 3):
            raise _check.refuse("Q", "of shape (k, d) or (H, k, d)", Q)
        if K.shape != Q.shape:
            raise _check.refuse("K", f"of the shape {Q.shape} of Q", K)
        return cls(np.swapaxes(K, -1, -2) @ Q, V, beta, mass)

    @classmethod
    def descent(
        cls, D: ArrayLike, beta: Number = 1.0, mass: ArrayLike | None = None
    ) -> "Heads":
        """Heads with B = D and V = -D for symmetric D: a single one descends
        ``energy.interaction``.  D = I spreads tokens apart."""
        D = _check.symmetric(D, "D")
        return cls(D, -D, beta, mass)

    @property
    def H(self) -> int:
        """Number of heads."""
        return len(self.B)

    @property
    def d(self) -> int:
        """Dimension of a token."""
        return self.B.shape[-1]

    def __len__(self) -> int:
        return self.H

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Heads):
            return NotImplemented
        return self.beta == other.beta and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("B", "V", "mass")
        )

    def __repr__(self) -> str:
        if self.H == 1 and self.d <= 4:
            B, V = self.B[0].tolist(), self.V[0].tolist()
            return f"Heads(B={B}, V={V}, beta={self.beta:g})"
        return f"Heads(H={self.H}, d={self.d}, beta={self.beta:g})"


def _stack(value: ArrayLike, name: str) -> Stack:
    """One matrix or a stack of them, as a fresh (H, d, d) array."""
    out = _check.square(value, name)
    if out.ndim > 3:
        raise _check.refuse(name, "square, (d, d) or (H, d, d)", out)
    return _check.bounded(out, name).reshape(-1, *out.shape[-2:]).copy()


def gradient_sign(heads: Heads) -> int:
    """-1 if V = -B (descent) and +1 if V = B (ascent), B symmetric, in every head.

    Raises ``ValueError`` for any other heads: they have no gradient rule.
    """
    _check.symmetric(heads.B, "heads.B")
    for sign in (-1, 1):
        if np.array_equal(heads.V, sign * heads.B):
            return sign
    raise _check.refuse(
        "heads.V", "-B in every head, or B in every head (gradient heads)", heads
    )


@dataclass(frozen=True)
class WeightPath:
    """Heads that change with layer-time: call it with t, get ``Heads``.

    Attributes
    ----------
    heads_at
        t -> ``Heads``; what a call of the path returns.
    drift
        t -> (dB/dt, dV/dt), two (H, d, d) arrays: the smooth part of the change.
        Along noisy weights the drift of their equation, not the slope of the sample.
    H, d
        Number of heads and dimension; constant along the path.
    noise_var
        Variance g^2 of the noise that drives the weights; 0 for a path that is a
        function of t.
    breaks
        Times at which the weights jump or bend; the value there is the one after.
    sample
        What was drawn, if the path is one of noisy weights: B at the times ``t`` and
        the noise between them; the path is the chord from each to the next.
    integrable
        Whether the length of the path is finite for all layer-time; None: not known.
    """

    heads_at: Callable[[float], Heads] = field(repr=False)
    drift: Callable[[float], tuple[Stack, Stack]] = field(repr=False)
    H: int
    d: int
    noise_var: float = 0.0
    breaks: tuple[float, ...] = ()
    sample: _noise.Sample | None = field(default=None, repr=False)
    integrable: bool | None = None

    def __call__(self, t: Number) -> Heads:
        return self.heads_at(float(t))


def _no_drift(H: int, d: int) -> Callable[[float], tuple[Stack, Stack]]:
    return lambda t: (np.zeros((H, d, d)), np.zeros((H, d, d)))


def constant(heads: Heads) -> WeightPath:
    """The path that stays at ``heads``: every layer has the same weights."""
    _check.instance(heads, Heads, "heads", "made by weights.Heads")
    H, d = heads.H, heads.d
    return WeightPath(lambda t: heads, _no_drift(H, d), H, d, integrable=True)


def layers(list_of_heads: Sequence[Heads], t_edges: ArrayLike) -> WeightPath:
    """Layer k holds on [t_edges[k], t_edges[k+1]); the last one also at its end.

    L layers need L + 1 edges, strictly increasing, and equal H and d.  The path is
    not defined outside the edges: a call there raises ``ValueError``.
    """
    edges = _check.increasing(t_edges, "t_edges")
    stack = _alike(list_of_heads, "list_of_heads")
    if len(edges) != len(stack) + 1:
        raise _check.refuse("t_edges", f"{len(stack) + 1} times", len(edges))
    H, d = stack[0].H, stack[0].d

    def heads_at(t: float) -> Heads:
        return stack[_piece(edges, t)]

    drift = _no_drift(H, d)
    return WeightPath(heads_at, drift, H, d, breaks=_inner(edges), integrable=True)


def interpolate(t: ArrayLike, heads: Sequence[Heads]) -> WeightPath:
    """B and V linear in time between ``heads[k]`` at ``t[k]``.

    Needs equal H, d, beta and masses of heads.  The path bends at the inner times and
    is not defined outside them: a call there raises ``ValueError``.
    """
    times = _check.increasing(t, "t")
    stack = _alike(heads, "heads")
    if len(times) != len(stack):
        raise _check.refuse("t", f"{len(stack)} times, one for each heads", len(times))
    first = stack[0]
    for other in stack:
        if other.beta != first.beta or not np.array_equal(other.mass, first.mass):
            raise _check.refuse("heads", "of equal beta and masses", other)
    B, V = np.stack([h.B for h in stack]), np.stack([h.V for h in stack])
    width = np.diff(times)

    def heads_at(t: float) -> Heads:
        k = _piece(times, t)
        share = (t - times[k]) / width[k]
        B_t, V_t = ((1 - share) * M[k] + share * M[k + 1] for M in (B, V))
        return Heads(B_t, V_t, first.beta, first.mass)

    def drift(t: float) -> tuple[Stack, Stack]:
        k = _piece(times, t)
        return (B[k + 1] - B[k]) / width[k], (V[k + 1] - V[k]) / width[k]

    H, d, breaks = first.H, first.d, _inner(times)
    return WeightPath(heads_at, drift, H, d, breaks=breaks, integrable=True)


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
    start = _start(D0, H, d)
    target, angle = _oscillation.target(d), _oscillation.phases(H, phase == "spread")
    transient = start - target.response(angle)
    mass = _check.masses(mass, H, "mass")

    def D(t: float) -> Stack:
        return np.exp(-t) * transient + target.response(t + angle)

    def drift(t: float) -> tuple[Stack, Stack]:
        F = target.at(t + angle) - D(t)
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
    start = _start(D0)
    target = _mean(mean, start.shape[-1])
    Heads.descent(start, beta, mass)  # refuses what cannot be heads
    sample = _noise.sample(start, times, rng, g2, target, method == "exact")
    return _noisy(sample, g2, target, beta, _check.masses(mass, len(start), "mass"))


def _noisy(
    sample: _noise.Sample,
    g2: float,
    target: Float[np.ndarray, "d d"],
    beta: Number,
    mass: Float[np.ndarray, " H"],
) -> WeightPath:
    """The path along the chords of a sample."""

    def D(t: float) -> Stack:
        _piece(sample.t, t)
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
        breaks=_inner(sample.t),
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
    start = _start(D0)
    target = _mean(mean, start.shape[-1])
    g2 = _check.positive(noise_var, "noise_var")
    return _noise.Law(start, g2, target, _check.masses(mass, len(start), "mass"))


def length(path: WeightPath, t0: Number, t1: Number, p: int = 2) -> float:
    r"""Length of the path of the measure over heads, in :math:`W_p`, p = 1 or 2.

    .. math:: \int_{t_0}^{t_1} \Bigl(\sum_h m_h |B_h'(t)|^p\Bigr)^{1/p} dt

    with Frobenius norms, and the jumps of layers added.  It is the length in
    :math:`W_p` as long as no two heads coincide (jumps: an upper bound).  ``inf`` for
    noisy weights.
    Panels of Gauss nodes between breaks, halved until they agree to 1e-10.
    """
    _check.instance(path, WeightPath, "path", "a WeightPath")
    if p not in (1, 2):
        raise _check.refuse("p", "1 or 2", p)
    ends = _check.increasing(np.array([t0, t1], dtype=float), "t0, t1")
    if path.noise_var > 0:
        return np.inf
    inner = [b for b in path.breaks if ends[0] < b < ends[1]]
    edges = [float(ends[0]), *inner, float(ends[1])]
    mass = path(edges[0]).mass

    def speed(t: float) -> float:
        return _panels.size(path.drift(t)[0], mass, p)

    total = sum(_panels.integral(speed, a, b) for a, b in zip(edges, edges[1:]))
    for b in inner:
        before = path(float(np.nextafter(b, ends[0])))
        total += _panels.size(path(b).B - before.B, mass, p)
    return total


def _alike(heads: Sequence[Heads], name: str) -> tuple[Heads, ...]:
    """A list of heads of equal H and d."""
    if not isinstance(heads, Sequence):
        raise _check.refuse(name, "a list of Heads", type(heads).__name__)
    stack = tuple(heads)
    for h in stack:
        _check.instance(h, Heads, name, "a list of Heads")
        if (h.H, h.d) != (stack[0].H, stack[0].d):
            wanted = f"of equal H={stack[0].H} and d={stack[0].d}"
            raise _check.refuse(name, wanted, h)
    return stack


def _piece(edges: Float[np.ndarray, " m"], t: float) -> int:
    """The interval that holds t, its left end included; the last one also its right."""
    slack = 1e-12 * (edges[-1] - edges[0])  # rounding of t + h in an integrator
    if not edges[0] - slack <= t <= edges[-1] + slack:
        raise _check.refuse("t", f"in [{edges[0]:g}, {edges[-1]:g}]", t)
    k = int(np.searchsorted(edges, t, side="right")) - 1
    return min(max(k, 0), len(edges) - 2)


def _inner(edges: Float[np.ndarray, " m"]) -> tuple[float, ...]:
    """All but the ends."""
    return tuple(edges[1:-1].tolist())


def _start(D0: ArrayLike, H: int | None = None, d: int | None = None) -> Stack:
    """Symmetric starts as a fresh stack; one is repeated for H heads."""
    out = _stack(_check.symmetric(D0, "D0"), "D0")
    out = np.repeat(out, H, axis=0) if H is not None and np.ndim(D0) == 2 else out
    if H is not None and out.shape != (H, d, d):
        raise _check.refuse("D0", f"of shape ({d}, {d}) or ({H}, {d}, {d})", out)
    return out


def _mean(mean: ArrayLike | None, d: int) -> Float[np.ndarray, "d d"]:
    """The symmetric matrix that noisy heads return to; the identity if not given."""
    if mean is None:
        return np.eye(d)
    return _check.symmetric(_check.shaped(mean, "mean", (d, d)), "mean").copy()
