"""The sphere: laws of projection, geodesics and distance; quadrature; refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdynlib import sphere

seeds = st.integers(0, 2**32 - 1)
dimensions = st.sampled_from([2, 3, 7])

# A dozen operations on numbers of size 1, each rounded to 1e-16.
ROUNDING = 1e-14


@given(seed=seeds, d=dimensions)
def test_projection_is_tangent_and_projects_once(tokens, seed, d):
    x, v = tokens(seed, d=d), np.random.default_rng(seed).standard_normal((9, d))
    tangent = sphere.project(x, v)
    np.testing.assert_allclose(np.sum(x * tangent, axis=1), 0, atol=ROUNDING)
    np.testing.assert_allclose(sphere.project(x, tangent), tangent, atol=ROUNDING)


@given(seed=seeds, d=dimensions)
def test_log_undoes_exp_and_has_the_length_of_the_distance(tokens, seed, d):
    x, y = tokens(seed, d=d), tokens(seed + 1, d=d)
    v = sphere.log(x, y)
    np.testing.assert_allclose(sphere.exp(x, v), y, atol=ROUNDING)
    np.testing.assert_allclose(np.sum(x * v, axis=1), 0, atol=ROUNDING)
    length = np.linalg.norm(v, axis=1)
    np.testing.assert_allclose(length, sphere.distance(x, y), atol=ROUNDING)


@given(seed=seeds)
def test_distance_is_a_metric(tokens, seed):
    x, y, z = (tokens(seed + k) for k in range(3))
    assert (sphere.distance(x, x) == 0).all()
    np.testing.assert_array_equal(sphere.distance(x, y), sphere.distance(y, x))
    detour = sphere.distance(x, y) + sphere.distance(y, z)
    assert (sphere.distance(x, z) <= detour + ROUNDING).all()


@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1.0, np.pi - 1e-9, np.pi])
def test_distance_keeps_its_digits_at_both_ends(angle):
    x, y = np.array([1.0, 0.0]), np.array([np.cos(angle), np.sin(angle)])
    # Relative to the angle when near, to pi when far: that is what y itself holds.
    assert sphere.distance(x, y) == pytest.approx(angle, rel=1e-15, abs=0)


def test_log_keeps_its_digits_near_the_antipode():
    angle = np.pi - 1e-9
    v = sphere.log(np.array([1.0, 0.0]), np.array([np.cos(angle), np.sin(angle)]))
    np.testing.assert_allclose(v, [0, angle], rtol=1e-15, atol=1e-24)


def test_zero_vectors_stay_where_they_are(tokens):
    x = tokens(0)
    np.testing.assert_array_equal(sphere.exp(x, np.zeros_like(x)), x)
    np.testing.assert_array_equal(sphere.log(x, x), np.zeros_like(x))


@pytest.mark.parametrize(("h", "gap"), [(1, 0.21460), (0.5, 0.03635), (0.25, 0.00502)])
def test_retraction_lags_the_geodesic_by_a_third_order_gap(h, gap):
    x, v = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    lag = sphere.distance(sphere.retract(x + h * v), sphere.exp(x, h * v))
    assert lag == pytest.approx(h - np.arctan(h), abs=ROUNDING)
    assert lag == pytest.approx(gap, abs=5e-6)  # printed digits


def test_a_seed_gives_the_tokens_of_the_page():
    """The page has its own generator: these formulas are a contract with it."""
    u = np.random.default_rng(5).random(4)
    angle = 2 * np.pi * u
    np.testing.assert_array_equal(
        sphere.uniform(4, 2, np.random.default_rng(5)),
        np.stack([np.cos(angle), np.sin(angle)], axis=1),
    )
    u = np.random.default_rng(5).random((4, 2))
    x = sphere.uniform(4, 3, np.random.default_rng(5))
    np.testing.assert_array_equal(x[:, 2], 2 * u[:, 0] - 1)
    np.testing.assert_allclose(
        np.arctan2(x[:, 1], x[:, 0]) % (2 * np.pi), 2 * np.pi * u[:, 1], rtol=1e-13
    )


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_uniform_tokens_have_unit_norm_and_the_moments_of_the_sphere(d):
    n = 40_000
    x = sphere.uniform(n, d, np.random.default_rng(0))
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1, atol=ROUNDING)
    # Five standard errors of a mean of n numbers of size at most 1.
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=5 / np.sqrt(n))
    np.testing.assert_allclose(x.T @ x / n, np.eye(d) / d, atol=5 / np.sqrt(n))


@pytest.mark.parametrize(
    ("d", "exact"),
    # int e^{x_1}: Bessel I_0(1) on the circle, sinh(1) on the sphere.
    [(2, 1.2660658777520084), (3, np.sinh(1.0))],
)
def test_quadrature_integrates_an_exponential_to_rounding(d, exact):
    mu = sphere.quadrature(d, 16)
    np.testing.assert_allclose(np.linalg.norm(mu.x, axis=1), 1, atol=ROUNDING)
    assert mu.mass @ np.exp(mu.x[:, 0]) == pytest.approx(exact, abs=ROUNDING)
    assert mu.mass @ np.exp(mu.x[:, -1]) == pytest.approx(exact, abs=ROUNDING)


def test_quadrature_on_the_sphere_is_exact_to_its_degree_and_no_further():
    mu = sphere.quadrature(3, 3)
    x, y, z = mu.x.T
    assert mu.mass @ z**4 == pytest.approx(1 / 5, abs=ROUNDING)
    assert mu.mass @ (x**2 * y**2) == pytest.approx(1 / 15, abs=ROUNDING)
    assert abs(mu.mass @ z**6 - 1 / 7) > 1e-3


def test_refusals(tokens):
    with pytest.raises(ValueError, match="^x must be different from zero"):
        sphere.retract(np.array([[1.0, 0.0], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="^y must be different from the antipode"):
        sphere.log(tokens(0), -tokens(0))
    with pytest.raises(ValueError, match="^d must be 2 or 3, got 4"):
        sphere.quadrature(4, 3)
    with pytest.raises(ValueError, match="^n must be 1 or more, got 0"):
        sphere.uniform(0, 3, np.random.default_rng(0))
    with pytest.raises(ValueError, match="^radius must be positive"):
        sphere.chord(-1.0)
