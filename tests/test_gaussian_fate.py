"""The fate of a covariance: theorems with their margins, many at once, and tokens."""

import functools
import time
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_gaussian import (
    B2,
    COV,
    D1,
    D2,
    D3,
    E1,
    E2,
    I2,
    O2,
    SADDLE,
    V2,
    A,
    B,
    one,
    rise,
)
from unchecked import unchecked

from tfdynlib import attention, flow, gaussian
from tfdynlib.gaussian import Gaussian, Layer, NoEquilibrium
from tfdynlib.weights import Heads

METHODS = ["numpy"] + ["compiled"] * (find_spec("numba") is not None)
KINDS = ("bounded", "decays", "grows", "blow-up", "undecided")
ZERO = [0.0, 0.0]
TURN = np.array([[0.0, 1.0], [-1.0, 0.0]])

FATES = [
    (one(0.5, 1, -1), [[2.0]], "settles", 1.0, [[0.5]]),
    (one(0.5, 1, 1), [[2.0]], "blow-up", None, None),
    (one(-0.5, 1, 1), [[0.4]], "decays", 1.0, [[0.0]]),
    (one(-0.5, 1, 1), [[0.6]], "blow-up", None, None),
    (one(0, 1, -1), [[2.0]], "decays", 0.0, [[0.0]]),
    (one(-0.5, 1, 1), [[0.5]], "rests", None, [[0.5]]),
    (D2, COV, "blow-up", None, None),
    (D3, COV, "settles", 1.0, np.diag([0.5, 0.0])),
    (E1, COV, "blow-up", None, None),
    (E2, COV, "bounded", None, None),
    (Layer(O2, -B2, V2), COV, "decays", 0.0, O2),
    (Layer(-A, O2, I2), COV, "decays", 1.0, O2),
    (Layer(A, O2, I2), COV, "grows", None, None),
    (Layer(TURN, O2, I2), COV, "bounded", None, None),
    (Layer(-A, B, 0.3 * I2), COV, "decays", 1.0, O2),
    (Layer(-A, B, 0.3 * I2), np.ones((2, 2)), "blow-up", None, None),
    (
        Layer(0.1 * I2 + TURN, np.diag([1.0, -0.5]), 0.3 * I2),
        COV,
        "blow-up",
        None,
        None,
    ),
    (Layer(-0.5 * I2 + TURN, SADDLE, 0.3 * I2), COV, "decays", 1.0, O2),
    (Layer(A, TURN + np.diag([1.0, -1.0]), B), COV, "undecided", None, None),
]


@pytest.mark.parametrize(("layer", "cov", "kind", "rate", "limit"), FATES)
def test_fates(layer, cov, kind, rate, limit):
    fate = gaussian.regime(layer, cov)
    assert fate.kind == kind and fate.certificate.theorem in str(fate.certificate)
    assert fate.rate == (None if rate is None else pytest.approx(rate, abs=1e-12))
    if limit is not None:
        np.testing.assert_allclose(fate.limit, limit, atol=1e-12)
    for words, margin in fate.certificate.margins.items():
        assert margin > 0 or "zero" in words, words
    if kind == "undecided":
        assert fate.blow_up_time is None
    elif kind != "blow-up":
        assert fate.blow_up_time == np.inf == gaussian.blow_up_time(layer, cov)


def test_a_theorem_is_never_contradicted_by_a_run():
    """Random layers with values of one sign: what regime says is what happens."""
    cases = [
        [seed, d, kind]
        for seed in (0, 1, 2)
        for d in (1, 2, 3, 4)
        for kind in ("vI", "V")
    ]
    kinds = unchecked(told, cases)
    assert {"blow-up", "settles", "bounded"} <= set(kinds)


def told(seed, d, kind):
    """The fate of a random layer, after a run that might have contradicted it."""
    rng = np.random.default_rng([seed, d])
    M, K = rng.standard_normal((2, d, d))
    S = rng.standard_normal((d, d))
    V = np.eye(d) if kind == "vI" else S @ S.T / d + 0.2 * np.eye(d)
    K = rng.choice([-1.0, 1.0]) * (K @ K.T / d + 0.1 * np.eye(d)) + 0.3 * (K - K.T)
    layer = Layer(M, K, rng.choice([-1.0, 1.0]) * V)
    L = 0.5 * rng.standard_normal((d, d))
    fate = gaussian.regime(layer, L @ L.T)
    start = Gaussian.from_factor(np.zeros(d), L)
    end = 12.0 if fate.blow_up_time in (None, np.inf) else 2 * fate.blow_up_time
    run = gaussian.solve(layer, start, [0, end / 2, end], "ode", 1e-9, 1e-10, 5000)
    low, high = gaussian.blow_up_bounds(layer, L @ L.T)
    if run.status == "blow-up":
        assert fate.kind in ("blow-up", "undecided")
        assert low * (1 - 1e-7) <= run.blow_up_time <= high * (1 + 1e-7)
    elif run.status == "done":
        assert fate.kind != "blow-up"
    if fate.kind == "blow-up":
        assert run.blow_up_time == pytest.approx(fate.blow_up_time, rel=1e-6)
    return fate.kind


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_equilibria_solve_their_equation(seed, d):
    rng = np.random.default_rng(seed)
    M, K = rng.standard_normal((2, d, d))
    M = M + (0.5 - np.linalg.eigvals(M).real.min()) * np.eye(d)
    rest = gaussian.equilibrium(Layer(M, -K @ K.T - 0.1 * np.eye(d), np.eye(d)))
    cov = rest.cov
    size = np.linalg.norm(M, 2) * np.linalg.norm(cov, 2)
    # rounding times the condition of the Lyapunov equation and of the inverse
    assert np.linalg.norm(rise(rest.layer, cov)) <= 1e-10 * size
    assert np.linalg.eigvalsh(cov)[0] > 0 and rest.attracts
    slowest = 2 * np.linalg.eigvals(M).real.min()
    assert rest.rate == pytest.approx(slowest, rel=1e-4)


@pytest.mark.parametrize(
    ("layer", "words"),
    [
        (Layer(-I2, B, -I2), "not positive definite"),
        (Layer(O2, B, -I2), "sum to zero"),
        (Layer(O2, -B2, V2), "opposite signs need an expansive A"),
        (E1, "equal signs need a contracting A"),
        (Layer(TURN, B, np.diag([1.0, -1.0])), "none was found"),
    ],
)
def test_no_equilibrium_says_why(layer, words):
    with pytest.raises(NoEquilibrium, match=words):
        gaussian.equilibrium(layer)


def asked(seed):
    """Dimension, seconds of this process, fate and blow-up time of a random layer."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 9))
    sizes = 10 ** rng.uniform(-2, 2, 4)
    M, K, V = (size * rng.standard_normal((d, d)) for size in sizes[:3])
    if seed % 4 == 1:
        V = sizes[2] * np.eye(d)
    if seed % 4 == 2:
        M = M - 1.2 * np.linalg.eigvals(M).real.max() * np.eye(d)
    if seed % 4 == 3:
        V, K = V @ V.T, rng.choice([-1, 1]) * K @ K.T
    L = sizes[3] * rng.standard_normal((d, int(rng.integers(1, d + 1))))
    layer, begin = Layer(M, K, V), time.process_time()
    kind = gaussian.regime(layer, L @ L.T).kind
    end = gaussian.blow_up_time(layer, L @ L.T)
    return d, time.process_time() - begin, kind, end


def test_every_layer_is_answered_soon():
    """Two seconds, whatever the sizes: undecided is an answer too."""
    found = unchecked(asked, [[seed] for seed in range(24)])
    assert max(seconds for _, seconds, _, _ in found) < 2
    assert all((kind == "blow-up") <= (end < np.inf) for _, _, kind, end in found)
    assert len({kind for _, _, kind, _ in found}) > 2


@pytest.mark.parametrize(("c", "a"), [(1e-7, 1e-3), (0.3, 0.5), (1e-3, 1e-6)])
def test_a_blow_up_that_is_certain_is_found_however_late(c, a):
    """V = vI and A a multiple of the identity and a turn: as in one dimension."""
    for growth in (a, 0.0, -a):
        layer = Layer(growth * I2 + TURN, I2, c * I2)
        start = 2 * I2 if growth >= 0 else 2 * a / c * I2
        end = gaussian.blow_up_time(layer, start)
        exact = gaussian.scalar_blow_up_time(growth, c, start[0, 0])
        # each unit of the angle that was turned may round once or twice
        assert end == pytest.approx(exact, rel=1e-13 + 4e-16 * exact)


def test_stiff_growth_is_seen_in_a_few_steps():
    """Attention holds the cloud to a line on which A expands it: kinds by both ways,
    and the rate along the line by the integrator."""
    layer = Layer(0.3 * I2, np.diag([1.0, -1.0]), [[0.0, -1.0], [1.0, 0.0]])
    kinds = [
        gaussian.phase_diagram(layer.A, layer.B, layer.V, COV, t_end=500, method=m).kind
        for m in METHODS
    ]
    assert kinds == ["grows"] * len(METHODS)
    run = gaussian.solve(layer, Gaussian(ZERO, COV), [0.0, 6.0, 8.0], "ode", 1e-8, 1e-9)
    size = np.trace(run.cov, axis1=1, axis2=2)
    p = run.factor[-1][:, 0] / np.linalg.norm(run.factor[-1][:, 0])
    assert abs(p @ layer.B @ p) < 0.1
    assert np.log(size[-1] / size[-2]) > 0.5


def test_small_covariances_decay_by_the_theorem():
    """However slow: a window of time would call it bounded."""
    got = gaussian.phase_diagram(-1e-4 * I2, B, V2, 1e-6 * I2, t_end=5)
    assert (
        got.kind == "decays"
        and gaussian.regime(Layer(-1e-4 * I2, B, V2), 1e-6 * I2).kind == "decays"
    )


def systems(d):
    return np.random.default_rng(2).standard_normal((3, 40, d, d))


def phases(method, d):
    """Kinds and blow-up times of forty random layers from the identity."""
    found = gaussian.phase_diagram(*systems(d), np.eye(d), t_end=20, method=method)
    return found.kind.tolist(), found.blow_up_time.tolist()


@functools.cache
def all_phases():
    cases = [[method, d] for d in (2, 3) for method in METHODS]
    found = unchecked(phases, cases)
    return {tuple(case): value for case, value in zip(cases, found)}


@pytest.mark.parametrize("d", [2, 3])
def test_many_covariances_at_once(d):
    """What is followed at once agrees with one at a time."""
    kinds, times = all_phases()["numpy", d]
    met = [i for i, kind in enumerate(kinds) if kind == "blow-up"]
    assert len(met) > 10 and set(kinds) <= {*KINDS}
    for i in met[:3]:
        layer = Layer(*(M[i] for M in systems(d)))
        start = Gaussian(np.zeros(d), np.eye(d))
        t = gaussian.solve(layer, start, [0, 80], "ode", 1e-9, 1e-10).blow_up_time
        # asked for 1e-6 a step, some dozens of steps
        assert times[i] == pytest.approx(t, rel=1e-4)


@pytest.mark.parametrize("d", [2, 3])
def test_compiled_phases_are_those_of_numpy(d):
    pytest.importorskip("numba")
    one, two = (all_phases()[method, d] for method in ("numpy", "compiled"))
    assert one[0] == two[0] and len(set(one[0])) > 3
    np.testing.assert_allclose(one[1], two[1], rtol=1e-9)


def test_the_scalar_diagram():
    a, c = np.meshgrid([-1.0, -0.5, 0.5, 1.0], [-2.0, -1.0, 1.0, 2.0])
    got = gaussian.phase_diagram(
        a[..., None, None], c[..., None, None], [[1.0]], [[0.6]], method="numpy"
    )
    exact = gaussian.scalar_blow_up_time(a, c, 0.6)
    met = np.isfinite(exact)
    assert ((got.kind == "blow-up") == met).all()
    np.testing.assert_allclose(got.blow_up_time[met], exact[met], rtol=1e-5)
    assert (got.kind[~met & (a < 0)] == "decays").all()
    assert (got.kind[~met & (a > 0)] == "bounded").all()


@pytest.mark.parametrize("d", [1, 2, 3])
def test_share_of_random_layers_that_blow_up(d):
    """A = 0, V = I, Gaussian scores: 1/2, 0.8536, 0.975 for d = 1, 2, 3."""
    K = np.random.default_rng(d).standard_normal((2000, d, d))
    got = gaussian.phase_diagram(np.zeros((d, d)), K, np.eye(d), np.eye(d), t_end=200)
    share = np.mean(np.linalg.eigvalsh(K + K.swapaxes(1, 2))[:, -1] > 0)
    expected = {1: 0.5, 2: 1 - (2 - 2**0.5) / 4, 3: 0.975}[d]
    # what takes longer than four times t_end is a top eigenvalue below 1/800
    assert np.mean(got.kind == "blow-up") == pytest.approx(share, abs=0.003)
    assert share == pytest.approx(expected, abs=4 * (0.25 / 2000) ** 0.5)


def test_tokens_follow_their_moments():
    layer = Layer(A, B, -0.7 * I2, [0.2, -0.1])
    g = Gaussian([0.5, 0.0], 0.3 * COV)
    x = gaussian.sample(g, 4000, np.random.default_rng(0))
    got = flow.solve(gaussian.particles(layer), x, [0.0, 1.0], rtol=1e-5, atol=1e-6)
    law = gaussian.solve(layer, gaussian.matched(x), [0.0, 1.0]).end
    # the sample's own moments start exactly; its tail errs at the rate n^-1/2
    assert gaussian.distance(gaussian.matched(got.x[-1]), law) < 3 / 4000**0.5
    wrong = gaussian.solve(Layer(A, B.T, -0.7 * I2, [0.2, -0.1]), g, [0.0, 1.0]).end
    assert gaussian.distance(wrong, law) > 0


def test_the_tilt_has_the_transpose_right():
    x = gaussian.sample(Gaussian([0.0, 0.0], COV), 200_000, np.random.default_rng(0))
    query = np.array([[0.6, -0.4]])
    seen = attention.velocity(x, Heads(B, I2), space="euclidean", at=query)[0]
    n = gaussian.sample_fraction(x, B @ query[0]) * len(x)
    np.testing.assert_allclose(seen, COV @ B @ query[0], atol=5 / n**0.5)
    assert np.linalg.norm(seen - COV @ B.T @ query[0]) > 0.1


def test_what_a_sample_sees():
    g = Gaussian([3.0, 1.0], COV)
    x = gaussian.sample(g, 100_000, np.random.default_rng(3))
    p = [0.6, -0.4]
    assert gaussian.sample_fraction(x, p) == pytest.approx(
        gaussian.effective_fraction(g, p), abs=0.01
    )
    assert gaussian.sample_fraction(x, [0.0, 0.0]) == pytest.approx(1.0, abs=1e-12)


def test_a_mixture_does_not_stay():
    rng = np.random.default_rng(0)
    bell, sides = rng.standard_normal((2, 4000, 1))
    two = 0.3 * sides + rng.choice([-1.0, 1.0], (4000, 1))
    null = 5 * (24 / 4000) ** 0.5
    assert abs(gaussian.excess_kurtosis(bell)[0]) < null
    # (3 s^4 + 6 s^2 + 1) / (1 + s^2)^2 - 3 for s = 0.3
    exact = (3 * 0.3**4 + 6 * 0.3**2 + 1) / 1.09**2 - 3
    assert gaussian.excess_kurtosis(two)[0] == pytest.approx(exact, abs=null)
    assert gaussian.distance_to_gaussian(two) > 5 * gaussian.distance_to_gaussian(bell)


def test_relu_bound():
    """x' = max(x, 0) from N(0, 1): W2 is (e^t - 1)/sqrt 2, its bound t e^t/sqrt 2."""
    g, t = Gaussian([0.0], [[1.0]]), np.array([0.0, 0.1, 0.5, 1.0])
    bound = gaussian.relu_bound(g, [[1.0]], [0.0], t)
    np.testing.assert_allclose(bound, t * np.exp(t) / 2**0.5, rtol=1e-10)
    assert (np.expm1(t) / 2**0.5 <= bound).all()
    z = gaussian.sample(g, 500, np.random.default_rng(0))
    got = flow.solve(gaussian.relu_field([[1.0]], [0.0]), z, t, space="euclidean")
    np.testing.assert_allclose(got.x[-1], np.where(z > 0, np.e * z, z), rtol=1e-6)


def test_relu_gap_by_sampling_and_far_out():
    g = Gaussian([0.3, -0.2], COV)
    x = gaussian.sample(g, 200_000, np.random.default_rng(5))
    cut = np.minimum(x @ A.T + [0.1, 0.2], 0) ** 2
    error = 5 * cut.std(axis=0) / 200_000**0.5
    assert (
        np.abs(gaussian.relu_gap(g, A, [0.1, 0.2]) - cut.mean(axis=0)) < error
    ).all()
    far = gaussian.relu_gap(Gaussian([30.0], [[1.0]]), [[1.0]], [0.0])[0]
    # E[(y^-)^2] ~ 2 phi(m)/m^3 (1 - 6/m^2)
    lead = 2 * np.exp(-450) / (2 * np.pi) ** 0.5 / 30**3
    assert far == pytest.approx(lead * (1 - 6 / 900), rel=1e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gaussian.phase_diagram(A, B, I2, np.eye(3)), "cov must be of a shape"),
        (lambda: gaussian.phase_diagram(A, B, I2, -I2), "cov must be a covariance"),
        (lambda: gaussian.phase_diagram(A, B, I2, I2, rtol=1), "rtol must be"),
        (
            lambda: gaussian.effective_fraction(Gaussian([0.0], [[1.0]]), [1.0, 2.0]),
            "p must be",
        ),
        (lambda: gaussian.relu_gap(Gaussian([0.0], [[1.0]]), I2, [0.0]), "A must be"),
        (lambda: gaussian.blow_up_time(D1, COV, horizon=0), "horizon must be"),
    ],
)
def test_bad_input_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
