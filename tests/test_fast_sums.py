"""Fast sums on the circle and the two-sphere: bounds that hold, against every pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ive, sph_harm_y
from scipy.stats import ortho_group

from tfdynlib import sphere, summation
from tfdynlib.summation import (
    _circle,
    _legendre,
    _truncation,
    _two_sphere,
    fourier,
    harmonic,
)
from tfdynlib.summation._moments import EPS, Task
from tfdynlib.weights import Heads

seeds = st.integers(0, 2**32 - 1)
betas = st.sampled_from([1e-3, 0.5, 4.0, 64.0, 1e3, 1e4])
tols = st.sampled_from([1e-6, 1e-10, 1e-12])
CLOUDS = ["uniform", "cluster", "two clusters", "duplicates", "poles"]
MATRICES = ["I", "-I", "orthogonal", "symmetric", "any", "nilpotent"]
clouds = st.sampled_from(CLOUDS)
matrices = st.sampled_from(MATRICES)

METHODS = {2: fourier, 3: harmonic}
dimensions = st.sampled_from([2, 3])


def cloud(kind, n, d, rng):
    """Tokens of which the hard kinds leave most of the sphere empty."""
    x = rng.standard_normal((n, d))
    if kind == "cluster":
        x = rng.standard_normal(d) + 1e-3 * x
    if kind == "two clusters":
        x = rng.standard_normal((2, d))[rng.integers(2, size=n)] + 1e-2 * x
    if kind == "duplicates":
        x = rng.standard_normal((3, d))[rng.integers(3, size=n)]
    if kind == "poles":
        x = np.eye(d)[-1] * rng.choice([-1, 1], n)[:, None] + 1e-9 * x
        x[0] = np.eye(d)[-1]
    return sphere.retract(x)


def matrix(kind, d, rng):
    """A matrix of norm 1."""
    if kind in ("I", "-I"):
        return np.eye(d) if kind == "I" else -np.eye(d)
    O = ortho_group.rvs(d, random_state=rng)
    if kind == "orthogonal":
        return O
    if kind == "nilpotent":
        return O @ np.eye(d, k=1) @ O.T
    A = rng.standard_normal((d, d)) + 1.5 * np.eye(d)
    if kind == "symmetric":
        A = A + A.T
    return A / np.linalg.norm(A, 2)


def every_pair(at, x, K, mass):
    """z and first over e^{|p|}, and the mean with the largest score subtracted."""
    score = at @ K.T @ x.T
    a = mass * np.exp(score - np.linalg.norm(at @ K.T, axis=1, keepdims=True))
    w = mass * np.exp(score - score.max(axis=1, keepdims=True))
    return a.sum(axis=1), a @ x, w @ x / w.sum(axis=1, keepdims=True)


def rounding(beta):
    """What rounding of exponents up to beta does to a mean, in any method."""
    return 16 * EPS * (1 + beta)


def problem(seed, d, kind, cloudy, beta, n=200, k=60):
    rng = np.random.default_rng(seed)
    x = cloud(cloudy, n, d, rng)
    at = np.concatenate([x[: k // 2], sphere.uniform(k - k // 2, d, rng)])
    return at, x, beta * matrix(kind, d, rng), rng.dirichlet(np.ones(n))


def possible(d, K, at, x, tol):
    """Whether the method can do it; the cost does not matter here."""
    why = METHODS[d].why_not(Task(d, 10**6, 10**6, K, False, True, tol))
    return why is None


def check(d, at, x, K, mass, tol):
    """The certificate holds in every row, and so does the bound of the sums."""
    m = METHODS[d].sums(at, x, K, mass, tol)
    z, first, mean = every_pair(at, x, K, mass)
    beta = np.linalg.norm(K, 2)
    unit = np.exp(m.shift - m.reach)
    slack = m.tail + rounding(beta) * z
    assert (np.abs(m.z * unit - z) <= slack).all()
    gap = np.linalg.norm(m.first * unit[:, None] - first, axis=1)
    assert (gap <= slack).all()
    kept = m.error < 1
    wrong = np.linalg.norm(m.mean[kept] - mean[kept], axis=1)
    assert (wrong <= m.error[kept] + rounding(beta)).all()
    return m


# --- truncation -------------------------------------------------------------------


@given(r=st.floats(1e-3, 1e4), n=st.integers(0, 900))
def test_bound_of_the_modes_left_out_on_the_circle_holds(r, n):
    k = np.arange(n + 1, n + 3000)
    assert 2 * ive(k, r).sum() <= _truncation.circle_tail(r, n) * (1 + 1e-10)


@given(r=st.floats(1e-3, 1e4), n=st.integers(0, 900))
def test_degrees_left_out_on_the_sphere_are_counted_exactly(r, n):
    l = np.arange(n + 1, n + 3000)
    true = np.sqrt(np.pi / 2 / r) * ((2 * l + 1) * ive(l + 0.5, r)).sum()
    # Errors of 3000 Bessel functions; far below, their underflow.
    np.testing.assert_allclose(
        _truncation.sphere_tail(r, n), true, rtol=1e-10, atol=1e-250
    )


@given(r=st.floats(0, 1e4), tol=st.sampled_from([1e-3, 1e-8, 1e-16]))
def test_the_number_of_terms_is_the_least_that_will_do(r, tol):
    for tail in (_truncation.circle_tail, _truncation.sphere_tail):
        n = _truncation.least(tail, r, tol)
        assert tail(r, n) <= tol
        assert n == 0 or tail(r, n - 1) > tol


@given(
    largest=st.floats(0.1, 300),
    ratio=st.floats(0, 1),
    seed=seeds,
    tol=st.sampled_from([1e-4, 1e-9, 1e-13]),
)
def test_modes_of_queries_beyond_the_scale_are_worth_less_than_the_tolerance(
    largest, ratio, seed, tol
):
    fits = _truncation.scale(largest, ratio * largest, tol)
    if fits.modes > 2000:
        return
    rng = np.random.default_rng(seed)
    a, b = ortho_group.rvs(2, size=2, random_state=rng)
    K = a @ np.diag([largest, ratio * largest]) @ b
    t = np.pi / 4000 * np.arange(8000)
    p = np.stack([np.cos(t), np.sin(t)], axis=1) @ K.T
    y = sphere.uniform(1, 2, rng)[0]
    f = np.exp(p @ y - fits(np.linalg.norm(p, axis=1)))
    c = np.abs(np.fft.fft(f, norm="forward"))
    beyond = c[fits.modes + 1 : 8000 - fits.modes].sum()
    # 8000 coefficients, each with the rounding of exponents of size largest.
    assert beyond * np.exp(fits.loss) <= tol + 8000 * EPS * (1 + largest)


def test_radii_interpolate_all_exponentials():
    ends = [(5.0, 0.0), (64.0, 30.0), (300.0, 299.0), (1e3, 400.0), (1e4, 5e3)]
    for largest, smallest in ends:
        for tol in (1e-6, 1e-12):
            n = harmonic.radii(largest, smallest, tol)
            node = np.cos(np.pi * (np.arange(n) + 0.5) / n)
            r = (largest + smallest) / 2 + (largest - smallest) / 2 * node
            fine = np.linspace(smallest, largest, 101)
            t = np.clip(2 * (fine - smallest) / (largest - smallest) - 1, -1, 1)
            for u in (1, 0.9999, 0.999, 0.99, 0.9, 0.5, 0, -1):
                c = np.polynomial.chebyshev.chebfit(node, np.exp(r * (u - 1)), n - 1)
                gap = np.polynomial.chebyshev.chebval(t, c) - np.exp(fine * (u - 1))
                assert np.abs(gap).max() <= tol + 1e-13 * n  # rounding of the fit


# --- transforms ---------------------------------------------------------------------


@given(seed=seeds, n=st.integers(1, 300), accuracy=st.sampled_from([1e-6, 1e-15]))
def test_transforms_on_the_circle_are_sums_of_waves(seed, n, accuracy):
    rng = np.random.default_rng(seed)
    theta, mass = rng.uniform(-np.pi, np.pi, 500), rng.dirichlet(np.ones(500))
    waves = np.exp(1j * np.outer(np.arange(n + 1), theta))
    c = _circle.coefficients(theta, mass, n, accuracy)
    bound = accuracy + 8 * EPS * (1 + n)  # rounding of the angle times n
    assert np.abs(c - waves.conj() @ mass).max() <= bound
    f = rng.standard_normal((3, n + 1)) + 1j * rng.standard_normal((3, n + 1))
    f[:, 0] = f[:, 0].real
    true = f[:, 0].real[:, None] + 2 * (f[:, 1:] @ waves[1:]).real
    size = 2 * np.abs(f).sum(axis=1, keepdims=True)
    assert (np.abs(_circle.values(theta, f, accuracy) - true) <= bound * size).all()


def harmonics(x, L):
    """All harmonics of points, by SciPy: orders, degrees, points."""
    theta = np.arctan2(np.hypot(x[:, 0], x[:, 1]), x[:, 2])
    phi = np.arctan2(x[:, 1], x[:, 0])
    m, l = np.mgrid[: L + 1, : L + 1]
    Y = sph_harm_y(np.maximum(l, m)[..., None], m[..., None], theta, phi)
    return Y * (m <= l)[..., None]


@pytest.fixture(params=["ducc0", "numpy"])
def form(request, monkeypatch):
    """With the package ducc0, and as if it were not there."""
    if request.param == "ducc0":
        pytest.importorskip("ducc0")
    else:
        monkeypatch.setattr(_two_sphere, "installed", lambda: False)
    return request.param


def test_coefficients_are_sums_of_harmonics_and_coordinates_act_on_them(form):
    rng = np.random.default_rng(0)
    x, mass = cloud("uniform", 80, 3, rng), rng.dirichlet(np.ones(80))
    x[:4] = [[0, 0, 1], [0, 0, -1], [1, 0, 0], [-1, 0, 0]]
    L = 15
    Y = harmonics(x, L).conj()
    a = _two_sphere.analyse(_two_sphere.locate(x), mass, L, 1e-15)
    np.testing.assert_allclose(a, Y @ mass, atol=1e-14)
    four = _legendre.first_moments(a)
    for got, weight in zip(four, [mass, *(x.T * mass)]):
        np.testing.assert_allclose(got, (Y @ weight)[:L, :L], atol=1e-14)
    values, lost = _two_sphere.synthesise(four, _two_sphere.locate(x), 1e-15)
    Y = Y.conj()[:L, :L]
    twice = np.where(np.arange(L) > 0, 2, 1)
    true = np.einsum("fml,mlk,m->fk", four, Y, twice).real
    np.testing.assert_allclose(values, true, atol=1e-13)
    assert lost < 1e-13


# --- sums ---------------------------------------------------------------------------


@pytest.mark.unchecked
@settings(max_examples=60)
@given(seed=seeds, kind=matrices, cloudy=clouds, beta=betas, tol=tols)
def test_certificate_holds_on_the_circle(seed, kind, cloudy, beta, tol):
    at, x, K, mass = problem(seed, 2, kind, cloudy, beta)
    if possible(2, K, at, x, tol):
        check(2, at, x, K, mass, tol)


@pytest.mark.unchecked
@settings(max_examples=40)
@given(
    seed=seeds,
    kind=matrices,
    cloudy=clouds,
    beta=st.sampled_from([1e-3, 0.5, 4.0, 30.0]),
    tol=tols,
)
def test_certificate_holds_on_the_two_sphere(seed, kind, cloudy, beta, tol):
    at, x, K, mass = problem(seed, 3, kind, cloudy, beta)
    check(3, at, x, K, mass, tol)


@pytest.mark.parametrize("cloudy", CLOUDS)
@pytest.mark.parametrize("kind", MATRICES)
def test_certificate_holds_in_either_form_and_through_the_grid(form, kind, cloudy):
    # More queries than points of the grid, so that sums are interpolated twice.
    at, x, K, mass = problem(5, 3, kind, cloudy, 3.0, n=50, k=6000)
    check(3, at, x, K, mass, 1e-10)


@pytest.mark.parametrize("cloudy", ["uniform", "two clusters"])
@pytest.mark.parametrize("kind", ["I", "-I", "orthogonal"])
@pytest.mark.parametrize("beta", [200.0, 1e3])
def test_certificate_holds_for_hot_queries_on_the_two_sphere(kind, cloudy, beta):
    pytest.importorskip("ducc0")
    at, x, K, mass = problem(7, 3, kind, cloudy, beta, n=400, k=400)
    check(3, at, x, K, mass, 1e-10)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("beta", [0.0, 1.0, 20.0])
def test_no_row_of_a_spread_cloud_misses_the_tolerance(d, beta):
    at, x, K, mass = problem(3, d, "any", "uniform", beta)
    assert METHODS[d].sums(at, x, K, mass, 1e-10).error.max() <= 1e-10


def test_forms_agree(monkeypatch):
    pytest.importorskip("ducc0")
    for kind, beta in [("I", 40.0), ("-I", 5.0), ("orthogonal", 20.0), ("any", 6.0)]:
        at, x, K, mass = problem(11, 3, kind, "uniform", beta)
        one = harmonic.sums(at, x, K, mass, 1e-10)
        with monkeypatch.context() as m:
            m.setattr(_two_sphere, "installed", lambda: False)
            two = harmonic.sums(at, x, K, mass, 1e-10)
        gap = np.linalg.norm(one.mean - two.mean, axis=1)
        assert (gap <= one.error + two.error + rounding(beta)).all()


@given(seed=seeds, d=dimensions)
def test_sums_turn_with_tokens(seed, d):
    at, x, K, mass = problem(seed, d, "any", "uniform", 3.0)
    O = ortho_group.rvs(d, random_state=np.random.default_rng(seed))
    one = METHODS[d].sums(at, x, K, mass, 1e-10)
    two = METHODS[d].sums(at @ O.T, x @ O.T, O @ K @ O.T, mass, 1e-10)
    np.testing.assert_allclose(two.log_z, one.log_z, atol=1e-12)
    np.testing.assert_allclose(two.mean, one.mean @ O.T, atol=1e-12)


@pytest.mark.unchecked
@given(seed=seeds, d=dimensions)
def test_several_heads_are_the_heads_one_by_one(seed, d):
    at, x, K, mass = problem(seed, d, "any", "uniform", 5.0)
    Ks = np.stack([K, np.eye(d), -2 * K])
    for K, m in zip(Ks, METHODS[d].stack(at, x, Ks, mass, 1e-10)):
        alone = METHODS[d].sums(at, x, K, mass, 1e-10)
        np.testing.assert_allclose(m.log_z, alone.log_z, atol=1e-12)
        np.testing.assert_allclose(m.mean, alone.mean, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_masses_scale_sums_and_tokens_without_mass_are_not_seen(d):
    at, x, K, mass = problem(2, d, "any", "uniform", 4.0)
    mass[::2] = 0
    mass *= 7 / mass.sum()
    x_before, mass_before = x.copy(), mass.copy()
    m = METHODS[d].sums(at, x, K, mass, 1e-10)
    seen = METHODS[d].sums(at, x[1::2], K, mass[1::2] / 7, 1e-10)
    assert m.total == pytest.approx(7)
    np.testing.assert_allclose(m.log_z, seen.log_z + np.log(7), atol=1e-12)
    np.testing.assert_allclose(m.mean, seen.mean, atol=1e-12)
    np.testing.assert_array_equal(x, x_before)
    np.testing.assert_array_equal(mass, mass_before)


@pytest.mark.parametrize("d", [2, 3])
def test_points_that_are_the_tokens_may_be_given_as_such(d):
    _, x, K, mass = problem(4, d, "symmetric", "uniform", 4.0)
    for A in (K, 2 * np.eye(d), -2 * np.eye(d)):
        same = METHODS[d].sums(x, x, A, mass, 1e-10)
        other = METHODS[d].sums(x.copy(), x, A, mass, 1e-10)
        np.testing.assert_array_equal(same.mean, other.mean)


# --- refusals -----------------------------------------------------------------------


def task(d, n=1000, K=None, on_sphere=True):
    return Task(d, n, n, K, True, on_sphere)


@pytest.mark.parametrize("d", [2, 3])
def test_other_spaces_and_free_queries_are_refused(d):
    method = METHODS[d]
    assert method.why_not(task(d, K=np.eye(d))) is None
    assert "norm 1" in method.why_not(task(d, K=np.eye(d), on_sphere=False))
    assert "norm 1" in method.why_not(task(5, K=np.eye(5)))
    assert "'dense' takes free queries" in method.why_not(task(d))
    assert "'dense' takes any" in method.why_not(task(d, K=1e6 * np.eye(d)))


def test_nearly_singular_matrices_at_large_beta_are_refused():
    assert "singular" in fourier.why_not(task(2, K=np.diag([1e4, 0])))
    hot = task(3, n=10**7, K=np.diag([2e4, 1e4, 0]))
    if _two_sphere.installed():
        assert "'dense' needs none" in harmonic.why_not(hot)


def test_matrices_that_mix_radii_are_refused_where_all_pairs_are_faster(form):
    K = np.diag([64.0, 50.0, 40.0])
    assert "'dense' is faster" in harmonic.why_not(task(3, n=100, K=K))
    assert harmonic.why_not(task(3, n=10**6, K=K)) is None


def test_a_refusal_names_the_method_that_is_fastest_there(tokens):
    x, K = tokens(1, n=300), np.diag([64.0, 50.0, 40.0])
    best = summation.explain(300, Heads(K, np.eye(3))).method
    with pytest.raises(ValueError, match=f"^method must be .*{best!r} is the fastest"):
        summation.of_heads(x, x, Heads(K, np.eye(3)), np.full(300, 1 / 300), "harmonic")


def test_without_ducc0_large_exponents_are_refused(monkeypatch):
    monkeypatch.setattr(_two_sphere, "installed", lambda: False)
    assert "ducc0" in harmonic.why_not(task(3, K=1e3 * np.eye(3)))


@pytest.mark.parametrize("d", [2, 3])
def test_cost_grows_with_tokens_and_with_beta(d, form):
    cost = METHODS[d].cost
    assert cost(task(d, 10**6, np.eye(d))) > cost(task(d, 10**4, np.eye(d)))
    assert cost(task(d, 10**4, 400 * np.eye(d))) > cost(task(d, 10**4, np.eye(d)))
