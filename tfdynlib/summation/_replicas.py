"""Compiled loops over many small systems of tokens; loads numba, so import it late.

One system after the other runs through all its steps, so that it never leaves the first
cache.  The layout of arrays is that of ``_kernels``, in which the sums are made.
"""

from math import inf, sqrt
from typing import no_type_check

import numpy as np

from tfdynlib.summation._kernels import compiled, rows

# Sums below this, in units of their bound, are summed again from the largest exponent.
TINY = 1e-280


@compiled
@no_type_check
def carefully(i, n, m, p, x, out):
    """The sums of token i again, with its largest exponent as the shift."""
    top = -inf
    for j in range(n):
        top = max(top, p[i] * x[j] + p[m + i] * x[m + j] + p[2 * m + i] * x[2 * m + j])
    p[3 * m + i] = -top
    for c in range(4):
        out[c * m + i] = 0.0
    for j in range(n):
        t = p[i] * x[j] + p[m + i] * x[m + j] + p[2 * m + i] * x[2 * m + j] - top
        e = 2.0**t / n
        for c in range(3):
            out[c * m + i] += e * x[c * m + j]
        out[3 * m + i] += e


@compiled
@no_type_check
def velocity(x, n, m, K, V, normalised, w, p, out, v):
    """Velocity of n tokens x on the sphere, written to v.

    K are the matrices of scores in units of log 2, V the values times the masses of
    heads.
    """
    x0, x1, x2 = x[:m], x[m : 2 * m], x[2 * m :]
    v0, v1, v2 = v[:m], v[m : 2 * m], v[2 * m :]
    for i in range(n):
        w[i], w[m + i], w[2 * m + i] = x0[i] / n, x1[i] / n, x2[i] / n
    v[:] = 0.0
    for h in range(len(K)):
        ask(x0, x1, x2, n, K[h], p[:m], p[m : 2 * m], p[2 * m : 3 * m], p[3 * m :])
        out[:] = 0.0
        for i in range(0, n, 16):
            rows(p, i, m, x, w, m, 0, n, out)
        for i in range(n):
            if not out[3 * m + i] >= TINY:
                carefully(i, n, m, p, x, out)
        if not normalised:  # out becomes the numerator over one
            for i in range(n):
                out[3 * m + i] = 2.0 ** p[3 * m + i]
        pull(
            out[:m],
            out[m : 2 * m],
            out[2 * m : 3 * m],
            out[3 * m :],
            n,
            V[h],
            v0,
            v1,
            v2,
        )
    for i in range(n):
        radial = v0[i] * x0[i] + v1[i] * x1[i] + v2[i] * x2[i]
        v0[i] -= radial * x0[i]
        v1[i] -= radial * x1[i]
        v2[i] -= radial * x2[i]


@compiled
@no_type_check
def ask(x0, x1, x2, n, K, p0, p1, p2, p3):
    """Queries K x, and minus their lengths."""
    a0, a1, a2 = K[0, 0], K[0, 1], K[0, 2]
    b0, b1, b2 = K[1, 0], K[1, 1], K[1, 2]
    c0, c1, c2 = K[2, 0], K[2, 1], K[2, 2]
    for i in range(n):
        p0[i] = a0 * x0[i] + a1 * x1[i] + a2 * x2[i]
        p1[i] = b0 * x0[i] + b1 * x1[i] + b2 * x2[i]
        p2[i] = c0 * x0[i] + c1 * x1[i] + c2 * x2[i]
    for i in range(n):
        p3[i] = -sqrt(p0[i] * p0[i] + p1[i] * p1[i] + p2[i] * p2[i])


@compiled
@no_type_check
def pull(f0, f1, f2, z, n, V, v0, v1, v2):
    """Add V f / z to the velocity."""
    a0, a1, a2 = V[0, 0], V[0, 1], V[0, 2]
    b0, b1, b2 = V[1, 0], V[1, 1], V[1, 2]
    c0, c1, c2 = V[2, 0], V[2, 1], V[2, 2]
    for i in range(n):
        z[i] = 1 / z[i]
    for i in range(n):
        v0[i] += (a0 * f0[i] + a1 * f1[i] + a2 * f2[i]) * z[i]
        v1[i] += (b0 * f0[i] + b1 * f1[i] + b2 * f2[i]) * z[i]
        v2[i] += (c0 * f0[i] + c1 * f1[i] + c2 * f2[i]) * z[i]


@compiled
@no_type_check
def retract(x, v, h, n, m, y):
    """y = (x + h v) / |x + h v|; False if that is not a number."""
    y0, y1, y2 = y[:m], y[m : 2 * m], y[2 * m :]
    for i in range(3 * m):
        y[i] = x[i] + h * v[i]
    worst, least = 0.0, inf
    for i in range(n):
        length = sqrt(y0[i] * y0[i] + y1[i] * y1[i] + y2[i] * y2[i])
        worst += length * 0.0  # stays 0 for numbers
        least = min(least, length)
        y0[i] /= length
        y1[i] /= length
        y2[i] /= length
    return worst == 0.0 and least > 0.0


@compiled
@no_type_check
def solve(t, K, V, rk4, normalised, states, reached):
    """Fill ``states`` (times, systems, tokens, coordinates) from the first time on.

    ``reached`` gets the number of times until the numbers were left; from there on the
    last state is repeated.
    """
    n, d = states.shape[2], states.shape[3]
    m = (n + 15) // 16 * 16
    x, y, v, total = np.zeros(3 * m), np.zeros(3 * m), np.zeros(3 * m), np.zeros(3 * m)
    w, p, out = np.zeros(4 * m), np.zeros(4 * m), np.zeros(4 * m)
    w[3 * m : 3 * m + n] = 1 / n
    for r in range(states.shape[1]):
        for c in range(d):
            x[c * m : c * m + n] = states[0, r, :, c]
        fine = True
        for k in range(1, len(t)):
            h = t[k] - t[k - 1]
            if fine:
                velocity(x, n, m, K, V, normalised, w, p, out, v)
                total[:] = v
                if rk4:
                    for weight, part in ((2.0, 0.5), (2.0, 0.5), (1.0, 1.0)):
                        fine = fine and retract(x, v, part * h, n, m, y)
                        velocity(y, n, m, K, V, normalised, w, p, out, v)
                        total += weight * v
                    total /= 6
                fine = fine and retract(x, total, h, n, m, y)
            if fine:
                x[:] = y
                reached[r] = k + 1
            for c in range(d):
                states[k, r, :, c] = x[c * m : c * m + n]
