"""Integration: the sphere is kept, orders of convergence, closed forms, early stops."""

import io
import subprocess
import sys
from contextlib import redirect_stderr

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfdynlib import _progress, attention, flow, sphere, weights
from tfdynlib.weights import Heads, WeightPath

seeds = st.integers(0, 2**32 - 1)
methods = st.sampled_from(flow.METHODS)
# A flow is a thousand times as dear as a velocity.
few = settings(max_examples=6)

I2, I3 = np.eye(2), np.eye(3)
PAIR = np.eye(2)  # two tokens at a right angle
DESCENT = attention.field(Heads.descent(I2))
# MATHS of two tokens, B = I, V = -I, beta = 1: gaps at t = 1, 2, 5 from pi/2.
GAPS = [2.00945119, 2.29860672, 2.75592607]


def gap(x):
    return sphere.distance(x[..., 0, :], x[..., 1, :])


def decay(t, x):
    return -x


def turn(t, x):
    return x @ np.array([[0.0, 1.0], [-1.0, 0.0]])


# --- laws -------------------------------------------------------------------------


@few
@given(seed=seeds, method=methods)
def test_every_output_has_unit_norm(tokens, random_heads, seed, method):
    field = attention.field(random_heads(seed))
    t = np.array([0, 0.1, 0.35, 0.4, 1.0])
    run = flow.solve(field, tokens(seed), t, method, rtol=1e-4, atol=1e-4)
    assert run.status == "done"
    np.testing.assert_array_equal(run.t, t)
    np.testing.assert_allclose(np.linalg.norm(run.x, axis=2), 1, atol=1e-15 * 4)


@pytest.mark.unchecked
@few
@given(seed=seeds)
def test_a_flow_in_two_parts_is_the_flow(tokens, random_heads, seed):
    field, x0 = attention.field(random_heads(seed)), tokens(seed)
    whole = flow.solve(field, x0, [0, 0.7, 1.5]).x
    second = flow.solve(field, whole[1], [0.7, 1.5]).x
    # Two tolerances of 1e-8, amplified by the flow.
    np.testing.assert_allclose(second[1], whole[2], atol=1e-6)


@pytest.mark.unchecked
@few
@given(seed=seeds)
def test_a_flow_can_be_undone(tokens, random_heads, seed):
    field, x0 = attention.field(random_heads(seed)), tokens(seed)
    there = flow.solve(field, x0, [0, 0.5], "dop853", rtol=1e-10, atol=1e-11).x[-1]
    back = flow.solve(
        lambda t, x: -field(-t, x),
        there,
        [-0.5, 0],
        "dop853",
        rtol=1e-10,
        atol=1e-11,
    ).x[-1]
    np.testing.assert_allclose(back, x0, atol=1e-8)


@few
@given(seed=seeds, method=methods)
def test_equal_tokens_stay_equal(tokens, random_heads, seed, method):
    x0 = tokens(seed, n=4)[[0, 1, 1, 2, 3]]
    run = flow.solve(attention.field(random_heads(seed)), x0, [0, 0.5, 1], method)
    np.testing.assert_array_equal(run.x[:, 1], run.x[:, 2])


def test_output_times_do_not_set_the_accuracy_of_an_adaptive_method(tokens):
    field = attention.field(Heads(I3, I3, 4.0))
    few = flow.solve(field, tokens(0), [0, 3])
    many = flow.solve(field, tokens(0), np.linspace(0, 3, 200))
    assert few.n_evaluations == many.n_evaluations
    np.testing.assert_array_equal(few.x[-1], many.x[-1])


def test_one_step_for_each_interval_of_a_fixed_method(tokens):
    field = attention.field(Heads(I3, I3))
    for method, stages in (("euler", 1), ("rk4", 4)):
        run = flow.solve(field, tokens(0), np.linspace(0, 1, 11), method)
        assert run.n_evaluations == 10 * stages


def test_rk4_is_the_step_of_the_page(tokens):
    """The page repeats these lines: every stage retracted, then the sum."""
    f, x, h, R = attention.field(Heads(I3, I3, 4.0)), tokens(3), 0.1, sphere.retract
    k1 = f(0, x)
    k2 = f(h / 2, R(x + h / 2 * k1))
    k3 = f(h / 2, R(x + h / 2 * k2))
    k4 = f(h, R(x + h * k3))
    expected = R(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    run = flow.solve(f, x, [0, h], "rk4")
    np.testing.assert_allclose(run.x[1], expected, atol=1e-16 * 4)


LONG_RUN = """
import numpy as np
from tfdynlib import flow
turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
m = 100_000
run = flow.solve(lambda t, x: x @ turn, np.eye(2), np.linspace(0, 100, m + 1), "euler")
lag = m * np.arctan(100 / m)
print(np.abs(np.linalg.norm(run.x, axis=2) - 1).max())
print(np.abs(run.x[-1, 0] - [np.cos(lag), np.sin(lag)]).max())
"""


def test_a_hundred_thousand_steps_stay_on_the_sphere():
    """Each Euler step turns by arctan(h), not by h.  In a process of its own, since the
    checks of shapes that tests switch on would take most of the time."""
    call = [sys.executable, "-W", "error", "-c", LONG_RUN]
    out = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    norm, place = map(float, out.split())
    assert norm < 1e-12
    assert place < 1e-10  # 1e5 roundings, in one direction at worst


def test_single_precision_is_promoted_and_input_is_not_written_into(tokens):
    x0 = tokens(0).astype(np.float32)
    kept = x0.copy()
    run = flow.solve(attention.field(Heads(I3, I3)), x0, [0, 1])
    assert run.x.dtype == np.float64
    np.testing.assert_array_equal(x0, kept)
    np.testing.assert_allclose(np.linalg.norm(run.x, axis=2), 1, atol=1e-15)
    flat = flow.solve(decay, kept, [0, 1], space="euclidean")
    assert flat.x.dtype == np.float64 and not np.shares_memory(flat.x, kept)


# --- order of convergence ---------------------------------------------------------


def end_error(method, steps):
    """Error of the gap of the descending pair at t = 1, from a tight reference."""
    fine = flow.solve(DESCENT, PAIR, [0, 1], "dop853", rtol=1e-13, atol=1e-14)
    run = flow.solve(DESCENT, PAIR, np.linspace(0, 1, steps + 1), method)
    return abs(gap(run.x[-1]) - gap(fine.x[-1]))


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("rk4", 4)])
def test_error_falls_with_the_order_of_the_method(method, order):
    coarse, fine = end_error(method, 16), end_error(method, 32)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.15)


@pytest.mark.unchecked
@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_error_follows_the_tolerance(method):
    """Error per unit tolerance stays within a band over six decades of rtol."""
    exact = flow.solve(DESCENT, PAIR, [0, 5], "dop853", rtol=1e-13, atol=1e-14)
    ratio = []
    for rtol in (1e-5, 1e-7, 1e-9, 1e-11):
        t = np.linspace(0, 5, 23)  # outputs between the steps as well
        run = flow.solve(DESCENT, PAIR, t, method, rtol=rtol, atol=rtol)
        error = abs(gap(run.x[-1]) - gap(exact.x[-1]))
        ratio.append(error / rtol)
    assert max(ratio) < 50
    assert ratio[-1] > 1e-4  # it is the tolerance that limits, not rounding


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_states_between_the_steps_are_as_accurate_as_the_steps(method):
    t = np.linspace(0, 5, 400)
    run = flow.solve(DESCENT, PAIR, t, method)
    fine = flow.solve(DESCENT, PAIR, t, "dop853", rtol=1e-12, atol=1e-13)
    assert np.abs(run.x - fine.x).max() < 3e-7  # thirty tolerances
    assert run.n_evaluations < 200


def test_rk4_keeps_its_order_across_a_jump_of_the_weights(tokens):
    """A step that ends at a break must not see the weights behind it."""
    path = weights.layers([Heads(I3, I3, 2.0), Heads(I3, -2 * I3, 1.0)], [0, 0.5, 1])
    field, x0 = attention.field(path), tokens(5)

    def end(steps):
        return flow.solve(field, x0, np.linspace(0, 1, steps + 1), "rk4").x[-1]

    fine = flow.solve(field, x0, [0, 1], "dop853", rtol=1e-12, atol=1e-13).x[-1]
    first, second = (np.abs(end(steps) - fine).max() for steps in (8, 16))
    assert np.log2(first / second) == pytest.approx(4, abs=0.4)


# --- reference values -------------------------------------------------------------


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_two_tokens_descend_to_the_printed_gaps(method):
    run = flow.solve(DESCENT, PAIR, [0, 1, 2, 5], method)
    np.testing.assert_allclose(gap(run.x[1:]), GAPS, atol=1e-8)


@pytest.mark.parametrize(
    ("beta", "gaps"),
    [(1.0, [0.95306, 0.41774, 0.02158]), (4.0, [1.53203, 1.48640, 1.26959])],
)
def test_two_tokens_ascend_to_the_gaps_of_the_page(beta, gaps):
    run = flow.solve(attention.field(Heads(I2, I2, beta)), PAIR, [0, 1, 2, 5])
    np.testing.assert_allclose(gap(run.x[1:]), gaps, atol=5e-6)


@pytest.mark.parametrize(
    ("layers", "error"), [(6, -0.03298), (12, -0.01588), (24, -0.00780), (48, -0.00387)]
)
def test_layers_as_euler_steps_have_the_errors_of_the_page(layers, error):
    t = np.linspace(0, 1, layers + 1)
    run = flow.solve(decay, np.ones((1, 1)), t, "euler", space="euclidean")
    assert run.x[-1, 0, 0] - np.exp(-1) == pytest.approx(error, abs=5e-6)


def test_pre_norm_is_slower_than_post_norm_on_the_same_orbit():
    V = np.diag([1.0, 0.0])
    x0 = np.array([[1.0, 1.0]]) / np.sqrt(2)
    post = flow.solve(lambda t, x: sphere.project(x, x @ V), x0, [0, 1, 5])
    pre = flow.solve(
        lambda t, x: sphere.retract(x) @ V, x0, [0, 1, 5, 20], space="euclidean"
    )
    for run, degrees in ((post, [20.20, 0.386]), (pre, [24.71, 7.43, 1.986])):
        angle = np.rad2deg(np.arctan2(run.x[1:, 0, 1], run.x[1:, 0, 0]))
        np.testing.assert_allclose(angle, degrees, atol=5e-3)


def test_weights_that_move_with_time_reach_the_periodic_law():
    """dD/dt = T(t) - D with T = [[2 + 1.5 cos t, sin 2t], [., 2 - 1.5 cos t]]."""

    def D(t):
        a, b = 0.75 * (np.cos(t) + np.sin(t)), (np.sin(2 * t) - 2 * np.cos(2 * t)) / 5
        return np.array([[2 + a, b], [b, 2 - a]])

    def rate(t, D):
        T = [[2 + 1.5 * np.cos(t), np.sin(2 * t)], [np.sin(2 * t), 2 - 1.5 * np.cos(t)]]
        return np.array(T) - D

    run = flow.solve(rate, D(0), [0, 0.7, 2 * np.pi], space="euclidean")
    expected = [[3.05679491, 0.12910309], [0.12910309, 0.94320509]]
    np.testing.assert_allclose(run.x[1], expected, atol=1e-7)
    np.testing.assert_allclose(D(0.7), expected, atol=5e-9)
    np.testing.assert_allclose(run.x[2], D(0), atol=1e-7)
    t = 2 * np.pi * np.arange(2000) / 2000  # periodic: the mean is spectral
    speed = [np.linalg.norm(rate(s, D(s))) for s in t]
    assert 2 * np.pi * np.mean(speed) == pytest.approx(8.4227427, abs=1e-6)

    path = WeightPath(
        lambda t: Heads.descent(D(t)),
        lambda t: (rate(t, D(t))[None], -rate(t, D(t))[None]),
        H=1,
        d=2,
    )
    loose = {"rtol": 1e-6, "atol": 1e-6}
    field = attention.field(path)
    moved = flow.solve(field, PAIR, [0, 2 * np.pi, 4 * np.pi], **loose)
    again = flow.solve(field, moved.x[1], [0, 2 * np.pi], **loose)
    np.testing.assert_allclose(again.x[1], moved.x[2], atol=1e-4)


# --- events -----------------------------------------------------------------------


@pytest.mark.parametrize("method", flow.METHODS)
def test_a_terminal_event_ends_the_flow_at_its_time(method):
    field = attention.field(Heads(I2, I2))
    event = flow.Event(lambda t, x: gap(x) - 1.0, terminal=True)
    t = np.linspace(0, 5, 501)
    run = flow.solve(field, PAIR, t, method, events=[event])
    assert run.status == "event"
    assert run.t[-1] == run.events[0].t[0] and len(run.events[0].t) == 1
    tolerance = 1e-2 if method == "euler" else 1e-7  # global error of the method
    assert gap(run.x[-1]) == pytest.approx(1, abs=1e-5)
    # t = 1/2 int_1^{pi/2} (1 + e^{1 - cos}) / sin
    phi, width = np.linspace(1, np.pi / 2, 2001, retstep=True)
    rate = (1 + np.exp(1 - np.cos(phi))) / np.sin(phi) / 2
    exact = width * (rate.sum() - (rate[0] + rate[-1]) / 2)
    assert run.t[-1] == pytest.approx(exact, abs=tolerance)


@pytest.mark.unchecked
@pytest.mark.parametrize(("beta", "time"), [(1.0, 12.596), (2.0, 54.39), (4.0, 2107.7)])
def test_the_wait_of_two_far_tokens_grows_like_an_exponential(beta, time):
    x0 = np.array([[1.0, 0.0], [np.cos(3), np.sin(3)]])
    met = flow.Event(lambda t, x: gap(x) - 0.1, terminal=True)
    run = flow.solve(attention.field(Heads(I2, I2, beta)), x0, [0, 1e4], events=[met])
    assert run.status == "event"
    assert run.t[-1] == pytest.approx(time, rel=1e-4)  # printed digits


def test_crossings_are_all_noted_in_their_direction():
    def height(t, x):
        return x[0, 1]

    both = height
    up, down = flow.Event(height, direction=1), flow.Event(height, direction=-1)
    run = flow.solve(turn, PAIR, [0, 10], events=[both, up, down])
    assert run.status == "done"
    np.testing.assert_allclose(run.events[0].t, np.pi * np.array([1, 2, 3]), atol=1e-6)
    np.testing.assert_allclose(run.events[1].t, [2 * np.pi], atol=1e-6)
    np.testing.assert_allclose(run.events[2].t, [np.pi, 3 * np.pi], atol=1e-6)
    np.testing.assert_allclose(run.events[0].x[:, 0, 1], 0, atol=1e-12)


# --- early stops ------------------------------------------------------------------


@pytest.mark.unchecked
@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_an_escape_in_finite_time_is_a_labelled_stop_near_it(method):
    """x' = x^2 from 1 ends at t = 1."""
    t = np.linspace(0, 2, 21)
    run = flow.solve(lambda t, x: x**2, np.ones((1, 1)), t, method, space="euclidean")
    assert run.status in ("step too small", "not finite")
    assert len(run.t) == len(run.x) < len(t)
    assert run.t[-1] == pytest.approx(1, abs=0.1)
    np.testing.assert_allclose(run.x[:8, 0, 0], 1 / (1 - run.t[:8]), rtol=1e-6)


@pytest.mark.parametrize("method", flow.METHODS)
def test_values_that_are_not_finite_are_a_labelled_stop(method):
    def broken(t, x):
        return np.where(t < 0.55, 0.0, np.nan) * x[:, ::-1]

    run = flow.solve(broken, PAIR, np.linspace(0, 1, 11), method, space="euclidean")
    assert run.status == "not finite"
    assert 0.4 < run.t[-1] < 0.61
    assert np.isfinite(run.x).all()


def test_a_field_that_starts_without_a_value_gives_the_start_only():
    hot = attention.field(Heads(I2, I2, 800.0), rule="unnormalised")
    run = flow.solve(hot, PAIR, [0, 1])
    assert (run.status, len(run.t)) == ("not finite", 1)
    np.testing.assert_array_equal(run.x[0], PAIR)


def test_a_trial_step_that_overshoots_is_taken_back():
    """Long steps in the slow half lead to negative x in the fast one, where the field
    has no value; the solution itself stays positive."""

    def field(t, x):
        rate = 1.0 if t < 1 else 400.0
        return np.where(x >= 0, -rate * x, np.nan)

    run = flow.solve(field, np.ones((1, 1)), [0, 1, 1.02], space="euclidean")
    assert run.status == "done"
    assert run.x[2, 0, 0] == pytest.approx(np.exp(-9), rel=1e-4)


def test_an_interrupt_keeps_what_was_reached():
    def impatient(t, x):
        if t > 0.5:
            raise KeyboardInterrupt
        return 0 * x

    run = flow.solve(impatient, PAIR, np.linspace(0, 1, 11), "rk4")
    assert run.status == "cancelled"
    assert len(run.t) == len(run.x) == 6


def test_progress_of_a_long_run_goes_to_standard_error(monkeypatch):
    monkeypatch.setattr(_progress, "DELAY", 0)
    out = io.StringIO()
    with redirect_stderr(out):
        flow.solve(DESCENT, PAIR, [0, 1], progress=True)
    assert "layer-time 1 of 1 |" in out.getvalue()


def test_progress_of_a_short_run_is_not_worth_a_word():
    out = io.StringIO()
    with redirect_stderr(out):
        flow.solve(DESCENT, PAIR, [0, 1], "euler", progress=True)
    assert out.getvalue() == ""


def test_repr_says_how_it_ended():
    run = flow.solve(DESCENT, PAIR, [0, 1], "euler")
    assert repr(run) == (
        "Trajectory(2 tokens in R^2, 2 times in [0, 1], done, 1 evaluations)"
    )


def test_a_field_at_rest_is_tangent_whatever_its_rounding(tokens):
    """Each token has the largest score with itself: hardmax ascent does not move."""
    field = attention.field(Heads(I3, I3), rule="hardmax")
    run = flow.solve(field, tokens(0), [0, 1])
    assert run.status == "done"
    np.testing.assert_allclose(run.x[1], run.x[0], atol=1e-14)


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_a_budget_of_steps_ends_what_would_crawl(tokens, method):
    """Tokens driven into a tie of hardmax from both sides; a horizon of 1e15, which
    steps of the size of the fastest rate never reach."""
    D = np.random.default_rng(1).standard_normal((2, 3, 3))
    ties = attention.field(Heads.descent(D + D.swapaxes(1, 2)), rule="hardmax")
    far = attention.field(Heads(I3, I3, 4.0))
    for field, horizon in ((ties, 10.0), (far, 1e15)):
        run = flow.solve(field, tokens(0, 6), [0, horizon], method, max_steps=40)
        assert run.status in ("too many steps", "step too small")
        assert len(run.t) == 2 and 0 < run.t[1] < horizon  # the place it reached
        np.testing.assert_allclose(np.linalg.norm(run.x, axis=2), 1, atol=1e-15)
        stages = {"dopri5": 6, "dop853": 12}[method]
        assert run.n_evaluations <= 40 * stages + 2


# --- tokens that meet ---------------------------------------------------------------


@few
@given(seed=seeds, method=methods)
def test_merging_equal_tokens_changes_nothing(tokens, random_heads, seed, method):
    """Equal tokens at the start are one token with the sum of the masses."""
    place, t = [0, 1, 1, 2, 0, 1], [0, 0.2, 0.5]
    x0 = tokens(seed, n=3)
    field = attention.field(random_heads(seed))
    plain = flow.solve(field, x0[place], t, method)
    merged = flow.solve(field, x0[place], t, method, merge=1e-12)
    assert merged.merges.left.tolist() == [3] and merged.merges.t.tolist() == [0.0]
    # Adaptive steps differ (the error is a mean over other tokens): two tolerances.
    np.testing.assert_allclose(merged.x, plain.x, atol=1e-6)


@pytest.mark.unchecked
def test_merging_is_exact_in_the_limit_of_the_radius(tokens):
    field, x0 = attention.field(Heads(I3, I3, 9.0)), tokens(3, n=20)
    tight = {"rtol": 1e-9, "atol": 1e-11}
    plain = flow.solve(field, x0, [0, 1, 20], **tight)
    errors = []
    for radius in (1e-2, 1e-4):
        run = flow.solve(field, x0, [0, 1, 20], **tight, merge=radius)
        assert run.x.shape == plain.x.shape
        assert run.merges.left[-1] < 20 and (np.diff(run.merges.left) < 0).all()
        assert (np.diff(run.merges.t) > 0).all() and run.merges.t[-1] < 20
        errors.append(np.abs(run.x - plain.x).max())
    assert errors[0] < 1e-2 and errors[1] < 1e-4


def test_a_chain_merges_when_it_has_shrunk_to_the_radius():
    """A ring of close neighbours has no centre: nothing may jump there."""
    angle = 2 * np.pi * np.arange(100) / 100
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    run = flow.solve(attention.field(Heads(I2, I2)), ring, [0, 0.1], merge=0.07)
    assert len(run.merges.t) == 0
    np.testing.assert_allclose(run.x[1], ring, atol=1e-12)  # in equilibrium


def test_merging_keeps_unequal_masses_and_tokens_without_mass(tokens):
    x0, mass = tokens(1, n=5), np.array([0.5, 0.2, 0.3, 0.0, 0.0])
    x0[1], x0[4] = x0[0], x0[3]
    field = attention.field(Heads(I3, I3, 2.0), mass)
    run = flow.solve(field, x0, [0, 1], merge=1e-9)
    plain = flow.solve(field, x0, [0, 1])
    assert run.merges.left[0] == 3
    np.testing.assert_allclose(run.x, plain.x, atol=1e-6)


# --- the price of a digit -----------------------------------------------------------


@pytest.mark.unchecked
@pytest.mark.parametrize("beta", [4.0, 64.0])
def test_six_digits_cost_two_hundred_evaluations(tokens, beta):
    """512 tokens to T = 10: a count of work, the same on every machine."""
    field, x0 = attention.field(Heads(I3, I3, beta)), tokens(0, n=512)
    fine = flow.solve(field, x0, [0, 10], "dop853", rtol=1e-11, atol=1e-12).x[-1]
    for method, rtol in (("dopri5", 1e-7), ("dop853", 3e-6)):
        if (method, beta) == ("dopri5", 4.0):
            rtol = 1e-6
        run = flow.solve(field, x0, [0, 10], method, rtol=rtol, atol=rtol / 100)
        assert np.abs(run.x[-1] - fine).max() < 1e-6
        assert run.n_evaluations <= 220


# --- the circle in angles -----------------------------------------------------------


@pytest.mark.unchecked
@few
@given(seed=seeds, method=st.sampled_from(["dopri5", "dop853"]))
def test_a_circle_in_the_sphere_is_followed_as_the_circle(tokens, seed, method):
    """Angles on the circle, or the same tokens on the equator of a sphere."""
    x0 = tokens(seed, n=5, d=2)
    t, tight = [0, 0.5, 2.0], {"rtol": 1e-9, "atol": 1e-10}
    on_circle = flow.solve(attention.field(Heads(I2, I2, 2.0)), x0, t, method, **tight)
    flat = np.pad(x0, ((0, 0), (0, 1)))
    on_sphere = flow.solve(
        attention.field(Heads(I3, I3, 2.0)), flat, t, method, **tight
    )
    np.testing.assert_allclose(on_circle.x, on_sphere.x[:, :, :2], atol=1e-7)


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_many_turns_keep_their_digits(method):
    """A uniform rotation is linear in the angle: exact up to rounding."""
    run = flow.solve(turn, PAIR, [0, 200], method)
    end = [[np.cos(200), np.sin(200)], [-np.sin(200), np.cos(200)]]
    # 130 quarter turns, each with the rounding of a time near 200.
    np.testing.assert_allclose(run.x[1], end, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(run.x, axis=2), 1, atol=4e-16)


# --- refusals ---------------------------------------------------------------------

REFUSALS = [
    (lambda: flow.solve(DESCENT, 2 * PAIR, [0, 1]), "x0 must be on the sphere"),
    (lambda: flow.solve(DESCENT, PAIR, [0, 1, 1]), "t must be strictly increasing"),
    (lambda: flow.solve(DESCENT, PAIR, [0]), "t must be two times or more"),
    (lambda: flow.solve(DESCENT, PAIR, [0, np.inf]), "t must be finite"),
    (lambda: flow.solve(DESCENT, PAIR, [0, 1], "rk45"), "method must be one of"),
    (lambda: flow.solve(DESCENT, PAIR, [0, 1], rtol=0), "rtol must be positive"),
    (lambda: flow.solve(DESCENT, PAIR, [0, 1], rtol=1e-15), "rtol must be 2.2e-14 or"),
    (lambda: flow.solve(DESCENT, PAIR, [0, 1], atol=-1), "atol must be positive"),
    (lambda: flow.solve(DESCENT, PAIR, [0, 1], max_steps=0), "max_steps must be 1 or"),
    (lambda: flow.solve(DESCENT, PAIR, [0, 1], merge=-1), "merge must be positive"),
    (
        lambda: flow.solve(turn, PAIR, [0, 1], merge=0.1),
        "merge must be None for a field without masses",
    ),
    (
        lambda: flow.solve(DESCENT, PAIR, [0, 1], events=[lambda t, x: np.nan]),
        "events must be functions whose value is one real number, got nan at t = 0",
    ),
    (lambda: flow.solve(DESCENT, PAIR, [0, 1], space="torus"), "space must be one of"),
    (lambda: flow.solve(decay, PAIR, [0, 1]), "field must be tangent to the sphere"),
    (
        lambda: flow.solve(lambda t, x: x[0], PAIR, [0, 1], space="euclidean"),
        r"field must be of the shape \(2, 2\) of x0",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("beta", [8.0, 30.0, 300.0])
def test_the_field_of_attention_is_always_tangent_enough(d, beta):
    """The unnormalised sum is nearly radial and huge: its rounding is not a fault."""
    heads = Heads(np.eye(d), np.eye(d), beta)
    f = attention.field(heads, rule="unnormalised")
    for seed in range(10):
        x = sphere.uniform(2, d, np.random.default_rng(seed))
        flow.solve(f, x, [0.0, 1e-300], method="euler")


@pytest.mark.parametrize("size", [1.0, 1e3, 1e5])
def test_tokens_that_met_are_at_rest_for_any_size_of_V(size):
    x = np.repeat(sphere.uniform(1, 3, np.random.default_rng(0)), 5, axis=0)
    heads = Heads(np.eye(3), size * np.eye(3))
    path = flow.solve(attention.field(heads), x, [0.0, 1e-3])
    assert np.abs(path.x[-1] - x).max() < 1e-12 * size


def test_an_event_cannot_write_into_the_trajectory(tokens):
    def scribble(t, x):
        x[:] = 7.0
        return 1.0

    heads = Heads(np.eye(3), np.eye(3))
    path = flow.solve(attention.field(heads), tokens(0), [0, 1], events=[scribble])
    assert np.abs(np.linalg.norm(path.x, axis=2) - 1).max() < 1e-12


def test_a_terminal_event_at_an_output_time_is_one_time(tokens):
    stop = flow.Event(lambda t, x: t - 1, terminal=True)
    f = attention.field(Heads(np.eye(3), np.eye(3)))
    path = flow.solve(f, tokens(0), [0.0, 1.0, 2.0], events=[stop])
    assert path.status == "event" and path.t.tolist() == [0.0, 1.0]
