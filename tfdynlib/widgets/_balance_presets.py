"""Presets of the figure ``balance``."""

import numpy as np

from tfdynlib.widgets._widget import Preset

J = [[0.0, 1.0], [1.0, 0.0]]
EYE = np.eye(3).tolist()


def drawn(H: int) -> list[list[list[float]]]:
    """H random symmetric heads Z + Z^T, from the seeds of the first paper's code."""
    Z = np.random.default_rng(42 + H).standard_normal((H, 3, 3))
    return (Z + Z.swapaxes(1, 2)).tolist()


OSCILLATING = {
    "n": 60,
    "start": "axes",
    "seed": 42,
    "motion": "oscillating",
    "t_end": 20,
    "dt": 0.01,
}
ONE = {"D": [EYE], "start": "uniform", "n": 32, "seed": 0, "dt": 0.02}

PRESETS = {
    "h1_oscillating": Preset(
        "One head, oscillating",
        {**OSCILLATING, "D": drawn(1), "shown": "residual"},
        4.0,
        "Halve the step: the residual halves.",
    ),
    "h2_oscillating": Preset(
        "Two heads, the coded loss",
        {**OSCILLATING, "D": drawn(2), "book": "coded", "shown": "residual"},
        4.0,
        "Halve the step: the residual stays.",
    ),
    "ou_paths": Preset(
        "Noisy weights, 20 paths",
        {
            "n": 20,
            "start": "uniform",
            "seed": 0,
            "D": [EYE, np.diag([1.0, 0.0, -1.0]).tolist()],
            "motion": "noisy",
            "noise_var": 2.0,
            "paths": 20,
            "t_end": 4,
            "dt": 0.02,
            "shown": "noise",
        },
        4.0,
        "The work of the noise has mean zero.",
    ),
    "one_head_descent": Preset(
        "One head, downhill", {**ONE, "t_end": 6}, 3.0, "The energy falls."
    ),
    "one_head_ascent": Preset(
        "One head, uphill",
        {**ONE, "motion": "ascent", "t_end": 10},
        4.0,
        "The energy rises, to that of one point.",
    ),
    "counterexample": Preset(
        "Two heads, one token",
        {
            "space": "circle",
            "n": 1,
            "start": "point",
            "D": [J, (-2 * np.array(J)).tolist()],
            "t_end": 4,
            "dt": 0.01,
        },
        1.0,
        "Two descent heads, frozen, and the energy rises.",
    ),
    "two_random_heads": Preset(
        "Two random heads",
        {
            "n": 100,
            "start": "uniform",
            "seed": 0,
            "D": drawn(2),
            "t_end": 2,
            "dt": 0.005,
        },
        0.5,
        "Exact loss and coded loss differ.",
    ),
}
