"""A compiled loop over many covariances, one after the other; loads numba, so import it
late.

The equations and the rules of ending are those of ``phases``, where they are explained.
"""

from math import exp, inf, log, sqrt
from typing import no_type_check

import numpy as np

from tfdynlib.summation._kernels import compiled


@compiled
@no_type_check
def rate(y, A, B, V, push, d, J, S, k):
    """dy/ds, written to k; the pull of attention is returned."""
    n = d * d
    size = exp(min(y[n], 600.0))
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
def follow(y, A, B, V, push, X, wall, d, t_end, rtol, most, a, b, e, k, J, S, z, out):
    """One covariance from y to its end; the code of what was met.

    ``out`` takes the time of a blow-up, the growth of l, and how much its maxima over
    the last half and the quarter before it differ.
    """
    n = d * d + 2
    first = y[n - 2]
    early, late, calm, since = -inf, -inf, inf, 0.0
    pull = rate(y, A, B, V, push, d, J, S, k[0])
    scale, slide = 1.0, 0.0
    for i in range(d):
        for j in range(d):
            slide += A[i, j] ** 2
    slide = 8.0 * sqrt(slide)
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
        if not error <= 1.0:
            h *= max(0.2, 0.9 * error**-0.2) if error < inf else 0.1
            continue
        for i in range(n):
            y[i] = z[i]
            k[0, i] = k[6, i]
        h *= min(5.0, 0.9 * error**-0.2) if error > 0 else 5.0
        t, now = y[n - 1], y[n - 2]
        if t > t_end / 2:
            late = max(late, now)
        elif t > t_end / 4:
            early = max(early, now)
        if pull > 0 and now - first > log(1e3):
            left = exp(-now) / (2.0 * pull)
            if left < 0.1 * rtol * t:
                out[0], out[1], out[2] = t + left, inf, inf
                return 3
        if push * exp(min(now, 600.0)) <= 10.0 * slide:
            calm = inf
        elif now < calm or now - calm > slide * (t - since):
            calm, since = now, t
        if now - calm > log(6.0):
            out[1], out[2] = now - first, inf
            return 2
        if wall > 0.0 and k[0, n - 2] < 0.0:
            reach = 0.0
            for i in range(d):
                for j in range(d):
                    x = 0.0
                    for m in range(d):
                        x += y[i * d + m] * y[j * d + m]
                    reach += X[i, j] * x
            if exp(now) * reach < wall:
                out[1], out[2] = now - first, -inf
                return 1
        still = abs(k[0, n - 2])  # W may turn while W W^T rests
        for i in range(d):
            for j in range(i + 1):
                x = 0.0
                for m in range(d):
                    x += k[0, i * d + m] * y[j * d + m] + k[0, j * d + m] * y[i * d + m]
                still = max(still, abs(x))
        if still < 10.0 * rtol * k[0, n - 1]:
            out[1], out[2] = now - first, 0.0
            return 0
        if t >= t_end:
            out[1], out[2] = now - first, late - early
            if abs(late - early) < 0.35:
                return 0
            return 1 if late < early else 2
    out[1], out[2] = y[n - 2] - first, 0.0
    return 4


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
