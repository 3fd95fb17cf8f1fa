"""Engine room: weighted sums of exponentials, the only O(N^2) work of the package.

One file for each method; each ends with a ``Method`` that ``METHODS`` lists.
``"auto"`` takes the one that a measured cost model calls fastest.  The accuracy asked
for, ``tol``, is an absolute error of the softmax mean in units of the longest token;
it holds for every row, because rows that an approximation cannot vouch for are summed
exactly.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.summation import certificate, choose, compiled, dense, fourier, harmonic
from tfdynlib.summation._moments import Method, Moments, Task
from tfdynlib.summation.choose import Choice
from tfdynlib.summation.dense import BLOCK, scores
from tfdynlib.weights import Heads

__all__ = [
    "BLOCK",
    "LOG_MAX",
    "METHODS",
    "NAMES",
    "Choice",
    "Method",
    "Moments",
    "Task",
    "explain",
    "moments",
    "of_heads",
    "queries",
    "scores",
]

# The largest double is e^709.78; sums may reach e^700, which leaves room for weights.
LOG_MAX = 700.0

METHODS: dict[str, Method] = {
    m.name: m for m in (dense.METHOD, compiled.METHOD, fourier.METHOD, harmonic.METHOD)
}
NAMES = ("auto", *METHODS)


def moments(
    p: Float[np.ndarray, "k d"],
    y: Float[np.ndarray, "n d"],
    mass: Float[np.ndarray, " n"],
    method: str = "auto",
    tol: Number = 1e-10,
) -> Moments:
    """Moments of the measure with atoms y for the free queries p.

    Subtracting a large exponent is exact, not an approximation: the common factor
    cancels in every ratio.  Exponents may be as large as doubles go.  Raises
    ``ValueError`` for a method that needs the matrix of a head.
    """
    _check.one_of(method, NAMES, "method")
    tol = _check.positive(tol, "tol")
    if method == "auto":
        return choose.exact(len(p), y, METHODS)(p, y, mass, tol)
    chosen = choose.pick(method, p, y, [None], tol, METHODS)
    if chosen.free is None:
        raise _check.refuse("method", "one that takes free queries", repr(method))
    return chosen.free(p, y, mass, tol)


def queries(at: Float[np.ndarray, "k d"], heads: Heads) -> Float[np.ndarray, "H k d"]:
    """What the points ask for with each head, p = beta B_h x."""
    return heads.beta * np.einsum("hij,kj->hki", heads.B, at)


def of_heads(
    at: Float[np.ndarray, "k d"],
    x: Float[np.ndarray, "n d"],
    heads: Heads,
    mass: Float[np.ndarray, " n"],
    method: str = "auto",
    tol: Number = 1e-10,
) -> list[Moments]:
    """The sums over tokens x that each head needs at the points ``at``.

    ``at is x`` says that points and tokens are the same, which halves the work for
    symmetric heads.  Raises ``ValueError`` for a method, asked for by name, that
    cannot do it.
    """
    _check.one_of(method, NAMES, "method")
    tol, Ks = _check.positive(tol, "tol"), heads.beta * heads.B
    chosen = choose.pick(method, at, x, Ks, tol, METHODS)
    if chosen.stack is not None:
        found = chosen.stack(at, x, Ks, mass, tol)
    else:
        found = [chosen.sums(at, x, K, mass, tol) for K in Ks]
    if chosen.exact:
        return found

    def exact(k: int) -> Callable[..., Moments]:
        quick = chosen.rest(k, mass) if chosen.rest is not None else None
        return quick or choose.exact(k, x, METHODS)

    return [
        certificate.repair(m, at, K, x, mass, tol, exact) for m, K in zip(found, Ks)
    ]


def explain(
    n: int, heads: Heads, tol: Number = 1e-10, on_sphere: bool = True
) -> Choice:
    """What ``"auto"`` takes for n tokens that look at each other, and why."""
    n, tol = _check.count(n, "n"), _check.positive(tol, "tol")
    Ks = heads.beta * heads.B
    wanted = [Task(heads.d, n, n, K, True, on_sphere, tol) for K in Ks]
    if n * n <= choose.FEW:
        return choose.few(wanted, METHODS)
    return choose.choose(wanted, METHODS)
