"""What every method of summation is asked, and what it answers.

The weighted sums of exponentials of one head, for queries p = K x at the points
``at``, are a ``Moments``.  A file of this package holds one way to compute them and
ends with its ``Method``: the functions below, filled in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as default

import numpy as np
from jaxtyping import Float

Queries = Float[np.ndarray, "k d"]
Tokens = Float[np.ndarray, "n d"]
Masses = Float[np.ndarray, " n"]
Matrix = Float[np.ndarray, "d d"]

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Moments:
    r"""Sums of :math:`e^{\langle p, y\rangle}` over a measure, free of overflow.

    .. math::
        \int e^{\langle p,y\rangle}\, d\mu(y) = e^{\mathrm{shift}}\, z, \qquad
        \int y\, e^{\langle p,y\rangle}\, d\mu(y) = e^{\mathrm{shift}}\, \mathrm{first}

    for each query p.  The shift is an exponent near the largest one, chosen by the
    method so that z is a positive normal double; only the product has a meaning.

    Attributes
    ----------
    reach
        :math:`|p| \max|y|`, a bound of the exponents; the shift may equal it.
    total
        The whole mass of the measure.
    tail
        What an approximate method may have lost: bound of the error of z and of
        first / max|y|, each divided by total :math:`e^{\mathrm{reach} -
        \mathrm{shift}}`.  0 for a method that is exact to rounding.
    """

    shift: Float[np.ndarray, " k"]
    z: Float[np.ndarray, " k"]
    first: Float[np.ndarray, "k d"]
    reach: Float[np.ndarray, " k"]
    total: float = 1.0
    tail: float = default(default=0.0, kw_only=True)

    @property
    def mean(self) -> Queries:
        """What each query attends to: the softmax mean, first / z."""
        return self.first / self.z[:, None]

    @property
    def log_z(self) -> Float[np.ndarray, " k"]:
        """Logarithm of the whole sum, shift + log z."""
        return self.shift + np.log(self.z)

    @property
    def q(self) -> Float[np.ndarray, " k"]:
        r"""Certificate: the sum in units of its bound,
        :math:`q = e^{-\mathrm{reach}} \int e^{\langle p,y\rangle} d\mu /
        \mathrm{total} \in (0, 1]`.

        Small where the query points away from all tokens; an approximation that is
        good to ``tail`` in these units is good to tail / q in the mean.
        """
        if self.shift is self.reach:  # as a method may say that has no other
            return self.z / self.total
        return self.z * np.exp(self.shift - self.reach) / self.total

    @property
    def error(self) -> Float[np.ndarray, " k"]:
        r"""Bound :math:`2(\mathrm{tail} + \epsilon) / q` of the error of the mean,
        in units of max|y|; inf where q is not positive, 0 for an exact method."""
        if self.tail == 0:
            return np.zeros(len(self.z))
        q, lost = self.q, np.full(len(self.z), np.inf)
        return np.divide(2 * (self.tail + EPS), q, out=lost, where=q > 0)


@dataclass(frozen=True)
class Task:
    """What is asked, as far as the choice of a method goes.

    ``k`` queries K x at points, ``n`` tokens, in R^d.  ``same``: the points are the
    tokens.  ``on_sphere``: tokens and points have norm 1 to rounding.  ``K`` is beta B
    of one head, or None if the queries are free vectors.
    """

    d: int
    n: int
    k: int
    K: Matrix | None = default(default=None, repr=False)
    same: bool = False
    on_sphere: bool = False
    tol: float = 1e-10

    @property
    def beta(self) -> float:
        """Largest exponent on the sphere, the spectral norm of K."""
        return 0.0 if self.K is None else float(np.linalg.norm(self.K, 2))


@dataclass(frozen=True)
class Method:
    """One way to compute ``Moments``.

    Attributes
    ----------
    sums
        ``sums(at (k,d), x (n,d), K (d,d), mass (n,), tol) -> Moments`` of the queries
        p = at @ K.T.  ``at is x`` tells that points and tokens are the same.  Masses
        are nonnegative, may be zero, and need not sum to 1.  An approximate method
        states its ``tail``; rows that miss ``tol`` are repaired by the caller
        (``certificate``), never by the method.
    why_not
        ``why_not(task)``: None if the method can do it, else a sentence that says why
        not and names the better one.  Looks for optional packages without loading them.
    cost
        ``cost(task)``: seconds that ``sums`` takes on one core, from measurements.
    free
        ``free(p (k,d), y (n,d), mass, tol) -> Moments`` for free queries, if it can.
    stack
        ``stack(at, x, Ks (H,d,d), mass, tol) -> list[Moments]`` if several heads are
        cheaper together than one by one.
    rest
        ``rest(k, mass)``: the function, as ``free``, that sums k rows again which miss
        ``tol``, or None if nothing is quicker than all pairs.
    exact
        Whether it is exact to rounding for every row.
    """

    name: str
    sums: Callable[..., Moments]
    why_not: Callable[[Task], str | None]
    cost: Callable[[Task], float]
    free: Callable[..., Moments] | None = None
    stack: Callable[..., list[Moments]] | None = None
    rest: Callable[[int, Masses], Callable[..., Moments] | None] | None = None
    exact: bool = True
