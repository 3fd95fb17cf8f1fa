r"""Paths of least action, spectral in time.

A particle moves along a given base path plus :math:`\sum_k a_k \varphi_k(t)`, where the
:math:`\varphi_k` vanish at both ends and their derivatives are orthonormal on (0, 1)
(integrals of Legendre polynomials).  The action is summed at Gauss nodes in time and
minimised over the coefficients by L-BFGS; for equal weights its Hessian is the mass,
which is scaled out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float

from tfdynlib.geometry import _action
from tfdynlib.geometry._action import Masses
from tfdynlib.geometry._chart import Chart, Ends, Paths, Times
from tfdynlib.weights import Heads, WeightPath

Modes = Float[np.ndarray, "p n k"]
Flat = Float[np.ndarray, " m"]

FIRST, RAISE, MOST = 4, 4, 32  # modes in time
GRADIENT = 1e-9
EVALUATIONS = 1000
FINE = 240  # Gauss nodes of the length
STILL = 1e-300


@dataclass(frozen=True)
class Problem:
    """Particles with given ends in a chart, and the weights they move under.

    ``end`` is a function of the shift, with its derivative; constant if ``free`` is
    False.
    """

    chart: Chart
    start: Ends
    end: Callable[[float], tuple[Ends, Ends]]
    mass: Masses
    heads: Heads | WeightPath
    free: bool = False


@dataclass(frozen=True)
class Path:
    """A path that was found: coefficients, shift, action, the largest entry of the
    gradient (of the action in units of that at the start, in scaled coefficients), and
    how often the action was evaluated."""

    problem: Problem
    modes: Modes
    shift: float
    action: float
    gradient: float
    evaluations: int

    def at(self, t: Times) -> tuple[Paths, Paths]:
        """Coordinates and their velocities at the times t."""
        value, rate = basis(len(self.modes), t)
        end = self.problem.end(self.shift)[0]
        u, du = _spread(value, self.modes), _spread(rate, self.modes)
        return self.problem.chart.path(self.problem.start, end, t, u, du)


def basis(
    p: int, t: Times
) -> tuple[Float[np.ndarray, "p q"], Float[np.ndarray, "p q"]]:
    r"""The functions :math:`\varphi_k`, k = 1..p, and their derivatives."""
    P = np.polynomial.legendre.legvander(2 * t - 1, p + 1).T
    root = np.sqrt(2 * np.arange(1, p + 1) + 1)[:, None]
    return (P[2:] - P[:-2]) / (2 * root), root * P[1:-1]


@cache
def gauss(q: int) -> tuple[Times, Times]:
    """Gauss-Legendre nodes and weights of (0, 1), found once; not to be written to."""
    t, w = np.polynomial.legendre.leggauss(q)
    t, w = (t + 1) / 2, w / 2
    t.flags.writeable = w.flags.writeable = False
    return t, w


def _spread(values: Float[np.ndarray, "p q"], modes: Modes) -> Paths:
    return np.tensordot(values, modes, axes=(0, 0))


def minimise(
    problem: Problem, modes: Modes, shift: float = 0.0, accuracy: float = GRADIENT
) -> Path:
    """The path of least action with as many modes as ``modes``, from there on.

    ``accuracy`` is the largest entry of the gradient at which to stop.
    """
    from scipy.optimize import minimize

    objective = _Objective(problem, modes.shape, shift)
    z = objective.pack(modes)
    unit = objective(z)[0] or 1.0

    def relative(z: Flat) -> tuple[float, Flat]:
        value, grad = objective(z)
        return value / unit, grad / unit

    options = {"maxcor": 20, "ftol": 0, "gtol": accuracy, "maxls": 40}
    options |= {"maxfun": EVALUATIONS, "maxiter": EVALUATIONS}
    out = minimize(relative, z, jac=True, method="L-BFGS-B", options=options)
    a, alpha = objective.unpack(out.x)
    size = float(np.abs(out.jac).max(initial=0.0))
    return Path(problem, a, alpha, float(out.fun) * unit, size, int(out.nfev))


class _Objective:
    """The action and its gradient, as functions of one vector: the scaled coefficients
    and, if it is free, the shift."""

    def __init__(self, problem: Problem, shape: tuple[int, ...], shift: float):
        self.problem, self.shape, self.shift = problem, shape, shift
        self.t, self.w = gauss(2 * shape[0] + 4)
        self.value, self.rate = basis(shape[0], self.t)
        self.at = _action.layers(problem.heads, self.t)
        self.scale, self.sway = _scales(problem, shift)

    def pack(self, modes: Modes) -> Flat:
        z = (modes * self.scale).ravel()
        return np.append(z, self.shift * self.sway) if self.problem.free else z

    def unpack(self, z: Flat) -> tuple[Modes, float]:
        count = int(np.prod(self.shape))
        a = z[:count].reshape(self.shape) / self.scale
        return a, float(z[-1]) / self.sway if self.problem.free else self.shift

    def __call__(self, z: Flat) -> tuple[float, Flat]:
        problem, t = self.problem, self.t
        a, alpha = self.unpack(z)
        end, turn = problem.end(alpha)
        u, du = _spread(self.value, a), _spread(self.rate, a)
        y, dy = problem.chart.path(problem.start, end, t, u, du)
        x, square = problem.chart.place(y, dy)
        total, by_place, by_square = _action.gradient(
            x, square, problem.mass, self.at, self.w
        )
        gy, gdy = problem.chart.pull(y, dy, by_place, by_square)
        gu, gdu = problem.chart.release(problem.start, end, t, gy, gdy)
        ga = np.tensordot(self.value, gu, axes=1) + np.tensordot(self.rate, gdu, axes=1)
        flat = (ga / self.scale).ravel()
        if not problem.free:
            return total, flat
        by_end = np.tensordot(t, gy, axes=1) + gdy.sum(axis=0)
        return total, np.append(flat, np.sum(by_end * turn) / self.sway)


def _scales(problem: Problem, shift: float) -> tuple[Float[np.ndarray, "n 1"], float]:
    """Roots of the masses, and the root of the mean squared slope of the shift."""
    turn = problem.end(shift)[1]
    sway = np.sqrt(np.sum(problem.mass[:, None] * turn**2))
    return np.sqrt(problem.mass)[:, None], float(sway) if problem.free else 1.0


def length(path: Path, q: int = FINE) -> tuple[float, float]:
    r"""The length :math:`\int (\sum p \hat b |v|^2)^{1/2} dt`, and by how much of its
    mean the speed squared varies."""
    t, w = gauss(q)
    x, square = path.problem.chart.place(*path.at(t))
    at = _action.layers(path.problem.heads, t)
    rate = _action.rates(x, square, path.problem.mass, at)
    mean = float(w @ rate)
    drift = float(np.abs(rate - mean).max()) / max(mean, STILL)
    return float(w @ np.sqrt(rate)), drift


def refine(path: Path, tol: float, fixed: bool) -> tuple[Path, float, float, bool]:
    """The path with ever more modes, its length (or, unless the weights are fixed, the
    root of its action), its gap, and whether that is settled.

    It is when the gap, and what the last modes changed, are below ``tol``; at ``MOST``
    modes it is given up.
    """
    path, before = minimise(path.problem, path.modes, path.shift), np.inf
    while True:
        value = length(path)[0] if fixed else path.action**0.5
        gain, before = abs(before - value), value
        gap = path.action**0.5 - value if fixed else gain
        settled = max(gap, gain) < tol
        if settled or len(path.modes) >= MOST:
            return path, value, float(gap), settled
        empty = np.zeros((RAISE, *path.modes.shape[1:]))
        modes = np.concatenate([path.modes, empty])
        path = minimise(path.problem, modes, path.shift)
