r"""Ornstein-Uhlenbeck matrices: samples of a path, and its law; used by ``weights``.

.. math:: dD = (\bar D - D)\, dt + g\, dW, \qquad W = (Z + Z^\top) / 2

with Z a matrix of independent Brownian motions.  In coordinates that are orthonormal
for the Frobenius product W is a standard Brownian motion of p = d (d + 1) / 2
dimensions: variance t on the diagonal, t / 2 off it.
"""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number

Stack = Float[np.ndarray, "H d d"]

# Below this step the variance of what the two integrals do not share is a series.
SHORT = 0.05
# Nodes of an integral over the whole line whose ends fall like e^{-|s|}.
LOG_NODES = np.linspace(-38, 38, 609)


@dataclass(frozen=True, repr=False)
class Sample:
    r"""What was drawn: D at times t, and the noise :math:`g\int dW` between them."""

    t: Float[np.ndarray, " m"]
    D: Float[np.ndarray, "m H d d"]
    noise: Float[np.ndarray, "m-1 H d d"]

    def __repr__(self) -> str:
        m, H, d, _ = self.D.shape
        return f"Sample({H} heads on R^{d} at {m} times to {self.t[-1]:g})"

    def at(self, t: float) -> Stack:
        """D at t, along the chord between two samples."""
        k = int(np.searchsorted(self.t, t, side="right")) - 1
        k = min(max(k, 0), len(self.t) - 2)
        share = (t - self.t[k]) / (self.t[k + 1] - self.t[k])
        return (1 - share) * self.D[k] + share * self.D[k + 1]

    def thin(self, k: int) -> "Sample":
        """Every k-th sample, with the noise in between summed."""
        starts = np.arange(0, len(self.noise), k)
        noise = np.add.reduceat(self.noise, starts, axis=0)
        return Sample(self.t[::k], self.D[::k], noise)


def covariance(h: Float[np.ndarray, " m"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Variances of :math:`\int_0^h e^{-(h-s)} dW` and W(h), and their covariance."""
    return -np.expm1(-2 * h) / 2, h, -np.expm1(-h)


def draw(
    h: Float[np.ndarray, " m"], H: int, d: int, rng: np.random.Generator
) -> tuple[Float[np.ndarray, "m H d d"], Float[np.ndarray, "m H d d"]]:
    r"""Joint samples of :math:`\int_0^h e^{-(h-s)} dW` and :math:`\int_0^h dW`, both
    symmetric.  A full matrix is drawn and symmetrised: a mirrored triangle would double
    the variance off the diagonal."""
    Z = rng.standard_normal((len(h), 2, H, d, d))
    first, second = np.moveaxis((Z + Z.swapaxes(-1, -2)) / 2, 1, 0)
    faded, _, both = (c[:, None, None, None] for c in covariance(h))
    own = np.sqrt(_unshared(h))[:, None, None, None]
    return np.sqrt(faded) * first, both / np.sqrt(faded) * first + own * second


def _unshared(h: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """h - 2 tanh(h / 2): variance of W(h) given the other integral."""
    small = np.minimum(h, SHORT)
    series = small**3 * (1 / 12 - small**2 / 120 + 17 * small**4 / 20160)
    return np.where(h < SHORT, series, h - 2 * np.tanh(h / 2))


def sample(
    D0: Stack,
    t: Float[np.ndarray, " m"],
    rng: np.random.Generator,
    noise_var: float,
    mean: Float[np.ndarray, "d d"],
    exact: bool,
) -> Sample:
    """A path from D0 at t[0]: exact transitions, or Euler-Maruyama steps.

    Both see the same Brownian motion if the seed is the same.
    """
    h = np.diff(t)
    faded, plain = draw(h, len(D0), D0.shape[-1], rng)
    g = np.sqrt(noise_var)
    keep, shake = (np.exp(-h), faded) if exact else (1 - h, plain)
    D = [D0]
    for k in range(len(h)):
        D.append(mean + keep[k] * (D[-1] - mean) + g * shake[k])
        if not np.abs(D[-1]).max() <= _check.LARGEST:
            wanted = f"such that the sample stays below {_check.LARGEST:g}"
            came = f"{np.abs(D[-1]).max():g} at {t[k + 1]:g}"
            raise _check.refuse("t, noise_var", wanted, came)
    return Sample(t.copy(), np.stack(D), g * plain)


@dataclass(frozen=True, repr=False)
class Law:
    r"""The law of one noisy head that starts at D0: a Gaussian at every time.

    The mean is :math:`M_t = \bar D + e^{-t}(D_0 - \bar D)`; around it every
    Frobenius-orthonormal coordinate has the variance
    :math:`\sigma_t^2 = \tfrac{g^2}{2}(1 - e^{-2t})`, that is :math:`\sigma_t^2` on the
    diagonal and half of it off.  A stack of D0 is as many laws, weighed by ``mass``.
    Made by ``weights.ornstein_uhlenbeck_law``.
    """

    D0: Stack
    noise_var: float
    target: Float[np.ndarray, "d d"]
    mass: Float[np.ndarray, " H"] = field(repr=False)

    def __repr__(self) -> str:
        H, d, _ = self.D0.shape
        return f"Law({H} starts in Sym({d}), noise_var={self.noise_var:g})"

    def mean(self, t: Number) -> Stack:
        """Means at time t >= 0; ``inf`` is the stationary law."""
        t = _check.since(t, "t")
        return self.target + np.exp(-t) * (self.D0 - self.target)

    def variance(self, t: Number) -> float:
        """Variance of an entry of the diagonal at time t >= 0."""
        t = _check.since(t, "t")
        return float(-np.expm1(-2 * t) * self.noise_var / 2)

    def length(self, p: int = 2, t0: Number = 0.0, t1: Number = np.inf) -> float:
        r"""Length of the path of the law between t0 and t1, in :math:`W_p`, p = 1 or 2.

        For p = 2, with s = e^{-t}, a the distance of D0 from the target and p
        coordinates,

        .. math:: \int \sqrt{a^2 + p\,\tfrac{g^2}{2} \tfrac{s^2}{1 - s^2}}\; ds .

        For p = 1 the speed is the mean of :math:`|M' + \sigma' Z|`, Z standard normal:
        the velocity points away from one centre, so its direction is the gradient of a
        distance, and Kantorovich's bound is attained.  Finite also for t1 = ``inf``.
        Several starts: the mass-weighted p-mean of the speeds, an upper bound.
        """
        if _check.count(p, "p") > 2:
            raise _check.refuse("p", "1 or 2", p)
        t0, t1 = _check.since(t0, "t0"), _check.since(t1, "t1")
        if t1 < t0:
            raise _check.refuse("t1", f"{t0:g} or later", t1)
        # s = sin(u) takes the root out of the end s = 1.
        u0, u1 = np.arcsin(np.exp(-t1)), np.arcsin(np.exp(-t0))
        node, weight = np.polynomial.legendre.leggauss(200)
        u = u0 + (u1 - u0) * (node + 1) / 2
        d = self.D0.shape[-1]
        size = d * (d + 1) // 2
        a = np.linalg.norm(self.D0 - self.target, axis=(1, 2))[:, None] * np.cos(u)
        b = np.sqrt(self.noise_var / 2) * np.sin(u)
        speed = np.sqrt(a**2 + size * b**2) if p == 2 else _mean_norm(a, b, size)
        mixed = (self.mass @ speed**p) ** (1 / p)
        return float(mixed @ weight * (u1 - u0) / 2)


def _mean_norm(
    a: Float[np.ndarray, "H m"], b: Float[np.ndarray, " m"], size: int
) -> Float[np.ndarray, "H m"]:
    r"""E |a e + b Z| for Z standard normal in R^size: the mean of a noncentral chi.

    With S the square and s = log y,

    .. math:: E\sqrt S = \frac{1}{\sqrt\pi} \int \bigl(1 - E e^{-y^2 S}\bigr) e^{-s} ds

    by the trapezoidal rule, which converges geometrically here.
    """
    scale = np.sqrt(a**2 + size * b**2)
    unit = np.where(scale > 0, scale, 1.0)
    square, twice = ((c / unit)[..., None] ** 2 for c in (a, np.sqrt(2) * b))
    t = np.exp(2 * LOG_NODES)
    log_mean = -size / 2 * np.log1p(twice * t) - square * t / (1 + twice * t)
    total = -np.expm1(log_mean) @ np.exp(-LOG_NODES)
    return scale * total * (LOG_NODES[1] - LOG_NODES[0]) / np.sqrt(np.pi)
