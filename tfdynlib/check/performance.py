"""Checks of the page *How fast, how exact*."""

from __future__ import annotations

import tracemalloc

import numpy as np

from tfdynlib import summation
from tfdynlib._check import UNIT_TOLERANCE
from tfdynlib.check._verdict import Case, Verdict, call, not_yet, numbers, yes

# A cloud whose whole matrix of scores, 72 MB, is many times what a block needs.
LARGE, BLOCK = 3000, 50
# Arrays of BLOCK rows that may be held at a time, with the answer itself and change.
ARRAYS = 8
# Sums of 40 terms, exponents up to 2000: rounding of an exponent is 2000 eps.
TOLERANCE = 1e-11
BETA = 64.0
SMALL, HEARD = 1e-9, 1e-3
FEWEST = 16


def moments(function: object) -> Verdict:
    """Exercise 3: log of the mean of e^<p, x>, and softmax means, in O(block n) memory.

    ``function(p, x, block)`` is compared with the package on exponents up to 2000, with
    blocks that divide the number of queries and blocks that do not; then the memory
    that it takes for 3000 tokens in blocks of 50 is measured.
    """
    worst = 0.0
    for case in _cases():
        gap, complaint = _gap(function, case)
        if complaint:
            return not_yet(f"on {case.name} {complaint}")
        worst = max(worst, gap)
    peak, complaint = _peak(function)
    allowed = ARRAYS * 8 * BLOCK * LARGE
    if complaint:
        return not_yet(complaint)
    if peak > allowed:
        return not_yet(
            f"right, but {LARGE} tokens in blocks of {BLOCK} took {peak / 1e6:.0f} MB, "
            f"as if the whole matrix were there; {allowed / 1e6:.0f} MB are enough."
        )
    return yes(
        f"the largest difference is {worst:.1e}, and {LARGE} tokens in blocks of "
        f"{BLOCK} took {peak / 1e6:.1f} MB, the whole matrix being "
        f"{8 * LARGE**2 / 1e6:.0f} MB."
    )


def _cases() -> list[Case]:
    rng = np.random.default_rng(5)
    made = []
    for beta, k, block in ((2.0, 12, 4), (30.0, 13, 5), (2000.0, 7, 100)):
        x = rng.normal(size=(40, 3))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        made.append(Case(f"exponents up to {beta:g}", (beta * x[:k], x, block)))
    return made


def _gap(function: object, case: Case) -> tuple[float, str]:
    """Largest difference to the package, and a complaint."""
    p, x, _ = case.arguments
    value, complaint = call(function, case)
    if complaint:
        return 0.0, complaint.removeprefix(f"on {case.name} ")
    if not (isinstance(value, tuple | list) and len(value) == 2):
        return 0.0, "expected two arrays, the logarithm and the means."
    exact = summation.moments(p, x, np.full(len(x), 1 / len(x)))
    worst = 0.0
    for got, wanted in zip(value, (exact.log_z, exact.mean), strict=True):
        array, complaint = numbers(got, wanted.shape)
        if complaint:
            return 0.0, complaint
        worst = max(worst, float(np.abs(array - wanted).max()))
    if worst > TOLERANCE:
        return worst, f"it is off by {worst:.2g}; rounding would be below 1e-11."
    return worst, ""


def _peak(function: object) -> tuple[int, str]:
    """Bytes at the peak of a call on a large cloud, and a complaint."""
    angle = np.linspace(0, 6, LARGE)
    x = np.column_stack([np.cos(angle), np.sin(angle)])
    case = Case(f"{LARGE} tokens", (4 * x, x, BLOCK))
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    _, complaint = call(function, case)
    peak = tracemalloc.get_traced_memory()[1] - before
    if not running:
        tracemalloc.stop()
    return peak, complaint


def rejected(x: object) -> Verdict:
    """Exercise 4: tokens on the circle, some of which look where nobody is.

    With B = -I and beta = 64, q is the mean over j of e^{-beta (1 + <x_i, x_j>)}; one
    token must have q below 1e-9, another one above 1e-3.
    """
    try:
        array = np.asarray(x, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return not_yet("expected an array of tokens, of shape (n, 2).")
    if array.ndim != 2 or array.shape[1] != 2 or len(array) < FEWEST:
        return not_yet(f"expected shape (n, 2), n at least {FEWEST}.")
    length = np.linalg.norm(array, axis=1)
    if not (np.abs(length - 1) <= UNIT_TOLERANCE).all():
        return not_yet("every token must be on the circle, of norm 1.")
    q = np.exp(-BETA * (1 + array @ array.T)).mean(axis=1)
    if q.min() >= SMALL:
        return not_yet(f"the smallest q is {q.min():.1e}: everybody looks at somebody.")
    if q.max() <= HEARD:
        return not_yet(
            f"all tokens are turned down, the largest q is {q.max():.1e}; "
            "let some of them be heard."
        )
    count = int((q < SMALL).sum())
    return yes(
        f"{count} of {len(q)} tokens have q below 1e-9, the smallest is {q.min():.1e}; "
        f"the largest is {q.max():.2f}."
    )
