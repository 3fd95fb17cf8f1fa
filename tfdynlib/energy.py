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

from tfdynlib import _check, _slopes, attention, sphere, summation
from tfdynlib._check import Number
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
    martingale
        Work of the noise; zero along weights that are a function of time.
    residual
        energy - energy[0] - by_weights + dissipated - martingale: the error of the
        integrator and the quadrature, nothing else.
    """

    t: Float[np.ndarray, " m"]
    energy: Float[np.ndarray, " m"]
    by_weights: Float[np.ndarray, " m"]
    dissipated: Float[np.ndarray, " m"]
    martingale: Float[np.ndarray, " m"]
    residual: Float[np.ndarray, " m"]

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
    an ``rk4`` run falls with the fourth power of the step.

    Raises ``ValueError`` if the weights are noisy, or jump at a time that is not among
    ``trajectory.t``.
    """
    wanted = "a Trajectory (see flow.solve)"
    _check.instance(trajectory, Trajectory, "trajectory", wanted)
    path = constant(path) if isinstance(path, Heads) else path
    _check.instance(path, WeightPath, "path", "a WeightPath, or Heads")
    if path.noise_var != 0:
        raise _check.refuse("path", "free of noise", f"noise_var = {path.noise_var:g}")
    t = trajectory.t
    missing = sorted({b for b in path.breaks if t[0] < b < t[-1]} - set(t.tolist()))
    if missing:
        raise _check.refuse(
            "trajectory.t", f"inclusive of the jump of the weights at {missing[0]:g}", t
        )
    _, mass, _ = _check.cloud(trajectory.x[0], path.d, mass)
    how = attention.how(method, tol)
    parts = [_interval(trajectory, k, path, rule, mass, how) for k in range(len(t) - 1)]
    by_weights, dissipated = (
        (np.concatenate([[0.0], np.cumsum(part)]) for part in zip(*parts))
        if parts
        else (np.zeros(1), np.zeros(1))
    )
    energy = np.array(
        [interaction(x, path(s), mass, *how) for s, x in zip(t, trajectory.x)]
    )
    martingale = np.zeros(len(t))
    residual = energy - energy[0] - by_weights + dissipated - martingale
    return Balance(t, energy, by_weights, dissipated, martingale, residual)


def _interval(
    trajectory: Trajectory, k: int, path: WeightPath, rule: str, mass: Masses, how: How
) -> tuple[float, float]:
    """Work of the weights and dissipation between outputs k and k + 1."""
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
    nodes = ((1, t0, x0, v0), (4, middle, x_middle, v_middle), (1, last, x1, v1))
    work = sum(w * _power(x, path, t, mass, how) for w, t, x, _ in nodes) * h / 6
    lost = (
        sum(-w * _slopes.rate(x, v, path(t), mass, how) for w, t, x, v in nodes) * h / 6
    )
    if t1 in path.breaks:
        work += interaction(x1, path(t1), mass, *how) - interaction(
            x1, path(last), mass, *how
        )
    return float(work), float(lost)


def _power(x: Tokens, path: WeightPath, t: float, mass: Masses, how: How) -> float:
    r"""Rate of change of E at frozen tokens, :math:`\frac12 \sum m_h \iint \langle \dot
    B_h x, y\rangle e^{\beta\langle B_h x, y\rangle}`."""
    drift, heads = path.drift(t)[0], path(t)
    if not drift.any():
        return 0.0
    rates = [
        np.sum((mass * _slopes.exponential(m.log_z, heads)) @ ((x @ D.T) * m.mean))
        for m, D in zip(summation.of_heads(x, x, heads, mass, *how), drift)
    ]
    return float(heads.mass @ np.array(rates)) / 2
