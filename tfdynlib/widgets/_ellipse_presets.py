"""Presets of the figure ``ellipse``."""

from tfdynlib.widgets._widget import Preset

Rows = list[list[float]]

ZERO: Rows = [[0.0, 0.0], [0.0, 0.0]]
EYE: Rows = [[1.0, 0.0], [0.0, 1.0]]
A: Rows = [[0.4, 0.3], [-0.2, 0.6]]
B: Rows = [[1.0, 0.5], [-0.3, 0.8]]
COV: Rows = [[1.0, 0.3], [0.3, 0.6]]


def times(v: float, M: Rows = EYE) -> Rows:
    """A multiple of a matrix."""
    return [[v * x + 0.0 for x in row] for row in M]


D1 = {"A": A, "B": B, "V": times(-0.7), "cov": COV, "mean": [-1.5, 1.2], "t_end": 6.0}
MIXED = {"V": [[1.0, 0.0], [0.0, 0.5]], "cov": COV}
BIAS = [0.7733829871, -1.3332026656]

PRESETS = {
    "d1": Preset("Settles", D1, 1.3, "The covariance settles, and so does the mean."),
    "scalar_stable": Preset(
        "A circle",
        {
            "A": times(0.5),
            "B": EYE,
            "V": times(-1.0),
            "cov": times(2.0),
            "mean": [1.0, 0.5],
            "t_end": 4.0,
        },
        1.0,
        "All directions alike: one number, in closed form.",
    ),
    "mean_drag": Preset(
        "Drag the mean",
        {**D1, "mean": [2.0, -1.0]},
        1.5,
        "The ellipse does not notice where its centre is.",
    ),
    "d2": Preset(
        "Blows up",
        {
            "A": ZERO,
            "B": B,
            "V": times(0.7),
            "cov": COV,
            "mean": [-0.6, 0.5],
            "t_end": 2.0,
        },
        0.46,
        "An eigenvalue is infinite at layer-time 0.592.",
    ),
    "d3": Preset(
        "Loses a dimension",
        {
            "A": [[0.5, 0.0], [0.0, -0.5]],
            "B": EYE,
            "V": times(-1.0),
            "cov": COV,
            "mean": [-1.2, 1.2],
            "t_end": 8.0,
        },
        2.5,
        "The ellipse becomes a line, at infinity alone.",
    ),
    "e1": Preset(
        "Blows up, V not a number",
        {
            **MIXED,
            "A": ZERO,
            "B": [[1.2, 0.3], [0.3, 0.8]],
            "mean": [-0.6, 0.5],
            "t_end": 1.0,
        },
        0.27,
        "Two bounds hold the time of the blow-up.",
    ),
    "e2": Preset(
        "Mean escapes",
        {
            **MIXED,
            "A": A,
            "B": [[-1.2, -0.3], [-0.3, -0.8]],
            "mean": [-0.6, 0.5],
            "t_end": 6.0,
        },
        1.5,
        "The covariance settles while the mean runs away.",
    ),
    "d1_target": Preset(
        "Choose the target",
        {**D1, "b": BIAS, "t_end": 8.0},
        2.0,
        "The bias that leads the mean to the target.",
    ),
    "twin_signs": Preset(
        "Same ellipse, opposite fate",
        {**D1, "mean": [1.0, 1.0], "beside": "twin", "t_end": 4.0},
        0.9,
        "One centre comes home, the other leaves.",
    ),
    "line_stays_line": Preset(
        "A line stays a line",
        {**D1, "cov": [[1.0, 1.0], [1.0, 1.0]], "mean": [0.0, 0.0], "t_end": 10.0},
        1.0,
        "Attention turns and stretches the line and never widens it.",
    ),
    "kalman_twin": Preset(
        "Beside a Kalman filter",
        {**D1, "beside": "filter", "noise": 0.0},
        2.0,
        "Two ellipses that never part, until the filter has noise.",
    ),
    "are_without_noise": Preset(
        "The filter's equation",
        {**D1, "cov": times(2.0), "beside": "filter", "noise": 0.0, "t_end": 10.0},
        8.0,
        "Both come to the solution of the algebraic equation.",
    ),
    "tilt": Preset(
        "Tilted by a query",
        {"view": "tilt", "mean": [1.0, 0.0], "query": [1.0, -1.0], "shown": "law"},
        1.0,
        "The tilted law is the same ellipse, moved.",
    ),
    "tilt_sampled": Preset(
        "Tilted, with a sample",
        {
            "view": "tilt",
            "mean": [1.0, 0.0],
            "query": [1.0, -1.0],
            "shown": "sample",
            "n": 400,
        },
        1.0,
        "Far out few tokens carry all the weight.",
    ),
    "sign_quadrants": Preset(
        "A map of fates",
        {"view": "map", "a": -0.5, "vk": 1.0, "s0": 0.6, "t_end": 4.0},
        1.0,
        "Signs and the start decide.",
    ),
    "cloud_against_ode": Preset(
        "Tokens against the law",
        {
            "view": "cloud",
            "n": 1000,
            "seed": 3,
            "a": 0.0,
            "vk": 1.0,
            "s0": 1.0,
            "t_end": 0.7,
        },
        0.5,
        "Finitely many tokens pass the wall calmly.",
    ),
    "relu_1d": Preset(
        "Through a kink",
        {"view": "relu", "m": 0.0},
        1.0,
        "Half of the tokens stay behind.",
    ),
    "relu_biased": Preset(
        "Away from the kink",
        {"view": "relu", "m": 3.0},
        1.0,
        "Nearly no token meets the kink.",
    ),
}
