"""Checks of the page *Attention as an optimiser*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib import attention, cbo, sphere
from tfdynlib.check._verdict import Case, Verdict, call, compare, not_yet, numbers, yes
from tfdynlib.weights import Heads


def cbo_gaussian(function: Callable) -> Verdict:
    """Exercise 3: is ``function(m0, S0, a, alpha, t)`` the mean of the particles?"""
    rng = np.random.default_rng(9)
    cases = []
    for _ in range(12):
        m0, S0, a, alpha, t = rng.uniform(
            (-2, 0.2, -2, 0.5, 0), (2, 3, 2, 40, 3)
        ).tolist()
        name = f"N({m0:.3g}, {S0:.3g}), a = {a:.3g}, alpha = {alpha:.3g}, t = {t:.3g}"
        cases.append(Case(name, (m0, S0, a, alpha, t)))
    return compare(function, _mean, cases, rtol=1e-9, atol=1e-9, tried="twelve clouds")


def _mean(m0: float, S0: float, a: float, alpha: float, t: float) -> float:
    return float(cbo.gaussian_mean(m0, S0, a, alpha, t))


def table(function: Callable) -> Verdict:
    """Exercise 4: does ``function(x, B)`` give the landscapes of attention?"""
    for n, d in ((6, 2), (9, 4)):
        rng = np.random.default_rng([n, d])
        x, B = sphere.uniform(n, d, rng), rng.normal(size=(d, d))
        case = Case(f"{n} tokens with d = {d}", (x, B))
        value, complaint = call(function, case)
        f, wrong = (np.zeros((n, n)), complaint)
        if not complaint:
            f, wrong = numbers(value, (n, n))
        if wrong:
            return not_yet(f"on {case.name}: {wrong}")
        weight = np.exp(-3 * (f - f.min(axis=1, keepdims=True)))
        weight /= weight.sum(axis=1, keepdims=True)
        gap = np.abs(weight - attention.attend(x, Heads(B, np.eye(d), 3.0))[0]).max()
        if not gap < 1e-10:
            return not_yet(f"on {case.name} a weight is off by {gap:.2g}.")
    return yes("the weights are those of attention, for two clouds.")


def final_mean(function: Callable) -> Verdict:
    """Exercise 5: is ``function(m0, a, H, alpha)`` where the consensus comes to rest?

    From N(m0, I), for bowls that are round, long, and flat in one direction.
    """
    cases = []
    for seed, sizes in enumerate(([1, 1, 1], [0.1, 2, 30], [0, 1, 4])):
        rng = np.random.default_rng([9, seed])
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        m0, a = rng.normal(size=(2, 3))
        H = (Q * np.array(sizes, float)) @ Q.T
        name = f"a bowl with the curvatures {sizes}"
        cases.append(Case(name, (m0, a, (H + H.T) / 2, 7.0)))
    return compare(function, _rest, cases, rtol=1e-7, atol=1e-7)


def _rest(m0: np.ndarray, a: np.ndarray, H: np.ndarray, alpha: float) -> np.ndarray:
    return np.asarray(cbo.gaussian_mean(m0, np.eye(len(m0)), a, alpha, H=H))
