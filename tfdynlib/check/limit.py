"""Checks of the page *Attention at zero temperature*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import attention, sphere
from tfdynlib.check._verdict import (
    Case,
    Verdict,
    call,
    compare,
    not_yet,
    numbers,
    yes,
)
from tfdynlib.weights import Heads

CLOUDS = 50


def zero_temperature_field(function: Callable) -> Verdict:
    """Exercise 3: is ``function(x, V, B)`` the velocity at infinite beta?

    Rows of x are tokens; B may be far from the identity and of any sign.
    """
    cases = []
    for d in (2, 3, 5):
        rng = np.random.default_rng([4, d])
        x, (V, B) = sphere.uniform(6, d, rng), rng.normal(size=(2, d, d))
        cases.append(Case(f"six tokens with d = {d}", (x, V, B)))

    def truth(x: np.ndarray, V: np.ndarray, B: np.ndarray) -> np.ndarray:
        return attention.velocity(x, Heads(B, V), rule="zero_temperature")

    return compare(function, truth, cases, rtol=1e-12, atol=1e-12)


def convert(function: Callable) -> Verdict:
    """Exercise 4: is ``function(Q, K, V)`` the pair B and M of this book?"""
    for k, d in ((3, 3), (2, 4)):
        rng = np.random.default_rng([k, d])
        Q, K = rng.normal(size=(2, k, d))
        V = rng.normal(size=(d, d))
        case = Case(f"matrices with (k, d) = ({k}, {d})", (Q, K, V))
        value, complaint = call(function, case)
        if complaint:
            return not_yet(complaint)
        if not isinstance(value, tuple | list) or len(value) != 2:
            return not_yet(f"expected the pair B, M, got {type(value).__name__}.")
        B = Heads.from_qkv(Q, K, V).B[0]
        for name, given, expected in zip("BM", value, (B, V @ B), strict=True):
            got, complaint = numbers(given, (d, d))
            if complaint:
                return not_yet(f"{name}: {complaint}")
            if not np.allclose(got, expected, rtol=1e-12, atol=1e-12):
                turned = " It is the transpose." if np.allclose(got, expected.T) else ""
                return not_yet(f"on {case.name} {name} is another matrix.{turned}")
    return yes("both matrices agree, for square and for narrow heads.")


def bound(function: Callable) -> Verdict:
    """Exercise 5: does ``function(x, V, beta)`` bound softmax less hard attention?

    It has to hold on every one of the clouds, and to be no larger than asked for.
    """
    rng = np.random.default_rng(8)
    for _ in range(CLOUDS):
        n, d, beta = (
            int(rng.integers(3, 12)),
            int(rng.integers(2, 5)),
            rng.uniform(1, 60),
        )
        x, V = sphere.uniform(n, d, rng), rng.normal(size=(d, d))
        case = Case(
            f"{n} tokens with d = {d} at beta = {beta:.3g}", (x, V, float(beta))
        )
        value, complaint = call(function, case)
        if complaint:
            return not_yet(complaint)
        got, complaint = numbers(value, ())
        if complaint:
            return not_yet(f"on {case.name} {complaint}")
        gap, wanted = _gap(x, V, beta), _bound(x, V, beta)
        if got < gap - 1e-12:
            return not_yet(f"on {case.name} the gap is {gap:.3g}, above {got:.3g}.")
        if got > wanted * (1 + 1e-9):
            return not_yet(f"on {case.name} it can be {wanted:.3g}; got {got:.3g}.")
    return yes(f"it holds on {CLOUDS} clouds.")


def _gap(x: np.ndarray, V: np.ndarray, beta: float) -> float:
    heads = Heads(np.eye(len(V)), V, beta)
    gap = attention.velocity(x, heads) - sphere.project(x, x @ V.T)
    return float(np.linalg.norm(gap, axis=1).max())


def _bound(x: np.ndarray, V: np.ndarray, beta: float) -> float:
    nearest = (x @ x.T)[~np.eye(len(x), dtype=bool)].max()
    others = (len(x) - 1) * np.exp(-beta * (1 - nearest))
    return float(2 * np.linalg.norm(V, 2) * others)
