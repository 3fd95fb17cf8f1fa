"""Means of tokens with the weights e^(-alpha f), and their front door."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number

Tokens = Float[np.ndarray, "n d"]
Masses = Float[np.ndarray, " n"]


def entered(
    x: ArrayLike,
    mass: ArrayLike | None,
    alpha: Number,
    objective: object,
    wanted: str = "a function of all tokens",
    arguments: int = 1,
) -> tuple[Tokens, Masses, float]:
    """Front door."""
    x = _check.tokens(x)
    _check.function(objective, "objective", wanted, arguments)
    return x, _check.masses(mass, len(x)), _check.positive(alpha, "alpha")


def values(objective: Callable[[Tokens], Any], x: Tokens) -> Float[np.ndarray, " n"]:
    """Values of the objective, whatever they are."""
    values = np.asarray(objective(x.copy()))
    if values.dtype.kind not in "biuf":
        raise _check.refuse("objective(x)", "real numbers", values.dtype)
    if values.shape != (len(x),):
        raise _check.refuse("objective(x)", f"of shape ({len(x)},)", values)
    return values.astype(float, copy=False)


def usable(values: np.ndarray, mass: Masses) -> bool:
    """Whether there is a mean with these values."""
    return bool(np.isfinite(values[mass > 0]).any() and (values > -np.inf).all())


def worst(values: np.ndarray) -> float:
    """The value to complain of: nan or -inf before inf."""
    bad = values[~np.isfinite(values)]
    return float(bad[np.argmax(~(bad > -np.inf))])


def mean(
    values: Float[np.ndarray, "k n"], x: Tokens, mass: Masses, alpha: float
) -> Float[np.ndarray, "k d"]:
    """Means with the weights e^{-alpha f} of each row, the least value taken out."""
    low = np.where(mass > 0, values, np.inf).min(axis=1, keepdims=True)
    with np.errstate(over="ignore"):  # a weight of nothing
        weight = np.exp(-alpha * np.maximum(values - low, 0.0)) * mass
    return np.asarray(weight @ x / weight.sum(axis=1, keepdims=True))
