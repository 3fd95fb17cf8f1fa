"""Ensembles: each system moves as it would alone, compiled or in NumPy."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdynlib import attention, flow, sphere
from tfdynlib.summation import compiled
from tfdynlib.weights import Heads

seeds = st.integers(0, 2**32 - 1)
TIMES = np.linspace(0, 1.5, 7)
WAYS = [
    pytest.param(
        "compiled",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("numba") is None, reason="needs numba"
        ),
    ),
    "numpy",
]


def systems(R, n, d, seed):
    return sphere.uniform(R * n, d, np.random.default_rng(seed)).reshape(R, n, d)


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Both ways to run; NumPy as if numba were not installed."""
    if request.param == "numpy":
        monkeypatch.setattr(compiled, "missing", lambda: "not installed")
    return request.param


@pytest.mark.parametrize("rule", ["softmax", "unnormalised"])
@pytest.mark.parametrize("method", ["rk4", "euler"])
@pytest.mark.parametrize(("n", "d"), [(1, 3), (5, 2), (16, 3), (33, 3), (6, 5)])
def test_each_system_moves_as_it_would_alone(way, random_heads, rule, method, n, d):
    x0, heads = systems(4, n, d, n), random_heads(n, d=d, beta=1.0)
    ensemble = flow.solve_ensemble(x0, heads, TIMES, method, rule)
    field = attention.field(heads, rule=rule, method="dense")
    for r, x in enumerate(x0):
        alone = flow.solve(field, x, TIMES, method)
        # Rounding, amplified by unnormalised speeds of size e^|K|.
        np.testing.assert_allclose(ensemble.x[:, r], alone.x, rtol=0, atol=1e-10)
    assert ensemble.status == ("done",) * 4
    assert "4 done" in repr(ensemble)


@pytest.mark.parametrize("beta", [1e3, 1e5])
def test_cold_systems_that_repel_are_summed_with_care(way, beta):
    """B = -I and tokens close together: every sum vanishes under its bound."""
    x0 = sphere.retract(np.array([0.0, 0.0, 1.0]) + 0.1 * systems(3, 10, 3, 0))
    heads = Heads(-np.eye(3), np.eye(3), beta)
    ensemble = flow.solve_ensemble(x0, heads, [0, 0.1], "euler")
    for x, end in zip(x0, ensemble.x[-1]):
        v = attention.velocity(x, heads, method="dense")
        np.testing.assert_allclose(end, sphere.retract(x + 0.1 * v), atol=1e-9)


@given(seed=seeds)
def test_tokens_stay_on_the_sphere_and_systems_do_not_meet(random_heads, seed):
    x0, heads = systems(5, 7, 3, seed), random_heads(seed)
    ensemble = flow.solve_ensemble(x0, heads, TIMES)
    norm = np.linalg.norm(ensemble.x, axis=3)
    np.testing.assert_allclose(norm, 1, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(
        ensemble.x[0], sphere.retract(x0.reshape(-1, 3)).reshape(x0.shape)
    )
    order = np.random.default_rng(seed).permutation(5)
    turned = flow.solve_ensemble(x0[order], heads, TIMES)
    np.testing.assert_array_equal(turned.x, ensemble.x[:, order])


def test_a_system_that_leaves_the_numbers_says_so_and_the_others_go_on(way):
    """Unnormalised at beta 800: scores are 0 between tokens at e1, and near 1 between
    those on the diagonal, so that speeds are e^800."""
    heads = Heads(np.array([[0.0, 2.0], [0.0, 0.0]]), np.eye(2), 800.0)
    quiet = np.array([[1.0, 0.0], [1.0, 0.0]])
    loud = sphere.retract(np.array([[1.0, 1.0], [1.0, 0.8]]))
    x0 = np.stack([quiet, loud])
    ensemble = flow.solve_ensemble(x0, heads, TIMES, "euler", "unnormalised")
    assert ensemble.status == ("done", "not finite")
    assert ensemble.reached.tolist() == [7, 1]
    assert np.isfinite(ensemble.x).all()
    np.testing.assert_array_equal(ensemble.x[-1, 1], ensemble.x[0, 1])


X0, HEADS = systems(2, 3, 3, 0), Heads(np.eye(3), np.eye(3))
REFUSALS = [
    (lambda: flow.solve_ensemble(2 * X0, HEADS, TIMES), "x0 must be on the sphere"),
    (lambda: flow.solve_ensemble(X0[..., :2], HEADS, TIMES), "x0 must be of shape"),
    (lambda: flow.solve_ensemble(X0, HEADS, [0, 0]), "t must be strictly increasing"),
    (lambda: flow.solve_ensemble(X0, HEADS, TIMES, "dopri5"), "method must be one of"),
    (
        lambda: flow.solve_ensemble(X0, HEADS, TIMES, rule="hardmax"),
        "rule must be one of",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
