"""Stability in the input and in the weights, convergence of energies, weight decay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdynlib import attention, energy, flow, sphere, stability, weights
from tfdynlib.measure import Measure, wasserstein2
from tfdynlib.weights import Heads, WeightPath

seeds = st.integers(0, 2**32 - 1)
I2 = np.eye(2)
J = np.array([[0.0, 1.0], [1.0, 0.0]])
P = np.array([[1.0, 0.3], [0.3, -0.5]])
Q = np.array([[-0.6, 0.2], [0.2, 0.8]])
BOTH = np.stack([P, Q])


def circle(angle):
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


THETA = 2 * np.pi * np.arange(24) / 24
THETA = THETA + 0.4 * np.sin(THETA)
START = circle(THETA)


def gap(x, y):
    return wasserstein2(Measure(x), Measure(y), "geodesic")


def end(heads, x, t=2.0):
    return flow.solve(attention.field(heads), x, [0.0, t]).x[-1]


# --- the input --------------------------------------------------------------------


def test_a_pair_that_repels_keeps_within_the_exponential():
    """phi' = F(phi) = 2 sin(phi) e^cos / (e + e^cos): growth F(phi(T)) / F(phi(0))."""
    heads, t = Heads.descent(I2), [0.0, 1.0, 2.0, 4.0]

    def F(phi):
        return 2 * np.sin(phi) * np.exp(np.cos(phi)) / (np.e + np.exp(np.cos(phi)))

    run = flow.solve(attention.field(heads), circle(np.array([0.0, 0.3])), t)
    phi = sphere.distance(run.x[:, 0], run.x[:, 1])
    expected = [0.7364221336, 1.3704452680, 2.2100861015]
    np.testing.assert_allclose(phi[1:], expected, atol=1e-8)  # tolerance of dopri5
    growth = F(phi[1:]) / F(0.3)
    expected = [2.0251361666, 2.1017258044, 0.9358065156]
    np.testing.assert_allclose(growth, expected, atol=1e-7)
    assert (growth <= np.exp(t[1:])).all()
    # Close together their distance grows at rate 1, opposite it shrinks.
    assert stability.logarithmic_norm(
        circle(np.array([0.0, 1e-8])), heads
    ) == pytest.approx(1.0, abs=1e-7)
    # One of the two directions only turns the pair: its rate is 0.
    apart = stability.logarithmic_norm(circle(np.array([0.0, np.pi])), heads)
    assert apart == pytest.approx(0.0, abs=1e-12)
    # The other is the relative one, F'(pi) = -2 e^-1 / (e + 1/e).
    opposite = circle(np.array([0.0, np.pi]))
    rates = np.linalg.eigvalsh(stability._jacobian(opposite, heads, np.full(2, 0.5)))
    assert rates == pytest.approx([-0.2384058440, 0.0], abs=6e-11)


def test_the_constant_for_all_clouds_is_useless():
    heads = Heads.descent(BOTH)
    assert stability.lipschitz_constant(heads) == pytest.approx(30.568190741, abs=5e-10)


@pytest.mark.parametrize(
    ("sign", "ratios", "bound"),
    [
        (-1, [0.98615396, 1.00388467, 1.00594826], 1.6158596),
        (1, [1.18511705, 1.21008704, 1.21197567], 1.7467988),
    ],
)
def test_measured_growth_lies_below_the_logarithmic_norm(sign, ratios, bound):
    heads = Heads(BOTH, sign * BOTH)
    t = np.linspace(0, 2, 21)
    run = flow.solve(attention.field(heads), START, t)
    line = stability.growth_bound(run, heads)
    # The printed bound is that of another quadrature: it differs by 1e-6.
    assert line[0] == 1 and line[-1] == pytest.approx(bound, abs=2e-6)
    for eps, ratio in zip((1e-1, 1e-2, 1e-3), ratios):
        moved = circle(THETA + eps * (np.cos(3 * THETA) + 0.5 * np.sin(THETA)))
        before = gap(START, moved)
        assert before == pytest.approx(0.785624736 * eps, rel=1e-9)
        found = gap(run.x[-1], end(heads, moved)) / before
        # Printed to 5e-9; dopri5 leaves 1e-9 / eps.
        assert found == pytest.approx(ratio, abs=1e-8 + 1e-9 / eps)
        assert found < line[-1]


@pytest.mark.parametrize(("sign", "ratio"), [(-1, 1.00615713), (1, 1.21215838)])
def test_growth_of_a_tiny_perturbation(sign, ratio):
    """At 1e-4, where the tolerance of the default method would be seen."""
    field = attention.field(Heads(BOTH, sign * BOTH))
    moved = circle(THETA + 1e-4 * (np.cos(3 * THETA) + 0.5 * np.sin(THETA)))
    one, two = (
        flow.solve(field, x, [0.0, 2.0], "dop853", rtol=1e-12, atol=1e-13).x[-1]
        for x in (START, moved)
    )
    # Half a unit of the last printed digit, and 1e-13 of the angles over 1e-4.
    assert gap(one, two) / gap(START, moved) == pytest.approx(ratio, abs=7e-9)


@given(seed=seeds, d=st.sampled_from([2, 3, 4]))
def test_jacobian_is_the_derivative_of_the_velocity(tokens, random_heads, seed, d):
    x, heads = tokens(seed, n=5, d=d), random_heads(seed, d=d)
    rng = np.random.default_rng(seed)
    mass = rng.dirichlet(np.ones(5))
    frame = np.linalg.qr(x[:, :, None], mode="complete")[0][:, :, 1:]
    u = rng.standard_normal((5, d - 1))
    xi = np.einsum("iap,ip->ia", frame, u)

    def along(s):
        return attention.velocity(sphere.retract(x + s * xi), heads, mass)

    h = 1e-5
    change = (along(h) - along(-h)) / (2 * h)
    expected = np.einsum("iap,ia->ip", frame, change).ravel()
    found = stability._jacobian(x, heads, mass) @ u.ravel()
    # h^2 and rounding / h, both 1e-10, times derivatives of scores of size ten.
    np.testing.assert_allclose(found, expected, atol=1e-7 * (1 + np.abs(found).max()))


@given(seed=seeds)
def test_logarithmic_norm_does_not_see_names_or_split_tokens(
    tokens, random_heads, seed
):
    x, heads = tokens(seed), random_heads(seed)
    mass = np.random.default_rng(seed).dirichlet(np.ones(9))
    rate = stability.logarithmic_norm(x, heads, mass)
    order = np.random.default_rng(seed).permutation(9)
    again = stability.logarithmic_norm(x[order], heads, mass[order])
    assert again == pytest.approx(rate, rel=1e-10, abs=1e-10)
    # A token cut in two has more ways to be moved, never fewer.
    twice = stability.logarithmic_norm(
        np.concatenate([x, x]), heads, np.tile(mass / 2, 2)
    )
    assert twice >= rate - 1e-10 * (1 + abs(rate))


# --- the weights ------------------------------------------------------------------


def test_tokens_move_in_proportion_to_a_change_of_weights():
    base = end(Heads.descent(BOTH), START)
    printed = {0.1: 0.22969556, 0.05: 0.23166944, 0.025: 0.23260576, 0.0125: 0.23306049}
    for eps, ratio in printed.items():
        moved = end(Heads.descent(np.stack([P + eps * J, Q])), START)
        assert gap(base, moved) / eps == pytest.approx(ratio, abs=1e-7)


def decaying(rate):
    return WeightPath(
        lambda t: Heads.descent(np.exp(-rate * t) * P),
        lambda t: (
            -rate * np.exp(-rate * t) * P[None],
            rate * np.exp(-rate * t) * P[None],
        ),
        1,
        2,
        integrable=True,
    )


def test_tokens_move_in_proportion_to_the_decay_of_weights():
    base = end(Heads.descent(P), START)
    printed = {0.1: 0.282584, 0.05: 0.291012, 0.025: 0.295204, 0.0125: 0.297290}
    for rate, ratio in printed.items():
        moved = end(decaying(rate), START)
        assert gap(base, moved) / rate == pytest.approx(ratio, abs=1e-6)


@pytest.mark.unchecked
@pytest.mark.parametrize(
    ("rate", "lost", "mean", "angle"),
    [
        (0.5, 0.0244605159, 0.09459930, 0.0315097859),
        (1, 0.0147676244, 0.12298152, 0.0148230296),
        (2, 0.0081875254, 0.15393579, 0.0076311495),
    ],
)
def test_weights_that_decay_leave_the_tokens_at_rest(rate, lost, mean, angle):
    path = decaying(rate)
    # Times dense where the tokens move: after t = 30 e^{-15} is left.
    t = 30 * np.linspace(0, 1, 101) ** 2
    run = flow.solve(attention.field(path), START, t)
    account = energy.balance(run, path)
    assert energy.interaction(START, path(0)) == pytest.approx(0.6239965056, abs=5e-11)
    # Simpson on these times.
    assert account.dissipated[-1] == pytest.approx(lost, abs=2e-6)
    x = run.x[-1]
    assert np.linalg.norm(x.mean(axis=0)) == pytest.approx(mean, abs=1e-7)
    assert abs(np.arctan2(x[0, 1], x[0, 0])) == pytest.approx(angle, abs=1e-7)
    assert account.energy[-1] == pytest.approx(0.5, abs=1e-6)  # weights are gone


def test_the_slope_of_decaying_weights_decays_twice_as_fast():
    path = decaying(1.0)
    run = flow.solve(attention.field(path), START, [0.0, 5.0, 10.0], rtol=1e-10)
    late = [energy.slope_squared(run.x[k], path(run.t[k])) for k in (1, 2)]
    assert late[1] / late[0] == pytest.approx(4.49984e-5, rel=2e-6)


# --- convergence of energies ------------------------------------------------------


@given(seed=seeds, n=st.integers(1, 30))
def test_energies_differ_by_less_than_the_bound(
    tokens, descent_heads, random_heads, seed, n
):
    a, b = descent_heads(seed, H=2), descent_heads(seed + 1, H=3)
    x = tokens(seed, n)
    bound = stability.energy_gap_bound(a, b)
    assert abs(energy.interaction(x, a) - energy.interaction(x, b)) <= bound
    assert stability.energy_gap_bound(b, a) == pytest.approx(bound, rel=1e-12)
    assert stability.energy_gap_bound(a, a) == 0


@pytest.mark.parametrize(
    ("eps", "E"), [(0.1, 0.1833282864), (0.01, 0.1839335894), (0, 0.1839397206)]
)
def test_one_token_goes_to_the_lowest_eigenvector(eps, E):
    heads = Heads.descent(np.diag([2.0, -1.0]) + eps * J)
    found = stability.minimise(circle(np.array([1.5])), heads)
    assert found.status == "done"
    assert found.energy == pytest.approx(E, abs=5e-11)
    angle = np.arctan2(found.x[0, 1], found.x[0, 0]) - np.pi / 2
    # A minimum is flat: rounding 1e-16 of E is 1e-8 of the angle.
    assert angle == pytest.approx(np.arctan(2 * eps / 3) / 2, abs=1e-7)


@pytest.mark.parametrize(
    ("size", "n", "excess"),
    [
        (1, 3, 2.219092e-2),
        (1, 4, 2.737220e-3),
        (1, 6, 2.248866e-5),
        (1, 8, 9.960624e-8),
        (2, 6, 1.600176e-3),
    ],
)
def test_equally_spaced_tokens_are_minimal(size, n, excess):
    k = np.arange(n)
    start = circle(2 * np.pi * k / n + 0.1 * np.sin(k))
    found = stability.minimise(start, Heads.descent(size * I2))
    spread = energy.interaction(circle(2 * np.pi * k / n), Heads.descent(size * I2))
    for E in (found.energy, spread):
        assert E - np.i0(size) / 2 == pytest.approx(excess, rel=1e-6, abs=1e-14)


@pytest.mark.unchecked
def test_minima_fall_with_the_square_of_a_perturbation():
    k = np.arange(16)
    start = circle(2 * np.pi * (k + 0.5) / 16 + 0.01 * np.sin(k))
    printed = {
        0: 0.7191148613,
        0.4: 0.6704853196,
        0.2: 0.7058713215,
        0.1: 0.7157298068,
        0.05: 0.7182638534,
        0.025: 0.7189018111,
    }
    found = {
        eps: stability.minimise(start, Heads.descent(np.diag([2.0, 1.0]) + eps * J))
        for eps in printed
    }
    for eps, E in printed.items():
        assert found[eps].energy == pytest.approx(E, abs=1e-9)
    drop = [found[0].energy - found[eps].energy for eps in (0.1, 0.05, 0.025)]
    assert drop == pytest.approx([3.385e-3, 8.510e-4, 2.131e-4], abs=6e-8)
    assert np.log2(drop[1] / drop[2]) == pytest.approx(2, abs=0.02)
    # Minimisers move in proportion; reflections of one are as good.
    signs = [np.array(s) for s in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
    moved = [
        min(gap(found[0].x, s * found[eps].x) for s in signs)
        for eps in (0.1, 0.05, 0.025)
    ]
    assert moved == pytest.approx([0.0990, 0.0499, 0.0250], abs=6e-5)


def test_weights_that_vanish_leave_the_energy_of_the_mean(tokens):
    """(E - 1/2) / eps tends to <mean, D mean> / 2."""
    x, D = tokens(0, d=2), P
    mean = x.mean(axis=0)
    for eps in (1e-3, 1e-4):
        E = energy.interaction(x, Heads.descent(eps * D))
        assert (E - 0.5) / eps == pytest.approx(mean @ D @ mean / 2, abs=2 * eps)


def still(t):
    """Two antipodal tokens, at rest under every B = aI, V = bI."""
    x = np.array([[1.0, 0.0], [-1.0, 0.0]])
    return flow.Trajectory(np.array(t, float), np.stack([x] * len(t)), "done", 1)


TURNING = weights.layers([Heads(I2, I2), Heads(I2, -I2)], [0, 0.5, 1])


def test_growth_is_bounded_layer_by_layer():
    """Constant rates, so that their integral is a sum; one is after a jump."""
    rates = [stability.logarithmic_norm(still([0]).x[0], TURNING(t)) for t in (0, 0.5)]
    t = np.array([0, 0.2, 0.5, 0.7, 1.0])
    exact = rates[0] * np.minimum(t, 0.5) + rates[1] * np.maximum(t - 0.5, 0)
    found = stability.growth_bound(still(t), TURNING)
    np.testing.assert_allclose(np.log(found), exact, rtol=1e-13)


def test_a_bound_beyond_the_doubles_is_infinite():
    found = stability.growth_bound(still([0.0, 1.0]), Heads(I2, 1e4 * I2))
    assert found.tolist() == [1.0, np.inf]


def test_equal_clouds_under_equal_heads_stay_together_for_all_time():
    for heads in (Heads(I2, I2), Heads(I2, 0 * I2)):
        assert stability.log_drift_bound(1e308, heads, heads, 0) == -np.inf


# --- refusals ---------------------------------------------------------------------

HUGE = Heads(1e150 * I2, 1e150 * I2, 1e150)
REFUSALS = [
    (lambda: stability.lipschitz_constant(Heads(I2, 2 * I2)), "heads.V must be -B"),
    (
        lambda: stability.lipschitz_constant(Heads(I2, I2, 400)),
        "heads must be of beta .B. up to 300, got 400",
    ),
    (
        lambda: stability.logarithmic_norm(I2, Heads(I2, I2), [1, 0]),
        "mass must be positive for every token",
    ),
    (lambda: stability.logarithmic_norm(2 * I2, Heads(I2, I2)), "x must be on the sph"),
    (
        lambda: stability.energy_gap_bound(Heads(I2, I2), Heads(I2, I2, 2)),
        "other must be of beta=1, d=2",
    ),
    (
        lambda: stability.logarithmic_norm(
            np.array([[1.0], [-1.0]]), Heads([[1]], [[1]])
        ),
        "x must be of two columns or more",
    ),
    (
        lambda: stability.field_gap(HUGE, Heads(-HUGE.B, HUGE.V, 1e150)),
        "heads must be small enough for a value that is a double, got inf",
    ),
    (
        lambda: stability.energy_gap_bound(Heads(800 * I2, I2), Heads(I2, I2)),
        "heads must be of beta .B. up to 300, got 800",
    ),
    (
        lambda: stability.log_drift_bound(np.inf, Heads(I2, I2), Heads(I2, I2), 0),
        "t must be finite, got inf",
    ),
    (
        lambda: stability.growth_bound(still([0.0, 1.0]), TURNING),
        "trajectory.t must be inclusive of the jump of the weights at 0.5",
    ),
    (lambda: stability.minimise(np.eye(3), Heads(I2, I2)), r"x0 must be of shape"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


# --- constants along arcs -----------------------------------------------------------


def test_the_constant_of_the_plain_head_is_two_and_three_hyperbolic_cosines():
    for sign in (1, -1):
        L = stability.geodesic_constant(Heads(I2, sign * I2))
        assert L == pytest.approx(2 + 3 * np.cosh(1), rel=1e-14)
    mean = stability.geodesic_constant(
        Heads(np.stack([I2, 0 * I2]), np.stack([I2] * 2))
    )
    # B = 0 hears the mean of all: 1 for the projection, 1 for the mean.
    assert mean == pytest.approx((2 + 3 * np.cosh(1) + 2) / 2, rel=1e-14)


@given(seeds)
def test_no_local_rate_is_above_the_constant_along_arcs(seed):
    rng = np.random.default_rng(seed)
    B, V = rng.standard_normal((2, 2, 3, 3))
    heads = Heads(B, V, beta=0.7)
    for x in (sphere.uniform(6, 3, rng), np.tile(sphere.uniform(1, 3, rng), (4, 1))):
        rate = stability.logarithmic_norm(x, heads)
        assert rate <= stability.geodesic_constant(heads) * (1 + 1e-12)


@given(seeds)
def test_velocities_under_two_weights_are_no_further_apart_than_the_gap(seed):
    rng = np.random.default_rng(seed)
    B, V = rng.standard_normal((2, 2, 3, 3))
    one = Heads(B, V, beta=0.7)
    other = Heads(B + 0.3 * V, V - 0.2 * B, beta=0.7)
    x = sphere.uniform(6, 3, rng)
    apart = attention.velocity(x, one) - attention.velocity(x, other)
    longest = np.linalg.norm(apart, axis=1).max()
    assert longest <= stability.field_gap(one, other) * (1 + 1e-12)


def test_the_gap_is_nearly_attained_by_the_values():
    """One token hears only itself: |(V - V') x| for x across the change."""
    x = np.array([[1.0, 0.0]])
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    one, other = Heads(I2, turn), Heads(I2, 2 * turn)
    apart = attention.velocity(x, other) - attention.velocity(x, one)
    assert np.linalg.norm(apart) == pytest.approx(stability.field_gap(one, other))


def test_drift_of_two_clouds_keeps_below_its_bound():
    one, other = Heads.descent(0.3 * P), Heads.descent(0.3 * P + 0.01 * J)
    moved = circle(THETA + 1e-3 * np.cos(3 * THETA))
    start = gap(START, moved)
    apart = gap(end(one, START, 1.0), end(other, moved, 1.0))
    bound = stability.log_drift_bound(1.0, one, other, start)
    assert np.log(apart) < bound
    # At t = 0 it is the distance, and its slope there L d + delta.
    assert stability.log_drift_bound(0.0, one, other, start) == pytest.approx(
        np.log(start)
    )
    h = 1e-6
    L, delta = stability.geodesic_constant(one), stability.field_gap(one, other)
    slope = (np.exp(stability.log_drift_bound(h, one, other, start)) - start) / h
    assert slope == pytest.approx(L * start + delta, rel=1e-4)  # h L, and rounding / h
    assert stability.log_drift_bound(3.0, one, one, 0.0) == -np.inf


def test_constants_refuse_what_they_cannot_compare():
    one = Heads.descent(I2)
    with pytest.raises(ValueError, match="^other must be"):
        stability.field_gap(one, Heads.descent(np.stack([P, Q])))
    with pytest.raises(ValueError, match="^other must be"):
        stability.field_gap(one, Heads.descent(I2, beta=2.0))
    with pytest.raises(ValueError, match="^heads must be of beta"):
        stability.geodesic_constant(Heads.descent(400 * I2))
