"""The mean that tokens are pulled to, one for all or one for each, and the pull."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _check, sphere
from tfdynlib._check import Number
from tfdynlib.cbo import _weighing
from tfdynlib.cbo._weighing import Tokens
from tfdynlib.weights import Heads

SPACES = ("euclidean", "sphere")

Vector = Float[np.ndarray, " d"]
# All tokens -> their values; tokens that look and tokens looked at -> a table.
Objective = Callable[[Tokens], Any]
Polarised = Callable[[Tokens, Tokens], Any]


def consensus(
    x: Real[np.ndarray, "n d"],
    objective: Objective,
    alpha: Number,
    mass: ArrayLike | None = None,
) -> Vector:
    r"""The weighted mean :math:`m_\alpha` of the tokens.

    ``objective`` takes all tokens, (n, d), and returns n values; ``inf`` shuts a token
    out.  The least value is subtracted first, so any alpha > 0 is safe; 1/alpha is a
    temperature in the unit of f.  Raises ``ValueError`` if no value is finite, or one
    is nan or -inf.
    """
    x, mass, alpha = _weighing.entered(x, mass, alpha, objective)
    values = _weighing.values(objective, x)
    if not _weighing.usable(values, mass):
        came = _weighing.worst(values)
        raise _check.refuse("objective(x)", "finite, or inf for some", came)
    return _weighing.mean(values[None], x, mass, alpha)[0]


def velocity(
    x: Real[np.ndarray, "n d"],
    objective: Objective,
    alpha: Number,
    mass: ArrayLike | None = None,
    space: str = "euclidean",
) -> Tokens:
    r"""The pull without noise: :math:`m_\alpha - x`, or its tangent part on the sphere.

    On the sphere it is :math:`P_x m_\alpha`, because :math:`P_x x = 0`.
    """
    _check.one_of(space, SPACES, "space")
    x = _check.unit_rows(x) if space == "sphere" else _check.tokens(x)
    pull = consensus(x, objective, alpha, mass) - x
    return sphere.project(x, pull) if space == "sphere" else pull


def polarised_mean(
    x: Real[np.ndarray, "n d"],
    objective: Polarised,
    alpha: Number,
    mass: ArrayLike | None = None,
) -> Tokens:
    r"""The mean that each token would have: its own objective, all tokens' places.

    .. math::
        m_\alpha(x_i) = \frac{\sum_j \mu_j\, e^{-\alpha f(x_i, x_j)}\, x_j}
                             {\sum_j \mu_j\, e^{-\alpha f(x_i, x_j)}}

    ``objective(x, y)`` takes the tokens twice and returns the table f(x_i, y_j).  With
    ``attention_objective(heads)`` and alpha = beta it is what attention sees.
    """
    x, mass, alpha = _weighing.entered(
        x, mass, alpha, objective, "a function of the tokens, twice", 2
    )
    table = _check.array(objective(x.copy(), x.copy()), "objective(x, x)", ndim=2)
    return _weighing.mean(
        _check.shaped(table, "objective(x, x)", 2 * x.shape[:1]), x, mass, alpha
    )


def polarised_velocity(
    x: Real[np.ndarray, "n d"],
    objective: Polarised,
    alpha: Number,
    V: ArrayLike | None = None,
    mass: ArrayLike | None = None,
    space: str = "euclidean",
) -> Tokens:
    r"""The pull to each token's own mean: :math:`m_\alpha(x) - x`, on the sphere
    :math:`P_x V m_\alpha(x)`.

    ``V`` is what attention does to the mean before it pulls; the identity if not given,
    and only on the sphere, where it makes consensus and attention one equation.
    """
    _check.one_of(space, SPACES, "space")
    if space == "euclidean":
        if V is not None:
            raise _check.refuse("V", "left out in Euclidean space", V)
        return polarised_mean(x, objective, alpha, mass) - x
    x = _check.unit_rows(x)
    mean = polarised_mean(x, objective, alpha, mass)
    if V is not None:
        mean = mean @ _check.shaped(V, "V", 2 * x.shape[1:]).T
    return sphere.project(x, mean)


def attention_objective(heads: Heads) -> Polarised:
    r"""The objective whose polarised consensus is attention,
    :math:`f_x(y) = -\langle Bx, y\rangle`, for one head; alpha is its beta."""
    if _check.fixed_heads(heads, "heads").H != 1:
        raise _check.refuse("heads", "one head", f"{heads.H} heads")
    B, d = heads.B[0], heads.d

    def objective(x: Tokens, y: Tokens) -> Float[np.ndarray, "n k"]:
        why = ", the dimension of the heads"
        x, y = (_check.shaped(v, k, (None, d), why) for v, k in ((x, "x"), (y, "y")))
        return -(x @ B.T) @ y.T

    return objective
