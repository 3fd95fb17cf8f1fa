"""Claims of the second paper on real architectures, from the stored run.

No chance enters here: the run has its seed, and ``python -m tfdynlib.pretrained`` makes
it anew.
"""

from collections.abc import Sequence

import numpy as np

from tfdynlib import pretrained
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.gaussian_setup import OURS, PAPER
from tfdynlib.pretrained import Law
from tfdynlib.pretrained.prescribed import LIMIT

PROTOCOL = PAPER + "; protocol ours"
TRAINED = "MiniLM with 6 layers, 1024 tokens; W2 on 64 random lines over "
NULL = "that of Gaussian samples of the same size"
DISTANCES = ("sliced_w2", "principal_w2")
LINES, WIDEST = DISTANCES[:1], DISTANCES[1:]
LIKELY = 3.3
# Thirds of the six layers.
EARLY, MIDDLE = (1, 2), (3, 4)


def _worst(laws: Sequence[Law], names: Sequence[str]) -> tuple[float, float]:
    """A distance to Gaussian over that of Gaussian samples, and the standard deviation
    of the latter in the same unit; where it is most standard deviations off."""
    bands = [law.bands[name] for law in laws for name in names]
    band = max(bands, key=lambda band: abs(band.deviations))
    return band.value / band.centre, band.spread / band.centre


def _layers(layers: Sequence[int]) -> Evidence:
    laws = [pretrained.stored().laws["gaussian"][k] for k in layers]
    found, error = _worst(laws, LINES)
    return Evidence(found, 1.0, _worst(laws, WIDEST)[0], error)


def _early_layers(rng: np.random.Generator) -> Evidence:
    return _layers(EARLY)


def _middle_layers(rng: np.random.Generator) -> Evidence:
    return _layers(MIDDLE)


def _attention_alone(rng: np.random.Generator) -> Evidence:
    kept = pretrained.stored().laws
    found, error = _worst(kept["attention_alone"][1:], DISTANCES)
    whole, _ = _worst(kept["gaussian"][1:], DISTANCES)
    return Evidence(found, 1.0, whole, error)


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
        "2.22",
        "Given Gaussian tokens, early layers of a trained encoder look Gaussian.",
        PROTOCOL,
        TRAINED
        + NULL
        + ", the worse of layers 1 and 2.  Outside: the widest directions",
        LIKELY,
        "standard deviations of Gaussian samples: normal, 99.9 % for each layer",
        _early_layers,
        only_if="one looks along random lines, not along the widest directions",
        page="back/real_weights",
    ),
    Claim(
        "2.23",
        "Given Gaussian tokens, middle layers of a trained encoder look Gaussian.",
        PROTOCOL,
        TRAINED + NULL + ", the worse of layers 3 and 4",
        LIKELY,
        "standard deviations of Gaussian samples: normal, 99.9 % for each layer",
        _middle_layers,
        page="back/real_weights",
    ),
    Claim(
        "2.24",
        "Trained attention keeps Gaussian tokens Gaussian: a sum of affine velocities "
        "is affine.",
        OURS,
        "MiniLM, residual sums and 12 trained heads in each of 6 layers, 1024 tokens; "
        "W2 on random lines and on the widest directions over "
        + NULL
        + ", the worst.  "
        "Outside: whole layers",
        LIKELY,
        "standard deviations of Gaussian samples: normal, 99 % for twelve together",
        _attention_alone,
        only_if="LayerNorm and MLP are left out",
        page="back/real_weights",
    ),
    Claim(
        "2.25",
        "Prescribed heads of opposite signs keep the cloud bounded (largest trace of "
        "the covariance, in units of that at the start).",
        PROTOCOL,
        "layers of MiniLM without LayerNorm and MLP, 512 tokens, 60 layers",
        1e-12,
        "rounding: it may not grow at all",
        _opposite,
        only_if="the MLP is left out, or a LayerNorm holds what it adds",
        at_most=True,
        page="back/real_weights",
    ),
    Claim(
        "2.26",
        "Prescribed heads of equal signs blow up (a million over the growth of the "
        "trace within 60 layers).",
        PROTOCOL,
        "layers of MiniLM without LayerNorm and MLP, 512 tokens",
        0.0,
        "a threshold that was set before the run",
        _equal,
        only_if="no LayerNorm holds the tokens",
        at_most=True,
        page="back/real_weights",
    ),
)
