"""A compiled loop over the steps of one system whose heads change at every step; loads
numba, so import it late.

Descent heads (V = -B = -D, beta = 1), Euler's method on the sphere.  Coordinates are
padded with zeros to ``C`` = 3 or 5; the layout of arrays is that of ``_kernels``, with
C in place of 3.  Scores are below the range of doubles (the caller has seen to it), so
that no exponent is shifted.
"""

from math import sqrt
from typing import no_type_check

import numpy as np

from tfdynlib.summation._kernels import compiled, rows
from tfdynlib.summation._vectors import each, exp2, fma, load, spread, store

SCALE = 1 / np.log(2.0)


@compiled
@no_type_check
def rows_of_five(p, i, m, y, w, n, out):
    """Queries i to i + 7 in lanes of their own see all tokens; five coordinates."""
    a0, a1, a2 = load(p, i), load(p, m + i), load(p, 2 * m + i)
    a3, a4 = load(p, 3 * m + i), load(p, 4 * m + i)
    f0 = f1 = f2 = f3 = f4 = f5 = zero = spread(0.0)
    for j in range(n):
        t = fma(a4, each(y, 4 * m + j), zero)
        t = fma(a2, each(y, 2 * m + j), fma(a3, each(y, 3 * m + j), t))
        e = exp2(fma(a0, each(y, j), fma(a1, each(y, m + j), t)))
        f0, f1 = fma(e, each(w, j), f0), fma(e, each(w, m + j), f1)
        f2, f3 = fma(e, each(w, 2 * m + j), f2), fma(e, each(w, 3 * m + j), f3)
        f4, f5 = fma(e, each(w, 4 * m + j), f4), fma(e, each(w, 5 * m + j), f5)
    store(out, i, f0)
    store(out, m + i, f1)
    store(out, 2 * m + i, f2)
    store(out, 3 * m + i, f3)
    store(out, 4 * m + i, f4)
    store(out, 5 * m + i, f5)


@compiled
@no_type_check
def squares(p, i, m, x, C, n, out):
    """Sums of e^score <x_i, x_j>^2 over j for tokens i to i + 7."""
    zero = f = spread(0.0)
    for j in range(n):
        t = u = zero
        for c in range(C):
            y = each(x, c * m + j)
            t = fma(load(p, c * m + i), y, t)
            u = fma(load(x, c * m + i), y, u)
        f = fma(exp2(t), fma(u, u, zero), f)
    store(out, i, f)


@compiled
@no_type_check
def times(D, C, f, m, out, factor):
    """out += factor D f, token by token."""
    for a in range(C):
        for b in range(C):
            c = factor * D[a, b]
            for i in range(m):
                out[a * m + i] += c * f[b * m + i]


@compiled
@no_type_check
def tangent(x, C, n, m, v, room):
    """Take the radial part off v."""
    room[:m] = 0.0
    for a in range(C):
        for i in range(m):
            room[i] += x[a * m + i] * v[a * m + i]
    for a in range(C):
        for i in range(m):
            v[a * m + i] -= room[i] * x[a * m + i]


@compiled
@no_type_check
def sums(p, x, w, C, n, m, out):
    """First moments and sums of one head at all tokens."""
    if C == 3:
        out[:] = 0.0
        for i in range(0, n, 16):
            rows(p, i, m, x, w, m, 0, n, out)
    else:
        for i in range(0, n, 8):
            rows_of_five(p, i, m, x, w, n, out)


@compiled
@no_type_check
def step(x, D, change, ito, C, n, m, p, w, out, pull, v, g, inverse, found):
    """Velocity v of the tokens under heads D, and what the account needs of this state.

    ``change`` is the step of the weights, ``ito`` is g^2 dt / 8 or 0.  ``found`` gets
    the energy, the action of v, its dissipation, the squared slope of the energy, and
    the work of the weights to first order with Ito's term.
    """
    H = len(D)
    v[:] = 0.0
    g[:] = 0.0
    inverse[:] = 0.0
    energy, work = 0.0, 0.0
    w[: C * m] = x / n
    for h in range(H):
        p[:] = 0.0
        times(D[h], C, x, m, p, SCALE)
        sums(p, x, w, C, n, m, out)
        pull[:] = 0.0
        times(D[h], C, out, m, pull, 1.0)
        for i in range(n):
            energy += out[C * m + i]
            inverse[i] += 1 / out[C * m + i]
        for a in range(C):
            for i in range(n):
                v[a * m + i] -= pull[a * m + i] / out[C * m + i]
                g[a * m + i] += pull[a * m + i]
        pull[:] = 0.0
        times(change[h], C, out, m, pull, 1.0)
        for a in range(C):
            for i in range(n):
                work += pull[a * m + i] * x[a * m + i]
        if ito > 0:
            for i in range(n):
                work += 2 * ito * out[C * m + i]
            for i in range(0, n, 8):
                squares(p, i, m, x, C, n, out)
            for i in range(n):
                work += 2 * ito * out[i] / n
    v /= H
    g /= H
    inverse /= H
    tangent(x, C, n, m, v, pull)
    tangent(x, C, n, m, g, pull)
    action, lost, slope = 0.0, 0.0, 0.0
    for i in range(n):
        vv, gg, gv = 0.0, 0.0, 0.0
        for a in range(C):
            vv += v[a * m + i] * v[a * m + i]
            gg += g[a * m + i] * g[a * m + i]
            gv += g[a * m + i] * v[a * m + i]
        action += vv / inverse[i]
        lost -= gv
        slope += gg * inverse[i]
    found[0] = energy / (2 * H * n)
    found[1] = action / n
    found[2] = lost / n
    found[3] = slope / n
    found[4] = work / (2 * H * n)


@compiled
@no_type_check
def retract(x, v, h, C, n, m, room):
    """x <- (x + h v) / |x + h v|"""
    room[:m] = 0.0
    for i in range(C * m):
        x[i] += h * v[i]
    for a in range(C):
        for i in range(n):
            room[i] += x[a * m + i] * x[a * m + i]
    for i in range(n):
        room[i] = 1 / sqrt(room[i])
    for a in range(C):
        for i in range(n):
            x[a * m + i] *= room[i]


@compiled
@no_type_check
def follow(h, D, ito, x, n, m, every, kept, found):
    """All steps of length h from x along the weights D (times, heads, C, C).

    ``found`` gets one row for each time (see ``step``), ``kept`` the tokens at every
    ``every``-th time.
    """
    count, H, C = D.shape[0], D.shape[1], D.shape[2]
    p, w, out = np.zeros((C + 1) * m), np.zeros((C + 1) * m), np.zeros((C + 1) * m)
    pull, v, g = np.zeros(C * m), np.zeros(C * m), np.zeros(C * m)
    inverse, change = np.zeros(m), np.zeros((H, C, C))
    w[C * m : C * m + n] = 1 / n
    for k in range(count):
        if k % every == 0:
            kept[k // every] = x
        if k + 1 < count:
            change[:] = D[k + 1] - D[k]
        else:
            change[:] = 0.0
        step(x, D[k], change, ito, C, n, m, p, w, out, pull, v, g, inverse, found[k])
        retract(x, v, h, C, n, m, pull)
