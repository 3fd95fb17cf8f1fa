"""Gaussian tokens: layers that keep a bell a bell, and what becomes of it.

In Euclidean space, without normalisation, one head and an affine map; β is in B.  See
``Layer`` for the field and ``solve`` for the equations.

Source: :cite:t:`alcalde2026gaussian`.
"""

from tfdynlib.gaussian.distance import distance, sample
from tfdynlib.gaussian.moments import solve
from tfdynlib.gaussian.types import (
    Gaussian,
    Layer,
    LayerPath,
    Moments,
    constant,
    piecewise,
)

__all__ = [
    "Gaussian",
    "Layer",
    "LayerPath",
    "Moments",
    "constant",
    "distance",
    "piecewise",
    "sample",
    "solve",
]
