"""The matrices of a filter, or of a regulator turned into one, and their front door."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number

Matrix = Float[np.ndarray, "_ _"]
# A matrix, or a number for one of size one.
Entries = ArrayLike | Number
# Largest difference of what should be equal, relative: rounding.
SAME = 1e-12


@dataclass(frozen=True)
class Filtering:
    """A filter problem; a regulator has been turned into one."""

    A: Matrix
    C: Matrix
    R: Matrix
    Q: Matrix

    @property
    def information(self) -> Matrix:
        """C^T R^-1 C, symmetric."""
        S = self.C.T @ np.linalg.solve(self.R, self.C)
        return (S + S.T) / 2

    def rate(self, S: Matrix) -> Matrix:
        return self.A @ S + S @ self.A.T - S @ self.information @ S + self.Q


def filtering(A: Any, C: Any, R: Any, Q: Any, problem: str) -> Filtering:
    A, C = square(A, "A"), matrix(C, "C")
    d = len(A)
    if problem == "regulator":
        wanted = ", a column for each input"
        A, C = A.T, _check.shaped(C, "C", (d, None), wanted).T
    C = _check.shaped(C, "C", (None, d), ", a row for each reading")
    m = len(C)
    R = _check.shaped(_check.symmetric(matrix(R, "R"), "R"), "R", (m, m))
    if np.linalg.eigvalsh(R)[0] <= 0:
        wanted = "positive definite: no reading, and no input, is free"
        raise _check.refuse("R", wanted, f"eigenvalue {np.linalg.eigvalsh(R)[0]:.3g}")
    noise = np.zeros((d, d)) if Q is None else semidefinite(Q, "Q", d)
    return Filtering(A, C, R, noise)


def matrix(value: Entries, name: str) -> Matrix:
    """A matrix; a number is one of size one, a list of numbers a row."""
    rows: Any = [[value]] if isinstance(value, Number) else value
    return _check.bounded(np.atleast_2d(_check.array(rows, name)), name)


def square(value: Entries, name: str) -> Matrix:
    return _check.shaped(_check.square(matrix(value, name), name), name, (None, None))


def semidefinite(value: Entries, name: str, d: int) -> Matrix:
    M = _check.shaped(_check.symmetric(matrix(value, name), name), name, (d, d))
    least = float(np.linalg.eigvalsh(M)[0])
    if least < -SAME * norm(M):
        raise _check.refuse(name, "without negative eigenvalues", f"{least:.3g}")
    return (M + M.T) / 2


def norm(M: np.ndarray) -> float:
    return float(np.linalg.norm(M))
