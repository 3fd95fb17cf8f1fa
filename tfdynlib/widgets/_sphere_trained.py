"""Presets of the figure ``sphere``: heads of a trained model, in three directions.

The matrices are those of the stored run (``pretrained.stored``): what a head does
inside the three directions in which the tokens of a text are widest.  beta is the mean
variance there, since tokens of the model have that size and those of the figure size
one; V is divided by its largest entry, which only changes the clock.
"""

import numpy as np

from tfdynlib import records
from tfdynlib.widgets._widget import Preset


def _preset(layer: int, head: int, says: str, moment: float) -> Preset:
    view = records.published("real_weights").case("seen")["layers"][layer]
    B, V = (np.array(view[name][head]) for name in ("B", "V"))
    values = {
        "n": 64,
        "seed": 0,
        "beta": round(float(np.trace(view["cov"])) / 3, 2),
        "B": [B.round(3).tolist()],
        "V": [(V / np.abs(V).max()).round(3).tolist()],
        "t_end": 100,
    }
    return Preset(f"Layer {layer + 1}, head {head + 1}", values, moment, says)


TRAINED = {
    "trained_first": _preset(
        0, 2, "A head of the first layer of a trained model, in three directions.", 10.0
    ),
    "trained_third": _preset(
        2, 2, "A head of the third layer of a trained model, in three directions.", 10.0
    ),
}
