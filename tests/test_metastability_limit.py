"""The limit at zero temperature: where it sends a cloud, and how far finite beta is.

Numbers without a formula are those of the book's own first calculations, made with
other code; their last digit is the tolerance unless another reason is given.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdynlib import attention, flow, measure, metastability, sphere
from tfdynlib.measure import Measure
from tfdynlib.metastability import Limit
from tfdynlib.weights import Heads

seeds = st.integers(0, 2**32 - 1)
I2, I3 = np.eye(2), np.eye(3)
V2 = np.array([[1, 0.5], [0, 1.8]])
COLD2D = Heads(np.linalg.inv(V2) @ np.diag([2.0, 1.0]), V2)
V3 = np.array([[1, 0.4, 0], [0, 2, 0.3], [0.2, 0, 0.7]])
GENERIC = Heads(np.linalg.inv(V3) @ np.diag([2.0, 1, 0.5]), V3)
QUERY = np.array([[0.6, 0.0, 0.8]])


def symmetric_heads(seed, d=3, repeated=1):
    """Heads with V B symmetric, a repeated top eigenvalue and B far from singular."""
    rng = np.random.default_rng([seed, 3])
    Q, R = (np.linalg.qr(z)[0] for z in rng.standard_normal((2, d, d)))
    values = np.append(np.full(repeated, 2.0), rng.uniform(-1, 1.5, d - repeated))
    B = Q @ np.diag(rng.uniform(0.5, 1.5, d)) @ R
    return Heads(B, (Q * values) @ Q.T @ np.linalg.inv(B), 10.0)


def graded(d, k):
    """What W2 to the limit sees of the uniform law if dim E = k: nodes in the angle to
    the complement of E, dense where a cloud is late."""
    node, weight = np.polynomial.legendre.leggauss(300)
    late = np.pi / 2 * np.exp(-20 * (node + 1))
    mass = weight * late * np.sin(late) ** (k - 1) * np.cos(late) ** (d - k - 1)
    x = np.zeros((300, d))
    x[:, 0], x[:, -1] = np.sin(late), np.cos(late)
    return Measure(x, mass / mass.sum())


def distance_at(t, d, k, ground="chordal"):
    """W2 to the limit at t: uniform start, B = I, gap 1."""
    heads, mu = Heads(np.eye(d), np.diag([2.0] * k + [1.0] * (d - k))), graded(d, k)
    moved = Measure(metastability.zero_temperature(mu.x, heads, t), mu.mass)
    limit = Limit.of(heads)
    return metastability.distance_to_limit(moved, limit, ground=ground)


# --- the flow -----------------------------------------------------------------------


@pytest.mark.unchecked
@given(seed=seeds, d=st.sampled_from([2, 3, 5]))
def test_the_closed_form_is_the_flow_of_the_rule(tokens, random_heads, seed, d):
    """Any V and B, times in any order; tolerance ten times that of the integrator."""
    x, heads = tokens(seed, n=4, d=d), random_heads(seed, H=1, d=d)
    cold = attention.field(heads, rule="zero_temperature")
    run = flow.solve(cold, x, [0, 0.3, 2], "dop853", rtol=1e-11, atol=1e-13)
    closed = metastability.zero_temperature(x, heads, [2, 0, 0.3])
    np.testing.assert_allclose(closed[[1, 2, 0]], run.x, atol=1e-9)


@pytest.mark.unchecked
@given(seed=seeds, b=st.floats(0.01, 100))
def test_a_multiple_of_the_identity_as_scores_has_no_say(tokens, seed, b):
    rng = np.random.default_rng(seed)
    V, x = rng.standard_normal((3, 3)), tokens(seed)
    closed = metastability.zero_temperature(x, Heads(b * I3, V), 1.5)
    value, vector = np.linalg.eig(V)
    free = ((vector * np.exp(1.5 * value)) @ np.linalg.solve(vector, x.T)).real.T
    np.testing.assert_allclose(closed, sphere.retract(free), atol=1e-8)


def test_one_token_of_the_generic_example():
    x = metastability.zero_temperature(QUERY, GENERIC, [1, 3])[:, 0]
    np.testing.assert_allclose(x[:, 0], [0.8937411, 0.9942920], atol=6e-8)
    np.testing.assert_allclose(x[:, 2], [0.4485832, 0.1066931], atol=6e-8)
    # Inner times: M = diag(2, 1, 1/2), so the ratio of coordinates tells them.
    inner = np.log(x[:, 0] / x[:, 2] * 0.8 / 0.6) / 1.5
    np.testing.assert_allclose(inner, [0.651336, 1.679838], atol=6e-7)
    assert np.linalg.norm(GENERIC.B[0], 2) == pytest.approx(2.0620114, abs=6e-8)
    first = metastability.zero_temperature(QUERY, Heads(I3, np.diag([2.0, 1, 1])), 2.0)
    assert first[0, 0] == pytest.approx(0.984107, abs=6e-7)


def test_the_bound_on_what_is_left_outside_the_dominant_space():
    x = metastability.zero_temperature(QUERY, GENERIC, 1.0)
    r = 1 / Limit.of(GENERIC).reach(x)[0] ** 2 - 1
    start = 1 / 0.6**2 - 1
    bound = start * np.exp(-2 * Limit.of(GENERIC).rate)
    assert (r, bound) == pytest.approx((0.251920, 0.673975), abs=6e-7)


@pytest.mark.unchecked
@given(seed=seeds, repeated=st.sampled_from([1, 2]))
def test_the_flow_keeps_the_projection_and_obeys_its_rate(tokens, seed, repeated):
    heads, x = symmetric_heads(seed, 3, repeated), tokens(seed, n=20)
    limit = Limit.of(heads)
    assert limit.dim == repeated
    kept = limit.reach(x) > 1e-3
    later = metastability.zero_temperature(x[kept], heads, 1.7)
    np.testing.assert_allclose(limit.project(later), limit.project(x[kept]), atol=1e-9)
    r, r0 = (1 / limit.reach(y) ** 2 - 1 for y in (later, x[kept]))
    assert (r <= r0 * np.exp(-2 * 1.7 * limit.rate) * (1 + 1e-9) + 1e-12).all()


# --- the limit ----------------------------------------------------------------------


@given(seed=seeds, d=st.sampled_from([2, 3, 6]))
def test_the_limit_knows_its_matrix(tokens, seed, d):
    limit, x = Limit.of(symmetric_heads(seed, d)), tokens(seed, d=d)
    np.testing.assert_allclose(
        limit.M @ limit.basis, limit.values[0] * limit.basis, atol=1e-9
    )
    assert limit.values[0] - limit.values[1] == limit.gap
    once = limit.project(x)
    np.testing.assert_allclose(limit.project(once), once, atol=1e-14)
    np.testing.assert_allclose(limit.project(-x), -once)
    # The nearest point of E on the sphere: no nearer one among a hundred.
    others = limit.project(tokens(seed + 1, n=100, d=d))
    assert (x @ others.T <= limit.reach(x)[:, None] + 1e-12).all()


def test_a_degenerate_limit_is_told_by_its_gap():
    limit = Limit.of(Heads(I3, I3))
    assert (limit.gap, limit.dim, limit.rate) == (0.0, 3, 0.0)
    checks = limit.assumptions(sphere.quadrature(3, 5))
    assert [c.holds for c in checks] == [True, False, True, None]


def test_assumptions_hold_with_their_margins():
    nodes = sphere.quadrature(3, 21)
    checks = Limit.of(GENERIC).assumptions(nodes, lambda x: 1 + x[:, 2] / 2)
    assert all(c.holds for c in checks)
    size = np.linalg.svd(GENERIC.B[0], compute_uv=False)
    assert checks[0].margin == pytest.approx(size[-1] / size[0])
    assert checks[1].margin == pytest.approx(0.5)
    assert checks[3].margin == pytest.approx(0.5, abs=0.01)  # the lowest node


@pytest.mark.parametrize(
    ("density", "holds"),
    [
        (lambda x: 1 + np.maximum(x[:, 2], 0) / 2, True),  # a kink
        (lambda x: 1 + 0.9 * np.sin(9 * x[:, 0]) * x[:, 1], True),  # far from uniform
        (lambda x: 0.1 + np.sqrt(np.abs(x[:, 2])), False),  # a root
        (lambda x: 1.0 + (x[:, 2] > 0), False),  # a jump
        (lambda x: np.maximum(x[:, 2], 0), False),  # nothing below
    ],
)
def test_a_density_is_asked_to_be_positive_and_lipschitz(density, holds):
    mu = metastability.weighted(sphere.quadrature(3, 20), density)
    assert Limit.of(GENERIC).assumptions(mu, density)[3].holds is holds


@pytest.mark.unchecked
@given(share=st.floats(0.01, 0.5))
def test_the_second_assumption_violated_on_purpose(share):
    """Mass on the complement of E stays there: W2 comes to the root of twice it."""
    heads = Heads(I3, np.diag([2.0, 1, 1]))
    limit, nodes = Limit.of(heads), sphere.quadrature(3, 11)
    mu = metastability.trapped(nodes, share, [1.0, 0, 0])
    assert mu.mass.sum() == pytest.approx(1)
    check = limit.assumptions(mu)[2]
    assert not check.holds and "never leaves" in check.words
    assert "a grid without such nodes" in check.words
    x = metastability.zero_temperature(mu.x, heads, 60.0)
    left = metastability.distance_to_limit(Measure(x, mu.mass), limit)
    assert left == pytest.approx(np.sqrt(2 * share), abs=1e-6)


# --- distances ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "k", "values"),
    [
        (3, 1, {0: 1, 1: 0.7334049650, 3: 0.3079801071, 6: 0.0703224453}),
        (3, 2, {0: 0.6551363776, 1: 0.3784874064, 3: 0.0847053047}),
        (2, 1, {0: 0.8525024664, 1: 0.6041589962, 3: 0.2470069960, 6: 0.0561240945}),
    ],
)
def test_the_distances_of_the_uniform_law(d, k, values):
    found = [distance_at(float(t), d, k) for t in values]
    np.testing.assert_allclose(found, list(values.values()), atol=6e-11)


def test_the_distance_has_a_formula_half_the_rate_and_another_ground():
    for t in (0.5, 2.0, 5.2933):
        q = np.exp(-t)
        assert distance_at(t, 3, 1) == pytest.approx(np.sqrt(2 * q / (1 + q)))
    assert distance_at(5.2933, 3, 1) == pytest.approx(0.1, abs=1e-5)
    late = [distance_at(t, 3, 1) for t in (8.0, 9.0)]
    assert np.diff(np.log(late))[0] == pytest.approx(-0.49989, abs=6e-6)
    assert distance_at(1.0, 3, 1, "geodesic") == pytest.approx(0.7743590228, abs=6e-11)


@pytest.mark.parametrize(("d", "k", "rate"), [(4, 3, 1.0), (4, 1, 0.5), (5, 4, 1.0)])
def test_the_rate_of_the_distance_by_the_dimension_of_the_dominant_space(d, k, rate):
    late = [distance_at(t, d, k) for t in (9.0, 10.0)]
    assert -np.diff(np.log(late))[0] == pytest.approx(rate, rel=1e-3)  # next: e^{-t}
    heads = Heads(np.eye(d), np.diag([2.0] * k + [1.0] * (d - k)))
    assert Limit.of(heads).distance_rate == rate


@pytest.mark.unchecked
@given(
    seed=seeds, repeated=st.sampled_from([1, 2]), d=st.sampled_from([2, 3]),
    ground=st.sampled_from(["chordal", "geodesic"]),
)  # fmt: skip
def test_the_distance_is_optimal_transport(tokens, seed, repeated, d, ground):
    """Against a linear programme, from any start and from the cloud itself."""
    import ot

    if repeated == d:
        return
    limit, x, start = (
        Limit.of(symmetric_heads(seed, d, repeated)),
        tokens(seed, n=12, d=d),
        tokens(seed + 1, n=9, d=d),
    )
    mass = np.random.default_rng(seed).dirichlet(np.ones(12))
    for given_start, other, weight in ((None, x, mass), (Measure(start), start, None)):
        found = metastability.distance_to_limit(
            Measure(x, mass), limit, given_start, ground
        )
        target = limit.project(other)
        cost = np.linalg.norm(x[:, None] - target, axis=2) ** 2
        if ground == "geodesic":
            cost = sphere.distance(x[:, None], target) ** 2
        other_mass = np.full(9, 1 / 9) if weight is None else weight
        assert found**2 == pytest.approx(ot.emd2(mass, other_mass, cost), abs=1e-9)


@pytest.mark.unchecked
@given(seed=seeds)
def test_the_poles_keep_their_masses(tokens, seed):
    """Along the cold flow W2 to the start's projection is W2 to the cloud's own."""
    heads, rng = symmetric_heads(seed), np.random.default_rng(seed)
    limit, mass = Limit.of(heads), rng.dirichlet(np.ones(30))
    x = tokens(seed, n=30)
    later = Measure(metastability.zero_temperature(x, heads, 3.0), mass)
    own = metastability.distance_to_limit(later, limit)
    first = metastability.distance_to_limit(later, limit, Measure(x, mass))
    assert first == pytest.approx(own, abs=1e-9)
    side = limit.project(x) @ limit.basis[:, 0] > 0
    after = limit.project(later.x) @ limit.basis[:, 0] > 0
    assert mass[side].sum() == mass[after].sum()


def test_the_distances_of_cold2d():
    x = metastability.circle(400, turn=0.1)
    limit = Limit.of(COLD2D)
    at = metastability.zero_temperature(x, COLD2D, [1, 2, 4, 8])
    found = [metastability.distance_to_limit(Measure(y), limit) for y in at]
    np.testing.assert_allclose(found, [0.6312, 0.4382, 0.1858, 0.0263], atol=6e-5)


# --- finite beta --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "kappa", "value", "digit"),
    [
        (3, 1, 0.3130352855, 1e-10),
        (3, 10, 0.9000000041, 1e-10),
        (2, 1, 0.4463899659, 1e-10),
        (2, 10, 0.9485998260, 1e-10),
        (2, 100, 0.9949873730, 1e-10),
        (64, 8, 0.1232, 1e-4),
        (64, 64, 0.6204, 1e-4),
        (768, 100, 0.1281, 1e-4),
        (768, 768, 0.6182, 1e-4),
        (2, 50.25, 0.99, 1e-5),
        (3, 100, 0.99, 1e-5),
        (64, 3134.7, 0.99, 3e-7),
        (768, 38158, 0.99, 1e-7),
    ],
)
def test_the_length_of_the_mean_over_the_uniform_law(d, kappa, value, digit):
    found = metastability.bessel_ratio(d, kappa)
    assert found == pytest.approx(value, abs=0.6 * digit)


@given(d=st.integers(2, 800), kappa=st.floats(1e-3, 1e6))
def test_bessel_ratios_obey_their_recurrence(d, kappa):
    r"""1 / A_d = d / kappa + A_{d+2}, and both are numbers in (0, 1)."""
    a, b = (float(metastability.bessel_ratio(k, kappa)) for k in (d, d + 2))
    assert 1 / a == pytest.approx(d / kappa + b, rel=1e-8)
    assert 0 < b < a < 1


@given(seed=seeds, d=st.sampled_from([2, 3]), beta=st.floats(0.5, 30))
def test_the_uniform_law_has_bessels_error_and_no_other(tokens, seed, d, beta):
    B = np.random.default_rng(seed).standard_normal((d, d))
    B = B / np.linalg.norm(B, 2)
    nodes = sphere.quadrature(d, 120 if d == 2 else 50)
    error = metastability.laplace_error(
        tokens(seed, d=d), Heads(B, np.eye(d), beta), nodes
    )
    want = 1 - metastability.bessel_ratio(d, error.kappa)
    np.testing.assert_allclose(error.radial, want, atol=1e-9)
    np.testing.assert_allclose(error.sideways, 0, atol=1e-9)
    np.testing.assert_allclose(error.total, want, atol=1e-9)


def test_a_smooth_density_is_off_by_its_logarithmic_gradient_over_beta():
    half = np.sqrt(0.5)
    at, mu = np.array([[half, 0, half]]), metastability.tilted(3, 100, 0.5)
    errors = [
        beta * metastability.laplace_error(at, Heads(I3, I3, beta), mu).sideways[0]
        for beta in (10.0, 40.0, 160.0)
    ]
    np.testing.assert_allclose(errors, [0.241389, 0.256348, 0.259996], atol=6e-7)
    limit = 0.5 * half / (1 + 0.5 * half)
    assert limit == pytest.approx(0.261204, abs=6e-7)
    assert limit - errors[2] < 0.25 / 160  # the next term


def test_a_kink_is_off_by_the_mean_of_its_slopes():
    at, mu = np.array([[1.0, 0, 0]]), metastability.kinked(3, 200, 0.5)
    found = [
        b * metastability.laplace_error(at, Heads(I3, I3, b), mu).tangential[0, 2]
        for b in (10.0, 40.0, 160.0)
    ]
    # Nodes see a kink with an error of 1/n^2.
    np.testing.assert_allclose(found, [0.21213, 0.23636, 0.24459], atol=5e-4)


def test_the_gap_to_the_cold_flow_is_one_over_beta():
    """Quoted to three digits for steps of 0.02; steps here are adaptive, and at beta
    = 40 and 80 the last digit differs (0.1576 and 0.1610 with those steps)."""
    x, gaps = metastability.circle(200), []
    for beta in (5.0, 10.0, 20.0, 40.0, 80.0):
        heads = Heads(I2, np.diag([1, 0.25]), beta)
        warm = flow.solve(attention.field(heads), x, [0, 1]).x[-1]
        cold = metastability.zero_temperature(x, heads, 1.0)
        gaps.append(beta * np.sqrt(np.mean(np.sum((warm - cold) ** 2, axis=1))))
    want = [0.08243, 0.13301, 0.15047, 0.15742, 0.16070]
    np.testing.assert_allclose(gaps, want, atol=6e-6)
    np.testing.assert_allclose(
        gaps, [0.0824, 0.1330, 0.1505, 0.1576, 0.1610], rtol=2e-3
    )


# --- the bound ----------------------------------------------------------------------


def test_the_least_bound():
    found = [metastability.bound_minimum(beta) for beta in (1e2, 1e4, 1e6)]
    want = [(0.5632, 1.1319), (1.8679, 0.5895), (3.2678, 0.2927)]
    np.testing.assert_allclose(found, want, atol=6e-5)
    assert metastability.bound_minimum(1.0, C1=9.0)[0] == 0


@pytest.mark.unchecked
@given(
    beta=st.floats(0.1, 1e8), C1=st.floats(0.05, 3), c=st.floats(0.05, 3),
    C=st.floats(0.1, 9), t=st.floats(0, 30),
)  # fmt: skip
def test_no_time_has_a_smaller_bound(beta, C1, c, C, t):
    best, value = metastability.bound_minimum(beta, C1, c, C)
    assert value <= metastability.concentration_bound(beta, t, C, C1, c) * (1 + 1e-12)
    assert value == metastability.concentration_bound(beta, best, C, C1, c)


@pytest.mark.unchecked
@given(C=st.floats(0.3, 3), C1=st.floats(0.1, 2), c=st.floats(0.1, 2), seed=seeds)
def test_a_fit_finds_the_constants_that_made_the_numbers(C, C1, c, seed):
    t, beta = np.linspace(0, 6, 25), np.array([[10.0], [100], [1000]])
    exact = metastability.concentration_bound(beta, t, C, C1, c)
    fit = metastability.fit_bound(beta, t, exact)
    assert (fit.C, fit.C1, fit.c) == pytest.approx((C, C1, c), rel=1e-5)
    noise = np.random.default_rng(seed).uniform(0.9, 1.1, exact.shape)
    fit = metastability.fit_bound(beta, t, exact * noise)
    for value, interval in ((fit.C, fit.C_interval), (fit.c, fit.c_interval)):
        assert interval[0] < value < interval[1]
    assert (fit.bound(beta, t) >= exact * noise * (1 - 1e-12)).all()


# --- how many tokens ----------------------------------------------------------------


@given(beta=st.floats(0.01, 1e4))
def test_the_part_of_a_cloud_that_a_token_sees(beta):
    from scipy.special import i0e

    found = [metastability.effective_fraction(d, beta) for d in (3, 2)]
    want = [np.tanh(beta) / beta, i0e(beta) ** 2 / i0e(2 * beta)]
    np.testing.assert_allclose(found, want, rtol=1e-9)


def test_what_is_seen_of_a_prompt():
    part = metastability.effective_fraction
    seen = 800 * part(3, [5, 20, 80, 320])
    np.testing.assert_allclose(seen, [160, 40, 10, 2.5], rtol=1e-3)
    assert 800 * part(2, 320) == pytest.approx(25, abs=0.5)
    assert part(8, 8) == pytest.approx(0.062504, abs=6e-7)
    assert part(64, 64) == pytest.approx(4e-10, rel=0.05)
    assert part(768, 1e-3) == pytest.approx(1) and part(768, 1e4) >= 0
    assert 5000 * part(3, 100) == pytest.approx(50)
    assert 886 * part(2, 100) == pytest.approx(50, rel=5e-3)


@given(seed=seeds, beta=st.floats(0.1, 50))
def test_neighbours_are_counted_from_the_attention_matrix(random_heads, seed, beta):
    x, heads = sphere.uniform(20, 3, np.random.default_rng(seed)), random_heads(seed)
    mass = np.random.default_rng(seed).dirichlet(np.ones(20))
    found = metastability.effective_neighbours(x, heads, mass)
    a = attention.attend(x, heads, mass)
    np.testing.assert_allclose(found, 1 / np.sum(a**2, axis=2), rtol=1e-8)
    assert (found >= 1 - 1e-9).all() and (found <= 20 + 1e-9).all()


def test_quadrature_nodes_see_the_formula():
    nodes = sphere.quadrature(3, 40)
    a = attention.attend(nodes.x, Heads(I3, I3, 20.0), nodes.mass, nodes.x[:7])[0]
    part = 1 / np.sum(a**2 / nodes.mass, axis=1)
    np.testing.assert_allclose(part, np.tanh(20) / 20, rtol=1e-9)


# --- starts -------------------------------------------------------------------------


def test_starts_are_densities_with_the_moments_they_should_have():
    mu = metastability.tilted(3, 20, 0.5)
    assert mu.mass @ mu.x[:, 2] == pytest.approx(0.5 / 3)
    assert mu.mass[mu.x[:, 2] > 0].sum() == pytest.approx(0.625, abs=1e-3)
    mu = metastability.tilted(2, 20, 0.5, axis=[3.0, 4.0])
    np.testing.assert_allclose(mu.mass @ mu.x, 0.25 * np.array([0.6, 0.8]), atol=1e-14)
    x = metastability.circle(200, 0.4)
    assert (x[:, 0] < 0).sum() == 115
    np.testing.assert_allclose(metastability.circle(7).sum(axis=0), 0, atol=1e-14)


def test_a_weighted_start_stands_for_the_sample():
    """The velocity of a density is that of many tokens drawn from it."""
    nodes, rng = metastability.tilted(3, 40, 0.5), np.random.default_rng(0)
    x = sphere.uniform(400_000, 3, rng)
    x = x[rng.random(len(x)) < (1 + 0.5 * x[:, 2]) / 1.5]
    heads = Heads(I3, I3, 4.0)
    of_density = attention.velocity(nodes.x, heads, nodes.mass, at=QUERY)
    of_sample = attention.velocity(x, heads, at=QUERY)
    np.testing.assert_allclose(of_density, of_sample, atol=5e-3)  # 3 / sqrt(n / 4)


# --- refusals -----------------------------------------------------------------------

TWO = Heads(np.stack([I3, I3]), np.stack([I3, I3]))
LIMIT = Limit.of(GENERIC)
NODES = sphere.quadrature(3, 4)
REFUSED = {
    "heads must be a single head, got 2": lambda: Limit.of(TWO),
    "heads must be such that V B is symmetric": lambda: Limit.of(
        Heads(I2, [[1, 1], [0, 1]])
    ),
    "heads must be made by": lambda: Limit.of(I2),
    "x must be with a part in the dominant space": lambda: LIMIT.project(I3[1:]),
    "t must be zero or positive": lambda: metastability.zero_temperature(
        QUERY, GENERIC, -1.0
    ),
    "heads must be such that B is invertible": lambda: metastability.zero_temperature(
        QUERY, Heads(np.diag([1.0, 1, 0]), I3), 1.0
    ),
    "x0 must be of shape": lambda: metastability.zero_temperature(I2, GENERIC, 1.0),
    "ground must be one of": lambda: metastability.distance_to_limit(
        NODES, LIMIT, ground="euclidean"
    ),
    "start must be a Measure": lambda: metastability.distance_to_limit(
        NODES, LIMIT, NODES.x
    ),
    "beta must be positive": lambda: metastability.concentration_bound(0, 1),
    "C1 must be positive": lambda: metastability.concentration_bound(1, 1, C1=0),
    "distance must be five numbers": lambda: metastability.fit_bound(
        [1, 2, 3], [0, 1, 2], [1, 1, 1]
    ),
    "distance must be of a shape": lambda: metastability.fit_bound(
        [1, 2, 3], [0, 1, 2], [1, 1, 1, 1]
    ),
    "kappa must be zero or positive": lambda: metastability.bessel_ratio(3, -1),
    "d must be 2 or more": lambda: metastability.effective_fraction(1, 1.0),
    "x must be such that B x": lambda: metastability.laplace_error(
        I3[2:], Heads(np.diag([1.0, 1, 0]), I3), NODES
    ),
    "tilt must be between -1 and 1": lambda: metastability.tilted(3, 4, 1.0),
    "share must be below 1": lambda: metastability.trapped(NODES, 1.0, I3[0]),
    "axis must be different from zero": lambda: metastability.tilted(
        3, 4, 0.1, [0, 0, 0]
    ),
    "skew must be between": lambda: metastability.circle(9, 1.0),
    "density(x) must be zero or positive": lambda: metastability.weighted(
        NODES, lambda x: x[:, 0]
    ),
}


@pytest.mark.parametrize("words", REFUSED)
@pytest.mark.unchecked
def test_refusals(words):
    with pytest.raises(ValueError) as error:
        REFUSED[words]()
    assert str(error.value).startswith(words)


def test_measures_stay_as_they_were():
    mu = measure.Measure(QUERY)
    metastability.distance_to_limit(mu, LIMIT, mu)
    np.testing.assert_array_equal(mu.x, QUERY)
