"""The flow at zero temperature, in closed form up to its clock."""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.metastability.limit import one_head
from tfdynlib.weights import Heads

# Gauss nodes on a panel of the inner clock, and terms of the exponential on it:
# with |M| h = 1/2 both are exact to rounding...
NODES, TERMS = 16, 16
WIDTH = 0.5
# ...if B is well-conditioned: |B x| has a kink, almost, where x passes what B all but
# takes away.  Panels are narrower by the ratio of these numbers and not more.
EASY, NARROWEST = 3.0, 0.01
MOST_PANELS = 100_000
# A token rests if a panel moves it by less than the one, and if it grows like the
# dominant eigenvectors up to the other: at a saddle it does not.
STILL, TOP = 1e-15, 1e-12

Tokens = Float[np.ndarray, "n d"]
Matrix = Float[np.ndarray, "d d"]


def zero_temperature(
    x0: ArrayLike, heads: Heads, t: Number | ArrayLike
) -> Float[np.ndarray, "..."]:
    r"""Tokens at layer-times t of the flow at zero temperature, from x0 at 0.

    .. math::
        \dot x = P_x \frac{M x}{|B x|}, \quad M = V B:
        \qquad x(t) = \frac{e^{M\tau} x_0}{|e^{M\tau} x_0|},
        \quad d\tau = \frac{dt}{|B x|}

    The linear flow with a clock of its own for each token, which no token shares with
    another; M need not be symmetric.  The clock is a quadrature, exact to some 1e-12
    (1e-8 if the condition number of B is above 300 and a token passes its kernel).
    Shape (n, d) for a number t, (m, n, d) for m times, in any order.  With B = bI,
    b > 0, the clock is t/b: :math:`x = e^{Vt}x_0/|\cdot|`, whatever b.

    Raises ``ValueError`` for two heads or more, a negative time, a B that is not
    invertible to rounding, and times that 100 000 panels of the clock do not reach
    (once all tokens rest, times are as long as you like).

    Source: the equation :cite:t:`alcalde2026quantifying`; the change of time is ours.
    """
    B, V = one_head(heads)
    why = ", the dimension of the heads"
    x = _check.shaped(_check.unit_rows(x0, "x0"), "x0", (None, heads.d), why)
    times = _check.array(t, "t")
    if times.ndim > 1:
        raise _check.refuse("t", "a time, or a list of times", times)
    if times.size and times.min() < 0:
        raise _check.refuse("t", "zero or positive", f"{times.min():g}")
    size = np.linalg.svd(B, compute_uv=False)
    if not size[-1] > 1e-12 * size[0]:
        raise _check.refuse("heads", "such that B is invertible", "a singular B")
    times = np.where(times < 1 / _check.LARGEST, 0.0, times)  # nothing moves so soon
    out = _march(x, V @ B, B, times.reshape(-1))
    return out[0] if times.ndim == 0 else out


def _march(
    x: Tokens, M: Matrix, B: Matrix, times: Float[np.ndarray, " m"]
) -> Float[np.ndarray, "m n d"]:
    """Panels of the inner clock, one after the other, until the last time is passed."""
    M = M - np.trace(M) / len(M) * np.eye(len(M))  # a factor that normalising removes
    norm, last = float(np.linalg.norm(M, 2)), float(times.max(initial=0.0))
    size = np.linalg.svd(B, compute_uv=False)
    least = float(size[-1])
    width = WIDTH * max(min(1.0, EASY * least / size[0]), NARROWEST)
    h = width / norm if norm * last > width * least else 1.01 * last / least
    node, _ = np.polynomial.legendre.leggauss(NODES)
    inside = [_exponential(M, h * (s + 1) / 2) for s in node]
    whole = _exponential(M, h)
    values = np.linalg.eigvals(M)
    top = values[values.real.argmax()]
    fastest = np.exp(h * top.real)
    too_late = _check.refuse("t", "shorter for this M and B", f"{last:g}")
    # A panel takes h |B| at most, and what turns never rests.
    if abs(top.imag) > TOP * norm and last > MOST_PANELS * h * size[0]:
        raise too_late
    fit = np.linalg.inv(np.polynomial.legendre.legvander(node, NODES - 1))
    out = np.empty((len(times), *x.shape))
    out[times == 0] = x
    clock, open_, panels = np.zeros(len(x)), times > 0, 0
    while open_.any():
        panels += 1
        if panels > MOST_PANELS:
            raise too_late
        speed = np.stack([_speed(x @ E.T, B) for E in inside])
        series = np.polynomial.legendre.legint(fit @ speed, scl=h / 2, lbnd=-1)
        after = clock + np.polynomial.legendre.legval(1.0, series)
        for k in np.flatnonzero(open_):
            here = (clock < times[k]) & (times[k] <= after)
            if here.any():
                late = times[k] - clock[here]
                s = _invert(series[:, here], fit @ speed[:, here], h, late)
                out[k, here] = _moved(x[here], M, h * (s + 1) / 2)
        open_ &= times > after.min()
        x, before, clock = x @ whole.T, x, after
        grown = np.linalg.norm(x, axis=1)
        x = x / grown[:, None]
        still = np.abs(x - before).max() <= STILL
        if still and np.abs(grown / fastest - 1).max() <= TOP:
            for k in np.flatnonzero(open_):
                late = clock < times[k]
                out[k, late] = x[late]
            break
    return out


def _invert(
    series: Float[np.ndarray, "p n"],
    slope: Float[np.ndarray, "q n"],
    h: float,
    time: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """Place in [-1, 1] where the clock shows this time, by Newton's method."""
    s = 2 * time / np.polynomial.legendre.legval(1.0, series) - 1
    for _ in range(8):
        late = np.polynomial.legendre.legval(s, series, tensor=False) - time
        rate = np.polynomial.legendre.legval(s, slope, tensor=False)
        s = np.clip(s - late / (h / 2 * rate), -1.0, 1.0)
    return np.asarray(s)


def _exponential(M: Matrix, s: float) -> Matrix:
    """e^{M s} for a short time, as a sum."""
    out = np.eye(len(M))
    for k in range(TERMS, 0, -1):
        out = np.eye(len(M)) + s / k * M @ out
    return out


def _moved(x: Tokens, M: Matrix, s: Float[np.ndarray, " n"]) -> Tokens:
    """e^{M s} x / |.| with a time of its own for each token."""
    out = x
    for k in range(TERMS, 0, -1):
        out = x + (s / k)[:, None] * (out @ M.T)
    return _unit(out)


def _unit(x: Tokens) -> Tokens:
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def _speed(y: Tokens, B: Matrix) -> Float[np.ndarray, " n"]:
    """|B y| / |y|."""
    return np.asarray(np.linalg.norm(y @ B.T, axis=1) / np.linalg.norm(y, axis=1))
