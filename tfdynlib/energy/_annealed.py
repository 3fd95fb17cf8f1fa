"""The energy under the law of noisy heads instead of a sample.

All inputs have passed the front door of ``energy``.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from tfdynlib import _check, summation
from tfdynlib._noise import Law
from tfdynlib.attention import Masses, Tokens

Pairs = Float[np.ndarray, "k n"]


def value(x: Tokens, law: Law, t: float, beta: float, mass: Masses) -> float:
    """Mean of the energy over the law at time t."""
    return _double(_integral(x, law, t, beta, mass, lambda D, even: 1.0), beta)


def rate(x: Tokens, law: Law, t: float, beta: float, mass: Masses) -> float:
    """Its time derivative at frozen tokens."""
    fade, g2 = float(np.exp(-t)), law.noise_var

    def factor(D: Pairs, even: Pairs) -> Pairs:
        return -beta * fade * D + beta**2 * g2 * fade**2 * even / 4

    return _double(_integral(x, law, t, beta, mass, factor), beta)


def _double(total: float, beta: float) -> float:
    """The integral over 2 beta, or a sentence if that is no double."""
    value = total / (2 * beta)
    if not np.isfinite(value):
        raise _check.refuse("beta", "such that the energy is a double", beta)
    return value


def _integral(
    x: Tokens,
    law: Law,
    t: float,
    beta: float,
    mass: Masses,
    factor: Callable[[Pairs, Pairs], Pairs | float],
) -> float:
    """Double integral of the kernel times a factor of <x, (D0 - target) y> and
    1 + <x, y>^2, mean over starts; a block of rows at a time."""
    if beta > _check.LARGEST:
        raise _check.refuse("beta", f"up to {_check.LARGEST:g}", beta)
    spread, total = beta**2 * law.variance(t) / 4, 0.0
    rows = max(1, summation.BLOCK // len(x))
    for share, M, D in zip(law.mass, law.mean(t), law.D0 - law.target):
        for start in range(0, len(x), rows):
            part = slice(start, start + rows)
            even = 1 + (x[part] @ x.T) ** 2
            exponent = beta * x[part] @ M @ x.T + spread * even
            if not exponent.max() <= summation.LOG_MAX:
                wanted = f"small enough for exponents below {summation.LOG_MAX:g}"
                raise _check.refuse("beta", wanted, beta)
            kernel = np.exp(exponent) * factor(x[part] @ D @ x.T, even)
            total += float(share * (mass[part] @ kernel @ mass))
    return total
