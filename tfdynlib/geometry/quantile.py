"""A density on the circle by its quantile function."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float

from tfdynlib import _check, _circle
from tfdynlib._measure import Measure

Labels = Float[np.ndarray, "_"]
Modes = Complex[np.ndarray, "_"]

# Samples of a density, and of its quantile function.
SAMPLES = 2048
# Fourier modes below this part of the largest are rounding.
ROUNDING = 4e-16


@dataclass(frozen=True, eq=False, repr=False)
class Quantile:
    r"""A density on the circle, by its lifted quantile function.

    .. math:: X(u) = 2\pi u + \mathrm{Re} \sum_{k \ge 0} c_k e^{2\pi i k u}

    is the angle below which (from some start) the mass u lies; :math:`X(u + 1) =
    X(u) + 2\pi`.  The density at X(u) is 1 / X'(u).

    Attributes
    ----------
    modes
        The Fourier coefficients c_k, copied; they cannot be written into.
    """

    modes: Modes

    def __post_init__(self) -> None:
        wanted = "a vector of finite complex numbers, at least one"
        try:
            modes = np.array(self.modes, dtype=complex)
        except (TypeError, ValueError, OverflowError):
            raise _check.refuse("modes", wanted, type(self.modes).__name__) from None
        if modes.ndim != 1 or len(modes) == 0 or not np.isfinite(modes).all():
            raise _check.refuse("modes", wanted, modes)
        modes.flags.writeable = False
        object.__setattr__(self, "modes", modes)
        slope = self.slope(np.linspace(0, 1, 4 * max(len(self.modes), 64)))
        if not slope.min() > 0:
            raise _check.refuse(
                "mu",
                "sampled densely enough for an increasing quantile function",
                f"a slope of {slope.min():.3g}",
            )

    @classmethod
    def of_density(
        cls, density: Callable[[Labels], Labels], samples: int = SAMPLES
    ) -> "Quantile":
        """From a smooth positive function of the angle (an array in, an array out);
        it is divided by its integral.  Raises ``ValueError`` if it is not positive."""
        n = _check.count(samples, "samples", 16)
        _check.function(density, "density", "a function of the angle")
        angle = 2 * np.pi * np.arange(n) / n
        rho = _check.shaped(density(angle), "density", (n,))
        rho = _check.bounded(rho, "density")
        if not rho.min() > 0:
            raise _check.refuse("density", "positive", f"{rho.min():.3g}")
        rate = _trim(np.fft.rfft(rho / rho.mean()) / n)
        return cls(_invert(rate, n))

    @classmethod
    def of_nodes(cls, mu: Measure) -> "Quantile":
        r"""From n equal atoms at the levels :math:`u_i = (i - \frac12)/n` of a smooth
        density, by trigonometric interpolation of :math:`X(u) - 2\pi u`."""
        _check.instance(mu, Measure, "mu", "a Measure (see measure.Measure)")
        if mu.x.shape[1] != 2 or np.ptp(mu.mass):
            raise _check.refuse("mu", "of equal atoms on the circle", mu)
        x = _check.unit_rows(mu.x, "mu.x")
        return cls(_interpolate(np.sort(np.arctan2(x[:, 1], x[:, 0]))))

    def __call__(self, u: Labels) -> Labels:
        """The angles X(u)."""
        u = _check.array(u, "u", ndim=1)
        return 2 * np.pi * u + np.real(self._waves(u) @ self.modes)

    def slope(self, u: Labels) -> Labels:
        """The derivative X'(u)."""
        u = _check.array(u, "u", ndim=1)
        k = np.arange(len(self.modes))
        return 2 * np.pi - np.imag(self._waves(u) @ (2 * np.pi * k * self.modes))

    def _waves(self, u: Labels) -> Complex[np.ndarray, "_ _"]:
        return np.exp(2j * np.pi * np.outer(u, np.arange(len(self.modes))))

    def nodes(self, n: int) -> Measure:
        """n equal atoms at the levels (i - 1/2) / n."""
        angle = self((np.arange(_check.count(n, "n")) + 0.5) / n)
        return Measure(_circle.points(angle))

    def __repr__(self) -> str:
        return f"Quantile({len(self.modes)} Fourier modes)"


def _trim(modes: Modes) -> Modes:
    """The modes up to the last that is not rounding."""
    size = np.abs(modes)
    return modes[: np.flatnonzero(size > ROUNDING * size.max())[-1] + 1]


def _interpolate(x: Labels) -> Modes:
    """Modes of the function through the values x at the levels (i - 1/2) / n."""
    n = len(x)
    u = (np.arange(n) + 0.5) / n
    modes = np.fft.rfft(x - 2 * np.pi * u) / n
    modes *= np.exp(-1j * np.pi * np.arange(len(modes)) / n)
    last = len(modes) if n % 2 else -1
    modes[1:last] *= 2
    return _trim(modes) if np.abs(modes).max() > 0 else modes[:1]


def _invert(rate: Modes, n: int) -> Modes:
    """Modes of the quantile function of the density with modes ``rate``, mean 1.

    Newton's method, kept in the bracket that the values on a grid give.
    """
    k = np.arange(1, len(rate))
    wave = 2 * rate[1:] / (2j * np.pi * k)
    start = np.real(wave.sum())

    def mass_below(x: Labels) -> Labels:
        waves = np.exp(1j * np.outer(x, k))
        return x / (2 * np.pi) + np.real(waves @ wave) - start

    def density(x: Labels) -> Labels:
        waves = np.exp(1j * np.outer(x, k))
        return (1 + 2 * np.real(waves @ rate[1:])) / (2 * np.pi)

    u = (np.arange(n) + 0.5) / n
    grid = 2 * np.pi * np.arange(n + 1) / n
    level = mass_below(grid)
    cell = np.clip(np.searchsorted(level, u) - 1, 0, n - 1)
    low, high = grid[cell], grid[cell + 1]
    x = low + (high - low) * (u - level[cell]) / (level[cell + 1] - level[cell])
    for _ in range(8):
        x = np.clip(x - (mass_below(x) - u) / density(x), low, high)
    return _interpolate(x)
