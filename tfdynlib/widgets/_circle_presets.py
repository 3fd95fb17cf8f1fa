"""The presets of the figure ``circle``, one named state each."""

from typing import Any

import numpy as np

from tfdynlib import experiments
from tfdynlib.widgets._widget import Preset

I = [[1.0, 0.0], [0.0, 1.0]]
MINUS_I = [[-1.0, 0.0], [0.0, -1.0]]


def _swap(c: float) -> list[list[float]]:
    """c times the reflection that exchanges the coordinates."""
    return [[0.0, c], [c, 0.0]]


def _deg(*angles: int) -> list[float]:
    return np.deg2rad(angles).tolist()


def _five_clumps() -> dict[str, Any]:
    """The start of the first paper on the circle, under its first head, held."""
    setting = experiments.Setting("ou", 2, 1, 100)
    x, (D,) = experiments.tokens(setting), experiments.first_heads(setting)
    return {
        "start": "angles", "n": 100, "beta": 1.0, "t_end": 20.0,
        "angles": np.round(np.arctan2(x[:, 1], x[:, 0]), 4).tolist(),
        "B": [np.round(D, 3).tolist()], "V": [np.round(-D, 3).tolist()],
    }  # fmt: skip


THIRDS = _deg(0, 120, -120)
SQUARE = _deg(0, 90, 180, -90)
RIGHT_ANGLE = np.pi / 2


def _layers(count: int, **values: Any) -> dict[str, Any]:
    return {
        "view": "layers", "start": "angles", "n": 6, "beta": 2.0, "t_end": 3.0,
        "angles": _deg(8, 52, 118, 175, 236, 290), "layers": count, **values,
    }  # fmt: skip


PRESETS = {
    "first_minute": Preset(
        "The first minute",
        {"n": 32, "beta": 4.0, "t_end": 60.0},
        moment=6.0,
        about="32 words gather, wait, gather again.",
    ),
    "two_attract": Preset(
        "Two attract",
        {"start": "gap", "n": 2, "gap": RIGHT_ANGLE, "beta": 1.0, "t_end": 5.0},
        moment=1.0,
        about="Two tokens at a right angle close in, at last like e^-t.",
    ),
    "two_repel": Preset(
        "Two repel",
        {
            "start": "gap",
            "n": 2,
            "gap": RIGHT_ANGLE,
            "beta": 1.0,
            "V": [MINUS_I],
            "t_end": 5.0,
        },
        moment=1.0,
        about="The sign of V turned over: the same two tokens part.",
    ),  # fmt: skip
    "two_far": Preset(
        "Two, far apart",
        {
            "start": "gap",
            "n": 2,
            "gap": 3.0,
            "beta": 4.0,
            "time": "log",
            "t_end": 1e4,
        },
        moment=1000.0,
        about="Nearly opposite and sharp: they wait two thousand units of time.",
    ),  # fmt: skip
    "many": Preset(
        "Many, and patient",
        {"n": 32, "beta": 9.0, "time": "log", "t_end": 1e4},
        moment=30.0,
        about="32 tokens at beta 9 over four decades of layer-time: a staircase.",
    ),
    "staircase": Preset(
        "The staircase",
        {"n": 24, "beta": 6.0, "time": "log", "t_end": 3e3},
        moment=40.0,
        about="Each merger of clusters is a step up of the energy.",
    ),
    "three_tokens": Preset(
        "Three tokens",
        {"view": "rays", "start": "angles", "n": 3, "angles": THIRDS, "beta": 2.0},
        moment=2.0,
        about="Weight 0.909 on itself, thick rays, and no motion.",
    ),
    "beta_sweep": Preset(
        "Sweep *β*",
        {
            "view": "rays",
            "start": "angles",
            "n": 4,
            "angles": [0.0, float(np.arctan2(0.6, 0.8)), RIGHT_ANGLE, np.pi],
            "beta": 1.0,
            "curve": "score",
        },
        moment=1.0,
        about="The mean score never falls as beta grows.",
    ),  # fmt: skip
    "asymmetric_B": Preset(
        "*B* not symmetric",
        {
            "view": "rays",
            "start": "angles",
            "n": 6,
            "beta": 4.0,
            "curve": "weights",
            "angles": _deg(90, 44, 8, 150, 215, 300),
            "B": [[[1.0, 0.5], [-0.3, 0.8]]],
        },
        moment=4.0,
        about="A token need not hear best what hears it best, nor itself.",
    ),  # fmt: skip
    "square_and_turned": Preset(
        "A square, turned",
        {"view": "clouds", "angles": SQUARE, "targets": _deg(45, 135, -135, -45)},
        moment=0.5,
        about="A square and the same square turned by an eighth of a circle.",
    ),
    "square_and_poles": Preset(
        "A square and two poles",
        {"view": "clouds", "angles": SQUARE, "targets": _deg(0, 0, 180, 180)},
        moment=0.5,
        about="Two tokens stay, two travel a quarter of the circle.",
    ),
    "relabelled": Preset(
        "The same, renumbered",
        {
            "view": "clouds",
            "angles": _deg(10, 80, 150, -120, -50),
            "pair": "labels",
            "targets": _deg(80, -120, 10, -50, 150),
        },
        moment=0.5,
        about="Other numbers on the same tokens: as measures nothing has changed.",
    ),  # fmt: skip
    "steps_6_12_24_48": Preset(
        "6, 12, 24, 48 layers",
        _layers(6),
        moment=3.0,
        about="Twice the layers, half the error: first order.",
    ),
    "no_renormalisation": Preset(
        "No normalisation",
        _layers(12, normalise=False, t_end=2.0),
        moment=2.0,
        about="Without normalisation the tokens leave the circle.",
    ),
    "n_slider": Preset(
        "8 tokens",
        {"view": "sample", "n": 8, "beta": 1.0},
        about="One draw is a dot; a hundred draws are a band.",
    ),
    "n_large": Preset(
        "256 tokens",
        {"view": "sample", "n": 256, "beta": 1.0},
        about="Thirty-two times the tokens, a thirty-second of the band.",
    ),
    "n_distance": Preset(
        "Distance to the law",
        {"view": "sample", "n": 64, "beta": 1.0, "shown": "distance"},
        about="W2 to the uniform law falls like one over the root of n.",
    ),
    "n_sharp": Preset(
        "Sharp attention",
        {"view": "sample", "n": 64, "beta": 9.0},
        about="At beta 9 a token's pair with itself outweighs many others.",
    ),
    "one_head_descent": Preset(
        "One head, downhill",
        {"n": 12, "beta": 1.0, "V": [MINUS_I], "t_end": 20.0},
        moment=2.0,
        about="Twelve tokens spread out, and the energy falls all the way.",
    ),
    "s1_five_clumps": Preset(
        "Five clumps",
        _five_clumps(),
        moment=1.0,
        about="100 tokens in five clumps under one descent head that is held.",
    ),
    "counterexample": Preset(
        "Two heads, uphill",
        {
            "start": "angles",
            "n": 3,
            "angles": [np.pi / 8] * 3,
            "beta": 1.0,
            "B": [_swap(1.0), _swap(-2.0)],
            "V": [_swap(-1.0), _swap(2.0)],
            "t_end": 5.0,
        },
        moment=0.5,
        about="Two descent heads, three tokens in one place: the energy rises.",
    ),  # fmt: skip
}
