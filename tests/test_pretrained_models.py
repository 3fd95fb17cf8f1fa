"""Trained models, for real: heads against the model's own attention, states, loading.

Small random models of every architecture, made from the configuration classes, and the
one model that a Python package carries.  Nothing is downloaded.
"""

import os
from importlib.util import find_spec

import numpy as np
import pytest

from tfdynlib import attention, pretrained
from tfdynlib.pretrained import prescribed, store

missing = [m for m in ("torch", "transformers") if find_spec(m) is None]
if missing:
    pytest.skip(
        f"NOT RUN: no {' and no '.join(missing)} here. bash .ci/run makes "
        ".venv-pretrained with tfdynlib[pretrained] and runs this file in it",
        allow_module_level=True,
    )

os.environ["HF_HUB_OFFLINE"] = "1"
import torch  # noqa: E402
import transformers  # noqa: E402

# Single precision: its rounding is 6e-8, and scores and sums of some dozen terms of
# size one to three carry a few dozen of them.
SINGLE = 2e-5
SMALL = {
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "attn_implementation": "eager",
}
IMAGE = {"image_size": 16, "patch_size": 4}
WORDS = {"vocab_size": 50, "max_position_embeddings": 64}
SPECIAL = {k: 0 for k in ("pad_token_id", "eos_token_id", "bos_token_id")}
SPECIAL |= {"cls_token_id": 0, "sep_token_id": 0}


def small(kind, seed=0, biases=True):
    """A random model whose weights and biases are all of some size."""
    made = {
        "bert": lambda: transformers.BertModel(
            transformers.BertConfig(**SMALL, **WORDS)
        ),
        "vit": lambda: transformers.ViTModel(transformers.ViTConfig(**SMALL, **IMAGE)),
        "deit": lambda: transformers.DeiTModel(
            transformers.DeiTConfig(**SMALL, **IMAGE)
        ),
        "modernbert": lambda: transformers.ModernBertModel(
            transformers.ModernBertConfig(
                **SMALL, **WORDS, **SPECIAL, attention_bias=biases
            )
        ),
    }
    torch.manual_seed(seed)
    model = made[kind]()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name.lower():
                continue
            parameter.normal_(0, 1.5 / np.sqrt(max(parameter.shape[-1], 8)))
    return pretrained.wrap(model, kind)


KINDS = ("bert", "vit", "deit", "modernbert")
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def minilm():
    return pretrained.load("minilm")


def tokens(n=9, d=24, seed=1):
    return np.random.default_rng(seed).standard_normal((n, d))


def own_attention(encoder, layer, x, positions=None):
    """Output of a layer's attention, without residual, and weights (H, n, n) if it
    tells them."""
    block = encoder.blocks[layer]
    x = torch.tensor(x[None], dtype=torch.float32)
    with torch.no_grad():
        if encoder.family == "bert":
            out, weights = block.attention.self(x)
            out = block.attention.output.dense(out)
        elif encoder.family == "vit":
            out, weights = block.attention(x)
        else:
            where = torch.zeros(x.shape[1]) if positions is None else positions
            turn = encoder.model.rotary_emb(x, where[None], block.attention_type)
            out, weights = block.attn(x, position_embeddings=turn)
    told = None if weights is None else weights[0].double().numpy()
    return out[0].double().numpy(), told


def scores(heads, x):
    return np.einsum("hid,jd->hij", x @ heads.B.swapaxes(1, 2) + heads.c[:, None], x)


def softmax(s):
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    return a / a.sum(axis=-1, keepdims=True)


@kinds
@pytest.mark.parametrize("layer", [0, 2])
def test_heads_are_those_of_the_models_own_attention(kind, layer):
    encoder, x = small(kind), tokens()
    heads = pretrained.layer_heads(encoder, layer)
    out, weights = own_attention(encoder, layer, x)
    found = softmax(scores(heads, x))
    np.testing.assert_allclose(found, weights, atol=SINGLE)
    added = np.einsum("hij,hde,je->id", found, heads.V, x) + heads.shift
    np.testing.assert_allclose(added, out, atol=SINGLE * np.abs(out).max())
    assert heads.normalised == (kind != "bert" and (kind, layer) != ("modernbert", 0))


def test_heads_of_the_trained_model_are_those_of_its_own_attention(minilm):
    x = pretrained.embed(minilm, store.text())[:60]
    heads = pretrained.layer_heads(minilm, 0)
    out, _ = own_attention(minilm, 0, x)
    found = softmax(scores(heads, x))
    added = np.einsum("hij,hde,je->id", found, heads.V, x, optimize=True) + heads.shift
    np.testing.assert_allclose(added, out, atol=SINGLE * np.abs(out).max())


def test_rotary_heads_depend_on_how_far_apart_tokens_stand():
    # Key biases add a term without y that does depend on the offset: none here.
    encoder, x = small("modernbert", biases=False), tokens()
    where = torch.arange(9)
    _, weights = own_attention(encoder, 0, x, where)
    s = np.empty_like(weights)
    for i in range(9):
        for j in range(9):
            heads = pretrained.layer_heads(encoder, 0, offset=j - i)
            s[:, i, j] = (heads.B @ x[i] + heads.c) @ x[j]
    np.testing.assert_allclose(softmax(s), weights, atol=SINGLE)
    still = pretrained.layer_heads(encoder, 0)
    assert np.abs(softmax(scores(still, x)) - weights).max() > 0.01


def test_heads_go_to_the_other_rooms():
    encoder, x = small("bert"), tokens()
    with torch.no_grad():
        for block in encoder.blocks:
            for module in block.attention.modules():
                if isinstance(module, torch.nn.Linear):
                    module.bias.zero_()
    heads = pretrained.layer_heads(encoder, 1).as_heads()
    v = attention.velocity(x, heads, space="euclidean")
    out, _ = own_attention(encoder, 1, x)
    np.testing.assert_allclose(v, out, atol=SINGLE * np.abs(out).max())


@pytest.mark.parametrize("width", [1, 6])
def test_signs_are_those_of_the_whole_matrices(width):
    rng = np.random.default_rng(width)
    K, Q, W = rng.standard_normal((3, 2, width, 8))
    O, a = rng.standard_normal((2, 8, width)), rng.standard_normal((8, 8))  # noqa: E741
    cov, zero = a @ a.T, np.zeros(8)
    heads = pretrained.LayerHeads(0, Q, K, W, O, np.zeros((2, 8)), zero, False, 0)
    for B, V, found in zip(heads.B, heads.V, heads.signs(cov)):
        for M, name in ((B, "B"), (V, "V")):
            value = np.linalg.eigvalsh((M + M.T) / 2)
            count = [getattr(found, f"{name}_{s}") for s in ("positive", "negative")]
            assert count == [(value > 1e-9).sum(), (value < -1e-9).sum()]
            lean = value.sum() / np.abs(value).sum()
            assert getattr(found, f"{name}_lean") == pytest.approx(lean, abs=1e-10)
            defect = np.linalg.norm(M - M.T) / np.linalg.norm(M + M.T)
            assert getattr(found, f"{name}_defect") == pytest.approx(defect, rel=1e-9)
        real = np.linalg.eigvals(V @ B).real
        lean = real.sum() / np.abs(real).sum()
        assert found.product_lean == pytest.approx(lean, abs=1e-6)
        rate = 2 * np.trace(V @ cov @ B @ cov) / np.trace(cov)
        assert found.rate == pytest.approx(rate, rel=1e-9)
    frame = np.linalg.qr(rng.standard_normal((8, 3)))[0]
    seen = heads.seen(frame)
    np.testing.assert_allclose(seen[0], frame.T @ heads.B @ frame, atol=1e-12)
    np.testing.assert_allclose(seen[1], frame.T @ heads.V @ frame, atol=1e-12)


# -------------------------------------------------------------------------- states


@pytest.mark.parametrize("kind", ["vit", "deit"])
def test_states_of_an_image_are_those_the_model_tells(kind):
    encoder = small(kind)
    image = torch.randn(1, 3, 16, 16, generator=torch.manual_seed(3))
    with torch.no_grad():
        told = encoder.model(image, output_hidden_states=True).hidden_states
    found = pretrained.states(encoder, told[0][0].double().numpy())
    assert len(found) == encoder.depth + 1
    for a, b in zip(found[:-1], told[:-1]):
        np.testing.assert_array_equal(a, b[0].double().numpy())


@pytest.mark.parametrize("kind", ["bert", "modernbert"])
def test_states_of_words_are_those_the_model_tells(kind):
    encoder, ids = small(kind), torch.tensor([[3, 7, 1, 9, 22]])
    with torch.no_grad():
        told = encoder.model(ids, output_hidden_states=True).hidden_states
    found = pretrained.states(encoder, told[0][0].double().numpy())
    for a, b in zip(found[:-1], told[:-1]):
        np.testing.assert_array_equal(a, b[0].double().numpy())


def test_a_text_goes_through_the_trained_model_as_it_does_in_transformers(minilm):
    text = "Two people who set out in opposite directions must meet."
    with torch.no_grad():
        ids = minilm.tokenizer(text, return_tensors="pt")
        told = minilm.model(**ids, output_hidden_states=True).hidden_states
    for a, b in zip(pretrained.states(minilm, text), told):
        np.testing.assert_allclose(a, b[0].double().numpy(), atol=SINGLE)


@kinds
def test_with_nothing_left_but_the_sums_tokens_stay(kind):
    encoder, x = small(kind), tokens().astype(np.float32).astype(float)
    bare = pretrained.altered(encoder, layer_norm=False, mlp=False, attention=False)
    for y in pretrained.states(bare, x):
        np.testing.assert_array_equal(y, x)
    assert np.abs(pretrained.states(encoder, x)[-1] - x).max() > 0.1  # a copy was made


# ------------------------------------------------------------------------- loading


@kinds
def test_a_folder_is_loaded(kind, tmp_path):
    encoder = small(kind)
    encoder.model.save_pretrained(tmp_path)
    again = pretrained.load(str(tmp_path))
    assert (again.family, again.depth, again.H, again.d) == (encoder.family, 3, 4, 24)
    for a, b in zip(
        pretrained.states(encoder, tokens()), pretrained.states(again, tokens())
    ):
        np.testing.assert_allclose(a, b, atol=SINGLE * np.abs(a).max())


def test_the_packaged_model_needs_no_network(minilm):
    assert (minilm.depth, minilm.d, minilm.H, minilm.family) == (6, 384, 12, "bert")
    assert "6 layers" in repr(minilm)


def test_other_architectures_are_refused_with_those_that_are_known(tmp_path):
    transformers.GPT2Config(n_embd=8, n_layer=1, n_head=2).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="bert, modernbert, vit, deit.*got 'gpt2'"):
        pretrained.load(str(tmp_path))


REFUSED = {
    "layer": lambda e: pretrained.layer_heads(e, 3),
    "offset": lambda e: pretrained.layer_heads(e, 0, offset=1),
    "x": lambda e: pretrained.states(e, tokens(d=5)),
    "encoder": lambda e: pretrained.embed(e, "no tokenizer"),
    "sign": lambda e: prescribed.follow(e, tokens(), "odd"),
    "v": lambda e: prescribed.follow(e, tokens(), "equal", v=0),
    "depth": lambda e: prescribed.follow(e, tokens(), "equal", depth=0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        REFUSED[name](small("bert"))


# ---------------------------------------------------------------- prescribed heads


@kinds
@pytest.mark.parametrize("sign", ["opposite", "equal"])
def test_prescribed_heads_are_what_the_layer_then_has(kind, sign):
    v = 0.3 if sign == "equal" else -0.3
    made = prescribed.prescribe(small(kind), sign, v=0.3, b=0.2)
    for layer in range(3):
        heads = pretrained.layer_heads(made, layer)
        P = np.zeros((4, 24, 24))
        for h in range(4):
            P[h, range(6 * h, 6 * h + 6), range(6 * h, 6 * h + 6)] = 1
        np.testing.assert_allclose(heads.B, 0.2 * P, atol=1e-15)
        np.testing.assert_allclose(heads.V, v * P, atol=1e-15)


@kinds
def test_one_prescribed_layer_is_a_step_of_attention(kind):
    encoder, x = small(kind), tokens(40)
    run = prescribed.follow(encoder, x, "equal", depth=2, v=0.3, b=0.2)
    for k in range(3):
        assert run.trace[k] == pytest.approx(np.var(x, axis=0).sum(), rel=SINGLE)
        s = np.einsum("ihk,jhk->hij", *[x.reshape(40, 4, 6)] * 2)
        y = np.einsum("hij,jhk->ihk", softmax(0.2 * s), x.reshape(40, 4, 6))
        x = x + 0.3 * y.reshape(40, 24)


@kinds
def test_opposite_signs_are_bounded_and_equal_ones_run_away(kind):
    encoder, x = small(kind), tokens(60)
    fall = prescribed.follow(encoder, x, "opposite", depth=40)
    rise = prescribed.follow(encoder, x, "equal", depth=120)
    still = prescribed.follow(encoder, x, "none", depth=4)
    assert fall.status == "bounded" and fall.growth < 1
    assert rise.status == "blow-up" and rise.growth > prescribed.LIMIT
    assert rise.layer == len(rise.trace) - 1 < 120
    assert still.growth == pytest.approx(1, rel=1e-12)
    assert "blow-up at layer" in repr(rise)


def test_many_tokens_follow_the_equation_at_first():
    """4000 tokens, two layers: the error of an empirical covariance in R^24."""
    x = tokens(4000)
    run = prescribed.follow(small("bert"), x, "equal", depth=2, v=0.3, b=0.1)
    expected = prescribed.closed("equal", np.var(x, axis=0), 2, 0.3, 0.1)
    assert run.trace == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("sign", prescribed.SIGNS)
def test_a_layer_norm_after_every_sum_lets_nothing_grow(sign):
    run = prescribed.follow(small("bert"), tokens(60), sign, depth=120, layer_norm=True)
    assert run.status == "bounded" and run.trace.max() <= 1.05 * 24


def test_a_layer_norm_before_the_sum_lets_it_grow_but_not_run_away():
    """Each layer adds a bounded vector: the length grows by a number, not a factor."""
    run = prescribed.follow(
        small("vit"), tokens(60), "equal", depth=120, layer_norm=True
    )
    assert run.status == "bounded"
    # |x| <= |x_0| + v sqrt(d) per layer.
    most = (np.linalg.norm(tokens(60), axis=1).max() + 120 * 0.2 * 24**0.5) ** 2
    assert run.trace[-1] < most


# ----------------------------------------------------------------- the stored run


def test_the_stored_statistics_are_what_the_model_gives_here(minilm):
    kept, start = pretrained.stored(), store.inputs(minilm)
    for name in ("gaussian", "text"):
        found = pretrained.states(minilm, start[name])
        for layer in (0, 1, 6):
            rng = np.random.default_rng(0)
            law = pretrained.gaussianity(found[layer], rng, reps=1, layer=layer)
            then = kept.laws[name][layer]
            assert (law.n, law.d) == (then.n, then.d)
            # Another processor may add in another order: single precision, 6 layers.
            assert law.trace == pytest.approx(then.trace, rel=1e-3)
            for part in ("mardia_kurtosis", "principal_w2", "radius_spread"):
                value = then.bands[part].value
                assert law.bands[part].value == pytest.approx(value, rel=1e-2)


def test_the_stored_heads_are_those_of_the_model(minilm):
    kept = pretrained.stored()
    for layer in (0, 5):
        for now, then in zip(
            pretrained.layer_heads(minilm, layer).signs(), kept.heads[layer]
        ):
            # Signs do not need the covariance; six digits are stored.
            for name in ("B_lean", "V_lean", "B_defect", "V_defect"):
                assert getattr(now, name) == pytest.approx(
                    getattr(then, name), abs=1e-5
                )
