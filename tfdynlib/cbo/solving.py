"""Tokens on their way to a consensus, with noise and without."""

from dataclasses import dataclass
from dataclasses import field as default

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, flow, sphere
from tfdynlib._check import Number
from tfdynlib.cbo import _weighing
from tfdynlib.cbo._weighing import Masses, Tokens
from tfdynlib.cbo.means import SPACES, Objective, Vector, consensus

NOISES = ("isotropic", "anisotropic")
# Tokens this close together, against their spread at the start, have agreed.
AGREED = 1e-3
# Tokens this far apart, against their spread at the start, will not agree.
APART = 1e3


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
        values = _weighing.values(self.objective, x)
        mass = _check.masses(self.mass, len(x))
        if not _weighing.usable(values, mass):
            return np.full(x.shape[1], np.inf)
        return _weighing.mean(values[None], x, mass, float(self.alpha))[0]

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
