r"""Transforms between scattered points of the two-sphere and its harmonics.

A function on the sphere is smooth and periodic in both angles once colatitudes run
around the whole circle.  So it is known by its Fourier coefficients there, and values
at scattered points are a non-uniform transform: that of ducc0 if it is installed, else
products of matrices of waves.
"""

import importlib
import importlib.util
from functools import lru_cache
from types import ModuleType

import numpy as np
from jaxtyping import Complex, Float

from tfdynlib.summation import _legendre
from tfdynlib.summation._moments import EPS

Points = Float[np.ndarray, "k 3"]
Located = Float[np.ndarray, "k _"]
Grids = Float[np.ndarray, "f i j"]

# Points treated at a time; their waves stay in the cache.
BLOCK = 2**11
# The finest that ducc0 is asked for; what it then loses is rounding.
FINEST = 1e-14
# Rounding of values, in units of the sum of the sizes of waves, and of coefficients, in
# units of the mass: measured.  (Angles are rounded besides, like exponents elsewhere.)
ROUNDING, COUNTING = 16 * EPS, 4 * EPS


@lru_cache(maxsize=1)
def installed() -> bool:
    """Whether there is the package ducc0; it is not loaded."""
    return importlib.util.find_spec("ducc0") is not None


def ducc() -> ModuleType | None:
    """The package ducc0, or None if it is not installed."""
    return importlib.import_module("ducc0") if installed() else None


def locate(x: Points) -> Located:
    """Unit vectors in the form that the transforms below want: for ducc0 colatitudes in
    [0, pi] and longitudes in [0, 2 pi]."""
    if ducc() is None:
        return x
    out = np.empty((len(x), 2))
    np.arctan2(np.hypot(x[:, 0], x[:, 1]), x[:, 2], out=out[:, 0])
    np.arctan2(x[:, 1], x[:, 0], out=out[:, 1])
    out[:, 1] += np.where(out[:, 1] < 0, 2 * np.pi, 0.0)
    return out


def wave_error(accuracy: float) -> float:
    """Error of one wave in values at points, when ``accuracy`` is asked."""
    return max(accuracy, ROUNDING)


def mass_error(accuracy: float) -> float:
    """Error of the coefficients of unit mass, when ``accuracy`` is asked."""
    return max(accuracy, COUNTING)


def analyse(
    where: Located, mass: Float[np.ndarray, " n"], L: int, accuracy: float
) -> Complex[np.ndarray, "m l"]:
    r"""Coefficients :math:`\sum_j m_j \overline{Y_{lm}(x_j)}` up to degree L."""
    package = ducc()
    if package is None:
        return _analyse_by_products(where, mass, L)
    a = package.sht.adjoint_synthesis_general(
        map=mass[None],
        spin=0,
        lmax=L,
        mstart=_starts(L),
        loc=where,
        epsilon=max(accuracy, FINEST),
        alm=np.zeros((1, (L + 1) ** 2), complex),
    )
    return a.reshape(L + 1, L + 1)


def on_grid(a: Complex[np.ndarray, "f m l"], n: int) -> Grids:
    """Values of the functions with coefficients a on the grid; n > L."""
    L = a.shape[1] - 1
    package = ducc()
    if package is None:
        V = _legendre.table(L, n)
        rings = np.matmul(a.transpose(1, 0, 2), V).transpose(1, 2, 0)
        return np.fft.irfft(rings, 2 * n, axis=2, norm="forward")
    out = np.empty((len(a), n + 1, 2 * n))
    for one, values in zip(a, out):
        package.sht.synthesis_2d(
            alm=one.reshape(1, -1),
            spin=0,
            lmax=L,
            mstart=_starts(L),
            geometry="CC",
            map=values[None],
        )
    return out


def _starts(L: int) -> np.ndarray:
    """Where the coefficients of each order start, had they a degree 0."""
    return (L + 1) * np.arange(L + 1, dtype=np.uint64)


def synthesise(
    a: Complex[np.ndarray, "f m l"], where: Located, accuracy: float
) -> tuple[Float[np.ndarray, "f k"], float]:
    r"""Values at points of functions with coefficients a, an even number of them, and a
    bound of their error (of the root of the sum of squares over functions).

    By the addition theorem the part of degree l is at most
    :math:`\sqrt{(2l+1)/4\pi}\, |a_l|`; waves of these sizes are summed.
    """
    L = a.shape[1] - 1
    power = 2 * (a.real**2 + a.imag**2).sum(axis=(0, 1)) - (a[:, 0].real ** 2).sum(0)
    size = np.sqrt((2 * np.arange(L + 1) + 1) / (4 * np.pi) * power).sum()
    package = ducc()
    if package is None or len(where) > 2 * L * L:  # measured
        values = _evaluate(on_grid(a, fast(L + 1)), where, accuracy)[0]
    else:
        values = np.empty((len(a), len(where)))
        for one, out in zip(a, values):
            package.sht.synthesis_general(
                alm=one.reshape(1, -1),
                spin=0,
                lmax=L,
                mstart=_starts(L),
                loc=where,
                epsilon=max(accuracy, FINEST),
                map=out[None],
            )
    return values, wave_error(accuracy) * float(size)


def evaluate(
    f: Grids, where: Located, accuracy: float
) -> tuple[Float[np.ndarray, "f k"], float]:
    """The same for functions known on the grid."""
    values, c = _evaluate(f, where, accuracy)
    size = np.linalg.norm(np.abs(c).sum(axis=(1, 2)))
    return values, wave_error(accuracy) * float(size)


def _evaluate(
    f: Grids, where: Located, accuracy: float
) -> tuple[Float[np.ndarray, "f k"], Complex[np.ndarray, "g w j"]]:
    """Values at points, and the Fourier coefficients of pairs of the functions."""
    c = _spectra(f[::2] + 1j * f[1::2])
    package = ducc()
    if package is None:
        return _evaluate_by_products(f, where), c
    pairs = package.nufft.u2nu(
        grid=c,
        coord=where,
        forward=False,
        epsilon=max(accuracy, FINEST),
        fft_order=True,
    )
    return np.stack([pairs.real, pairs.imag], axis=1).reshape(len(f), -1), c


def fast(n: int) -> int:
    """A number from n on that is fast to transform."""
    from scipy.fft import next_fast_len

    return int(next_fast_len(n))


def _spectra(f: Complex[np.ndarray, "f i j"]) -> Complex[np.ndarray, "f w j"]:
    """Fourier coefficients in both angles: over the pole and down the far side."""
    from scipy.fft import fft2

    n = f.shape[1] - 1
    far = np.roll(f[:, n - 1 : 0 : -1], n, axis=2)
    return fft2(np.concatenate([f, far], axis=1), norm="forward", overwrite_x=True)


# --- without ducc0 ------------------------------------------------------------------


def _waves(x: Points, n: int) -> tuple[Complex[np.ndarray, "m k"], ...]:
    """Waves e^{i k angle} of both angles, k = 0 .. n, without computing the angles."""
    across = np.hypot(x[:, 0], x[:, 1])
    around = np.divide(
        x[:, 0] + 1j * x[:, 1], across, out=np.ones(len(x), complex), where=across > 0
    )
    return _powers(x[:, 2] + 1j * across, n), _powers(around, n)


def _powers(u: Complex[np.ndarray, " k"], n: int) -> Complex[np.ndarray, "m k"]:
    """Powers 0 .. n of u, by doubling."""
    out = np.empty((n + 1, len(u)), complex)
    out[0] = 1
    done = 1
    while done <= n:
        more = min(done, n + 1 - done)
        np.multiply(out[:more], out[done - 1] * u, out=out[done : done + more])
        done += more
    return out


@lru_cache(maxsize=4)
def _series(n: int) -> Float[np.ndarray, "2 i k"]:
    """From values at the colatitudes to coefficients of cosines, and of sines."""
    k = np.arange(n + 1)
    ends = np.where(k % n, 1.0, 0.5)
    angle = np.pi / n * (np.outer(k, k) % (2 * n))
    return 2 / n * np.stack([np.outer(ends, ends) * np.cos(angle), np.sin(angle)])


def _analyse_by_products(
    x: Points, mass: Float[np.ndarray, " n"], L: int
) -> Complex[np.ndarray, "m l"]:
    n = L + 1
    waves = np.zeros((L + 1, n + 1), complex)
    for start in range(0, len(x), BLOCK):
        part = slice(start, start + BLOCK)
        down, around = _waves(x[part], n)
        around = around[: L + 1].conj() * mass[part]
        waves[::2] += _product(around[::2], down.real)
        waves[1::2] += _product(around[1::2], down.imag)
    cosines, sines = _series(n)
    waves[::2] = waves[::2] @ cosines.T
    waves[1::2] = waves[1::2] @ sines.T
    return np.matmul(_legendre.table(L, n), waves[:, :, None])[:, :, 0]


def _product(
    a: Complex[np.ndarray, "m k"], b: Float[np.ndarray, "n k"]
) -> Complex[np.ndarray, "m n"]:
    """a b^T for complex a and real b."""
    return a.real @ b.T + 1j * (a.imag @ b.T)


def _evaluate_by_products(f: Grids, x: Points) -> Float[np.ndarray, "f k"]:
    n = f.shape[1] - 1
    rings = np.fft.rfft(f, axis=2, norm="forward")
    rings[:, :, 1:n] *= 2
    cosines, sines = _series(n)
    even = _parts(rings[:, :, ::2], cosines)
    odd = _parts(rings[:, :, 1::2], sines)
    out = np.empty((len(f), len(x)))
    for start in range(0, len(x), BLOCK):
        part = slice(start, start + BLOCK)
        down, around = _waves(x[part], n)
        sides = np.concatenate([around.real, -around.imag]).reshape(2, n + 1, -1)
        out[:, part] = _meet(even @ down.real, sides[:, ::2])
        out[:, part] += _meet(odd @ down.imag, sides[:, 1::2])
    return out


def _parts(
    rings: Complex[np.ndarray, "f i m"], series: Float[np.ndarray, "k i"]
) -> Float[np.ndarray, "f 2 m k"]:
    """Real and imaginary parts of the series of each ring coefficient."""
    both = np.stack([rings.real, rings.imag], axis=1)
    return np.ascontiguousarray(both.transpose(0, 1, 3, 2)) @ series.T


def _meet(
    a: Float[np.ndarray, "f 2 m k"], b: Float[np.ndarray, "2 m k"]
) -> Float[np.ndarray, "f k"]:
    return np.einsum("fcmk,cmk->fk", a, b)
