r"""One system of tokens under heads that change at every step; used by ``experiments``.

Descent heads, Euler's method on the sphere with a normalisation after each step, and at
every step what the account of the energy needs.  One compiled loop up to d = 5 if numba
is installed, else NumPy.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib import _check, summation
from tfdynlib.summation import compiled

MOST = 5  # dimensions of the compiled loop

Tokens = Float[np.ndarray, "n d"]
Path = Float[np.ndarray, "m H d d"]
Series = Float[np.ndarray, " m"]


@dataclass(frozen=True, repr=False)
class Course:
    """What one run found at the times t of its steps.

    Attributes
    ----------
    t
        Times of all steps.
    energy
        Interaction energy.
    action
        Squared length of the velocity in the metric of the heads; the first paper's
        code calls it G^2, its squared slope.
    lost
        Exact dissipation along the softmax rule.
    slope
        Squared metric slope of the energy.
    work
        Work of the changing weights from one time to the next, noise and Ito's term
        included, to first order (left end); the last is 0.
    x
        Tokens at every ``every``-th of the times.
    """

    t: Series
    energy: Series
    action: Series
    lost: Series
    slope: Series
    work: Series
    x: Float[np.ndarray, "k n d"]

    def residual(self, booked: Series) -> Series:
        """Gain of energy that the work and a booked rate of loss do not explain, with
        sums over left ends, as the first paper's code has them."""
        h = np.diff(self.t)
        booked = np.concatenate([[0.0], np.cumsum(h * booked[:-1])])
        work = np.concatenate([[0.0], np.cumsum(self.work[:-1])])
        return self.energy - self.energy[0] - work + booked


def follow(
    x0: Tokens, D: Path, dt: float, noise_var: float = 0.0, every: int = 1
) -> Course:
    """Tokens from x0 along the matrices D of descent heads (V = -B = -D, beta = 1,
    equal masses) at times 0, dt, 2 dt, ...

    ``noise_var`` is the variance g^2 of the noise in D, for Ito's term of the account;
    0 leaves it out, which halves the time.
    """
    D = _check.bounded(np.asarray(D, dtype=float), "D")
    # Norm of Frobenius: a bound of all scores.
    reach = float(np.sqrt(np.max(np.sum(D**2, axis=(2, 3)))))
    if reach > summation.LOG_MAX:
        raise _check.refuse("D", f"of norm below {summation.LOG_MAX:g}", reach)
    found = np.empty((len(D), 5))
    kept = np.empty(((len(D) - 1) // every + 1, *x0.shape))
    quick = D.shape[-1] <= MOST and compiled.missing() is None
    run = _compiled if quick else _plain
    run(x0, D, dt, noise_var * dt / 8, every, kept, found)
    energy, action, lost, slope, work = found.T
    t = dt * np.arange(len(D))
    return Course(t, energy, action, lost, slope, work, kept)


def _compiled(
    x0: Tokens,
    D: Path,
    dt: float,
    ito: float,
    every: int,
    kept: np.ndarray,
    found: np.ndarray,
) -> None:
    n, d = x0.shape
    C, m = (3 if d <= 3 else 5), -(-n // 16) * 16
    wide = np.zeros((*D.shape[:2], C, C))
    wide[:, :, :d, :d] = D
    x = np.zeros((C, m))
    x[:d, :n] = x0.T
    stored = np.empty((len(kept), C * m))
    compiled.along().follow(dt, wide, ito, x.ravel(), n, m, every, stored, found)
    kept[:] = stored.reshape(-1, C, m)[:, :d, :n].swapaxes(1, 2)


def _plain(
    x0: Tokens,
    D: Path,
    dt: float,
    ito: float,
    every: int,
    kept: np.ndarray,
    found: np.ndarray,
) -> None:
    x = x0
    for k, heads in enumerate(D):
        if k % every == 0:
            kept[k // every] = x
        change = D[min(k + 1, len(D) - 1)] - heads
        found[k], v = _state(x, heads, change, ito)
        x = x + dt * v
        x = x / np.linalg.norm(x, axis=1, keepdims=True)


def _state(
    x: Tokens, D: np.ndarray, change: np.ndarray, ito: float
) -> tuple[tuple[float, ...], Tokens]:
    """The account of one state, and its velocity; a head at a time, to stay small."""
    n, H = len(x), len(D)
    v, g, inverse, energy, work = np.zeros_like(x), np.zeros_like(x), 0.0, 0.0, 0.0
    even = 1 + (x @ x.T) ** 2 if ito > 0 else None
    for M, dM in zip(D, change):
        kernel = np.exp(x @ M @ x.T) / n
        s, first = kernel.sum(axis=1), kernel @ x
        pull = first @ M
        v, g, inverse = v - pull / s[:, None] / H, g + pull / H, inverse + 1 / s / H
        energy += s.sum() / (2 * H * n)
        work += np.sum((x @ dM) * first) / (2 * H * n)
        if even is not None:
            work += ito * np.sum(kernel * even) / (H * n)
    v = v - np.sum(v * x, axis=1, keepdims=True) * x
    g = g - np.sum(g * x, axis=1, keepdims=True) * x
    action = np.mean(np.sum(v * v, axis=1) / inverse)
    slope = np.mean(np.sum(g * g, axis=1) * inverse)
    lost = -np.mean(np.sum(g * v, axis=1))
    return (energy, action, lost, slope, work), v
