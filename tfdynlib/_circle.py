"""Points of the circle by their angles."""

import numpy as np
from jaxtyping import Float


def points(angle: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 2"]:
    """The points (cos, sin) at these angles, one a row."""
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
