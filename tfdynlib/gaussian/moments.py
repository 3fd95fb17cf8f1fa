r"""Mean and covariance along a path of layers, in factor form.

On N(m, Σ) the field of a layer is affine, u(x) = Jx + Vm + b with J = A + VΣB, so that

.. math:: \dot m = (A + V + V\Sigma B)m + b, \qquad \dot\Sigma = J\Sigma + \Sigma J^\top

(:cite:t:`alcalde2026gaussian`, eq. (1.1)).  What is integrated is a matrix W with
:math:`\Sigma = e^{\ell} W D W^\top`, D fixed and diagonal:

.. math:: \dot W = (J - a)W, \quad \dot\ell = 2a, \quad
          a = \mathrm{tr}(J W D W^\top) / \mathrm{tr}(W D W^\top).

Rank and positivity hold by construction, W stays of size one, and near a blow-up
:math:`e^{-\ell}` falls to zero along a straight line.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, flow
from tfdynlib._check import Number
from tfdynlib.gaussian import _stiff
from tfdynlib.gaussian.closed import closed_moments
from tfdynlib.gaussian.types import (
    Gaussian,
    Layer,
    LayerPath,
    Moments,
    Times,
    Vector,
    as_path,
    held,
)

State = Float[np.ndarray, "n 1"]

# A blow-up is one when the time left is below this part of the time passed...
LEFT = 1e-11
# ...and the covariance has grown by this factor.
GROWN = 1e6
# Nothing is known to more than this tolerance.
COARSE = 0.1
# Evaluations of a step of order 8.
STAGES = 12
# What is larger than this has left the numbers that the room takes.
EDGE = float(np.log(_check.LARGEST))


class System:
    """The equations of (W, l, m) along a path, as a field for ``flow.solve``."""

    space = "euclidean"

    def __init__(self, path: LayerPath, start: Gaussian, t0: float):
        self.path, self.breaks, self.t0 = path, path.breaks, t0
        sizes = np.linalg.norm(start.factor, axis=0)
        sizes = np.where(sizes > 0, sizes, 1.0)  # a column may have died on its way
        total = float(sizes @ sizes)
        self.shape = start.factor.shape
        self.D = sizes**2 / (total or 1.0)
        self.first = float(np.log(total or 1.0))
        W = start.factor / sizes
        self.start = np.concatenate([W.ravel(), [self.first], start.mean])[:, None]

    def split(self, y: State) -> tuple[Float[np.ndarray, "d r"], float, Vector]:
        """W, l and the mean."""
        d, r = self.shape
        flat = y[:, 0]
        return flat[: d * r].reshape(d, r), float(flat[d * r]), flat[d * r + 1 :]

    def __call__(self, t: float, y: State) -> State:
        layer = self.path(t)
        W, log_size, mean = self.split(y)
        reach = np.exp(min(log_size, 2 * EDGE))  # a trial step may go too far
        WD = W * self.D
        # V Sigma B in the order that never forms more than d x r.
        drift = layer.A @ W + reach * (layer.V @ (WD @ (W.T @ (layer.B @ W))))
        size = float(np.sum(WD * W))
        a = float(np.sum(WD * drift)) / size if size else 0.0
        seen = mean + reach * (WD @ (W.T @ (layer.B @ mean)))
        new_mean = layer.A @ mean + layer.V @ seen + layer.b
        return np.concatenate([(drift - a * W).ravel(), [2 * a], new_mean])[:, None]

    def time_left(self, t: float, y: State) -> float:
        """To a blow-up if the shape W stood still; inf if attention does not pull."""
        layer = self.path(t)
        W, log_size, _ = self.split(y)
        WD = W * self.D
        pull = float(np.sum(WD * (layer.V @ (WD @ (W.T @ (layer.B @ W))))))
        size = float(np.sum(WD * W))
        return (
            float(np.exp(min(-log_size, 2 * EDGE))) * size / (2 * pull)
            if pull > 0
            else np.inf
        )

    def fastest(self, t: float, y: State) -> float:
        """The rate of attention, |V Sigma B|; 0 once it has left the doubles."""
        layer, L = self.path(t), self.factor(y)
        with np.errstate(over="ignore", invalid="ignore"):
            size = float(np.sum((layer.V @ L) ** 2) * np.sum((L.T @ layer.B) ** 2))
        return float(np.sqrt(size)) if np.isfinite(size) else 0.0

    def closeness(self, t: float, y: State) -> float:
        """An event function: falls below zero when a blow-up is all but reached."""
        if self.split(y)[1] - self.first < np.log(GROWN):
            return 1.0
        return min(self.time_left(t, y) / (LEFT * (t - self.t0)) - 1, 1.0)

    def room(self, t: float, y: State) -> float:
        """An event function: falls below zero when the doubles are left."""
        _, log_size, mean = self.split(y)
        tallest = float(np.abs(mean).max(initial=0.0))
        return EDGE - max(log_size, np.log(max(tallest, 1.0)))

    def factor(self, y: State) -> Float[np.ndarray, "d r"]:
        """L with Sigma = L L^T."""
        W, log_size, _ = self.split(y)
        return np.exp(0.5 * log_size) * W * np.sqrt(self.D)


@dataclass(frozen=True)
class _Run:
    """What an integration reached."""

    t: Times
    mean: Float[np.ndarray, "m d"]
    factor: Float[np.ndarray, "m d r"]
    status: str
    blow_up: float = np.inf
    direction: Vector | None = None
    steps: int = 0
    method: str = "dop853"


def solve(
    layer_or_path: Layer | LayerPath,
    start: Gaussian,
    t: ArrayLike,
    method: str = "auto",
    rtol: Number = 1e-12,
    atol: Number = 1e-13,
    max_steps: int = 20_000,
) -> Moments:
    r"""The Gaussian at every output time, from ``start`` at t[0].

    .. math:: \dot m = (A + V + V\Sigma B)m + b, \qquad
              \dot\Sigma = J\Sigma + \Sigma J^\top, \quad J = A + V\Sigma B

    ``t`` are output times, strictly increasing; t[0] is the start.  The covariance may
    have any rank, and keeps it: what is integrated is a factor, :math:`\dot L = JL`
    with :math:`\Sigma = LL^\top`, so that no eigenvalue can turn negative.

    ``"auto"``
        A closed form where there is one (V = vI or commuting matrices, constant layer,
        mean and bias zero), else the integrator.
    ``"ode"``
        The integrator, the package's own of order 8, to ``rtol`` and ``atol`` of the
        factor scaled to size one, restarted at the breaks of a path.

    A blow-up ends the run with a label: ``status`` is ``"blow-up"``, ``blow_up_time``
    its time (found to about 1e-11 of it), ``direction`` where it goes, and the times
    kept are those before it; so does an entry beyond 1e150 (``"not finite"``).  No NaN
    is ever returned.  A large covariance that attention holds makes the equations
    stiff: SciPy's implicit Radau method then goes on, to a tolerance of 1e-11 at best,
    if a second run of it with a larger one agrees (``method`` of the result says so);
    else the run may end with ``"too many steps"``.

    Raises ``ValueError`` for bad input only: dimensions that differ, times outside the
    edges of a path, tolerances above 0.1.  Source: :cite:t:`alcalde2026gaussian`,
    eq. (1.1).
    """
    path = as_path(layer_or_path)
    _check.instance(start, Gaussian, "start", "a gaussian.Gaussian")
    _check.one_of(method, ("auto", "ode"), "method")
    for value, name in ((rtol, "rtol"), (atol, "atol")):
        if _check.positive(value, name) > COARSE:
            raise _check.refuse(name, f"up to {COARSE:g}", value)
    _check.count(max_steps, "max_steps")
    if start.d != path.d:
        raise _check.refuse("start", f"of d={path.d}, that of the layers", start)
    times = _check.increasing(t, "t").copy()
    if path.edges and not (path.edges[0] <= times[0] and times[-1] <= path.edges[1]):
        wanted = f"in [{path.edges[0]:g}, {path.edges[1]:g}], where the path is defined"
        raise _check.refuse("t", wanted, f"[{times[0]:g}, {times[-1]:g}]")
    run = _closed(path, start, times) if method == "auto" else None
    if run is None:
        system = System(path, start, float(times[0]))
        run = _integrated(system, times, rtol, atol, max_steps)
    return _moments(run)


def counted(
    layer: Layer, start: Gaussian, t: ArrayLike, max_steps: int
) -> tuple[Moments, int]:
    """By the explicit integrator; and about how many steps that took."""
    times = _check.increasing(t, "t")
    system = System(as_path(layer), start, float(times[0]))
    how = ("dop853", 1e-12, 1e-13, _ends(system))
    found = flow.solve(system, system.start, times, *how, max_steps=max_steps)
    run = _told(system, times, found)
    return _moments(run), run.steps


def _moments(run: _Run) -> Moments:
    """The value of ``solve``."""
    half = run.factor @ run.factor.swapaxes(1, 2)
    cov = 0.5 * (half + half.swapaxes(1, 2))
    return Moments(
        run.t,
        run.mean,
        cov,
        run.factor,
        run.status,
        run.blow_up,
        run.direction,
        run.method,
    )


def _closed(path: LayerPath, start: Gaussian, times: Times) -> _Run | None:
    """Without an integrator, if that is possible."""
    layer = held(path)
    if layer is None or layer.b.any() or start.mean.any():
        return None
    found = closed_moments(layer, start, times)
    if found is None:
        return None
    factor, blow_up, direction, tired = found
    status = "done" if len(factor) == len(times) else "not finite"
    if tired:
        status = "too many steps"
    if blow_up < np.inf:
        status = "blow-up"
    mean = np.zeros((len(factor), start.d))
    kept = times[: len(factor)]
    return _Run(kept, mean, factor, status, blow_up, direction, method="closed form")


def _integrated(
    system: System, times: Times, rtol: Number, atol: Number, max_steps: int
) -> _Run:
    """By the integrator of the package, and an implicit one where that is too slow."""
    run, implicit = _stiff.solve(
        system, system.start, times, float(rtol), float(atol), _ends(system), max_steps
    )
    return _told(system, times, run, "dop853, Radau" if implicit else "dop853")


def _ends(system: System) -> list[flow.Event]:
    """What stops a run: a blow-up, and the end of the doubles."""
    return [flow.Event(g, terminal=True) for g in (system.closeness, system.room)]


def _told(
    system: System, times: Times, run: flow.Trajectory, method: str = "dop853"
) -> _Run:
    """What a run of the equations says of the cloud."""
    status, blow_up, direction = run.status, np.inf, None
    if status == "event" and len(run.events[1].t):
        status = "not finite"
    elif status == "event":
        last, y = float(run.t[-1]), run.x[-1]
        status, blow_up = "blow-up", last + system.time_left(last, y)
        direction = np.linalg.svd(system.factor(y))[0][:, 0]
    kept = len(times)
    if status != "done":
        kept = max(1, int(np.searchsorted(times, run.t[-1], side="right")))
    mean = np.stack([system.split(y)[2] for y in run.x[:kept]])
    factor = np.stack([system.factor(y) for y in run.x[:kept]])
    steps = run.n_evaluations // STAGES
    return _Run(times[:kept], mean, factor, status, blow_up, direction, steps, method)
