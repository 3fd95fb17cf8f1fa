"""Trained encoders: how Gaussian their layers are, and the signs of their heads.

``load`` an encoder, send Gaussian tokens or a text through it with ``states``, and ask
of every layer with ``laws`` whether it could be a Gaussian: each statistic comes with
the band of true Gaussian samples of the same size.  ``layer_heads`` reads B and V;
``prescribed`` puts others in.  Models need the extra ``tfdynlib[pretrained]`` (torch
and transformers); statistics, and the stored run that the book shows, do not.

Trained layers have LayerNorm, MLP and several heads, and are outside the theorems on
Gaussian tokens.  What is measured here is how far these carry.

``python -m tfdynlib.pretrained`` makes the stored run anew.

Source: the question is that of the second experiment of :cite:t:`alcalde2026gaussian`;
protocol and numbers are ours.
"""

from tfdynlib.pretrained import prescribed
from tfdynlib.pretrained.bands import (
    Band,
    Law,
    gaussian_like,
    gaussianity,
    laws,
    null_band,
)
from tfdynlib.pretrained.encoders import Encoder, altered, embed, load, states, wrap
from tfdynlib.pretrained.heads import HeadSigns, LayerHeads, fate, layer_heads
from tfdynlib.pretrained.shape import (
    STATISTICS,
    excess_kurtosis,
    line_w2,
    mardia,
    radius_spread,
)
from tfdynlib.pretrained.store import Seen, Stored, stored

__all__ = [
    "Band",
    "Encoder",
    "HeadSigns",
    "Law",
    "LayerHeads",
    "STATISTICS",
    "Seen",
    "Stored",
    "altered",
    "embed",
    "excess_kurtosis",
    "fate",
    "gaussian_like",
    "gaussianity",
    "layer_heads",
    "laws",
    "line_w2",
    "load",
    "mardia",
    "null_band",
    "prescribed",
    "radius_spread",
    "states",
    "stored",
    "wrap",
]
