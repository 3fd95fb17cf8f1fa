"""Many small systems of tokens under the same heads, solved together; the public name
is ``flow.solve_ensemble``."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, sphere, summation
from tfdynlib.summation import compiled
from tfdynlib.weights import Heads

METHODS = ("rk4", "euler")
RULES = ("softmax", "unnormalised")

Systems = Float[np.ndarray, "R n d"]
States = Float[np.ndarray, "m R n d"]


@dataclass(frozen=True, repr=False)
class Ensemble:
    """The states x[k, r] of system r at layer-times t[k].

    Attributes
    ----------
    t, x
        Output times and tokens.
    reached
        For each system, how many of the times it reached; from there on x repeats the
        last state.
    status
        ``"done"`` or ``"not finite"`` (the velocity left the numbers), for each system.
    """

    t: Float[np.ndarray, " m"]
    x: States
    reached: Int[np.ndarray, " R"]

    @property
    def status(self) -> tuple[str, ...]:
        """How each system ended."""
        done = self.reached == len(self.t)
        return tuple("done" if fine else "not finite" for fine in done)

    def __repr__(self) -> str:
        m, R, n, d = self.x.shape
        done = self.status.count("done")
        return (
            f"Ensemble({R} systems of {n} tokens in R^{d}, {m} times in "
            f"[{self.t[0]:g}, {self.t[-1]:g}], {done} done)"
        )


def solve_ensemble(
    x0: Real[np.ndarray, "R n d"],
    heads: Heads,
    t: ArrayLike,
    method: str = "rk4",
    rule: str = "softmax",
) -> Ensemble:
    """Solve many small systems from x0[r] at t[0], each with the same heads.

    The same steps as ``flow.solve`` with the field of ``attention.field(heads,
    rule=rule)``: one of ``method`` (``"rk4"``, ``"euler"``) for each interval of t, on
    the sphere, with equal masses.  ``rule`` is ``"softmax"`` or ``"unnormalised"``.

    Up to d = 3 the whole run is one compiled loop if numba is installed; else systems
    are batched in NumPy.  Raises ``ValueError`` for tokens off the sphere and repeated
    times; x0 is not written into.
    """
    _check.one_of(method, METHODS, "method")
    _check.one_of(rule, RULES, "rule")
    times, d = _check.increasing(t, "t"), _check.dimension(heads)
    x0 = _check.shaped(x0, "x0", (None, None, d), ", the dimension of the heads")
    rows = _check.unit_rows(x0.reshape(-1, d), "x0")
    states = np.empty((len(times), *x0.shape))
    states[0] = sphere.retract(rows).reshape(x0.shape)
    reached = np.ones(len(x0), dtype=int)
    if d <= compiled.FLAT and compiled.missing() is None:
        _compiled(times, heads, method == "rk4", rule == "softmax", states, reached)
    else:
        _batched(times, heads, method == "rk4", rule == "softmax", states, reached)
    return Ensemble(times, states, reached)


def _compiled(
    t: Float[np.ndarray, " m"],
    heads: Heads,
    rk4: bool,
    softmax: bool,
    states: States,
    reached: Int[np.ndarray, " R"],
) -> None:
    """All steps in one compiled loop, dimensions padded to 3."""
    K, V = np.zeros((2, heads.H, 3, 3))
    K[:, : heads.d, : heads.d] = heads.beta * compiled.SCALE * heads.B
    V[:, : heads.d, : heads.d] = heads.mass[:, None, None] * heads.V
    compiled.replicas().solve(t, K, V, rk4, softmax, states, reached)


def _batched(
    t: Float[np.ndarray, " m"],
    heads: Heads,
    rk4: bool,
    softmax: bool,
    states: States,
    reached: Int[np.ndarray, " R"],
) -> None:
    """All steps in NumPy, for as many systems at a time as fit into the cache."""
    advance = _rk4 if rk4 else _euler
    _, R, n, _ = states.shape
    together = max(1, summation.BLOCK // n**2)

    def f(x: Systems) -> Systems:
        return _velocity(x, heads, softmax)

    for start in range(0, R, together):
        part = slice(start, start + together)
        x = states[0, part]
        for k in range(1, len(t)):
            with np.errstate(over="ignore", invalid="ignore"):  # seen below
                y = advance(f, x, float(t[k] - t[k - 1]))
            fine = np.isfinite(y).all(axis=(1, 2))
            # Who has left the numbers once stays where it was.
            fine &= reached[part] == k
            x = np.where(fine[:, None, None], y, x)
            reached[part] += fine
            states[k, part] = x


def _velocity(x: Systems, heads: Heads, softmax: bool) -> Systems:
    """Velocity of every system."""
    v = np.zeros_like(x)
    for B, V, mass in zip(heads.B, heads.V, heads.mass):
        s = (heads.beta * x @ B.T) @ x.swapaxes(1, 2)
        top = s.max(axis=2, keepdims=True)
        a = np.exp(s - top)
        if softmax:
            a /= a.sum(axis=2, keepdims=True)
        else:
            a *= np.exp(top) / x.shape[1]
        v += mass * (a @ x) @ V.T
    return np.asarray(v - np.sum(v * x, axis=2, keepdims=True) * x)


def _retract(y: Systems) -> Systems:
    return np.asarray(y / np.linalg.norm(y, axis=2, keepdims=True))


def _euler(f: Callable[[Systems], Systems], x: Systems, h: float) -> Systems:
    return _retract(x + h * f(x))


def _rk4(f: Callable[[Systems], Systems], x: Systems, h: float) -> Systems:
    k1 = f(x)
    k2 = f(_retract(x + h / 2 * k1))
    k3 = f(_retract(x + h / 2 * k2))
    k4 = f(_retract(x + h * k3))
    return _retract(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
