"""The front door: values that pass come back, others are refused by name."""

import numpy as np
import pytest

from tfdynlib import _check


def test_good_values_come_back_as_they_are():
    assert _check.positive(2, "beta") == 2.0
    assert _check.count(np.int64(3), "n") == 3
    assert _check.one_of("rk4", ("euler", "rk4"), "method") == "rk4"
    x = np.eye(3)
    assert _check.tokens(x) is x
    assert _check.unit_rows(x) is x
    assert _check.symmetric(x, "D") is x
    t = np.array([0.0, 1.0, 4.0])
    assert _check.increasing(t) is t


def test_masses_default_to_uniform_and_lose_single_precision_dust():
    np.testing.assert_array_equal(_check.masses(None, 4), np.full(4, 0.25))
    thirds = np.full(3, 1 / 3, dtype=np.float32)
    # Divided by their sum: exact to double rounding.
    assert _check.masses(thirds, 3).sum() == pytest.approx(1, abs=1e-15)


def test_single_precision_rows_count_as_unit():
    x = np.array([[0.6, 0.8], [1.0, 0.0]], dtype=np.float32)
    assert _check.unit_rows(x).dtype == np.float64


REFUSALS = [
    (_check.positive, (0.0, "beta"), "beta must be positive and finite, got 0.0"),
    (_check.positive, (np.nan, "beta"), "beta must be positive and finite, got nan"),
    (_check.positive, (np.inf, "beta"), "beta must be positive and finite, got inf"),
    (_check.positive, ("x", "beta"), "beta must be a number, got 'x'"),
    (_check.count, (2.5, "n"), "n must be an integer, got 2.5"),
    (_check.count, (True, "n"), "n must be an integer, got True"),
    (_check.count, (0, "n"), "n must be 1 or more, got 0"),
    (_check.one_of, ("a", ("b", "c"), "rule"), "rule must be one of 'b', 'c', got 'a'"),
    (_check.array, ([1, np.nan], "x"), "x must be finite, got an array with nan"),
    (_check.array, ([[1], [1, 2]], "x"), "x must be an array of real numbers"),
    (_check.array, ([1j], "x"), "x must be an array of real numbers"),
    (_check.tokens, (np.ones(3),), "x must be an array of 2 axes, got an array of sh"),
    (_check.tokens, (np.ones((0, 3)),), "x must be at least one token"),
    (_check.unit_rows, ([[3, 4]],), "x must be on the sphere .* a row of norm 5"),
    (_check.square, (np.ones((2, 3)), "B"), "B must be square"),
    (_check.symmetric, ([[0, 1], [0, 0]], "D"), "D must be symmetric"),
    (_check.increasing, ([0, 1, 1, 2],), "t must be strictly increasing, got 1 and t"),
    (_check.increasing, ([0],), "t must be two times or more"),
    (_check.masses, ([0.5, 0.6], 2), "mass must be masses that sum to 1, got a sum"),
    (_check.masses, ([-0.5, 1.5], 2), "mass must be zero or positive"),
    (_check.masses, ([1.0], 2), r"mass must be of shape \(2\), one for each"),
    (_check.cloud, (np.eye(2), 3, None), r"x must be of shape \(any, 3\), the dimens"),
]


@pytest.mark.parametrize(("check", "arguments", "message"), REFUSALS)
def test_refusals_name_the_argument_what_is_wanted_and_what_came(
    check, arguments, message
):
    with pytest.raises(ValueError, match=f"^{message}"):
        check(*arguments)
