"""Checks of the page *One head as a pull*."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.special import softmax

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


def softmax_mean(function: object) -> Verdict:
    """Exercise 4: is ``function(scores, values)`` the softmax mean, at any size?

    Scores have shape (m, n), values (n, d); row i of the answer is the mean of
    the values with weights proportional to ``exp(scores[i])``.  Scores go up to
    1e6 and rows may differ by as much; NumPy must not warn.
    """
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        verdict = compare(function, _softmax_mean, _score_tables(), rtol=1e-9)
    if heard and verdict:
        return not_yet(f"the numbers agree, but NumPy warned: {heard[0].message}.")
    return verdict


def _softmax_mean(scores: np.ndarray, values: np.ndarray) -> np.ndarray:
    return softmax(scores, axis=1) @ values


def _score_tables() -> list[Case]:
    rng = np.random.default_rng(7)
    values = rng.standard_normal((4, 2))
    small = rng.standard_normal((3, 4))
    apart = np.array([[1e6, 1e6 - 1.0, 0.0, 0.0], [0.0, 1.0, 2.0, 3.0]])
    return [
        Case("scores of order one", (small, values)),
        Case("equal scores", (np.zeros((2, 4)), values)),
        Case("scores up to a million", (1e6 * small, values)),
        Case("scores near minus a million", (small - 1e6, values)),
        Case("rows of different size", (apart, values)),
    ]


def blind_token(function: object) -> Verdict:
    """Exercise 5: does ``function(Q, K)`` give a unit token that sees all alike?

    Q and K have shape (k, d) with k < d.  The row of attention of the answer
    must be 1/n within 1e-9, whatever the other tokens are.
    """
    for case in _narrow_heads():
        Q, K = case.arguments
        value, complaint = call(function, case)
        if not complaint:
            token, complaint = numbers(value, (Q.shape[1],))
            complaint = complaint and f"on {case.name} {complaint}"
        if complaint:
            return not_yet(complaint)
        if abs(np.linalg.norm(token) - 1) > 1e-9:
            return not_yet(f"on {case.name} the norm is {np.linalg.norm(token):.6g}.")
        gap = _unevenness(token, Q, K)
        if gap > 1e-9:
            return not_yet(
                f"on {case.name} all weights should be 1/n; one is off by {gap:.2g}."
            )
    tried = ", ".join(case.name for case in _narrow_heads())
    return yes(f"tried on {tried}; every other token gets the same weight.")


def _narrow_heads() -> list[Case]:
    rng = np.random.default_rng(3)
    sizes = ((2, 3), (3, 8), (1, 2))
    return [
        Case(f"(k, d) = ({k}, {d})", (rng.normal(size=(k, d)), rng.normal(size=(k, d))))
        for k, d in sizes
    ]


def _unevenness(token: np.ndarray, Q: np.ndarray, K: np.ndarray) -> float:
    """Largest distance of the token's weights from 1/n, among 20 other tokens."""
    others = sphere.uniform(20, len(token), np.random.default_rng(5))
    x = np.vstack([token, others])
    row = attention.attend(x, Heads.from_qkv(Q, K, np.eye(len(token)), beta=4.0))[0, 0]
    return float(np.abs(row - 1 / len(x)).max())
