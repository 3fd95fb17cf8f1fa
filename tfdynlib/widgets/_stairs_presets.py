"""The presets of the figure ``stairs``, one named state each."""

from typing import Any

from tfdynlib.widgets._widget import Preset

I = [[1.0, 0.0], [0.0, 1.0]]
EXIT: dict[str, Any] = {
    "view": "exit", "n": 200, "start": "grid", "beta": 80.0, "rtol": 1e-8,
    "B": [[2.0, 0.0], [0.0, 0.5]], "V": [[1.0, 0.0], [0.0, 2.0]],
}  # fmt: skip

PRESETS = {
    "circle_beta9": Preset(
        "32 tokens, *β* = 9",
        {"n": 32, "beta": 9.0, "t_end": 1e7},
        moment=100.0,
        about="Three clusters wait four thousand units, two wait half a million.",
    ),
    "pair_far": Preset(
        "Two, 3 rad apart",
        {"n": 2, "start": "gap", "gap": 3.0, "beta": 9.0, "t_end": 1e8},
        moment=1e6,
        about="Two equal clusters nearly opposite: they wait 32 million units.",
    ),
    "sharp": Preset(
        "Sharper, *β* = 64",
        {"n": 64, "beta": 64.0, "t_end": 1e4},
        moment=200.0,
        about="64 tokens at beta 64: many small clusters, and waits at every scale.",
    ),
    "loose": Preset(
        "A loose tolerance",
        {"n": 48, "beta": 30.0, "seed": 9, "t_end": 1e4, "rtol": 1e-2},
        moment=1e4,
        about="At tolerance 0.01 the steps invent mergers: one cluster, and not four.",
    ),
    "exit2d": Preset(
        "Leaving the poles",
        {**EXIT, "skew": 0.4, "t_end": 30.0},
        moment=6.0,
        about="The cloud waits at the poles, then leaves: twice beta, 1.05 later.",
    ),
    "exit2d_symmetric": Preset(
        "A regular grid leaves",
        {**EXIT, "skew": 0.0, "turn": 0.1, "t_end": 50.0},
        moment=12.0,
        about="Equal sides: only the grid is lopsided, and the exit comes later.",
    ),
    "study_replay": Preset(
        "The stored study",
        {**EXIT, "view": "study", "skew": 0.4, "t_end": 15.0},
        moment=6.0,
        about="Ten stored runs as a map: press a cell and see that run.",
    ),
}  # fmt: skip
