"""Starts, weights and runs that rows of the first paper have in common."""

import numpy as np
from jaxtyping import Float

from tfdynlib import attention, energy, flow, weights
from tfdynlib._circle import points
from tfdynlib.weights import Heads, WeightPath

Tokens = Float[np.ndarray, "n d"]
I2 = np.eye(2)
J = np.array([[0.0, 1.0], [1.0, 0.0]])
P = np.array([[1.0, 0.3], [0.3, -0.5]])
Q = np.array([[-0.6, 0.2], [0.2, 0.8]])
CODE = "Massucco et al. 2026, code"
PAPER = "Massucco et al. 2026, in summary"
OURS = "derived in the book"


def symmetric(H: int, d: int, rng: np.random.Generator) -> Float[np.ndarray, "H d d"]:
    """The start of the first paper's code, Z + Z^T."""
    Z = rng.standard_normal((H, d, d))
    return Z + Z.swapaxes(1, 2)


RING = points(2 * np.pi * np.arange(10) / 10 + 0.3 * np.sin(np.arange(10)))
ONE, OTHER = np.array([[1, 0.4], [0.4, -0.6]]), np.array([[-0.5, 0.2], [0.2, 0.9]])
PAIR = weights.oscillating(2, 2, np.stack([ONE, OTHER]))


def account(
    path: WeightPath | Heads, x: Tokens, t_end: float, steps: int, method: str = "rk4"
) -> energy.Balance:
    t = np.linspace(0, t_end, steps + 1)
    return energy.balance(flow.solve(attention.field(path), x, t, method), path)


def late_rate(path: WeightPath, x: Tokens, t: np.ndarray, method: str) -> float:
    """Mean over the second half of the run of what the code calls G^2."""
    run = flow.solve(attention.field(path), x, t, method)
    late = list(zip(t, run.x))[len(t) // 2 :: 2]
    rates = [energy.action(y, attention.velocity(y, path(s)), path(s)) for s, y in late]
    return float(np.mean(rates))


def order(errors: tuple[float, float]) -> float:
    """Order of a method, from its errors with a step and with half of it."""
    return float(np.log2(abs(errors[0]) / abs(errors[1])))
