"""Which method sums fastest: a cost model, and the words for the choice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as default

import numpy as np

from tfdynlib import _check
from tfdynlib.summation._moments import (
    Matrix,
    Method,
    Moments,
    Queries,
    Task,
    Tokens,
)

# With so few pairs the call itself is what costs, and NumPy calls least.
FEW = 2**16
# Squares of the norms of unit vectors are 1 up to this.
UNIT = 1e-12


@dataclass(frozen=True, repr=False)
class Choice:
    """The method that sums fastest, and why.

    Attributes
    ----------
    method
        Its name, to be passed as ``method``.
    why
        The reason in one sentence.
    seconds
        Estimate for one evaluation with all heads, on one core of the machine whose
        measurements made the model (an EPYC of the Zen 4 class).
    table
        Every method with its estimate, ``inf`` and a sentence if it cannot do this.
    """

    method: str
    why: str
    seconds: float
    table: Mapping[str, tuple[float, str]] = default(default_factory=dict)

    def __repr__(self) -> str:
        lines = [f"Choice({self.method!r}, {_time(self.seconds)}): {self.why}"]
        for name, (seconds, remark) in self.table.items():
            lines.append(f"  {name:10} {_time(seconds):>9}  {remark}".rstrip())
        return "\n".join(lines)


def _time(seconds: float) -> str:
    """Seconds in a unit that suits them."""
    if not np.isfinite(seconds):
        return "no"
    unit, factor = ("s", 1) if seconds >= 1 else ("ms", 1e3)
    return f"{seconds * factor:.3g} {unit}"


def tasks(
    at: Queries, x: Tokens, Ks: Sequence[Matrix | None] | np.ndarray, tol: float
) -> list[Task]:
    """What each head asks for."""
    (n, d), k = x.shape, len(at)
    same = at is x
    on_sphere = _unit(x) and (same or _unit(at))
    return [Task(d, n, k, K, same, on_sphere, tol) for K in Ks]


def _unit(x: Tokens) -> bool:
    """Whether all rows have norm 1 to rounding."""
    return bool(np.abs(np.einsum("nd,nd->n", x, x) - 1).max() <= UNIT)


def choose(wanted: Sequence[Task], methods: Mapping[str, Method]) -> Choice:
    """The method of least estimated cost that can do every task."""
    table = {m.name: _estimate(m, wanted) for m in methods.values()}
    best = min(table, key=lambda name: table[name][0])
    if not np.isfinite(table[best][0]):
        raise RuntimeError("no method of summation can do this")
    seconds = table[best][0]
    return Choice(best, _why(best, wanted[0], table), seconds, table)


def few(wanted: Sequence[Task], methods: Mapping[str, Method]) -> Choice:
    """What is taken, unseen, for few pairs."""
    table = {m.name: _estimate(m, wanted) for m in methods.values()}
    why = f"for {FEW} pairs and fewer the call itself is what costs"
    return Choice("dense", why, table["dense"][0], table)


def _estimate(method: Method, wanted: Sequence[Task]) -> tuple[float, str]:
    """Seconds for all tasks, or inf with the sentence that says why not."""
    for task in wanted:
        sentence = method.why_not(task)
        if sentence is not None:
            return np.inf, sentence
    return sum(method.cost(task) for task in wanted), ""


def _why(best: str, task: Task, table: Mapping[str, tuple[float, str]]) -> str:
    """One sentence."""
    others = {name: s for name, (s, _) in table.items() if name != best}
    can = {name: s for name, s in others.items() if np.isfinite(s)}
    what = f"{task.k} queries and {task.n} tokens in dimension {task.d}"
    if not can:
        return f"nothing else can do {what}"
    second = min(can, key=lambda name: can[name])
    factor = can[second] / table[best][0]
    return f"for {what} it takes 1/{factor:.3g} of the time of {second!r}"


def pick(
    name: str,
    at: Queries,
    x: Tokens,
    Ks: Sequence[Matrix | None] | np.ndarray,
    tol: float,
    methods: Mapping[str, Method],
) -> Method:
    """The method of this name, or the one that ``auto`` takes.

    Raises ``ValueError`` if a method asked for by name cannot do it.
    """
    if name == "auto" and len(at) * len(x) <= FEW:
        return methods["dense"]
    wanted = tasks(at, x, Ks, tol)
    if name == "auto":
        return methods[choose(wanted, methods).method]
    for task in wanted:
        sentence = methods[name].why_not(task)
        if sentence is not None:
            best = choose(wanted, methods).method
            one = f"one that can do this ({best!r} is the fastest): {sentence}"
            raise _check.refuse("method", one, name)
    return methods[name]


def exact(k: int, x: Tokens, methods: Mapping[str, Method]) -> Callable[..., Moments]:
    """What sums fastest, and exactly, for k free queries p: a function of (p, x, mass,
    tol)."""
    n, d = x.shape
    able = {m.name: m for m in methods.values() if m.exact and m.free is not None}
    chosen = "dense" if k * n <= FEW else choose([Task(d, n, k)], able).method
    free = able[chosen].free
    assert free is not None
    return free
