"""Attention: rows of weights, velocities under every rule, extremes, refusals."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from tfdynlib import attention, sphere, weights
from tfdynlib.weights import Heads

seeds = st.integers(0, 2**32 - 1)
betas = st.sampled_from([1e-3, 0.5, 4.0, 60.0, 800.0, 1e6])
RULES = ["softmax", "unnormalised", "hardmax", "gradient", "zero_temperature"]
rules = st.sampled_from(RULES)

I2, I3 = np.eye(2), np.eye(3)
THREE = np.stack([[np.cos(a), np.sin(a)] for a in 2 * np.pi * np.arange(3) / 3])


def naive_velocity(x, heads, mass):
    """The softmax rule written out token by token, for small beta."""
    v = np.zeros_like(x)
    for i, xi in enumerate(x):
        for h in range(heads.H):
            score = [heads.beta * (heads.B[h] @ xi) @ xj for xj in x]
            a = mass * np.exp(score)
            v[i] += heads.mass[h] * heads.V[h] @ (a @ x) / a.sum()
        v[i] -= (v[i] @ xi) * xi
    return v


# --- laws -------------------------------------------------------------------------


@given(seed=seeds, beta=betas)
def test_rows_sum_to_one_for_any_beta(tokens, random_heads, seed, beta):
    a = attention.attend(tokens(seed), random_heads(seed, beta=beta))
    assert a.shape == (2, 9, 9)
    assert (a >= 0).all()
    np.testing.assert_allclose(a.sum(axis=2), 1, atol=1e-14)


@given(seed=seeds)
def test_velocity_is_the_sum_over_tokens_written_out(tokens, random_heads, seed):
    x, heads = tokens(seed), random_heads(seed)
    mass = np.random.default_rng(seed).dirichlet(np.ones(9))
    np.testing.assert_allclose(
        attention.velocity(x, heads, mass), naive_velocity(x, heads, mass), atol=1e-13
    )


@given(seed=seeds, beta=betas, rule=rules)
def test_velocity_is_tangent(tokens, descent_heads, seed, beta, rule):
    H = 1 if rule == "gradient" else 2
    if rule == "unnormalised":
        beta = min(beta, 60.0)
    x, heads = tokens(seed), descent_heads(seed, H=H, beta=beta)
    v = attention.velocity(x, heads, rule=rule)
    size = max(1.0, np.abs(v).max())
    np.testing.assert_allclose(np.sum(x * v, axis=1), 0, atol=1e-13 * size)


@given(seed=seeds, rule=rules)
def test_velocity_turns_with_the_tokens_and_the_heads(
    tokens, descent_heads, seed, rule
):
    x, heads = tokens(seed), descent_heads(seed)
    R = ortho_group.rvs(3, random_state=seed)
    turned = Heads(R @ heads.B @ R.T, R @ heads.V @ R.T, heads.beta, heads.mass)
    D = (turned.B + turned.B.swapaxes(1, 2)) / 2  # symmetric again, to the last bit
    turned = Heads.descent(D, heads.beta, heads.mass)
    np.testing.assert_allclose(
        attention.velocity(x @ R.T, turned, rule=rule),
        attention.velocity(x, heads, rule=rule) @ R.T,
        rtol=1e-10,  # exponents of size 20 amplify the rounding of R D R^T
        atol=1e-12,
    )


@given(seed=seeds, rule=rules)
def test_velocity_permutes_with_the_tokens_and_not_with_the_heads(
    tokens, descent_heads, seed, rule
):
    x, heads = tokens(seed), descent_heads(seed, H=3)
    order = np.random.default_rng(seed).permutation(9)
    swapped = Heads(heads.B[::-1], heads.V[::-1], heads.beta, heads.mass[::-1])
    v = attention.velocity(x, heads, rule=rule)
    size = np.abs(v).max()
    for other in (heads, swapped):
        moved = attention.velocity(x[order], other, rule=rule)
        np.testing.assert_allclose(moved, v[order], atol=1e-13 * (1 + size))


@given(seed=seeds, rule=st.sampled_from(["softmax", "unnormalised", "hardmax"]))
def test_a_token_of_double_mass_is_two_tokens(tokens, random_heads, seed, rule):
    x, heads = tokens(seed, n=4), random_heads(seed)
    doubled = np.concatenate([x, x[:1]])
    v = attention.velocity(doubled, heads, rule=rule)
    one = attention.velocity(x, heads, mass=[0.4, 0.2, 0.2, 0.2], rule=rule)
    np.testing.assert_allclose(v[:4], one, atol=1e-13 * (1 + np.abs(v).max()))
    np.testing.assert_allclose(v[4], v[0], atol=1e-13 * (1 + np.abs(v).max()))


@given(seed=seeds, rule=rules)
def test_a_token_without_mass_is_moved_and_not_seen(tokens, descent_heads, seed, rule):
    x, heads = tokens(seed, n=5), descent_heads(seed, beta=40.0, H=1)
    mass = [0.25, 0.25, 0.25, 0.25, 0.0]
    v = attention.velocity(x, heads, mass, rule=rule)
    alone = attention.velocity(x[:4], heads, rule=rule, at=x)
    np.testing.assert_allclose(v, alone, rtol=1e-12, atol=1e-13)


@given(seed=seeds)
def test_query_and_key_may_be_mixed_by_any_inverse_pair(tokens, seed):
    rng = np.random.default_rng(seed)
    Q, K, V, R = rng.standard_normal((4, 3, 3))
    R += 3 * I3  # far from singular
    mixed = Heads.from_qkv(R @ Q, np.linalg.inv(R).T @ K, V)
    np.testing.assert_allclose(
        attention.attend(tokens(seed), mixed),
        attention.attend(tokens(seed), Heads.from_qkv(Q, K, V)),
        rtol=1e-9,  # condition of R, times exponents
        atol=1e-12,
    )


@given(seed=seeds)
def test_gradient_of_the_log_partition_is_what_a_token_sees(tokens, random_heads, seed):
    """d/dq log s(q) = beta B^T (mean): one head, queries off the sphere allowed."""
    x, heads = tokens(seed), random_heads(seed, H=1)
    q = tokens(seed + 1)[:1]
    step = 1e-5
    up, down = (
        attention.log_partition(x, heads, at=q + s * step * I3)[0] for s in (1, -1)
    )
    mean = attention.attend(x, heads, at=q)[0] @ x
    expected = heads.beta * mean[0] @ heads.B[0]
    # Central differences: step^2 times third derivatives, which are of size 1000.
    np.testing.assert_allclose((up - down) / (2 * step), expected, atol=1e-6)


@given(seed=seeds)
def test_one_head_makes_softmax_and_gradient_rule_one(tokens, descent_heads, seed):
    x = tokens(seed)
    for heads in (descent_heads(seed, H=1), descent_heads(seed, H=1, beta=200.0)):
        for pair in (heads, Heads(heads.B, heads.B, heads.beta)):
            np.testing.assert_allclose(
                attention.velocity(x, pair, rule="gradient"),
                attention.velocity(x, pair),
                atol=1e-12,
            )


@given(seed=seeds)
def test_gradient_rule_is_the_formula_written_out(tokens, descent_heads, seed):
    x, heads = tokens(seed), descent_heads(seed, H=3)
    kernel = np.exp(heads.beta * np.einsum("hab,ib,ja->hij", heads.B, x, x))
    s = kernel.mean(axis=2)
    g = np.einsum("hij,hab,jb->hia", kernel, heads.B, x) / 9
    v = -(heads.mass @ (1 / s))[:, None] * np.einsum("h,hia->ia", heads.mass, g)
    v = sphere.project(x, v)
    np.testing.assert_allclose(
        attention.velocity(x, heads, rule="gradient"), v, rtol=1e-9, atol=1e-12
    )


@given(seed=seeds)
def test_softmax_becomes_hardmax_when_it_is_cold(tokens, random_heads, seed):
    x, heads = tokens(seed), random_heads(seed, beta=1e6)
    score = np.sort(np.einsum("hab,ib,ja->hij", heads.B, x, x), axis=2)
    if (score[..., -1] - score[..., -2]).min() < 1e-4:  # a near tie stays soft
        return
    np.testing.assert_allclose(
        attention.velocity(x, heads), attention.velocity(x, heads, rule="hardmax")
    )


def test_a_full_sphere_that_is_cold_follows_the_zero_temperature_rule():
    mu, beta = sphere.quadrature(3, 40), 60.0
    D = np.array([[1.0, 0.3, 0.0], [0.3, 1.4, 0.1], [0.0, 0.1, 0.8]])
    V = np.array([[1.0, 0.4, 0.0], [0.0, 2.0, 0.3], [0.2, 0.0, 0.7]])
    heads = Heads(D, V, beta)
    v = attention.velocity(mu.x, heads, mu.mass)
    limit = attention.velocity(mu.x, heads, mu.mass, rule="zero_temperature")
    # Laplace: the mean is (coth k - 1/k) Bx/|Bx|, k = beta |Bx| >= 40, so 1/40.
    assert 1e-4 < np.abs(v - limit).max() < 2 / 40
    k = beta * np.linalg.norm(mu.x @ D, axis=1)
    langevin = 1 / np.tanh(k) - 1 / k
    np.testing.assert_allclose(v, langevin[:, None] * limit, atol=1e-9)


# --- extremes ---------------------------------------------------------------------


def test_beta_a_million_gives_finite_rows_and_velocities(tokens):
    x = tokens(0, n=50)
    for B in (I3, -I3):
        heads = Heads(B, I3, beta=1e6)
        a = attention.attend(x, heads)
        assert np.isfinite(a).all()
        np.testing.assert_allclose(a.sum(axis=2), 1, atol=1e-14)
        assert np.isfinite(attention.velocity(x, heads)).all()
        assert np.isfinite(attention.log_partition(x, heads)).all()


def test_hardmax_takes_the_mean_of_ties_by_their_masses():
    """Score from e1: both diagonal tokens tie, with masses 1 and 3."""
    x = np.array([[0, 1.0], [0, -1.0], [-1.0, 0]])
    heads = Heads(I2, I2)
    v = attention.velocity(
        x, heads, [0.2, 0.6, 0.2], rule="hardmax", at=np.array([[1.0, 0.0]])
    )
    np.testing.assert_allclose(v, [[0, -0.5]], atol=1e-15)


def test_hardmax_sees_the_ties_of_a_turned_square():
    """Rotation leaves ties only up to rounding; they count as ties."""
    for turn in np.linspace(0, 1, 7):
        angle = np.pi / 4 * np.array([0, 1, 7]) + turn
        x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        B = np.array([[0.0, 0.0], [0.0, 0.0]])
        v = attention.velocity(x, Heads(B, I2), rule="hardmax", space="euclidean")
        np.testing.assert_allclose(v, np.tile(x.mean(axis=0), (3, 1)), atol=1e-15)
        pair = attention.velocity(
            x[1:], Heads(I2, I2), rule="hardmax", space="euclidean", at=x[:1]
        )
        np.testing.assert_allclose(pair[0], x[1:].mean(axis=0), atol=1e-15)


def test_a_token_in_the_kernel_of_the_score_is_pulled_to_the_plain_mean(tokens):
    x = tokens(1)
    B = np.diag([1.0, 2.0, 0.0])
    a = attention.attend(x, Heads(B, I3, 50.0), at=np.array([[0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(a, 1 / 9, rtol=1e-14)
    still = attention.velocity(
        x, Heads(B, I3), rule="zero_temperature", at=np.array([[0.0, 0.0, 1.0]])
    )
    np.testing.assert_array_equal(still, 0)


def test_zero_weights_move_nothing(tokens):
    for rule in RULES:
        v = attention.velocity(tokens(2), Heads(0 * I3, 0 * I3), rule=rule)
        np.testing.assert_array_equal(v, 0)


def test_memory_grows_with_the_tokens_not_with_their_pairs():
    """20 000 tokens seen by 4000 points: the matrix alone would take 640 MB."""
    x = sphere.uniform(20_000, 3, np.random.default_rng(0))
    heads = Heads(I3, I3, beta=4.0)
    for measured in (attention.velocity, attention.log_partition):
        tracemalloc.start()
        try:
            measured(x, heads, at=x[:4000])
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 50e6


# --- reference values -------------------------------------------------------------


def test_three_tokens_attend_strongly_and_do_not_move():
    heads = Heads(I2, I2, beta=2.0)
    a = attention.attend(THREE, heads)[0]
    assert a[0, 0] == pytest.approx(1 / (1 + 2 * np.exp(-3)), abs=1e-15)
    np.testing.assert_allclose(a[0], [0.909443, 0.045279, 0.045279], atol=5e-7)
    np.testing.assert_allclose((a @ THREE)[0], [0.864164, 0], atol=5e-7)
    np.testing.assert_allclose(attention.velocity(THREE, heads), 0, atol=1e-15)


@pytest.mark.parametrize(
    ("beta", "perplexity"), [(0.01, 2.9999), (2.0, 1.4428), (5.0, 1.0094)]
)
def test_perplexity_of_three_tokens_falls_with_beta(beta, perplexity):
    a = attention.attend(THREE, Heads(I2, I2, beta))[0, 0]
    assert np.exp(-a @ np.log(a)) == pytest.approx(perplexity, abs=5e-5)


@pytest.mark.parametrize(
    ("beta", "score"),
    [(0.1, 0.2607), (1.0, 0.6545), (2.0, 0.8322), (5.0, 0.9415), (10.0, 0.9761)],
)
def test_what_a_query_hears_grows_with_beta(beta, score):
    x = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-1.0, 0.0]])
    a = attention.attend(x, Heads(I2, I2, beta))[0, 0]
    assert (a @ x)[0] == pytest.approx(score, abs=5e-5)
    if beta == 2.0:
        variance = a @ x[:, 0] ** 2 - (a @ x[:, 0]) ** 2
        assert variance == pytest.approx(0.100914, abs=5e-7)


@pytest.mark.parametrize(("beta", "speed"), [(1.0, 0.2689414214), (4.0, 0.0179862100)])
def test_two_tokens_at_a_right_angle_have_a_speed_in_closed_form(beta, speed):
    v = attention.velocity(I2, Heads(I2, I2, beta))
    np.testing.assert_allclose(v, [[0, speed], [speed, 0]], atol=5e-11)
    assert v[0, 1] == pytest.approx(1 / (1 + np.exp(beta)), abs=1e-15)


def test_uniform_sphere_is_heard_as_the_langevin_function():
    """A_3(k) = coth k - 1/k and A_2(k) = I_1(k)/I_0(k)."""
    for d, k, mean in [
        (3, 1.0, 0.3130352855),
        (3, 10.0, 0.9000000041),
        (2, 1.0, 0.4463899659),
        (2, 10.0, 0.9485998260),
        (2, 100.0, 0.9949873730),
    ]:
        mu = sphere.quadrature(d, 120)
        heads = Heads(np.eye(d), np.eye(d), k)
        v = attention.velocity(mu.x, heads, mu.mass, space="euclidean", at=mu.x[:9])
        np.testing.assert_allclose(v, mean * mu.x[:9], atol=1e-10)


def test_antipodal_pair_moves_by_a_hyperbolic_tangent():
    """x' = tanh(beta x^T B x) P_x V x, exactly, for +-x of equal masses."""
    V, B = np.array([[1, 0.3], [-0.2, 0.8]]), np.array([[0.9, 0.2], [0.1, 0.7]])
    x = np.array([np.cos(0.4), np.sin(0.4)])
    v = attention.velocity(np.stack([x, -x]), Heads(B, V, beta=3.0))
    expected = np.tanh(3 * x @ B @ x) * sphere.project(x, V @ x)
    np.testing.assert_allclose(v, [expected, -expected], atol=1e-15)


def test_field_is_the_velocity_along_the_path(tokens, random_heads):
    first, second = random_heads(0), random_heads(1)
    field = attention.field(weights.layers([first, second], [0, 1, 2]))
    x = tokens(0)
    assert field.space == "sphere" and field.breaks == (1.0,)
    np.testing.assert_array_equal(field(0.5, x), attention.velocity(x, first))
    np.testing.assert_array_equal(field(1.0, x), attention.velocity(x, second))
    masses = np.random.default_rng(0).dirichlet(np.ones(9))
    flat = attention.field(first, masses, rule="hardmax", space="euclidean")
    np.testing.assert_array_equal(
        flat(0, x),
        attention.velocity(x, first, masses, rule="hardmax", space="euclidean"),
    )


# --- refusals ---------------------------------------------------------------------

HEADS = Heads(I3, I3)
X = sphere.uniform(5, 3, np.random.default_rng(0))
REFUSALS = [
    (lambda: attention.velocity(2 * X, HEADS), "x must be on the sphere"),
    (lambda: attention.velocity(I2, HEADS), r"x must be of shape \(any, 3\)"),
    (lambda: attention.velocity(np.nan * X, HEADS), "x must be finite"),
    (lambda: attention.velocity(X, HEADS, [0.5, 0.5]), r"mass must be of shape \(5,\)"),
    (lambda: attention.velocity(X, HEADS, rule="soft"), "rule must be one of"),
    (lambda: attention.velocity(X, HEADS, method="fast"), "method must be one of"),
    (lambda: attention.velocity(X, HEADS, space="torus"), "space must be one of"),
    (lambda: attention.velocity(X, HEADS, tol=0.0), "tol must be positive"),
    (lambda: attention.velocity(X, HEADS, at=2 * X), "at must be on the sphere"),
    (
        lambda: attention.velocity(X, Heads(I3, 2 * I3), rule="gradient"),
        "heads.V must be -B in every head, or B in every head",
    ),
    (
        lambda: attention.velocity(X, Heads([I3, I3], [I3, -I3]), rule="gradient"),
        "heads.V must be -B in every head, or B in every head",
    ),
    (
        lambda: attention.velocity(
            X, HEADS, rule="zero_temperature", space="euclidean"
        ),
        "space must be 'sphere' for rule 'zero_temperature'",
    ),
    (
        lambda: attention.velocity(X, Heads(I3, I3, 800.0), rule="unnormalised"),
        "beta must be small enough for rule 'unnormalised'.* e.700.*, got 800",
    ),
    (
        lambda: attention.velocity(
            X[:1], Heads.descent([I3, -I3], 500.0), rule="gradient"
        ),
        "beta must be small enough for rule 'gradient'.*, got 500",
    ),
    (lambda: attention.field(HEADS, mass=[0.5, 0.6]), "mass must be masses that sum"),
    (lambda: attention.field(HEADS, mass=[0.5, 0.5])(0, X), "x must be 2 tokens"),
    (lambda: attention.field(HEADS, rule="soft"), "rule must be one of"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
