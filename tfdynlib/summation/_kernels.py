"""The compiled loops of ``compiled``; loads numba, so import it late.

Arrays are flat, one coordinate after the other.  Tokens have the stride ``m``: y holds
(y1, y2, y3), w the masses times (y1, y2, y3, 1).  Queries have the stride ``k``: p
holds (p1, p2, p3, -shift) in units of log 2, and ``out`` the sums in the layout of w.
What pads an array has no mass, so that no loop has a rest.  In ``symmetric`` both
strides are m.
"""

from typing import no_type_check

from numba import njit

from tfdynlib.summation._vectors import each, exp2, fma, load, spread, store, total

# Tokens of a strip: coordinates, masses and sums stay in the first cache.
STRIP = 512
# Tokens that stay in the second cache while all queries pass.
LONG = 8192


@no_type_check
def compiled(loop):
    """``loop`` compiled at its first call, and kept for later runs where the package
    or the user has a directory that can be written."""
    kernel = njit(nogil=True, error_model="numpy")(loop)
    try:
        kernel.enable_caching()
    except RuntimeError:  # nowhere to keep it: compiled again in the next run
        return kernel
    return kernel


@compiled
@no_type_check
def column(array, i, stride):
    """Four coordinates of one entry, each spread over a vector."""
    return (
        each(array, i),
        each(array, stride + i),
        each(array, 2 * stride + i),
        each(array, 3 * stride + i),
    )


@compiled
@no_type_check
def add(out, i, stride, f0, f1, f2, f3):
    """Add the totals of four vectors to one entry."""
    out[i] += total(f0)
    out[stride + i] += total(f1)
    out[2 * stride + i] += total(f2)
    out[3 * stride + i] += total(f3)


@compiled
@no_type_check
def rows(p, i, k, y, w, m, start, stop, out):
    """Queries i to i + 15, each in a lane of its own, see the tokens from start to
    stop."""
    a0, a1, a2 = load(p, i), load(p, k + i), load(p, 2 * k + i)
    b0, b1, b2 = load(p, i + 8), load(p, k + i + 8), load(p, 2 * k + i + 8)
    a3, b3 = load(p, 3 * k + i), load(p, 3 * k + i + 8)
    f0 = f1 = f2 = f3 = g0 = g1 = g2 = g3 = spread(0.0)
    for j in range(start, stop):
        y0, y1, y2 = each(y, j), each(y, m + j), each(y, 2 * m + j)
        e = exp2(fma(a0, y0, fma(a1, y1, fma(a2, y2, a3))))
        h = exp2(fma(b0, y0, fma(b1, y1, fma(b2, y2, b3))))
        w0, w1 = each(w, j), each(w, m + j)
        w2, w3 = each(w, 2 * m + j), each(w, 3 * m + j)
        f0, f1, f2, f3 = fma(e, w0, f0), fma(e, w1, f1), fma(e, w2, f2), fma(e, w3, f3)
        g0, g1, g2, g3 = fma(h, w0, g0), fma(h, w1, g1), fma(h, w2, g2), fma(h, w3, g3)
    more(out, i, k, f0, f1, f2, f3)
    more(out, i + 8, k, g0, g1, g2, g3)


@compiled
@no_type_check
def more(out, i, stride, f0, f1, f2, f3):
    """Add four vectors to eight entries."""
    one = spread(1.0)
    store(out, i, fma(one, f0, load(out, i)))
    store(out, stride + i, fma(one, f1, load(out, stride + i)))
    store(out, 2 * stride + i, fma(one, f2, load(out, 2 * stride + i)))
    store(out, 3 * stride + i, fma(one, f3, load(out, 3 * stride + i)))


@compiled
@no_type_check
def both(p, i, y, w, m, start, stop, out):
    """Tokens i and i + 1 see those from start to stop, and are seen by them."""
    a0, a1, a2, a3 = column(p, i, m)
    b0, b1, b2, b3 = column(p, i + 1, m)
    u0, u1, u2, u3 = column(w, i, m)
    v0, v1, v2, v3 = column(w, i + 1, m)
    f0 = f1 = f2 = f3 = g0 = g1 = g2 = g3 = spread(0.0)
    for j in range(start, stop, 8):
        y0, y1, y2 = load(y, j), load(y, m + j), load(y, 2 * m + j)
        e = exp2(fma(a0, y0, fma(a1, y1, fma(a2, y2, a3))))
        h = exp2(fma(b0, y0, fma(b1, y1, fma(b2, y2, b3))))
        w0, w1 = load(w, j), load(w, m + j)
        w2, w3 = load(w, 2 * m + j), load(w, 3 * m + j)
        f0, f1, f2, f3 = fma(e, w0, f0), fma(e, w1, f1), fma(e, w2, f2), fma(e, w3, f3)
        g0, g1, g2, g3 = fma(h, w0, g0), fma(h, w1, g1), fma(h, w2, g2), fma(h, w3, g3)
        store(out, j, fma(e, u0, fma(h, v0, load(out, j))))
        store(out, m + j, fma(e, u1, fma(h, v1, load(out, m + j))))
        store(out, 2 * m + j, fma(e, u2, fma(h, v2, load(out, 2 * m + j))))
        store(out, 3 * m + j, fma(e, u3, fma(h, v3, load(out, 3 * m + j))))
    add(out, i, m, f0, f1, f2, f3)
    add(out, i + 1, m, g0, g1, g2, g3)


@compiled
@no_type_check
def direct(p, k, y, w, m, n, out):
    """Sums over n tokens for k queries, a multiple of 16."""
    for start in range(0, n, LONG):
        for i in range(0, k, 16):
            rows(p, i, k, y, w, m, start, min(start + LONG, n), out)


@compiled
@no_type_check
def symmetric(p, y, w, m, n, out):
    """Sums for n tokens with symmetric scores and one shift: an exponential serves two
    pairs, but for the squares on the diagonal."""
    for start in range(0, n, STRIP):
        stop = min(start + STRIP, n)
        for i in range(0, start, 2):
            both(p, i, y, w, m, start, stop, out)
        for i in range(start, stop, 16):
            rows(p, i, m, y, w, m, start, stop, out)


@compiled
@no_type_check
def exponentials(s):
    """2^s in place, for a flat array of a multiple of eight entries."""
    for j in range(0, len(s), 8):
        store(s, j, exp2(load(s, j)))
