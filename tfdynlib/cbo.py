r"""Consensus-based optimisation: tokens pulled to a mean that likes low values.

.. math::
    dx_i = -\lambda\,(x_i - m_\alpha)\,dt + \sigma\,|x_i - m_\alpha|\,dW_i, \qquad
    m_\alpha = \frac{\int y\, e^{-\alpha f(y)}\, d\mu(y)}
                    {\int e^{-\alpha f(y)}\, d\mu(y)}

with one objective f for all tokens.  Attention is the *polarised* form of it: token x
has an objective of its own, :math:`f_x(y) = -\langle Bx, y\rangle`, with α = β and no
noise.

Sources: :cite:t:`pinnau2017consensus`; on the sphere
:cite:t:`fornasier2021consensus`; polarised :cite:t:`bungert2022polarized`; attention as
one :cite:t:`alcalde2026quantifying`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as default
from typing import Any

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, _consensus, _gaussian_consensus, flow, sphere
from tfdynlib._check import Number
from tfdynlib._consensus import Masses, Tokens
from tfdynlib.weights import Heads

gaussian_mean = _gaussian_consensus.mean

SPACES = ("euclidean", "sphere")
NOISES = ("isotropic", "anisotropic")
# Tokens this close together, against their spread at the start, have agreed.
AGREED = 1e-3
# Tokens this far apart, against their spread at the start, will not agree.
APART = 1e3

Vector = Float[np.ndarray, " d"]
# All tokens -> their values; tokens that look and tokens looked at -> a table.
Objective = Callable[[Tokens], Any]
Polarised = Callable[[Tokens, Tokens], Any]


def consensus(
    x: Real[np.ndarray, "n d"],
    objective: Objective,
    alpha: Number,
    mass: ArrayLike | None = None,
) -> Vector:
    r"""The weighted mean :math:`m_\alpha` of the tokens.

    ``objective`` takes all tokens, (n, d), and returns n values; ``inf`` shuts a token
    out.  The least value is subtracted first, so any alpha > 0 is safe; 1/alpha is a
    temperature in the unit of f.  Raises ``ValueError`` if no value is finite, or one
    is nan or -inf.
    """
    x, mass, alpha = _consensus.entered(x, mass, alpha, objective)
    values = _consensus.values(objective, x)
    if not _consensus.usable(values, mass):
        came = _consensus.worst(values)
        raise _check.refuse("objective(x)", "finite, or inf for some", came)
    return _consensus.mean(values[None], x, mass, alpha)[0]


def velocity(
    x: Real[np.ndarray, "n d"],
    objective: Objective,
    alpha: Number,
    mass: ArrayLike | None = None,
    space: str = "euclidean",
) -> Tokens:
    r"""The pull without noise: :math:`m_\alpha - x`, or its tangent part on the sphere.

    On the sphere it is :math:`P_x m_\alpha`, because :math:`P_x x = 0`.
    """
    _check.one_of(space, SPACES, "space")
    x = _check.unit_rows(x) if space == "sphere" else _check.tokens(x)
    pull = consensus(x, objective, alpha, mass) - x
    return sphere.project(x, pull) if space == "sphere" else pull


def polarised_mean(
    x: Real[np.ndarray, "n d"],
    objective: Polarised,
    alpha: Number,
    mass: ArrayLike | None = None,
) -> Tokens:
    r"""The mean that each token would have: its own objective, all tokens' places.

    .. math::
        m_\alpha(x_i) = \frac{\sum_j \mu_j\, e^{-\alpha f(x_i, x_j)}\, x_j}
                             {\sum_j \mu_j\, e^{-\alpha f(x_i, x_j)}}

    ``objective(x, y)`` takes the tokens twice and returns the table f(x_i, y_j).  With
    ``attention_objective(heads)`` and alpha = beta it is what attention sees.
    """
    x, mass, alpha = _consensus.entered(
        x, mass, alpha, objective, "a function of the tokens, twice", 2
    )
    table = _check.array(objective(x.copy(), x.copy()), "objective(x, x)", ndim=2)
    return _consensus.mean(
        _check.shaped(table, "objective(x, x)", 2 * x.shape[:1]), x, mass, alpha
    )


def polarised_velocity(
    x: Real[np.ndarray, "n d"],
    objective: Polarised,
    alpha: Number,
    V: ArrayLike | None = None,
    mass: ArrayLike | None = None,
    space: str = "euclidean",
) -> Tokens:
    r"""The pull to each token's own mean: :math:`m_\alpha(x) - x`, on the sphere
    :math:`P_x V m_\alpha(x)`.

    ``V`` is what attention does to the mean before it pulls; the identity if not given,
    and only on the sphere, where it makes consensus and attention one equation.
    """
    _check.one_of(space, SPACES, "space")
    if space == "euclidean":
        if V is not None:
            raise _check.refuse("V", "left out in Euclidean space", V)
        return polarised_mean(x, objective, alpha, mass) - x
    x = _check.unit_rows(x)
    mean = polarised_mean(x, objective, alpha, mass)
    if V is not None:
        mean = mean @ _check.shaped(V, "V", 2 * x.shape[1:]).T
    return sphere.project(x, mean)


def attention_objective(heads: Heads) -> Polarised:
    r"""The objective whose polarised consensus is attention,
    :math:`f_x(y) = -\langle Bx, y\rangle`, for one head; alpha is its beta."""
    if _check.fixed_heads(heads, "heads").H != 1:
        raise _check.refuse("heads", "one head", f"{heads.H} heads")
    B, d = heads.B[0], heads.d

    def objective(x: Tokens, y: Tokens) -> Float[np.ndarray, "n k"]:
        why = ", the dimension of the heads"
        x, y = (_check.shaped(v, k, (None, d), why) for v, k in ((x, "x"), (y, "y")))
        return -(x @ B.T) @ y.T

    return objective


@dataclass(frozen=True, repr=False)
class Run:
    """Tokens on their way to a consensus.

    Attributes
    ----------
    t, x
        Times and tokens; fewer than asked for only if ``status`` says why.
    consensus
        The weighted mean at each time; on the sphere it lies inside the ball.
    spread
        Root mean square distance of the tokens from their centre of mass (the
        objective plays no part in it).
    status
        ``"consensus"`` (the last spread is below 1e-3 of the first); ``"on the way"``
        (it is smaller than the first, no more); ``"no consensus"`` (the tokens are no
        closer together than at the start: noise too strong, or not one goal);
        ``"blow-up"`` (noise drove them apart to 1e3 times the first spread);
        ``"not finite"`` (the objective left the numbers); or a status of ``flow.solve``
        other than ``"done"``.
    """

    t: Float[np.ndarray, " m"]
    x: Float[np.ndarray, "m n d"]
    consensus: Float[np.ndarray, "m d"] = default(repr=False)
    spread: Float[np.ndarray, " m"] = default(repr=False)
    status: str = "consensus"

    @property
    def found(self) -> Vector:
        """Where the consensus is at the end."""
        return self.consensus[-1]

    def __repr__(self) -> str:
        _, n, d = self.x.shape
        return f"Run({n} tokens in R^{d} to t = {self.t[-1]:g}, {self.status})"


def solve(
    x0: Real[np.ndarray, "n d"],
    objective: Objective,
    t: ArrayLike,
    alpha: Number,
    sigma: Number = 0.0,
    rng: np.random.Generator | None = None,
    noise: str = "isotropic",
    space: str = "euclidean",
    method: str = "dopri5",
    mass: ArrayLike | None = None,
) -> Run:
    r"""Follow consensus-based optimisation from x0 at t[0], with rate λ = 1.

    Without noise (sigma = 0) by ``flow.solve`` with its ``method``.  With noise by
    Euler-Maruyama, *one* step for each interval h of t:

    .. math::
        x \leftarrow x + h\,(m_\alpha - x) + \sigma\sqrt h\,|x - m_\alpha|\,\xi

    with ξ normal; ``"anisotropic"`` multiplies coordinate by coordinate,
    :math:`(x - m_\alpha)\odot\xi`.  On the sphere

    .. math::
        x \leftarrow \frac{y}{|y|}, \quad y = x + h P_x m_\alpha
            + \sigma\sqrt h\,|x - m_\alpha|\,P_x\xi
            - \tfrac{(d-1)\sigma^2 h}{2}\,|x - m_\alpha|^2\,x

    (isotropic only).  In R^d isotropic noise lets the tokens agree in mean square only
    if :math:`d\sigma^2 < 2`, anisotropic noise if :math:`\sigma^2 < 2`; where they do
    not, ``status`` says so.  Sources: :cite:t:`pinnau2017consensus`,
    :cite:t:`carrillo2021consensus`, :cite:t:`fornasier2021consensus`.
    """
    _check.one_of(space, SPACES, "space")
    _check.one_of(noise, NOISES, "noise")
    _check.one_of(method, flow.METHODS, "method")
    sigma, t = _check.since(sigma, "sigma"), _check.increasing(t)
    if not np.isfinite(sigma):
        raise _check.refuse("sigma", "finite", sigma)
    if space == "sphere" and noise != "isotropic":
        raise _check.refuse("noise", "'isotropic' on the sphere", repr(noise))
    consensus(x0, objective, alpha, mass)  # refuses what is wrong at the start
    x0 = _check.unit_rows(x0, "x0") if space == "sphere" else _check.tokens(x0, "x0")
    masses, pull = _check.masses(mass, len(x0)), _Pull(objective, alpha, mass, space)
    if sigma > 0:
        step = _Step(pull, sigma, _check.generator(rng), noise)
        return _account(pull, masses, *_noisy(x0, t, step))
    run = flow.solve(pull, x0, t, method, space=space)
    return _account(pull, masses, run.t, run.x, run.status)


@dataclass(frozen=True)
class _Pull:
    """The noise-free field and its consensus, no questions asked; inf where f is."""

    objective: Objective
    alpha: Number
    mass: ArrayLike | None
    space: str

    def mean(self, x: Tokens) -> Vector:
        values = _consensus.values(self.objective, x)
        mass = _check.masses(self.mass, len(x))
        if not _consensus.usable(values, mass):
            return np.full(x.shape[1], np.inf)
        return _consensus.mean(values[None], x, mass, float(self.alpha))[0]

    def __call__(self, t: float, x: Tokens) -> Tokens:
        mean = self.mean(x)
        if not np.isfinite(mean).all():
            return np.full_like(x, np.inf)
        return sphere.project(x, mean - x) if self.space == "sphere" else mean - x


@dataclass(frozen=True)
class _Step:
    """One step of Euler-Maruyama."""

    pull: _Pull
    sigma: float
    rng: np.random.Generator
    noise: str

    def __call__(self, x: Tokens, h: float) -> Tokens:
        drift = self.pull.mean(x) - x
        shake = self.rng.standard_normal(x.shape)
        far = np.sqrt(np.einsum("nd,nd->n", drift, drift))[:, None]
        reach = drift if self.noise == "anisotropic" else far
        move = h * drift + self.sigma * np.sqrt(h) * reach * shake
        if self.pull.space == "euclidean":
            return x + move
        bend = 0.5 * (x.shape[1] - 1) * self.sigma**2 * h * far**2 * x
        return sphere.retract(x + sphere.project(x, move) - bend)


def _noisy(
    x0: Tokens, t: Float[np.ndarray, " m"], step: _Step
) -> tuple[np.ndarray, np.ndarray, str]:
    """Times, tokens and status of the steps that could be taken."""
    mass = _check.masses(step.pull.mass, len(x0))
    far = APART * _spread(x0, mass)
    out = [x0]
    for h in np.diff(t):
        if not np.isfinite(step.pull.mean(out[-1])).all():
            return t[: len(out)], np.stack(out), "not finite"
        x = step(out[-1], float(h))
        if not np.abs(x).max() < _check.LARGEST or _spread(x, mass) > far > 0:
            return t[: len(out)], np.stack(out), "blow-up"
        out.append(x)
    return t.copy(), np.stack(out), "done"


def _account(
    pull: _Pull,
    mass: Masses,
    t: Float[np.ndarray, " m"],
    x: Float[np.ndarray, "m n d"],
    status: str,
) -> Run:
    """A run with what is said of it."""
    spread = np.array([_spread(state, mass) for state in x])
    means = np.stack([pull.mean(state) for state in x])
    if status == "done":
        status = "on the way" if spread[-1] < spread[0] else "no consensus"
        if spread[-1] <= AGREED * spread[0]:
            status = "consensus"
    return Run(t, x, means, spread, status)


def _spread(x: Tokens, mass: Masses) -> float:
    return float(np.sqrt(mass @ ((x - mass @ x) ** 2).sum(axis=1)))
