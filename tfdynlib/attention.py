"""Attention: who looks at whom, and the velocity this gives to every token.

The score of token x for token y is beta * <B x, y> throughout, and every rule is a mean
over heads with the masses of ``heads``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as default
from typing import Any

import numpy as np
from jaxtyping import Float, Real
from numpy.typing import ArrayLike

from tfdynlib import _arrays, _check, summation
from tfdynlib._check import Number
from tfdynlib.summation import Choice
from tfdynlib.weights import Heads, WeightPath, gradient_sign
from tfdynlib.weights.paths import as_path

Tokens = Float[np.ndarray, "n d"]
Points = Float[np.ndarray, "k d"]
Masses = Float[np.ndarray, " n"]

SPACES = ("sphere", "euclidean")
# Tokens whose velocities are made tangent at a time: they stay in the cache.
TOGETHER = 4096

# A method of summation and its tolerance.
How = tuple[str, float]
USUAL: How = ("auto", 1e-10)  # method and tolerance where none is asked for

velocity_of = _arrays.velocity_of


def attend(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    at: Real[np.ndarray, "k d"] | None = None,
) -> Float[np.ndarray, "H k n"]:
    r"""Attention matrices, one for each head; every row sums to 1.

    .. math::
        a^h_{ij} = \frac{m_j\, e^{\beta\langle B_h x_i, x_j\rangle}}
                        {\sum_k m_k\, e^{\beta\langle B_h x_i, x_k\rangle}}

    Row i is what token i sees, itself included.  ``mass`` are the masses of the tokens
    (uniform if not given), ``at`` other points that look at the tokens.  The largest
    score of a row is subtracted first, so any beta is safe.
    """
    x, mass, at = _check.cloud(x, _check.dimension(heads), mass, at, "euclidean")
    rows = [summation.scores(p, x, mass)[0] for p in summation.queries(at, heads)]
    return np.stack([a / a.sum(axis=1, keepdims=True) for a in rows])


def log_partition(
    x: Real[np.ndarray, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    at: Real[np.ndarray, "k d"] | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Float[np.ndarray, "H k"]:
    r"""Logarithm of the softmax denominator, :math:`\log s_h(x_i)` for each head.

    .. math:: s_h(x) = \int e^{\beta\langle B_h x, y\rangle}\, d\mu(y)

    with μ the measure of the tokens x, self pair included.  The logarithm is finite for
    every beta; its gradient in :math:`p = \beta B_h x` is the softmax mean.  It is what
    ``velocity`` divides by, summed by the same ``method`` to the same ``tol``.
    """
    x, mass, at = _check.cloud(x, _check.dimension(heads), mass, at, "euclidean")
    sums = summation.of_heads(at, x, heads, mass, *how(method, tol))
    return np.stack([m.log_z for m in sums])


def velocity(
    x: Real[Any, "n d"],
    heads: Heads,
    mass: ArrayLike | None = None,
    rule: str = "softmax",
    method: str = "auto",
    tol: Number = 1e-10,
    space: str = "sphere",
    at: Real[Any, "k d"] | None = None,
) -> Float[Any, "k d"]:
    r"""Velocity of tokens x under the heads, tangent if they live on the sphere.

    .. math::
        v(x) = P_x \sum_h m_h V_h\,
            \frac{\int y\, e^{\beta\langle B_h x, y\rangle}\, d\mu(y)}
                 {\int e^{\beta\langle B_h x, y\rangle}\, d\mu(y)}
        \qquad \text{(rule "softmax")}

    The other rules replace the fraction, or more:

    ``"unnormalised"``
        the numerator alone.  It grows like e^beta.
    ``"hardmax"``
        the mean of the tokens with the largest score (those within rounding of it),
        by their masses: beta to infinity at fixed tokens.  It jumps where two tokens
        tie.  Tokens that are driven into such a tie from both sides (descent heads,
        several heads) stay there, and an adaptive method crawls: use fixed steps.
    ``"gradient"``
        :math:`\mp\hat b^{-1} \sum_h m_h g_h` with :math:`g_h = P_x \nabla s_h / \beta`
        and :math:`\hat b^{-1} = \sum_h m_h / s_h`: the steepest descent (ascent) of
        ``energy.interaction`` in the harmonic-mean metric.  Only for symmetric B_h
        with V_h = -B_h (V_h = B_h); equal to softmax if there is one head.
    ``"zero_temperature"``
        :math:`P_x \sum_h m_h V_h B_h x / |B_h x|`: beta to infinity for a measure that
        charges the whole sphere.  Tokens no longer see each other; a token with
        B_h x = 0 receives nothing from head h.

    ``mass`` are the masses of the tokens, ``at`` other points where the field is
    wanted.  ``method`` is one of

    ``"dense"``
        all pairs in NumPy, exact to rounding.
    ``"compiled"``
        all pairs in compiled loops, exact to rounding; needs numba.
    ``"fourier"``, ``"harmonic"``
        series on the circle and on the two-sphere, at a cost that grows like n.
    ``"auto"``
        the one that ``explain`` names.

    ``tol`` is the accuracy of what each token sees, asked of a method that is not
    exact; every token has it, because those that a series cannot vouch for are summed
    exactly.  Memory is O(n).  Raises ``ValueError`` for tokens off the sphere, heads
    that do not fit the rule, a method that cannot do it, and exponents beyond the
    largest double.

    x may also be an array of torch or jax: then so is the value, of the same dtype and
    device, by the dense sum, with derivatives in x (``velocity_of`` has them in the
    weights too).

    Source: :cite:t:`geshkovski2025mathematical`, eq. (SA) and (USA), for one head.
    """
    if _arrays.foreign(x):
        return _arrays.velocity(x, heads, mass, rule, method, space, at)
    rule, space = _options(rule, method, tol, space)
    x, mass, at = _check.cloud(x, _check.dimension(heads), mass, at, space)
    v = _velocity(at, x, heads, mass, rule, (method, float(tol)), space)
    if not np.isfinite(v).all():
        raise _check.refuse(
            "beta",
            f"small enough for rule {rule!r}: its largest factor must stay below "
            f"e^{summation.LOG_MAX:g}, near the largest double",
            heads.beta,
        )
    return v


@dataclass(frozen=True)
class Field:
    """A velocity field ``f(t, x)``: a path of weights and a rule; see ``field``.

    Where the velocity leaves the range of doubles the value is inf, which
    ``flow.solve`` reports as a labelled stop.
    """

    path: WeightPath
    mass: Masses | None = default(default=None, repr=False)
    rule: str = "softmax"
    method: str = "auto"
    space: str = "sphere"
    tol: float = 1e-10

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which the field jumps."""
        return self.path.breaks

    def __call__(self, t: Number, x: Tokens) -> Tokens:
        mass = np.full(len(x), 1 / len(x)) if self.mass is None else self.mass
        if len(mass) != len(x):
            raise _check.refuse("x", f"{len(mass)} tokens, one for each mass", x)
        if x.shape[1] != self.path.d:
            wanted = f"of shape (any, {self.path.d}), the dimension of the heads"
            raise _check.refuse("x", wanted, x)
        heads = self.path(t)
        how = self.method, self.tol
        return _velocity(x, x, heads, mass, self.rule, how, self.space)


def field(
    path: WeightPath | Heads,
    mass: ArrayLike | None = None,
    rule: str = "softmax",
    method: str = "auto",
    tol: Number = 1e-10,
    space: str = "sphere",
) -> Field:
    """The field ``f(t, x) = velocity(x, path(t), mass, rule, ...)``, checked once here.

    ``path`` is a ``WeightPath``, or ``Heads`` that stay the same for all layer-time.
    """
    path = as_path(path)
    rule, space = _options(rule, method, tol, space)
    if mass is not None:
        mass = _check.array(mass, "mass", ndim=1)
        mass = _check.masses(mass, len(mass)).copy()
    return Field(path, mass, rule, method, space, float(tol))


def explain(
    n: int,
    heads: Heads,
    rule: str = "softmax",
    tol: Number = 1e-10,
    space: str = "sphere",
) -> Choice:
    """The method that ``"auto"`` takes for n tokens: which, why, and what each costs.

    Print it to read the table.  The estimates are those of one core of one machine; for
    another machine trust their ratios.  The rules ``"hardmax"`` and
    ``"zero_temperature"`` sum no exponentials, and have no choice.
    """
    rule, space = _options(rule, "auto", tol, space)
    _check.dimension(heads)
    n = _check.count(n, "n")
    if rule in ("hardmax", "zero_temperature"):
        return Choice("dense", f"rule {rule!r} sums no exponentials", np.nan)
    return summation.explain(n, heads, tol, space == "sphere")


def how(method: str, tol: Number) -> How:
    """Front door of a method of summation and its tolerance."""
    return _check.one_of(method, summation.NAMES, "method"), _check.positive(tol, "tol")


def _options(rule: str, method: str, tol: Number, space: str) -> tuple[str, str]:
    """Front door of the options."""
    _check.one_of(rule, RULES, "rule")
    _check.one_of(space, SPACES, "space")
    how(method, tol)
    if rule == "zero_temperature" and space != "sphere":
        raise _check.refuse("space", "'sphere' for rule 'zero_temperature'", space)
    return rule, space


def _velocity(
    at: Points,
    x: Tokens,
    heads: Heads,
    mass: Masses,
    rule: str,
    how: How,
    space: str,
) -> Points:
    """The velocity, no questions asked; inf where it leaves the doubles."""
    v = RULES[rule](at, x, heads, mass, how)
    if not np.isfinite(v).all():
        return np.full_like(v, np.inf)
    return _tangent(at, v) if space == "sphere" else v


def _tangent(at: Points, v: Points) -> Points:
    """P_x v, taken twice: where v is nearly radial, the first leaves its rounding.

    A block at a time, as fresh memory for many tokens costs more than their products.
    """
    out = np.array(v)
    for start in range(0, len(at), TOGETHER):
        part, x = out[start : start + TOGETHER], at[start : start + TOGETHER]
        for _ in range(2):
            part -= np.einsum("kd,kd->k", part, x)[:, None] * x
    return out


def _pull(heads: Heads, targets: list[Points]) -> Points:
    """Mean over heads of V_h applied to what each token sees there."""
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for inf
        means = [y @ V.T for V, y in zip(heads.V, targets)]
        for m, mean in zip(heads.mass, means):
            mean *= m
        return means[0] if len(means) == 1 else np.sum(means, axis=0)


def _softmax(at: Points, x: Tokens, heads: Heads, mass: Masses, how: How) -> Points:
    return _pull(heads, [m.mean for m in summation.of_heads(at, x, heads, mass, *how)])


def _unnormalised(
    at: Points, x: Tokens, heads: Heads, mass: Masses, how: How
) -> Points:
    sums = summation.of_heads(at, x, heads, mass, *how)
    if max(m.log_z.max() for m in sums) > summation.LOG_MAX:
        return np.full_like(at, np.inf)
    return _pull(heads, [np.exp(m.log_z)[:, None] * m.mean for m in sums])


def _hardmax(at: Points, x: Tokens, heads: Heads, mass: Masses, how: How) -> Points:
    seen = mass > 0
    y, weight = x[seen], mass[seen]
    directions = np.einsum("hij,kj->hki", heads.B, at)
    return _pull(heads, [_mean_of_maximisers(p, y, weight) for p in directions])


def _mean_of_maximisers(p: Points, y: Tokens, weight: Masses) -> Points:
    """Mean of the y with the largest <p, y>, a block of queries at a time."""
    reach = np.linalg.norm(y, axis=1).max()
    rounding = 1e-14 * reach * np.linalg.norm(p, axis=1)  # of a score, with room
    out = np.empty_like(p)
    rows = max(1, summation.BLOCK // len(y))
    for start in range(0, len(p), rows):
        part = slice(start, start + rows)
        score = p[part] @ y.T
        best = score.max(axis=1, keepdims=True) - rounding[part, None]
        chosen = (score >= best) * weight
        out[part] = chosen @ y / chosen.sum(axis=1, keepdims=True)
    return out


def _gradient(at: Points, x: Tokens, heads: Heads, mass: Masses, how: How) -> Points:
    """Both sums over heads carry a factor e^{shift}; only their product is formed."""
    sign = gradient_sign(heads)
    sums = summation.of_heads(at, x, heads, mass, *how)
    top = np.max([m.log_z for m in sums], axis=0)
    low = np.min([m.log_z for m in sums], axis=0)
    if (top - low).max() > summation.LOG_MAX:
        return np.full_like(at, np.inf)
    inverse_weight = sum(
        w * np.exp(low - m.log_z) for w, m in zip(heads.mass, sums)
    ) * np.exp(top - low)
    slopes = [np.exp(m.log_z - top)[:, None] * m.mean for m in sums]
    total = sum(w * (f @ B) for w, f, B in zip(heads.mass, slopes, heads.B))
    return sign * inverse_weight[:, None] * total


def _zero_temperature(
    at: Points, x: Tokens, heads: Heads, mass: Masses, how: How
) -> Points:
    directions = np.einsum("hij,kj->hki", heads.B, at)
    norm = np.linalg.norm(directions, axis=2, keepdims=True)
    units = np.divide(directions, norm, out=np.zeros_like(directions), where=norm > 0)
    return _pull(heads, list(units))


RULES: dict[str, Callable[..., Points]] = {
    "softmax": _softmax,
    "unnormalised": _unnormalised,
    "hardmax": _hardmax,
    "gradient": _gradient,
    "zero_temperature": _zero_temperature,
}
