"""The straight line through points, and the power law through positive ones."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check

# Half of a 95% interval of a normal law, in standard errors.
NORMAL = 1.959963984540054


@dataclass(frozen=True)
class Line:
    """A line ``level + slope x``; of logarithms if it came from ``power``.

    Attributes
    ----------
    slope, level
        The slope (the exponent of a power law), and the value at x = 0.
    standard_error
        Of the slope; inf where nothing is known of it.
    """

    slope: float
    level: float
    standard_error: float

    @property
    def half_width(self) -> float:
        """Half of the 95% interval of the slope."""
        return NORMAL * self.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the slope, as if errors were normal and their size known.

        It knows of chance only: a bend that is no chance may lie far outside.
        """
        return self.slope - self.half_width, self.slope + self.half_width

    def __str__(self) -> str:
        return f"{self.slope:.3f} ± {self.half_width:.3f}"


def line(x: ArrayLike, y: ArrayLike, error: ArrayLike | None = None) -> Line:
    r"""The line of least squares through (x, y).

    .. math:: b = \frac{\sum_k w_k (x_k - \bar x)\,y_k}{\sum_k w_k (x_k - \bar x)^2},
        \qquad \bar x = \frac{\sum_k w_k x_k}{\sum_k w_k}

    ``error`` are standard errors of y: then the weights are w = error^-2, and the
    standard error of the slope is theirs, carried on.  Without it all weigh the same,
    and the standard error is that of the scatter about the line (inf for two points).

    Raises ``ValueError`` for fewer than two different x, and errors that are not
    positive.
    """
    x, y = _check.array(x, "x", ndim=1), _check.array(y, "y", ndim=1)
    y = _check.shaped(y, "y", x.shape, ", one for each x")
    if len(np.unique(x)) < 2:
        raise _check.refuse("x", "of two different values or more", x)
    if error is None:
        return _line(x, y, np.ones(len(x)), None)
    error = _check.shaped(error, "error", x.shape, ", one for each x")
    if error.min() <= 0:
        raise _check.refuse("error", "positive", f"{error.min():g}")
    return _line(x, y, error.min() / error, error)


def power(x: ArrayLike, y: ArrayLike, error: ArrayLike | None = None) -> Line:
    """The power law through positive (x, y): the ``line`` of their logarithms.

    ``error`` are standard errors of y, which count by their size relative to y.
    """
    x, y = _check.array(x, "x", ndim=1), _check.array(y, "y", ndim=1)
    for name, values in (("x", x), ("y", y)):
        if values.size and values.min() <= 0:
            raise _check.refuse(name, "positive", f"{values.min():g}")
    relative = None if error is None else _check.shaped(error, "error", y.shape) / y
    return line(np.log(x), np.log(y), relative)


def _line(
    x: Float[np.ndarray, " k"],
    y: Float[np.ndarray, " k"],
    root: Float[np.ndarray, " k"],
    error: Float[np.ndarray, " k"] | None,
) -> Line:
    weight = root**2 / (root @ root)
    centre, mean = weight @ x, weight @ y
    along = weight * (x - centre) / (weight @ (x - centre) ** 2)
    slope = float(along @ (y - mean))
    level = float(mean - slope * centre)
    if error is None:
        free = len(x) - 2
        left = y - level - slope * x
        if not free:
            return Line(slope, level, np.inf)
        error = np.full(len(x), np.sqrt(left @ left / free))
    return Line(slope, level, float(np.linalg.norm(along * error)))
