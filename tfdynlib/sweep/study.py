"""What a study is: a kind of run, a grid of its parameters, and seeds."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from tfdynlib import _check

# What one run may give: a number, or an array along the kind's own axes.
Values = dict[str, Any]
# Combinations of parameters and seeds that one study may have.
MOST_RUNS = 10_000_000


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kind.

    Attributes
    ----------
    meaning, unit
        In words, for the labels of a dataset; "1" is dimensionless.
    usual
        The value it has if a study does not say.
    check
        (value, name) -> the value, or a ``ValueError`` that says what is wanted.
    shared
        It may not vary in a study, because axes of the outputs depend on it.
    """

    meaning: str
    usual: Any
    check: Callable[[Any, str], Any] = field(repr=False)
    unit: str = "1"
    shared: bool = False


@dataclass(frozen=True)
class Output:
    """One output of a kind: its meaning, unit, and axes of its own (names of
    ``Kind.axes``); ``words`` names the codes 0, 1, ... of an output that is a word."""

    meaning: str
    unit: str = "1"
    axes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Axis:
    """An axis of outputs: its meaning, unit, and (parameters) -> its values."""

    meaning: str
    values: Callable[[Mapping[str, Any]], np.ndarray] = field(repr=False)
    unit: str = "1"


@dataclass(frozen=True)
class Kind:
    """A kind of run.

    ``run(parameters, rng)`` gives a value for each output; it must take all chance
    from ``rng``, and be a function of a module for processes and clusters.
    """

    name: str
    meaning: str
    run: Callable[[dict[str, Any], np.random.Generator], Values] = field(repr=False)
    parameters: Mapping[str, Parameter] = field(repr=False)
    outputs: Mapping[str, Output] = field(repr=False)
    axes: Mapping[str, Axis] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        taken = {"seed", "message", "index"}
        names = [*self.parameters, *self.outputs, *self.axes]
        for name in names:
            if name in taken or names.count(name) > 1:
                raise _check.refuse("kind", "of names that differ", repr(name))


@dataclass(frozen=True)
class Study:
    """Runs of one kind: every combination of a grid, each with some seeds.

    Attributes
    ----------
    kind
        What a run is.
    grid
        Lists of values of the parameters that vary; they are the axes of the dataset,
        in this order.
    fixed
        Values of others; the rest have their usual ones.
    seeds
        Repetitions of each combination, the last axis before those of outputs.
    entropy
        The root of all chance: run k draws from
        ``SeedSequence(entropy, spawn_key=(k,))``, the k-th that
        ``SeedSequence(entropy).spawn`` makes.
    batch
        Runs in one task of a cluster, for runs so short that sending them one by one
        would take longer than running them.
    """

    kind: Kind
    grid: Mapping[str, Any]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = 1
    entropy: int = 0
    title: str = ""
    batch: int = 20

    def __post_init__(self) -> None:
        _check.instance(self.kind, Kind, "kind", "a Kind (see sweep.KINDS)")
        for name, table in (("grid", self.grid), ("fixed", self.fixed)):
            _check.instance(table, Mapping, name, "a table")
        _check.count(self.seeds, "seeds")
        _check.count(self.entropy, "entropy", 0)
        _check.count(self.batch, "batch")
        _check.instance(self.title, str, "title", "a line of text")
        grid = {name: self._list(name, v) for name, v in self.grid.items()}
        fixed = {name: self._value(name, v) for name, v in self.fixed.items()}
        object.__setattr__(self, "grid", MappingProxyType(grid))
        object.__setattr__(self, "fixed", MappingProxyType(fixed))
        if self.size > MOST_RUNS:
            raise _check.refuse("grid", f"of {MOST_RUNS:g} runs at most", self.size)

    def _known(self, table: str, name: str) -> Parameter:
        if name not in self.kind.parameters:
            known = ", ".join(self.kind.parameters)
            wanted = f"a parameter of kind {self.kind.name!r} ({known})"
            raise _check.refuse(f"{table}.{name}", wanted, repr(name))
        return self.kind.parameters[name]

    def _list(self, name: str, values: Any) -> tuple[Any, ...]:
        """The values of an axis, checked."""
        known = self._known("grid", name)
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
            raise _check.refuse(
                f"grid.{name}", "a list of values", _check.shown(values)
            )
        if len(values) == 0:
            raise _check.refuse(f"grid.{name}", "a list of one value or more", "none")
        if known.shared:
            raise _check.refuse(f"grid.{name}", "in [fixed]: axes depend on it", values)
        label = f"grid.{name}"
        out: dict[Any, None] = {}
        for given in values:
            value = known.check(_plain(given, label), label)
            if value in out:
                raise _check.refuse(label, "of values that differ", value)
            out[value] = None
        return tuple(out)

    def _value(self, name: str, value: Any) -> Any:
        known = self._known("fixed", name)
        if name in self.grid:
            raise _check.refuse(f"fixed.{name}", "left out: it is in [grid]", value)
        return known.check(_plain(value, f"fixed.{name}"), f"fixed.{name}")

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes of the grid, and the number of seeds."""
        return (*(len(v) for v in self.grid.values()), self.seeds)

    @property
    def size(self) -> int:
        """Number of runs."""
        return prod(self.shape)

    @property
    def settings(self) -> dict[str, Any]:
        """All parameters that do not vary."""
        usual = {k: p.usual for k, p in self.kind.parameters.items()}
        return {
            k: v for k, v in (usual | dict(self.fixed)).items() if k not in self.grid
        }

    def point(self, index: int) -> dict[str, Any]:
        """Parameters of the run with this number."""
        if not 0 <= _check.integer(index, "index") < self.size:
            raise _check.refuse("index", f"from 0 to {self.size - 1}", index)
        place = np.unravel_index(index, self.shape)
        varied = {k: v[int(p)] for (k, v), p in zip(self.grid.items(), place)}
        return self.settings | varied

    def points(self) -> Iterator[dict[str, Any]]:
        """Parameters of every run, in order."""
        settings = self.settings
        for values in product(*self.grid.values()):
            for _ in range(self.seeds):
                yield settings | dict(zip(self.grid, values))

    def rng(self, index: int) -> np.random.Generator:
        """The generator of the run with this number."""
        return generator(self.entropy, index)

    def axis(self, name: str) -> np.ndarray:
        """Values of an axis of the outputs."""
        return np.asarray(self.kind.axes[name].values(self.settings))

    def described(self) -> dict[str, Any]:
        """All that decides the results, as a table of plain values."""
        return {
            "kind": self.kind.name,
            "seeds": self.seeds,
            "entropy": self.entropy,
            "grid": {k: list(v) for k, v in self.grid.items()},
            "fixed": self.settings,
        }

    @property
    def fingerprint(self) -> str:
        """The same for two studies only if their runs are."""
        text = json.dumps(self.described(), sort_keys=True)
        order = json.dumps(list(self.grid))
        return hashlib.sha256((text + order).encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        grid = ", ".join(f"{k}: {len(v)}" for k, v in self.grid.items())
        return f"Study({self.kind.name}, {grid}, seeds: {self.seeds}; {self.size} runs)"


def generator(entropy: int, index: int) -> np.random.Generator:
    """The generator of one run of a study."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(index,)))


def _plain(value: Any, name: str) -> Any:
    """A number or a word, of NumPy too, as one of Python."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, int | float | str):
        raise _check.refuse(name, "a number or a word", _check.shown(value))
    return value
