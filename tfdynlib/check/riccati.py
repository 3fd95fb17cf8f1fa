"""Checks of the page *Two matrices' worth of depth*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import expm

from tfdynlib.check._verdict import Case, Verdict, compare

A = np.array([[0.4, 0.3], [-0.2, 0.6]])
B = np.array([[1.0, 0.5], [-0.3, 0.8]])
COV = np.array([[1.0, 0.3], [0.3, 0.6]])


def precision_flow(function: Callable) -> Verdict:
    """Exercise 3: is ``function(P0, A, B, v, t)`` the precision at t for V = v I?

    Tried on the layer `d1` and on two others, in two and three dimensions.
    """
    return compare(function, _precision, _layers(), 1e-9)


def _precision(
    P0: np.ndarray, A: np.ndarray, B: np.ndarray, v: float, t: float
) -> np.ndarray:
    """By one exponential of the linear equation with a constant, not by Lyapunov."""
    d = len(A)
    flow = np.kron(A.T, np.eye(d)) + np.kron(np.eye(d), A.T)
    block = np.zeros((d * d + 1, d * d + 1))
    block[:-1, :-1], block[:-1, -1] = -flow, -v * (B + B.T).ravel()
    grown = expm(block * t) @ np.append(P0.ravel(), 1.0)
    return grown[:-1].reshape(d, d)


def _layers() -> list[Case]:
    rng = np.random.default_rng(3)
    L, wide = rng.normal(size=(3, 3)), rng.normal(size=(2, 3, 3))
    P0 = np.linalg.inv(COV)
    return [
        Case("d1 at t = 1", (P0, A, B, -0.7, 1.0)),
        Case("a contraction", (P0, -A, B, -0.2, 2.0)),
        Case("three dimensions", (L @ L.T, wide[0], wide[1], 0.3, 0.5)),
    ]


def whiten(function: Callable) -> Verdict:
    """Exercise 5: are the new A and V right where B has become the identity?

    ``function(A, B, V)`` returns both, stacked, for the symmetric T.
    """
    return compare(function, _whiten, _heads(), 1e-9, 1e-11)


def _whiten(A: np.ndarray, B: np.ndarray, V: np.ndarray) -> np.ndarray:
    u, s, w = np.linalg.svd(B)
    T, back = u * np.sqrt(s) @ w, (u / np.sqrt(s) @ w).T
    return np.array([T @ A @ back, T @ V @ back])


def _heads() -> list[Case]:
    cases = []
    for d in (1, 2, 3):
        rng = np.random.default_rng([d, 5])
        G, A, V = rng.normal(size=(3, d, d))
        cases.append(Case(f"d = {d}", (A, G @ G.T + np.eye(d), V)))
    return cases
