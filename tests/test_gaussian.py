"""Gaussian tokens: the moments obey their laws, and every printed number is met."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from unchecked import unchecked

from tfdynlib import gaussian
from tfdynlib.gaussian import Gaussian, Layer, LayerPath

I2, O2 = np.eye(2), np.zeros((2, 2))
SADDLE = np.diag([1.0, -0.5])
A = np.array([[0.4, 0.3], [-0.2, 0.6]])
B = np.array([[1.0, 0.5], [-0.3, 0.8]])
COV = np.array([[1.0, 0.3], [0.3, 0.6]])
V2, B2 = np.diag([1.0, 0.5]), np.array([[1.2, 0.3], [0.3, 0.8]])
ZERO, ONE = [0.0, 0.0], Gaussian([0.0], [[1.0]])
START = Gaussian([0.0, 0.0], COV)
D1, D2 = Layer(A, B, -0.7 * I2), Layer(O2, B, 0.7 * I2)
D3 = Layer(np.diag([0.5, -0.5]), I2, -I2)
E1, E2 = Layer(O2, B2, V2), Layer(A, -B2, V2)
# Reference values are printed to ten decimals.
PRINTED = 6e-11


def one(a, k, v, b=0.0):
    return Layer([[float(a)]], [[float(k)]], [[float(v)]], [float(b)])


def rise(layer, cov):
    half = layer.jacobian(cov) @ cov
    return half + half.T


def independent(layer, start, t):
    """(mean, cov) at t by another integrator, on Sigma itself."""
    d = start.d

    def f(_, y):
        cov, m = y[: d * d].reshape(d, d), y[d * d :]
        dm = (layer.jacobian(cov) + layer.V) @ m + layer.b
        return np.concatenate([rise(layer, cov).ravel(), dm])

    y0 = np.concatenate([start.cov.ravel(), start.mean])
    y = solve_ivp(f, (0, t), y0, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return y[d * d :], y[: d * d].reshape(d, d)


def case(seed, kind="any"):
    """A layer of d = 1..8 and a start of any rank, small enough to live to t = 0.3."""
    rng = np.random.default_rng(seed)
    d = 1 + seed % 8
    rank = int(rng.integers(1, d + 1))
    M = 0.5 * rng.standard_normal((3, d, d))
    V = rng.choice([-1.0, 1.0]) * 0.5 * np.eye(d) if kind == "vI" else M[2]
    L = rng.standard_normal((d, rank)) / d
    start = Gaussian.from_factor(rng.standard_normal(d), L)
    return Layer(M[0], M[1], V, rng.standard_normal(d)), start


@pytest.mark.parametrize("method", ["auto", "ode"])
def test_reference_moments(method):
    def at(layer, start, t):
        return gaussian.solve(layer, start, [0, t], method).cov[-1]

    two = Gaussian([0.0], [[2.0]])
    assert at(one(0.5, 1, -1), two, 1)[0, 0] == pytest.approx(0.6905214968, abs=PRINTED)
    small = Gaussian([0.0], [[0.4]])
    assert at(one(-0.5, 1, 1), small, 3)[0, 0] == pytest.approx(
        0.0830373849, abs=PRINTED
    )
    expected = [[0.6456540857, 0.0662250836], [0.0662250836, 0.9139892166]]
    np.testing.assert_allclose(at(D1, START, 2), expected, atol=PRINTED)
    assert at(D3, START, 5)[1, 1] == pytest.approx(0.0017074782, abs=PRINTED)


def test_reference_means():
    run = gaussian.solve(one(0, 1, -1), Gaussian([1.0], [[2.0]]), [0.0, 1.0])
    assert run.mean[-1, 0] == pytest.approx(0.1645206876, abs=PRINTED)
    run = gaussian.solve(one(0.5, 1, -1, 0.7), Gaussian([3.0], [[2.0]]), [0.0, 40.0])
    # e^-40 is below the tolerance of the integrator, 1e-12, over its 40 units of time
    np.testing.assert_allclose([run.mean[-1, 0], run.cov[-1, 0, 0]], [0.7, 0.5], 1e-10)


BLOW_UPS = [
    (one(0.5, 1, 1), [[2.0]], 0.2231435513),
    (one(0, 1, 1), [[2.0]], 0.25),
    (one(-0.5, 1, 1), [[2.0]], 0.2876820725),
    (D2, COV, 0.5923307904),
    (E1, COV, 0.3447557276),
    (Layer(O2, np.diag([0.8, 0.4]), V2), np.diag([1.0, 2.0]), 0.625),
]


@pytest.mark.parametrize(("layer", "cov", "expected"), BLOW_UPS)
def test_reference_blow_up_times(layer, cov, expected):
    found = gaussian.blow_up_time(layer, cov)
    # E1 is printed to ten digits by an integrator of its own, good to 1e-8
    room = 1e-8 if layer is E1 else PRINTED
    assert found == pytest.approx(expected, abs=room)
    run = gaussian.solve(layer, Gaussian(np.zeros(len(cov)), cov), [0.0, 9.0], "ode")
    assert run.status == "blow-up" and len(run.t) == 1
    assert run.blow_up_time == pytest.approx(found, rel=1e-10)
    low, high = gaussian.blow_up_bounds(layer, cov)
    assert low <= found * (1 + 1e-12) and found <= high * (1 + 1e-12)


def test_reference_times_of_modes():
    times = gaussian.scalar_blow_up_time(0, [0.8, 0.2], [1, 2])
    np.testing.assert_allclose(times, [0.625, 1.25], rtol=1e-15)


def test_reference_bounds():
    low, high = gaussian.blow_up_bounds(E1, COV)
    assert low == pytest.approx(0.1670441151, abs=PRINTED)
    assert high == pytest.approx(2.8433753972, abs=PRINTED)
    bound = gaussian.regime(E2, COV).certificate.bounds["y below"]
    assert bound == pytest.approx(7.5824020901, abs=PRINTED)


def test_reference_equilibria():
    rest = gaussian.equilibrium(D1)
    limit = [[0.6076048608, 0.0952007616], [0.0952007616, 1.0024080193]]
    np.testing.assert_allclose(rest.cov, limit, atol=PRINTED)
    assert rest.rate == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(
        sorted(rest.spectrum.imag), [-0.0433775870, 0.0433775870], atol=PRINTED
    )
    np.testing.assert_allclose(rest.spectrum.real, 0, atol=1e-14)
    bias = rest.bias([1.0, -2.0])
    np.testing.assert_allclose(bias, [0.7733829871, -1.3332026656], atol=PRINTED)
    np.testing.assert_allclose(
        gaussian.equilibrium(Layer(A, B, -0.7 * I2, bias)).mean, [1.0, -2.0], rtol=1e-12
    )
    other = gaussian.equilibrium(E2)
    limit = [[0.3369697311, 0.1047209743], [0.1047209743, 1.3712797105]]
    np.testing.assert_allclose(other.cov, limit, atol=PRINTED)
    y = np.trace(np.linalg.inv(V2) @ other.cov)
    assert y == pytest.approx(3.0795291521, abs=PRINTED)
    assert other.attracts and other.mean_rate < 0


def after_long(cov):
    """E2 from a start, at t = 60."""
    return gaussian.solve(E2, Gaussian([0, 0], cov), [0, 60]).cov[-1].tolist()


def test_three_starts_come_to_one_rest():
    starts = [[cov.tolist()] for cov in (COV, 9 * I2, 0.01 * I2)]
    rest = gaussian.equilibrium(E2).cov
    for end in unchecked(after_long, starts):
        np.testing.assert_allclose(end, rest, atol=1e-10)


def test_reference_relu_and_fractions():
    for m, expected in ((0, 0.5), (3, 0.000203435080)):
        gap = gaussian.relu_gap(Gaussian([float(m)], [[1.0]]), [[1.0]], [0.0])
        assert gap[0] == pytest.approx(expected, abs=6e-13)
    found = gaussian.effective_fraction(START, [0.6, -0.4])
    assert found == pytest.approx(0.7319815, abs=6e-8)


def test_reference_distance():
    target = Gaussian([-1.0, 2.0], [[2.0, -0.5], [-0.5, 0.7]])
    w = gaussian.distance(Gaussian([0.5, -0.3], COV), target)
    assert w**2 == pytest.approx(8.0181335660, abs=PRINTED)


LAWS = (
    "agrees",
    "agrees_with_the_closed_form",
    "agrees_mode_by_mode",
    "blows_up_on_time",
    "symmetric",
)


@pytest.mark.parametrize("law", LAWS)
def test_laws_of_random_layers(law):
    """See the five functions below: d from 1 to 8, any rank, both signs."""
    assert len(unchecked(globals()[law], [[seed] for seed in range(24)])) == 24


def agrees(seed):
    """The moments agree with another integrator, and the rank stays."""
    layer, start = case(seed)
    run = gaussian.solve(layer, start, [0.0, 0.15, 0.3])
    mean, cov = independent(layer, start, 0.3)
    # Both ask for 1e-12 of each step; the flow may spread errors e^3 in this time.
    scale = 1 + np.abs(cov).max() + np.abs(mean).max()
    np.testing.assert_allclose(run.cov[-1], cov, atol=1e-10 * scale)
    np.testing.assert_allclose(run.mean[-1], mean, atol=1e-10 * scale)
    assert run.factor.shape[2] == start.rank
    assert np.linalg.matrix_rank(run.factor[-1]) == start.rank


def agrees_with_the_closed_form(seed):
    """The integrator, for V = vI."""
    layer, start = case(seed, "vI")
    run = gaussian.solve(layer, start, [0.0, 0.3], "ode")
    exact = gaussian.closed_form(layer, start.cov, [0.3])[0]
    np.testing.assert_allclose(run.cov[-1], exact, atol=1e-11 * (1 + exact.max()))


def commuting(seed):
    """A layer and a start with common eigenvectors, each mode of either sign."""
    rng = np.random.default_rng(seed)
    d = 1 + seed % 8
    Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    a, k, v = 0.5 * rng.standard_normal((3, d))
    s = rng.uniform(0.2, 1, d) * (np.arange(d) < rng.integers(1, d + 1))
    A, B, V, cov = ((Q * x) @ Q.T for x in (a, k, v, s))
    return Layer(A, B, V), (cov + cov.T) / 2, (a, v * k, s)


def agrees_mode_by_mode(seed):
    """The integrator, for commuting matrices; and the closed form of each mode."""
    layer, cov, (a, c, s) = commuting(seed)
    run = gaussian.solve(layer, Gaussian(np.zeros(layer.d), cov), [0.0, 0.3], "ode")
    exact = gaussian.closed_form(layer, cov, [0.3])[0]
    np.testing.assert_allclose(run.cov[-1], exact, atol=1e-11)
    modes = np.sort(gaussian.scalar_covariance(a, c, s, 0.3))
    np.testing.assert_allclose(np.linalg.eigvalsh(exact), modes, atol=1e-13)
    assert run.factor.shape[2] == np.count_nonzero(s)


def blows_up_on_time(seed):
    """The integrator finds the pole of the closed form to 1e-8, if it comes soon."""
    layer, start = case(seed, "vI")
    layer = Layer(layer.A, layer.B, 8 * layer.V)
    end = gaussian.blow_up_time(layer, start.cov, 3.0)
    g = Gaussian.from_factor(np.zeros(layer.d), start.factor)
    if end < 3:
        run = gaussian.solve(layer, g, [0.0, 4.0], "ode")
        assert run.status == "blow-up"
        assert run.blow_up_time == pytest.approx(end, rel=1e-8)
    return end < 3


def symmetric(seed):
    """Congruence, and (V, B) -> (cV, B/c) with c of either sign, leave the equation of
    the covariance alone."""
    layer, start = case(seed)
    c, d = 0.3 * 1.1**seed * (-1) ** seed, layer.d
    T = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    T = T * np.linspace(0.5, 2, d)
    back = np.linalg.inv(T)
    cov = start.cov
    turned = Layer(T @ layer.A @ back, back.T @ layer.B @ back, T @ layer.V @ back)
    size = np.abs(rise(layer, cov)).max() + 1
    np.testing.assert_allclose(
        rise(turned, T @ cov @ T.T), T @ rise(layer, cov) @ T.T, atol=1e-12 * 16 * size
    )
    scaled = Layer(layer.A, layer.B / c, c * layer.V)
    g = Gaussian.from_factor(np.zeros(d), start.factor)
    one, two = (gaussian.solve(w, g, [0.0, 0.3]).cov[-1] for w in (layer, scaled))
    np.testing.assert_allclose(two, one, atol=1e-10 * (1 + np.abs(one).max()))


def test_logarithm_of_the_determinant():
    t = np.linspace(0, 2, 401)
    run = gaussian.solve(D1, Gaussian([1.0, 0.0], COV), t)
    trace = [np.trace(D1.jacobian(c)) for c in run.cov]
    simpson = (
        0.005
        / 3
        * (trace[0] + trace[-1] + 4 * sum(trace[1::2]) + 2 * sum(trace[2:-1:2]))
    )
    gain = np.log(np.linalg.det(run.cov[-1]) / np.linalg.det(COV))
    # Simpson's error: 4 h^4/180 times a fourth derivative of about 2.5, 4e-11
    assert gain == pytest.approx(2 * simpson, abs=1e-10)
    assert gain == pytest.approx(0.1384569, abs=6e-8)


def test_a_line_stays_a_line():
    for method in ("auto", "ode"):
        run = gaussian.solve(
            D1, Gaussian([0.0, 0.0], np.ones((2, 2))), [0.0, 1.0, 3.0, 10.0], method
        )
        assert run.factor.shape == (4, 2, 1)
        angle = np.degrees(np.arctan2(run.factor[:, 1, 0], run.factor[:, 0, 0])) % 180
        np.testing.assert_allclose(angle[1:], [36.74, 20.67, 95.10], atol=5e-3)
        assert np.abs(np.linalg.eigvalsh(run.cov)[:, 0]).max() < 1e-10


def test_a_path_of_pieces_is_its_pieces():
    layers = [D1, Layer(A, O2, O2, [1.0, 0.0])]
    path = gaussian.piecewise(layers, [0.0, 0.5, 1.0])
    start = Gaussian([1.0, 1.0], COV)
    whole = gaussian.solve(path, start, [0.0, 1.0]).end
    half = gaussian.solve(layers[0], start, [0.0, 0.5]).end
    end = gaussian.solve(layers[1], half, [0.5, 1.0]).end
    assert gaussian.distance(whole, end) < 1e-10
    smooth = LayerPath(lambda t: Layer(t * A, B, -I2), 2)
    assert gaussian.solve(smooth, start, [0.0, 1.0]).status == "done"
    with pytest.raises(ValueError, match="t must be in"):
        gaussian.solve(path, start, [0.0, 2.0])


def test_blow_up_is_a_label_and_says_where():
    run = gaussian.solve(D2, Gaussian([1.0, 1.0], COV), [0.0, 0.3, 0.59, 0.6, 1.0])
    assert run.status == "blow-up" and list(run.t) == [0.0, 0.3, 0.59]
    assert (
        abs(np.degrees(np.arctan(run.direction[1] / run.direction[0])) - 27.35) < 5e-3
    )
    assert np.isfinite(run.cov).all() and np.isfinite(run.mean).all()
    huge = Gaussian([0.0, 0.0], 1e148 * COV), Gaussian([1e148, 0.0], COV)
    for layer, start, method in (
        (Layer(I2, O2, O2), huge[0], "auto"),
        (Layer(I2, O2, O2), huge[0], "ode"),
        (Layer(I2, O2, O2), huge[1], "ode"),
        (Layer(I2, O2, O2), Gaussian([0.0, 0.0], 1e148 * V2), "auto"),
    ):
        far = gaussian.solve(layer, start, [0.0, 1.0, 100.0], method)
        assert far.status == "not finite" and list(far.t) == [0.0, 1.0]
        assert np.isfinite(far.cov).all() and np.isfinite(far.mean).all()
    point = gaussian.solve(D1, Gaussian([1.0, 0.0], O2), [0.0, 1.0])
    assert point.status == "done" and not point.cov.any()


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 6), st.integers(0, 6)
)
def test_distance_is_a_distance(seed, d, r, s):
    rng = np.random.default_rng(seed)
    g, h, k = (
        Gaussian.from_factor(
            rng.standard_normal(d), rng.standard_normal((d, min(r, d)))
        )
        for r in (r, s, d)
    )
    assert gaussian.distance(g, g) == 0.0
    gh = gaussian.distance(g, h)
    assert gh == pytest.approx(gaussian.distance(h, g), rel=1e-12)
    assert gh <= (gaussian.distance(g, k) + gaussian.distance(k, h)) * (1 + 1e-12)
    shift = np.sum((g.mean - h.mean) ** 2)
    values, U = np.linalg.eigh(g.cov)
    root = (U * np.sqrt(np.maximum(values, 0))) @ U.T
    cross = np.sqrt(np.maximum(np.linalg.eigvalsh(root @ h.cov @ root), 0)).sum()
    trace = np.trace(g.cov + h.cov) - 2 * cross
    # roots of rounding, 1e-16, in rank-deficient directions
    assert gh**2 == pytest.approx(shift + trace, abs=1e-6 * (1 + gh**2))


def test_samples_have_the_moments():
    x = gaussian.sample(Gaussian([1.0, 2.0], COV), 200_000, np.random.default_rng(0))
    found = gaussian.matched(x)
    # five standard errors: 1/sqrt(n) for means, sqrt(2/n) for variances
    np.testing.assert_allclose(found.mean, [1.0, 2.0], atol=5 / 200_000**0.5)
    np.testing.assert_allclose(found.cov, COV, atol=5 * (2 / 200_000) ** 0.5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: Gaussian([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]),
            "cov must be a covariance",
        ),
        (
            lambda: Gaussian([0.0, 0.0], [[1.0, 2.0], [0.0, 1.0]]),
            "cov must be symmetric",
        ),
        (lambda: Gaussian([0.0], I2), "mean must be of shape"),
        (
            lambda: Gaussian.from_factor([0.0, 0.0], [[1.0, 1.0], [1.0, 1.0]]),
            "factor must be",
        ),
        (lambda: Layer(A, B, np.eye(3)), "V must be of shape"),
        (lambda: Layer(A, B, I2, [np.nan, 0]), "b must be finite"),
        (
            lambda: gaussian.solve(D1, Gaussian([0.0], [[1.0]]), [0.0, 1.0]),
            "start must be",
        ),
        (lambda: gaussian.solve(D1, START, [0.0, 0.0]), "t must be strictly"),
        (lambda: gaussian.solve(D1, START, [0.0, 1.0], "rk4"), "method must be"),
        (lambda: gaussian.closed_form(E1, COV, [0.1]), "layer must be"),
        (lambda: gaussian.closed_form(D2, COV, [0.7]), "t must be before"),
        (lambda: gaussian.closed_form(Layer(I2, O2, O2), COV, [999]), "t must be bef"),
        (lambda: gaussian.piecewise([D1], [0.0, 1.0, 2.0]), "t_edges must be"),
        (lambda: gaussian.distance(START, Gaussian([0.0], [[1.0]])), "h must be"),
        (lambda: gaussian.scalar_covariance(1.0, 1.0, -1.0, 0.0), "start must be"),
        (lambda: gaussian.regime(D1, np.eye(3)), "cov must be"),
    ],
)
def test_bad_input_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_whole_numbers_and_lists_are_welcome():
    layer = Layer([[0]], [[1]], [[-1]], [0])
    g = Gaussian([1], [[2]])
    run = gaussian.solve(layer, g, [0, 1], rtol=1e-12, max_steps=500)
    assert run.cov[-1, 0, 0] == pytest.approx(0.4, rel=1e-11)
    assert gaussian.closed_form(layer, [[2]], [1])[0, 0, 0] == pytest.approx(0.4)
    assert gaussian.scalar_covariance(0, -1, 2, 1) == pytest.approx(0.4)
    assert gaussian.scalar_blow_up_time(0, 1, 2) == 0.25
    assert gaussian.blow_up_time(Layer([[0]], [[1]], [[1]]), [[2]], 10) == 0.25
    assert gaussian.regime(layer, [[2]]).kind == "decays"
    assert gaussian.blow_up_bounds(layer, [[2]])[0] == np.inf
    path = gaussian.piecewise([layer, layer], [0, 1, 2])
    assert path(1) is layer and gaussian.constant(layer)(3) is layer
    assert gaussian.relu_gap(g, [[1]], [0]).shape == (1,)
    assert gaussian.relu_bound(g, [[0]], [1], [0, 1])[0] == 0
    assert gaussian.effective_fraction(g, [1]) == pytest.approx(np.exp(-2))
    phases = gaussian.phase_diagram([[0]], [[1]], [[1]], [[2]], t_end=5)
    assert phases.kind == "blow-up"


def test_values_are_their_own():
    """Neither do they write into what is given, nor can they be written into."""
    cov = COV.copy()
    g = Gaussian([0.0, 0.0], cov)
    cov[0, 0] = 9
    assert g.cov[0, 0] == 1
    for array in (g.mean, g.cov, g.factor, D1.A, D1.b):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.unchecked
def test_a_cloud_that_slides_where_attention_holds_it_is_followed():
    """On the line of p^T B p = 0 it grows at the rate a of A p + k V p = a p; across it
    attention acts at 1e12 in the end, where an explicit step would be as short."""
    A, B = (
        [[0.4365, 0.4196], [0.9109, -0.8692]],
        [[-0.5164, -0.1326], [-0.4267, -0.0434]],
    )
    V, cov = (
        [[-0.9576, 0.1012], [0.4532, -1.4201]],
        [[0.6614, -0.6071], [-0.6071, 0.5573]],
    )
    start = Gaussian(ZERO, cov)
    run = gaussian.solve(Layer(A, B, V), start, [0, 1, 5, 6])
    assert (run.status, run.method) == ("done", "dop853, Radau")
    p = np.linalg.eigh(run.cov[-1])[1][:, 1]
    assert abs(p @ np.array(B) @ p) < 1e-11
    a = np.linalg.solve(np.column_stack([p, -np.array(V) @ p]), np.array(A) @ p)[0]
    grown = np.trace(run.cov[3]) / np.trace(run.cov[2])
    assert np.log(grown) == pytest.approx(2 * a, rel=1e-8)
    # A jump of the layers is a place to start again.
    halves = gaussian.piecewise([Layer(A, B, V)] * 2, [0, 4, 6])
    again = gaussian.solve(halves, start, [0, 1, 5, 6])
    assert (again.status, again.method) == ("done", "dop853, Radau")
    np.testing.assert_allclose(again.cov, run.cov, rtol=1e-8)
