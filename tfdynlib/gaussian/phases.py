r"""The fates of many covariances at once, by following each of them.

With :math:`\Sigma = e^{\ell} WW^\top` and W of norm one, each runs in a time s of its
own, :math:`dt/ds = 1/(1 + |V||B|e^{\ell})`, in which a blow-up is infinitely far and
approached at a steady pace: a few dozen steps of order five reach it.

Two ends come early.  If A contracts, :math:`A^\top X + XA = -I`, a covariance with

.. math:: \mathrm{tr}(X\Sigma) < \lambda_{\min}(X) / (2\,|XV|\,|B|)

decays, by the theorem of ``regime`` for small ones.  And a large covariance that grows
slowly is stiff: attention holds it to the lines p with :math:`p^\top Bp = 0`.  In the
plane, with q normal to p, it stays on one, and grows along it, where

.. math::
    q^\top Bp\;q^\top Vp + p^\top Bq\;q^\top Vp < 0, \qquad
    p^\top Bq\;q^\top Vp < 0, \qquad
    p^\top Ap - \frac{q^\top Ap}{q^\top Vp}\,p^\top Vp > 0

(to first order in :math:`e^{-\ell}`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib._tableaux import tableau
from tfdynlib.summation import compiled

CODES = np.array(["bounded", "decays", "grows", "blow-up", "undecided"])
BOUNDED, DECAYS, GROWS, BLOW_UP, UNDECIDED = range(5)

# Steps for each; those near a border may take more by the factor LONGER.
MOST_STEPS = 3000
# Between the two windows of time l falls by log 2 if the covariance decays like 1/t and
# not at all if it settles; the border is half of that.
BORDER = 0.35
# Outside the plane a cloud so large that attention alone would change it at ten times
# this rate, in units of |A|, but that grows at no more than it, is said to be held...
SLIDE = 8.0
# ...when it has grown by this factor.
HELD = 6.0
# In the plane: attention holds to a line this many times as strongly as A pulls away.
STRONG = 20.0
# Up to this dimension the theorem for small covariances is asked.
SMALL = 4
# What is nearer to a border than this is run again...
NEAR = 0.2
# Logarithms up to this are those of doubles.
EDGE = 700.0
# ...with a tolerance smaller and a time longer by these factors.
TIGHTER, LONGER = 1e-3, 4

Batch = Float[np.ndarray, "n d d"]


@dataclass(frozen=True)
class Phases:
    """What became of each covariance.

    Attributes
    ----------
    kind
        ``"blow-up"``; ``"decays"`` or ``"grows"`` (its largest trace over the last half
        of the time differs from that of the quarter before by more than a factor
        √2, which tells 1/t from a limit); ``"bounded"`` (neither); ``"undecided"``
        (too many steps).  Decay of small covariances, and growth of those that
        attention holds to a line, are seen before t_end: see the head of this file.

        Found by following each, mostly not by a theorem: for one layer see ``regime``.
    blow_up_time
        inf where there is none up to the end.
    growth
        Trace where it was last looked at (t_end, or where its kind was seen) over trace
        at the start; inf at a blow-up, and beyond the doubles.
    again
        Where a border was near, so that it was run again, tighter and longer.

    All have the shape of the systems.
    """

    kind: np.ndarray
    blow_up_time: Float[np.ndarray, "..."]
    growth: Float[np.ndarray, "..."] = field(repr=False)
    again: Bool[np.ndarray, "..."] = field(repr=False)

    def counts(self) -> dict[str, int]:
        """How many of each kind."""
        return {str(kind): int(np.sum(self.kind == kind)) for kind in CODES}


def phase_diagram(
    A: ArrayLike,
    B: ArrayLike,
    V: ArrayLike,
    cov: ArrayLike,
    t_end: Number = 50.0,
    rtol: Number = 1e-6,
    method: str = "auto",
) -> Phases:
    r"""Follow many covariances, :math:`\dot\Sigma = J\Sigma + \Sigma J^\top`, to t_end.

    ``A``, ``B``, ``V`` and ``cov`` are (..., d, d) and broadcast against each other:
    a plane of layers against one covariance, or any other way.  ``rtol`` is the
    accuracy of blow-up times and of the shape.  Systems near a border are run again
    with a tolerance 1000 times smaller and for four times as long.

    ``"compiled"`` runs one compiled loop (needs numba), ``"numpy"`` the same steps
    for all at once; ``"auto"`` takes the first if it can.  Ten thousand random layers
    of the plane take about half a second of one core, compiled, to t_end = 50.

    Raises ``ValueError`` for shapes that do not fit and a ``cov`` that is none.
    """
    _check.one_of(method, ("auto", "compiled", "numpy"), "method")
    t_end, rtol = _check.positive(t_end, "t_end"), _check.positive(rtol, "rtol")
    if not 1e-11 <= rtol <= 1e-2:
        raise _check.refuse("rtol", "between 1e-11 and 0.01", rtol)
    named = {"A": A, "B": B, "V": V, "cov": cov}
    values = [_check.bounded(_check.square(M, n), n) for n, M in named.items()]
    try:
        full = np.broadcast_arrays(*values)
    except ValueError:
        shapes = ", ".join(str(M.shape) for M in values)
        raise _check.refuse("cov", "of a shape that fits the layers", shapes) from None
    shape, d = full[0].shape[:-2], full[0].shape[-1]
    flat = [np.ascontiguousarray(M.reshape(-1, d, d)) for M in full]
    if method == "auto":
        method = "numpy" if compiled.missing() else "compiled"
    elif method == "compiled" and compiled.missing():
        raise _check.refuse("method", "possible here", compiled.missing())
    code, out = _outcomes(flat, t_end, rtol, method)
    again = (code == GROWS) & np.isfinite(out[:, 2])
    again |= (code == BLOW_UP) & (out[:, 0] > t_end / 2)
    seen = np.isfinite(out[:, 2])  # not at a blow-up, nor where the end came early
    again[seen] |= np.abs(np.abs(out[seen, 2]) - BORDER) < NEAR
    if again.any():
        tight = max(TIGHTER * rtol, 1e-11)
        part = [M[again] for M in flat]
        code[again], out[again] = _outcomes(part, LONGER * t_end, tight, method, True)
    growth = np.where(out[:, 1] < EDGE, np.exp(np.minimum(out[:, 1], EDGE)), np.inf)
    return Phases(
        CODES[code].reshape(shape),
        out[:, 0].reshape(shape),
        growth.reshape(shape),
        again.reshape(shape),
    )


def _outcomes(
    systems: list[Batch], t_end: float, rtol: float, method: str, longer: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Codes, and (time of blow-up, growth of l, difference of the two windows)."""
    A, B, V, cov = systems
    n, d = len(A), A.shape[-1]
    y = _start(cov)
    push = np.linalg.norm(V, axis=(1, 2)) * np.linalg.norm(B, axis=(1, 2))
    out = np.tile([np.inf, 0.0, 0.0], (n, 1))
    code = np.zeros(n, dtype=np.int64)
    alive = np.isfinite(y[:, d * d])
    most = MOST_STEPS * (LONGER if longer else 1)
    X, wall = _walls(A, B, V)
    layers = [M[alive] for M in (A, B, V, push, X, wall)]
    scheme = tableau("dopri5")
    a = np.zeros((7, 7))
    a[:6, : scheme.a.shape[1]] = scheme.a[:6]
    a[6, : len(scheme.b)] = scheme.b
    if method == "compiled":
        found, numbers = code[alive], out[alive]
        rest = () if d == 2 else (a, a[6], scheme.errors[0])
        size = () if d == 2 else (d,)
        run = _loop(d)
        run(y[alive], *layers, *size, t_end, rtol, most, *rest, found, numbers)
        code[alive], out[alive] = found, numbers
    elif alive.any():
        batch = _Batch(layers, a, scheme.errors[0])
        code[alive], out[alive] = batch.follow(y[alive], t_end, rtol, most)
    return code, out


def _loop(d: int) -> Callable[..., None]:
    """The compiled loop for dimension d; says once if it has yet to be compiled."""
    kind = "_phase_plane" if d == 2 else "_phase_loop"
    loop = import_module(f"tfdynlib.gaussian.{kind}")
    compiled.announce(loop, "the phase diagram", loop.run.stats.cache_path)
    return loop.run


def _walls(A: Batch, B: Batch, V: Batch) -> tuple[Batch, Float[np.ndarray, " n"]]:
    """X with A^T X + X A = -I, and below what tr(X Sigma) can only fall; 0: nowhere."""
    n, d = len(A), A.shape[-1]
    X, wall = np.zeros((n, d, d)), np.zeros(n)
    reach = np.linalg.norm(A, axis=(1, 2))
    if d <= SMALL:
        safe = np.linalg.eigvals(A).real.max(axis=1) < -1e-9 * reach
        eye, At = np.eye(d), A[safe].swapaxes(1, 2)
        # A^T X + X A, on matrices X in rows
        left = np.einsum("nij,kl->nikjl", At, eye)
        right = np.einsum("ij,nkl->nikjl", eye, At)
        K = (left + right).reshape(-1, d * d, d * d)
        minus = np.broadcast_to(-eye.reshape(-1, 1), (len(K), d * d, 1))
        half = 0.5 * np.linalg.solve(K, minus).reshape(-1, d, d)
        X[safe] = half + half.swapaxes(1, 2)
        low = np.linalg.eigvalsh(X[safe])[:, 0]
        push = np.linalg.norm(X[safe] @ V[safe], 2, axis=(1, 2))
        push = 2 * push * np.linalg.norm(B[safe], 2, axis=(1, 2))
        # without attention every covariance is small
        wall[safe] = low / np.maximum(push, low / _check.LARGEST)
    return X, wall


def _start(cov: Batch) -> Float[np.ndarray, "n k"]:
    """W in rows, l, and the time; l is -inf for a covariance of zero."""
    gap = np.abs(cov - cov.swapaxes(1, 2)).max(axis=(1, 2))
    size = np.abs(cov).max(axis=(1, 2))
    if (gap > 1e-12 * size).any():
        raise _check.refuse("cov", "symmetric", f"a difference of {gap.max():.3g}")
    values, U = np.linalg.eigh(0.5 * (cov + cov.swapaxes(1, 2)))
    if (values[:, 0] < -1e-12 * size).any():
        came = f"an eigenvalue of {values.min():.3g}"
        raise _check.refuse("cov", "a covariance (no negative eigenvalue)", came)
    d = cov.shape[-1]
    values = np.where(values > 1e-13 * d * size[:, None], values, 0.0)
    total = values.sum(axis=1)
    # -inf marks a covariance of zero
    log_size = np.log(total, out=np.full(len(total), -np.inf), where=total > 0)
    W = U * np.sqrt(values / np.where(total > 0, total, 1.0)[:, None])[:, None, :]
    rest = np.stack([log_size, np.zeros(len(cov))], axis=1)
    return np.concatenate([W.reshape(len(cov), -1), rest], axis=1)


class _Batch:
    """The steps of ``_phase_loop``, for all systems at once in NumPy."""

    def __init__(
        self,
        layers: list[np.ndarray],
        a: Float[np.ndarray, "7 7"],
        e: Float[np.ndarray, "7"],
    ):
        self.A, self.B, self.V, self.push, self.X, self.wall = layers
        self.a, self.e = a, e
        self.slide = SLIDE * np.linalg.norm(self.A, axis=(1, 2))
        self.d = self.A.shape[-1]

    def take(self, keep: np.ndarray) -> None:
        """Go on with some of the systems."""
        self.A, self.B, self.V = self.A[keep], self.B[keep], self.V[keep]
        self.push, self.slide = self.push[keep], self.slide[keep]
        self.X, self.wall = self.X[keep], self.wall[keep]

    def rate(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dy/ds, and the pull of attention."""
        n = self.d**2
        W = y[:, :n].reshape(-1, self.d, self.d)
        size = np.exp(np.minimum(y[:, n], 600.0))
        clock = 1 / (1 + self.push * size)
        own = self.A @ W
        pull = self.V @ (W @ (W.swapaxes(1, 2) @ (self.B @ W)))
        total, one, two = (np.sum(W * M, axis=(1, 2)) for M in (W, own, pull))
        reach = size * clock
        a = (clock * one + reach * two) / total
        dW = clock[:, None, None] * own + reach[:, None, None] * pull
        dW -= a[:, None, None] * W
        parts = [dW.reshape(len(y), -1), 2 * a[:, None], clock[:, None]]
        return np.concatenate(parts, axis=1), two / total

    def follow(
        self, y: np.ndarray, t_end: float, rtol: float, most: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """All systems to their ends."""
        n = self.d**2
        code = np.full(len(y), UNDECIDED)
        out = np.tile([np.inf, 0.0, 0.0], (len(y), 1))
        who, first = np.arange(len(y)), y[:, n].copy()
        early, late = np.full((2, len(y)), -np.inf)
        calm, since = np.full(len(y), np.inf), np.zeros(len(y))
        k0, pull = self.rate(y)
        size = np.maximum(np.abs(k0[:, :n]).max(axis=1), 1.0)
        h = 0.05 / np.maximum(size, np.abs(k0[:, n]))
        for _ in range(most):
            clock, t = k0[:, n + 1], y[:, n + 1]
            h = np.minimum(h, np.minimum(t_end / 16, (t_end - t) * 1.01) / clock)
            stages, z, pull1 = [k0], y, pull
            for s in range(1, 7):
                z = y + h[:, None] * sum(c * k for c, k in zip(self.a[s], stages))
                k, pull1 = self.rate(z)
                stages.append(k)
            gap = sum(c * k for c, k in zip(self.e, stages)) * h[:, None] / rtol
            gap[:, n + 1] /= z[:, n + 1]
            error = np.nan_to_num(np.sqrt(np.mean(gap**2, axis=1)), nan=np.inf)
            fine = error <= 1
            y = np.where(fine[:, None], z, y)
            k0 = np.where(fine[:, None], stages[-1], k0)
            pull = np.where(fine, pull1, pull)
            factor = 0.9 * np.maximum(error, 1e-30) ** -0.2
            h = h * np.where(fine, np.minimum(5.0, factor), np.maximum(0.2, factor))
            t, now = y[:, n + 1], y[:, n]
            half, quarter = t > t_end / 2, (t > t_end / 4) & (t <= t_end / 2)
            late = np.where(fine & half, np.maximum(late, now), late)
            early = np.where(fine & quarter, np.maximum(early, now), early)
            seen = fine & (pull > 0) & (now - first > np.log(1e3))
            left = np.exp(-now) / (2 * np.where(seen, pull, 1.0))
            wall = seen & (left < 0.1 * rtol * t)
            W = y[:, :n].reshape(-1, self.d, self.d)
            turn = k0[:, :n].reshape(W.shape) @ W.swapaxes(1, 2)
            turn = np.abs(turn + turn.swapaxes(1, 2)).max(axis=(1, 2))
            still = np.maximum(turn, np.abs(k0[:, n]))
            rests = fine & (still < 10 * rtol * k0[:, n + 1])
            over = fine & (t >= t_end)
            size = np.exp(np.minimum(now, 600.0))
            if self.d == 2:
                held = _pinned(W, self.A, self.B, self.V, size)
            else:
                large = self.push * size > 10 * self.slide
                restart = (now < calm) | (now - calm > self.slide * (t - since))
                since = np.where(fine & large & restart, t, since)
                restarted = np.where(restart, now, calm)
                calm = np.where(fine, np.where(large, restarted, np.inf), calm)
                held = now - calm > np.log(HELD)
            held &= fine & ~wall
            reach = np.einsum("nik,nij,njk->n", W, self.X, W)
            small = fine & (k0[:, n] < 0) & (size * reach < self.wall)
            small &= ~(wall | held)
            rests &= ~(held | wall | small)
            over &= ~(held | wall | rests | small)
            done = wall | rests | over | held | small
            if done.any():
                there = who[done]
                change = np.where(rests, 0.0, np.where(over, late, 0.0))
                change -= np.where(over, early, 0.0)
                change = np.where(held, np.inf, np.where(small, -np.inf, change))
                label = np.where(change < 0, DECAYS, GROWS)
                label = np.where(np.abs(change) < BORDER, BOUNDED, label)
                code[there] = np.where(wall, BLOW_UP, label)[done]
                out[there, 0] = np.where(wall, t + left, np.inf)[done]
                out[there, 1] = np.where(wall, np.inf, now - first)[done]
                out[there, 2] = np.where(wall, np.inf, change)[done]
                keep = ~done
                self.take(keep)
                y, k0, pull, h = y[keep], k0[keep], pull[keep], h[keep]
                who, first = who[keep], first[keep]
                early, late, calm = early[keep], late[keep], calm[keep]
                since = since[keep]
                if not len(who):
                    break
        out[who, 1] = y[:, n] - first
        return code, out


def _pinned(
    W: Batch, A: Batch, B: Batch, V: Batch, size: Float[np.ndarray, " n"]
) -> Bool[np.ndarray, " n"]:
    """Whether clouds in the plane are held to a line along which they grow."""
    S = W @ W.swapaxes(1, 2)
    one, two, side = S[:, 0, 0], S[:, 1, 1], S[:, 0, 1]
    first = (one > two)[:, None]
    p = np.where(first, np.stack([one, side], 1), np.stack([side, two], 1))
    p = p / np.linalg.norm(p, axis=1)[:, None]
    q = np.stack([-p[:, 1], p[:, 0]], axis=1)

    def form(p: np.ndarray, M: Batch, q: np.ndarray) -> np.ndarray:
        return np.einsum("ni,nij,nj->n", p, M, q)

    across, pBq = form(q, V, p), form(p, B, q)
    slope = pBq + form(q, B, p)
    hold = size * np.minimum(-slope * across, -2 * pBq * across)
    # c is what attention gives, so that A does not turn p
    c = -form(q, A, p) / np.where(hold > 0, across, 1.0)
    norm_A, norm_V = (np.linalg.norm(M, axis=(1, 2)) for M in (A, V))
    drift = norm_A + np.abs(c) * norm_V
    growth = form(p, A, p) + c * form(p, V, p)
    both = 0.5 * (B + B.swapaxes(1, 2))
    found = (np.linalg.det(both) < 0) & (
        np.linalg.det(W) ** 2 <= 0.01 * (one + two) ** 2
    )
    found &= np.abs(form(p, B, p)) * norm_V <= 0.1 * np.abs(slope * across)
    found &= (hold > 0) & (hold >= STRONG * drift)
    return found & (growth * hold > 10 * drift**2)
