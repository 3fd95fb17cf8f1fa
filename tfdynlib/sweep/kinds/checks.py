"""Checks of parameters, each (value, name) -> value."""

from collections.abc import Callable
from typing import Any

from tfdynlib import _check
from tfdynlib._check import Number

Checked = Callable[[Any, str], Any]


def at_least(least: int) -> Checked:
    """A whole number, ``least`` or more."""
    return lambda value, name: _check.count(value, name, least)


def even(value: Any, name: str) -> int:
    """An even number of tokens, so that none lies between the poles."""
    if _check.count(value, name, 2) % 2:
        raise _check.refuse(name, "even", value)
    return int(value)


def within(low: Number, high: Number) -> Checked:
    """A number strictly between two."""

    def check(value: Any, name: str) -> float:
        out = _check.number(value, name)
        if not low < out < high:
            raise _check.refuse(name, f"between {low:g} and {high:g}", value)
        return out

    return check


def word(*options: str) -> Checked:
    """One of some words."""
    return lambda value, name: _check.one_of(value, options, name)
