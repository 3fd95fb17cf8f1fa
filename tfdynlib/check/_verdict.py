"""A verdict on an answer, and the few ways in which answers are tried."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tfdynlib._check import shown

# What a function that is not right yet may well raise.  Anything else (an
# interrupt, no memory) is not about the answer and is passed on.
MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    RuntimeError,
    TypeError,
    ValueError,
)

# Letters of a line that fit beside the two menus of a page.
WIDTH = 76


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check: true or false, with one sentence that says why.

    Shown at the end of a cell it reads as that sentence; ``if verdict:`` and
    ``bool(verdict)`` give the outcome alone.
    """

    right: bool
    sentence: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        text = f"{'Yes' if self.right else 'Not yet'}: {self.sentence}"
        return textwrap.fill(text, WIDTH, break_long_words=False)


@dataclass(frozen=True)
class Case:
    """Arguments to try a function on, and the words that name them."""

    name: str
    arguments: tuple


def yes(sentence: str) -> Verdict:
    """The answer holds."""
    return Verdict(True, sentence)


def not_yet(sentence: str) -> Verdict:
    """The answer does not hold yet; the sentence says what was expected."""
    return Verdict(False, sentence)


def call(function: object, case: Case) -> tuple[object, str]:
    """Value of a reader's function on copies of the arguments, and a complaint.

    The complaint is empty when the function returned; otherwise it says what
    was tried and what was raised, and the value is ``None``.
    """
    copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in case.arguments]
    if not callable(function):
        return None, f"hand over the function itself, not {shown(function)}."
    try:
        value = function(*copies)
    except MISTAKES as error:
        return None, f"on {case.name} it raised {type(error).__name__}: {error}."
    for given, after in zip(case.arguments, copies, strict=True):
        if isinstance(given, np.ndarray) and not np.array_equal(given, after):
            return None, f"on {case.name} it wrote into its input; work on a copy."
    return value, ""


def numbers(value: object, shape: tuple[int, ...]) -> tuple[np.ndarray, str]:
    """A value as a float array of the wanted shape, and a complaint if it is none."""
    nothing = np.full(shape, np.nan)
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biufO":
            raise TypeError(array.dtype)
        array = array.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        return (
            nothing,
            f"expected numbers of shape {shape}, got {type(value).__name__}.",
        )
    if array.shape != shape:
        return nothing, f"expected shape {shape}, got {array.shape}."
    if not np.isfinite(array).all():
        return nothing, "expected finite numbers, got nan or inf."
    return array, ""


def compare(
    function: object,
    truth: Callable,
    cases: Sequence[Case],
    rtol: float = 1e-9,
    atol: float = 1e-12,
    tried: str = "",
) -> Verdict:
    """Try a reader's function against the true one on every case.

    Entry by entry the answer may differ by ``atol + rtol * |expected|``.  ``tried``
    names the cases in one phrase where a list of their names would be long.
    """
    worst = 0.0
    for case in cases:
        expected = np.asarray(truth(*case.arguments), dtype=float)
        value, complaint = call(function, case)
        if complaint:
            return not_yet(complaint)
        got, complaint = numbers(value, expected.shape)
        if complaint:
            return not_yet(f"on {case.name} {complaint}")
        gap = np.abs(got - expected)
        if (gap > atol + rtol * np.abs(expected)).any():
            return not_yet(f"on {case.name} {difference(got, expected)}")
        worst = max(worst, float(gap.max(initial=0.0)))
    tried = tried or ", ".join(case.name for case in cases)
    return yes(f"tried on {tried}; the largest difference is {worst:.1e}.")


def difference(got: np.ndarray, expected: np.ndarray) -> str:
    """Where two arrays differ most, in words."""
    if expected.ndim == 0:
        return f"expected {expected:.6g}, got {got:.6g}."
    k = np.unravel_index(np.argmax(np.abs(got - expected)), expected.shape)
    place = ", ".join(str(i) for i in k)
    return f"entry [{place}] should be {expected[k]:.6g}, got {got[k]:.6g}."
