"""The account of the energy: its terms, orders in the step, noise, annealed law."""

import dataclasses
import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import simpson
from unchecked import unchecked

from tfdynlib import _oscillation, attention, energy, flow, sphere, weights
from tfdynlib.weights import Heads

seeds = st.integers(0, 2**32 - 1)
I2, I3 = np.eye(2), np.eye(3)
P = np.array([[1, 0.3], [0.3, -0.5]])
Q = np.array([[-0.6, 0.2], [0.2, 0.8]])
D1 = np.array([[1, 0.3, 0], [0.3, -0.5, 0.2], [0, 0.2, 0.4]])


def on_circle(angle):
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


# --- frozen and oscillating weights -----------------------------------------------

K10 = np.arange(10)
RING = on_circle(2 * np.pi * K10 / 10 + 0.3 * np.sin(K10))
SET = weights.oscillating(
    2, 2, [[[1, 0.4], [0.4, -0.6]], [[-0.5, 0.2], [0.2, 0.9]]], "spread"
)


@functools.cache
def account(rule, steps, method="rk4"):
    run = flow.solve(
        attention.field(SET, rule=rule), RING, np.linspace(0, 4, steps + 1), method
    )
    return run, energy.balance(run, SET, rule)


def free_field(t, y, rule):
    """The rules as they stand, at points that need not be of length one."""
    heads, total, inverse = SET(t), 0, 0
    for B, V, m in zip(heads.B, heads.V, heads.mass):
        e = np.exp(heads.beta * (y @ B.T) @ y.T) / len(y)
        s = e.sum(axis=1)
        total = total + m * (e @ y) @ V.T / (s[:, None] if rule == "softmax" else 1)
        inverse = inverse + m / s
    v = total if rule == "softmax" else inverse[:, None] * total
    return v - np.sum(v * y, axis=1, keepdims=True) * y


@functools.cache
def free_run(rule, steps):
    """Runge and Kutta's step with free stages; its end is brought to the circle."""
    t, h = np.linspace(0, 4, steps + 1, retstep=True)
    x = [RING]
    for s in t[:-1]:
        k = [free_field(s, x[-1], rule)]
        for part in (0.5, 0.5, 1):
            k.append(free_field(s + part * h, x[-1] + part * h * k[-1], rule))
        x.append(sphere.retract(x[-1] + h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])))
    return dataclasses.replace(account(rule, 20)[0], t=t, x=np.array(x))


def free_account(rule, steps):
    return energy.balance(free_run(rule, steps), SET, rule)


@pytest.mark.unchecked
@pytest.mark.parametrize(
    ("rule", "residuals"),
    [
        ("softmax", [4.398e-5, 3.081e-6]),
        ("gradient", [8.105e-5, 5.524e-6]),
    ],
)
def test_residuals_of_runge_kutta(rule, residuals):
    """Printed to four digits, for stages that are free to leave the circle."""
    found = [free_account(rule, steps).residual[-1] for steps in (20, 40)]
    np.testing.assert_allclose(found, residuals, rtol=2e-4)


def refined(rule):
    """Residuals by Simpson, trapezoids and left ends for ever shorter steps, and at the
    shortest the terms, the action and the slope squared."""
    residuals = []
    for steps in (20, 40, 80, 160, 320, 640):
        run, book = free_run(rule, steps), free_account(rule, steps)
        ends = [
            energy.dissipation(x, SET(t), rule) - energy.power(x, SET, t)
            for t, x in ((0.0, RING), (4.0, run.x[-1]))
        ]
        # Trapezoids give half of the last rate instead of half of the first.
        half = (ends[1] - ends[0]) * 2 / steps
        left = book.left_point[-1]
        residuals.append((book.residual[-1], left + half, left))
    rates = [
        (
            energy.action(x, attention.velocity(x, SET(t), rule=rule), SET(t)),
            energy.slope_squared(x, SET(t)),
        )
        for t, x in zip(run.t, run.x)
    ]
    terms = [book.energy[-1], book.by_weights[-1], book.dissipated[-1]]
    return residuals, terms + simpson(rates, x=run.t, axis=0).tolist()


SHORT = {
    "softmax": [4.398e-5, 3.081e-6, 1.998e-7, 1.267e-8, 7.96e-10, 4.99e-11],
    "gradient": [8.105e-5, 5.524e-6, 3.568e-7, 2.261e-8, 1.42e-9, 8.9e-11],
}
TRAPEZOID = [1.232e-2, 3.060e-3, 7.636e-4, 1.908e-4, 4.77e-5, 1.19e-5]
LEFT = [-1.55e-2, -1.09e-2, -6.2e-3, -3.3e-3, -1.7e-3, -8.6e-4]
TERMS = {
    "softmax": (1.5481643641, 1.5310126455, 0.5695398966, 0.5803952230, 0.8563395815),
    "gradient": (1.4145180059, 1.4943149264, 0.6664885357, 0.6664885357, 0.6664885357),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", SHORT)
def test_short_steps_at_their_printed_digits(rule):
    residuals, terms = unchecked(refined, [[rule]])[0]
    by_simpson, trapezoids, left = np.transpose(residuals)
    # Two to four digits are printed; rounding of sums is 5e-13.
    np.testing.assert_allclose(by_simpson, SHORT[rule], rtol=6e-3, atol=5e-13)
    if rule == "softmax":
        np.testing.assert_allclose(trapezoids, TRAPEZOID, rtol=6e-3)
        np.testing.assert_allclose(left, LEFT, rtol=0.03)
    # The residual says that 640 steps leave 1e-10.
    np.testing.assert_allclose(terms[:3], TERMS[rule][:3], atol=2e-10)
    # Simpson on samples is a sum of 320 steps, whose residual is 1e-9.
    np.testing.assert_allclose(terms[3:], TERMS[rule][3:], atol=3e-9)
    if rule == "softmax":
        assert terms[3] - terms[2] == pytest.approx(0.01085533, abs=8e-9)


@pytest.mark.unchecked
@pytest.mark.parametrize("rule", ["softmax", "gradient"])
def test_residual_is_of_fourth_order(rule):
    """For our own stages, which are on the circle.  The next order adds up to a
    seventh to the ratio of two steps: printed ratios are 14.3 and 14.7, not 16."""
    first, second = (account(rule, steps)[1].residual[-1] for steps in (20, 40))
    assert np.log2(first / second) == pytest.approx(4, abs=0.25)


def test_a_printed_account_ends_with_its_residual_within_the_column():
    run = flow.solve(attention.field(SET), RING, np.linspace(0, 4, 9), "rk4")
    lines = repr(energy.balance(run, SET)).splitlines()
    assert max(map(len, lines)) <= 76
    assert "residual" in lines[-1]


def test_left_ends_leave_a_first_order_residual():
    for steps, residual in ((20, -1.55e-2), (40, -1.09e-2)):
        # Two or three digits are printed.
        found = account("softmax", steps)[1].left_point[-1]
        assert found == pytest.approx(residual, abs=6e-5)


@pytest.mark.parametrize(
    ("rule", "action", "slope"),
    [
        ("softmax", 0.5803952230, 0.8563395815),
        ("gradient", 0.6664885357, 0.6664885357),
    ],
)
def test_action_and_slope_along_the_run(rule, action, slope):
    run, _ = account(rule, 40)
    simpson = np.tile([2.0, 4.0], 20) / 3
    simpson[0] = 1 / 3
    h = run.t[1]

    def integral(f):
        values = np.array([f(x, SET(t)) for t, x in zip(run.t, run.x)])
        return (simpson @ values[:-1] + values[-1] / 3) * h

    def rate(x, heads):
        return energy.action(x, attention.velocity(x, heads, rule=rule), heads)

    # Simpson on h = 1/10 between samples, as the residual at 20 steps: below 1e-4.
    assert integral(rate) == pytest.approx(action, abs=1e-4)
    assert integral(energy.slope_squared) == pytest.approx(slope, abs=1e-4)
    if rule == "softmax":
        lost = account(rule, 40)[1].dissipated[-1]
        assert integral(rate) - lost == pytest.approx(0.01085533, abs=1e-4)


@pytest.mark.unchecked
@pytest.mark.parametrize(
    "rule", ["softmax", pytest.param("gradient", marks=pytest.mark.slow)]
)
def test_residual_of_euler_is_of_first_order(rule):
    """The largest along the run: at its end it happens to change its sign."""
    coarse, fine = (
        np.abs(account(rule, n, "euler")[1].residual).max() for n in (20, 40)
    )
    assert np.log2(coarse / fine) == pytest.approx(1, abs=0.25)  # h^2 still counts


@pytest.mark.unchecked
@given(seed=seeds, t=st.floats(1e-3, 5))
def test_power_is_the_change_of_the_energy_at_held_tokens(tokens, seed, t):
    Z = np.random.default_rng(seed).standard_normal((2, 3, 3))
    path = weights.oscillating(2, 3, Z + Z.swapaxes(1, 2))
    x, h = tokens(seed), 1e-4
    one, two = (
        energy.interaction(x, path(t + k * h)) - energy.interaction(x, path(t - k * h))
        for k in (1, 2)
    )
    # h^4 against rounding / h = 1e-12 of E.
    size = energy.interaction(x, path(t))
    assert energy.power(x, path, t) == pytest.approx(
        (8 * one - two) / (12 * h), abs=1e-10 * size
    )
    assert energy.power(x, path(t), t) == 0


@pytest.mark.unchecked
def test_balance_of_a_path_that_bends_keeps_its_order(descent_heads, tokens):
    stack = [Heads.descent(descent_heads(k).B, 0.4) for k in range(3)]
    path = weights.interpolate([0, 1, 2], stack)

    def residual(steps):
        t = np.linspace(0, 2, steps + 1)
        run = flow.solve(attention.field(path), tokens(1), t, "rk4")
        return abs(energy.balance(run, path).residual[-1])

    assert np.log2(residual(16) / residual(32)) == pytest.approx(4, abs=0.4)


@given(seed=seeds)
def test_effective_weight_keeps_within_its_bounds(tokens, random_heads, seed):
    x, heads = tokens(seed), random_heads(seed)
    low, high = energy.weight_bounds(heads)
    b = energy.effective_weight(x, heads)
    assert low <= b.min() and b.max() <= high
    biggest = heads.beta * np.linalg.norm(heads.B, 2, axis=(1, 2)).max()
    assert np.exp(-biggest) <= low and high <= np.exp(biggest)


def test_bounds_of_the_effective_weight_are_attained():
    one = I3[:1]
    for b in (1.3, -1.3):
        heads = Heads.descent(b * I3, 2.0)
        low, high = energy.weight_bounds(heads)
        found = energy.effective_weight(one, heads)[0]
        assert found == pytest.approx(high if b > 0 else low, rel=1e-14)
    pair = Heads.descent(np.stack([I2, -I2]), 1.5)
    assert energy.effective_weight(I2[:1], pair)[0] == pytest.approx(1 / np.cosh(1.5))
    mu = sphere.quadrature(2, 40)
    b = energy.effective_weight(mu.x, pair, mu.mass)
    np.testing.assert_allclose(b, np.i0(1.5), rtol=1e-12)
    mu, pair = sphere.quadrature(3, 20), Heads.descent(np.stack([I3, -I3]), 1.5)
    b = energy.effective_weight(mu.x, pair, mu.mass)
    np.testing.assert_allclose(b, np.sinh(1.5) / 1.5, rtol=1e-12)


# --- the run of the first paper ---------------------------------------------------


def published(H, steps, T=1.0):
    """Its settings (d = 3, spread phases) to T instead of 20, with 20 tokens, Euler for
    both: the left-point residual with its functional, and with the dissipation.  The
    whole run is measured by the figure's twin, see ``test_figure_balance``."""
    rng = np.random.default_rng(42)
    x = np.concatenate([I3, -I3])[rng.integers(0, 6, 20)]
    x = sphere.retract(x + 0.05 * rng.standard_normal((20, 3)))
    Z = np.random.default_rng(42 + H).standard_normal((H, 3, 3))
    D, t = [Z + Z.swapaxes(1, 2)], np.linspace(0, T, steps + 1)
    target, phi = _oscillation.target(3), _oscillation.phases(H, spread=True)
    for s, h in zip(t, np.diff(t)):
        D.append(D[-1] + h * (target.at(s + phi) - D[-1]))
    path = weights.interpolate(t, [Heads.descent(M) for M in D])
    run = flow.solve(attention.field(path), x, t, "euler")
    left = energy.balance(run, path).left_point[-1]
    steps_taken = zip(t[:-1], np.diff(t), run.x)
    gap = sum(h * energy.head_mismatch(y, path(s)) for s, h, y in steps_taken)
    return left - gap, left


@pytest.mark.unchecked
@pytest.mark.slow
@pytest.mark.parametrize("H", [1, 2])
def test_the_published_account_closes_only_with_the_dissipation(H):
    """What is left at step 0 is, to first order, twice the fine minus the coarse."""
    coarse, fine = np.array(published(H, 25)), np.array(published(H, 50))
    coded, exact = 2 * fine - coarse
    # The first order is gone; rates of about ten leave h times ten of it, a fifth.
    assert abs(exact) < 0.2 * abs(fine[1])
    if H == 1:
        assert coded == pytest.approx(exact, abs=1e-12)  # no mismatch
    else:
        assert abs(coded) > 10 * abs(exact)


# --- noise ------------------------------------------------------------------------


def test_ito_factor_of_symmetric_noise():
    """E (x^T W y)^2 = (1 + u^2) / 2 for W = (Z + Z^T) / 2."""
    rng = np.random.default_rng(0)
    x, y = sphere.uniform(2, 3, rng)
    Z = rng.standard_normal((200_000, 3, 3))
    found = np.mean(np.einsum("i,nij,j->n", x, (Z + Z.swapaxes(1, 2)) / 2, y) ** 2)
    # Relative error of a mean of squares: sqrt(2 / n) = 0.3%; four of those.
    assert found == pytest.approx((1 + (x @ y) ** 2) / 2, rel=0.013)


K24 = np.arange(10)
CLOUD = on_circle(2.1 * (2 * np.pi * K24 / 24 + 0.4 * np.sin(2 * np.pi * K24 / 24)))


@functools.cache
def noisy_account(seed, steps):
    fine = weights.ornstein_uhlenbeck(
        np.stack([P, Q]), np.linspace(0, 1, 161), np.random.default_rng(seed)
    )
    path = weights.thin(fine, 160 // steps)
    run = flow.solve(attention.field(path), CLOUD, path.sample.t, "rk4")
    return energy.balance(run, path)


def noisy_columns(steps, paths):
    """Of several paths: the residuals at the end and the martingale at all times."""
    books = [noisy_account(seed, steps) for seed in range(paths)]
    return {
        "ends": [(b.left_point[-1], b.residual[-1]) for b in books],
        "martingale": [b.martingale.tolist() for b in books],
    }


# Root mean squares at left ends and along chords, printed for 24 paths.
PRINTED = {
    10: (0.126, 1.06e-4),
    20: (0.098, 4.4e-5),
    40: (0.069, 1.0e-5),
    80: (0.048, 2.5e-6),
    160: (0.024, 5.4e-7),
}


@pytest.fixture(scope="module")
def noisy():
    """The columns by number of steps; of fewer paths where they are dear."""
    jobs = {10: 24, 20: 24, 40: 24, 80: 12, 160: 6}
    return dict(zip(jobs, unchecked(noisy_columns, list(jobs.items()))))


@pytest.mark.slow
def test_balance_along_noise_closes_on_chords_but_not_at_left_ends(noisy):
    """Tails are heavy: other paths give root mean squares within a factor of two."""
    size = {n: np.sqrt(np.mean(np.square(c["ends"]), axis=0)) for n, c in noisy.items()}
    for n, printed in PRINTED.items():
        ratio = size[n] / np.array(printed)
        assert (ratio > 0.5).all() and (ratio < 2).all(), (n, size[n])
    # Second order along chords, a half at left ends; a factor of two in four halvings.
    np.testing.assert_allclose(np.log2(size[10] / size[160]) / 4, [0.5, 2], atol=0.25)


@pytest.mark.slow
def test_work_of_the_noise_has_mean_zero(noisy):
    """Few paths of a skewed law; a thousand are tried in ``test_figure_balance``."""
    M = np.array(noisy[10]["martingale"])
    assert (M[:, 0] == 0).all()
    for k in (5, 10):
        # Four standard errors of the mean of 24 paths.
        assert abs(M[:, k].mean()) < 4 * M[:, k].std() / np.sqrt(24)
    assert M[:, -1].std() > 0.05


def test_balance_along_noise_is_that_of_its_chord():
    """The same run read as one along interpolated, noiseless weights."""
    fine = weights.ornstein_uhlenbeck(
        np.stack([P, Q]), np.linspace(0, 1, 21), np.random.default_rng(3)
    )
    chord = weights.interpolate(fine.sample.t, [fine(t) for t in fine.sample.t])
    t = fine.sample.t[4:15]  # starts and ends within the sample
    run = flow.solve(attention.field(fine), CLOUD, t, "rk4")
    a, b = energy.balance(run, fine), energy.balance(run, chord)
    np.testing.assert_allclose(a.residual, b.residual, atol=1e-13)
    np.testing.assert_allclose(a.dissipated, b.dissipated, atol=1e-13)
    np.testing.assert_allclose(a.by_weights + a.martingale, b.by_weights, atol=1e-13)


@pytest.mark.unchecked
@pytest.mark.parametrize("rule", ["gradient", "unnormalised"])
def test_balance_along_noise_takes_any_rule_and_masses(rule):
    mass = np.arange(1, 11) / 55
    path = weights.ornstein_uhlenbeck(
        np.stack([P, Q]), np.linspace(0, 1, 21), np.random.default_rng(1)
    )
    run = flow.solve(attention.field(path, mass, rule), CLOUD, path.sample.t, "rk4")
    book = energy.balance(run, path, rule, mass)
    assert abs(book.residual[-1]) < 1e-4  # h^2 of rough chords, as in the table
    assert abs(book.left_point[-1]) > 1e-3


# --- the annealed energy ----------------------------------------------------------


def fibonacci(n=12):
    k = np.arange(n)
    z, angle = 1 - (2 * k + 1) / n, k * np.pi * (3 - np.sqrt(5))
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


@pytest.mark.parametrize(
    ("t", "E", "rate"),
    [
        (0, 0.5475202891, 0.3193924452),
        (0.5, 0.6723244906, 0.1872975983),
        (1, 0.7431410429, 0.1036355162),
        (2, 0.8038432778, 0.0321111221),
        (np.inf, 0.8336953896, 0),
    ],
)
def test_annealed_energy_of_twelve_tokens(t, E, rate):
    law, x = weights.ornstein_uhlenbeck_law(D1), fibonacci()
    assert energy.annealed_interaction(x, law, t) == pytest.approx(E, abs=5e-11)
    assert energy.annealed_power(x, law, t) == pytest.approx(rate, abs=5e-11)


def test_annealed_energy_of_stationary_noise():
    mu = sphere.quadrature(3, 20)
    for g2, E in ((1, 0.6982215470), (2, 0.8309227508)):
        law = weights.ornstein_uhlenbeck_law(I3, g2)
        found = energy.annealed_interaction(mu.x, law, np.inf, mass=mu.mass)
        assert found == pytest.approx(E, abs=5e-11)
    law, one = weights.ornstein_uhlenbeck_law(I3), I3[:1]
    assert energy.annealed_interaction(one, law, np.inf) == pytest.approx(
        2.2408445352, abs=5e-11
    )


@given(seed=seeds, t=st.floats(0, 3), beta=st.floats(0.3, 2))
def test_annealed_power_is_the_derivative(tokens, seed, t, beta):
    Z = np.random.default_rng(seed).standard_normal((2, 3, 3))
    law = weights.ornstein_uhlenbeck_law(Z + Z.swapaxes(1, 2), 1.3, 0.5 * I3)
    x, h, t = tokens(seed), 1e-3, t + 0.01
    E = {k: energy.annealed_interaction(x, law, t + k * h, beta) for k in range(-2, 3)}
    expected = (8 * (E[1] - E[-1]) - (E[2] - E[-2])) / (12 * h)
    found = energy.annealed_power(x, law, t, beta)
    # h^4 times a fifth derivative of exponents of size ten: 1e-12 * 1e4 of E.
    assert found == pytest.approx(expected, abs=1e-8 * E[0])


@given(seed=seeds)
def test_at_the_start_noisy_power_is_the_annealed_one(tokens, seed):
    """Given D0, drift and Itô term are what the law does next."""
    Z = np.random.default_rng(seed).standard_normal((3, 3, 3))
    D0, x, mass = Z + Z.swapaxes(1, 2), tokens(seed), [0.5, 0.3, 0.2]
    path = weights.ornstein_uhlenbeck(
        D0, [0, 1], np.random.default_rng(seed), 1.7, beta=0.6, mass=mass
    )
    law = weights.ornstein_uhlenbeck_law(D0, 1.7, mass=mass)
    assert energy.power(x, path, 0) == pytest.approx(
        energy.annealed_power(x, law, 0, 0.6), rel=1e-12
    )


def test_mean_over_samples_is_the_annealed_energy():
    n, x = 40_000, fibonacci()
    rng = np.random.default_rng(7)
    path = weights.ornstein_uhlenbeck(np.repeat(D1[None], n, 0), [0, 0.5], rng)
    kernel = np.exp(np.einsum("ia,hab,jb->hij", x, path(0.5).B, x))
    E = kernel.mean(axis=(1, 2)) / 2
    assert E.mean() == pytest.approx(0.6723244906, abs=4 * E.std() / np.sqrt(n))


# --- refusals ---------------------------------------------------------------------

NOISY = weights.ornstein_uhlenbeck(I2, [0, 0.5, 1], np.random.default_rng(0))
BETWEEN = flow.Trajectory(
    np.array([0.0, 0.25, 0.5]), np.repeat(RING[None], 3, 0), "done", 1
)
REFUSALS = [
    (lambda: energy.balance(BETWEEN, NOISY), "trajectory.t must be times of the sam"),
    (lambda: energy.weight_bounds(Heads(I2, I2, 800.0)), "beta must be small enough"),
    (lambda: energy.power(I3, NOISY, 0), r"x must be of shape \(any, 2\)"),
    (lambda: energy.power(I2, NOISY, 2), r"t must be in \[0, 1\], got 2"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
