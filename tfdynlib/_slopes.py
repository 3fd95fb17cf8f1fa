"""Gradients of the interaction energy and weights of the heads; used by ``energy``.

All inputs have passed the front door of ``energy``.  ``how`` is the method of summation
and its tolerance.
"""

import numpy as np

from tfdynlib import _check, attention, summation
from tfdynlib.attention import How, Masses, Tokens
from tfdynlib.weights import Heads


def rate(x: Tokens, v: Tokens, heads: Heads, mass: Masses, how: How) -> float:
    """dE/dt when the tokens move with velocity v and the weights do not change."""
    g = euclidean_gradient(x, heads, mass, how)
    with np.errstate(over="ignore", invalid="ignore"):  # inf is refused below
        return double(mass @ np.sum(g * v, axis=1), "heads")


def double(value: float, name: str) -> float:
    """A value that is a double, or a sentence."""
    if not np.isfinite(value):
        raise _check.refuse(name, "small enough for a value that is a double", value)
    return float(value)


def euclidean_gradient(x: Tokens, heads: Heads, mass: Masses, how: How) -> Tokens:
    """Gradient of the first variation at each token, before projection."""
    gradients = []
    for part in halves(heads):
        sums = summation.of_heads(x, x, part, mass, *how)
        gradients.append(
            sum(
                w * exponential(m.log_z, heads)[:, None] * (m.mean @ B)
                for w, m, B in zip(part.mass, sums, part.B)
            )
        )
    return np.mean(gradients, axis=0)


def halves(heads: Heads) -> list[Heads]:
    """The heads, and those with transposed B if that makes a difference."""
    turned = heads.B.swapaxes(1, 2)
    if np.array_equal(turned, heads.B):
        return [heads]
    return [heads, Heads(turned, heads.V, heads.beta, heads.mass)]


def log_effective_weight(x: Tokens, heads: Heads, mass: Masses, how: How) -> Masses:
    """Logarithm of the harmonic mean of s_h."""
    log_s = attention.log_partition(x, heads, mass, None, *how)[heads.mass > 0]
    low = log_s.min(axis=0)
    share = heads.mass[heads.mass > 0] @ np.exp(low - log_s)
    return low - np.log(share)


def exponential(log_value: np.ndarray, heads: Heads) -> np.ndarray:
    """Exponential of a logarithm, or a sentence if that is no double."""
    if log_value.max() > summation.LOG_MAX:
        raise _check.refuse(
            "beta",
            f"small enough for values below e^{summation.LOG_MAX:g} (here "
            f"e^{log_value.max():.3g}; see energy.log_interaction)",
            heads.beta,
        )
    return np.asarray(np.exp(log_value))
