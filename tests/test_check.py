"""The front door: values that pass come back, others are refused by name."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tfdynlib import _check, flow, sphere


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
    (_check.positive, ("2", "beta"), "beta must be a number, got '2'"),
    (_check.positive, (True, "beta"), "beta must be a number, got True"),
    (_check.since, (None, "t"), "t must be a number, got None"),
    (_check.time, (np.arange(2), "t"), "t must be a number, got "),
    (_check.time, (np.inf, "t"), "t must be finite, got inf"),
    (_check.array, (np.ma.masked_less([1, 2], 2), "x"), "x must be without a mask"),
    (
        _check.pair,
        (np.eye(2), 1e300 * np.eye(2), ("x", "v")),
        "v must be of entries up to 1e.150, got 1e.300",
    ),
    (_check.count, (2.5, "n"), "n must be an integer, got 2.5"),
    (_check.count, (True, "n"), "n must be an integer, got True"),
    (_check.count, (0, "n"), "n must be 1 or more, got 0"),
    (_check.one_of, ("a", ("b", "c"), "rule"), "rule must be one of 'b', 'c', got 'a'"),
    (_check.array, ([1, np.nan], "x"), "x must be finite, got an array with nan"),
    (_check.array, ([[1], [1, 2]], "x"), "x must be an array of real numbers"),
    (_check.array, ([1j], "x"), "x must be an array of real numbers"),
    (_check.array, (np.eye(2) + 0j, "x"), "x must be an array of real numbers"),
    (_check.array, ("abc", "x"), "x must be an array of real numbers"),
    (_check.tokens, ([[1e300, 0]],), "x must be of entries up to 1e.150, got 1e.300"),
    (_check.pair, (np.ones(2), np.ones(3), ("x", "y")), "y must be points of a shape"),
    (_check.pair, (np.eye(2), np.ones((3, 2)), ("x", "y")), "y must be points of a sh"),
    (_check.dimension, (np.eye(2),), "heads must be made by weights.Heads, got ndarr"),
    (_check.generator, (0,), "rng must be a np.random.Generator .*, got int"),
    (_check.function, (3, "field", "a function"), "field must be a function, got int"),
    (_check.tokens, (np.ones(3),), "x must be an array of 2 axes, got an array of sh"),
    (_check.tokens, (np.ones((0, 3)),), "x must be at least one token"),
    (_check.unit_rows, ([[3, 4]],), "x must be on the sphere .* a row of norm 5"),
    (_check.square, (np.ones((2, 3)), "B"), "B must be square"),
    (_check.symmetric, ([[0, 1], [0, 0]], "D"), "D must be symmetric"),
    (_check.increasing, ([0, 1, 1, 2],), "t must be strictly increasing, got 1 and t"),
    (_check.increasing, ([0],), "t must be two times or more"),
    (_check.masses, ([0.5, 0.6], 2), "mass must be masses that sum to 1, got a sum"),
    (_check.masses, ([-0.5, 1.5], 2), "mass must be zero or positive"),
    (_check.masses, ([1.0], 2), r"mass must be of shape \(2,\), one for each"),
    (_check.masses, ([0, 0], 2, "mass", True), "mass must be masses with a positive s"),
    (_check.cloud, (np.eye(2), 3, None), r"x must be of shape \(any, 3\), the dimens"),
]


@pytest.mark.parametrize(("check", "arguments", "message"), REFUSALS)
def test_refusals_name_the_argument_what_is_wanted_and_what_came(
    check, arguments, message
):
    with pytest.raises(ValueError, match=f"^{message}"):
        check(*arguments)


STRANGERS = Path(__file__).with_name("strangers.py")


def test_a_stranger_is_told_what_is_wanted():
    # A fresh interpreter: here the types of arguments are checked before the package
    # sees them, a reader's mistake meets the package itself.
    command = [sys.executable, "-W", "error", str(STRANGERS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) > 20
    form = re.compile(r"[^:]+: ValueError: \w[\w().]* must be .*, got ")
    assert [line for line in lines if not form.match(line)] == []
    # Where the table says which argument is wrong, the first word of the refusal is it.
    named = re.compile(r".* \[(\w+)\]: ValueError: (?!\1 must)")
    assert [line for line in lines if named.match(line)] == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", flow.METHODS)
@pytest.mark.parametrize("size", [1e200, 1e308])
def test_a_field_near_the_largest_double_ends_with_a_label(method, size):
    def field(t, x):
        return size * x[:, ::-1] * [-1, 1]

    run = flow.solve(field, np.eye(2), [0, 0.5, 1], method)
    assert run.status in ("done", "not finite", "step too small")
    assert np.isfinite(run.x).all()


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200, 1.7e308])
def test_retraction_of_any_length_has_norm_one(size):
    x = sphere.retract(np.array([[size, 0.0], [size, size]]))
    # Subnormal numbers have few digits, but these two components are equal.
    np.testing.assert_allclose(x, [[1, 0], [0.5**0.5, 0.5**0.5]], rtol=1e-15)
