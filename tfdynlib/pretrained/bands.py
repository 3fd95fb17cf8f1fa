r"""Is a cloud Gaussian?  Statistics, and for each the band of true Gaussian samples.

A number without its null band says nothing: 256 samples of a true Gaussian have excess
kurtosis anywhere between -0.5 and 0.7, and one-dimensional :math:`W_2` about 0.1.  So
every statistic comes with what the same code finds in samples of the Gaussian with the
same moments and as many tokens.

Random lines are a weak test in high dimension: projections of nearly every cloud on
most lines are close to Gaussian :cite:p:`diaconis1984asymptotics`.  The principal
directions, where the cloud is widest, are tested besides.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as default

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from scipy import linalg

from tfdynlib import _check, sphere
from tfdynlib.pretrained.shape import RANK, STATISTICS, Numbers, Tokens, measure

LINES = 64
PRINCIPAL = 8
REPETITIONS = 199
LEVEL = 0.95


@dataclass(frozen=True)
class Band:
    """A statistic, and the same in Gaussian samples of the same size.

    Attributes
    ----------
    value
        Of the cloud.
    low, high
        The middle 95% (or another level) of the Gaussian samples.
    centre, spread
        Their mean and standard deviation.
    """

    value: float
    low: float
    high: float
    centre: float
    spread: float

    @property
    def inside(self) -> bool:
        """Whether a Gaussian could have done it: the value lies in the band."""
        return self.low <= self.value <= self.high

    @property
    def deviations(self) -> float:
        """How many standard deviations from the mean of the samples; 0 if both are
        equal, infinite if the samples have no spread."""
        gap = self.value - self.centre
        if self.spread > 0:
            return gap / self.spread
        return 0.0 if gap == 0 else float(np.copysign(np.inf, gap))

    def __repr__(self) -> str:
        where = "inside" if self.inside else "outside"
        return f"{self.value:.4g} ({where} {self.low:.4g} to {self.high:.4g})"


@dataclass(frozen=True, repr=False)
class Law:
    """The moments of a cloud of tokens, and how far from Gaussian it is.

    Attributes
    ----------
    layer
        Layers before it; 0 is the input.
    n, d, rank
        Tokens, dimension, and how many directions the cloud fills.
    mean_norm, trace
        Length of the mean, and trace of the covariance (which divides by n).
    effective_rank
        tr(cov)^2 / tr(cov^2): how many directions share the variance.
    status
        ``"measured"``, or why nothing was: ``"one point"`` if all tokens are one.
    bands
        ``STATISTICS``, each with its null band; empty if nothing was measured.
    mean, cov
        The moments, (d,) and (d, d); None in a stored run.
    """

    layer: int
    n: int
    d: int
    rank: int
    mean_norm: float
    trace: float
    effective_rank: float
    status: str
    bands: Mapping[str, Band] = default(default_factory=dict)
    mean: Float[np.ndarray, " d"] | None = None
    cov: Float[np.ndarray, "d d"] | None = None

    @property
    def inside(self) -> int:
        """How many statistics lie in their bands."""
        return sum(b.inside for b in self.bands.values())

    def __repr__(self) -> str:
        return (
            f"Law(layer {self.layer}: {self.n} tokens in R^{self.d}, trace "
            f"{self.trace:.4g}, {self.inside} of {len(self.bands)} statistics inside)"
        )


def null_band(
    statistic: Callable[[Tokens], float],
    n: int,
    d: int,
    rng: np.random.Generator,
    reps: int = REPETITIONS,
    level: float = LEVEL,
) -> tuple[float, float]:
    """The middle ``level`` of a statistic over ``reps`` samples of n standard Gaussian
    tokens in R^d.  ``statistic`` takes (n, d) and gives a number."""
    _check.function(statistic, "statistic", "a function of tokens (n, d)")
    n, d, rng = _check.count(n, "n"), _check.count(d, "d"), _check.generator(rng)
    reps, level = _check.count(reps, "reps"), _share(level)
    found = [
        _check.number(statistic(rng.standard_normal((n, d))), "statistic")
        for _ in range(reps)
    ]
    low, high = np.quantile(found, _ends(level), method="weibull")
    return float(low), float(high)


def gaussianity(
    x: ArrayLike,
    rng: np.random.Generator,
    reps: int = REPETITIONS,
    level: float = LEVEL,
    lines: int = LINES,
    principal: int = PRINCIPAL,
    layer: int = 0,
) -> Law:
    """Moments of a cloud and its distance from Gaussian, each with its null band.

    ``kurtosis``, ``worst_kurtosis``
        Mean of the excess kurtosis on ``lines`` random lines, and the one of largest
        absolute value.
    ``sliced_w2``
        Root mean square over these lines of ``line_w2``: sliced W2 to the
        moment-matched Gaussian, each line in units of its own standard deviation.
    ``principal_kurtosis``, ``principal_w2``
        The same on the ``principal`` widest directions.
    ``mardia_skewness``, ``mardia_kurtosis``
        Of the projection on these directions (in all d the covariance is singular
        unless n > d, and poor unless n is much larger).
    ``radius_spread``
        Of all d coordinates.

    The band is that of ``reps`` samples of n Gaussian tokens whose sample mean and
    covariance are exactly those of x: the law of Gaussian samples given their moments,
    which no longer depends on the unknown true ones :cite:p:`lindqvist2005monte`.  So
    the level is exact for every n and d.  (Samples from the Gaussian with the
    covariance of x would not do: with n near d it has a wider spectrum than the true
    one, and even a Gaussian x would look too regular.)  Random, through ``rng`` alone.

    Raises ``ValueError`` for fewer than ``principal`` + 2 tokens.
    """
    x, rng = _check.tokens(x), _check.generator(rng)
    reps, level = _check.count(reps, "reps"), _share(level)
    lines = _check.count(lines, "lines")
    principal = _check.count(principal, "principal")
    layer = _check.count(layer, "layer", 0)
    n, d = x.shape
    if n < principal + 2:
        raise _check.refuse("x", f"{principal + 2} tokens or more", x)
    mean = x.mean(axis=0)
    y = x - mean
    cov = y.T @ y / n
    value, frame = np.linalg.eigh(cov)
    # A point is a cloud no wider than the rounding of its coordinates.
    least = (64 * np.finfo(float).eps * max(1e-150, float(np.abs(x).max()))) ** 2
    full = value > max(RANK * value[-1], least)
    rank = int(full.sum())
    trace = float(np.trace(cov))
    share = float(np.linalg.norm(cov / (trace or 1.0)))
    sizes = (float(np.linalg.norm(mean)), trace, share**-2 if rank else 0.0)
    if rank == 0:
        return Law(layer, n, d, 0, *sizes, "one point", {}, mean, cov)
    width, k = np.sqrt(value[full]), min(principal, rank)
    directions = sphere.uniform(lines, rank, rng).T if rank > 1 else np.ones((1, 1))
    found = measure(y @ frame[:, full], directions, k)
    nulls = np.array(
        [measure(_same_moments(n, width, rng), directions, k) for _ in range(reps)]
    )
    low, high = np.quantile(nulls, _ends(level), axis=0, method="weibull")
    parts = zip(found, low, high, nulls.mean(axis=0), nulls.std(axis=0))
    bands = {name: Band(*map(float, p)) for name, p in zip(STATISTICS, parts)}
    return Law(layer, n, d, rank, *sizes, "measured", bands, mean, cov)


def laws(
    states: Sequence[ArrayLike] | Iterable[ArrayLike],
    rng: np.random.Generator,
    reps: int = REPETITIONS,
) -> list[Law]:
    """``gaussianity`` of the tokens at every depth; ``states`` as ``states`` gives."""
    _check.instance(states, Iterable, "states", "a sequence of tokens (n, d)")
    if isinstance(states, np.ndarray) and states.ndim < 3:
        raise _check.refuse("states", "a sequence of tokens (n, d)", states)
    return [gaussianity(x, rng, reps, layer=k) for k, x in enumerate(states)]


def gaussian_like(x: ArrayLike, n: int, rng: np.random.Generator) -> Tokens:
    """n tokens of the Gaussian with mean and covariance of the cloud x."""
    x, n, rng = _check.tokens(x), _check.count(n, "n"), _check.generator(rng)
    mean = x.mean(axis=0)
    y = x - mean
    value, frame = np.linalg.eigh(y.T @ y / len(x))
    width = np.sqrt(np.maximum(value, 0.0))
    return mean + (rng.standard_normal((n, len(mean))) * width) @ frame.T


def _same_moments(n: int, width: Numbers, rng: np.random.Generator) -> Tokens:
    """n Gaussian tokens given that their mean is 0 and their covariance diagonal, with
    these standard deviations: columns that are orthonormal, uniform among all such."""
    z = rng.standard_normal((n, len(width)))
    z -= z.mean(axis=0)
    lower = np.linalg.cholesky(z.T @ z / n)
    return linalg.solve_triangular(lower, z.T, lower=True).T * width


def _share(level: float) -> float:
    out = _check.positive(level, "level")
    if out >= 1:
        raise _check.refuse("level", "below 1", level)
    return out


def _ends(level: float) -> list[float]:
    return [(1 - level) / 2, (1 + level) / 2]
