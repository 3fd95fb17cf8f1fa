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

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, flow
from tfdynlib._check import Number
from tfdynlib.gaussian.types import Gaussian, Layer, LayerPath, Moments, as_path

State = Float[np.ndarray, "n 1"]

# A blow-up is one when the time left is below this part of the time passed...
LEFT = 1e-11
# ...and the covariance has grown by this factor.
GROWN = 1e6


class System:
    """The equations of (W, l, m) along a path, as a field for ``flow.solve``."""

    space = "euclidean"

    def __init__(self, path: LayerPath, start: Gaussian):
        self.path, self.breaks = path, path.breaks
        sizes = np.linalg.norm(start.factor, axis=0)
        total = float(sizes @ sizes)
        self.shape = start.factor.shape
        self.D = sizes**2 / total
        self.first = float(np.log(total))
        W = start.factor / sizes
        self.start = np.concatenate([W.ravel(), [self.first], start.mean])[:, None]

    def split(self, y: State) -> tuple[np.ndarray, float, np.ndarray]:
        """W, l and the mean."""
        d, r = self.shape
        flat = y[:, 0]
        return flat[: d * r].reshape(d, r), float(flat[d * r]), flat[d * r + 1 :]

    def rates(self, layer: Layer, W: np.ndarray) -> tuple[float, float]:
        """The two parts of a: that of A, and that of attention over e^l."""
        WD = W * self.D
        size = float(np.sum(WD * W))
        own = float(np.sum(WD * (layer.A @ W))) / size
        pull = float(np.sum(WD * (layer.V @ (WD @ (W.T @ (layer.B @ W)))))) / size
        return own, pull

    def __call__(self, t: float, y: State) -> State:
        layer = self.path(t)
        W, log_size, mean = self.split(y)
        reach = np.exp(log_size)
        WD = W * self.D
        # V Sigma B in the order that never forms more than d x r.
        drift = layer.A @ W + reach * (layer.V @ (WD @ (W.T @ (layer.B @ W))))
        a = float(np.sum(WD * drift) / np.sum(WD * W))
        pull = layer.V @ (mean + reach * (WD @ (W.T @ (layer.B @ mean))))
        new_mean = layer.A @ mean + pull + layer.b
        return np.concatenate([(drift - a * W).ravel(), [2 * a], new_mean])[:, None]

    def time_left(self, t: float, y: State) -> float:
        """To a blow-up if nothing else changed; inf where the covariance shrinks."""
        W, log_size, _ = self.split(y)
        own, pull = self.rates(self.path(t), W)
        q = np.exp(-log_size)
        return float(q / (2 * pull)) if pull > 0 and pull + own * q > 0 else np.inf


def solve(
    layer_or_path: Layer | LayerPath,
    start: Gaussian,
    t: ArrayLike,
    rtol: Number = 1e-12,
    atol: Number = 1e-13,
    max_steps: int = 100_000,
) -> Moments:
    path = as_path(layer_or_path)
    _check.instance(start, Gaussian, "start", "a gaussian.Gaussian")
    if start.d != path.d:
        raise _check.refuse("start", f"of d={path.d}, that of the layers", start)
    times = _check.increasing(t, "t")
    if start.rank == 0:
        return _mean_alone(path, start, times, rtol, atol, max_steps)
    system = System(path, start)
    t0 = float(times[0])

    def close(t: float, y: State) -> float:
        grown = system.split(y)[1] - system.first - np.log(GROWN)
        if grown < 0:
            return 1.0
        return float(np.clip(system.time_left(t, y) / (t - t0) / LEFT - 1, -1, 1))

    event = flow.Event(close, terminal=True)
    run = flow.solve(
        system, system.start, times, "dop853", rtol, atol, (event,), max_steps=max_steps
    )
    status, blow_up, direction = run.status, np.inf, None
    kept = len(times) if status == "done" else len(run.t)
    if status == "event":
        last = run.x[-1]
        end = float(run.t[-1])
        status, blow_up = "blow-up", end + system.time_left(end, last)
        W = system.split(last)[0]
        direction = np.linalg.svd(W * np.sqrt(system.D))[0][:, 0]
    if status != "done":
        kept = int(np.searchsorted(times, min(run.t[-1], blow_up), side="left"))
        kept = max(kept, 1)
    return _collect(system, times[:kept], run.x[:kept], status, blow_up, direction)


def _collect(
    system: System,
    times: np.ndarray,
    states: np.ndarray,
    status: str,
    blow_up: float,
    direction: np.ndarray | None,
) -> Moments:
    root = np.sqrt(system.D)
    parts = [system.split(y) for y in states]
    factor = np.stack([np.exp(0.5 * s) * W * root for W, s, _ in parts])
    mean = np.stack([m for *_, m in parts])
    cov = factor @ factor.swapaxes(1, 2)
    return Moments(times.copy(), mean, cov, factor, status, blow_up, direction)


def _mean_alone(
    path: LayerPath,
    start: Gaussian,
    times: np.ndarray,
    rtol: Number,
    atol: Number,
    max_steps: int,
) -> Moments:
    """A cloud that is one point: only its mean moves."""

    class Field:
        space, breaks = "euclidean", path.breaks

        def __call__(self, t: float, y: State) -> State:
            layer = path(t)
            return ((layer.A + layer.V) @ y[:, 0] + layer.b)[:, None]

    run = flow.solve(
        Field(), start.mean[:, None], times, "dop853", rtol, atol, max_steps=max_steps
    )
    kept = min(len(run.t), len(times))
    d = start.d
    return Moments(
        run.t[:kept],
        run.x[:kept, :, 0],
        np.zeros((kept, d, d)),
        np.zeros((kept, d, 0)),
        run.status,
        np.inf,
    )
