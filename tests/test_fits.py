"""Lines and power laws through points, and the interval of their slope."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tfdynlib import fits

X = np.array([1.0, 2.0, 4.0, 5.0, 9.0])


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_a_line_and_a_power_law_are_found_again(slope, level):
    line = fits.line(X, level + slope * X)
    assert (line.slope, line.level) == pytest.approx((slope, level), abs=1e-12)
    power = fits.power(X, np.exp(level) * X**slope)
    assert (power.slope, power.level) == pytest.approx((slope, level), abs=1e-12)


def test_the_error_from_scatter_is_that_of_scipy():
    y = X + np.random.default_rng(0).standard_normal(5)
    found, known = fits.line(X, y), stats.linregress(X, y)
    assert found.standard_error == pytest.approx(known.stderr, rel=1e-12)
    low, high = found.interval
    assert (low + high) / 2 == pytest.approx(known.slope)
    assert fits.line(X[:2], y[:2]).standard_error == np.inf


def test_known_errors_are_carried_on_and_cover_the_slope():
    rng, error = np.random.default_rng(1), np.array([0.1, 0.2, 0.1, 0.5, 0.3])
    lines = [
        fits.line(X, 2 * X + error * rng.standard_normal(5), error) for _ in range(800)
    ]
    slopes = np.array([line.slope for line in lines])
    # A standard deviation of 800 draws is good to 2.5 %; 95 % to 0.8 %.
    assert slopes.std() == pytest.approx(lines[0].standard_error, rel=0.1)
    inside = [a <= 2 <= b for a, b in (line.interval for line in lines)]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)
    assert str(lines[0]).count("±") == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: fits.line([1, 1], [1, 2]), "^x must be of two different"),
        (lambda: fits.line(X, X[:2]), "^y must be of shape"),
        (lambda: fits.line(X, X, 0 * X), "^error must be positive"),
        (lambda: fits.power(-X, X), "^x must be positive"),
        (lambda: fits.power(X, 0 * X), "^y must be positive"),
    ],
)
def test_refusals(call, said):
    with pytest.raises(ValueError, match=said):
        call()
