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
from scipy import linalg, special

from tfdynlib import _check, sphere

STATISTICS = (
    "kurtosis",
    "worst_kurtosis",
    "sliced_w2",
    "principal_kurtosis",
    "principal_w2",
    "mardia_skewness",
    "mardia_kurtosis",
    "radius_spread",
)
LINES = 64
PRINCIPAL = 8
REPETITIONS = 199
LEVEL = 0.95
# Eigenvalues of a covariance below this share of the largest are rounding of tokens in
# single precision, whose squares are good to 1e-13.
RANK = 1e-12

Tokens = Float[np.ndarray, "n d"]
Numbers = Float[np.ndarray, " s"]


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


def excess_kurtosis(x: ArrayLike) -> Numbers:
    r""":math:`\overline{(x-\bar x)^4}\,/\,\overline{(x-\bar x)^2}^{\,2} - 3` of each
    column of x, (n, m).

    Raises ``ValueError`` for a column that is constant.
    """
    return _kurtosis(_columns(x))


def line_w2(x: ArrayLike) -> Numbers:
    r""":math:`W_2` from each column of x to the Gaussian of its mean and variance, in
    units of its standard deviation.

    Exact: with the sorted standardised column z and the standard normal density
    :math:`\varphi` at the quantiles :math:`q_i=\Phi^{-1}(i/n)`,

    .. math:: W_2^2 = 2 - 2\sum_i z_{(i)}\,(\varphi(q_{i-1})-\varphi(q_i)).

    Raises ``ValueError`` for a column that is constant.
    """
    return _line_w2(_columns(x))


def mardia(x: ArrayLike) -> tuple[float, float]:
    r"""Mardia's skewness and kurtosis of a cloud, (n, d).

    .. math::
        b_1 = \frac1{n^2}\sum_{ij}\bigl(y_i^\top S^{-1}y_j\bigr)^3,\qquad
        b_2 = \frac1n\sum_i\bigl(y_i^\top S^{-1}y_i\bigr)^2,

    y the centred tokens, S their covariance (divided by n).  For a Gaussian
    :math:`\mathbb E\,b_2=d(d+2)(n-1)/(n+1)` and :math:`n b_1/6` is nearly chi squared
    with d(d+1)(d+2)/6 degrees of freedom :cite:p:`mardia1970measures`.

    Raises ``ValueError`` if S is singular, which it always is for n <= d: look at fewer
    directions then, as ``gaussianity`` does.
    """
    x = _check.tokens(x)
    n, d = x.shape
    advice = "; project it on fewer directions, as gaussianity does"
    if n <= d:
        wanted = f"of more tokens than dimensions, or S is singular{advice}"
        raise _check.refuse("x", wanted, x)
    y = x - x.mean(axis=0)
    value, frame = np.linalg.eigh(y.T @ y / n)
    if not value[0] > RANK * value[-1]:
        raise _check.refuse("x", f"a cloud that fills all {d} directions{advice}", x)
    return _mardia(y @ frame / np.sqrt(value))


def radius_spread(x: ArrayLike) -> float:
    r"""Standard deviation over mean of the distances :math:`|x_i-\bar x|`.

    About :math:`1/\sqrt{2d}` for a round Gaussian in many dimensions: it is nearly a
    sphere, so a normalisation changes it little.
    """
    x = _check.tokens(x)
    out = _radius_spread(np.sum((x - x.mean(axis=0)) ** 2, axis=1))
    if out is None:
        raise _check.refuse("x", "two different tokens or more", x)
    return out


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
    trace, square = float(np.trace(cov)), float(np.sum(cov**2))
    sizes = (float(np.linalg.norm(mean)), trace, trace**2 / square if rank else 0.0)
    if rank == 0:
        return Law(layer, n, d, 0, *sizes, "one point", {}, mean, cov)
    width, k = np.sqrt(value[full]), min(principal, rank)
    directions = sphere.uniform(lines, rank, rng).T if rank > 1 else np.ones((1, 1))
    found = _measure(y @ frame[:, full], directions, k)
    nulls = np.array(
        [_measure(_same_moments(n, width, rng), directions, k) for _ in range(reps)]
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


def _columns(x: ArrayLike) -> Tokens:
    """x less the mean of each column, none of them constant."""
    x = _check.tokens(x)
    y = x - x.mean(axis=0)
    size = np.abs(x).max(axis=0)
    if not (np.abs(y).max(axis=0) > 64 * np.finfo(float).eps * size).all():
        raise _check.refuse("x", "without constant columns", x)
    return y


def _kurtosis(y: Tokens) -> Numbers:
    square = y**2
    return np.mean(square**2, axis=0) / np.mean(square, axis=0) ** 2 - 3


def _line_w2(y: Tokens) -> Numbers:
    n = len(y)
    edge = special.ndtri(np.arange(1, n) / n)
    density = np.exp(-(edge**2) / 2) / np.sqrt(2 * np.pi)
    weight = -np.diff(np.concatenate([[0.0], density, [0.0]]))
    deviation = np.sqrt(np.mean(y**2, axis=0))
    fit = weight @ np.sort(y, axis=0) / deviation
    return np.sqrt(np.maximum(2 - 2 * fit, 0.0))


def _mardia(z: Tokens) -> tuple[float, float]:
    """Of a cloud with covariance I: the third moments tell the skewness."""
    n, k = z.shape
    pairs = (z[:, :, None] * z[:, None, :]).reshape(n, k * k)
    third = pairs.T @ z / n
    return float(np.sum(third**2)), float(np.mean(np.sum(z**2, axis=1) ** 2))


def _radius_spread(square: Numbers) -> float | None:
    radius = np.sqrt(square)
    mean = radius.mean()
    return float(radius.std() / mean) if mean > 0 else None


def _measure(y: Tokens, directions: Float[np.ndarray, "d m"], k: int) -> list[float]:
    """STATISTICS of a centred cloud in its principal frame, the widest last."""
    on_lines, widest = y @ directions, y[:, -k:]
    kurtosis, principal = _kurtosis(on_lines), _kurtosis(widest)
    skew, kurt = _mardia(widest / np.sqrt(np.mean(widest**2, axis=0)))
    radius = _radius_spread(np.sum(y**2, axis=1))
    return [
        float(kurtosis.mean()),
        float(kurtosis[np.argmax(np.abs(kurtosis))]),
        float(np.sqrt(np.mean(_line_w2(on_lines) ** 2))),
        float(principal.mean()),
        float(np.sqrt(np.mean(_line_w2(widest) ** 2))),
        skew,
        kurt,
        radius if radius is not None else 0.0,
    ]
