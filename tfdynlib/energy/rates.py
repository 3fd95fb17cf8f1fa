"""How fast changing weights move the energy, and the energy under a law of heads."""

import numpy as np
from jaxtyping import Real
from numpy.typing import ArrayLike

from tfdynlib import _check, attention
from tfdynlib._check import Number
from tfdynlib._noise import Law
from tfdynlib.attention import Masses, Tokens
from tfdynlib.energy import _account, _annealed
from tfdynlib.weights import Heads, WeightPath
from tfdynlib.weights.paths import as_path, slope


def power(
    x: Real[np.ndarray, "n d"],
    path: WeightPath | Heads,
    t: Number,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Rate at which the weights change E while the tokens are held, at time t.

    .. math::
        \partial_t E = \frac12 \sum_h m_h \iint \Bigl( \langle \dot B_h x, y\rangle
        + \frac{\beta g^2}{4} \bigl(1 + \langle x, y\rangle^2\bigr) \Bigr)
        e^{\beta\langle B_h x, y\rangle}\, d\mu(x)\, d\mu(y)

    The second part is Itô's, for weights with symmetric noise of variance g^2: there
    the value is the mean rate, given the weights at t.
    """
    path = as_path(path)
    x, mass, _ = _check.cloud(x, path.d, mass)
    t = _check.time(t, "t")
    heads, rate = path(t), slope(path, t)
    smooth = _account.power(x, heads, rate, mass, attention.how(method, tol))
    if path.noise_var == 0:
        return smooth
    return smooth + _account.ito(x, heads, path.noise_var, mass)


def annealed_interaction(
    x: Real[np.ndarray, "n d"],
    law: Law,
    t: Number,
    beta: Number = 1.0,
    mass: ArrayLike | None = None,
) -> float:
    r"""Energy under infinitely many independent noisy heads, which have the law of
    ``weights.ornstein_uhlenbeck_law`` at time t; ``inf`` is the stationary one.

    .. math::
        E = \frac{1}{2\beta} \iint \exp\Bigl( \beta\langle x, M_t y\rangle +
        \frac{\beta^2 \sigma_t^2}{4} \bigl(1 + \langle x, y\rangle^2\bigr) \Bigr)\,
        d\mu(x)\, d\mu(y)

    the mean of ``interaction`` over the law, :math:`\langle x, Dy\rangle` being a
    Gaussian number.
    """
    x, mass, _ = _annealed_door(x, law, mass)
    return _annealed.value(
        x, law, _check.since(t, "t"), _check.positive(beta, "beta"), mass
    )


def annealed_power(
    x: Real[np.ndarray, "n d"],
    law: Law,
    t: Number,
    beta: Number = 1.0,
    mass: ArrayLike | None = None,
) -> float:
    """Time derivative of ``annealed_interaction`` at frozen tokens."""
    x, mass, _ = _annealed_door(x, law, mass)
    return _annealed.rate(
        x, law, _check.since(t, "t"), _check.positive(beta, "beta"), mass
    )


def _annealed_door(
    x: Tokens, law: Law, mass: ArrayLike | None
) -> tuple[Tokens, Masses, Tokens]:
    _check.instance(law, Law, "law", "made by weights.ornstein_uhlenbeck_law")
    return _check.cloud(x, law.D0.shape[-1], mass)
