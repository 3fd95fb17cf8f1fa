"""Sums of exponentials: every method against one reference, the promise of the
tolerance, memory, and the choice of a method."""

import importlib.util
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tfdynlib import attention, energy, sphere, summation
from tfdynlib.summation import (
    _circle_points,
    certificate,
    choose,
    compiled,
    dense,
    fourier,
    panels,
)
from tfdynlib.weights import Heads

seeds = st.integers(0, 2**32 - 1)
dimensions = st.sampled_from([2, 3, 5, 16])
betas = st.sampled_from([1e-3, 1.0, 30.0, 1e3, 1e4])
kinds = st.sampled_from(["symmetric", "identity", "minus", "shear", "singular"])
clouds = st.sampled_from(["random", "clustered", "one point"])
# Sizes around the vectors, the steps and the tiles of the loops.
sizes = st.sampled_from([1, 2, 7, 16, 17, 40, 257, 530])

EXACT = [name for name, m in summation.METHODS.items() if m.exact]
needs_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="needs numba"
)


def able(names):
    """Those methods that this machine can run, each a case of its own."""
    marks = {"compiled": needs_numba}
    return [pytest.param(m, marks=marks[m] if m in marks else ()) for m in names]


def cloud(kind, n, d, rng):
    """Tokens on the sphere."""
    x = sphere.uniform(n, d, rng)
    if kind == "clustered":
        x = sphere.retract(x[rng.integers(0, min(3, n), n)] + 1e-3 * x)
    return np.repeat(x[:1], n, axis=0) if kind == "one point" else x


def matrix(kind, d, rng):
    """A matrix of scores of norm about 1."""
    if kind == "identity":
        return np.eye(d)
    if kind == "minus":
        return -np.eye(d)
    if kind == "shear":  # strongly non-normal
        return np.triu(np.ones((d, d)), 1)
    B = rng.standard_normal((d, d)) / np.sqrt(d)
    return np.outer(B[0], B[1]) if kind == "singular" else (B + B.T) / 2


def masses(n, rng):
    """Unequal masses, some of them zero."""
    mass = rng.exponential(size=n) * (rng.random(n) > 0.2)
    mass[rng.integers(n)] += 1.0
    return mass / mass.sum()


def reference(at, x, K, mass):
    """Mean and log z, with the largest exponent subtracted, in extended precision.

    Exponents of size e carry a relative error of eps e into weights in doubles; here it
    is 2000 times smaller on machines whose long double is longer.
    """
    wide = np.longdouble
    seen = mass > 0
    p = at.astype(wide) @ K.astype(wide).T
    s = p @ x[seen].astype(wide).T + np.log(mass[seen].astype(wide))
    top = s.max(axis=1, keepdims=True)
    a = np.exp(s - top)
    z = a.sum(axis=1)
    mean = a @ x[seen] / z[:, None]
    return mean.astype(float), (top[:, 0] + np.log(z)).astype(float)


def rounding(K):
    """What rounding does to exponents, and so to weights: eps times their size, with
    room for sums over d."""
    return 40 * np.finfo(float).eps * (1 + np.linalg.norm(K))


# --- laws -------------------------------------------------------------------------


@pytest.mark.parametrize("method", able(["auto", *EXACT]))
@given(seed=seeds, n=sizes, d=dimensions, beta=betas, kind=kinds, where=clouds)
def test_exact_methods_agree_with_the_reference(method, seed, n, d, beta, kind, where):
    rng = np.random.default_rng(seed)
    x, mass = cloud(where, n, d, rng), masses(n, rng)
    heads = Heads(
        [matrix(kind, d, rng), matrix("shear", d, rng)], 2 * [np.eye(d)], beta
    )
    sums = summation.of_heads(x, x, heads, mass, method)
    for m, K in zip(sums, heads.beta * heads.B):
        mean, log_z = reference(x, x, K, mass)
        tol = rounding(K) + (1e-10 if method == "auto" else 0)
        np.testing.assert_allclose(m.mean, mean, rtol=0, atol=tol)
        np.testing.assert_allclose(m.log_z, log_z, rtol=0, atol=tol)
        assert (m.z > 0).all() and np.isfinite(m.first).all()


@pytest.mark.parametrize("method", able([m for m in summation.NAMES if m != "auto"]))
@example(seed=970, d=3, beta=1e4, kind="symmetric", where="random")
@given(seed=seeds, d=st.sampled_from([2, 3]), beta=betas, kind=kinds, where=clouds)
def test_every_token_has_the_tolerance_by_every_method(
    method, seed, d, beta, kind, where
):
    rng = np.random.default_rng(seed)
    x, mass, tol = cloud(where, 40, d, rng), masses(40, rng), 1e-8
    heads = Heads(matrix(kind, d, rng), np.eye(d), beta)
    K = heads.beta * heads.B[0]
    task = choose.tasks(x, x, [K], tol)[0]
    if summation.METHODS[method].why_not(task) is not None:
        return
    sums = summation.of_heads(x, x, heads, mass, method, tol)[0]
    mean, log_z = reference(x, x, K, mass)
    np.testing.assert_allclose(sums.mean, mean, rtol=0, atol=tol + rounding(K))
    np.testing.assert_allclose(sums.log_z, log_z, rtol=0, atol=tol + rounding(K))


@pytest.mark.parametrize("method", able(EXACT))
@given(seed=seeds, d=dimensions, beta=betas)
def test_points_apart_from_tokens_are_free_queries(method, seed, d, beta):
    rng = np.random.default_rng(seed)
    x, at = 2 * sphere.uniform(33, d, rng), rng.standard_normal((19, d))
    heads, mass = Heads(matrix("shear", d, rng), np.eye(d), beta), masses(33, rng)
    p = summation.queries(at, heads)[0]
    free = summation.moments(p, x, mass, method)
    bound = summation.of_heads(at, x, heads, mass, method)[0]
    mean, log_z = reference(at, x, heads.beta * heads.B[0], mass)
    tol = 8 * rounding(heads.beta * heads.B[0])  # tokens of norm 2, points of 4
    for sums in (free, bound):
        np.testing.assert_allclose(sums.mean, mean, rtol=0, atol=tol)
        np.testing.assert_allclose(sums.log_z, log_z, rtol=0, atol=tol)


@pytest.mark.parametrize("method", able(EXACT))
@given(seed=seeds, d=dimensions)
def test_equal_tokens_are_one_token_with_the_sum_of_their_masses(method, seed, d):
    rng = np.random.default_rng(seed)
    x, mass = cloud("random", 20, d, rng), masses(20, rng)
    heads = Heads(matrix("symmetric", d, rng), np.eye(d), 5.0)
    twice = np.concatenate([x, x])
    split = np.concatenate([0.25 * mass, 0.75 * mass])
    one = summation.of_heads(x, x, heads, mass, method)[0]
    two = summation.of_heads(twice, twice, heads, split, method)[0]
    np.testing.assert_allclose(two.mean[:20], one.mean, rtol=0, atol=1e-13)
    np.testing.assert_allclose(two.mean[20:], one.mean, rtol=0, atol=1e-13)


@pytest.mark.parametrize("method", able(EXACT))
def test_rows_that_underflow_are_summed_from_their_maximum(method):
    """All tokens near e1 and B = -I: exponents near -beta where +beta is allowed."""
    rng = np.random.default_rng(0)
    for d in (2, 3, 5):
        x = sphere.retract(np.eye(d)[0] + 1e-2 * sphere.uniform(50, d, rng))
        for beta in (200.0, 400.0, 1e4, 1e8):
            K = -beta * np.eye(d)
            heads, mass = Heads(-np.eye(d), np.eye(d), beta), masses(50, rng)
            sums = summation.of_heads(x, x, heads, mass, method)[0]
            mean, log_z = reference(x, x, K, mass)
            np.testing.assert_allclose(sums.mean, mean, rtol=0, atol=rounding(K))
            np.testing.assert_allclose(sums.log_z, log_z, rtol=1e-14)


@given(seed=seeds, beta=betas, kind=kinds)
def test_the_certificate_is_the_sum_in_units_of_its_bound(seed, beta, kind):
    rng = np.random.default_rng(seed)
    x, mass = cloud("random", 12, 3, rng), masses(12, rng)
    heads = Heads(matrix(kind, 3, rng), np.eye(3), beta)
    sums = summation.of_heads(x, x, heads, mass, "dense")[0]
    p = summation.queries(x, heads)[0]
    reach = np.linalg.norm(p, axis=1) * np.linalg.norm(x, axis=1).max()
    log_z = reference(x, x, heads.beta * heads.B[0], mass)[1]
    np.testing.assert_allclose(
        sums.q, np.exp(log_z - reach), rtol=2 * rounding(p) + 1e-13, atol=1e-300
    )
    np.testing.assert_array_equal(sums.error, 0)


def blurred(at, x, K, mass, tol):
    """A method that is off by its tail, as an approximation may be."""
    m, tail = dense.sums(at, x, K, mass, tol), 1e-9
    unit = np.exp(np.minimum(m.reach - m.shift, 600)) * tail * m.total
    off = np.random.default_rng(0).uniform(-1, 1, len(m.z)) * unit
    return summation.Moments(
        m.shift, m.z + off, m.first - off[:, None] / 2, m.reach, m.total, tail=tail
    )


@given(seed=seeds, beta=betas, kind=kinds, where=clouds)
def test_repair_keeps_the_tolerance_whatever_an_approximation_loses(
    seed, beta, kind, where
):
    rng = np.random.default_rng(seed)
    x, mass, tol = cloud(where, 30, 3, rng), masses(30, rng), 1e-7
    K = beta * matrix(kind, 3, rng)
    rough = blurred(x, x, K, mass, tol)
    fine = certificate.repair(rough, x, K, x, mass, tol, lambda k: dense.free)
    mean, _ = reference(x, x, K, mass)
    np.testing.assert_allclose(fine.mean, mean, rtol=0, atol=tol + rounding(K))
    kept = rough.error <= tol
    np.testing.assert_array_equal(fine.z[kept], rough.z[kept])


@given(seed=seeds, n=sizes, r=st.sampled_from([0.0, 3.0, 40.0, 1e3, 1e5]), where=clouds)
def test_panels_are_exact_for_queries_that_point_anywhere(seed, n, r, where):
    rng = np.random.default_rng(seed)
    x, mass = cloud(where, 8 * n, 2, rng), masses(8 * n, rng)
    p = r * rng.uniform(size=(30, 1)) * sphere.uniform(30, 2, rng)
    p[0] = -r * x[0]
    mean, log_z = reference(p, x, np.eye(2), mass)
    found = panels.free(p, x, mass, 1e-10)
    # 16 nodes leave 1e-13 of sums of Chebyshev polynomials, and rounding the rest.
    np.testing.assert_allclose(found.mean, mean, rtol=0, atol=rounding(p) + 1e-13)
    np.testing.assert_allclose(found.log_z, log_z, rtol=0, atol=rounding(p) + 1e-13)
    assert (found.z > 0).all()


def test_tokens_far_from_all_others_are_summed_over_panels():
    """Two clumps, and tokens between them that see neither well: they miss the
    tolerance by Fourier series, and are too many for sums over all pairs."""
    rng = np.random.default_rng(3)
    theta = np.concatenate([rng.normal(0, 0.01, 5000), rng.uniform(1, 1.3, 4000)])
    x = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    mass = np.repeat([1.0, 1e-9], [5000, 4000])
    heads = Heads(np.diag([2.0, 0.5]), np.eye(2), 400.0)
    fast = summation.of_heads(x, x, heads, mass, "fourier")[0]
    rough = fourier.sums(x, x, heads.beta * heads.B[0], mass, 1e-10)
    missed = ~(rough.error <= 1e-10)
    assert panels.rest(int(missed.sum()), mass) is panels.free
    slow = summation.of_heads(x, x, heads, mass, "dense")[0]
    np.testing.assert_allclose(fast.mean, slow.mean, rtol=0, atol=1e-10)
    kept = fast.z == rough.z
    assert np.array_equal(kept, ~missed)


def test_all_but_massless_tokens_are_not_left_to_panels():
    assert panels.rest(10**6, np.ones(10**4)) is panels.free
    assert panels.rest(10, np.ones(10)) is None
    assert panels.rest(10**6, np.append(np.ones(10**4), 1e-200)) is None


@needs_numba
@given(seed=seeds, n=sizes)
def test_a_compiled_power_loses_two_roundings_for_each_factor(seed, n):
    rng = np.random.default_rng(seed)
    x, mass, most = sphere.uniform(n, 2, rng), masses(n, rng), _circle_points.FEW_MODES
    wide, k = x.astype(np.longdouble), np.arange(most + 1)
    powers = np.exp(1j * k[:, None] * np.arctan2(wide[:, 1], wide[:, 0]))
    here = _circle_points.Vectors(x)
    c = here.coefficients(mass, most, 0.0)
    lost = 2 * np.finfo(float).eps * (k + 1)
    assert (np.abs(c - powers.conj() @ mass) <= lost * mass.sum()).all()
    c = np.stack([c, rng.normal(size=c.shape), 1j * rng.normal(size=c.shape)])
    c[:, 0] = c[:, 0].real
    wanted = 2 * (c @ powers).real - c[:, :1].real
    off = np.abs(here.values(c, 0.0) - wanted)
    assert (off <= 2 * (np.abs(c) @ lost)[:, None]).all()


@needs_numba
@given(seed=seeds, beta=st.sampled_from([1e-3, 1.0, 30.0]), kind=kinds, where=clouds)
def test_compiled_waves_keep_the_tolerance(seed, beta, kind, where):
    rng = np.random.default_rng(seed)
    x, mass = cloud(where, 40, 2, rng), masses(40, rng)
    B = np.stack([matrix(kind, 2, rng), np.eye(2)])
    heads = Heads(B, B, beta)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_circle_points, "MANY", 1)
        for at in (x, cloud("random", 9, 2, rng)):
            fast = summation.of_heads(at, x, heads, mass, "fourier", 1e-9)
            for sums, B in zip(fast, heads.B):
                mean, _ = reference(at, x, beta * B, mass)
                atol = 1e-9 + rounding(beta * B)
                np.testing.assert_allclose(sums.mean, mean, rtol=0, atol=atol)


@needs_numba
def test_the_compiled_exponential_is_one_to_rounding():
    s = np.random.default_rng(0).uniform(-740, 0, 80_000)
    s[:9] = [0.0, -0.5, 0.5, -1.0, 1e-300, -1e-17, 700.0, -690.0, 0.25]
    powers = s.copy()
    compiled.loops().exponentials(powers)
    exact = np.exp2(s.astype(np.longdouble))
    assert np.abs(powers / exact - 1).max() < 2e-15
    far = np.full(8, -1e9)
    compiled.loops().exponentials(far)
    np.testing.assert_array_equal(far, 2.0**-1000)


@given(seed=seeds)
def test_energies_come_from_the_same_sums_by_any_method(seed):
    rng = np.random.default_rng(seed)
    x, mass = cloud("random", 60, 2, rng), masses(60, rng)
    heads = Heads.descent(np.stack([np.diag([1.0, 0.5]), np.eye(2)]), 6.0)
    values = [
        (
            energy.interaction(x, heads, mass, method, 1e-11),
            *energy.first_variation(x, heads, mass, None, method, 1e-11)[:3],
            energy.slope_squared(x, heads, mass, method, 1e-11),
            energy.dissipation(x, heads, "softmax", mass, method, 1e-11),
        )
        for method in ("dense", "fourier")
    ]
    # Each is a product of a few sums that are good to 1e-11.
    np.testing.assert_allclose(values[0], values[1], rtol=1e-9, atol=1e-9)


# --- memory and choice ------------------------------------------------------------


def test_dense_memory_grows_with_the_tokens_not_with_their_pairs():
    """20 000 tokens: the matrix of scores alone would take 3.2 GB."""
    x = sphere.uniform(20_000, 3, np.random.default_rng(0))
    heads, mass = Heads(np.eye(3), np.eye(3), 4.0), np.full(20_000, 1 / 20_000)
    tracemalloc.start()
    try:
        summation.of_heads(x, x, heads, mass, "dense")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6


def test_auto_never_takes_what_is_not_installed(monkeypatch):
    monkeypatch.setattr(compiled, "installed", lambda: False)
    for d, space in ((2, "euclidean"), (3, "euclidean"), (5, "sphere"), (40, "sphere")):
        choice = attention.explain(100_000, Heads(np.eye(d), np.eye(d)), space=space)
        assert choice.method != "compiled"
        assert choice.table["compiled"] == (np.inf, compiled.missing())
    x = sphere.uniform(200, 5, np.random.default_rng(0))
    heads = Heads(np.eye(5), np.eye(5))
    assert np.isfinite(attention.velocity(x, heads)).all()
    with pytest.raises(ValueError, match="numba is not installed.*'dense'"):
        attention.velocity(x, heads, method="compiled")


@given(
    d=st.integers(2, 6),
    n=st.sampled_from([1, 100, 1000, 10**5, 10**7]),
    beta=st.sampled_from([1e-3, 1.0, 1e3, 1e7]),
    space=st.sampled_from(["sphere", "euclidean"]),
    kind=kinds,
)
def test_auto_takes_the_cheapest_of_those_that_can(d, n, beta, space, kind):
    B = matrix(kind, d, np.random.default_rng(d))
    choice = attention.explain(n, Heads(B, np.eye(d), beta), space=space)
    seconds, remark = choice.table[choice.method]
    assert np.isfinite(seconds) and remark == ""
    if n * n > choose.FEW:
        assert seconds == min(s for s, _ in choice.table.values())
    assert choice.method in repr(choice) and choice.why in repr(choice)
    if space == "euclidean" or d > 3:
        assert summation.METHODS[choice.method].exact


def test_rules_without_exponentials_have_no_choice():
    choice = attention.explain(50, Heads(np.eye(3), np.eye(3)), "hardmax")
    assert "no exponentials" in choice.why


# --- refusals ---------------------------------------------------------------------

X = sphere.uniform(5, 3, np.random.default_rng(0))
HEADS = Heads(np.eye(3), np.eye(3))
REFUSALS = [
    (lambda: attention.velocity(X, HEADS, method="fourier"), "method .*on the circle"),
    (lambda: attention.explain(0, HEADS), "n must be 1 or more"),
    (lambda: attention.explain(5, HEADS, tol=-1.0), "tol must be positive"),
    (lambda: energy.interaction(X, HEADS, method="fast"), "method must be one of"),
    (lambda: attention.log_partition(X, HEADS, tol=0.0), "tol must be positive"),
    (lambda: summation.moments(X, X, np.full(5, 0.2), "fourier"), "method must be"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


@pytest.mark.parametrize("beta", [1e-30, 1e-8, 1.0])
@pytest.mark.parametrize("d", [2, 3])
def test_weak_heads_are_summed_without_a_word(d, beta):
    x = sphere.uniform(400, d, np.random.default_rng(0))
    for B in (np.zeros((d, d)), np.eye(d)):
        heads = Heads(B, np.eye(d), beta)
        v, w = (attention.velocity(x, heads, method=m) for m in ("auto", "dense"))
        assert np.abs(v - w).max() < 1e-10
        assert attention.explain(400, heads).method in summation.NAMES


@pytest.mark.parametrize(("d", "method"), [(2, "fourier"), (3, "harmonic")])
def test_single_precision_has_the_fast_methods_too(d, method):
    x = sphere.uniform(3000, d, np.random.default_rng(0)).astype(np.float32)
    heads = Heads(np.eye(d), np.eye(d), 2.0)
    fast = attention.velocity(x, heads, method=method)
    assert np.abs(fast - attention.velocity(x, heads, method="dense")).max() < 1e-10
    assert attention.explain(3000, heads).method == method


@pytest.mark.parametrize("method", ["dense", "compiled"])
@pytest.mark.parametrize("beta", [1e6, 1e12, 1e19, 1e200])
def test_scores_of_any_size_give_the_mean_of_attend(method, beta):
    if method == "compiled" and compiled.missing():
        pytest.skip("needs numba")
    x = sphere.uniform(20, 3, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    heads = Heads(rng.standard_normal((3, 3)), np.eye(3), beta)
    seen = sphere.project(x, attention.attend(x, heads)[0] @ x)
    assert np.abs(attention.velocity(x, heads, method=method) - seen).max() < 1e-3
