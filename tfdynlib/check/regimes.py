"""Checks of the page *What decides the fate*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfdynlib._check import shown
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, numbers, yes

RTOL = 1e-9


def scalar_fate(function: Callable) -> Verdict:
    """Exercise 3: is ``function(a, vk, S0)`` the fate of a variance?

    A pair of "explodes", "settles" or "dies" and a number: the time of the
    explosion, the limit, or zero.
    """
    cases = _cases()
    for case in cases:
        label, expected = _fate(*case.arguments)
        value, complaint = call(function, case)
        if complaint:
            return not_yet(complaint)
        if not isinstance(value, tuple | list) or len(value) != 2:
            return not_yet(f"on {case.name} expected a pair, got {shown(value)}.")
        if value[0] != label:
            return not_yet(f"on {case.name} it {label}; got {shown(value[0])}.")
        number, complaint = numbers(value[1], ())
        if complaint:
            return not_yet(f"on {case.name} {complaint}")
        if abs(number - expected) > RTOL * abs(expected):
            said = f"the number is {expected:.6g}, got {float(number):.6g}."
            return not_yet(f"on {case.name} it {label}, and {said}")
    return yes(f"tried on {len(cases)} clouds.")


def _fate(a: float, vk: float, S0: float) -> tuple[str, float]:
    """By the precision P' = -2aP - 2vk: where it is going, and when it is zero."""
    if a == 0:
        return ("explodes", 1 / (2 * vk * S0)) if vk > 0 else ("dies", 0.0)
    rest = -vk / a
    off = 1 / S0 - rest
    if off == 0 or (a > 0 and rest > 0):
        return "settles", 1 / rest
    if vk > 0 and (a > 0 or off < 0):
        return "explodes", float(np.log1p(-1 / (S0 * rest)) / (2 * a))
    return "dies", 0.0


def _cases() -> list[Case]:
    """Two hundred: all signs, no stretch, and the bar itself."""
    rng = np.random.default_rng(11)
    a = rng.uniform(0.1, 1, 197) * rng.integers(-1, 2, 197)
    vk = rng.uniform(0.2, 2, 197) * rng.choice([-1, 1], 197)
    S0 = rng.uniform(0.1, 3, 197)
    bar = [(-0.5, 1.0, 0.5), (-0.25, 0.5, 0.5), (-1.0, 2.0, 0.5)]
    rows = [*zip(a.tolist(), vk.tolist(), S0.tolist()), *bar]
    return [
        Case(f"a = {p:.3g}, vk = {q:.3g}, S0 = {s:.3g}", (p, q, s)) for p, q, s in rows
    ]
