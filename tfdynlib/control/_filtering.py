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

    def in_units(self) -> tuple["Filtering", float, float]:
        """The same equation with all terms of size one at most; what Sigma has been
        divided by, and what time has been multiplied by."""
        c, r = size(self.C), size(self.R)
        C, R = self.C / c, self.R / r
        bare = size(C.T @ np.linalg.solve(R, C)) if C.any() else 1.0
        s = bare * c / r * c if C.any() else 0.0
        q = float(np.abs(self.Q).max())
        tau = max(float(np.abs(self.A).max()), s**0.5 * q**0.5) or 1.0
        # Without a reading noise alone sets the size.
        unit = min(tau / s, _check.LARGEST) if s else q / tau or 1.0
        R = R * (bare * (min(tau / s / unit, _check.LARGEST) if s else 1.0))
        return Filtering(self.A / tau, C, R, self.Q / tau / unit), unit, tau

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
    c, r = size(C), size(R)
    reading = size((C / c).T @ np.linalg.solve(R / r, C / c))
    if np.log(reading) + 2 * np.log(c) - np.log(r) > np.log(_check.LARGEST):
        wanted = f"such that C^T R^-1 C is up to {_check.LARGEST:g}"
        raise _check.refuse("C", wanted, f"|C| = {c:.3g} and |R| = {r:.3g}")
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


def size(M: np.ndarray) -> float:
    """The largest entry; 1 if there is none but zero."""
    return float(np.abs(M).max()) or 1.0


def norm(M: np.ndarray) -> float:
    return float(np.linalg.norm(M))
