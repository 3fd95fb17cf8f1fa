r"""The fates of many covariances at once, by following each of them.

With :math:`\Sigma = e^{\ell} WW^\top` and W of norm one, each runs in a time s of its
own, :math:`dt/ds = 1/(1 + |V||B|e^{\ell})`, in which a blow-up is infinitely far and
approached at a steady pace: a few dozen steps of order five reach it.

Two ends come early.  If A contracts, :math:`A^\top X + XA = -I`, a covariance with

.. math:: \mathrm{tr}(X\Sigma) < \lambda_{\min}(X) / (2\,|XV|\,|B|)

decays, by the theorem of ``regime`` for small ones.  And a large covariance that grows
slowly is stiff: attention holds it to the lines p with :math:`p^\top Bp = 0`.  In the
plane, with q normal to p, it stays on one, and grows along it, where

.. math::
    q^\top Bp\;q^\top Vp + p^\top Bq\;q^\top Vp < 0, \qquad
    p^\top Bq\;q^\top Vp < 0, \qquad
    p^\top Ap - \frac{q^\top Ap}{q^\top Vp}\,p^\top Vp > 0

(to first order in :math:`e^{-\ell}`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib._tableaux import tableau
from tfdynlib.gaussian._phase_batch import Batch, Systems
from tfdynlib.gaussian._phase_rules import BLOW_UP, BORDER, GROWS
from tfdynlib.summation import compiled

CODES = np.array(["bounded", "decays", "grows", "blow-up", "undecided"])

# Steps for each; those near a border may take more by the factor LONGER.
MOST_STEPS = 3000
# Up to this dimension the theorem for small covariances is asked.
SMALL = 4
# What is nearer to a border than this is run again...
NEAR = 0.2
# Logarithms up to this are those of doubles.
EDGE = 700.0
# ...with a tolerance smaller and a time longer by these factors.
TIGHTER, LONGER = 1e-3, 4


@dataclass(frozen=True)
class Phases:
    """What became of each covariance.

    Attributes
    ----------
    kind
        ``"blow-up"``; ``"decays"`` or ``"grows"`` (its largest trace over the last half
        of the time differs from that of the quarter before by more than a factor
        √2, which tells 1/t from a limit); ``"bounded"`` (neither); ``"undecided"``
        (too many steps).  Decay of small covariances, and growth of those that
        attention holds to a line, are seen before t_end: see the head of this file.

        Found by following each, mostly not by a theorem: for one layer see ``regime``.
    blow_up_time
        inf where there is none up to the end.
    growth
        Trace where it was last looked at (t_end, or where its kind was seen) over trace
        at the start; inf at a blow-up, and beyond the doubles.
    again
        Where a border was near, so that it was run again, tighter and longer.

    All have the shape of the systems.
    """

    kind: np.ndarray
    blow_up_time: Float[np.ndarray, "..."]
    growth: Float[np.ndarray, "..."] = field(repr=False)
    again: Bool[np.ndarray, "..."] = field(repr=False)

    def counts(self) -> dict[str, int]:
        """How many of each kind."""
        return {str(kind): int(np.sum(self.kind == kind)) for kind in CODES}


def phase_diagram(
    A: ArrayLike,
    B: ArrayLike,
    V: ArrayLike,
    cov: ArrayLike,
    t_end: Number = 50.0,
    rtol: Number = 1e-6,
    method: str = "auto",
) -> Phases:
    r"""Follow many covariances, :math:`\dot\Sigma = J\Sigma + \Sigma J^\top`, to t_end.

    ``A``, ``B``, ``V`` and ``cov`` are (..., d, d) and broadcast against each other:
    a plane of layers against one covariance, or any other way.  ``rtol`` is the
    accuracy of blow-up times and of the shape.  Systems near a border are run again
    with a tolerance 1000 times smaller and for four times as long.

    ``"compiled"`` runs one compiled loop (needs numba), ``"numpy"`` the same steps
    for all at once; ``"auto"`` takes the first if it can.  Ten thousand random layers
    of the plane take about half a second of one core, compiled, to t_end = 50.

    Raises ``ValueError`` for shapes that do not fit and a ``cov`` that is none.
    """
    _check.one_of(method, ("auto", "compiled", "numpy"), "method")
    t_end, rtol = _check.moderate(t_end, "t_end"), _check.positive(rtol, "rtol")
    if not 1e-11 <= rtol <= 1e-2:
        raise _check.refuse("rtol", "between 1e-11 and 0.01", rtol)
    named = {"A": A, "B": B, "V": V, "cov": cov}
    values = [_check.bounded(_check.square(M, n), n) for n, M in named.items()]
    try:
        full = np.broadcast_arrays(*values)
    except ValueError:
        shapes = ", ".join(str(M.shape) for M in values)
        raise _check.refuse("cov", "of a shape that fits the layers", shapes) from None
    shape, d = full[0].shape[:-2], full[0].shape[-1]
    flat = [np.ascontiguousarray(M.reshape(-1, d, d)) for M in full]
    if method == "auto":
        method = "numpy" if compiled.missing() else "compiled"
    elif method == "compiled" and compiled.missing():
        raise _check.refuse("method", "possible here", compiled.missing())
    code, out = _outcomes(flat, t_end, rtol, method)
    again = (code == GROWS) & np.isfinite(out[:, 2])
    again |= (code == BLOW_UP) & (out[:, 0] > t_end / 2)
    seen = np.isfinite(out[:, 2])  # not at a blow-up, nor where the end came early
    again[seen] |= np.abs(np.abs(out[seen, 2]) - BORDER) < NEAR
    if again.any():
        tight = max(TIGHTER * rtol, 1e-11)
        part = [M[again] for M in flat]
        code[again], out[again] = _outcomes(part, LONGER * t_end, tight, method, True)
    growth = np.where(out[:, 1] < EDGE, np.exp(np.minimum(out[:, 1], EDGE)), np.inf)
    return Phases(
        CODES[code].reshape(shape),
        out[:, 0].reshape(shape),
        growth.reshape(shape),
        again.reshape(shape),
    )


def _outcomes(
    systems: list[Batch], t_end: float, rtol: float, method: str, longer: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Codes, and (time of blow-up, growth of l, difference of the two windows)."""
    A, B, V, cov = systems
    n, d = len(A), A.shape[-1]
    y = _start(cov)
    push = np.linalg.norm(V, axis=(1, 2)) * np.linalg.norm(B, axis=(1, 2))
    out = np.tile([np.inf, 0.0, 0.0], (n, 1))
    code = np.zeros(n, dtype=np.int64)
    alive = np.isfinite(y[:, d * d])
    most = MOST_STEPS * (LONGER if longer else 1)
    X, wall = _walls(A, B, V)
    layers = [M[alive] for M in (A, B, V, push, X, wall)]
    scheme = tableau("dopri5")
    a = np.zeros((7, 7))
    a[:6, : scheme.a.shape[1]] = scheme.a[:6]
    a[6, : len(scheme.b)] = scheme.b
    if method == "compiled":
        found, numbers = code[alive], out[alive]
        rest = () if d == 2 else (a, a[6], scheme.errors[0])
        size = () if d == 2 else (d,)
        run = _loop(d)
        run(y[alive], *layers, *size, t_end, rtol, most, *rest, found, numbers)
        code[alive], out[alive] = found, numbers
    elif alive.any():
        batch = Systems(layers, a, scheme.errors[0])
        code[alive], out[alive] = batch.follow(y[alive], t_end, rtol, most)
    return code, out


def _loop(d: int) -> Callable[..., None]:
    """The compiled loop for dimension d; says once if it has yet to be compiled."""
    kind = "_phase_plane" if d == 2 else "_phase_loop"
    loop = import_module(f"tfdynlib.gaussian.{kind}")
    compiled.announce(loop, "the phase diagram", loop.run.stats.cache_path)
    return loop.run


def _walls(A: Batch, B: Batch, V: Batch) -> tuple[Batch, Float[np.ndarray, " n"]]:
    """X with A^T X + X A = -I, and below what tr(X Sigma) can only fall; 0: nowhere."""
    n, d = len(A), A.shape[-1]
    X, wall = np.zeros((n, d, d)), np.zeros(n)
    reach = np.linalg.norm(A, axis=(1, 2))
    if d <= SMALL:
        safe = np.linalg.eigvals(A).real.max(axis=1) < -1e-9 * reach
        eye, At = np.eye(d), A[safe].swapaxes(1, 2)
        # A^T X + X A, on matrices X in rows
        left = np.einsum("nij,kl->nikjl", At, eye)
        right = np.einsum("ij,nkl->nikjl", eye, At)
        K = (left + right).reshape(-1, d * d, d * d)
        minus = np.broadcast_to(-eye.reshape(-1, 1), (len(K), d * d, 1))
        half = 0.5 * np.linalg.solve(K, minus).reshape(-1, d, d)
        X[safe] = half + half.swapaxes(1, 2)
        low = np.linalg.eigvalsh(X[safe])[:, 0]
        push = np.linalg.norm(X[safe] @ V[safe], 2, axis=(1, 2))
        push = 2 * push * np.linalg.norm(B[safe], 2, axis=(1, 2))
        # without attention every covariance is small
        wall[safe] = low / np.maximum(push, low / _check.LARGEST)
    return X, wall


def _start(cov: Batch) -> Float[np.ndarray, "n k"]:
    """W in rows, l, and the time; l is -inf for a covariance of zero."""
    gap = np.abs(cov - cov.swapaxes(1, 2)).max(axis=(1, 2))
    size = np.abs(cov).max(axis=(1, 2))
    if (gap > 1e-12 * size).any():
        raise _check.refuse("cov", "symmetric", f"a difference of {gap.max():.3g}")
    values, U = np.linalg.eigh(0.5 * (cov + cov.swapaxes(1, 2)))
    if (values[:, 0] < -1e-12 * size).any():
        came = f"an eigenvalue of {values.min():.3g}"
        raise _check.refuse("cov", "a covariance (no negative eigenvalue)", came)
    d = cov.shape[-1]
    values = np.where(values > 1e-13 * d * size[:, None], values, 0.0)
    total = values.sum(axis=1)
    # -inf marks a covariance of zero
    log_size = np.log(total, out=np.full(len(total), -np.inf), where=total > 0)
    W = U * np.sqrt(values / np.where(total > 0, total, 1.0)[:, None])[:, None, :]
    rest = np.stack([log_size, np.zeros(len(cov))], axis=1)
    return np.concatenate([W.reshape(len(cov), -1), rest], axis=1)
