"""Claims of the second paper on real architectures, from the stored run.

No chance enters here: the run has its seed, and ``python -m tfdynlib.pretrained`` makes
it anew.
"""

from collections.abc import Iterable

import numpy as np

from tfdynlib import pretrained
from tfdynlib._ledger import Claim, Evidence
from tfdynlib.pretrained import Law
from tfdynlib.pretrained.prescribed import LIMIT

PAPER = "alcalde2026gaussian, abstract and summary; protocol ours"
ON_LINES = ("kurtosis", "worst_kurtosis", "sliced_w2")
WIDEST = ("principal_kurtosis", "principal_w2", "mardia_skewness", "mardia_kurtosis")
EARLY = (1, 2, 3)
LEVEL = 0.05


def _outside(laws: Iterable[Law], names: Iterable[str]) -> float:
    """Share of statistics that no Gaussian of this size would show at level 95%."""
    names = tuple(names)
    return float(
        np.mean([not law.bands[name].inside for law in laws for name in names])
    )


def _early_layers(rng: np.random.Generator) -> Evidence:
    laws = [pretrained.stored().laws["gaussian"][k] for k in EARLY]
    return Evidence(_outside(laws, ON_LINES), LEVEL, _outside(laws, WIDEST))


def _attention_alone(rng: np.random.Generator) -> Evidence:
    kept = pretrained.stored().laws
    alone, whole = (
        _outside(kept[name][1:], pretrained.STATISTICS)
        for name in ("attention_alone", "gaussian")
    )
    return Evidence(alone, LEVEL, whole)


def _opposite(rng: np.random.Generator) -> Evidence:
    kept = pretrained.stored()
    runs = [kept.run("opposite", False, mlp) for mlp in (False, True)]
    without, with_mlp = (float(run.trace.max() / run.trace[0]) for run in runs)
    return Evidence(without, 1.0, with_mlp)


def _equal(rng: np.random.Generator) -> Evidence:
    kept = pretrained.stored()
    runs = [kept.run("equal", norm, False) for norm in (False, True)]
    bare, normal = (float(LIMIT * run.trace[0] / run.trace.max()) for run in runs)
    return Evidence(bare, 1.0, normal)


CLAIMS = (
    Claim(
        "2.26",
        "Given Gaussian tokens, early and middle layers of a trained encoder look "
        "Gaussian (share of statistics outside their null bands).",
        PAPER,
        "MiniLM with 6 layers, 1024 tokens, layers 1 to 3, three statistics on 64 "
        "random lines",
        0.175,
        "two of nine outside: more than that has probability 0.008 if they are "
        "independent",
        _early_layers,
        only_if="one looks along random lines, not along the widest directions",
        at_most=True,
    ),
    Claim(
        "2.27",
        "Trained attention keeps Gaussian tokens Gaussian (share of statistics outside "
        "their null bands).",
        "derived from alcalde2026gaussian: a sum of affine velocities is affine",
        "MiniLM, residual sums and 12 trained heads in each of 6 layers, 1024 tokens, "
        "all eight statistics",
        0.2,
        "two of eight outside in every layer, since it is one cloud that moves little: "
        "more than that has probability 0.006 if the eight are independent",
        _attention_alone,
        only_if="LayerNorm and MLP are left out",
        at_most=True,
    ),
    Claim(
        "2.28",
        "Prescribed heads of opposite signs keep the cloud bounded (largest trace of "
        "the covariance, in units of that at the start).",
        PAPER,
        "layers of MiniLM without LayerNorm and MLP, 512 tokens, 60 layers",
        1e-12,
        "rounding: it may not grow at all",
        _opposite,
        only_if="the MLP is left out, or a LayerNorm holds what it adds",
        at_most=True,
    ),
    Claim(
        "2.29",
        "Prescribed heads of equal signs blow up (a million over the growth of the "
        "trace within 60 layers).",
        PAPER,
        "layers of MiniLM without LayerNorm and MLP, 512 tokens",
        0.0,
        "a threshold that was set before the run",
        _equal,
        only_if="no LayerNorm holds the tokens",
        at_most=True,
    ),
)
