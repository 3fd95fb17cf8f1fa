"""Integrals of a function of time, and sizes of stacks; used by ``weights.length``."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

# Two resolutions agree to this, or panels are halved again, so often at most.
AGREE, HALVINGS = 1e-10, 6


def size(B: Float[np.ndarray, "H d d"], mass: Float[np.ndarray, " H"], p: int) -> float:
    """The p-mean over heads of Frobenius norms."""
    return float((mass @ np.linalg.norm(B, axis=(1, 2)) ** p) ** (1 / p))


def integral(f: Callable[[float], float], a: float, b: float) -> float:
    """Panels of 16 Gauss nodes, about one for each unit of time to begin with."""
    node, weight = np.polynomial.legendre.leggauss(16)

    def total(panels: int) -> float:
        half = (b - a) / panels / 2
        centres = a + half * (2 * np.arange(panels) + 1)
        times = (centres[:, None] + half * node).ravel().tolist()
        values = np.array([f(t) for t in times]).reshape(panels, -1)
        return float(half * np.sum(values @ weight))

    panels = max(1, int(np.ceil(b - a)))
    old, new = total(panels), total(2 * panels)
    for _ in range(HALVINGS):
        if abs(new - old) <= AGREE * abs(new):
            break
        panels *= 2
        old, new = new, total(2 * panels)
    return new
