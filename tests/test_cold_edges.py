"""Low temperature at the edges: numbers that leave the doubles, matrices that are
singular or repeat themselves, and arguments that do not fit."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from tfdynlib import cbo, metastability, sphere
from tfdynlib.measure import Measure
from tfdynlib.metastability import Limit
from tfdynlib.weights import Heads

I2, I3 = np.eye(2), np.eye(3)
LINE = Heads(I3, np.diag([2.0, 1.0, 0.5]))
X = sphere.uniform(6, 3, np.random.default_rng(0))


@pytest.fixture(autouse=True)
def nothing_is_said():
    """No warning of NumPy on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# --- numbers that leave the doubles -------------------------------------------------


@pytest.mark.parametrize("d", [2, 4, 50])
def test_the_part_that_a_token_sees_is_a_number_at_any_beta(d):
    beta = np.geomspace(1e-3, 1e140, 300)
    part = metastability.effective_fraction(d, beta)
    assert np.isfinite(part).all() and (np.diff(part) <= 1e-14).all()
    two = metastability.effective_fraction(2, [0.999e8, 1.001e8])
    # Two formulas meet at 1e8; the law is beta^{-1/2} there.
    assert two[0] / two[1] == pytest.approx((1.001 / 0.999) ** 0.5, rel=1e-8)
    three = metastability.effective_fraction(3, beta)
    np.testing.assert_allclose(three, np.tanh(beta) / beta, rtol=1e-12)


def test_a_dwell_time_is_infinite_only_beyond_the_doubles():
    """At gap 2 the time is near e^{beta (1 - cos 2)}: the logarithm grows evenly."""
    beta = np.array([300.0, 400.0, 490.0])
    log = np.log([metastability.dwell_time(2.0, b) for b in beta])
    slope = 1 - np.cos(2.0)  # up to a factor 1/beta before the exponential
    np.testing.assert_allclose(np.diff(log + np.log(beta)), slope * np.diff(beta), 1e-4)
    for b in (505.0, 1e6, 1e12):
        assert metastability.dwell_time(2.0, b) == np.inf
    # What counts is beta gap^2: in this scale only the last digits know of beta.
    scaled = [metastability.dwell_time(g, 1 / g**2, g / 10) for g in (1e-3, 1e-6)]
    assert scaled[0] == pytest.approx(scaled[1], rel=1e-6)


@given(gap=st.floats(0.2, 3.1), beta=st.floats(0.1, 200), p=st.floats(1e-12, 0.5))
def test_two_clusters_wait_alike_whichever_is_called_the_first(gap, beta, p):
    one = metastability.dwell_time(gap, beta, 0.1, p)
    two = metastability.dwell_time(gap, beta, 0.1, 1 - p)
    assert one == pytest.approx(two, rel=1e-3 if p < 1e-9 else 1e-6)
    assert one <= metastability.dwell_time(gap, beta, 0.1, 0.5) * (1 + 1e-9)


def test_an_axis_counts_by_its_direction_whatever_its_length():
    unit = metastability.tilted(3, 4, 0.5, [1.0, 1.0, 0.0])
    for length in (1e-200, 1e200):
        long = metastability.tilted(3, 4, 0.5, [length, length, 0.0])
        np.testing.assert_allclose(long.mass, unit.mass)


def test_a_bound_beyond_the_doubles_is_infinite():
    assert metastability.concentration_bound(10.0, 1e6) == np.inf
    beta, t = np.array([[10.0], [100.0]]), np.arange(6.0)
    fit = metastability.fit_bound(beta, t, metastability.concentration_bound(beta, t))
    assert fit.bound(10.0, 1e9) == np.inf


# --- the clock at zero temperature --------------------------------------------------


@pytest.mark.unchecked
def test_once_tokens_rest_times_are_as_long_as_you_like():
    cold = metastability.zero_temperature(X, LINE, [1e300, 1e6])
    np.testing.assert_allclose(cold, [Limit.of(LINE).project(X)] * 2, atol=1e-14)
    turning = Heads(I2, [[0.0, 1.0], [-1.0, 0.0]])
    with pytest.raises(ValueError, match="^t must be shorter for this M and B"):
        metastability.zero_temperature(I2, turning, 1e12)


@pytest.mark.unchecked
def test_a_saddle_is_no_rest():
    """A part of 1e-20 in the dominant space grows like e^t: half way at 46.05."""
    start = np.array([[1e-20, 0.0, 1.0]])
    heads, t = Heads(I3, np.diag([2.0, 1, 1])), np.array([10.0, 46.05, 80.0])
    x = metastability.zero_temperature(start, heads, t)[:, 0, 0]
    np.testing.assert_allclose(x, 1 / np.hypot(1, np.exp(20 * np.log(10) - t)))


@pytest.mark.parametrize(
    ("least", "allowed"), [(0.3, 1e-11), (0.01, 1e-11), (1e-5, 1e-7)]
)
def test_the_clock_is_right_where_a_token_passes_what_b_takes_away(least, allowed):
    """B all but takes away the diagonal, on the way from near e_2 to e_1."""
    R = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)
    B = R @ np.diag([least, 1.0]) @ R
    heads = Heads(B, np.diag([2.0, 1.0]) @ np.linalg.inv(B))
    x0 = sphere.retract(np.array([[0.05, 1.0]]))
    x = metastability.zero_temperature(x0, heads, [1.5, 2.5, 3.5])[:, 0]
    tau = np.log(x[:, 0] / x[:, 1] * x0[0, 1] / x0[0, 0])

    def speed(s):
        y = x0[0] * np.exp([2 * s, s])
        return np.linalg.norm(B @ y) / np.linalg.norm(y)

    kink = [np.log(20.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own estimate is below what doubles have
        clock = [
            quad(speed, 0, s, points=kink, epsabs=1e-13, limit=500)[0] for s in tau
        ]
    assert tau[-1] > kink[0]
    np.testing.assert_allclose(clock, [1.5, 2.5, 3.5], atol=allowed)


# --- degenerate matrices and densities ----------------------------------------------


def test_without_scores_there_is_no_rate():
    limit = Limit.of(Heads(np.zeros((3, 3)), I3))
    assert limit.rate == limit.distance_rate == 0.0
    assert not any(c.holds for c in limit.assumptions(Measure(X))[:2])


def test_a_density_is_asked_everywhere_that_it_is_needed():
    limit, mu = Limit.of(LINE), Measure(X)
    check = limit.assumptions(mu, lambda x: 0 * x[:, 0])[3]
    assert check.holds is False and check.margin == 0.0

    def broken(x):
        return np.where(len(x) == len(X), 1.0, np.nan) * np.ones(len(x))

    with pytest.raises(ValueError, match=r"^density\(x\) must be finite"):
        limit.assumptions(mu, broken)


@pytest.mark.unchecked
@pytest.mark.parametrize("beta", [1.0, 1e3, 1e6])
def test_where_a_pair_comes_does_not_depend_on_beta(beta):
    """On the orbit of the linear flow, where <x, Bx> vanishes first."""
    B, V, x0 = np.diag([2.0, -0.5]), np.diag([1.0, 2.0]), [np.cos(0.3), np.sin(0.3)]
    end = metastability.end_of_pair(x0, Heads(B, V, beta))
    assert end.kind == "rest"
    np.testing.assert_allclose(end.x, np.array([1.0, 2.0]) / 5**0.5, atol=1e-5)


@pytest.mark.unchecked
def test_a_pair_that_has_come_nowhere_is_still_turning():
    slow = metastability.end_of_pair(X[0], Heads(np.diag([2, -0.5, 1]), LINE.V, 1e-9))
    assert slow.kind == "turning" and "speed" in slow.why
    x = np.array([1.0, 0.0])
    end = metastability.end_of_pair(x, Heads(I2, np.diag([2.0, 1.0])))
    assert end.kind == "poles" and not np.shares_memory(end.x, x)


@pytest.mark.unchecked
@pytest.mark.parametrize("seed", range(8))
def test_a_complex_pair_of_eigenvalues_turns_tokens_only_if_scores_stay_positive(seed):
    rng = np.random.default_rng(seed)
    skew, B = rng.uniform(0.5, 2), rng.standard_normal((2, 2))
    heads = Heads(B, [[0.3, skew], [-skew, 0.3]], 5.0)
    least = np.linalg.eigvalsh(B + B.T)[0]
    predicted = metastability.predicted_end(heads).kind
    assert predicted == ("turning" if least > 0 else "rest")
    if abs(least) > 0.1:  # else it takes long
        found = metastability.end_of_pair(sphere.uniform(1, 2, rng), heads, 60.0).kind
        negative = np.linalg.eigvalsh(B + B.T)[1] < 0
        assert found == ("turning" if negative else predicted)


def test_a_jordan_block_has_one_eigenvector():
    block = Heads(I2, [[1.0, 1.0], [0.0, 1.0]])
    end = metastability.predicted_end(block)
    assert end.kind == "poles"
    np.testing.assert_allclose(np.abs(end.x), [1, 0], atol=1e-12)


def test_a_pole_that_v_turns_is_left_as_soon_as_it_is_seen():
    """Exits of 160 angles, beta = 160 and 320, V e_1 = (1, .3): 0.82 for each e-fold,
    with a second term it would be 1.5."""
    V = np.array([[1.0, 0.0], [0.3, 2.0]])
    B = np.linalg.inv(V) @ np.diag([2.0, 1.0])
    slope = metastability.exit_slope(Heads(B, V))
    assert slope == pytest.approx(np.linalg.norm(B[:, 0]) / 2)
    assert slope == pytest.approx((6.424 - 5.854) / np.log(2), rel=0.25)


# --- refusals -----------------------------------------------------------------------


def test_an_objective_may_not_write_into_the_tokens():
    def writes(x, y):
        x[:], y[:] = 0, 0
        return np.zeros((len(x), len(y)))

    x = X.copy()
    cbo.polarised_mean(x, writes, 1.0)
    np.testing.assert_array_equal(x, X)


def test_a_difference_beyond_the_doubles_is_a_weight_of_nothing():
    high = np.array([-1e308] + [1e308] * 5)
    found = cbo.consensus(X, lambda x: high, 1.0)
    np.testing.assert_allclose(found, X[0], rtol=1e-15)


FLAT = Measure(I2)
REFUSED = {
    "t must be of a shape that fits (2,)": lambda: metastability.concentration_bound(
        [1.0, 2.0], [1.0, 2.0, 3.0]
    ),
    "t must be zero or positive, got -1": lambda: metastability.fit_bound(
        [[1.0], [2.0]], [0.0, 1, 2], [[3.0, 2, 1]] * 2
    ).bound(1.0, -1.0),
    "beta must be positive, got 0": lambda: metastability.concentration_bound(0, 1),
    "beta must be positive, got none": lambda: metastability.concentration_bound([], 1),
    "beta must be of entries up to": lambda: metastability.effective_fraction(3, 1e200),
    "counts must be whole numbers": lambda: metastability.plateaus([0, 1], [1.5, 2]),
    "mu.x must be of shape (any, 3)": lambda: metastability.distance_to_limit(
        FLAT, Limit.of(LINE), Measure(X)
    ),
    "start.x must be of shape (any, 3)": lambda: metastability.distance_to_limit(
        Measure(X), Limit.of(LINE), FLAT
    ),
    "heads must be such that <e_1, B e_1> > 0": lambda: metastability.exit_slope(
        Heads(np.diag([-2.0, 0.5]), np.diag([-1.0, 2.0]))
    ),
    "x must be of shape (any, 3)": lambda: cbo.polarised_mean(
        I2, cbo.attention_objective(LINE), 1.0
    ),
    "objective(x) must be real numbers": lambda: cbo.consensus(
        X, lambda x: 1j * x[:, 0], 1.0
    ),
    "alpha must be such that alpha S0 H": lambda: cbo.gaussian_mean(0, 1, 1, 1e200),
}


@pytest.mark.parametrize("words", REFUSED)
def test_refusals(words):
    with pytest.raises(ValueError) as error:
        REFUSED[words]()
    assert str(error.value).startswith(words)
