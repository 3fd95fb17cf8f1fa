"""Values of the room: a Gaussian law, an affine layer, layers along depth, moments."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.weights.paths import inner, piece

Vector = Float[np.ndarray, " d"]
Matrix = Float[np.ndarray, "d d"]
Factor = Float[np.ndarray, "d r"]
Times = Float[np.ndarray, " m"]

# Eigenvalues of a covariance below this part of the largest one are its rounding.
RANK_TOLERANCE = 1e-13


def symmetric_part(M: Matrix) -> Matrix:
    """(M + M^T) / 2."""
    return 0.5 * (M + M.T)


def factor_of(cov: Matrix, name: str = "cov") -> tuple[Matrix, Factor]:
    """A covariance, made exactly symmetric, and a factor L of full column rank with
    cov = L L^T; columns by falling length.  Refuses what is no covariance."""
    cov = symmetric_part(_check.symmetric(_check.array(cov, name, ndim=2), name))
    _check.bounded(cov, name)
    values, vectors = np.linalg.eigh(cov)
    rounding = RANK_TOLERANCE * len(cov) * max(abs(values[0]), abs(values[-1]))
    if values[0] < -rounding:
        wanted = "a covariance (no negative eigenvalue)"
        raise _check.refuse(name, wanted, f"an eigenvalue of {values[0]:.3g}")
    keep = values > rounding
    return cov, (vectors[:, keep] * np.sqrt(values[keep]))[:, ::-1].copy()


def _freeze(value: object, **arrays: np.ndarray) -> None:
    """Store arrays that cannot be written into in a frozen value."""
    for name, a in arrays.items():
        a.flags.writeable = False
        object.__setattr__(value, name, a)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Gaussian:
    r"""The law :math:`N(m, \Sigma)` on R^d; the covariance may be singular, or zero.

    Attributes
    ----------
    mean
        m, (d,).
    cov
        Σ, (d, d), symmetric, no negative eigenvalue.
    factor
        L, (d, r), with :math:`\Sigma = LL^\top` and r the rank of Σ: its columns are
        eigenvectors of Σ times the square roots of their eigenvalues.  Eigenvalues
        below 1e-13 d times the largest count as rounding and get no column.

    Arrays are copied and cannot be written into.  Raises ``ValueError`` for shapes that
    do not fit, a matrix that is not symmetric, and a negative eigenvalue.
    """

    mean: Vector
    cov: Matrix
    factor: Factor

    def __init__(self, mean: ArrayLike, cov: ArrayLike):
        cov, factor = factor_of(_check.square(_check.array(cov, "cov", ndim=2), "cov"))
        shape = (len(cov),)
        mean = _check.shaped(mean, "mean", shape, ", as cov has it")
        _freeze(self, mean=_check.bounded(mean, "mean").copy(), cov=cov, factor=factor)

    @classmethod
    def from_factor(cls, mean: ArrayLike, factor: ArrayLike) -> "Gaussian":
        """N(mean, L L^T) for a factor L, (d, r), which it keeps.

        Use it for clouds so thin that the covariance alone would lose their width.  L
        may have fewer columns than rows, but of full rank: no column may depend on the
        others.
        """
        L = _check.bounded(_check.array(factor, "factor", ndim=2), "factor").copy()
        sizes = np.linalg.svd(L, compute_uv=False) if L.size else np.zeros(L.shape[1])
        if L.shape[1] and (L.shape[1] > L.shape[0] or sizes[-1] <= 1e-14 * sizes[0]):
            raise _check.refuse("factor", "of full column rank", L)
        mean = _check.shaped(mean, "mean", (len(L),), ", the rows of factor").copy()
        return cls._kept(_check.bounded(mean, "mean"), L)

    @classmethod
    def _kept(cls, mean: Vector, L: Factor) -> "Gaussian":
        """As ``from_factor``, no questions asked: columns may have become alike."""
        out = object.__new__(cls)
        _freeze(out, mean=mean, cov=symmetric_part(L @ L.T), factor=L)
        return out

    @property
    def d(self) -> int:
        """Dimension of the space."""
        return len(self.mean)

    @property
    def rank(self) -> int:
        """Rank of the covariance."""
        return self.factor.shape[1]

    def __repr__(self) -> str:
        return f"Gaussian(d={self.d}, rank={self.rank})"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Layer:
    r"""One attention head and one affine map on R^d: the field

    .. math::
        u(x) = Ax + V\,\frac{\int y\, e^{\langle Bx, y\rangle}\, d\mu(y)}
                            {\int e^{\langle Bx, y\rangle}\, d\mu(y)} + b .

    The score is that of :cite:t:`alcalde2026gaussian`, with β taken into
    :math:`B = K^\top Q`.  ``A``, ``B``, ``V`` are (d, d); ``b`` is (d,), zero if not
    given.  Arrays are copied and cannot be written into.  Raises ``ValueError`` for
    shapes that do not fit and numbers that are not finite.
    """

    A: Matrix
    B: Matrix
    V: Matrix
    b: Vector

    def __init__(
        self, A: ArrayLike, B: ArrayLike, V: ArrayLike, b: ArrayLike | None = None
    ):
        A = _check.square(_check.array(A, "A", ndim=2), "A")
        shape, why = A.shape, ", that of A"
        B, V = (_check.shaped(M, n, shape, why) for M, n in ((B, "B"), (V, "V")))
        b = np.zeros(len(A)) if b is None else _check.shaped(b, "b", shape[:1], why)
        arrays = {"A": A, "B": B, "V": V, "b": b}
        for name, value in arrays.items():
            _freeze(self, **{name: _check.bounded(value, name).copy()})

    @property
    def d(self) -> int:
        """Dimension of the space."""
        return len(self.A)

    def jacobian(self, cov: ArrayLike) -> Matrix:
        r""":math:`J = A + V\Sigma B`: the field on N(m, Σ) is Jx + Vm + b."""
        cov = _check.shaped(cov, "cov", (self.d, self.d), ", as the layer has it")
        return self.A + self.V @ cov @ self.B

    def __repr__(self) -> str:
        return f"Layer(d={self.d})"


@dataclass(frozen=True)
class LayerPath:
    """Layers that change with layer-time: call it with t, get a ``Layer``.

    Attributes
    ----------
    layer_at
        t -> ``Layer``; what a call of the path returns.
    d
        Dimension; constant along the path.
    breaks
        Times at which the layer jumps or bends; the value there is the one after.
    edges
        Times between which the path is defined; None: for all times.

    ``constant`` and ``piecewise`` make the usual ones; for a smooth function of t, call
    ``LayerPath(f, d)``.
    """

    layer_at: Callable[[float], Layer] = field(repr=False)
    d: int
    breaks: tuple[float, ...] = ()
    edges: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check.function(self.layer_at, "layer_at", "a function of t")
        _check.count(self.d, "d")
        # A constant layer, if that is what the path is; see ``held``.
        object.__setattr__(self, "_held", None)

    def __call__(self, t: Number) -> Layer:
        layer = self.layer_at(_check.time(t, "t"))
        _check.instance(layer, Layer, "layer_at(t)", "a gaussian.Layer")
        if layer.d != self.d:
            raise _check.refuse("layer_at(t)", f"of d={self.d}", layer)
        return layer


def held(path: LayerPath) -> Layer | None:
    """The layer of a path made by ``constant``; None for any other."""
    return getattr(path, "_held", None)


def constant(layer: Layer) -> LayerPath:
    """The path that stays at ``layer``: every layer has the same weights."""
    _check.instance(layer, Layer, "layer", "a gaussian.Layer")
    path = LayerPath(lambda t: layer, layer.d)
    object.__setattr__(path, "_held", layer)
    return path


def piecewise(layers: Sequence[Layer], t_edges: ArrayLike) -> LayerPath:
    """Layer k holds on [t_edges[k], t_edges[k+1]); the last one also at its end.

    L layers need L + 1 edges, strictly increasing, and equal d.  The path is not
    defined outside the edges: a call there raises ``ValueError``.
    """
    edges = _check.increasing(t_edges, "t_edges").copy()
    if not isinstance(layers, Sequence):
        raise _check.refuse("layers", "a list of Layers", type(layers).__name__)
    stack = tuple(layers)
    if len(edges) != len(stack) + 1:
        raise _check.refuse("t_edges", f"{len(stack) + 1} times", len(edges))
    for layer in stack:
        _check.instance(layer, Layer, "layers", "a list of Layers")
        if layer.d != stack[0].d:
            raise _check.refuse("layers", f"of equal d={stack[0].d}", layer)
    ends = float(edges[0]), float(edges[-1])
    return LayerPath(
        lambda t: stack[piece(edges, t)], stack[0].d, inner(edges), edges=ends
    )


def as_path(layer_or_path: Layer | LayerPath) -> LayerPath:
    """A path, from one or from a layer that stays."""
    if isinstance(layer_or_path, Layer):
        return constant(layer_or_path)
    wanted = "a gaussian.Layer or LayerPath"
    return _check.instance(layer_or_path, LayerPath, "layer_or_path", wanted)


@dataclass(frozen=True)
class Moments:
    r"""The Gaussian at layer-times t[k], along a path of layers.

    Attributes
    ----------
    t, mean, cov
        Times, (m,), means, (m, d), and covariances, (m, d, d).  Fewer times than asked
        for only if ``status`` says why; then those before the end.
    factor
        (m, d, r) with :math:`\Sigma = LL^\top`: r is the rank of the start.  A factor
        is unique up to a rotation of its columns.
    status
        ``"done"``; ``"blow-up"`` (the covariance leaves every bound in finite time);
        ``"not finite"`` (it leaves the doubles without a blow-up, or the mean does);
        ``"step too small"``; ``"too many steps"``.
    blow_up_time
        inf if none was met up to the last time asked for.
    direction
        Unit vector along which the covariance blows up (its sign is free), or None.
    method
        ``"closed form"``, ``"dop853"``, or ``"dop853, Radau"``: how it was found.
    """

    t: Float[np.ndarray, " m"]
    mean: Float[np.ndarray, "m d"]
    cov: Float[np.ndarray, "m d d"]
    factor: Float[np.ndarray, "m d r"] = field(repr=False)
    status: str
    blow_up_time: float
    direction: Vector | None = None
    method: str = "dop853"

    def at(self, k: int) -> Gaussian:
        """The Gaussian at t[k]."""
        k = _check.integer(k, "k")
        if not -len(self.t) <= k < len(self.t):
            raise _check.refuse("k", f"an index of {len(self.t)} times", k)
        return Gaussian._kept(self.mean[k].copy(), self.factor[k].copy())

    @property
    def end(self) -> Gaussian:
        """The Gaussian at the last time."""
        return self.at(-1)

    def __repr__(self) -> str:
        m, d, r = self.factor.shape
        end = f" at t = {self.blow_up_time:.9g}" if self.status == "blow-up" else ""
        return (
            f"Moments(rank {r} in R^{d}, {m} times in [{self.t[0]:g}, {self.t[-1]:g}], "
            f"{self.status}{end})"
        )
