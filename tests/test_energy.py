"""The energy: invariances, rates against differences, the balance, references."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from tfdynlib import attention, energy, flow, sphere, weights
from tfdynlib.weights import Heads, WeightPath

seeds = st.integers(0, 2**32 - 1)

I2, I3 = np.eye(2), np.eye(3)
J = np.array([[0.0, 1.0], [1.0, 0.0]])
# One token at the angle pi/8 under descent heads J and -2J: softmax climbs.
COUNTER = Heads.descent(np.stack([J, -2 * J]))
TOKEN = np.array([[np.cos(np.pi / 8), np.sin(np.pi / 8)]])

OCTAHEDRON = np.concatenate([I3, -I3])
TETRAHEDRON = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / 3**0.5
CUBE = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) / 3**0.5


def rate_by_difference(x, v, heads, mass=None):
    """dE/dt along v, by a central difference of fourth order."""
    h = 1e-3

    def at(s):
        return energy.interaction(sphere.exp(x, s * h * v), heads, mass)

    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)


# --- laws -------------------------------------------------------------------------


@given(seed=seeds)
def test_energy_and_rates_do_not_see_rotations_or_names(tokens, descent_heads, seed):
    x, heads = tokens(seed), descent_heads(seed)
    R = ortho_group.rvs(3, random_state=seed)
    D = R @ heads.B @ R.T
    turned = Heads.descent((D + D.swapaxes(1, 2)) / 2, heads.beta, heads.mass)
    order = np.random.default_rng(seed).permutation(9)
    swapped = Heads(heads.B[::-1], heads.V[::-1], heads.beta, heads.mass[::-1])
    for rate in (energy.interaction, energy.slope_squared, energy.dissipation):
        expected = pytest.approx(rate(x, heads), rel=1e-11)
        assert rate(x @ R.T, turned) == expected
        assert rate(x[order], heads) == expected
        assert rate(x, swapped) == expected


@given(
    seed=seeds,
    rule=st.sampled_from(["softmax", "gradient", "unnormalised", "zero_temperature"]),
)
def test_dissipation_is_the_rate_of_fall_along_its_rule(
    tokens, descent_heads, seed, rule
):
    x, heads = tokens(seed), descent_heads(seed, beta=0.5)
    mass = np.random.default_rng(seed).dirichlet(np.ones(9))
    v = attention.velocity(x, heads, mass, rule)
    size = np.linalg.norm(v, axis=1).max()
    slow = v / max(1, size)  # so that the difference step stays a small move
    rate = -rate_by_difference(x, slow, heads, mass) * max(1, size)
    # h^4 = 1e-12 times fifth derivatives of exponents of size 5.
    assert energy.dissipation(x, heads, rule, mass) == pytest.approx(
        rate, rel=1e-6, abs=1e-7 * max(1, size)
    )


@given(seed=seeds)
def test_dissipation_is_exact_for_scores_that_are_not_symmetric(
    tokens, random_heads, seed
):
    x, heads = tokens(seed), random_heads(seed, beta=0.7)
    v = attention.velocity(x, heads)
    assert energy.dissipation(x, heads) == pytest.approx(
        -rate_by_difference(x, v, heads), rel=1e-6, abs=1e-7
    )


@given(seed=seeds)
def test_first_variation_is_what_moving_a_little_mass_costs(tokens, random_heads, seed):
    x, heads = tokens(seed), random_heads(seed)
    mass = np.random.default_rng(seed).dirichlet(np.ones(9))
    nudge = np.zeros(9)
    nudge[:2] = 0.5 * min(mass[:2]), -0.5 * min(mass[:2])
    up, down = (energy.interaction(x, heads, mass + s * nudge) for s in (1, -1))
    # E is quadratic in the masses, so the central difference is exact.
    cost = energy.first_variation(x, heads, mass) @ nudge
    assert (up - down) / 2 == pytest.approx(cost, rel=1e-9, abs=1e-12 * up)


@given(seed=seeds)
def test_gradient_of_the_first_variation_moves_the_tokens(tokens, descent_heads, seed):
    """One descent head: softmax velocity = -grad (s / beta) / s, at any point."""
    x, heads = tokens(seed), descent_heads(seed, H=1)
    y = tokens(seed + 1)[:1]
    h = 1e-5
    up, down = (
        energy.first_variation(x, heads, at=sphere.retract(y + s * h * I3))
        for s in (1, -1)
    )
    gradient = (up - down) / (2 * h)
    weight = heads.beta * energy.first_variation(x, heads, at=y)
    v = attention.velocity(x, heads, at=y)[0]
    size = 1 + np.abs(gradient).max()
    # Differences: h^2 against rounding / h, both near 1e-10 of the size.
    np.testing.assert_allclose(-gradient / weight, v, atol=1e-8 * size)


@given(seed=seeds)
def test_gradient_rule_dissipates_the_squared_slope(tokens, descent_heads, seed):
    x, heads = tokens(seed), descent_heads(seed, H=3)
    slope = energy.slope_squared(x, heads)
    assert slope > 0
    assert energy.dissipation(x, heads, "gradient") == pytest.approx(slope, rel=1e-12)
    v = attention.velocity(x, heads, rule="gradient")
    assert energy.action(x, v, heads) == pytest.approx(slope, rel=1e-12)
    climbing = Heads(heads.B, heads.B, heads.beta, heads.mass)
    assert energy.dissipation(x, climbing, "gradient") == pytest.approx(-slope)


@given(seed=seeds)
def test_one_head_or_equal_heads_have_no_mismatch(tokens, descent_heads, seed):
    x, one = tokens(seed), descent_heads(seed, H=1)
    twice = Heads(np.repeat(one.B, 2, 0), np.repeat(one.V, 2, 0), one.beta)
    climbing = Heads(one.B, one.B, one.beta)
    scale = energy.slope_squared(x, one)
    for heads in (one, twice, climbing):
        assert energy.head_mismatch(x, heads) == pytest.approx(0, abs=1e-12 * scale)


@given(seed=seeds)
def test_effective_weight_is_the_least_action_of_all_splittings(
    tokens, descent_heads, seed
):
    rng = np.random.default_rng(seed)
    x, heads = tokens(seed), descent_heads(seed, H=3)
    s, b = energy.head_weights(x, heads), energy.effective_weight(x, heads)
    v = rng.standard_normal((9, 3))
    best = b[:, None] * v / s[..., None]
    cost = np.einsum("h,hi,hia,hia->i", heads.mass, s, best, best)
    least = b * np.sum(v**2, axis=1)
    np.testing.assert_allclose(cost, least, rtol=1e-12)
    other = best + rng.standard_normal((3, 9, 3))
    other += v - np.einsum("h,hia->ia", heads.mass, other)  # still adds up to v
    cost = np.einsum("h,hi,hia,hia->i", heads.mass, s, other, other)
    assert (cost >= least * (1 - 1e-12)).all()
    arithmetic = heads.mass @ s
    assert (b <= arithmetic * (1 + 1e-12)).all()


@given(seed=seeds, d=st.sampled_from([2, 3]))
def test_energy_lies_between_the_uniform_law_and_one_point(tokens, seed, d):
    heads = Heads(np.eye(d), np.eye(d), beta=2.0)
    E = energy.interaction(tokens(seed, d=d), heads)
    mu = sphere.quadrature(d, 40)
    assert energy.interaction(mu.x, heads, mu.mass) < E < np.exp(2) / 4


@given(seed=seeds)
def test_energy_falls_along_a_descent_head(tokens, descent_heads, seed):
    heads = descent_heads(seed, H=1, beta=0.3)
    run = flow.solve(attention.field(heads), tokens(seed), np.linspace(0, 1, 6), "rk4")
    E = [energy.interaction(x, heads) for x in run.x]
    assert (np.diff(E) <= 1e-12).all()


def test_the_logarithm_has_no_largest_beta(tokens):
    x = tokens(0)
    for beta in (1.0, 50.0, 600.0):
        heads = Heads(I3, I3, beta)
        assert energy.log_interaction(x, heads) == pytest.approx(
            np.log(energy.interaction(x, heads)), rel=1e-12
        )
    # Self pairs alone count when it is cold: log(e^beta / (2 beta n)).
    cold = energy.log_interaction(x, Heads(I3, I3, 1e6))
    assert cold == pytest.approx(1e6 - np.log(2e6 * 9), rel=1e-15)


# --- the balance ------------------------------------------------------------------


def oscillating(phases):
    """Descent heads that follow dD/dt = T(t + phase) - D, in closed form."""
    start = np.array([[[1, 0.4], [0.4, -0.6]], [[-0.5, 0.2], [0.2, 0.9]]])

    def target(t):
        s = t + phases
        return np.array(
            [
                [2 + 1.5 * np.cos(s), np.sin(2 * s)],
                [np.sin(2 * s), 2 - 1.5 * np.cos(s)],
            ]
        ).transpose(2, 0, 1)

    def periodic(t):
        s = t + phases
        a, b = 0.75 * (np.cos(s) + np.sin(s)), (np.sin(2 * s) - 2 * np.cos(2 * s)) / 5
        return np.array([[2 + a, b], [b, 2 - a]]).transpose(2, 0, 1)

    def D(t):
        return np.exp(-t) * (start - periodic(0)) + periodic(t)

    return WeightPath(
        lambda t: Heads.descent(D(t)),
        lambda t: (target(t) - D(t), D(t) - target(t)),
        H=2,
        d=2,
    )


def ring(n=10):
    k = np.arange(n)
    angle = 2 * np.pi * k / n + 0.3 * np.sin(k)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.mark.unchecked
@pytest.mark.parametrize(
    ("rule", "end", "work", "lost", "residual"),
    [
        ("softmax", 1.5481643641, 1.5310126455, 0.5695398966, 3e-6),
        ("gradient", 1.4145180059, 1.4943149264, 0.6664885357, 6e-6),
    ],
)
def test_balance_along_moving_weights_closes_with_the_fourth_power_of_the_step(
    rule, end, work, lost, residual
):
    path = oscillating(np.array([0, np.pi]))
    field = attention.field(path, rule=rule)

    def account(steps):
        run = flow.solve(field, ring(), np.linspace(0, 4, steps + 1), "rk4")
        return energy.balance(run, path, rule)

    coarse, fine = account(40), account(80)
    assert coarse.residual[-1] == pytest.approx(residual, rel=0.25)
    ratio = coarse.residual[-1] / fine.residual[-1]
    assert np.log2(ratio) == pytest.approx(4, abs=0.15)
    assert fine.energy[0] == pytest.approx(0.586691615180, abs=1e-12)
    # The printed numbers are those of 640 steps; here the error is near the residual.
    assert fine.energy[-1] == pytest.approx(end, abs=1e-6)
    assert fine.by_weights[-1] == pytest.approx(work, abs=1e-6)
    assert fine.dissipated[-1] == pytest.approx(lost, abs=1e-6)
    np.testing.assert_array_equal(fine.martingale, 0)


@pytest.mark.unchecked
def test_action_in_place_of_dissipation_leaves_a_gap_that_no_step_closes():
    path = oscillating(np.array([0, np.pi]))
    t = np.linspace(0, 4, 81)
    run = flow.solve(attention.field(path), ring(), t, "rk4")
    mismatch = [energy.head_mismatch(x, path(s)) for s, x in zip(t, run.x)]
    simpson = np.tile([2, 4], 40) / 3
    simpson[0] = 1 / 3
    total = (simpson @ mismatch[:-1] + mismatch[-1] / 3) * 0.05
    assert total == pytest.approx(0.5695398966 - 0.5803952230, abs=1e-5)


@pytest.mark.unchecked
@pytest.mark.parametrize("rule", ["softmax", "gradient", "unnormalised"])
def test_balance_at_frozen_weights_closes_with_the_fourth_power(
    tokens, descent_heads, rule
):
    heads, x0 = descent_heads(3, beta=0.4), tokens(3)

    def residual(steps):
        t = np.linspace(0, 1, steps + 1)
        run = flow.solve(attention.field(heads, rule=rule), x0, t, "rk4")
        account = energy.balance(run, heads, rule)
        np.testing.assert_array_equal(account.by_weights, 0)
        return abs(account.residual[-1])

    assert np.log2(residual(16) / residual(32)) == pytest.approx(4, abs=0.4)


@pytest.mark.unchecked
def test_balance_counts_the_jumps_between_layers(tokens, descent_heads):
    stack = [descent_heads(k, beta=0.4) for k in range(3)]
    path = weights.layers(stack, [0, 1, 1.5, 2])

    def account(steps):
        t = np.linspace(0, 2, steps + 1)
        run = flow.solve(attention.field(path), tokens(1), t, "rk4")
        return run, energy.balance(run, path)

    coarse, fine = account(32)[1], account(64)[1]
    ratio = abs(coarse.residual[-1] / fine.residual[-1])
    assert np.log2(ratio) == pytest.approx(4, abs=0.4)
    x = account(32)[0].x[16]
    jump = energy.interaction(x, stack[1]) - energy.interaction(x, stack[0])
    assert coarse.by_weights[16] == pytest.approx(jump, rel=1e-12)
    assert coarse.by_weights[15] == 0


def test_balance_carries_masses(tokens, descent_heads):
    heads, mass = (
        descent_heads(2, beta=0.4),
        np.random.default_rng(2).dirichlet([1] * 9),
    )
    t = np.linspace(0, 1, 41)
    run = flow.solve(attention.field(heads, mass), tokens(2), t, "rk4")
    account = energy.balance(run, heads, mass=mass)
    assert abs(account.residual[-1]) < 1e-8
    assert abs(energy.balance(run, heads).residual[-1]) > 1e-4


# --- reference values -------------------------------------------------------------


def test_two_tokens_at_a_right_angle():
    heads = Heads.descent(I2)
    assert energy.interaction(I2, heads) == pytest.approx(0.9295704571, abs=5e-11)
    for rate in (energy.slope_squared, energy.dissipation):
        assert rate(I2, heads) == pytest.approx(0.1344707107, abs=5e-11)
    assert energy.interaction(I2, heads) == pytest.approx((np.e + 1) / 4, rel=1e-15)


def test_energy_along_two_tokens():
    run = flow.solve(attention.field(Heads.descent(I2)), I2, [0, 1, 2, 5])
    E = [energy.interaction(x, Heads.descent(I2)) for x in run.x[1:]]
    np.testing.assert_allclose(E, [0.84305834, 0.80810845, 0.77854998], atol=1e-8)


@pytest.mark.parametrize(
    ("x", "E"),
    [
        (I3[:1], 1.3591409142),
        (np.stack([I3[0], -I3[0]]), 0.7715403174),
        (OCTAHEDRON, 0.5905134391),
        (TETRAHEDRON, (np.e + 3 * np.exp(-1 / 3)) / 8),
        (CUBE, 0.588912),
    ],
)
def test_symmetric_bodies_have_their_energy_and_no_slope(x, E):
    heads = Heads.descent(I3)
    digits = 5e-7 if x is CUBE else 5e-11
    assert energy.interaction(x, heads) == pytest.approx(E, abs=digits)
    assert energy.slope_squared(x, heads) == pytest.approx(0, abs=1e-30)


def test_uniform_laws_have_their_energy():
    for d, beta, E in [
        (3, 1.0, 0.5876005968),
        (3, 4.0, np.sinh(4) / 32),
        (2, 1.0, 0.6330329389),
    ]:
        mu = sphere.quadrature(d, 20)
        heads = Heads.descent(np.eye(d), beta)
        assert energy.interaction(mu.x, heads, mu.mass) == pytest.approx(E, abs=5e-11)
    mu = sphere.quadrature(3, 20)
    doubled = Heads.descent(2 * I3)  # the first paper's D = 2I, at beta = 1
    assert energy.interaction(mu.x, doubled, mu.mass) == pytest.approx(
        0.9067151020, abs=5e-11
    )


def test_effective_weight_of_two_heads_on_the_uniform_sphere():
    mu = sphere.quadrature(3, 20)
    heads = Heads.descent(np.stack([I3, 2 * I3]))
    b = energy.effective_weight(mu.x, heads, mu.mass)
    np.testing.assert_allclose(b, 1.4261680728, atol=5e-11)
    s = energy.head_weights(mu.x, heads, mu.mass)
    np.testing.assert_allclose(heads.mass @ s, 1.4943156988, atol=5e-11)


def test_softmax_heads_that_differ_may_climb():
    """c = 1, k = 2, a = pi/8: closed forms and printed digits."""
    assert energy.interaction(TOKEN, COUNTER) == pytest.approx(0.5678079290, abs=5e-11)
    s, c, k = np.sin(np.pi / 4), 1.0, 2.0
    turn = (c - k) * np.cos(np.pi / 4)
    lost = turn**2 / 4 * (c * np.exp(c * s) - k * np.exp(-k * s)) / (c - k)
    assert energy.dissipation(TOKEN, COUNTER) == pytest.approx(lost, rel=1e-14)
    assert lost == pytest.approx(-0.1927351891, abs=5e-11)
    v = attention.velocity(TOKEN, COUNTER)
    action = energy.action(TOKEN, v, COUNTER)
    assert action == pytest.approx(0.0542732703, abs=5e-11)
    assert energy.slope_squared(TOKEN, COUNTER) == pytest.approx(
        0.6844410316, abs=5e-11
    )
    assert energy.head_mismatch(TOKEN, COUNTER) == pytest.approx(lost - action)


def test_the_climb_of_softmax_and_the_fall_of_the_gradient_rule():
    for rule, E in (("softmax", 0.6463870141), ("gradient", 0.4740)):
        run = flow.solve(attention.field(COUNTER, rule=rule), TOKEN, [0, 0.5])
        digits = 1e-8 if rule == "softmax" else 5e-5
        assert energy.interaction(run.x[-1], COUNTER) == pytest.approx(E, abs=digits)


# G^2 and dissipation of random heads Z + Z^T at a hundred tokens; seeds are not known.
RANDOM = {2: (3.187221, 4.167258), 10: (0.247953, 0.419963), 50: (0.037759, 0.053512)}


@pytest.mark.unchecked
@pytest.mark.parametrize("H", [2, 10, pytest.param(50, marks=pytest.mark.slow)])
def test_random_heads_have_a_mismatch_of_the_printed_size(H):
    """Each printed number is within the middle 95% of forty draws."""
    rng, draws = np.random.default_rng(1), []
    for _ in range(40):
        x, Z = sphere.uniform(100, 3, rng), rng.standard_normal((H, 3, 3))
        heads = Heads.descent(Z + Z.swapaxes(1, 2))
        lost = energy.dissipation(x, heads)
        draws.append((lost - energy.head_mismatch(x, heads), lost))
    low, high = np.percentile(draws, [2.5, 97.5], axis=0)
    assert (low < RANDOM[H]).all() and (RANDOM[H] < high).all(), (low, high)


def test_dissipation_of_random_heads_may_be_a_thousand_times_the_other_way():
    """Three tokens, two heads, G^2 small: -1200 was the least of another search."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((100_000, 3, 3))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    Z = rng.standard_normal((100_000, 2, 3, 3))
    D, y = Z + Z.swapaxes(2, 3), x[:, None]
    kernel = np.exp(y @ D @ y.swapaxes(2, 3)) / 3
    s, g = kernel.sum(axis=3), kernel @ y @ D
    g -= np.sum(g * y, axis=3, keepdims=True) * y
    v = np.mean(g / s[..., None], axis=1)
    lost = np.sum(g.mean(axis=1) * v, axis=(1, 2))
    ratio = lost / np.sum(np.sum(v**2, axis=2) / np.mean(1 / s, axis=1), axis=1)
    least = ratio.argmin()
    assert ratio[least] < -1200
    heads = Heads.descent(D[least])
    lost = energy.dissipation(x[least], heads)
    action = lost - energy.head_mismatch(x[least], heads)
    assert lost / action == pytest.approx(ratio[least], rel=1e-8)  # of a small velocity


# --- refusals ---------------------------------------------------------------------

NOISY = WeightPath(
    weights.constant(COUNTER), weights.constant(COUNTER).drift, 2, 2, noise_var=2.0
)
JUMPS = weights.layers([COUNTER, COUNTER], [0, 0.3, 1])
RUN = flow.Trajectory(np.array([0.0, 1.0]), np.stack([TOKEN, TOKEN]), "done", 1)
PAIR, LAW = np.array([[1.0, 0.0], [0.6, 0.8]]), weights.ornstein_uhlenbeck_law(I2)
REFUSALS = [
    (lambda: energy.interaction(2 * TOKEN, COUNTER), "x must be on the sphere"),
    (lambda: energy.interaction(I3, COUNTER), r"x must be of shape \(any, 2\)"),
    (
        lambda: energy.interaction(I2, Heads(I2, I2, 800.0)),
        r"beta must be small enough for values below e.700 \(here e.792.*, got 800",
    ),
    (lambda: energy.head_weights(I2, Heads(I2, I2, 800.0)), "beta must be small"),
    (lambda: energy.effective_weight(I2, Heads(I2, I2, 800.0)), "beta must be small"),
    (
        lambda: energy.head_mismatch(I2, Heads(I2, 2 * I2)),
        "heads.V must be -B in every head",
    ),
    (lambda: energy.dissipation(I2, Heads(I2, I2), "soft"), "rule must be one of"),
    (lambda: energy.action(I2, 1e200 * I2, COUNTER), "v must be of entries up to"),
    (
        lambda: energy.action(I2, 1e150 * I2, Heads(100 * I2, I2)),
        "v must be small enough for a value that is a double, got inf",
    ),
    (
        lambda: energy.slope_squared(I2, Heads(I2, I2, 690.0)),
        "heads must be of slopes up to 1e.150",
    ),
    (
        lambda: energy.dissipation(PAIR, Heads(1e149 * I2, 1e150 * I2, 3e-147)),
        "heads must be small enough for a value that is a double",
    ),
    (lambda: energy.first_variation(I2, Heads(I2, I2, 5e-324)), "beta must be small"),
    (lambda: energy.annealed_power(I2, LAW, 1.0, 1e200), "beta must be up to 1e.150"),
    (
        lambda: energy.annealed_interaction(I2, LAW, 1.0, 1e-320),
        "beta must be such that the energy is a double",
    ),
    (lambda: energy.balance(RUN, NOISY), "path must be free of noise, got noise_var"),
    (
        lambda: energy.balance(RUN, JUMPS),
        "trajectory.t must be inclusive of the jump of the weights at 0.3",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
