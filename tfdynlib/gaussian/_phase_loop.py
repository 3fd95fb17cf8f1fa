"""A compiled loop over many covariances, one after the other; loads numba, so import it
late.

The equations and the rules of ending are those of ``phases``, where they are explained.
"""

from math import exp, inf, log, sqrt
from typing import no_type_check

import numpy as np

from tfdynlib.gaussian._phase_ends import (
    GOES_ON,
    blows_up,
    ended,
    lost,
    stretched,
    windows,
)
from tfdynlib.gaussian._phase_rules import BLOW_UP, HELD, LARGE, SLIDE, STILL, TOP
from tfdynlib.summation._kernels import compiled


@compiled
@no_type_check
def rate(y, A, B, V, push, d, J, S, k):
    """dy/ds, written to k; the pull of attention is returned."""
    n = d * d
    size = exp(min(y[n], TOP))
    clock = 1.0 / (1.0 + push * size)
    reach = size * clock
    for i in range(d):  # B W, then S = W^T B W
        for j in range(d):
            x = 0.0
            for m in range(d):
                x += B[i, m] * y[m * d + j]
            J[i, j] = x
    for i in range(d):
        for j in range(d):
            x = 0.0
            for m in range(d):
                x += y[m * d + i] * J[m, j]
            S[i, j] = x
    for i in range(d):  # W S
        for j in range(d):
            x = 0.0
            for m in range(d):
                x += y[i * d + m] * S[m, j]
            J[i, j] = x
    total = own = pull = 0.0
    for i in range(d):
        for j in range(d):
            x = z = 0.0
            for m in range(d):
                x += A[i, m] * y[m * d + j]
                z += V[i, m] * J[m, j]
            w = y[i * d + j]
            total += w * w
            own += w * x
            pull += w * z
            k[i * d + j] = clock * x + reach * z
    a = (clock * own + reach * pull) / total
    for i in range(n):
        k[i] -= a * y[i]
    k[n] = 2.0 * a
    k[n + 1] = clock
    return pull / total


@compiled
@no_type_check
def seen(X, y, d):
    """tr(X W W^T)."""
    reach = 0.0
    for i in range(d):
        for j in range(d):
            x = 0.0
            for m in range(d):
                x += y[i * d + m] * y[j * d + m]
            reach += X[i, j] * x
    return reach


@compiled
@no_type_check
def turn(k, y, d):
    """The largest rate of W W^T, which may rest while W turns."""
    still = 0.0
    for i in range(d):
        for j in range(i + 1):
            x = 0.0
            for m in range(d):
                x += k[0, i * d + m] * y[j * d + m] + k[0, j * d + m] * y[i * d + m]
            still = max(still, abs(x))
    return still


@compiled
@no_type_check
def follow(y, A, B, V, push, X, wall, d, t_end, rtol, most, a, b, e, k, J, S, z, out):
    """One covariance from y to its end; the code of what was met, as ``_phase_ends``
    tells it."""
    n = d * d + 2
    first = y[n - 2]
    early, late, calm, since = -inf, -inf, inf, 0.0
    pull = rate(y, A, B, V, push, d, J, S, k[0])
    scale, slide = 1.0, 0.0
    for i in range(d):
        for j in range(d):
            slide += A[i, j] ** 2
    slide = SLIDE * sqrt(slide)
    for i in range(n - 2):
        scale = max(scale, abs(k[0, i]))
    h = 0.05 / max(scale, abs(k[0, n - 2]))
    for _ in range(most):
        clock = k[0, n - 1]
        t = y[n - 1]
        h = min(h, min(t_end / 16, (t_end - t) * 1.01) / clock)
        for s in range(1, 7):
            for i in range(n):
                x = 0.0
                for m in range(s):
                    x += a[s, m] * k[m, i]
                z[i] = y[i] + h * x
            pull = rate(z, A, B, V, push, d, J, S, k[s])
        error = 0.0
        for i in range(n):
            x = 0.0
            for m in range(7):
                x += e[m] * k[m, i]
            x *= h / (rtol * (z[n - 1] if i == n - 1 else 1.0))
            error += x * x
        error = sqrt(error / n)
        h = stretched(h, error)
        if not error <= 1.0:
            continue
        for i in range(n):
            y[i] = z[i]
            k[0, i] = k[6, i]
        t, now = y[n - 1], y[n - 2]
        early, late = windows(t, now, t_end, early, late)
        if blows_up(t, now, first, pull, rtol, out):
            return BLOW_UP
        if push * exp(min(now, TOP)) <= LARGE * slide:
            calm = inf
        elif now < calm or now - calm > slide * (t - since):
            calm, since = now, t
        held = now - calm > log(HELD)
        small = False
        if wall > 0.0 and k[0, n - 2] < 0.0:
            small = exp(now) * seen(X, y, d) < wall
        rests = max(abs(k[0, n - 2]), turn(k, y, d)) < STILL * rtol * k[0, n - 1]
        code = ended(t, t_end, now - first, held, small, rests, early, late, out)
        if code != GOES_ON:
            return code
    return lost(y[n - 2] - first, out)


@compiled
@no_type_check
def run(y, A, B, V, push, X, wall, d, t_end, rtol, most, a, b, e, code, out):
    """Every covariance in turn."""
    n = d * d + 2
    k, z = np.empty((7, n)), np.empty(n)
    J, S = np.empty((d, d)), np.empty((d, d))
    for i in range(len(y)):
        code[i] = follow(
            y[i],
            A[i],
            B[i],
            V[i],
            push[i],
            X[i],
            wall[i],
            d,
            t_end,
            rtol,
            most,
            a,
            b,
            e,
            k,
            J,
            S,
            z,
            out[i],
        )
