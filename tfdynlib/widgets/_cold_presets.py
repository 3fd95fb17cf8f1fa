"""Presets of the figure ``cold``."""

from typing import Any

import numpy as np

from tfdynlib.widgets._widget import Preset

Rows = list[list[float]]

EYE3: Rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def diagonal(*entries: float | int) -> Rows:
    """A diagonal matrix."""
    return [
        [float(v) * (i == j) for j in range(len(entries))]
        for i, v in enumerate(entries)
    ]


def score_of(V: Rows, M: Rows) -> Rows:
    """The B with V B = M."""
    return (np.linalg.solve(np.array(V), np.array(M)) + 0.0).tolist()


COLD_V: Rows = [[1.0, 0.5], [0.0, 1.8]]
COLD_B = score_of(COLD_V, diagonal(2, 1))
GENERIC_V: Rows = [[1.0, 0.4, 0.0], [0.0, 2.0, 0.3], [0.2, 0.0, 0.7]]
GENERIC_B = score_of(GENERIC_V, diagonal(2, 1, 0.5))

EXIT: dict[str, Any] = {
    "V": diagonal(1, 2),
    "B": diagonal(2, 0.5),
    "n": 200,
    "beta": 40.0,
    "t_end": 16.0,
}
GENERIC: dict[str, Any] = {
    "V": GENERIC_V,
    "B": GENERIC_B,
    "n": 800,
    "beta": 20.0,
    "start": "draw",
    "t_end": 10.0,
}
TWO_POLES: dict[str, Any] = {
    "V": diagonal(2, 1, 1),
    "B": EYE3,
    "n": 800,
    "start": "fine",
    "rule": "zero_temperature",
    "t_end": 10.0,
}
QUERY: dict[str, Any] = {"view": "query"}
CONSENSUS: dict[str, Any] = {"view": "consensus", "t_end": 6.0}

PRESETS = {
    "cold2d": Preset(
        "Three phases",
        {},
        3.0,
        "The cloud gathers at two poles, waits there, and then obeys V alone.",
    ),
    "exit2d": Preset(
        "Leaving the poles",
        {**EXIT, "skew": 0.4},
        5.5,
        "Each doubling of beta postpones the exit by the same 1.04.",
    ),
    "exit2d_symmetric": Preset(
        "Leaving, from a grid",
        EXIT,
        5.5,
        "A symmetric start leaves later: the grid alone breaks the symmetry.",
    ),
    "generic3d": Preset(
        "On the sphere",
        GENERIC,
        3.5,
        "The cluster that forms drifts at once: its pole is no eigenvector of V.",
    ),
    "commuting3d": Preset(
        "V and B commute",
        {**GENERIC, "V": diagonal(1, 2, 0.5), "B": diagonal(2, 0.5, 1), "t_end": 30.0},
        6.0,
        "The poles are a saddle: a long wait, then the end at another axis.",
    ),
    "no_interaction": Preset(
        "Tokens stop talking",
        {
            **TWO_POLES,
            "V": diagonal(2, 1, 0.5),
            "n": 200,
            "start": "draw",
            "t_end": 6.0,
        },
        1.0,
        "B is the identity and beta infinite: each token moves as if it were alone.",
    ),
    "hardmax_vs_limit": Preset(
        "Hardmax is not the limit",
        {
            "n": 20,
            "start": "draw",
            "rule": "hardmax",
            "t_end": 6.0,
        },
        2.0,
        "With few tokens the best match is some token, not the best point.",
    ),
    "two_poles": Preset(
        "Two poles",
        TWO_POLES,
        3.0,
        "One dominant direction: the distance falls at half the rate.",
    ),
    "great_circle": Preset(
        "A great circle",
        {**TWO_POLES, "V": diagonal(1, 2, 2)},
        2.0,
        "Two dominant directions: the tokens go to a great circle.",
    ),
    "tilted": Preset(
        "A tilted density",
        {**TWO_POLES, "density": 0.5},
        3.0,
        "Five eighths of the mass go to one pole.",
    ),
    "uniform": Preset(
        "How cold is cold?",
        QUERY,
        10.0,
        "The length of what a query hears, in 2, 3, 64 and 768 dimensions.",
    ),
    "tilted_density": Preset(
        "A tilted density",
        {**QUERY, "density": 0.5, "angle": 0.785398163397},
        10.0,
        "A smooth density pulls the mean aside by 1/kappa.",
    ),
    "rotating_V": Preset(
        "V turns",
        {
            "V": [[1.0, 0.3], [-0.2, 0.8]],
            "B": [[0.9, 0.2], [0.1, 0.7]],
            "beta": 3.0,
            "n": 2,
            "start": "pair",
            "curve": "angle",
            "t_end": 20.0,
        },
        2.0,
        "A pair under a V with complex spectrum never stops.",
    ),
    "sign_switch": Preset(
        "Two ends",
        {
            "V": diagonal(1, 2),
            "B": diagonal(2, -0.5),
            "beta": 20.0,
            "n": 200,
            "t_end": 12.0,
        },
        12.0,
        "Neither eigenvector: two clusters rest where they are neither near nor far.",
    ),
    "too_cold": Preset(
        "Too cold for 800 tokens",
        {**GENERIC, "beta": 320.0, "t_end": 6.0},
        2.5,
        "A token hears two or three others: the cloud is no continuum.",
    ),
    "enough": Preset(
        "Warm enough",
        GENERIC,
        3.5,
        "A token hears some forty others.",
    ),
    "quadratic": Preset(
        "Consensus too soon",
        {**CONSENSUS, "objective": "quadratic", "alpha": 10.0},
        6.0,
        "They agree before they arrive: at 0.698, not at 1.",
    ),
    "double_well": Preset(
        "Two wells",
        {**CONSENSUS, "objective": "double_well", "alpha": 100.0, "m0": 0.3},
        3.0,
        "One consensus for all, though there are two wells.",
    ),
    "polarised": Preset(
        "Polarised",
        {
            **CONSENSUS,
            "objective": "double_well",
            "alpha": 100.0,
            "m0": 0.3,
            "kernel": 0.5,
        },
        3.0,
        "Each hears its neighbours more, as in attention: both wells are found.",
    ),
}
