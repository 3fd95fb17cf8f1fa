"""The stored runs: made once, some minutes each, and read by the book."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tfdynlib import fits, metastability, records
from tfdynlib.low_temperature import ends, picture
from tfdynlib.low_temperature.ends import System
from tfdynlib.low_temperature.picture import Case, Run

NAME = "low_temperature"
PACKAGES = ("tfdynlib", "numpy", "scipy", "numba", "ducc0")
BETAS = (10.0, 100.0, 1000.0)
LARGE = 100_000
# From here on a plateau is seen in every system.
COLD = 100.0
# The quick ones first.
PLAN = (
    *(Case("exit2d", LARGE, beta) for beta in BETAS),
    *(Case("cold2d", LARGE, beta) for beta in BETAS),
    *(Case("commuting3d", LARGE, beta) for beta in BETAS),
)
# How many random systems of each family and dimension.
SYSTEMS = {
    ("symmetric", 2): 600,
    ("symmetric", 3): 600,
    ("free", 2): 300,
    ("free", 3): 300,
    ("definite", 2): 300,
    ("definite", 3): 300,
}


@dataclass(frozen=True, repr=False)
class Stored:
    """The runs that the book shows: curves, random systems, and when and where."""

    record: records.Record
    runs: tuple[Run, ...]
    systems: tuple[System, ...]

    def curves(self, system: str) -> list[Run]:
        """The runs of one system, by beta."""
        found = [r for r in self.runs if r.case.system == system]
        return sorted(found, key=lambda r: r.case.beta)

    def __repr__(self) -> str:
        return f"Stored({len(self.runs)} curves, {len(self.systems)} random systems)"


def stored(file: str | Path | None = None) -> Stored:
    """A stored run; the one of the book if no file is given."""
    record = records.read(file) if file else records.published(NAME)
    runs = tuple(picture.from_stored(found) for found in record.case("curves")["runs"])
    return Stored(record, runs, tuple(ends.from_stored(record.case("systems"))))


def curves_table(runs: Iterable[Run]) -> records.Overview:
    """Each curve in a row: size, beta, the least W2 and when, exit, and the end; a dash
    for what did not come."""

    def event(t: float, digits: int) -> str:
        return f"{t:.{digits}f}" if t < float("inf") else "–"

    rows = [
        (
            *(r.case.system, f"{r.n:,}", f"{r.case.beta:g}", r.method),
            *(f"{r.least:.4f}", f"{r.concentrated:.1f}", event(r.exit, 3)),
            *(event(r.terminal, 1), f"{r.seconds:.0f}"),
        )
        for r in runs
    ]
    head = ("system", "tokens", "β", "sum", "least W₂", "at t", "exit", "end", "CPU, s")
    return records.Overview("Three phases", head, tuple(rows))


def constants_table(runs: Iterable[Run]) -> records.Overview:
    """Constants fitted to the curves of each system (``fitted``), with intervals."""
    found = list(runs)
    rows = []
    for system in dict.fromkeys(r.case.system for r in found):
        fit = picture.fitted(found, system)
        ranges = (fit.C_interval, fit.C1_interval, fit.c_interval)
        values = zip((fit.C, fit.C1, fit.c), ranges)
        cells = (f"{v:.3f} ({low:.3f} to {high:.3f})" for v, (low, high) in values)
        rows.append((system, *cells, f"{fit.A:.4f}", f"{fit.excess:.2f}"))
    head = ("system", "C", "C₁", "c", "A", "furthest above")
    return records.Overview("Fitted constants", head, tuple(rows))


def exits_table(runs: Iterable[Run]) -> records.Overview:
    """How much later a system leaves for each e-fold of beta, from the first beta of
    ``COLD`` on, and what the mechanism says (``metastability.exit_slope``)."""
    found = [r for r in runs if r.case.beta >= COLD and np.isfinite(r.exit)]
    rows = []
    for system in dict.fromkeys(r.case.system for r in found):
        some = [r for r in found if r.case.system == system]
        if len(some) < 2:
            continue
        betas = [r.case.beta for r in some]
        line = fits.line(np.log(betas), [r.exit for r in some])
        rule = metastability.exit_slope(picture.heads(system, betas[0]))
        shown = ", ".join(f"{b:g}" for b in betas)
        rows.append((system, shown, f"{line.slope:.3f}", f"{rule:.3f}"))
    head = ("system", "β", "later for each e-fold", "mechanism")
    return records.Overview("Exits", head, tuple(rows))


def ends_table(systems: Iterable[System]) -> records.Overview:
    """How many random systems of each kind end where."""
    found = ends.counts(systems)
    rows = [(kind, *(str(n) for n in row.values())) for kind, row in found.items()]
    return records.Overview("Ends of random systems", ("V", *ends.ENDS), tuple(rows))


def write(file: Path, runs: Sequence[Run], systems: Sequence[System]) -> None:
    """Runs and systems as a ``records.Record``."""
    minutes = sum(r.seconds for r in runs) / 60
    note = f"CPU time of all curves: {minutes:.0f} minutes."
    found = records.header(NAME, note, PACKAGES)
    found["cases"] = {
        "curves": {"title": "Three phases", "runs": [r.stored() for r in runs]},
        "systems": {"title": "Ends of random systems"} | ends.stored(systems),
    }
    lines = ('{"n":', *(f'["{family}"' for family in ends.FAMILIES))
    records.write(file, found, lines)


def make(file: Path, only: str = "") -> None:
    """Run what the file lacks, and write after each part: stopped, it goes on.  A file
    that lacks nothing stays as it is."""
    runs: list[Run] = []
    systems: list[System] = []
    if file.exists():
        found = stored(file)
        runs, systems = list(found.runs), list(found.systems)
    done = {(s.family, s.d, s.seed) for s in systems}
    for (family, d), number in SYSTEMS.items() if only != "curves" else ():
        wanted = [k for k in range(number) if (family, d, k) not in done]
        if wanted:
            systems += [ends.run(family, d, k) for k in wanted]
            write(file, runs, systems)
        print(family, d, len(systems), flush=True)
    cases = {r.case for r in runs}
    for case in PLAN if only != "systems" else ():
        if case not in cases:
            runs.append(picture.run(case))
            write(file, runs, systems)
            print(runs[-1], flush=True)
