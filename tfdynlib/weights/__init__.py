"""Weights: the heads of a layer, and how they change with layer-time."""

from tfdynlib.weights.heads import MOST, Heads, Stack, gradient_sign
from tfdynlib.weights.laws import length, ornstein_uhlenbeck_law
from tfdynlib.weights.motions import ornstein_uhlenbeck, oscillating, thin
from tfdynlib.weights.paths import WeightPath, constant, interpolate, layers

__all__ = [
    "MOST",
    "Heads",
    "Stack",
    "WeightPath",
    "constant",
    "gradient_sign",
    "interpolate",
    "layers",
    "length",
    "ornstein_uhlenbeck",
    "ornstein_uhlenbeck_law",
    "oscillating",
    "thin",
]
