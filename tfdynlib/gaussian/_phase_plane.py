"""The loop of ``_phase_loop`` for d = 2, written out: a state is six numbers (W in
rows, l, the time), which never leave the registers.  Loads numba, so import it late.
"""

from math import exp, inf, sqrt
from typing import no_type_check

from tfdynlib.gaussian._phase_ends import (
    GOES_ON,
    blows_up,
    ended,
    lost,
    stretched,
    windows,
)
from tfdynlib.gaussian._phase_rules import (
    ASTRAY,
    BLOW_UP,
    STILL,
    STRONG,
    SURELY,
    THIN,
    TOP,
)
from tfdynlib.summation._kernels import compiled


@compiled
@no_type_check
def add(y, c, k):
    """y + ck."""
    return (
        y[0] + c * k[0],
        y[1] + c * k[1],
        y[2] + c * k[2],
        y[3] + c * k[3],
        y[4] + c * k[4],
        y[5] + c * k[5],
    )


@compiled
@no_type_check
def times(M, N):
    """MN, of matrices in rows."""
    return (
        M[0] * N[0] + M[1] * N[2],
        M[0] * N[1] + M[1] * N[3],
        M[2] * N[0] + M[3] * N[2],
        M[2] * N[1] + M[3] * N[3],
    )


@compiled
@no_type_check
def dot(M, N):
    """Sum of the products of entries."""
    return M[0] * N[0] + M[1] * N[1] + M[2] * N[2] + M[3] * N[3]


@compiled
@no_type_check
def rate(y, A, B, V, push):
    """dy/ds, and the pull of attention."""
    W = (y[0], y[1], y[2], y[3])
    size = exp(min(y[4], TOP))
    clock = 1.0 / (1.0 + push * size)
    reach = size * clock
    turned = (W[0], W[2], W[1], W[3])
    own = times(A, W)
    seen = times(V, times(W, times(turned, times(B, W))))
    one = 1.0 / dot(W, W)
    pull = dot(W, seen) * one
    a = clock * dot(W, own) * one + reach * pull
    k = (
        clock * own[0] + reach * seen[0] - a * W[0],
        clock * own[1] + reach * seen[1] - a * W[1],
        clock * own[2] + reach * seen[2] - a * W[2],
        clock * own[3] + reach * seen[3] - a * W[3],
        2.0 * a,
        clock,
    )
    return k, pull


@compiled
@no_type_check
def largest(k):
    """Of the rates of W."""
    return max(max(abs(k[0]), abs(k[1])), max(abs(k[2]), abs(k[3])))


@compiled
@no_type_check
def turn(k, W):
    """The largest rate of W W^T."""
    low = 2.0 * abs(k[0] * W[0] + k[1] * W[1])
    high = 2.0 * abs(k[2] * W[2] + k[3] * W[3])
    side = abs(k[0] * W[2] + k[1] * W[3] + k[2] * W[0] + k[3] * W[1])
    return max(max(low, high), side)


@compiled
@no_type_check
def seen(X, W):
    """tr(X W W^T)."""
    reach = X[0] * (W[0] * W[0] + W[1] * W[1]) + X[3] * (W[2] * W[2] + W[3] * W[3])
    return reach + 2.0 * X[1] * (W[0] * W[2] + W[1] * W[3])


@compiled
@no_type_check
def form(p, M, q):
    """p^T M q."""
    return p[0] * (M[0] * q[0] + M[1] * q[1]) + p[1] * (M[2] * q[0] + M[3] * q[1])


@compiled
@no_type_check
def pinned(W, A, B, V, size):
    """Whether the cloud is held to a line along which it grows: see ``phases``."""
    if B[0] * B[3] >= 0.25 * (B[1] + B[2]) ** 2:
        return False
    one = W[0] * W[0] + W[1] * W[1]
    two = W[2] * W[2] + W[3] * W[3]
    if (W[0] * W[3] - W[1] * W[2]) ** 2 > THIN * (one + two) ** 2:
        return False
    side = W[0] * W[2] + W[1] * W[3]
    p = (one, side) if one > two else (side, two)
    norm = 1.0 / sqrt(p[0] * p[0] + p[1] * p[1])
    p = (p[0] * norm, p[1] * norm)
    q = (-p[1], p[0])
    pBq, slope = form(p, B, q), form(p, B, q) + form(q, B, p)
    across = form(q, V, p)
    hold = size * min(-slope * across, -2.0 * pBq * across)
    if not hold > 0.0:
        return False
    c = -form(q, A, p) / across
    drift = sqrt(dot(A, A)) + abs(c) * sqrt(dot(V, V))
    growth = form(p, A, p) + c * form(p, V, p)
    reach = abs(form(p, B, p)) * sqrt(dot(V, V))
    if hold < STRONG * drift or reach > ASTRAY * abs(slope * across):
        return False
    return growth * hold > SURELY * drift * drift


@compiled
@no_type_check
def follow(y, A, B, V, push, X, wall, t_end, rtol, most, out):
    """One covariance from y to its end; the code of what was met, as
    ``_phase_ends`` tells it."""
    first = y[4]
    early, late = -inf, -inf
    k0, pull = rate(y, A, B, V, push)
    h = 0.05 / max(max(1.0, largest(k0)), abs(k0[4]))
    for _ in range(most):
        clock = k0[5]
        h = min(h, min(t_end / 16, (t_end - y[5]) * 1.01) / clock)
        k1, _ = rate(add(y, h * 0.2, k0), A, B, V, push)
        z = add(add(y, h * (3 / 40), k0), h * (9 / 40), k1)
        k2, _ = rate(z, A, B, V, push)
        z = add(add(y, h * (44 / 45), k0), h * (-56 / 15), k1)
        k3, _ = rate(add(z, h * (32 / 9), k2), A, B, V, push)
        z = add(add(y, h * (19372 / 6561), k0), h * (-25360 / 2187), k1)
        z = add(add(z, h * (64448 / 6561), k2), h * (-212 / 729), k3)
        k4, _ = rate(z, A, B, V, push)
        z = add(add(y, h * (9017 / 3168), k0), h * (-355 / 33), k1)
        z = add(add(z, h * (46732 / 5247), k2), h * (49 / 176), k3)
        k5, _ = rate(add(z, h * (-5103 / 18656), k4), A, B, V, push)
        z = add(add(y, h * (35 / 384), k0), h * (500 / 1113), k2)
        z = add(add(z, h * (125 / 192), k3), h * (-2187 / 6784), k4)
        z = add(z, h * (11 / 84), k5)
        k6, new_pull = rate(z, A, B, V, push)
        e = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        e = add(add(e, -71 / 57600, k0), 71 / 16695, k2)
        e = add(add(e, -71 / 1920, k3), 17253 / 339200, k4)
        e = add(add(e, -22 / 525, k5), 1 / 40, k6)
        gap = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] + e[4] * e[4]
        gap += (e[5] / z[5]) ** 2
        error = sqrt(gap / 6.0) * h / rtol
        h = stretched(h, error)
        if not error <= 1.0:
            continue
        y, k0, pull = z, k6, new_pull
        t, now = y[5], y[4]
        early, late = windows(t, now, t_end, early, late)
        if blows_up(t, now, first, pull, rtol, out):
            return BLOW_UP
        W = (y[0], y[1], y[2], y[3])
        size = exp(min(now, TOP))
        held = pinned(W, A, B, V, size)
        small = wall > 0.0 and k0[4] < 0.0 and size * seen(X, W) < wall
        rests = max(turn(k0, W), abs(k0[4])) < STILL * rtol * k0[5]
        code = ended(t, t_end, now - first, held, small, rests, early, late, out)
        if code != GOES_ON:
            return code
    return lost(y[4] - first, out)


@compiled
@no_type_check
def four(M, i):
    """The matrix i of a stack, in rows."""
    return M[i, 0, 0], M[i, 0, 1], M[i, 1, 0], M[i, 1, 1]


@compiled
@no_type_check
def run(y, A, B, V, push, X, wall, t_end, rtol, most, code, out):
    """Every covariance in turn."""
    for i in range(len(y)):
        start = (y[i, 0], y[i, 1], y[i, 2], y[i, 3], y[i, 4], y[i, 5])
        a, b, v, x = four(A, i), four(B, i), four(V, i), four(X, i)
        code[i] = follow(start, a, b, v, push[i], x, wall[i], t_end, rtol, most, out[i])
