"""The compiled loops of ``compiled``; loads numba, so import it late.

Tokens come as flat arrays, one coordinate after the other, each padded with zeros to
``m`` entries, a multiple of the strip: y holds (y1, y2, y3), w holds the masses times
(y1, y2, y3, 1), p the queries times log2(e) as (p1, p2, p3, -shift).  Sums are written
to ``out`` in the layout of w.  Padded tokens have no mass, so no loop has a rest.
"""

from typing import no_type_check

from numba import njit

from tfdynlib.summation._vectors import exp2, fma, load, spread, store, total

# Tokens of a strip: its coordinates, masses and sums stay in the first cache.
STRIP = 256

compiled = njit(nogil=True, cache=True, error_model="numpy", boundscheck=False)


@compiled
@no_type_check
def direct(p, k, y, w, m, out):
    """Sums over all tokens for k queries (an even number), two at a time."""
    for i in range(0, k, 2):
        rows(p, i, k, y, w, m, 0, m, out)


@compiled
@no_type_check
def rows(p, i, k, y, w, m, start, stop, out):
    """Add to the queries i and i + 1 what they see in tokens start to stop."""
    a0, a1, a2, a3 = (
        spread(p[i]),
        spread(p[k + i]),
        spread(p[2 * k + i]),
        spread(p[3 * k + i]),
    )
    i2 = i + 1
    b0, b1, b2, b3 = (
        spread(p[i2]),
        spread(p[k + i2]),
        spread(p[2 * k + i2]),
        spread(p[3 * k + i2]),
    )
    f0 = f1 = f2 = f3 = g0 = g1 = g2 = g3 = spread(0.0)
    for j in range(start, stop, 8):
        y0, y1, y2 = load(y, j), load(y, m + j), load(y, 2 * m + j)
        e = exp2(fma(a0, y0, fma(a1, y1, fma(a2, y2, a3))))
        h = exp2(fma(b0, y0, fma(b1, y1, fma(b2, y2, b3))))
        w0, w1, w2, w3 = load(w, j), load(w, m + j), load(w, 2 * m + j), load(w, 3 * m + j)
        f0, f1, f2, f3 = fma(e, w0, f0), fma(e, w1, f1), fma(e, w2, f2), fma(e, w3, f3)
        g0, g1, g2, g3 = fma(h, w0, g0), fma(h, w1, g1), fma(h, w2, g2), fma(h, w3, g3)
    out[i] += total(f0)
    out[k + i] += total(f1)
    out[2 * k + i] += total(f2)
    out[3 * k + i] += total(f3)
    out[i2] += total(g0)
    out[k + i2] += total(g1)
    out[2 * k + i2] += total(g2)
    out[3 * k + i2] += total(g3)


@compiled
@no_type_check
def both(p, i, y, w, m, start, stop, out):
    """Tokens i and i + 1 see those from start to stop, and are seen by them."""
    a0, a1, a2, a3 = (
        spread(p[i]),
        spread(p[m + i]),
        spread(p[2 * m + i]),
        spread(p[3 * m + i]),
    )
    u0, u1, u2, u3 = (
        spread(w[i]),
        spread(w[m + i]),
        spread(w[2 * m + i]),
        spread(w[3 * m + i]),
    )
    i2 = i + 1
    b0, b1, b2, b3 = (
        spread(p[i2]),
        spread(p[m + i2]),
        spread(p[2 * m + i2]),
        spread(p[3 * m + i2]),
    )
    v0, v1, v2, v3 = (
        spread(w[i2]),
        spread(w[m + i2]),
        spread(w[2 * m + i2]),
        spread(w[3 * m + i2]),
    )
    f0 = f1 = f2 = f3 = g0 = g1 = g2 = g3 = spread(0.0)
    for j in range(start, stop, 8):
        y0, y1, y2 = load(y, j), load(y, m + j), load(y, 2 * m + j)
        e = exp2(fma(a0, y0, fma(a1, y1, fma(a2, y2, a3))))
        h = exp2(fma(b0, y0, fma(b1, y1, fma(b2, y2, b3))))
        w0, w1, w2, w3 = load(w, j), load(w, m + j), load(w, 2 * m + j), load(w, 3 * m + j)
        f0, f1, f2, f3 = fma(e, w0, f0), fma(e, w1, f1), fma(e, w2, f2), fma(e, w3, f3)
        g0, g1, g2, g3 = fma(h, w0, g0), fma(h, w1, g1), fma(h, w2, g2), fma(h, w3, g3)
        store(out, j, fma(e, u0, fma(h, v0, load(out, j))))
        store(out, m + j, fma(e, u1, fma(h, v1, load(out, m + j))))
        store(out, 2 * m + j, fma(e, u2, fma(h, v2, load(out, 2 * m + j))))
        store(out, 3 * m + j, fma(e, u3, fma(h, v3, load(out, 3 * m + j))))
    out[i] += total(f0)
    out[m + i] += total(f1)
    out[2 * m + i] += total(f2)
    out[3 * m + i] += total(f3)
    out[i2] += total(g0)
    out[m + i2] += total(g1)
    out[2 * m + i2] += total(g2)
    out[3 * m + i2] += total(g3)


@compiled
@no_type_check
def symmetric(p, y, w, m, strip, out):
    """Sums for the tokens themselves when their scores are symmetric: every
    exponential serves two pairs.  The shift is one number for all."""
    for start in range(0, m, strip):
        stop = min(start + strip, m)
        for i in range(0, start, 2):
            both(p, i, y, w, m, start, stop, out)
        for i in range(start, stop, 2):
            rows(p, i, m, y, w, m, start, stop, out)
    

@compiled
@no_type_check
def exponentials(s):
    """2^s in place, for a flat array of a multiple of eight entries."""
    for j in range(0, len(s), 8):
        store(s, j, exp2(load(s, j)))
