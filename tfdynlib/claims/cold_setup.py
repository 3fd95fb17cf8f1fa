"""Matrices and starts that rows of the third paper have in common."""

import numpy as np
from jaxtyping import Float

from tfdynlib import attention, flow, metastability
from tfdynlib.metastability import Limit, Phases
from tfdynlib.weights import Heads

# Theorems and experiments were not read: no sections but those that the summary names.
PAPER = "Alcalde, Bungert et al. 2026, in summary"
OURS = "derived in the book"
I2, I3 = np.eye(2), np.eye(3)
# The three sets of the part: M = V B is diag(2, 1), diag(2, 1, 1/2).
V2 = np.array([[1.0, 0.5], [0.0, 1.8]])
B2 = np.linalg.inv(V2) @ np.diag([2.0, 1.0])
V3 = np.array([[1.0, 0.4, 0.0], [0.0, 2.0, 0.3], [0.2, 0.0, 0.7]])
B3 = np.linalg.inv(V3) @ np.diag([2.0, 1.0, 0.5])
EXIT_V, EXIT_B = np.diag([1.0, 2.0]), np.diag([2.0, 0.5])


def run(
    heads: Heads, x: Float[np.ndarray, "n d"], last: float, every: float = 0.05
) -> Phases:
    """Phases of a cloud of equal masses up to a layer-time."""
    t = np.arange(round(last / every) + 1) * every
    found = flow.solve(attention.field(heads), x, t)
    return metastability.phases(found, Limit.of(heads), heads.V[0])
