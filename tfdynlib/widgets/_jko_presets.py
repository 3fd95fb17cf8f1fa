"""The presets of the figure ``jko``, one named state each."""

import numpy as np

from tfdynlib.widgets._widget import Preset

EYE = np.eye(3).tolist()


def diagonal(*entries: float | int) -> list[list[float]]:
    """A diagonal matrix as nested lists."""
    return np.diag(entries).astype(float).tolist()


PRESETS = {
    "two_tokens": Preset(
        "Two tokens",
        {},
        moment=1.0,
        about="From a right angle; with tau = 10 Euler overshoots a full turn.",
    ),
    "hundred": Preset(
        "A hundred",
        {
            "start": "cloud",
            "n": 100,
            "seed": 3,
            "D1": diagonal(2, 0.5, -1),
            "D2": diagonal(-0.5, 1, 1),
        },
        moment=3.0,
        about="A hundred tokens, two heads: every step goes down, whatever tau is.",
    ),
    "weights_move": Preset(
        "Weights that move",
        {
            "start": "cloud",
            "n": 12,
            "seed": 1,
            "tau": 0.5,
            "moving": "oscillating",
            "curve": "energy",
        },
        moment=6.0,
        about="The landscape moves: the energy may rise, and not by the tokens.",
    ),
    "beyond_the_cut": Preset(
        "Too far round",
        {
            "start": "cloud",
            "n": 3,
            "seed": 43,
            "tau": 10.0,
            "D1": diagonal(0, 1.5, -3),
            "D2": diagonal(0, 1.5, -3),
        },
        moment=1.0,
        about="Ways are nearly free: the search walks more than half a turn.",
    ),
}
