"""Heads that change with layer-time: constant, layer by layer, between layers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, _noise
from tfdynlib._check import Number
from tfdynlib.weights.heads import Heads, Stack


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

    def __post_init__(self) -> None:
        _check.function(self.heads_at, "heads_at", "a function of t")
        _check.function(self.drift, "drift", "a function of t")
        for name in ("H", "d"):
            _check.count(getattr(self, name), name)
        if not _check.since(self.noise_var, "noise_var") < np.inf:
            raise _check.refuse("noise_var", "finite", self.noise_var)

    def __call__(self, t: Number) -> Heads:
        heads = self.heads_at(_check.time(t, "t"))
        _check.instance(heads, Heads, "heads_at(t)", "made by weights.Heads")
        if (heads.H, heads.d) != (self.H, self.d):
            raise _check.refuse("heads_at(t)", f"of H={self.H} and d={self.d}", heads)
        return heads


def slope(path: WeightPath, t: float) -> Stack:
    """dB/dt at t, checked: the path may be a reader's own."""
    both = path.drift(t)
    if not isinstance(both, Sequence) or len(both) != 2:
        raise _check.refuse("drift(t)", "dB/dt and dV/dt, two arrays", both)
    return _check.shaped(both[0], "drift(t)", (path.H, path.d, path.d))


def _no_drift(H: int, d: int) -> Callable[[float], tuple[Stack, Stack]]:
    return lambda t: (np.zeros((H, d, d)), np.zeros((H, d, d)))


def constant(heads: Heads) -> WeightPath:
    """The path that stays at ``heads``: every layer has the same weights."""
    _check.instance(heads, Heads, "heads", "made by weights.Heads")
    H, d = heads.H, heads.d
    return WeightPath(lambda t: heads, _no_drift(H, d), H, d, integrable=True)


def as_path(path: WeightPath | Heads) -> WeightPath:
    """``path`` itself, or the one that stays at these heads; the front door of ``path``
    wherever either will do."""
    if isinstance(path, Heads):
        return constant(path)
    return _check.instance(path, WeightPath, "path", "a WeightPath, or Heads")


def layers(list_of_heads: Sequence[Heads], t_edges: ArrayLike) -> WeightPath:
    """Layer k holds on [t_edges[k], t_edges[k+1]); the last one also at its end.

    L layers need L + 1 edges, strictly increasing, and equal H and d.  The path is
    not defined outside the edges: a call there raises ``ValueError``.
    """
    edges = _check.increasing(t_edges, "t_edges").copy()
    stack = _alike(list_of_heads, "list_of_heads")
    if len(edges) != len(stack) + 1:
        raise _check.refuse("t_edges", f"{len(stack) + 1} times", len(edges))
    H, d = stack[0].H, stack[0].d

    def heads_at(t: float) -> Heads:
        return stack[piece(edges, t)]

    drift = _no_drift(H, d)
    return WeightPath(heads_at, drift, H, d, breaks=inner(edges), integrable=True)


def interpolate(t: ArrayLike, heads: Sequence[Heads]) -> WeightPath:
    """B and V linear in time between ``heads[k]`` at ``t[k]``.

    Needs equal H, d, beta and masses of heads.  The path bends at the inner times and
    is not defined outside them: a call there raises ``ValueError``.
    """
    times = _check.increasing(t, "t").copy()
    stack = _alike(heads, "heads")
    if len(times) != len(stack):
        raise _check.refuse("t", f"{len(stack)} times, one for each heads", len(times))
    first = stack[0]
    for other in stack:
        if other.beta != first.beta or not np.array_equal(other.mass, first.mass):
            raise _check.refuse("heads", "of equal beta and masses", other)
    B, V = np.stack([h.B for h in stack]), np.stack([h.V for h in stack])
    width = np.diff(times)
    with np.errstate(over="ignore"):  # inf is refused
        steepest = max(np.abs(np.diff(M, axis=0).T / width).max() for M in (B, V))
    if steepest > _check.LARGEST:
        wanted = f"far enough apart for slopes up to {_check.LARGEST:g}"
        raise _check.refuse("t", wanted, f"{steepest:g}")

    def heads_at(t: float) -> Heads:
        k = piece(times, t)
        share = (t - times[k]) / width[k]
        B_t, V_t = ((1 - share) * M[k] + share * M[k + 1] for M in (B, V))
        return Heads(B_t, V_t, first.beta, first.mass)

    def drift(t: float) -> tuple[Stack, Stack]:
        k = piece(times, t)
        return (B[k + 1] - B[k]) / width[k], (V[k + 1] - V[k]) / width[k]

    H, d, breaks = first.H, first.d, inner(times)
    return WeightPath(heads_at, drift, H, d, breaks=breaks, integrable=True)


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


def piece(edges: Float[np.ndarray, " m"], t: float) -> int:
    """The interval that holds t, its left end included; the last one also its right."""
    slack = 1e-12 * (edges[-1] - edges[0])  # rounding of t + h in an integrator
    if not edges[0] - slack <= t <= edges[-1] + slack:
        raise _check.refuse("t", f"in [{edges[0]:g}, {edges[-1]:g}]", t)
    k = int(np.searchsorted(edges, t, side="right")) - 1
    return min(max(k, 0), len(edges) - 2)


def inner(edges: Float[np.ndarray, " m"]) -> tuple[float, ...]:
    """All but the ends."""
    return tuple(edges[1:-1].tolist())
