r"""Minimising movements: each step is the minimiser of energy plus price of the move.

.. math::
    x^{k+1} \in \arg\min_y\ \frac{1}{2\tau} \sum_i m_i\, \hat b_i\, d(x_i^k, y_i)^2
    + E(y, t_{k+1})

No step can raise the energy, however large τ is: the minimiser is compared with y = x.
For τ → 0 the steps follow ``attention.field(path, rule="gradient")``.

Source: the scheme of Jordan, Kinderlehrer and Otto, with the weights of
:cite:t:`massucco2026multihead`; the form for particles is derived in the book.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, _proximal, _slopes, attention, energy, sphere
from tfdynlib._check import Number
from tfdynlib.attention import Masses, Tokens
from tfdynlib.flow import Trajectory
from tfdynlib.weights import Heads, WeightPath, gradient_sign
from tfdynlib.weights.paths import as_path

WEIGHTS = ("frozen", "implicit")
# Stop when no entry of the scaled gradient is larger; rounding alone leaves 1e-12.
GRADIENT_TOLERANCE = 1e-10
# A gradient above this, when nothing helps any more, is called no convergence.
GRADIENT_LOST = 1e-5
EVALUATIONS = 5000
# L-BFGS has done its part when the value falls by less than this, relatively.
ROUNDING = 1e-15
# Full steps after L-BFGS that bring the last digits.
POLISHING = 5
# Steps in time, and the least scale of an unknown: squares of trial moves are doubles.
SHORTEST, LONGEST, LEAST_SCALE = 1e-100, 1e100, 1e-50
CUT = "beyond the cut locus"


@dataclass(frozen=True, repr=False)
class Step:
    r"""One minimising movement.

    Attributes
    ----------
    x
        The tokens after the step.
    decrease
        Energy before minus energy after minus the price of the move: zero or positive,
        which is the energy inequality.  (For ascent heads -E takes the place of E.)
    price
        :math:`\frac{1}{2\tau}\sum m_i \hat b_i |u_i|^2`, u_i the way of token i.
    longest
        The longest way, max |u_i|.
    status
        ``"done"``; ``"beyond the cut locus"`` if some way is longer than π, so that it
        is no longer the distance; ``"not converged"``.
    n_evaluations
        How often energy and gradient were computed.
    """

    x: Float[np.ndarray, "n d"]
    decrease: float
    price: float
    longest: float
    status: str
    n_evaluations: int

    def __repr__(self) -> str:
        n, d = self.x.shape
        return (
            f"Step({n} tokens in R^{d}, decrease {self.decrease:.3g}, longest way "
            f"{self.longest:.3g}, {self.status}, {self.n_evaluations} evaluations)"
        )


@dataclass(frozen=True, repr=False)
class Movements(Trajectory):
    """A ``Trajectory`` of minimising movements.

    ``decrease[k]`` and ``longest[k]`` are those of the step from t[k] to t[k+1] (see
    ``Step``); with order 2, of the whole steps, before extrapolation.  The status is
    the first that is not ``"done"``; the steps go on beyond the cut locus and stop at
    one that did not converge.
    """

    decrease: Float[np.ndarray, " k"] = field(default_factory=lambda: np.zeros(0))
    longest: Float[np.ndarray, " k"] = field(default_factory=lambda: np.zeros(0))


def step(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    tau: Number,
    mass: ArrayLike | None = None,
    weight: str = "frozen",
) -> Step:
    r"""The minimiser of energy plus price, from tokens x, with time step ``tau``.

    ``weight`` says where the effective weights :math:`\hat b` of the price are taken:
    ``"frozen"`` at x, ``"implicit"`` at the new place.  Both give the same flow as τ
    goes to zero.  Found by L-BFGS from the explicit step; for large τ it is a local
    minimiser, and which one may depend on the start.

    Raises ``ValueError`` for tokens off the sphere, tau <= 0, a token without mass, and
    heads without a gradient rule (see ``weights.Heads.descent``).
    """
    x, mass, _ = _check.cloud(x, _check.dimension(heads), mass)
    _check.one_of(weight, WEIGHTS, "weight")
    _enter(x, mass, "x")
    return _step(x, heads, _time_step(tau), mass, weight)


def _time_step(tau: Number) -> float:
    """``tau``, positive and of a size whose root and square are doubles."""
    if not SHORTEST <= _check.positive(tau, "tau") <= LONGEST:
        raise _check.refuse("tau", f"between {SHORTEST:g} and {LONGEST:g}", tau)
    return float(tau)


def solve(
    x0: Real[np.ndarray, "n d"],
    path: WeightPath | Heads,
    tau: Number,
    steps: int,
    mass: ArrayLike | None = None,
    weight: str = "frozen",
    order: int = 1,
    start: Number = 0.0,
) -> Movements:
    r"""``steps`` minimising movements from x0, with the weights of the path at the end
    of each step.

    The error is of order τ; with ``order=2`` of order :math:`\tau^2`: the whole run is
    made a second time with half steps, and the two are extrapolated,
    :math:`2x_{\tau/2} - x_\tau`, back on the sphere.  An extrapolated run need not
    lower the energy in each step.
    """
    path = as_path(path)
    tau, steps = _time_step(tau), _check.count(steps, "steps")
    x0, mass, _ = _check.cloud(x0, path.d, mass, names=("x0", "at"))
    start = _check.time(start, "start")
    _check.one_of(weight, WEIGHTS, "weight")
    if _check.count(order, "order") > 2:
        raise _check.refuse("order", "1 or 2", order)
    _enter(x0, mass, "x0")
    run = _run(x0, path, tau, steps, mass, weight, start)
    if order == 1:
        return run
    half = _run(x0, path, tau / 2, 2 * steps, mass, weight, start)
    return _extrapolated(run, half)


def _enter(x: Tokens, mass: Masses, name: str) -> None:
    """Front door of tokens that are to be moved at a price."""
    if x.shape[1] < 2:
        raise _check.refuse(name, "of two columns or more", x)
    if not mass.all():
        raise _check.refuse("mass", "positive for every token to move", "a zero")


def _step(x: Tokens, heads: Heads, tau: float, mass: Masses, weight: str) -> Step:
    """One step, no questions asked about its input."""
    x = sphere.retract(x)
    energy.interaction(x, heads, mass)  # refuses what is no double
    b = _slopes.exponential(
        _slopes.log_effective_weight(x, heads, mass, attention.USUAL), heads
    )
    aim = _proximal.Proximal(
        x=x,
        heads=heads,
        mass=mass,
        tau=tau,
        sign=-gradient_sign(heads),
        frozen=b if weight == "frozen" else None,
        frame=_proximal.frames(x),
        scale=np.maximum(np.sqrt(mass * b / tau), LEAST_SCALE),
    )
    zero = np.zeros(x.size - len(x))
    before = aim.value(zero)
    w, slope, n_evaluations = _minimised(aim, _first_guess(aim, before))
    if aim.value(w) > before:  # rounding alone: x itself is as good
        w = zero
    u = aim.tangent(w)
    longest = float(np.linalg.norm(u, axis=1).max())
    return Step(
        sphere.retract(sphere.exp(x, u)),
        before - aim.value(w),
        aim.price(w),
        longest,
        _status(longest, slope),
        n_evaluations + 3,
    )


def _first_guess(aim: _proximal.Proximal, before: float) -> _proximal.Unknown:
    """The explicit step, of length 1 at most; or none if that climbs."""
    v = attention.velocity(aim.x, aim.heads, aim.mass, "gradient")
    length = aim.tau * np.linalg.norm(v, axis=1, keepdims=True)
    w = aim.unknown(aim.tau * v / np.maximum(length, 1.0))
    return w if aim.value(w) < before else np.zeros_like(w)


def _minimised(
    aim: _proximal.Proximal, start: _proximal.Unknown
) -> tuple[_proximal.Unknown, float, int]:
    """Minimiser by L-BFGS, largest entry of the gradient there, evaluations.

    A line search cannot see decreases below rounding, so the last digits come from a
    few full steps with the curvature it has found.
    """
    from scipy.optimize import minimize

    options = {
        "maxcor": 20,
        "gtol": GRADIENT_TOLERANCE,
        "ftol": ROUNDING,
        "maxfun": EVALUATIONS,
        "maxiter": EVALUATIONS,
    }
    found = minimize(aim, start, jac=True, method="L-BFGS-B", options=options)
    w, gradient, n = found.x, found.jac, int(found.nfev)
    for _ in range(POLISHING):
        if np.abs(gradient).max() <= GRADIENT_TOLERANCE:
            break
        trial = w - found.hess_inv @ gradient
        slope = aim(trial)[1]
        n += 1
        if np.abs(slope).max() >= np.abs(gradient).max():
            break
        w, gradient = trial, slope
    return w, float(np.abs(gradient).max()), n


def _status(longest: float, slope: float) -> str:
    if slope > GRADIENT_LOST:
        return "not converged"
    return CUT if longest > np.pi else "done"


def _run(
    x: Tokens,
    path: WeightPath,
    tau: float,
    steps: int,
    mass: Masses,
    weight: str,
    start: float,
) -> Movements:
    """The steps one after the other; ends early at one that did not converge."""
    x = sphere.retract(x)
    t = start + tau * np.arange(steps + 1)
    done: list[Step] = []
    places = [x]
    for time in t[1:]:
        done.append(_step(places[-1], path(time), tau, mass, weight))
        places.append(done[-1].x)
        if done[-1].status == "not converged":
            break
    return Movements(
        t=t[: len(places)],
        x=np.array(places),
        status=next((s.status for s in done if s.status != "done"), "done"),
        n_evaluations=sum(s.n_evaluations for s in done),
        decrease=np.array([s.decrease for s in done]),
        longest=np.array([s.longest for s in done]),
    )


def _extrapolated(run: Movements, half: Movements) -> Movements:
    """2 * (half steps) - (whole steps), as far as both got."""
    count = min(len(run.x), (len(half.x) + 1) // 2)
    x = 2 * half.x[: 2 * count : 2] - run.x[:count]
    status = run.status if run.status != "done" else half.status
    n_evaluations = run.n_evaluations + half.n_evaluations
    return replace(
        run,
        t=run.t[:count],
        x=sphere.retract(x),
        status=status,
        n_evaluations=n_evaluations,
        decrease=run.decrease[: count - 1],
        longest=run.longest[: count - 1],
    )
