"""The front door: each check returns the value it was given, or says what is wrong.

Every refusal is a ``ValueError`` of one form: the argument's name, what is wanted,
what came.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Number = float | int | np.floating | np.integer

# A row counts as a unit vector up to the rounding of single precision.
UNIT_TOLERANCE = 1e-6
UNIT_ROUNDING = 1e-14
# Masses count as summing to 1 up to the rounding of a sum of single-precision masses.
MASS_TOLERANCE = 1e-6
# Squares of larger numbers are no doubles.
LARGEST = 1e150
LONGEST = 2**63 - 1
# Kinds of NumPy types that hold real numbers (an object may turn out to be one).
REAL_KINDS = "biufO"
# A sum this close to 1 is 1 up to the rounding of the sum itself.
DUST = 1e-13


def _brief(value: object) -> str:
    """A value in one line, short enough for a message."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return f"an array of shape {value.shape}"
    text = " ".join((value if isinstance(value, str) else shown(value, str)).split())
    return text if len(text) <= 60 else text[:57] + "..."


def shown(value: object, form: Callable[[object], str] = repr) -> str:
    """A value as it is written; some of Python's integers are too long for that."""
    try:
        return form(value)
    except ValueError:  # the limit of digits, see sys.set_int_max_str_digits
        return f"{type(value).__name__} with thousands of digits"


def refuse(name: str, wanted: str, came: object) -> ValueError:
    """The error to raise: ``name must be wanted, got came``."""
    return ValueError(f"{name} must be {wanted}, got {_brief(came)}")


def one_of(value: str, options: Iterable[str], name: str) -> str:
    """``value``, one of the words ``options``."""
    options = tuple(options)
    if not isinstance(value, str) or value not in options:
        words = ", ".join(map(repr, options))
        raise refuse(name, f"one of {words}", shown(value))
    return value


def number(value: Any, name: str) -> float:
    """``value`` as a float, whatever its size."""
    kinds = str | bytes | bool | np.bool_ | np.ma.MaskedArray
    if isinstance(value, kinds):
        raise refuse(name, "a number", shown(value))
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise refuse(name, "a number", shown(value)) from None


def positive(value: Any, name: str) -> float:
    """``value`` as a float, positive and finite."""
    out = number(value, name)
    if not 0 < out < np.inf:
        raise refuse(name, "positive and finite", value)
    return out


def moderate(value: Any, name: str) -> float:
    """``value`` as a positive float of which square and inverse are doubles."""
    out = positive(value, name)
    if not 1 / LARGEST <= out <= LARGEST:
        raise refuse(name, f"between {1 / LARGEST:g} and {LARGEST:g}", value)
    return out


def time(value: Any, name: str) -> float:
    """``value`` as a finite time."""
    out = number(value, name)
    if not np.isfinite(out):
        raise refuse(name, "finite", value)
    return out


def since(t: Any, name: str) -> float:
    """``t`` as a time since a start, zero or later; ``inf`` included."""
    out = number(t, name)
    if not out >= 0:
        raise refuse(name, "zero or positive", t)
    return out


def count(value: Any, name: str, least: int = 1) -> int:
    """``value`` as an integer, ``least`` or more."""
    if integer(value, name) < least:
        raise refuse(name, f"{least} or more", value)
    return int(value)


def integer(value: Any, name: str) -> int:
    """``value`` as an integer of any sign."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise refuse(name, "an integer", shown(value))
    if not -LONGEST <= value <= LONGEST:
        raise refuse(name, "an integer of 64 bits", value)
    return int(value)


def index(value: Any, n: int, name: str) -> int:
    """``value`` as one of the indices 0, ..., n - 1."""
    if not 0 <= integer(value, name) < n:
        raise refuse(name, f"one of the indices 0 to {n - 1}", value)
    return int(value)


def array(value: ArrayLike | Number, name: str, ndim: int | None = None) -> np.ndarray:
    """``value`` as a finite float64 array, of ``ndim`` axes if given; never a view
    that writes back unless ``value`` was such an array itself."""
    if isinstance(value, np.ma.MaskedArray):
        raise refuse(name, "without a mask (see numpy.ma.filled)", "a masked array")
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in REAL_KINDS or value is None:
            raise TypeError(raw.dtype)
        out = raw.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):  # an integer beyond all doubles
        kind = getattr(value, "dtype", None)
        came = type(value).__name__ if kind is None else f"an array of {kind}"
        raise refuse(name, "an array of real numbers", came) from None
    if ndim is not None and out.ndim != ndim:
        raise refuse(name, f"an array of {ndim} axes", out)
    if not np.isfinite(out).all():
        raise refuse(name, "finite", "an array with nan or inf")
    return out


def instance(value: Any, kind: type | tuple[type, ...], name: str, wanted: str) -> Any:
    """``value``, made by the package itself; ``wanted`` says what is."""
    if not isinstance(value, kind):
        raise refuse(name, wanted, type(value).__name__)
    return value


def function(value: Any, name: str, wanted: str, arguments: int = 1) -> Any:
    """``value``, which can be called with so many arguments."""
    if not callable(value):
        raise refuse(name, wanted, type(value).__name__)
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):  # some built-in functions do not tell
        return value
    try:
        found.bind(*range(arguments))
    except TypeError:
        raise refuse(name, wanted, f"a function of {found}") from None
    return value


def generator(value: Any) -> np.random.Generator:
    """``value``, a generator of random numbers."""
    wanted = "a np.random.Generator (see np.random.default_rng)"
    return instance(value, np.random.Generator, "rng", wanted)


def dimension(heads: Any) -> int:
    """The dimension of tokens that the heads act on."""
    return fixed_heads(heads, "heads").d


def fixed_heads(value: Any, name: str) -> Any:
    """``value``, heads of one time: not a path, which has a dimension and no matrix."""
    if not isinstance(getattr(value, "B", None), np.ndarray) or value.B.ndim != 3:
        wanted = "made by weights.Heads"
        if hasattr(value, "heads_at"):
            wanted += ", as path(t) is"
        raise refuse(name, wanted, type(value).__name__)
    return value


def pair(
    x: ArrayLike, y: ArrayLike, names: tuple[str, str]
) -> tuple[np.ndarray, np.ndarray]:
    """Points, or stacks of them, of one dimension and of shapes that go together."""
    x, y = array(x, names[0]), array(y, names[1])
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        fits = False
    else:
        fits = x.ndim > 0 and y.ndim > 0 and x.shape[-1] == y.shape[-1]
    if not fits:
        wanted = f"points of a shape that fits {x.shape}, that of {names[0]}"
        raise refuse(names[1], wanted, y)
    return bounded(x, names[0]), bounded(y, names[1])


def shaped(
    value: ArrayLike, name: str, shape: Sequence[int | None], why: str = ""
) -> np.ndarray:
    """``value`` as a finite array of this shape; ``None`` leaves an axis free."""
    out = array(value, name)
    fits = out.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, out.shape)
    )
    if not fits:
        words = ", ".join("any" if k is None else str(k) for k in shape)
        comma = "," if len(shape) == 1 else ""
        raise refuse(name, f"of shape ({words}{comma}){why}", out)
    return out


def bounded(value: np.ndarray, name: str) -> np.ndarray:
    """``value``, an array whose squares are doubles."""
    largest = np.abs(value).max(initial=0.0)
    if largest > LARGEST:
        raise refuse(name, f"of entries up to {LARGEST:g}", f"{largest:g}")
    return value


def tokens(x: ArrayLike, name: str = "x") -> np.ndarray:
    """``x`` as a finite float64 array of shape (n, d), at least one token."""
    out = array(x, name, ndim=2)
    if 0 in out.shape:
        raise refuse(name, "at least one token", out)
    return bounded(out, name)


def unit_rows(x: ArrayLike, name: str = "x") -> np.ndarray:
    """``x`` as tokens on the sphere: rows of norm 1.  What has it only up to single
    precision is brought there."""
    out = tokens(x, name)
    norm = np.sqrt(np.einsum("nd,nd->n", out, out))
    error = np.abs(norm - 1)
    if error.max() > UNIT_TOLERANCE:
        raise refuse(
            name,
            "on the sphere (rows of norm 1; see sphere.retract)",
            f"a row of norm {norm[error.argmax()]:.9g}",
        )
    return out if error.max() <= UNIT_ROUNDING else out / norm[:, None]


def cloud(
    x: ArrayLike,
    d: int,
    mass: ArrayLike | None,
    at: ArrayLike | None = None,
    space: str = "sphere",
    names: tuple[str, str] = ("x", "at"),
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tokens of dimension d, their masses, and the points that look at them (the tokens
    themselves if ``at`` is None); all on the sphere if ``space`` says so.  ``names``
    are those of the first and the last."""
    check = unit_rows if space == "sphere" else tokens
    why = ", the dimension of the heads"
    x = shaped(check(x, names[0]), names[0], (None, d), why)
    at = x if at is None else shaped(check(at, names[1]), names[1], (None, d), why)
    return x, masses(mass, len(x)), at


def square(value: ArrayLike, name: str) -> np.ndarray:
    """``value`` as a stack (..., d, d) of square matrices."""
    out = array(value, name)
    if out.ndim < 2 or out.shape[-1] != out.shape[-2] or 0 in out.shape:
        raise refuse(name, "square, (d, d) or (H, d, d)", out)
    return out


def symmetric(value: ArrayLike, name: str) -> np.ndarray:
    """``value`` as a stack (..., d, d) of matrices equal to their transposes."""
    out = square(value, name)
    gap = np.abs(out - out.swapaxes(-1, -2)).max()
    if gap > 1e-12 * np.abs(out).max():  # rounding of a product such as R D R^T
        raise refuse(name, "symmetric", f"a difference of {gap:.3g} to the transpose")
    return out


def increasing(t: ArrayLike, name: str = "t") -> np.ndarray:
    """``t`` as a finite array of strictly increasing times, two or more."""
    out = array(t, name, ndim=1)
    if len(out) < 2:
        raise refuse(name, "two times or more", out)
    step = np.diff(out)
    if not (step > 0).all():
        k = int(np.argmax(step <= 0))
        raise refuse(name, "strictly increasing", f"{out[k]:g} and then {out[k + 1]:g}")
    return out


def masses(
    mass: ArrayLike | None, n: int, name: str = "mass", any_sum: bool = False
) -> np.ndarray:
    """``mass`` as n masses, none negative, that sum to 1; uniform if ``None``.

    A sum off by less than single-precision rounding is divided out; with ``any_sum``,
    every positive one is.
    """
    if mass is None:
        return np.full(n, 1 / n)
    out = shaped(mass, name, (n,), why=", one for each")
    if (out < 0).any():
        raise refuse(name, "zero or positive", f"a mass of {out.min():g}")
    if any_sum and not out.any():
        raise refuse(name, "masses with a positive sum", "only zeros")
    if any_sum and abs(out.sum() - 1) > MASS_TOLERANCE:
        out = out / out.max()  # the sum of large numbers may be none
        out = out / out.sum()
    total = out.sum()
    if abs(total - 1) > MASS_TOLERANCE:
        raise refuse(name, "masses that sum to 1", f"a sum of {total:.9g}")
    return out if abs(total - 1) <= DUST else out / total
