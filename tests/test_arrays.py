"""Arrays of torch and jax: the same velocity, its derivatives, and who is refused."""

import subprocess
import sys

import numpy as np
import pytest

from tfdynlib import sphere
from tfdynlib.attention import velocity, velocity_of

pytest.importorskip("array_api_compat")

RULES = ["softmax", "unnormalised", "hardmax", "gradient", "zero_temperature"]
SMOOTH = ["softmax", "unnormalised", "gradient", "zero_temperature"]
MASS = np.array([0.3, 0.0, 0.1, 0.1, 0.2, 0.05, 0.05, 0.1, 0.1])


def torch_array(x, single=False):
    torch = pytest.importorskip("torch")
    return torch.tensor(x, dtype=torch.float32 if single else torch.float64)


def jax_array(x, single=False):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(x, dtype="float32" if single else "float64")


libraries = pytest.mark.parametrize("array", [torch_array, jax_array])
rules = pytest.mark.parametrize("rule", RULES)


@pytest.fixture(scope="module")
def heads(descent_heads):
    return descent_heads(5, H=2, beta=2.0)


def slope(f, x, direction, h=1e-5):
    """Derivative of the number f(x) along the direction; error h^2 and rounding / h."""
    return (f(x + h * direction) - f(x - h * direction)) / (2 * h)


# --- agreement with NumPy ---------------------------------------------------------


@libraries
@rules
@pytest.mark.parametrize("mass", [None, MASS], ids=["uniform", "masses"])
def test_agrees_with_numpy_in_double_precision(tokens, heads, array, rule, mass):
    x = tokens(1)
    v = velocity(array(x), heads, mass, rule)
    assert type(v) is type(array(x)) and v.dtype == array(x).dtype
    wanted = velocity(x, heads, mass, rule, method="dense")
    # Rounding: sums of nine terms, in another order.
    np.testing.assert_allclose(v, wanted, atol=1e-12 * max(1, np.abs(wanted).max()))


@libraries
@rules
def test_agrees_with_numpy_in_single_precision(tokens, heads, array, rule):
    x = tokens(1)
    v = velocity(array(x, single=True), heads, rule=rule)
    assert v.dtype == array(x, single=True).dtype
    wanted = velocity(x, heads, rule=rule, method="dense")
    # Exponents of size 10 carry ten roundings of 6e-8 into the weights.
    np.testing.assert_allclose(v, wanted, atol=1e-5 * max(1, np.abs(wanted).max()))


@libraries
def test_other_points_and_other_spaces(tokens, random_heads, array):
    x, at, heads = 3 * tokens(1), tokens(2, n=4), random_heads(3)
    v = velocity(array(x), heads, space="euclidean", at=array(at))
    wanted = velocity(x, heads, space="euclidean", at=at, method="dense")
    np.testing.assert_allclose(v, wanted, atol=1e-12)
    plain = velocity(array(x), heads, space="euclidean", at=at)
    np.testing.assert_array_equal(plain, v)


@libraries
def test_low_temperature_does_not_overflow(tokens, random_heads, array):
    x, heads = tokens(1), random_heads(2, beta=1e5)
    wanted = velocity(x, heads, method="dense")
    # Scores of size 1e5 are known to 1e-11, and so are the weights.
    np.testing.assert_allclose(velocity(array(x), heads), wanted, atol=1e-9)


@libraries
def test_blocks_change_nothing(tokens, random_heads, array, monkeypatch):
    x, heads = array(tokens(1)), random_heads(2)
    whole = velocity(x, heads), velocity(x, heads, rule="hardmax")
    monkeypatch.setattr("tfdynlib._arrays.BLOCK", 20)  # two rows of nine scores
    parts = velocity(x, heads), velocity(x, heads, rule="hardmax")
    # A product of two rows may be summed in another order than one of nine.
    np.testing.assert_allclose(parts, whole, atol=1e-14)


@rules
def test_numpy_itself_may_be_given(tokens, heads, rule):
    x = tokens(4)
    v = velocity_of(x, heads.B, heads.V, heads.beta, heads.mass, rule=rule)
    wanted = velocity(x, heads, rule=rule, method="dense")
    np.testing.assert_allclose(v, wanted, atol=1e-12 * max(1, np.abs(wanted).max()))


# --- derivatives ------------------------------------------------------------------


@pytest.mark.parametrize("rule", SMOOTH)
def test_torch_differentiates_as_differences_do(tokens, heads, rule):
    x, u, w = tokens(1), tokens(2), tokens(3)
    leaf = torch_array(x).requires_grad_()
    on_sphere = leaf / leaf.norm(dim=1, keepdim=True)
    (velocity(on_sphere, heads, rule=rule) * torch_array(w)).sum().backward()

    def pairing(y):
        return np.sum(w * velocity(sphere.retract(y), heads, rule=rule, method="dense"))

    wanted = slope(pairing, x, u)
    # Differences: h^2 = 1e-10 and rounding 1e-16 / h, on values of size 10.
    assert float((leaf.grad.numpy() * u).sum()) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("rule", SMOOTH)
def test_torch_and_jax_have_the_same_derivatives(tokens, heads, rule):
    x, w = tokens(1), tokens(3)
    leaf = torch_array(x).requires_grad_()
    (velocity(leaf, heads, rule=rule) * torch_array(w)).sum().backward()
    jax_w = jax_array(w)
    import jax

    grad = jax.grad(lambda y: (velocity(y, heads, rule=rule) * jax_w).sum())
    size = max(1.0, np.abs(leaf.grad.numpy()).max())
    np.testing.assert_allclose(leaf.grad, grad(jax_array(x)), atol=1e-12 * size)


@pytest.mark.parametrize("name", ["B", "V", "beta"])
def test_derivatives_with_respect_to_the_weights(tokens, random_heads, name):
    x, w, heads = tokens(1), tokens(2), random_heads(3)
    given = {"B": heads.B, "V": heads.V, "beta": np.array(heads.beta)}
    u = np.random.default_rng(0).standard_normal(given[name].shape)

    def pairing(value, kind=np.asarray):
        weights = {**given, name: value}
        v = velocity_of(kind(x), **weights, head_mass=heads.mass)
        return (v * kind(w)).sum()

    leaf = torch_array(given[name]).requires_grad_()
    pairing(leaf, torch_array).backward()
    wanted = slope(pairing, given[name], u)
    assert np.sum(leaf.grad.numpy() * u) == pytest.approx(wanted, rel=1e-6, abs=1e-9)


def test_torch_has_second_derivatives(tokens, random_heads):
    torch = pytest.importorskip("torch")
    heads = random_heads(1, d=2)
    x = torch_array(tokens(1, n=3, d=2)).requires_grad_()
    assert torch.autograd.gradgradcheck(
        lambda y: velocity(y / y.norm(dim=1, keepdim=True), heads), x
    )


# torch itself uses what it deprecates when its forward derivatives are first loaded.
@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
def test_torch_transformations_go_through(tokens, random_heads):
    """Forward and backward derivatives agree: one by jvp under vmap, one by vjp."""
    torch = pytest.importorskip("torch")
    heads, x = random_heads(1), torch_array(tokens(1))

    def f(y):
        return velocity(y, heads)

    forward, backward = torch.func.jacfwd(f)(x), torch.func.jacrev(f)(x)
    np.testing.assert_allclose(forward, backward, atol=1e-12)
    batch = torch.stack([x, x.flip(0)])
    np.testing.assert_allclose(torch.vmap(f)(batch)[1], f(x.flip(0)), atol=1e-14)


def test_jax_compiles_and_maps(tokens, heads):
    x = jax_array(tokens(1))
    import jax

    for rule in RULES:
        f = jax.jit(lambda y, rule=rule: velocity(y, heads, rule=rule))
        size = max(1.0, float(abs(f(x)).max()))
        plain = velocity(x, heads, rule=rule)
        np.testing.assert_allclose(f(x), plain, atol=1e-13 * size)
    g = jax.vmap(lambda y: velocity(y, heads))
    np.testing.assert_allclose(g(x[None])[0], velocity(x, heads), atol=1e-13)
    weights = jax.jit(lambda B: velocity_of(x, B, heads.V, rule="gradient"))
    same = velocity_of(x, heads.B, heads.V, rule="gradient")
    np.testing.assert_allclose(weights(jax_array(heads.B)), same, atol=1e-12)


# --- torch's fused attention ------------------------------------------------------


@pytest.fixture
def fused_calls(monkeypatch):
    """How often torch's fused attention was called."""
    functional = pytest.importorskip("torch").nn.functional
    calls, real = [], functional.scaled_dot_product_attention

    def counted(*args, **options):
        calls.append(args)
        return real(*args, **options)

    monkeypatch.setattr(functional, "scaled_dot_product_attention", counted)
    return calls


@pytest.mark.parametrize("mass", [None, MASS], ids=["uniform", "masses"])
def test_fused_attention_is_used_and_right(tokens, random_heads, fused_calls, mass):
    x, heads = tokens(1, d=16), random_heads(2, d=16)
    v = velocity(torch_array(x, single=True), heads, mass)
    assert len(fused_calls) == 1
    wanted = velocity(x, heads, mass, method="dense")
    # Scores of size 10 in single precision, and V of norm 8.
    np.testing.assert_allclose(v, wanted, atol=1e-5 * np.abs(wanted).max())


def test_fused_attention_has_a_derivative(tokens, random_heads, fused_calls):
    x, w, heads = tokens(1, d=16), tokens(2, d=16), random_heads(2, d=16)
    grads = []
    for method in ("auto", "dense"):
        leaf = torch_array(x, single=True).requires_grad_()
        v = velocity(leaf, heads, method=method)
        (v * torch_array(w, single=True)).sum().backward()
        grads.append(leaf.grad.numpy())
    assert len(fused_calls) == 1
    np.testing.assert_allclose(*grads, atol=2e-5 * np.abs(grads[1]).max())


def test_fused_attention_is_for_single_precision_softmax_of_many_dimensions(
    tokens, random_heads, fused_calls
):
    x = tokens(1, d=16)
    velocity(torch_array(x), random_heads(2, d=16))
    velocity(torch_array(x, single=True), random_heads(2, d=16), rule="hardmax")
    velocity(torch_array(tokens(1, d=15), single=True), random_heads(2, d=15))
    assert fused_calls == []


# --- the front door ---------------------------------------------------------------


@libraries
def test_refusals_say_what_is_wrong(tokens, random_heads, array):
    x, heads = tokens(1), random_heads(2)

    def of(x=x, B=heads.B, V=heads.V, **options):
        return lambda: velocity_of(array(x), B, V, **options)

    refused = {
        "x must be on the sphere": of(2 * x),
        "x must be finite": of(x * np.inf),
        "x must be an array of 2 axes": of(x[0]),
        "x must be of dtype": lambda: velocity_of(array(x) > 0, heads.B, heads.V),
        "B must be of shape": of(x[:, :2], space="euclidean"),
        "V must be of the shape": of(V=heads.V[0]),
        "beta must be positive": of(beta=-1.0),
        "at must be of shape": of(at=np.eye(2)),
        "at must be of the kind": of(at=array(x, single=True)),
        "method must be": of(method="fourier"),
        "rule must be": of(rule="softest"),
        "space must be 'sphere'": of(rule="zero_temperature", space="euclidean"),
        "mass must be": of(mass=[1.0]),
        "heads.B must be symmetric": of(rule="gradient"),
        "beta must be small enough": of(beta=1e4, rule="unnormalised"),
    }
    for words, call in refused.items():
        with pytest.raises(ValueError, match=words):
            call()


def test_a_list_is_not_an_array_of_a_library(tokens):
    with pytest.raises(ValueError, match="x must be an array of torch, jax or numpy"):
        velocity_of(tokens(1).tolist(), np.eye(3), np.eye(3))


@libraries
def test_input_is_never_written_into(tokens, heads, array):
    x = array(tokens(1))
    for rule in RULES:
        velocity(x, heads, rule=rule)
    np.testing.assert_array_equal(x, tokens(1))


def test_numpy_users_load_neither_library():
    code = (
        "import sys, numpy as np; from tfdynlib import attention, weights; "
        "attention.velocity(np.eye(2), weights.Heads(np.eye(2), np.eye(2))); "
        "print({'torch', 'jax', 'array_api_compat'} & set(sys.modules))"
    )
    call = [sys.executable, "-c", code]
    out = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert out.strip() == "set()"
