"""The presets of the figure ``bench``, one named state each."""

from math import pi
from typing import Any

from tfdynlib.widgets._widget import Preset


def _race(K: int, **values: Any) -> dict[str, Any]:
    return {"view": "race", "K": K, **values}


def _tolerance(**values: Any) -> dict[str, Any]:
    return {"view": "tolerance", "n": 32, "beta": 9.0, "t_end": 1000.0, **values}


PRESETS = {
    "methods_race": Preset(
        "The race",
        _race(6, n=64, beta=16.0),
        moment=6.0,
        about="Six waves ripple about the sum; with twelve the eye sees no difference.",
    ),
    "cold_race": Preset(
        "Colder: more waves",
        _race(40, n=256, beta=64.0),
        moment=40.0,
        about="Sixteen times colder than beta = 4, and only three times the waves.",
    ),
    "look_away": Preset(
        "Looking away",
        _race(66, n=64, beta=64.0, sign=-1, arc=1.0, curve="mean"),
        moment=66.0,
        about="Tokens on an arc that look away from it: the certificate says no.",
    ),
    "tolerance_and_truth": Preset(
        "Tolerance and truth",
        _tolerance(),
        moment=3.0,
        about="Counts of clusters at three tolerances: where do they part?",
    ),
    "loose_tolerance": Preset(
        "A loose tolerance",
        _tolerance(n=64, start="grid", noise=1e-6),
        moment=18.0,
        about="An almost even grid: for a while three tolerances count three numbers.",
    ),
    "euler_through_pole": Preset(
        "Through the wall",
        {"view": "pole"},
        moment=0.52,
        about="Three programs walk through a blow-up, and each reports a number.",
    ),
    "naive_softmax": Preset(
        "Naive softmax",
        {"view": "softmax", "cold": 100.0},
        moment=100.0,
        about="Weights that are lost at beta = 89, or at 710, and how they are kept.",
    ),
    "nobody_heard": Preset(
        "Nobody is heard",
        {"view": "softmax", "cold": 150.0, "look": -pi / 2},
        moment=150.0,
        about="A question that looks away: every exponential is zero.",
    ),
}
