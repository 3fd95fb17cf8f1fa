"""Clouds and weights that rows of the second paper have in common."""

import numpy as np

from tfdynlib.gaussian import Gaussian, Layer

# Theorems and experiments were not read: no sections but that of the moment system.
PAPER = "Alcalde et al. 2026, in summary"
SYSTEM = PAPER + ", eq. (1.1)"
OURS = "derived in the book"
I2, O2, ZERO = np.eye(2), np.zeros((2, 2)), np.zeros(2)
# The running example of the book.
A = np.array([[0.4, 0.3], [-0.2, 0.6]])
B = np.array([[1.0, 0.5], [-0.3, 0.8]])
COV = np.array([[1.0, 0.3], [0.3, 0.6]])
SETTLES = Layer(A, B, -0.7 * I2)
START = Gaussian(ZERO, COV)
# Definite V and B of its relatives.
V2, B2 = np.diag([1.0, 0.5]), np.array([[1.2, 0.3], [0.3, 0.8]])


def scalar(a: float, k: float, cov: float, mean: float = 0.0) -> tuple[Layer, Gaussian]:
    """One dimension with V = 1: layer and start."""
    return Layer([[a]], [[k]], [[1.0]]), Gaussian([mean], [[cov]])


def furthest(values: list[float] | np.ndarray) -> float:
    """The value that is furthest from one."""
    return float(max(np.ravel(values), key=lambda value: abs(value - 1)))
