"""The steps of the compiled loops for all systems at once, in NumPy: what
``phase_diagram`` takes where there is no numba."""

import numpy as np
from jaxtyping import Bool, Float

from tfdynlib import _check
from tfdynlib.gaussian._phase_rules import (
    ASTRAY,
    BLOW_UP,
    BORDER,
    BOUNDED,
    DECAYS,
    GROWN,
    GROWS,
    HELD,
    LARGE,
    LEFT,
    SLIDE,
    STILL,
    STRONG,
    SURELY,
    THIN,
    TOP,
    UNDECIDED,
)

Batch = Float[np.ndarray, "n d d"]


class Systems:
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
        size = np.exp(np.minimum(y[:, n], TOP))
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
            # A step into what is no number is one with an infinite error.
            error = np.fmin(np.sqrt(np.mean(gap**2, axis=1)), np.inf)
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
            seen = fine & (pull > 0) & (now - first > np.log(GROWN))
            left = np.exp(-now) / (2 * np.where(seen, pull, 1.0))
            wall = seen & (left < LEFT * rtol * t)
            W = y[:, :n].reshape(-1, self.d, self.d)
            turn = k0[:, :n].reshape(W.shape) @ W.swapaxes(1, 2)
            turn = np.abs(turn + turn.swapaxes(1, 2)).max(axis=(1, 2))
            still = np.maximum(turn, np.abs(k0[:, n]))
            rests = fine & (still < STILL * rtol * k0[:, n + 1])
            over = fine & (t >= t_end)
            size = np.exp(np.minimum(now, TOP))
            if self.d == 2:
                held = pinned(W, self.A, self.B, self.V, size)
            else:
                large = self.push * size > LARGE * self.slide
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


def pinned(
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
    pull = np.abs(across) > 0
    pull &= np.abs(form(q, A, p)) < np.abs(across) * _check.LARGEST
    c = -form(q, A, p) / np.where(pull, across, 1.0)
    norm_A, norm_V = (np.linalg.norm(M, axis=(1, 2)) for M in (A, V))
    drift = norm_A + np.abs(c) * norm_V
    growth = form(p, A, p) + c * form(p, V, p)
    both = 0.5 * (B + B.swapaxes(1, 2))
    found = (np.linalg.det(both) < 0) & (
        np.linalg.det(W) ** 2 <= THIN * (one + two) ** 2
    )
    found &= np.abs(form(p, B, p)) * norm_V <= ASTRAY * np.abs(slope * across)
    found &= pull & (hold > 0) & (hold >= STRONG * drift)
    return found & (growth * hold > SURELY * drift**2)
