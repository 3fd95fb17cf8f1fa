"""The velocity for arrays of torch and jax: the dense path, differentiable.

What comes in decides what goes out: the same library, dtype and device.  The library is
spoken to through the array API (package ``array-api-compat``, extra ``arrays``).
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib.weights import Heads, gradient_sign

Array = Any  # of torch, jax or NumPy; shapes are in the docstrings

METHODS = ("auto", "dense")
SPACES = ("sphere", "euclidean")
# Scores held at a time; few enough blocks that a compiler may unroll them.
BLOCK = 2**22
# From this dimension on torch's fused attention is the faster one in single precision.
FUSED_FROM = 16
# Two scores tie if they differ by less than this many roundings.
TIE = 45


def foreign(x: Any) -> bool:
    """Whether x is an array of torch or jax; neither is imported to find out."""
    kinds = (("torch", "Tensor"), ("jax", "Array"))
    loaded = [(sys.modules.get(module), name) for module, name in kinds]
    return any(isinstance(x, getattr(m, name, ())) for m, name in loaded if m)


def velocity_of(
    x: Array,
    B: Array,
    V: Array,
    beta: Any = 1.0,
    head_mass: ArrayLike | None = None,
    mass: ArrayLike | None = None,
    rule: str = "softmax",
    method: str = "auto",
    space: str = "sphere",
    at: Array | None = None,
) -> Array:
    r"""The velocity of tokens x, (n, d), as a function of the weights themselves.

    .. math::
        v(x) = P_x \sum_h m_h V_h \sum_j a^h_j(x)\, x_j, \qquad
        a^h_j(x) \propto m_j\, e^{\beta\langle B_h x, x_j\rangle}

    and the other rules of ``velocity``.  ``x`` is an array of torch, jax or NumPy, of
    dtype float32 or float64; the value, (k, d), is of the same kind, dtype and device.
    ``B`` and ``V``, (d, d) or (H, d, d), and ``beta`` may be NumPy or of the kind of x:
    then derivatives with respect to them exist too.  It can be traced and compiled;
    values are checked only where there are any, shapes always.

    ``method="auto"`` takes torch's fused attention for float32 tensors of dimension 16
    and more (softmax rule); it has first derivatives, backward.  ``"dense"`` never
    does, and has derivatives of every order.  "hardmax" jumps: its derivative is that
    of the mean of the chosen tokens.

    Raises ``ValueError`` for shapes, dtypes and options that do not fit, tokens off the
    sphere, and values that leave the range of the dtype.
    """
    _options(rule, method, space)
    xp = _namespace(x)
    check = _check.unit_rows if space == "sphere" else _check.tokens
    x = _enter(x, "x", check)
    d = x.shape[1]
    at = x if at is None else _same(xp, x, at, "at", (None, d), check)
    B, V = (_stack(xp, x, value, name) for value, name in ((B, "B"), (V, "V")))
    if B.shape != V.shape:
        raise _check.refuse("V", f"of the shape {tuple(B.shape)} of B", tuple(V.shape))
    beta = _same(xp, x, beta, "beta", (), lambda b: _check.positive(b, "beta"))
    weight = _check.masses(head_mass, B.shape[0], "head_mass")
    B_value, V_value = _value(B), _value(V)
    if rule == "gradient" and B_value is not None and V_value is not None:
        gradient_sign(Heads(B_value, V_value))
    case = Case(xp, at, x, B, beta, _check.masses(mass, x.shape[0]), weight)
    fused = method == "auto" and rule == "softmax" and _fits_fused(x)
    v = _total(weight, V, _fused(case) if fused else RULES[rule](case))
    if space == "sphere":
        v = v - xp.sum(v * at, axis=1, keepdims=True) * at
    value = _value(v)
    if value is not None and not np.isfinite(value).all():
        wanted = f"small enough for rule {rule!r} in the range of {x.dtype}"
        raise _check.refuse("beta", wanted, _value(beta))
    return v


def velocity(
    x: Array,
    heads: Heads,
    mass: ArrayLike | None,
    rule: str,
    method: str,
    space: str,
    at: Array | None,
) -> Array:
    """``attention.velocity`` for an array of torch or jax."""
    _check.dimension(heads)
    weights = (heads.B, heads.V, heads.beta, heads.mass)
    return velocity_of(x, *weights, mass, rule, method, space, at)


# --- the front door ------------------------------------------------------------------


def _options(rule: str, method: str, space: str) -> None:
    """Front door of the options."""
    _check.one_of(rule, RULES, "rule")
    _check.one_of(space, SPACES, "space")
    if method not in METHODS:
        words = "'auto' or 'dense' for arrays of torch and jax"
        raise _check.refuse("method", words, repr(method))
    if rule == "zero_temperature" and space != "sphere":
        raise _check.refuse("space", "'sphere' for rule 'zero_temperature'", space)


def _namespace(x: Array) -> ModuleType:
    """The functions of the library of x, under the names of the array API."""
    if not (foreign(x) or isinstance(x, np.ndarray)):
        raise _check.refuse("x", "an array of torch, jax or numpy", type(x).__name__)
    try:
        import array_api_compat
    except ImportError as error:
        needs = "arrays of torch and jax need: pip install 'tfdynlib[arrays]'"
        raise ImportError(needs) from error
    return array_api_compat.array_namespace(x)


def _value(x: Array) -> np.ndarray | None:
    """The numbers in x; None while a transformation traces it, when it has none."""
    if isinstance(x, np.ndarray):
        return x
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.Array):
        return None if isinstance(x, jax.core.Tracer) else np.asarray(x)
    try:
        return x.detach().cpu().numpy()
    except RuntimeError:  # within torch.func or torch.compile
        return None


def _enter(x: Array, name: str, check: Callable[..., Any]) -> Array:
    """``x``, of a dtype and with values that are fit for it."""
    if str(x.dtype).split(".")[-1] not in ("float32", "float64"):
        raise _check.refuse(name, "of dtype float32 or float64", str(x.dtype))
    value = _value(x)
    if value is not None:
        check(value)
    return x


def _same(
    xp: ModuleType,
    x: Array,
    value: Any,
    name: str,
    shape: tuple[int | None, ...],
    check: Callable[..., Any],
) -> Array:
    """``value`` as an array of the kind of x; its derivatives stay attached."""
    if not foreign(value):
        plain = np.array(check(value), dtype=float)  # a copy: it may be read-only
        where = {"device": x.device} if hasattr(x, "is_cuda") else {}
        value = xp.asarray(plain, dtype=x.dtype, **where)
    elif not _alike(x, value):
        came = f"{type(value).__name__} of {value.dtype}"
        raise _check.refuse(name, f"of the kind and the dtype {x.dtype} of x", came)
    else:
        _enter(value, name, check)
    have = tuple(value.shape)
    if len(have) != len(shape) or any(w not in (None, h) for w, h in zip(shape, have)):
        words = ", ".join("any" if k is None else str(k) for k in shape)
        raise _check.refuse(name, f"of shape ({words})", f"shape {have}")
    return value


def _alike(x: Array, y: Array) -> bool:
    """Whether both are of one library and one dtype."""
    one_library = hasattr(x, "is_cuda") == hasattr(y, "is_cuda") and foreign(x)
    return one_library and x.dtype == y.dtype


def _stack(xp: ModuleType, x: Array, value: Array, name: str) -> Array:
    """One matrix, or a stack of them, as an (H, d, d) array of the kind of x."""
    d = x.shape[1]
    ndim = getattr(value, "ndim", None) or np.ndim(value)
    shape = (d, d) if ndim == 2 else (None, d, d)
    out = _same(xp, x, value, name, shape, lambda m: _check.square(m, name))
    return out[None] if ndim == 2 else out


# --- sums ----------------------------------------------------------------------------


def _total(weight: np.ndarray, V: Array, seen: list[Array]) -> Array:
    """Mean over heads of V_h applied to what each token sees there."""
    means = [float(m) * (y @ V_h.T) for m, V_h, y in zip(weight, V, seen)]
    return sum(means[1:], means[0])


def _log_mass(xp: ModuleType, x: Array, share: np.ndarray) -> Array:
    """Logarithm of the masses, -inf for an atom without; an array of the kind of x."""
    log = np.log(share, out=np.full(len(share), -np.inf), where=share > 0)
    where = {"device": x.device} if hasattr(x, "is_cuda") else {}
    return xp.asarray(log, dtype=x.dtype, **where)


def _blocks(xp: ModuleType, f: Callable[[Array], Array], p: Array, n: int) -> Array:
    """f of the rows of p, so many rows at a time that BLOCK scores are held."""
    rows = max(1, BLOCK // n)
    parts = [f(p[start : start + rows]) for start in range(0, p.shape[0], rows)]
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)


def _moments(
    xp: ModuleType, p: Array, x: Array, share: np.ndarray
) -> tuple[Array, Array]:
    """Softmax mean of the tokens x and log of the sum, (k, 1), for the queries p."""
    log_mass = _log_mass(xp, x, share)

    def of(q: Array) -> Array:
        s = q @ x.T + log_mass
        top = xp.max(s, axis=1, keepdims=True)
        a = xp.exp(s - top)
        z = xp.sum(a, axis=1, keepdims=True)
        return xp.concat([a @ x / z, top + xp.log(z)], axis=1)

    out = _blocks(xp, of, p, x.shape[0])
    return out[:, :-1], out[:, -1:]


@dataclass(frozen=True)
class Case:
    """What a rule is given: tokens x, points ``at``, weights; masses are NumPy."""

    xp: ModuleType
    at: Array
    x: Array
    B: Array
    beta: Array
    share: np.ndarray  # of the tokens
    weight: np.ndarray  # of the heads


def _fits_fused(x: Array) -> bool:
    """Whether torch's fused attention is the right one for x."""
    single = str(x.dtype) == "torch.float32"
    return single and x.shape[1] >= FUSED_FROM


def _fused(c: Case) -> list[Array]:
    """The softmax means by torch's fused attention, all heads in one call."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    queries = (c.beta * (c.at @ c.B.transpose(1, 2)))[None]
    keys = c.x.expand(1, len(c.B), *c.x.shape)
    mask = None
    if np.ptp(c.share):
        mask = _log_mass(torch, c.x, c.share).expand(len(c.at), len(c.x))
    out = scaled_dot_product_attention(queries, keys, keys, attn_mask=mask, scale=1.0)
    return list(out[0])


# --- rules: what each token sees in each head ----------------------------------------


def _heads(c: Case) -> list[tuple[Array, Array]]:
    """What the softmax gives, mean and log of the sum, head by head."""
    queries = [c.beta * (c.at @ B_h.T) for B_h in c.B]
    return [_moments(c.xp, p, c.x, c.share) for p in queries]


def _softmax(c: Case) -> list[Array]:
    return [mean for mean, _ in _heads(c)]


def _unnormalised(c: Case) -> list[Array]:
    seen = _heads(c)
    return [mean * c.xp.exp(log_s) for mean, log_s in seen]


def _gradient(c: Case) -> list[Array]:
    """Each head by its own s times the mean of 1/s; only quotients are formed."""
    seen = _heads(c)
    logs = [log_s for _, log_s in seen]

    def ratio(log_s: Array) -> Array:
        pairs = zip(c.weight, logs)
        return sum(float(m) * c.xp.exp(log_s - other) for m, other in pairs)

    return [mean * ratio(log_s) for mean, log_s in seen]


def _hardmax(c: Case) -> list[Array]:
    xp, seen = c.xp, c.share > 0
    y = c.x if seen.all() else c.x[np.flatnonzero(seen)]
    weights = xp.exp(_log_mass(xp, y, c.share[seen]))
    rounding = TIE * float(xp.finfo(y.dtype).eps)
    reach = xp.max(xp.sqrt(xp.sum(y * y, axis=1)))

    def of(p: Array) -> Array:
        score = p @ y.T
        slack = rounding * reach * xp.sqrt(xp.sum(p * p, axis=1, keepdims=True))
        chosen = score >= xp.max(score, axis=1, keepdims=True) - slack
        a = xp.where(chosen, weights, xp.zeros_like(score))
        return a @ y / xp.sum(a, axis=1, keepdims=True)

    return [_blocks(xp, of, c.at @ B_h.T, y.shape[0]) for B_h in c.B]


def _zero_temperature(c: Case) -> list[Array]:
    xp = c.xp

    def unit(p: Array) -> Array:
        square = xp.sum(p * p, axis=1, keepdims=True)
        some = square > 0
        return p / xp.sqrt(xp.where(some, square, xp.ones_like(square)))

    return [unit(c.at @ B_h.T) for B_h in c.B]


RULES: dict[str, Callable[..., list[Array]]] = {
    "softmax": _softmax,
    "unnormalised": _unnormalised,
    "hardmax": _hardmax,
    "gradient": _gradient,
    "zero_temperature": _zero_temperature,
}
