"""Minimising movements: the energy inequality, two tokens in closed form, order in the
step, large steps, and the flow they approach."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from tfdynlib import _proximal, attention, energy, flow, jko, sphere
from tfdynlib.weights import Heads, WeightPath, constant

seeds = st.integers(0, 2**32 - 1)
taus = st.floats(0.01, 30.0)
places = st.sampled_from(jko.WEIGHTS)
few = settings(max_examples=8)

I2, I3 = np.eye(2), np.eye(3)
PAIR = np.eye(2)  # two tokens at a right angle
ONE = Heads.descent(I2)
D1 = np.array([[1, 0.3, 0], [0.3, -0.5, 0.2], [0, 0.2, 0.4]])
D2 = np.array([[-0.6, 0.2, 0.1], [0.2, 0.8, 0], [0.1, 0, 0.3]])
TWO = Heads.descent(np.stack([D1, D2]))


def fibonacci(n):
    """Points on a spiral from pole to pole, moved aside and put back on the sphere."""
    k = np.arange(n)
    z, angle = 1 - (2 * k + 1) / n, k * np.pi * (3 - np.sqrt(5))
    r = np.sqrt(1 - z**2)
    spiral = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    return sphere.retract(spiral + np.array([0.6, 0.3, 0.2]))


X = fibonacci(12)


def heads_at(t):
    scales = np.array([1 + 0.5 * np.sin(t), np.exp(-t / 2)])
    return Heads.descent(scales[:, None, None] * np.stack([D1, D2]))


def drift(t):
    rates = np.array([0.5 * np.cos(t), -np.exp(-t / 2) / 2])
    D = rates[:, None, None] * np.stack([D1, D2])
    return D, -D


PATHS = {"constant": constant(TWO), "path": WeightPath(heads_at, drift, 2, 3)}


def gap(x):
    return float(sphere.distance(x[0], x[1]))


def rms(x, y):
    return np.sqrt(np.mean(np.sum((x - y) ** 2, axis=1)))


@pytest.fixture(scope="module")
def ends():
    """Where the gradient flow is at t = 1, to twelve digits."""

    def end(path):
        field = attention.field(path, rule="gradient")
        return flow.solve(field, X, [0, 1], "dop853", rtol=1e-12, atol=1e-13).x[-1]

    return {name: end(path) for name, path in PATHS.items()}


# --- laws -------------------------------------------------------------------------


@pytest.mark.unchecked
@few
@given(seed=seeds, tau=taus, weight=places)
def test_no_step_raises_energy_plus_price(tokens, descent_heads, seed, tau, weight):
    x, heads = tokens(seed), descent_heads(seed)
    step = jko.step(x, heads, tau, weight=weight)
    before, after = (energy.interaction(y, heads) for y in (x, step.x))
    assert step.decrease >= 0
    assert step.price >= 0
    # Three sums of some ten digits each.
    assert before - after - step.price == pytest.approx(
        step.decrease, abs=1e-12 * max(1, before)
    )


@pytest.mark.unchecked
@few
@given(seed=seeds)
def test_frozen_price_is_weight_times_squared_distance(tokens, descent_heads, seed):
    x, heads, tau = tokens(seed), descent_heads(seed), 0.3
    step = jko.step(x, heads, tau)
    d = sphere.distance(x, step.x)
    b = energy.effective_weight(x, heads)
    assert step.status == "done" and step.longest == pytest.approx(d.max(), rel=1e-9)
    assert step.price == pytest.approx(np.mean(b * d**2) / (2 * tau), rel=1e-7)


@few
@given(seed=seeds, weight=places)
def test_gradient_is_that_of_the_value(tokens, descent_heads, seed, weight):
    """Central differences in a random direction: error of order 1e-10 of the size."""
    x, heads = tokens(seed), descent_heads(seed)
    mass = np.random.default_rng(seed).dirichlet(np.full(len(x), 5.0))
    b = energy.effective_weight(x, heads, mass)
    frozen = b if weight == "frozen" else None
    aim = _proximal.Proximal(
        x, heads, mass, 0.7, 1, frozen, _proximal.frames(x), np.sqrt(mass * b / 0.7)
    )
    rng = np.random.default_rng([seed, 3])
    w, along = rng.standard_normal((2, 2 * len(x))) / 4
    rise = (aim.value(w + 1e-5 * along) - aim.value(w - 1e-5 * along)) / 2e-5
    gradient = aim(w)[1]
    assert rise == pytest.approx(gradient @ along, rel=1e-6, abs=1e-7)


@pytest.mark.unchecked
@few
@given(seed=seeds)
def test_steps_turn_with_the_tokens(tokens, descent_heads, seed):
    x, heads = tokens(seed), descent_heads(seed)
    R = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]
    D = R @ heads.B @ R.T
    turned = Heads.descent((D + D.swapaxes(1, 2)) / 2, heads.beta, heads.mass)
    expected = jko.step(x, heads, 0.2).x @ R.T
    # Both runs stop at a scaled gradient of 1e-10 or at the rounding of the value.
    np.testing.assert_allclose(jko.step(x @ R.T, turned, 0.2).x, expected, atol=1e-6)


@pytest.mark.unchecked
@few
@given(seed=seeds)
def test_a_token_of_mass_two_is_two_tokens(tokens, descent_heads, seed):
    x, heads = tokens(seed, n=5), descent_heads(seed)
    mass = np.array([2, 1, 1, 1, 1]) / 6
    heavy = jko.step(x, heads, 0.2, mass)
    twice = jko.step(x[[0, 0, 1, 2, 3, 4]], heads, 0.2)
    np.testing.assert_allclose(twice.x[1:], heavy.x, atol=1e-6)


def test_ascent_heads_climb(tokens):
    heads = Heads(I3, I3, 2.0)
    run = jko.solve(tokens(0), heads, 0.5, 6)
    rises = np.diff([energy.interaction(x, heads) for x in run.x])
    assert (rises > 0).all() and (run.decrease > 0).all()


def test_equilibrium_stays():
    """Opposite tokens are at the minimum: no move is shorter than none."""
    opposite = np.array([[0.6, 0.8], [-0.6, -0.8]])
    step = jko.step(opposite, ONE, 10)
    np.testing.assert_allclose(step.x, opposite, atol=1e-9)
    assert step.decrease == pytest.approx(0, abs=1e-15)


def test_moving_weights_add_their_work_to_the_inequality():
    path, tau = PATHS["path"], 0.25
    run = jko.solve(X, path, tau, 8)
    for k, t in enumerate(run.t[1:]):
        old, new = path(run.t[k]), path(t)
        b, d = (
            energy.effective_weight(run.x[k], new),
            sphere.distance(run.x[k], run.x[k + 1]),
        )
        work = energy.interaction(run.x[k], new) - energy.interaction(run.x[k], old)
        change = energy.interaction(run.x[k + 1], new) - energy.interaction(
            run.x[k], old
        )
        assert change <= work - np.mean(b * d**2) / (2 * tau) + 1e-14


# --- two tokens -------------------------------------------------------------------


@pytest.mark.parametrize("tau", [0.1, 1.0, 10.0, 100.0])
def test_one_step_of_a_pair_is_the_root_of_a_scalar_equation(tau):
    b, start = (np.e + 1) / 2, np.pi / 2

    def slope(q):
        return b * (q - start) / (4 * tau) - np.sin(q) * np.exp(np.cos(q)) / 4

    expected = brentq(slope, start, np.pi, xtol=1e-14)
    # Values are equal to rounding within a distance of its square root.
    assert gap(jko.step(PAIR, ONE, tau).x) == pytest.approx(expected, abs=1e-8)


PRINTED = {
    0.1: (1.621842, 0.917134),
    1.0: (1.926658, 0.856025),
    10.0: (2.641999, 0.783497),
    100.0: (3.066165, 0.771802),
}


@pytest.mark.parametrize("tau", PRINTED)
def test_one_step_of_a_pair_at_its_printed_digits(tau):
    step = jko.step(PAIR, ONE, tau)
    assert gap(step.x) == pytest.approx(PRINTED[tau][0], abs=6e-7)
    assert energy.interaction(step.x, ONE) == pytest.approx(PRINTED[tau][1], abs=6e-7)


ERRORS = {
    "frozen": [-0.0105695, -0.0053702, -0.0027071, -0.0013591],
    "implicit": [-0.0057084, -0.0028702, -0.0014391, -0.0007206],
}


@pytest.mark.unchecked
@pytest.mark.parametrize("weight", jko.WEIGHTS)
def test_the_pair_follows_its_flow_to_first_order(weight):
    ends = [gap(jko.solve(PAIR, ONE, 1 / n, n, weight=weight).x[-1]) for n in STEPS]
    # The exact gap at t = 1, and errors at their printed digits.
    errors = np.array(ends) - 2.00945119
    np.testing.assert_allclose(errors, ERRORS[weight], atol=6e-8)
    np.testing.assert_allclose(errors[:-1] / errors[1:], 2, rtol=0.02)


STEPS = (10, 20, 40, 80)


def test_explicit_euler_raises_the_energy_where_a_movement_lowers_it():
    field = attention.field(ONE, rule="gradient")
    angle = np.pi / 4 + 10 * np.linalg.norm(field(0, PAIR)[0])
    assert 2 * angle == pytest.approx(6.949625, abs=6e-7)
    leapt = np.array([[np.cos(a), np.sin(a)] for a in (angle, -angle)])
    assert energy.interaction(leapt, ONE) == pytest.approx(1.228236, abs=6e-7)
    assert energy.interaction(PAIR, ONE) == pytest.approx(0.929570, abs=6e-7)


def test_explicit_euler_with_huge_steps_climbs_at_the_fifth():
    x, energies = X, []
    for _ in range(5):
        v = attention.velocity(x, TWO, rule="gradient")
        x = sphere.retract(x + 10 * v)
        energies.append(energy.interaction(x, TWO))
    # Six printed digits; the movements of the same length fall at every step, below.
    assert energies[3:] == pytest.approx([0.546220, 0.547841], abs=6e-7)


# --- twelve tokens, two heads ------------------------------------------------------

FLOW = {
    "constant": (0.5653745600, (0.54506645, 0.08490114, 0.83408295)),
    "path": (0.5844815311, (0.48132351, 0.11213222, 0.86934115)),
}


@pytest.mark.parametrize("name", PATHS)
def test_the_flow_itself(ends, name):
    value, first = FLOW[name]
    assert energy.interaction(X, TWO) == pytest.approx(0.6059781399, abs=6e-11)
    after = energy.interaction(ends[name], PATHS[name](1.0))
    assert after == pytest.approx(value, abs=6e-11)
    np.testing.assert_allclose(ends[name][0], first, atol=6e-9)


TABLE = {
    ("constant", "frozen"): [6.2959e-3, 3.2077e-3, 1.6193e-3, 8.1356e-4, 4.0777e-4],
    ("constant", "implicit"): [5.2283e-3, 2.6410e-3, 1.3275e-3, 6.6551e-4, 3.3320e-4],
    ("path", "frozen"): [8.7401e-3, 4.4119e-3, 2.2167e-3, 1.1111e-3, 5.5622e-4],
    ("path", "implicit"): [8.3883e-3, 4.2414e-3, 2.1334e-3, 1.0700e-3, 5.3582e-4],
}


@pytest.mark.unchecked
@pytest.mark.parametrize("name, weight", TABLE)
def test_error_against_the_flow_at_its_printed_digits(ends, name, weight):
    runs = [jko.solve(X, PATHS[name], 1 / n, n, weight=weight) for n in (5, 10, 20)]
    errors = [rms(run.x[-1], ends[name]) for run in runs]
    np.testing.assert_allclose(errors, TABLE[name, weight][:3], rtol=2e-5)


@pytest.mark.unchecked
@pytest.mark.slow
@pytest.mark.parametrize("name, weight", TABLE)
def test_error_of_small_steps_against_the_flow(ends, name, weight):
    runs = [jko.solve(X, PATHS[name], 1 / n, n, weight=weight) for n in (40, 80)]
    errors = [rms(run.x[-1], ends[name]) for run in runs]
    # Printed to five digits, of which the last is half a unit off at worst.
    np.testing.assert_allclose(errors, TABLE[name, weight][3:], rtol=5e-5)


AFTER = [0.5847800545, 0.5846088218, 0.5845392888, 0.5845088830, 0.5844948182]


@pytest.mark.unchecked
def test_energy_after_the_steps_at_its_printed_digits():
    for n, value in list(zip((5, 10, 20, 40, 80), AFTER))[:4]:
        end = jko.solve(X, PATHS["path"], 1 / n, n).x[-1]
        # The steps stop where the value no longer sees a change: 1e-8 in a token.
        assert energy.interaction(end, heads_at(1.0)) == pytest.approx(value, abs=1e-9)


@pytest.mark.unchecked
@pytest.mark.slow
def test_smaller_steps_at_their_printed_digits(ends):
    end = jko.solve(X, PATHS["path"], 1 / 80, 80).x[-1]
    assert energy.interaction(end, heads_at(1.0)) == pytest.approx(AFTER[-1], abs=1e-9)
    run = jko.solve(X, PATHS["path"], 1 / 40, 40, order=2)
    assert rms(run.x[-1], ends["path"]) == pytest.approx(4.018e-6, rel=3e-3)


@pytest.mark.unchecked
def test_extrapolated_steps_are_of_second_order(ends):
    runs = [jko.solve(X, PATHS["path"], 1 / n, n, order=2) for n in (5, 10, 20)]
    errors = [rms(run.x[-1], ends["path"]) for run in runs]
    np.testing.assert_allclose(errors, [2.361e-4, 6.186e-5, 1.586e-5], rtol=3e-4)
    np.testing.assert_allclose(np.linalg.norm(runs[0].x, axis=2), 1, atol=1e-15 * 4)


ONE_STEP = {
    0.1: (0.6008643596, 0.6008227712),
    1.0: (0.5696589161, 0.5679250368),
    10.0: (0.5072965169, 0.5028615269),
    100.0: (0.4629427397, 0.4626251688),
}


@pytest.mark.unchecked
@pytest.mark.parametrize("tau", ONE_STEP)
def test_one_large_step_at_its_printed_digits(tau):
    for weight, value in zip(jko.WEIGHTS, ONE_STEP[tau]):
        step = jko.step(X, TWO, tau, weight=weight)
        assert step.status == "done"
        assert energy.interaction(step.x, TWO) == pytest.approx(value, abs=1e-9)


@pytest.mark.unchecked
def test_beyond_the_cut_locus_is_said():
    assert jko.step(X, TWO, 1e4).status == "done"
    far = jko.step(X, TWO, 1e4, weight="implicit")
    assert far.longest > np.pi and far.status == "beyond the cut locus"
    near = energy.interaction(jko.step(X, TWO, 1e4).x, TWO)
    assert near == pytest.approx(0.4620731, abs=6e-8)


@pytest.mark.unchecked
def test_eight_huge_steps_only_descend():
    run = jko.solve(X, TWO, 10, 8)
    energies = [energy.interaction(x, TWO) for x in run.x]
    assert (np.diff(energies) < 0).all() and run.status == "done"
    assert len(run.decrease) == len(run.longest) == 8


def test_input_is_not_written_into_and_single_precision_is_promoted():
    x = X.astype(np.float32)
    kept = x.copy()
    assert jko.step(x, TWO, 0.1).x.dtype == np.float64
    np.testing.assert_array_equal(x, kept)


def test_values_say_what_they_are():
    assert "decrease" in repr(jko.step(X, TWO, 0.1))
    assert "12 tokens in R^3, 3 times" in repr(jko.solve(X, TWO, 0.1, 2))


@pytest.mark.parametrize("tau", [1e-100, 1e30, 1e100])
@pytest.mark.parametrize("mass", [None, [1 - 1e-300, 1e-300]])
@pytest.mark.parametrize("weight", jko.WEIGHTS)
def test_extreme_steps_and_masses_end_with_a_label(tau, mass, weight):
    for sign in (-1, 1):
        found = jko.step(PAIR, Heads(I2, sign * I2), tau, mass, weight)
        assert found.status in ("done", "not converged", "beyond the cut locus")
        assert np.isfinite(found.x).all() and found.decrease >= 0


# --- refusals ---------------------------------------------------------------------

REFUSED = {
    "tau": lambda: jko.step(X, TWO, 0),
    "tau beyond all": lambda: jko.step(X, TWO, 1e300),
    "beta": lambda: jko.step(PAIR, Heads(I2, I2, 5e-324), 1),
    "weight": lambda: jko.step(X, TWO, 1, weight="warm"),
    "mass": lambda: jko.step(PAIR, ONE, 1, mass=[0, 1]),
    "x": lambda: jko.step(2 * X, TWO, 1),
    "heads.V": lambda: jko.step(PAIR, Heads(I2, 2 * I2), 1),
    "steps": lambda: jko.solve(PAIR, ONE, 1, 0),
    "order": lambda: jko.solve(PAIR, ONE, 1, 1, order=3),
    "start": lambda: jko.solve(PAIR, ONE, 1, 1, start=np.nan),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"^{name.split()[0]} must be"):
        REFUSED[name]()


def test_one_column_is_refused():
    with pytest.raises(ValueError, match="^x must be"):
        jko.step(np.array([[1.0], [-1.0]]), Heads.descent(np.eye(1)), 1)
