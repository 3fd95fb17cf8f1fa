"""Numbers that tell how far the shape of a cloud is from a bell: each alone says
little, see ``bands`` for what a true Gaussian would have.
"""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from scipy import special

from tfdynlib import _check

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
# Eigenvalues of a covariance below this share of the largest are rounding of tokens in
# single precision, whose squares are good to 1e-13.
RANK = 1e-12

Tokens = Float[np.ndarray, "n d"]
Numbers = Float[np.ndarray, " s"]


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
    y = x - x.mean(axis=0)
    size = float(np.abs(y).max()) or 1.0
    out = _radius_spread(np.sum((y / size) ** 2, axis=1))
    if out is None:
        raise _check.refuse("x", "two different tokens or more", x)
    return out


def _columns(x: ArrayLike) -> Tokens:
    """x less the mean of each column, none of them constant."""
    x = _check.tokens(x)
    y = x - x.mean(axis=0)
    size = np.abs(x).max(axis=0)
    if not (np.abs(y).max(axis=0) > 64 * np.finfo(float).eps * size).all():
        raise _check.refuse("x", "without constant columns", x)
    return y


def _kurtosis(y: Tokens) -> Numbers:
    square = (y / np.abs(y).max(axis=0)) ** 2
    return np.mean(square**2, axis=0) / np.mean(square, axis=0) ** 2 - 3


def _line_w2(y: Tokens) -> Numbers:
    n = len(y)
    edge = special.ndtri(np.arange(1, n) / n)
    density = np.exp(-(edge**2) / 2) / np.sqrt(2 * np.pi)
    weight = -np.diff(np.concatenate([[0.0], density, [0.0]]))
    y = y / np.abs(y).max(axis=0)
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


def measure(y: Tokens, directions: Float[np.ndarray, "d m"], k: int) -> list[float]:
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
