r"""Covariances that can be written down: one dimension, commuting layers, V = vI.

One dimension: :math:`\dot S = 2aS + 2cS^2` has a closed form with its pole.  Symmetric
A, V, B and Σ that commute are such equations, one for each common eigenvector.  For
V = vI the precision obeys a linear equation, and for :math:`\Sigma = LL^\top` of any
rank

.. math::
    L(t) = e^{At} L\,(I - L^\top G(t) L)^{-1/2}, \qquad
    G(t) = \int_0^t e^{A^\top s}\, S\, e^{As}\,ds, \quad S = v(B + B^\top) .

The covariance blows up when the largest eigenvalue of :math:`L^\top G(t) L` reaches 1.
Derived in the book; the first is :cite:t:`alcalde2026gaussian` in one dimension.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.gaussian.scalar import scalar_blow_up_time, scalar_covariance
from tfdynlib.gaussian.types import (
    Factor,
    Gaussian,
    Layer,
    Matrix,
    Times,
    Vector,
    factor_of,
    symmetric_part,
)

# Factors at those of the times that come before a blow-up.
Factors = Float[np.ndarray, "kept d r"]

# Relative size below which a matrix counts as zero: the rounding of products of a few.
ROUNDING = 1e-13
# Steps of the flow for V = vI, in units of 1/|A|: if it may blow up, if it cannot.
SHORT, LONG = 0.1, 1.0
# Entries of a factor up to this are those of a covariance that the room takes.
TALLEST = _check.LARGEST**0.5
# A step this small against the time passed is the rest of the way to a blow-up.
REST = 1e-12
# Steps of the flow for V = vI, tried ones included: a few seconds.
MOST = 50_000


def value_number(layer: Layer) -> float | None:
    """v if V = vI up to rounding, else None."""
    v = float(np.trace(layer.V)) / layer.d
    gap = np.abs(layer.V - v * np.eye(layer.d)).max()
    return v if gap <= ROUNDING * np.abs(layer.V).max() else None


def common_basis(layer: Layer, cov: Matrix) -> Matrix | None:
    """Orthonormal columns in which A, V, B and cov are diagonal, or None."""
    parts = [M for M in (layer.A, layer.V, layer.B, cov) if M.any()]
    tops = [float(np.abs(M).max()) for M in parts]  # squares of small ones are zero
    sizes = [top * float(np.linalg.norm(M / top)) for M, top in zip(parts, tops)]
    for M, size in zip(parts, sizes):
        if np.abs(M - M.T).max() > ROUNDING * size:
            return None
    # A combination with unrelated weights has the common eigenvectors for its own.
    mix = np.zeros_like(cov)
    for w, M, size in zip((1.0, 0.6180, 0.3247, 0.2207), parts, sizes):
        mix = mix + w * M / size
    basis = np.linalg.eigh(symmetric_part(mix))[1] if parts else np.eye(layer.d)
    for M, size in zip(parts, sizes):
        turned = basis.T @ M @ basis
        if np.abs(turned - np.diag(np.diag(turned))).max() > ROUNDING * size * layer.d:
            return None
    return basis


@dataclass(frozen=True)
class Modes:
    """A commuting layer, mode by mode: S_i' = 2 a_i S_i + 2 c_i S_i^2."""

    basis: Matrix
    a: Vector
    c: Vector
    start: Vector

    @classmethod
    def of(cls, layer: Layer, cov: Matrix) -> "Modes | None":
        """The modes, or None if the layer and the covariance do not commute."""
        Q = common_basis(layer, cov)
        if Q is None:
            return None
        a, v, k, s = (np.diag(Q.T @ M @ Q) for M in (layer.A, layer.V, layer.B, cov))
        s = np.where(s > ROUNDING * len(s) * np.abs(s).max(), s, 0.0)
        return cls(Q, a.copy(), v * k, s)

    @property
    def blow_up_times(self) -> Vector:
        """Of each mode; inf for those that have none."""
        return scalar_blow_up_time(self.a, self.c, self.start)

    def factors(self, times: Times) -> Factors:
        """L(t) after times since the start, those before the covariance ends."""
        lives = self.start > 0
        s = scalar_covariance(
            self.a[lives], self.c[lives], self.start[lives], times[:, None]
        )
        large = (s > _check.LARGEST).any(axis=1)
        s = s[: int(np.argmax(large)) if large.any() else len(s)]
        return np.sqrt(s)[:, None, :] * self.basis[:, lives]


class Moebius:
    """The flow of a layer with V = vI: L goes to e^{Ah} L (I - L^T G(h) L)^{-1/2}."""

    def __init__(self, layer: Layer, v: float, most: Number = np.inf):
        self.most = most  # steps that may be tried yet
        self.A, self.S = layer.A, v * (layer.B + layer.B.T)
        self.largest = float(np.linalg.eigvalsh(self.S)[-1])
        reach = float(np.linalg.norm(self.A, 2))
        length = SHORT if self.can_blow_up else LONG
        self.longest = length / reach if reach > 0 else np.inf
        self._maps: dict[float, tuple[Matrix, Matrix]] = {}

    @property
    def can_blow_up(self) -> bool:
        """Whether S has a positive eigenvalue."""
        return self.largest > ROUNDING * float(np.abs(self.S).max())

    def maps(self, h: float) -> tuple[Matrix, Matrix]:
        """e^{Ah} and G(h), by one exponential of a matrix of twice the size."""
        if h not in self._maps:
            from scipy.linalg import expm

            d = len(self.A)
            if not self.A.any():
                return np.eye(d), h * self.S
            big = expm(h * np.block([[-self.A.T, self.S], [np.zeros((d, d)), self.A]]))
            self._maps[h] = big[d:, d:], symmetric_part(big[d:, d:].T @ big[:d, d:])
        return self._maps[h]

    def step(self, L: Factor, h: float) -> Factor | None:
        """L after h; None if that takes it more than half way to a blow-up."""
        Phi, G = self.maps(h)
        lam, U = np.linalg.eigh(symmetric_part(L.T @ G @ L))
        if lam[-1] > 0.5:
            return None
        return Phi @ L @ (U / np.sqrt(1 - lam)) @ U.T

    def pull(self, L: Factor) -> float:
        """Largest eigenvalue of L^T S L: one over the time left if A were zero."""
        return float(np.linalg.eigvalsh(symmetric_part(L.T @ self.S @ L))[-1])

    def follow(self, L: Factor, t: float, end: float) -> tuple[Factor, float, float]:
        """From L at t > 0 (time since the start) to ``end``: the factor, the time
        reached, and the time of the blow-up if one came first, else inf.

        It also ends where squares of L are no doubles any more, and after ``most``
        steps, tried ones included.

        While a step takes less than half of the way, the eigenvalue is all but convex
        in time, so that it cannot pass 1 and come back within the step.
        """
        h = min(self.longest, end - t)
        while t < end and self.most > 0:
            self.most -= 1
            h = min(h, end - t)
            after = self.step(L, h)
            if after is None:
                h *= 0.5
                if h <= REST * t:
                    return L, t, t + 1 / self.pull(L)
                continue
            if np.abs(after).max() > TALLEST:
                return L, t, np.inf
            L, t = after, t + h if h < end - t else end
            h = min(2 * h, self.longest)
        return L, t, np.inf


def moebius_factors(
    flow: Moebius, L: Factor, times: Times
) -> tuple[Factors, float, Factor]:
    """L at times since the start, those before it ends; the time of a blow-up; L at
    the end.

    The first of the times is 0.
    """
    out, now = [L], 0.0
    for end in times[1:].tolist():
        L, now, blow_up = flow.follow(L, now, end)
        if now < end:
            return np.stack(out), blow_up, L
        out.append(L)
    return np.stack(out), np.inf, L


def closed_form(
    layer: Layer, cov: ArrayLike, t: ArrayLike
) -> Float[np.ndarray, "m d d"]:
    r"""Σ(t[k]) without an integrator, (m, d, d); t counts from the start at ``cov``.

    For V = vI, and for symmetric A, V, B and cov that commute (in one dimension
    always); see the head of this file for the equations.  ``t`` are times, (m,), zero
    or positive and increasing.  Any rank of ``cov`` is welcome.

    Raises ``ValueError`` for other layers, and for times at or after a blow-up or so
    late that they take too many steps.
    """
    _check.instance(layer, Layer, "layer", "a gaussian.Layer")
    shape = (layer.d, layer.d)
    cov, L = factor_of(_check.shaped(cov, "cov", shape, ", as the layer has it"))
    times = _check.array(t, "t", ndim=1)
    if len(times) == 0 or times[0] < 0 or (np.diff(times) <= 0).any():
        raise _check.refuse("t", "zero or positive and strictly increasing", times)
    found = exact(layer, cov, L, np.concatenate([[0.0], times[times > 0]]))
    if found is None:
        wanted = "with V = vI, or of symmetric matrices that commute with cov"
        raise _check.refuse("layer", wanted, layer)
    factors, blow_up, _, tired = found
    if tired:
        wanted = f"within {MOST} steps of {SHORT:g} to {LONG:g} over |A|"
        raise _check.refuse("t", wanted, times[-1])
    if times[-1] >= blow_up:
        raise _check.refuse("t", f"before the blow-up at {blow_up:.9g}", times[-1])
    factors = factors if times[0] == 0 else factors[1:]
    if len(factors) < len(times):
        wanted = f"before the covariance passes {_check.LARGEST:g}"
        raise _check.refuse("t", wanted, times[-1])
    return factors @ factors.swapaxes(1, 2)


def exact(
    layer: Layer, cov: Matrix, L: Factor, times: Times
) -> tuple[Factors, float, Vector | None, bool] | None:
    """Factors at times since the start, time and direction of a blow-up before the
    last of them, and whether it took too many steps; None if the layer has no closed
    form here.  Fewer times than asked for, no blow-up and not too many steps: the
    covariance leaves the doubles."""
    v = value_number(layer)
    if v is not None and L.shape[1]:
        flow = Moebius(layer, v, MOST)
        factors, blow_up, last = moebius_factors(flow, L, times)
        direction = np.linalg.svd(last)[0][:, 0] if blow_up < np.inf else None
        tired = flow.most == 0 and len(factors) < len(times) and direction is None
        return factors, blow_up, direction, tired
    modes = Modes.of(layer, cov)
    if modes is None or np.count_nonzero(modes.start) != L.shape[1]:
        return None
    ends = modes.blow_up_times
    first = int(np.argmin(ends))
    met = bool(ends[first] <= times[-1])
    kept = times[times < ends[first]]
    direction = modes.basis[:, first].copy() if met else None
    end = float(ends[first]) if met else np.inf
    return modes.factors(kept), end, direction, False


def closed_moments(
    layer: Layer, start: Gaussian, times: Times
) -> tuple[Factors, float, Vector | None, bool] | None:
    """As ``exact``, from a Gaussian at times[0]."""
    found = exact(layer, start.cov, start.factor, times - times[0])
    return found and (found[0], float(times[0]) + found[1], *found[2:])
