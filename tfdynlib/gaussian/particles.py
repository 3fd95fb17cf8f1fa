r"""Tokens against the Gaussian they were drawn from.

The softmax over a Gaussian cloud tilts it: weights e^{⟨p, y⟩} shift the mean by Σp.  A
sample of n tokens sees this only as far as its tail reaches: a fraction
:math:`e^{-p^\top\Sigma p}` of them counts, so that tokens follow their moments while
:math:`p^\top\Sigma p` stays well below log n for all their p = Bx.
"""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, attention
from tfdynlib._check import Number
from tfdynlib.attention import Masses, Tokens
from tfdynlib.gaussian.types import Gaussian, Layer, LayerPath, as_path
from tfdynlib.weights import Heads


@dataclass(frozen=True)
class Particles:
    """The field f(t, x) of tokens under a path of layers; see ``particles``."""

    path: LayerPath
    mass: Masses | None = field(default=None, repr=False)
    method: str = "auto"
    tol: float = 1e-10
    space: str = field(default="euclidean", init=False)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which the field jumps."""
        return self.path.breaks

    def __call__(self, t: Number, x: Tokens) -> Tokens:
        if x.shape[1] != self.path.d:
            wanted = f"of shape (any, {self.path.d}), the dimension of the layers"
            raise _check.refuse("x", wanted, x)
        layer = self.path(t)
        v = x @ layer.A.T + layer.b
        if not layer.V.any():
            return v
        look = attention.field(
            Heads(layer.B, layer.V),
            self.mass,
            "softmax",
            self.method,
            self.tol,
            "euclidean",
        )
        return v + look(t, x)


def particles(
    layer_or_path: Layer | LayerPath,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Particles:
    r"""The field of tokens, for ``flow.solve``:

    .. math:: \dot x_i = A x_i + V \sum_j a_{ij} x_j + b, \qquad
              a_{ij} \propto m_j\, e^{\langle Bx_i, x_j\rangle}

    with the layer at t.  ``mass`` are the masses of the tokens, (n,), uniform if not
    given; ``method`` and ``tol`` are those of ``attention.velocity``.  Its ``space`` is
    ``"euclidean"``, so ``flow.solve(particles(layer), x0, t)`` is all there is to do.

    n tokens never blow up: for b = 0 the largest norm grows at most like
    e^{(|A| + |V|) t}.
    """
    path = as_path(layer_or_path)
    attention.how(method, tol)
    if mass is not None:
        mass = _check.array(mass, "mass", ndim=1)
        mass = _check.masses(mass, len(mass)).copy()
    return Particles(path, mass, method, float(tol))


def effective_fraction(g: Gaussian, p: ArrayLike) -> Float[np.ndarray, "..."]:
    r"""The part of a large sample of g that a query sees: :math:`e^{-p^\top\Sigma p}`.

    It is :math:`(E w)^2 / E w^2` for the weights :math:`w = e^{\langle p, y\rangle}`;
    p = Bx for a token x.  ``p`` is (d,) or (..., d); the value has its leading shape.
    """
    _check.instance(g, Gaussian, "g", "a gaussian.Gaussian")
    p = _check.bounded(_check.array(p, "p"), "p")
    if p.ndim == 0 or p.shape[-1] != g.d:
        raise _check.refuse("p", f"of shape (..., {g.d}), as g has it", p)
    return np.asarray(np.exp(-np.sum((p @ g.factor) ** 2, axis=-1)))


def sample_fraction(
    x: Float[np.ndarray, "n d"], p: ArrayLike, mass: ArrayLike | None = None
) -> float:
    r"""The same measured on tokens: :math:`(\sum m_j w_j)^2 / \sum m_j w_j^2`.

    ``x`` is (n, d), ``p`` (d,).  It is never below the mass of the heaviest token.
    """
    x = _check.tokens(x, "x")
    mass = _check.masses(mass, len(x))
    score = x @ _check.shaped(p, "p", (x.shape[1],), ", the dimension of x")
    w = np.exp(score - score.max(where=mass > 0, initial=-np.inf)) * (mass > 0)
    return float((mass @ w) ** 2 / (mass @ w**2))


def matched(x: Float[np.ndarray, "n d"], mass: ArrayLike | None = None) -> Gaussian:
    """The Gaussian with the mean and the covariance of tokens, (n, d), and masses; the
    covariance is that of the measure itself (divided by n)."""
    x = _check.tokens(x, "x")
    mass = _check.masses(mass, len(x))
    mean = mass @ x
    centred = (x - mean) * np.sqrt(mass)[:, None]
    return Gaussian(mean, centred.T @ centred)


def _standardised(
    x: Tokens, mass: Masses, directions: ArrayLike | None
) -> tuple[Float[np.ndarray, "n k"], Float[np.ndarray, " k"]]:
    """Coordinates of mean 0 and variance 1 along directions (the principal axes if not
    given), and their standard deviations; directions of no width are left out."""
    g = matched(x, mass)
    if directions is None:
        U = g.factor / np.linalg.norm(g.factor, axis=0)
    else:
        U = _check.shaped(directions, "directions", (None, x.shape[1])).T
        size = np.linalg.norm(U, axis=0)
        if not size.all():
            raise _check.refuse("directions", "nonzero rows", "a row of zeros")
        U = U / size
    width = np.linalg.norm(g.factor.T @ U, axis=0)
    kept = width > 1e-7 * width.max(initial=0.0)
    return ((x - g.mean) @ U[:, kept]) / width[kept], width[kept]


def excess_kurtosis(
    x: Float[np.ndarray, "n d"],
    mass: ArrayLike | None = None,
    directions: ArrayLike | None = None,
) -> Float[np.ndarray, " k"]:
    r"""Fourth standardised moment minus 3 along directions: zero for a Gaussian.

    ``directions`` are rows (k, d), the principal axes of the cloud if not given, widest
    first; those in which the cloud has no width are left out.  For n draws of a
    Gaussian its standard error is about :math:`\sqrt{24/n}`.
    """
    x = _check.tokens(x, "x")
    mass = _check.masses(mass, len(x))
    z, _ = _standardised(x, mass, directions)
    return mass @ z**4 - 3


def distance_to_gaussian(
    x: Float[np.ndarray, "n d"],
    mass: ArrayLike | None = None,
    directions: ArrayLike | None = None,
) -> float:
    r"""W₂ between tokens and the Gaussian with their moments, along directions.

    In one dimension exact, from :math:`\int z F^{-1}` over the quantiles of each token;
    in more, the root mean square over ``directions``, rows (k, d), the principal axes
    if not given.  A sample of n draws of a Gaussian is itself about n^{-1/2} away:
    compare with one.
    """
    from scipy.special import ndtri

    x = _check.tokens(x, "x")
    mass = _check.masses(mass, len(x))
    z, width = _standardised(x, mass, directions)
    total = 0.0
    for column, s in zip(z.T, width):
        order = np.argsort(column)
        edges = np.clip(np.cumsum(mass[order]), 0, 1)[:-1]
        bell = np.exp(-0.5 * ndtri(edges) ** 2) / np.sqrt(2 * np.pi)
        bell = np.concatenate([[0.0], bell, [0.0]])
        cross = float(column[order] @ (bell[:-1] - bell[1:]))
        total += s**2 * max(2 - 2 * cross, 0.0)
    return float(np.sqrt(total / max(len(width), 1)))
