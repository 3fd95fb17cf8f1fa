"""Non-uniform Fourier transforms on the circle, by Taylor expansion around a grid.

With many more points than modes this beats the usual gridding kernels: a point touches
one cell, and the number of terms falls as cells are made small.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Complex, Float

Angles = Float[np.ndarray, " n"]
Spectrum = Complex[np.ndarray, "f m"]

# Points treated at a time; their work arrays stay in the cache.
BLOCK = 2**14
# A table of this many cells stays in the cache.
CELLS = 2**14
# Time that a cell costs in units of what a point costs, measured.
CELL_COST = 12


@lru_cache(maxsize=256)
def _plan(n: int, accuracy: float, size: int) -> tuple[int, int, float]:
    """Cells, Taylor terms and relative remainder for modes up to n; ``size`` is the
    base-2 logarithm of the number of points."""
    least = 4 * max(n, 4)
    plans: list[tuple[int, int, int, float]] = []
    cells = 1 << (least - 1).bit_length()
    while not plans or cells <= CELLS:
        reach = np.pi * n / cells  # largest phase inside half a cell
        terms, rest = 1, reach
        while rest > accuracy:
            terms += 1
            rest *= reach / terms
        plans.append((terms * (2**size + CELL_COST * cells), cells, terms, rest))
        cells *= 2
    _, cells, terms, rest = min(plans)
    return cells, terms, rest


def remainder(n: int, accuracy: float, points: int) -> float:
    """Relative error of one mode in the transforms below, at most ``accuracy``."""
    return _plan(n, accuracy, points.bit_length())[2]


def _cells(theta: Angles, cells: int) -> tuple[np.ndarray, Float[np.ndarray, " n"]]:
    """The cell of each angle, and where in the cell it is (-1/2 to 1/2)."""
    inside = theta * (cells / (2 * np.pi))
    nearest = np.rint(inside)
    inside -= nearest
    index = nearest.astype(np.intp)
    index &= cells - 1
    return index, inside


def coefficients(
    theta: Angles, mass: Float[np.ndarray, " n"], n: int, accuracy: float
) -> Complex[np.ndarray, " m"]:
    r"""Fourier coefficients :math:`c_k = \sum_j m_j e^{-ik\theta_j}`, k = 0 .. n.

    Around the centre of its cell, :math:`e^{-ik\theta}` is a Taylor polynomial of the
    offset; the moments of the offsets in each cell are counted, then transformed.
    """
    cells, terms, _ = _plan(n, accuracy, len(theta).bit_length())
    moments = np.zeros((terms, cells))
    for start in range(0, len(theta), BLOCK):
        part = slice(start, start + BLOCK)
        index, inside = _cells(theta[part], cells)
        weight = mass[part]
        for p in range(terms):
            if p:
                weight = weight * inside
            moments[p] += np.bincount(index, weight, cells)
    spectra = np.fft.rfft(moments, axis=1)[:, : n + 1]
    return np.einsum("pk,pk->k", _factors(-n, cells, terms), spectra)


def values(theta: Angles, c: Spectrum, accuracy: float) -> Float[np.ndarray, "f n"]:
    r"""Real functions :math:`c_0 + 2\,\mathrm{Re} \sum_{k>0} c_k e^{ik\theta}` at the
    angles, one for each row of c."""
    n = c.shape[1] - 1
    cells, terms, _ = _plan(n, accuracy, len(theta).bit_length())
    spectra = c[:, None, :] * _factors(n, cells, terms)
    table = np.fft.irfft(spectra, cells, axis=2, norm="forward")
    out = np.empty((len(c), len(theta)))
    for start in range(0, len(theta), BLOCK):
        part = slice(start, start + BLOCK)
        index, inside = _cells(theta[part], cells)
        for row, derivatives in zip(out, table):
            value = derivatives[-1].take(index)
            for derivative in derivatives[-2::-1]:
                value *= inside
                value += derivative.take(index)
            row[part] = value
    return out


@lru_cache(maxsize=32)
def _factors(n: int, cells: int, terms: int) -> Complex[np.ndarray, "p m"]:
    """Taylor factors (i k w)^p / p! of modes k = 0 .. n (of their conjugates if n < 0)
    for cells of width w."""
    step = np.sign(n) * 2j * np.pi / cells * np.arange(abs(n) + 1)
    powers = [np.ones(abs(n) + 1, complex)]
    for p in range(1, terms):
        powers.append(powers[-1] * step / p)
    return np.stack(powers)
