"""The interaction energy of the tokens, its slope, and the balance along a flow.

Throughout, for tokens x on the sphere with measure mu and heads with masses m_h:

    s_h(x) = int e^{beta <B_h x, y>} dmu(y)        g_h = P_x grad s_h / beta
    b(x)   = 1 / sum_h (m_h / s_h(x))              the effective weight, a harmonic mean

Values beyond the range of doubles (beta near 700 and more) are refused with a sentence;
``log_interaction`` has no such limit.  ``method`` and ``tol`` are those of
``attention.velocity``: energies come from the sums that a velocity divides by.

Sources: energy, weight and balance are those of :cite:t:`massucco2026multihead`; for
one head see also :cite:t:`burger2025analysis`.  The dissipation of the softmax rule for
heads that differ is derived in the book.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _account, _annealed, _check, _slopes, attention, sphere
from tfdynlib._check import Number
from tfdynlib._noise import Law
from tfdynlib.attention import How, Masses, Tokens
from tfdynlib.flow import Trajectory
from tfdynlib.weights import Heads, WeightPath, constant, gradient_sign


def interaction(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Interaction energy of the tokens.

    .. math::
        E = \frac{1}{2\beta} \sum_h m_h \iint e^{\beta\langle B_h x, y\rangle}\,
            d\mu(x)\, d\mu(y)

    Self pairs included.  A descent head (V = -B, B symmetric) lowers it, an ascent head
    (V = B) raises it, at the rate ``dissipation``.  For B = I it is largest,
    :math:`e^\beta / 2\beta`, when all tokens are one.
    """
    return float(
        _slopes.exponential(
            np.array(log_interaction(x, heads, mass, method, tol)), heads
        )
    )


def log_interaction(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    """Logarithm of ``interaction``; finite for every beta."""
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    log_s = attention.log_partition(x, heads, mass, None, method, tol)
    weight = heads.mass[:, None] * mass
    top = log_s[weight > 0].max()
    total = np.sum(weight * np.exp(np.minimum(log_s - top, 0)))
    return float(top + np.log(total) - np.log(2 * heads.beta))


def head_weights(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Float[np.ndarray, "H n"]:
    r"""The attention each token feels, :math:`s_h(x_i) = \int e^{\beta\langle B_h x_i,
    y\rangle} d\mu(y)`, for each head: the price of moving token i with head h."""
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    return _slopes.exponential(
        attention.log_partition(x, heads, mass, None, method, tol), heads
    )


def effective_weight(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Float[np.ndarray, " n"]:
    r"""Harmonic mean over heads, :math:`\hat b = \bigl(\sum_h m_h / s_h\bigr)^{-1}`.

    The least of :math:`\sum m_h s_h |v_h|^2` among all ways to write a velocity as
    :math:`v = \sum m_h v_h` is :math:`\hat b\, |v|^2`.  (It multiplies the squared
    velocity; what is called mobility is its inverse.)
    """
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    how = attention.how(method, tol)
    return _slopes.exponential(_slopes.log_effective_weight(x, heads, mass, how), heads)


def first_variation(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    at: Real[np.ndarray, "k d"] | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Float[np.ndarray, " k"]:
    r"""First variation of E at the tokens, or at other points ``at``.

    .. math:: \frac{\delta E}{\delta\mu} = \frac1\beta \bar s, \qquad
              \bar s = \sum_h m_h s_h

    Moving a little mass ε from y to z changes E by ε times the difference of the values
    at z and y.  If some B_h is not symmetric, the mean of s for B_h and for its
    transpose stands for s_h.
    """
    x, mass, at = _check.cloud(x, _check.dimension(heads), mass, at)
    both = [
        _slopes.exponential(
            attention.log_partition(x, part, mass, at, method, tol), heads
        )
        for part in _slopes.halves(heads)
    ]
    return np.mean([heads.mass @ s for s in both], axis=0) / heads.beta


def slope_squared(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Square of the metric slope of E, the rate of descent along the gradient rule.

    .. math:: |\partial E|^2 = \int \hat b^{-1} \Bigl|\sum_h m_h g_h\Bigr|^2 d\mu
    """
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    how = attention.how(method, tol)
    g = sphere.project(x, _slopes.euclidean_gradient(x, heads, mass, how))
    inverse = _slopes.exponential(
        -_slopes.log_effective_weight(x, heads, mass, how), heads
    )
    return float(mass @ (inverse * np.sum(g * g, axis=1)))


def dissipation(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    rule: str = "softmax",
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Rate at which E falls along a rule of ``attention.velocity``, weights frozen.

    .. math:: -\frac{d}{dt} E = -\int \Bigl\langle \sum_h m_h g_h,\, v \Bigr\rangle d\mu

    Exact for every rule and any heads.  For one descent head it is
    :math:`\int |g|^2 / s\, d\mu \ge 0`.  For several *different* descent heads the
    softmax rule may have a negative one: E rises.
    """
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    how = attention.how(method, tol)
    v = attention.velocity(x, heads, mass, rule, method, tol)
    return -_slopes.rate(x, v, heads, mass, how)


def action(
    x: Real[np.ndarray, "n d"],
    v: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    r"""Squared length of a velocity in the metric of the heads,
    :math:`\int \hat b\, |v|^2 d\mu`."""
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    how = attention.how(method, tol)
    v = _check.shaped(v, "v", x.shape, why=", that of x")
    weight = _slopes.exponential(
        _slopes.log_effective_weight(x, heads, mass, how), heads
    )
    return float(mass @ (weight * np.sum(v * v, axis=1)))


def head_mismatch(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> float:
    """How far softmax is from steepest descent: dissipation minus action, along it.

    Zero for one head, for equal heads, and whenever all heads weigh every token
    equally.  For ascent heads (V = B) the rate of climb takes the place of the
    dissipation.  Raises ``ValueError`` for heads that are neither.
    """
    _check.dimension(heads)
    sign = gradient_sign(heads)
    how = attention.how(method, tol)
    v = attention.velocity(x, heads, mass, "softmax", *how)
    return -sign * dissipation(x, heads, "softmax", mass, *how) - action(
        x, v, heads, mass, *how
    )


def weight_bounds(heads: Heads) -> tuple[float, float]:
    r"""Least and largest value that ``effective_weight`` may take for any tokens.

    .. math::
        \Bigl(\sum_h m_h e^{R_h}\Bigr)^{-1} \le \hat b \le
        \Bigl(\sum_h m_h e^{-R_h}\Bigr)^{-1}, \qquad R_h = \beta |B_h|

    with the operator norm.  One head bI and all tokens in one place reach the upper one
    if b > 0, the lower one if b < 0.
    """
    _check.dimension(heads)
    reach = heads.beta * np.linalg.norm(heads.B, 2, axis=(1, 2))
    _slopes.exponential(reach, heads)
    return tuple(float(1 / (heads.mass @ np.exp(s * reach))) for s in (1, -1))  # type: ignore[return-value]


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
    path = constant(path) if isinstance(path, Heads) else path
    _check.instance(path, WeightPath, "path", "a WeightPath, or Heads")
    x, mass, _ = _check.cloud(x, path.d, mass)
    heads, rate = path(t), path.drift(float(t))[0]
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


@dataclass(frozen=True, repr=False)
class Balance:
    """The account of the energy along a trajectory; what is not ``energy`` starts at 0.

    Attributes
    ----------
    t, energy
        Times and E at them.
    by_weights
        Work done by the changing weights, jumps included.
    dissipated
        Integral of the dissipation along the rule.
        Along noisy weights that of drift and Itô term.
    martingale
        Work of the noise; zero along weights that are a function of time.
    residual
        energy - energy[0] - by_weights + dissipated - martingale: the error of the
        integrator and the quadrature, nothing else.
    left_point
        The same with all integrals as sums over left ends, the noise as Itô sums: what
        the first paper's code prints.  First order in the step, along noisy weights
        only half.
    """

    t: Float[np.ndarray, " m"]
    energy: Float[np.ndarray, " m"]
    by_weights: Float[np.ndarray, " m"]
    dissipated: Float[np.ndarray, " m"]
    martingale: Float[np.ndarray, " m"]
    residual: Float[np.ndarray, " m"]
    left_point: Float[np.ndarray, " m"]

    def __repr__(self) -> str:
        return (
            f"Balance(E {self.energy[0]:.6g} -> {self.energy[-1]:.6g}, "
            f"by weights {self.by_weights[-1]:+.6g}, "
            f"dissipated {self.dissipated[-1]:.6g}, "
            f"residual {self.residual[-1]:.2g})"
        )


def balance(
    trajectory: Trajectory,
    path: WeightPath | Heads,
    rule: str = "softmax",
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Balance:
    r"""Energy balance of a trajectory that followed ``rule`` along ``path``.

    .. math::
        E(t) - E(0) = \int_0^t \partial_s E\, ds + \sum_{\text{jumps}} \Delta E
                      - \int_0^t \text{dissipation}\, ds

    Both integrals by Simpson's rule on each interval of the trajectory, with the state
    in the middle from the cubic through its ends: fourth order, so that the residual of
    an ``rk4`` run falls with the fourth power of the step, that of an ``euler`` run
    with the first.

    Along noisy weights the trajectory must step from sample to sample of the path;
    there :math:`\partial_s E` includes the Itô term (see ``power``), a martingale joins
    the right-hand side, and the work is that along the chord between two samples.

    Raises ``ValueError`` if the weights are noisy without a sample, or jump or bend at
    a time that is not among ``trajectory.t``.
    """
    wanted = "a Trajectory (see flow.solve)"
    _check.instance(trajectory, Trajectory, "trajectory", wanted)
    path = constant(path) if isinstance(path, Heads) else path
    _check.instance(path, WeightPath, "path", "a WeightPath, or Heads")
    t = trajectory.t
    first = _door(path, t)
    _, mass, _ = _check.cloud(trajectory.x[0], path.d, mass)
    how = attention.how(method, tol)
    if path.sample is None:
        parts = [
            _interval(trajectory, k, path, rule, mass, how) for k in range(len(t) - 1)
        ]
        table = np.array(parts).reshape(-1, 3).T
        work, lost, left = table
        noise = np.zeros(len(work))
    else:
        work, lost, noise, left = _account.noisy(
            trajectory, path, rule, mass, how, first
        )
    by_weights, dissipated, martingale, lefts = (
        np.concatenate([[0.0], np.cumsum(part)]) for part in (work, lost, noise, left)
    )
    energy = np.array(
        [interaction(x, path(s), mass, *how) for s, x in zip(t, trajectory.x)]
    )
    gain = energy - energy[0]
    residual = gain - by_weights + dissipated - martingale
    sums = (by_weights, dissipated, martingale, residual, gain - lefts)
    return Balance(t, energy, *sums)


def _door(path: WeightPath, t: Float[np.ndarray, " m"]) -> int:
    """Front door of ``balance``: the number of the sample at which t starts."""
    if path.sample is None and path.noise_var != 0:
        came = f"noise_var = {path.noise_var:g} (see weights.ornstein_uhlenbeck)"
        raise _check.refuse("path", "free of noise", came)
    missing = sorted({b for b in path.breaks if t[0] < b < t[-1]} - set(t.tolist()))
    if missing:
        wanted = f"inclusive of the jump of the weights at {missing[0]:g}"
        raise _check.refuse("trajectory.t", wanted, t)
    if path.sample is None:
        return 0
    first = int(np.searchsorted(path.sample.t, t[0]))
    if not np.array_equal(path.sample.t[first : first + len(t)], t):
        raise _check.refuse("trajectory.t", "times of the sample of the path", t)
    return first


def _interval(
    trajectory: Trajectory, k: int, path: WeightPath, rule: str, mass: Masses, how: How
) -> tuple[float, float, float]:
    """Work of the weights and dissipation between outputs k and k + 1, and the sum of
    both at the left end."""
    t0, t1 = (float(s) for s in trajectory.t[k : k + 2])
    x0, x1 = trajectory.x[k : k + 2]
    last = float(np.nextafter(t1, t0)) if t1 in path.breaks else t1
    h, middle = t1 - t0, 0.5 * (t0 + t1)
    v0, v1 = (
        attention.velocity(x, path(t), mass, rule, *how)
        for t, x in ((t0, x0), (last, x1))
    )
    x_middle = sphere.retract((x0 + x1) / 2 + h * (v0 - v1) / 8)
    v_middle = attention.velocity(x_middle, path(middle), mass, rule, *how)
    nodes = ((t0, x0, v0), (middle, x_middle, v_middle), (last, x1, v1))
    powers = [
        _account.power(x, path(t), path.drift(t)[0], mass, how) for t, x, _ in nodes
    ]
    losses = [-_slopes.rate(x, v, path(t), mass, how) for t, x, v in nodes]
    work, lost = (h * (a + 4 * b + c) / 6 for a, b, c in (powers, losses))
    left = h * (powers[0] - losses[0])
    if t1 in path.breaks:
        after, before = (interaction(x1, path(t), mass, *how) for t in (t1, last))
        jump = after - before
        work, left = work + jump, left + jump
    return work, lost, left
