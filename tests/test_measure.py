"""Measures: invariance, exact transport against closed forms and POT, merging."""

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdynlib import _transport, attention, measure, sphere
from tfdynlib.measure import Measure, wasserstein2

seeds = st.integers(0, 2**32 - 1)
grounds = st.sampled_from(["chordal", "geodesic", "euclidean"])


def on_circle(angle):
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


SQUARE = on_circle(np.pi / 2 * np.arange(4))
TURNED = on_circle(np.pi / 2 * np.arange(4) + np.pi / 4)
POLES = on_circle(np.array([0, np.pi]))


def random_measure(seed, n, d):
    rng = np.random.default_rng(seed)
    return Measure(sphere.uniform(n, d, rng), rng.dirichlet(np.ones(n)))


def by_pot(mu, nu, ground):
    """The oracle: POT on a cost matrix of its own making."""
    inner = np.clip(mu.x @ nu.x.T, -1, 1)
    cost = np.arccos(inner) ** 2 if ground == "geodesic" else 2 - 2 * inner
    return np.sqrt(ot.emd2(mu.mass, nu.mass, cost))


@given(seed=seeds, ground=grounds)
def test_distance_does_not_see_the_order_of_the_atoms(seed, ground):
    mu = random_measure(seed, 7, 3)
    order = np.random.default_rng(seed).permutation(7)
    assert wasserstein2(mu, Measure(mu.x[order], mu.mass[order]), ground) == 0.0
    nu = random_measure(seed + 1, 6, 3)
    assert wasserstein2(mu, nu, ground) > 0
    shuffled = Measure(mu.x[order], mu.mass[order])
    assert wasserstein2(shuffled, nu, ground) == pytest.approx(
        wasserstein2(mu, nu, ground), abs=1e-12
    )


@given(seed=seeds)
def test_a_reordered_measure_on_the_line_is_at_distance_zero_exactly(seed):
    """Running sums of reordered masses differ by rounding; the distance must not."""
    rng = np.random.default_rng(seed)
    x, mass = np.repeat(rng.standard_normal(3), 3), rng.dirichlet(np.ones(9))
    order = rng.permutation(9)
    mu, nu = Measure(x, mass), Measure(x[order], mass[order])
    assert wasserstein2(mu, nu, "euclidean") == 0.0


@given(seed=seeds, ground=grounds, d=st.sampled_from([2, 3]))
def test_distance_is_symmetric_and_obeys_the_triangle_inequality(seed, ground, d):
    a, b, c = (random_measure(seed + k, 5 + k, d) for k in range(3))
    # The simplex sums products of masses and costs: rounding only.
    assert wasserstein2(a, b, ground) == pytest.approx(
        wasserstein2(b, a, ground), abs=1e-12
    )
    detour = wasserstein2(a, b, ground) + wasserstein2(b, c, ground)
    assert wasserstein2(a, c, ground) <= detour + 1e-12


@given(seed=seeds, n=st.integers(1, 40))
def test_circle_by_sorting_equals_exact_transport(seed, n):
    mu, nu = (
        Measure(sphere.uniform(n, 2, np.random.default_rng([seed, k]))) for k in (0, 1)
    )
    # The oracle's arc cosine loses half the digits of short arcs: sqrt(1e-16).
    assert wasserstein2(mu, nu, "geodesic") == pytest.approx(
        by_pot(mu, nu, "geodesic"), abs=1e-8
    )


def test_circle_by_sorting_survives_the_cut_and_ties():
    near_cut = np.array([3.1, -3.1, 3.0, 0.5])
    mu, nu = Measure(on_circle(near_cut)), Measure(on_circle(near_cut + 0.2))
    assert wasserstein2(mu, nu, "geodesic") == pytest.approx(0.2, abs=1e-14)
    heap = Measure(np.tile([[1.0, 0.0]], (4, 1)))
    # Angles 0, pi/2, pi, -pi/2 from one heap: mean square 6/4 (pi/2)^2.
    assert wasserstein2(heap, Measure(SQUARE), "geodesic") == pytest.approx(
        np.pi / 2 * np.sqrt(1.5), abs=1e-14
    )


@given(seed=seeds, n=st.integers(1, 30), m=st.integers(1, 30))
def test_circle_of_any_masses_equals_exact_transport(seed, n, m):
    mu, nu = random_measure(seed, n, 2), random_measure(seed + 1, m, 2)
    found = wasserstein2(mu, nu, "geodesic")
    # The oracle's arc cosine loses half the digits of short arcs: sqrt(1e-16).
    assert found == pytest.approx(by_pot(mu, nu, "geodesic"), abs=1e-8)
    assert found == pytest.approx(wasserstein2(nu, mu, "geodesic"), abs=1e-12)


@given(seed=seeds)
def test_atoms_cut_into_equal_parts_are_matched_as_equals(seed):
    """12 atoms against 8: both are 24 equal atoms, by the integer search."""
    rng = np.random.default_rng(seed)
    x, y = sphere.uniform(12, 2, rng), sphere.uniform(8, 2, rng)
    parts = np.repeat(x, 2, axis=0), np.repeat(y, 3, axis=0)
    expected = _transport.circle_of_equals(
        *(_transport.angles(Measure(p)) for p in parts)
    )
    found = wasserstein2(Measure(x), Measure(y), "geodesic")
    assert found == pytest.approx(np.sqrt(expected), abs=1e-13)


@given(seed=seeds, turn=st.floats(-3, 3))
def test_a_turned_measure_is_as_far_as_the_turn_if_that_is_small(seed, turn):
    """All atoms within an arc of 0.1: the turn itself is optimal up to pi - 0.1."""
    rng = np.random.default_rng(seed)
    angle, mass = np.pi + 0.1 * rng.random(9), rng.dirichlet(np.ones(9))
    mu, nu = Measure(on_circle(angle), mass), Measure(on_circle(angle + turn), mass)
    # Angles of turned points are known to 4e-16; the cut of the circle may differ.
    assert wasserstein2(mu, nu, "geodesic") == pytest.approx(abs(turn), abs=1e-14)


@given(seed=seeds, ground=grounds)
def test_a_measure_cut_into_smaller_atoms_is_the_same(seed, ground):
    mu, rng = random_measure(seed, 6, 2), np.random.default_rng(seed)
    place = rng.permutation(np.repeat(np.arange(6), 3))
    thirds = Measure(
        np.vstack([mu.x[place], -mu.x[:1]]), np.append(mu.mass[place] / 3, 0)
    )
    assert wasserstein2(mu, thirds, ground) == 0.0


def test_too_many_atoms_for_a_programme_are_refused_with_a_way_out():
    rng = np.random.default_rng(0)
    mu, nu = (Measure(sphere.uniform(5001, 3, rng)) for _ in range(2))
    with pytest.raises(
        ValueError, match="^mu and nu must be .*see sliced_wasserstein2"
    ):
        wasserstein2(mu, nu)
    assert measure.sliced_wasserstein2(mu, nu, rng, 4) < 0.1
    # Closed forms know no limit.
    circles = [Measure(sphere.uniform(5001, 2, rng)) for _ in range(2)]
    assert wasserstein2(*circles, "geodesic") < 0.2
    assert wasserstein2(mu, Measure(mu.x[:2])) < 2


@given(seed=seeds, ground=st.sampled_from(["chordal", "geodesic"]))
def test_few_atoms_by_sorting_equal_exact_transport(seed, ground):
    mu = random_measure(seed, 12, 3)
    for atoms in (1, 2):
        nu = random_measure(seed + 1, atoms, 3)
        expected = by_pot(mu, nu, ground)
        assert wasserstein2(mu, nu, ground) == pytest.approx(expected, abs=1e-8)
        assert wasserstein2(nu, mu, ground) == pytest.approx(expected, abs=1e-8)


@given(seed=seeds)
def test_line_by_sorting_equals_exact_transport_for_any_masses(seed):
    rng = np.random.default_rng(seed)
    mu = Measure(rng.standard_normal(9), rng.dirichlet(np.ones(9)))
    nu = Measure(rng.standard_normal(5), rng.dirichlet(np.ones(5)))
    cost = (mu.x - nu.x.T) ** 2
    expected = np.sqrt(ot.emd2(mu.mass, nu.mass, cost))
    assert wasserstein2(mu, nu, "euclidean") == pytest.approx(expected, abs=1e-12)


@given(seed=seeds, ground=grounds)
def test_plan_has_the_right_marginals_and_the_cost_of_the_distance(seed, ground):
    mu, nu = random_measure(seed, 6, 2), random_measure(seed + 1, 5, 2)
    coupling = measure.plan(mu, nu, ground)
    np.testing.assert_allclose(coupling.sum(axis=1), mu.mass, atol=1e-12)
    np.testing.assert_allclose(coupling.sum(axis=0), nu.mass, atol=1e-12)
    gap = np.linalg.norm(mu.x[:, None] - nu.x, axis=2)
    cost = (2 * np.arcsin(np.minimum(gap / 2, 1)) if ground == "geodesic" else gap) ** 2
    # The arc sine loses half the digits near the antipode.
    assert wasserstein2(mu, nu, ground) == pytest.approx(
        np.sqrt(np.sum(coupling * cost)), abs=1e-7
    )


def test_a_tiny_shift_is_measured_to_its_last_digits():
    mu = Measure(TURNED)
    turn = 1e-9
    nu = Measure(on_circle(np.pi / 2 * np.arange(4) + np.pi / 4 + turn))
    for ground in ("chordal", "geodesic", "euclidean"):
        # The coordinates themselves hold the shift to 1e-16 / 1e-9.
        assert wasserstein2(mu, nu, ground) == pytest.approx(turn, rel=1e-6)


def test_reference_values_of_the_page():
    square, turned, poles = Measure(SQUARE), Measure(TURNED), Measure(POLES)
    assert wasserstein2(square, turned, "geodesic") == pytest.approx(
        np.pi / 4, abs=1e-12
    )
    assert wasserstein2(square, turned) == pytest.approx(
        np.sqrt(2 - np.sqrt(2)), abs=1e-12
    )
    assert wasserstein2(square, poles, "geodesic") == pytest.approx(
        np.pi / (2 * np.sqrt(2)), abs=1e-12
    )
    assert wasserstein2(square, poles) == pytest.approx(1, abs=1e-12)
    line = Measure([0, 1, 2]), Measure([0.5, 1, 4])
    assert wasserstein2(*line, "euclidean") == pytest.approx(
        np.sqrt(4.25 / 3), abs=1e-14
    )
    assert [round(v, 6) for v in (np.pi / 4, np.sqrt(2 - np.sqrt(2)))] == [
        0.785398,
        0.765367,
    ]


@given(seed=seeds)
def test_push_forward_moves_no_further_than_its_map(seed):
    mu = random_measure(seed, 8, 2)
    nu = measure.push_forward(lambda x: x[::-1] + 0.1, mu)
    travelled = np.sqrt(mu.mass @ np.sum((nu.x - mu.x) ** 2, axis=1))
    np.testing.assert_array_equal(nu.mass, mu.mass)
    assert wasserstein2(mu, nu, "euclidean") <= travelled + 1e-12


@given(seed=seeds)
def test_sliced_distance_lies_below_and_is_exact_on_the_line(seed):
    rng = np.random.default_rng(seed)
    mu, nu = random_measure(seed, 6, 3), random_measure(seed + 1, 7, 3)
    sliced = measure.sliced_wasserstein2(mu, nu, rng)
    assert 0 < sliced <= wasserstein2(mu, nu, "euclidean") + 1e-12
    a, b = Measure(rng.standard_normal(5)), Measure(rng.standard_normal(4))
    assert measure.sliced_wasserstein2(a, b, rng) == pytest.approx(
        wasserstein2(a, b, "euclidean"), abs=1e-12
    )


def test_sliced_distance_of_two_points_has_its_closed_form():
    """For two Diracs a vector z apart it is |z| / sqrt(d)."""
    mu, nu = Measure([[1.0, 0, 0]]), Measure([[-1.0, 0, 0]])
    sliced = measure.sliced_wasserstein2(mu, nu, np.random.default_rng(0), 4000)
    # Relative deviation of the root of a mean of 4000 squares: 0.7 per cent.
    assert sliced == pytest.approx(2 / np.sqrt(3), rel=0.03)


@given(seed=seeds)
def test_merging_duplicates_changes_no_velocity(random_heads, seed):
    heads, mu = random_heads(seed), random_measure(seed, 5, 3)
    doubled = Measure(np.repeat(mu.x, 2, axis=0), np.repeat(mu.mass / 2, 2))
    merged = measure.merge(doubled, radius=1e-9)
    assert len(merged.x) == 5
    assert wasserstein2(merged, mu) < 1e-15
    np.testing.assert_allclose(
        attention.velocity(merged.x, heads, merged.mass, at=mu.x),
        attention.velocity(doubled.x, heads, doubled.mass, at=mu.x),
        atol=1e-13,
    )


def test_merging_follows_chains_and_keeps_mass_and_centre():
    angle = np.array([0.0, 0.1, 0.2, 3.0])
    mu = Measure(on_circle(angle), [0.4, 0.2, 0.2, 0.2])
    merged = measure.merge(mu, radius=0.11, ground="geodesic")
    np.testing.assert_allclose(merged.mass, [0.8, 0.2], atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(merged.x, axis=1), 1, atol=1e-15)
    flat = measure.merge(Measure([0.0, 1.0, 5.0]), 1.0, ground="euclidean")
    np.testing.assert_allclose(flat.x[:, 0], [0.5, 5.0])


def test_a_measure_is_a_copy_that_cannot_be_written_into():
    x = SQUARE.copy()
    mu = Measure(x)
    x[0] = 9
    assert mu.x[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        mu.x[0] = 9
    assert repr(mu) == "Measure(4 atoms in R^2, equal masses)"


@pytest.mark.parametrize("total", [1e-310, 1e-3, 7, 1e308])
def test_masses_of_any_positive_sum_are_normalised_at_the_door(total):
    share = np.array([0.125, 0.25, 0.5, 0.125])
    mass = Measure(SQUARE, share * total).mass
    # Numbers below 1e-308 have fewer digits.
    np.testing.assert_allclose(mass, share, rtol=1e-12)
    assert mass.sum() == pytest.approx(1, abs=1e-15)
    counts = Measure(SQUARE, np.array([1, 2, 4, 1], dtype=np.float32))
    assert wasserstein2(counts, Measure(SQUARE, share)) == 0


def test_refusals():
    square = Measure(SQUARE)
    with pytest.raises(ValueError, match="^mass must be masses with a positive sum"):
        Measure(SQUARE, [0, 0, 0, 0])
    with pytest.raises(ValueError, match="^mass must be zero or positive"):
        Measure(SQUARE, [2, 2, 2, -1])
    with pytest.raises(ValueError, match="^ground must be one of"):
        wasserstein2(square, square, "taxi")
    with pytest.raises(ValueError, match="^nu.x must be of the dimension 2"):
        wasserstein2(square, Measure(np.eye(3)))
    with pytest.raises(ValueError, match="^mu.x must be on the sphere"):
        wasserstein2(Measure(2 * SQUARE), square)
    with pytest.raises(ValueError, match="^radius must be smaller: a cluster has no"):
        measure.merge(square, radius=2.0)
    with pytest.raises(ValueError, match=r"^T\(mu.x\) must be of shape \(4, any\)"):
        measure.push_forward(lambda x: x[:2], square)


def test_merge_reads_its_radius_in_the_ground_distance():
    # One radian apart: the chord is 0.9589, so 0.97 lies between the two distances.
    mu = measure.Measure([[1.0, 0.0], [np.cos(1.0), np.sin(1.0)]])
    assert len(measure.merge(mu, 0.97, "chordal").x) == 1
    assert len(measure.merge(mu, 0.97, "geodesic").x) == 2


@given(seed=st.integers(0, 10**6), beta=st.sampled_from([10.0, 50.0, 100.0, 1000.0]))
def test_masses_below_rounding_do_not_move_the_circle(seed, beta):
    """Gibbs weights fall to 1e-300; what is below rounding must not be matched."""
    rng = np.random.default_rng(seed)
    nodes = 2 * np.pi * np.arange(40) / 40

    def gibbs(angle):
        weight = np.exp(beta * (np.cos(angle) - np.cos(angle).max()))
        return weight / weight.sum()

    mu, nu = (
        Measure(np.stack([np.cos(nodes), np.sin(nodes)], axis=1), gibbs(nodes - c))
        for c in rng.uniform(0, 2 * np.pi, 2)
    )
    d = wasserstein2(mu, nu, "geodesic")
    cost = measure._cost(mu.x, nu.x, "geodesic")
    exact = ot.emd2(mu.mass, nu.mass, cost, numItermax=10**6)
    assert d == pytest.approx(wasserstein2(nu, mu, "geodesic"), abs=1e-7)
    assert d**2 == pytest.approx(exact, abs=1e-12)
