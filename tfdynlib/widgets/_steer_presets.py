"""The presets of the figure ``steer``, one named state each."""

import numpy as np

from tfdynlib.widgets._widget import Preset

START: dict[str, list] = {
    "start_mean": [0.5, -0.3],
    "start_cov": [[1.0, 0.3], [0.3, 0.6]],
}
TARGET: dict[str, list] = {
    "target_mean": [-1.0, 2.0],
    "target_cov": [[2.0, -0.5], [-0.5, 0.7]],
}
STAY = {"start_mean": [0.0, 0.0], "target_mean": [0.0, 0.0]}
LINE = [[1.0, 0.0], [0.0, 0.0]]  # e_1 e_1^T


def long_line() -> list[list[float]]:
    """a a^T with a of length 2, at 60 degrees."""
    a = 2 * np.array([np.cos(np.pi / 3), np.sin(np.pi / 3)])
    return np.outer(a, a).tolist()


PRESETS = {
    "r1": Preset(
        "Any to any",
        {},
        moment=0.75,
        about="Full rank: one constant layer does it, in any time.",
    ),
    "thin_to_round": Preset(
        "Line to round",
        {**STAY, "start_cov": LINE, "target_cov": np.eye(2).tolist(), "T": 1.0},
        moment=0.0,
        about="A line stays a line: refused, with the reason.",
    ),
    "mirror": Preset(
        "Mirror image",
        {
            "start_mean": [1.2, 0.0],
            "target_mean": [-1.2, 0.0],
            "start_cov": [[1.0, 0.7], [0.7, 0.8]],
            "target_cov": [[1.0, -0.7], [-0.7, 0.8]],
            "T": 1.0,
        },
        moment=0.5,
        about="An ellipse does not remember which way round it was drawn.",
    ),
    "attention_only": Preset(
        "Attention alone",
        {"method": "attention"},
        moment=0.75,
        about="A = 0 and constant B: the inverse of the covariance goes straight.",
    ),
    "r1_three_methods": Preset(
        "Three methods",
        {"T": 1.0, "method": "geodesic", "curve": "speed"},
        moment=0.5,
        about="Switch the methods half way: three different ellipses.",
    ),
    "swap_axes": Preset(
        "Swap the axes",
        {
            **STAY,
            "start_cov": [[4.0, 0.0], [0.0, 1.0]],
            "target_cov": [[1.0, 0.0], [0.0, 4.0]],
            "T": 1.0,
            "method": "geodesic",
            "curve": "speed",
        },
        moment=0.5,
        about="To turn this ellipse by a right angle, squeeze it.",
    ),
    "line_to_line": Preset(
        "Line to line",
        {**STAY, "start_cov": LINE, "target_cov": long_line(), "T": 1.0},
        moment=0.5,
        about="Equal rank below full: stretch first, then turn.",
    ),
}
