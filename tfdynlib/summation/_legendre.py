r"""Spherical harmonics on a grid of the two-sphere, and what coordinates do to them.

Coefficients ``a[m, l]`` belong to orthonormal harmonics with the phase
:math:`(-1)^m`; those of negative m follow, as functions are real.  The grid has
colatitudes i pi / n, i = 0 .. n, and longitudes j pi / n, j = 0 .. 2n - 1.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Complex, Float, Int

Coefficients = Complex[np.ndarray, "*f m l"]


@lru_cache(maxsize=2)
def table(L: int, n: int) -> Float[np.ndarray, "m l i"]:
    """Normalised associated Legendre functions at the colatitudes of the grid."""
    theta = np.pi / n * np.arange(n + 1)
    z, s = np.cos(theta), np.sin(theta)
    out = np.zeros((L + 1, L + 1, n + 1))
    out[0, 0] = np.sqrt(1 / (4 * np.pi))
    for l in range(1, L + 1):
        out[l, l] = -np.sqrt((2 * l + 1) / (2 * l)) * s * out[l - 1, l - 1]
        m = np.arange(l)
        up = 1 / _down(l, m)[:, None]
        out[:l, l] = up * z * out[:l, l - 1]
        if l > 1:
            out[: l - 1, l] -= (up[:-1] * _down(l - 1, m[:-1])[:, None]) * out[
                : l - 1, l - 2
            ]
    return out


def _down(l: int, m: Int[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """Weight of degree l - 1 in z Y_lm; that of l + 1 is the same at l + 1."""
    return np.sqrt((l * l - m * m) / (4.0 * l * l - 1))


def first_moments(a: Coefficients) -> Complex[np.ndarray, "4 k k"]:
    """Coefficients of the measures dmu, y_1 dmu, y_2 dmu and y_3 dmu, one degree fewer.

    A coordinate times a harmonic is a sum of harmonics of the neighbouring degrees.
    """
    size = len(a) - 1
    m, l = np.ogrid[:size, :size]
    wide = np.zeros((size + 2, size + 2), complex)  # orders -1 .., degrees -1 ..
    wide[1:, 1:] = a
    wide[0, 1:] = -a[1].conj()
    up, down = wide[:, 2:], wide[:, :-2]  # degree l + 1, degree l - 1
    inside = m <= l

    def root(product: np.ndarray, degree: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(product, 0) / np.abs(4.0 * degree**2 - 1)) * inside

    z = root((l + 1) ** 2 - m * m, l + 1) * up[1:-1]
    z += root(l * l - m * m, l) * down[1:-1]
    plus = root((l - m + 1) * (l - m + 2), l + 1) * up[:-2]
    plus -= root((l + m) * (l + m - 1), l) * down[:-2]
    minus = -root((l + m + 1) * (l + m + 2), l + 1) * up[2:]
    minus += root((l - m) * (l - m - 1), l) * down[2:]
    # plus: y_1 + i y_2, minus: y_1 - i y_2
    return np.stack([a[:-1, :-1] * inside, (plus + minus) / 2, (plus - minus) / 2j, z])
