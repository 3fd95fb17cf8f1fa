"""Heads and paths of heads: conventions, values, refusals."""

import numpy as np
import pytest

from tfdynlib import energy, weights
from tfdynlib.weights import Heads, WeightPath

I = np.eye(3)


def test_one_matrix_is_one_head():
    heads = Heads(I, -I, beta=2)
    assert (heads.H, heads.d, len(heads), heads.beta) == (1, 3, 1, 2.0)
    assert heads.B.shape == heads.V.shape == (1, 3, 3)
    np.testing.assert_array_equal(heads.mass, [1.0])


def test_query_and_key_give_the_score_of_the_book():
    """beta <Bx, y> = beta <Qx, Ky>, also for heads narrower than the tokens."""
    rng = np.random.default_rng(0)
    Q, K = rng.standard_normal((2, 4, 2, 3))
    heads = Heads.from_qkv(Q, K, np.stack([I] * 4), beta=3)
    x, y = rng.standard_normal((2, 3))
    for h in range(4):
        assert (heads.B[h] @ x) @ y == pytest.approx((Q[h] @ x) @ (K[h] @ y))
        assert np.linalg.matrix_rank(heads.B[h]) == 2


def test_descent_heads_pull_against_their_score():
    D = np.array([[1.0, 2.0], [2.0, 0.0]])
    heads = Heads.descent(D)
    np.testing.assert_array_equal(heads.B[0], D)
    np.testing.assert_array_equal(heads.V[0], -D)
    assert weights.gradient_sign(heads) == -1
    assert weights.gradient_sign(Heads(D, D)) == 1


def test_heads_are_copies_that_cannot_be_written_into():
    B = I.copy()
    heads = Heads(B, I)
    B[0, 0] = 7
    assert heads.B[0, 0, 0] == 1
    for array in (heads.B, heads.V, heads.mass):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        heads.beta = 3.0


def test_heads_are_equal_by_value():
    assert Heads(I, I, 2) == Heads([I.tolist()], [I], 2.0)
    assert Heads(I, I, 2) != Heads(I, I, 3)
    assert Heads(I, I) != Heads(I, -I)
    assert Heads(I, I) != "heads"


def test_repr_says_what_the_heads_are():
    assert repr(Heads([[1, 0], [0, 2]], np.eye(2))) == (
        "Heads(B=[[1.0, 0.0], [0.0, 2.0]], V=[[1.0, 0.0], [0.0, 1.0]], beta=1)"
    )
    assert (
        repr(Heads(np.stack([I, I]), np.stack([I, I]), 4)) == "Heads(H=2, d=3, beta=4)"
    )


def test_single_precision_weights_are_promoted():
    assert Heads(I.astype(np.float32), I.astype(np.float32)).B.dtype == np.float64


def test_constant_path_never_changes():
    heads = Heads(I, I)
    path = weights.constant(heads)
    assert path(0) is heads and path(1e9) is heads
    assert (path.H, path.d, path.noise_var, path.breaks) == (1, 3, 0.0, ())
    for drift in path.drift(2.0):
        np.testing.assert_array_equal(drift, np.zeros((1, 3, 3)))


def test_layers_hold_from_their_edge_on():
    first, second, third = (Heads(k * I, I) for k in (1, 2, 3))
    path = weights.layers([first, second, third], [0, 1, 4, 6])
    assert path(0) is first and path(0.999) is first
    assert path(1) is second and path(np.nextafter(4, 0)) is second
    assert path(4) is third and path(6) is third
    assert path.breaks == (1.0, 4.0)


def test_a_path_is_any_function_of_time():
    def D(t):
        return np.cos(t) * I

    path = WeightPath(
        lambda t: Heads.descent(D(t)),
        lambda t: (-np.sin(t) * I[None], np.sin(t) * I[None]),
        H=1,
        d=3,
    )
    np.testing.assert_array_equal(path(0.3).B[0], D(0.3))
    step = 1e-6
    difference = (path(0.3 + step).B - path(0.3 - step).B) / (2 * step)
    # Central difference: step^2 and rounding over the step, both near 1e-10.
    np.testing.assert_allclose(path.drift(0.3)[0], difference, atol=1e-9)


REFUSALS = [
    (lambda: Heads(I, I, beta=0), "beta must be positive and finite, got 0"),
    (lambda: Heads(I, I, beta=-2.0), "beta must be positive and finite, got -2.0"),
    (lambda: Heads(I, I, beta=np.nan), "beta must be positive and finite, got nan"),
    (lambda: Heads(I * np.nan, I), "B must be finite"),
    (lambda: Heads(I, np.full((3, 3), np.inf)), "V must be finite"),
    (lambda: Heads(np.ones((2, 3)), I), "B must be square"),
    (lambda: Heads(np.ones((1, 1, 3, 3)), I), "B must be square"),
    (lambda: Heads(I, np.eye(2)), r"V must be of the shape \(1, 3, 3\) of B"),
    (lambda: Heads(I, np.stack([I, I])), r"V must be of the shape \(1, 3, 3\) of B"),
    (lambda: Heads(I, I, mass=[0.5, 0.5]), r"mass must be of shape \(1,\)"),
    (
        lambda: Heads(np.stack([I, I]), np.stack([I, I]), mass=[0.5, 0.6]),
        "mass must be masses that sum to 1, got a sum of 1.1",
    ),
    (lambda: Heads.descent([[0, 1], [2, 0]]), "D must be symmetric"),
    (lambda: Heads.from_qkv(I, np.eye(2), I), r"K must be of the shape \(3, 3\) of Q"),
    (lambda: Heads.from_qkv(I[0], I[0], I), "Q must be of shape"),
    (lambda: weights.layers([Heads(I, I)], [0, 1, 2]), "t_edges must be 2 times"),
    (
        lambda: weights.layers([Heads(I, I)] * 2, [0, 1, 1]),
        "t_edges must be strictly increasing, got 1 and then 1",
    ),
    (
        lambda: weights.layers([Heads(I, I), Heads(np.eye(2), np.eye(2))], [0, 1, 2]),
        "list_of_heads must be of equal H=1 and d=3",
    ),
    (
        lambda: weights.layers([Heads(I, I)], [0, 1])(1.5),
        r"t must be in \[0, 1\], got 1.5",
    ),
    (lambda: weights.gradient_sign(Heads(I, 2 * I)), "heads.V must be -B in every"),
    (
        lambda: weights.gradient_sign(Heads([[0, 1], [0, 0]], [[0, 1], [0, 0]])),
        "heads.B must be symmetric",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


def test_the_drift_of_a_path_of_ones_own_is_checked():
    heads = Heads(np.eye(2), np.eye(2))
    lost = WeightPath(lambda t: heads, lambda t: (np.nan * heads.B, heads.V), 1, 2)
    for call in (
        lambda: weights.length(lost, 0, 1),
        lambda: energy.power(np.eye(2), lost, 0),
    ):
        with pytest.raises(ValueError, match=r"^drift\(t\) must be finite"):
            call()
    other = WeightPath(lambda t: heads, lambda t: (heads.B, heads.V), 1, 3)
    with pytest.raises(ValueError, match=r"^heads_at\(t\) must be of H=1 and d=3"):
        other(0)
