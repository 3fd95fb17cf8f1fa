"""Few modes on the circle, in compiled loops: powers of each token by multiplication,
eight tokens in a vector.  Loads numba, so import it late.

Tokens are unit vectors, one coordinate after the other with the stride ``m``, a
multiple of 32; what pads them has no mass.
"""

from typing import no_type_check

import numpy as np

from tfdynlib.summation._kernels import compiled
from tfdynlib.summation._vectors import each, fma, load, spread, store, total


@compiled
@no_type_check
def turned(p, q, u, v):
    """The complex number (p, q) times (u, v)."""
    zero = spread(0.0)
    minus = fma(spread(-1.0), v, zero)
    return fma(p, u, fma(q, minus, zero)), fma(p, v, fma(q, u, zero))


@compiled
@no_type_check
def coefficients(z, m, mass, n, out):
    r"""out = sums of m_j z_j^k for k = 0 .. n: n + 1 real parts, then the imaginary
    ones.  For the coefficients :math:`\sum_j m_j e^{-ik\theta_j}` negate these."""
    one, zero = spread(1.0), spread(0.0)
    sums = np.zeros(16 * (n + 1))
    for j in range(0, m, 32):
        u0, u1, u2, u3 = load(z, j), load(z, j + 8), load(z, j + 16), load(z, j + 24)
        i = m + j
        v0, v1, v2, v3 = load(z, i), load(z, i + 8), load(z, i + 16), load(z, i + 24)
        p0, p1 = load(mass, j), load(mass, j + 8)
        p2, p3 = load(mass, j + 16), load(mass, j + 24)
        q0 = q1 = q2 = q3 = zero
        for k in range(n + 1):
            p, q = fma(one, p0, fma(one, p1, p2)), fma(one, q0, fma(one, q1, q2))
            at = 16 * k
            store(sums, at, fma(one, p, fma(one, p3, load(sums, at))))
            store(sums, at + 8, fma(one, q, fma(one, q3, load(sums, at + 8))))
            p0, q0 = turned(p0, q0, u0, v0)
            p1, q1 = turned(p1, q1, u1, v1)
            p2, q2 = turned(p2, q2, u2, v2)
            p3, q3 = turned(p3, q3, u3, v3)
    for k in range(n + 1):
        out[k] = total(load(sums, 16 * k))
        out[n + 1 + k] = total(load(sums, 16 * k + 8))


@compiled
@no_type_check
def values(z, m, c, n, out):
    """out = three real functions at the tokens, with the stride m.

    ``c`` holds, mode by mode, what multiplies the real and the imaginary part of the
    power for each function: six numbers for each of the modes 0 .. n.
    """
    for j in range(0, m, 16):
        u, v, s, t = load(z, j), load(z, m + j), load(z, j + 8), load(z, m + j + 8)
        p, q, f0, f1, f2 = u, v, each(c, 0), each(c, 2), each(c, 4)
        a, b, g0, g1, g2 = s, t, each(c, 0), each(c, 2), each(c, 4)
        for k in range(6, 6 * n + 6, 6):
            c0, c1, c2 = each(c, k), each(c, k + 2), each(c, k + 4)
            f0, f1, f2 = fma(p, c0, f0), fma(p, c1, f1), fma(p, c2, f2)
            g0, g1, g2 = fma(a, c0, g0), fma(a, c1, g1), fma(a, c2, g2)
            c0, c1, c2 = each(c, k + 1), each(c, k + 3), each(c, k + 5)
            f0, f1, f2 = fma(q, c0, f0), fma(q, c1, f1), fma(q, c2, f2)
            g0, g1, g2 = fma(b, c0, g0), fma(b, c1, g1), fma(b, c2, g2)
            p, q = turned(p, q, u, v)
            a, b = turned(a, b, s, t)
        store(out, j, f0)
        store(out, m + j, f1)
        store(out, 2 * m + j, f2)
        store(out, j + 8, g0)
        store(out, m + j + 8, g1)
        store(out, 2 * m + j + 8, g2)
