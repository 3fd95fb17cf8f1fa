"""Clusters: components of the graph of near tokens, whatever their order or number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdynlib import attention, flow, sphere
from tfdynlib.metastability import clusters
from tfdynlib.weights import Heads

seeds = st.integers(0, 2**32 - 1)


def by_all_pairs(x, radius):
    """The oracle: spread labels over the full distance matrix until they rest."""
    near = sphere.distance(x[:, None], x[None]) <= radius
    label = np.arange(len(x))
    while True:
        spread = np.where(near, label, len(x)).min(axis=1)
        if (spread == label).all():
            return np.unique(label, return_inverse=True)[1]
        label = spread


@given(
    seed=seeds,
    d=st.sampled_from([2, 3, 5]),
    n=st.integers(1, 60),
    radius=st.sampled_from([1e-3, 0.05, 0.2, 0.5, 1.5, 4.0]),
)
def test_clusters_are_the_components_of_near_tokens(tokens, seed, d, n, radius):
    x = tokens(seed, n=n, d=d)
    np.testing.assert_array_equal(clusters(x, radius), by_all_pairs(x, radius))


@given(seed=seeds)
def test_dense_clusters_that_touch_at_one_pair_are_joined(seed):
    """Two discs of many tokens, linked by one edge that no short list of nearest
    neighbours holds."""
    rng = np.random.default_rng(seed)
    bridge, radius = 0.3, 0.2
    angle = np.concatenate([-rng.random(40) * 0.01, bridge + rng.random(40) * 0.01])
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert clusters(x, radius).max() == 1
    angle = np.append(angle, bridge / 2)
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.testing.assert_array_equal(clusters(x, radius), 0)
    gap = angle[angle > 0.2].min() - angle[angle < 0.01].max()
    np.testing.assert_array_equal(clusters(x[:-1], gap), 0)
    assert clusters(x[:-1], gap * 0.999).max() == 1


@given(seed=seeds)
def test_labels_count_up_in_the_order_of_first_tokens(tokens, seed):
    label = clusters(tokens(seed, n=30), 0.3)
    first = np.unique(label, return_index=True)[1]
    np.testing.assert_array_equal(np.unique(label), np.arange(label.max() + 1))
    assert (np.diff(first) > 0).all()


def test_a_closed_ring_is_one_cluster_and_equality_counts():
    angle = np.pi / 2 * np.arange(4)
    square = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.testing.assert_array_equal(clusters(square, np.pi / 2), 0)
    np.testing.assert_array_equal(clusters(square, np.pi / 2 - 1e-9), np.arange(4))


def test_duplicates_are_together_at_any_radius():
    x = np.repeat(np.eye(3), 4, axis=0)
    np.testing.assert_array_equal(clusters(x, 1e-12), np.repeat([0, 1, 2], 4))


@pytest.mark.parametrize(("spread", "number"), [(1e-3, 4), (0.0, 4)])
def test_ten_thousand_tokens_in_tight_clusters(spread, number):
    """Every pair within a cluster is an edge: 12 million of them, none listed."""
    rng = np.random.default_rng(0)
    centre = np.eye(4)[rng.integers(0, 4, 10_000)]
    x = sphere.retract(centre + spread * rng.standard_normal(centre.shape))
    assert clusters(x, 0.1).max() + 1 == number


@pytest.mark.unchecked
@pytest.mark.parametrize("seed", range(2))
def test_the_default_tolerance_is_tight_enough_to_count_clusters(tokens, seed):
    field = attention.field(Heads(np.eye(2), np.eye(2), beta=9.0))
    x0, t = tokens(seed, n=16, d=2), [0, 10, 100]
    runs = [flow.solve(field, x0, t), flow.solve(field, x0, t, rtol=1e-10, atol=1e-12)]
    for default, tight in zip(*(run.x[1:] for run in runs)):
        np.testing.assert_array_equal(clusters(default, 0.1), clusters(tight, 0.1))


def test_refusals(tokens):
    with pytest.raises(ValueError, match="^radius must be positive and finite, got 0"):
        clusters(tokens(0), 0.0)
    with pytest.raises(ValueError, match="^x must be on the sphere"):
        clusters(2 * tokens(0), 0.1)
