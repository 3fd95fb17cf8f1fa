"""Weights as controls: what they reach, what it costs, and the filter's equation."""

import importlib

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.linalg import expm, logm
from unchecked import unchecked

from tfdynlib import control, flow, gaussian
from tfdynlib.gaussian import Gaussian, Layer, LayerPath

METHODS = ("feedforward", "attention", "geodesic")
S0 = np.array([[1, 0.3], [0.3, 0.6]])
S1 = np.array([[2, -0.5], [-0.5, 0.7]])
R1 = Gaussian([0.5, -0.3], S0), Gaussian([-1, 2], S1)
CENTRED = Gaussian([0, 0], S0), Gaussian([0, 0], S1)
SWAP = Gaussian([0, 0], np.diag([4, 1.0])), Gaussian([0, 0], np.diag([1, 4.0]))
GOAL = np.array([1.0, np.sqrt(3)])  # of length 2, at 60 degrees
LINES = (
    Gaussian([0, 0], np.diag([1.0, 0])),
    Gaussian([1, 2], np.outer(GOAL, GOAL)),
)
POINTS = Gaussian([1, 2], np.zeros((2, 2))), Gaussian([0, -1], np.zeros((2, 2)))
# The A and B of the running example of this part.
A1 = np.array([[0.4, 0.3], [-0.2, 0.6]])
B1 = np.array([[1, 0.5], [-0.3, 0.8]])
TWICE = 0.7 * (B1 + B1.T)

# Four digits for the integrator's 1e-13 and the conditioning of a pair.
ARRIVED = 1e-9
# Rounding of closed forms in dimensions up to 8.
ROUNDING = 1e-11


def random_pair(seed, spread=1.0):
    """Two Gaussians of one rank; axes e^(spread times normal), places like sizes."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 9))
    r = int(rng.integers(0, d + 1)) if rng.random() < 0.5 else d
    size = np.exp(1.5 * rng.normal(size=2))
    pair = []
    for k in range(2):
        Q = np.linalg.qr(rng.normal(size=(d, d)))[0][:, :r]
        L = Q * (size[k] * np.exp(spread * rng.normal(size=r)))
        pair.append(Gaussian.from_factor(size[k] * rng.normal(size=d), L))
    return pair[0], pair[1], float(np.exp(rng.normal()))


# ------------------------------------------------------------------ reachability


def test_the_reason_names_both_ranks():
    thin, round_ = LINES[0], CENTRED[0]
    up, down = control.reachable(thin, round_), control.reachable(round_, thin)
    assert not up and not down
    assert (up.start_rank, up.target_rank) == (1, 2)
    assert "missing 1 dimension cannot be filled" in up.reason
    assert "flat only after infinite time" in down.reason
    assert repr(up) == f"No: {up.reason}"
    for pair, words in ((R1, "all there are"), (LINES, "of 2"), (POINTS, "a bias")):
        reach = control.reachable(*pair)
        assert reach and words in reach.reason and repr(reach).startswith("Yes: ")


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_reachable_is_an_equivalence(seed):
    start, target, _ = random_pair(seed)
    assert control.reachable(start, start)
    assert control.reachable(start, target) and control.reachable(target, start)


def test_the_tolerance_of_the_rank_is_rounding_and_a_factor_keeps_all():
    plane = Gaussian([0, 0], np.eye(2))
    assert control.reachable(Gaussian([0, 0], np.diag([1, 1e-11])), plane)
    assert not control.reachable(Gaussian([0, 0], np.diag([1, 1e-14])), plane)
    needle = Gaussian.from_factor([0, 0], np.diag([1, 1e-10]))
    assert control.reachable(needle, plane)
    assert control.verify(control.steer(needle, plane), needle, plane)


# --------------------------------------------------------------------- steering


def test_reference_numbers_of_one_pair():
    """Printed digits of an independent calculation."""
    G = control.bures_map(*R1)
    printed = [[1.518096, -0.497396], [-0.497396, 1.152125]]
    np.testing.assert_allclose(G, printed, atol=1e-6)
    layer = control.steer(*R1, 1.5)(0.7)
    A = [[0.2322002065, -0.2628043972], [-0.2628043972, 0.0388352920]]
    np.testing.assert_allclose(layer.A, A, atol=1e-10)
    np.testing.assert_allclose(layer.b, [-0.7618159807, 1.4680643829], atol=1e-10)
    B = [[0.1892583120, -0.3410059676], [-0.3410059676, 0.0738846263]]
    attention = control.steer(*R1, 1.5, "attention")(0.7)
    np.testing.assert_allclose(attention.B, B, atol=1e-10)
    assert not attention.A.any() and (attention.V == np.eye(2)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pair", [R1, CENTRED, SWAP], ids=["r1", "centred", "swap"])
@pytest.mark.parametrize("T", [0.01, 1.0, 20.0])
def test_every_control_arrives_in_any_time(pair, method, T):
    path = control.steer(*pair, T, method, v=-1.0)
    assert path.edges == (0.0, T)
    arrival = control.verify(path, *pair)
    assert arrival and arrival.error <= ARRIVED and arrival.stretch <= ARRIVED


@pytest.mark.parametrize("method", ["feedforward", "geodesic"])
@pytest.mark.parametrize("pair", [LINES, POINTS], ids=["lines", "points"])
def test_thin_clouds_arrive_with_their_rank(pair, method):
    arrival = control.verify(control.steer(*pair, 1.0, method), *pair)
    assert arrival and arrival.moments.end.rank == pair[0].rank


def arrives(seed):
    """Errors of one random pair by its method; run without checks of types."""
    start, target, T = random_pair(seed, 0.7)
    full = start.rank == start.d
    method = METHODS[seed % 3] if full else METHODS[seed % 2 * 2]
    path = control.steer(start, target, T, method, v=-1 / T)
    arrival = control.verify(path, start, target)
    wider = 1.0
    if method == "attention":
        wider = np.linalg.norm(np.linalg.solve(start.factor, target.factor), 2) ** 2
    return [arrival.moments.status, arrival.error, float(wider)]


def has_arrived(status, error, wider):
    """1e-9, or a hundred roundings times what attention amplifies (two of a thousand
    pairs: they get wider by factors of 800 and 3000).

    It moves the precision, so an error of P0 eps at the start is one of P0 eps at the
    end, relative to a P1 that is smaller where the cloud gets wider.
    """
    return status == "done" and error <= max(ARRIVED, 1e-14 * wider)


@pytest.mark.slow
def test_a_thousand_random_pairs_arrive():
    cases = unchecked(arrives, [[seed] for seed in range(1000)])
    assert [seed for seed, case in enumerate(cases) if not has_arrived(*case)] == []


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_feedforward_control_by_its_exponentials(seed):
    """No integrator: e^tA for each piece, and the mean by one larger exponential."""
    start, target, T = random_pair(seed, 0.5)
    path = control.steer(start, target, T)
    times = [0.0, *path.breaks, T]
    L, m = start.factor, start.mean
    for t0, t1 in zip(times[:-1], times[1:]):
        layer, d = path(t0), start.d
        both = np.zeros((d + 1, d + 1))
        both[:d, :d], both[:d, d] = layer.A, layer.b
        E = expm((t1 - t0) * both)
        L, m = E[:d, :d] @ L, E[:d, :d] @ m + E[:d, d]
    size = np.linalg.norm(target.cov) or 1.0
    assert np.linalg.norm(L @ L.T - target.cov) <= 1e-10 * size
    far = np.linalg.norm(start.mean) + np.linalg.norm(target.mean)
    assert np.linalg.norm(m - target.mean) <= 1e-10 * far


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_map_is_symmetric_positive_and_right(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    start, target = (
        Gaussian.from_factor(np.zeros(d), rng.normal(size=(d, d)) + 3 * np.eye(d))
        for _ in range(2)
    )
    G = control.bures_map(start, target)
    assert (G == G.T).all() and np.linalg.eigvalsh(G)[0] > 0
    gap = np.linalg.norm(G @ start.cov @ G - target.cov)
    # the condition of a root enters once
    assert gap <= 1e-13 * np.linalg.cond(start.cov) * np.linalg.norm(target.cov)


def test_nothing_to_do_takes_no_weights():
    """A near the identity, and singular: b has no division by zero."""
    same = control.steer(R1[0], R1[0])(0)
    assert np.abs(same.A).max() <= 1e-15 and np.abs(same.b).max() <= 1e-15
    moved = Gaussian([7, 8], S0)
    np.testing.assert_allclose(control.steer(R1[0], moved, 2.0)(0).b, [3.25, 4.15])
    near = Gaussian(R1[0].mean, S0 * (1 + 1e-13))
    assert control.verify(control.steer(R1[0], near), R1[0], near)
    one_axis = Gaussian([3, 1], np.diag([4, 1.0]))  # G = diag(1, 2): A is singular
    wide = Gaussian([1, 5], np.diag([4, 4.0]))
    assert control.verify(control.steer(one_axis, wide), one_axis, wide)


def test_the_least_turn_has_determinant_one_even_between_ranges_at_right_angles():
    steering = importlib.import_module("tfdynlib.control.steering")
    rng = np.random.default_rng(3)
    frames = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    cases = [(frames[:, :2], frames[:, 2:4]), (frames[:, :2], frames[:, 1:3])]
    cases += [(frames[:, :4], np.linalg.qr(rng.normal(size=(5, 4)))[0])]
    cases += [(frames[:, :2], frames[:, [1, 0]])]
    for Q0, Q1 in cases:
        K, turn = steering._least_turn(Q0, Q1)
        np.testing.assert_allclose(expm(K), turn, atol=1e-14)
        assert np.linalg.det(turn) == pytest.approx(1, abs=1e-13)
        image = turn @ Q0
        assert np.linalg.norm(image - Q1 @ (Q1.T @ image)) <= 1e-14
    # No turn where the ranges are one.
    assert np.linalg.norm(K) <= 1e-14


@pytest.mark.parametrize("method", ["feedforward", "geodesic"])
def test_a_way_at_a_right_angle_does_not_depend_on_the_signs_of_factors(method):
    """Of two equal turns one is taken by rule: from the earlier axis to the later."""
    rng = np.random.default_rng(5)
    frame = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    found = []
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        ends = [
            Gaussian.from_factor(np.zeros(4), sign * frame[:, [k]])
            for k, sign in enumerate(signs)
        ]
        path = control.steer(*ends, 1.0, method)
        assert control.verify(path, *ends)
        found.append(path(0.75).A)
    for A in found[1:]:
        np.testing.assert_allclose(A, found[0], atol=1e-13)
    below = np.tril(found[0] - found[0].T)
    assert below.ravel()[np.argmax(np.abs(below))] > 0


def test_a_turn_comes_in_two_pieces_and_a_stretch_in_one():
    assert control.steer(*LINES).breaks == (0.5,)
    longer = Gaussian([0, 1], np.diag([9.0, 0]))
    path = control.steer(LINES[0], longer)
    assert path.breaks == ()
    np.testing.assert_allclose(path(0).A, np.diag([np.log(3), 0]), atol=1e-15)


def test_a_map_without_real_logarithm_is_made_of_two_that_have_one():
    G = np.diag([-1.0, -2.0])
    log = logm(G)
    assert np.abs(log.imag).max() > 1  # and no other logarithm is real: -1, -2 differ
    turn, stretch = np.diag([-1.0, -1]), np.diag([1.0, 2])
    quarter = np.pi * np.array([[0, -1], [1, 0]])
    np.testing.assert_allclose(expm(quarter), turn, atol=1e-15)
    np.testing.assert_allclose(
        expm(quarter) @ expm(np.diag([0, np.log(2)])), G, atol=1e-15
    )
    assert np.allclose(turn @ stretch, G)


def test_along_attention_the_precision_is_on_a_straight_line():
    path = control.steer(*R1, 1.0, "attention")
    run = gaussian.solve(path, R1[0], np.linspace(0, 1, 5))
    P = np.linalg.inv(run.cov)
    s = run.t[:, None, None]
    straight = (1 - s) * np.linalg.inv(S0) + s * np.linalg.inv(S1)
    np.testing.assert_allclose(P, straight, rtol=1e-9)
    along = R1[0].mean + run.t[:, None] * (R1[1].mean - R1[0].mean)
    np.testing.assert_allclose(run.mean, along, atol=1e-10)


def test_along_the_geodesic_distance_grows_with_time():
    for pair in (R1, LINES):
        path = control.steer(*pair, 2.0, "geodesic")
        run = gaussian.solve(path, pair[0], np.linspace(0, 2, 5))
        gone = [gaussian.distance(pair[0], run.at(k)) for k in range(5)]
        whole = gaussian.distance(*pair)
        np.testing.assert_allclose(gone, whole * run.t / 2, atol=1e-10 * whole)


# ------------------------------------------------------------------------- costs


def test_reference_costs_of_one_pair():
    assert gaussian.distance(*R1) ** 2 == pytest.approx(8.0181335660, abs=1e-9)
    assert gaussian.distance(*CENTRED) ** 2 == pytest.approx(0.4781335660, abs=1e-9)
    kinetic = [control.kinetic_cost(control.steer(*R1, 1.0, m), R1[0]) for m in METHODS]
    np.testing.assert_allclose(kinetic, [8.24512, 8.24034, 8.01813], atol=1e-5)
    paths = [control.steer(*CENTRED, 1.0, m) for m in ("feedforward", "geodesic")]
    np.testing.assert_allclose(
        [control.weight_cost(p) for p in paths], [0.43550, 0.44843], atol=1e-5
    )


def motions(seed):
    """Motion along the geodesic and along constant weights, in units of the least."""
    start, target, T = random_pair(seed, 0.5)
    least = gaussian.distance(start, target) ** 2 / T
    ways = (control.steer(start, target, T, m) for m in ("geodesic", "feedforward"))
    return [control.kinetic_cost(way, start) / least for way in ways]


def test_the_geodesic_moves_least_and_costs_the_squared_distance():
    for straight, other in unchecked(motions, [[seed] for seed in range(25)]):
        assert straight == pytest.approx(1, rel=1e-8)
        assert other >= 1 - 1e-9


def test_costs_of_the_scalar_pair_by_hand():
    one, two = Gaussian([0.0], [[1.0]]), Gaussian([0.0], [[4.0]])
    log2 = np.log(2)
    constant, straight = (control.steer(one, two, 1.0, m) for m in METHODS[::2])
    assert control.weight_cost(constant) == pytest.approx(log2**2, rel=1e-11)
    assert control.weight_cost(straight) == pytest.approx(0.5, rel=1e-11)
    assert control.kinetic_cost(constant, one) == pytest.approx(1.5 * log2, rel=1e-10)
    assert control.kinetic_cost(straight, one) == pytest.approx(1.0, rel=1e-10)


def test_a_constant_layer_costs_its_squares_times_the_time():
    layer = Layer(A1, B1, -0.7 * np.eye(2), [1, 2])
    path = gaussian.piecewise([layer, layer], [1.0, 2.0, 4.0])
    squares = np.sum(A1**2) + np.sum(B1**2) + 0.98 + 5
    assert control.weight_cost(path) == pytest.approx(3 * squares, rel=1e-13)


def test_the_quadrature_finds_a_peak():
    """A weight 1/(t + e) with e = 1e-4, whose square has the integral 1/e - 1/(1+e)."""
    e, none = 1e-4, np.zeros((1, 1))

    def layer_at(t):
        return Layer([[1 / (t + e)]], none, none)

    path = LayerPath(layer_at, 1, edges=(0.0, 1.0))
    assert control.weight_cost(path) == pytest.approx(1 / e - 1 / (1 + e), rel=1e-10)


def test_motion_of_a_cloud_that_blows_up_is_infinite():
    one = np.eye(1)
    path = gaussian.piecewise([Layer(0 * one, one, one)], [0.0, 1.0])
    assert control.kinetic_cost(path, Gaussian([0.0], one)) == np.inf


@pytest.mark.parametrize("T", [0.1, 1.0, 7.0])
def test_a_turn_of_the_range_and_the_motion_of_a_swap(T):
    """Squeezing diag(4, 1) into diag(1, 4) moves 2, a quarter turn 5 (pi/2)^2."""
    squeeze = control.steer(*SWAP, T, "geodesic")
    assert control.kinetic_cost(squeeze, SWAP[0]) == pytest.approx(2 / T, rel=1e-9)
    A = np.array([[0, -1], [1, 0]]) * np.pi / 2 / T
    none = np.zeros((2, 2))
    turn = gaussian.piecewise([Layer(A, none, none)], [0.0, T])
    assert control.verify(turn, *SWAP)
    moved = control.kinetic_cost(turn, SWAP[0])
    assert moved == pytest.approx(5 * (np.pi / 2) ** 2 / T, rel=1e-9)


@given(st.floats(0.01, 100), st.floats(0.1, 10))
@settings(max_examples=15, deadline=None)
def test_the_price_of_attention_does_not_depend_on_the_time(T, v):
    """V = vI: T v^2 d + |P0 - P1|^2 / (4 v^2 T), whose least over v has no T in it."""
    apart = np.linalg.norm(np.linalg.inv(S0) - np.linalg.inv(S1))
    path = control.steer(*CENTRED, T, "attention", v)
    expected = 2 * v**2 * T + apart**2 / (4 * v**2 * T)
    assert control.weight_cost(path) == pytest.approx(expected, rel=1e-11)
    best = np.sqrt(apart / (2 * T * np.sqrt(2)))
    cost = control.weight_cost(control.steer(*CENTRED, T, "attention", best))
    assert cost == pytest.approx(np.sqrt(2) * apart, rel=1e-11)


# ---------------------------------------------------------------------- cheapest


def test_gradients_of_the_transcription_are_those_of_the_constraints():
    module = importlib.import_module("tfdynlib.control.cheapest")
    program = module._Program(*R1, 1.0, 3, "all")
    guess = program.guesses()[1]
    z = guess + 0.1 * np.random.default_rng(0).normal(size=len(guess))
    h = 1e-6
    numeric = np.array(
        [
            (program.defects(z + h * e) - program.defects(z - h * e)) / (2 * h)
            for e in np.eye(len(z))
        ]
    ).T
    # the central difference: rounding over h, and h^2
    np.testing.assert_allclose(program.jacobian(z), numeric, atol=1e-8)


def test_the_symmetric_constant_is_cheapest_where_it_commutes_with_the_start():
    """Then it is stationary, in one piece and in many."""
    for pieces in (1, 4):
        found = control.cheapest(*SWAP, 1.0, pieces, "feedforward")
        assert found.status == "stationary" and found.arrival
        assert found.cost == pytest.approx(2 * np.log(2) ** 2, rel=1e-7)
        assert abs(found.gap["feedforward"]) <= 1e-7
        assert found.gap["geodesic"] == pytest.approx(1 - 2 * np.log(2) ** 2, abs=1e-7)


def test_elsewhere_a_constant_that_is_not_symmetric_is_cheaper():
    found = control.cheapest(*CENTRED, 1.0, 1, "feedforward")
    assert found.status == "stationary"
    assert found.gap["feedforward"] > 0.04
    assert control.verify(found.path, *CENTRED, 1e-8)
    A = found.path(0).A
    assert np.abs(A - A.T).max() > 0.01
    more = control.cheapest(*CENTRED, 1.0, 4, "feedforward")
    assert more.cost < found.cost and more.status == "stationary"


def test_attention_pays_in_short_times_and_only_there():
    """Feed-forward costs 1/T, attention the same at any T."""
    short, long = (control.cheapest(*SWAP, T, 4, "attention") for T in (0.1, 1.0))
    assert short.cost == pytest.approx(long.cost, rel=1e-6)
    assert short.gap["feedforward"] > 5 > 0 > long.gap["feedforward"]
    # diag(-3/4, 3/4) between the precisions: sqrt(2) times its norm
    assert long.cost == pytest.approx(1.5, rel=1e-6)


def test_all_weights_together_cost_no_more_than_some():
    alone = control.cheapest(*R1, 1.0, 4, "feedforward")
    all_ = control.cheapest(*R1, 1.0, 4)
    assert all_.cost < alone.cost and all_.arrival
    assert set(all_.gap) == set(METHODS)


# --------------------------------------------------------------------- neighbours


def test_the_equation_without_noise_has_the_equilibrium_of_the_running_example():
    found = control.riccati(A1, np.eye(2), np.linalg.inv(TWICE))
    printed = [[0.6076048608, 0.0952007616], [0.0952007616, 1.0024080193]]
    np.testing.assert_allclose(found.solution, printed, atol=1e-10)
    assert found.flow == "moments" and found.gap <= 1e-12
    assert found.residual <= 1e-13 and found.closed_loop.real.max() < 0


def test_scalar_equations_by_hand():
    assert control.riccati(0.5, 1, 0.5).solution == pytest.approx(0.5)
    assert control.riccati(1, 1, 0.25).solution == pytest.approx(0.5)
    noisy = control.riccati(0.5, 1, 0.5, 1)
    assert noisy.solution == pytest.approx(1.0) and noisy.flow == "doubling"
    # The golden ratio: 1 - x^2 + x = 0.
    golden = control.riccati(0.5, 1, 1, 1, "regulator")
    assert golden.solution == pytest.approx((1 + np.sqrt(5)) / 2, rel=1e-13)
    assert golden.gain == pytest.approx((1 + np.sqrt(5)) / 2, rel=1e-13)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_solver_and_the_flow_agree(seed, noisy):
    rng = np.random.default_rng(seed)
    d, m = rng.integers(1, 4, size=2)
    A, C = rng.normal(size=(d, d)), rng.normal(size=(m, d))
    R = np.eye(m) * np.exp(rng.normal())
    Q = np.eye(d) if noisy else None
    slow = np.abs(np.linalg.eigvals(A).real).min()
    assume(slow >= 0.1 and control.hautus(A, C).margin >= 0.05)
    found = control.riccati(A, C, R, Q)
    dual = control.riccati(A.T, C.T, R, Q, "regulator")
    np.testing.assert_allclose(dual.solution, found.solution)
    np.testing.assert_allclose(dual.gain, found.gain.T)
    assert found.gap <= 1e-8 and found.residual <= 1e-10
    assert np.linalg.eigvalsh(found.solution)[0] >= -1e-10


@given(st.integers(0, 10**6), st.floats(0, 5))
@settings(max_examples=12, deadline=None)
def test_a_layer_and_its_filter_have_one_covariance(seed, t):
    """Moments against the flow of the pair (X, Y), which knows nothing of layers."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    A, C, R = rng.normal(size=(d, d)) / 2, rng.normal(size=(2, d)), np.diag([1, 0.3])
    L = rng.normal(size=(d, d)) + np.eye(d)
    layer = control.layer_of_filter(A, C, R, v=-float(np.exp(rng.normal())))
    start = Gaussian(np.zeros(d), L @ L.T)
    ours = gaussian.solve(layer, start, [0.0, t + 0.01]).cov[-1]
    theirs = control.riccati_flow(A, C, R, None, start.cov, t + 0.01)
    assert np.linalg.norm(ours - theirs) <= 1e-9 * np.linalg.norm(theirs)
    back = control.filter_of_layer(layer)
    np.testing.assert_allclose(
        back[1].T @ back[1], C.T @ np.linalg.solve(R, C), atol=1e-12
    )


def test_the_doubled_flow_solves_the_equation_with_noise():
    """Against the general integrator, with an input of noise."""
    A, S, Q = A1, TWICE, np.array([[1, 0.2], [0.2, 0.1]])

    def rate(t, y):
        P = y.reshape(2, 2)
        return (A @ P + P @ A.T - P @ S @ P + Q).reshape(4, 1)

    run = flow.solve(
        rate, S0.reshape(4, 1), [0, 2.0], "dop853", 1e-12, 1e-13, space="euclidean"
    )
    end = control.riccati_flow(A, np.eye(2), np.linalg.inv(S), Q, S0, 2.0)
    np.testing.assert_allclose(end, run.x[-1].reshape(2, 2), rtol=1e-10)
    assert (control.riccati_flow(A, np.eye(2), np.eye(2), Q, S0, 0) == S0).all()


def test_noise_makes_a_line_thick():
    line = np.outer([1.0, 1], [1.0, 1])
    without, with_ = (
        control.riccati_flow(A1, np.eye(2), np.eye(2), Q, line, 1.0)
        for Q in (None, 0.1 * np.eye(2))
    )
    thin, thick = (np.linalg.eigvalsh(S)[0] for S in (without, with_))
    assert abs(thin) <= 1e-14 and thick > 0.01


def test_hautus_names_the_mode():
    A = np.diag([0.5, -1.0])
    seen, unseen = control.hautus(A, [[1.0, 0]]), control.hautus(A, [[0, 1.0]])
    assert seen and not unseen
    assert unseen.eigenvalue == 0.5 and abs(unseen.direction[0]) == pytest.approx(1)
    assert control.hautus(-np.eye(2), [[0.0, 0]]).margin == np.inf


SPIN = np.array([[0, 1.0], [-1, 0]])
GROWS, I2 = np.diag([0.5, -1.0]), np.eye(2)
FOREVER = gaussian.constant(Layer(A1, B1, B1))
ELSEWHERE = Gaussian([0.0], [[1.0]])
REFUSED = [
    (lambda: control.steer(*LINES, 1.0, "attention"), "full rank, 2"),
    (lambda: control.steer(LINES[0], R1[0]), "target must be reachable: .*missing"),
    (lambda: control.steer(R1[0], LINES[0]), "target must be reachable: .*infinite"),
    (lambda: control.steer(*R1, 0.0), "^t_end must be positive"),
    (lambda: control.steer(*R1, 1.0, "teleport"), "^method must be one of"),
    (lambda: control.steer(*R1, 1.0, "attention", 0.0), "^v must be finite and not"),
    (lambda: control.reachable(R1[0], ELSEWHERE), "^target must be of d=2"),
    (lambda: control.bures_map(*LINES), "^start must be of full rank"),
    (lambda: control.weight_cost(FOREVER), "^path must be defined"),
    (lambda: control.cheapest(*LINES), "of full rank: both fill 1 of 2"),
    (lambda: control.cheapest(*R1, 1.0, 99), "^pieces must be few enough"),
    (lambda: control.cheapest(*R1, 1.0, 2, "b"), "^weights must be one of"),
    (lambda: control.riccati(GROWS, [[0, 1]], 1), "detectable: .*value 0.5, .*1, 0.*"),
    (
        lambda: control.riccati(GROWS, [[0], [1]], 1, None, "regulator"),
        "stabilisable: .* is moved by no input",
    ),
    (lambda: control.riccati(SPIN, I2, I2), "imaginary axis: .*like 1/t"),
    (lambda: control.riccati(1, 1, 0), "^R must be positive definite"),
    (lambda: control.riccati(1, 1, 1, -1), "^Q must be without negative"),
    (lambda: control.riccati(1, [1, 2], 1), "^C must be of shape"),
    (lambda: control.riccati(1, 1, 1, 1, "game"), "^problem must be one of"),
    (lambda: control.layer_of_filter(1, 1, 1, 1), "^Q must be zero: process noise"),
    (lambda: control.layer_of_filter(1, 1, 1, v=0), "^v must be finite and not zero"),
    (lambda: control.filter_of_layer(Layer(A1, B1, A1)), "^V must be a multiple"),
    (lambda: control.filter_of_layer(Layer(A1, B1, I2)), "no negative eigenvalue"),
    (lambda: control.riccati_flow(1, 1, 1, None, 1, -1), "^t must be zero or pos"),
]


@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_refusals_say_why(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_arrays_are_not_written_into():
    """Every array is read-only: a write raises."""
    A, C, S = (np.array(M) for M in (A1, I2, S0))
    for M in (A, C, S):
        M.flags.writeable = False
    assert control.riccati(A, C, S, S).solution.shape == (2, 2)
    assert control.riccati_flow(A, C, S, S, S, 1.0).shape == (2, 2)
    assert control.hautus(A, C) and control.layer_of_filter(A, C, S).d == 2


def scalar_path(a):
    none = np.zeros((1, 1))
    return LayerPath(lambda t: Layer([[a(t)]], none, none), 1, edges=(0.0, 1.0))


def test_a_jump_is_found_and_a_pole_refused():
    jump = scalar_path(lambda t: 1.0 if t < 1 / 3 else 2.0)
    assert control.weight_cost(jump) == pytest.approx(3, rel=1e-10)
    with pytest.raises(ValueError, match="smooth between its breaks, got .* t = 0$"):
        control.weight_cost(scalar_path(lambda t: 1 / t))


def test_a_nearly_unseen_mode_is_refused_and_a_badly_seen_one_solved():
    A = np.diag([0.5, -1.0])
    with pytest.raises(ValueError, match="is not seen"):
        control.riccati(A, [[1e-9, 1]], 1)
    found = control.riccati(A, [[1e-3, 1]], 1, 0.1 * np.eye(2))
    assert found.residual <= 1e-8 and found.closed_loop.real.max() < 0


def test_an_ellipse_moves_as_its_turned_weights_say():
    """Congruence: turn the pair, and the controls turn with it."""
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0]
    turned = [Gaussian(Q @ g.mean, Q @ g.cov @ Q.T) for g in R1]
    for method in METHODS:
        one, other = (
            control.steer(*R1, 1.0, method),
            control.steer(*turned, 1.0, method),
        )
        for name in "ABV":
            M = getattr(one(0.3), name)
            np.testing.assert_allclose(
                getattr(other(0.3), name), Q @ M @ Q.T, atol=ROUNDING
            )
        np.testing.assert_allclose(other(0.3).b, Q @ one(0.3).b, atol=ROUNDING)
