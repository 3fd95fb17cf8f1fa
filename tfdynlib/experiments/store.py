"""The runs of the book: planned, made path by path, stored, read again."""

import time
from collections.abc import Collection, Iterable, Iterator
from math import inf
from pathlib import Path

from tfdynlib import _check, records
from tfdynlib.experiments.power import listed
from tfdynlib.experiments.runs import Run, from_stored, join, one
from tfdynlib.experiments.settings import LAYOUTS, Setting

PACKAGES = ("tfdynlib", "numpy", "scipy", "numba")
PAUSE = 20  # seconds between two writes, about


def plan() -> Iterator[tuple[Setting, int]]:
    """Settings of the paper and their numbers of paths, the quick ones first.

    On the two-sphere three and thirty heads stand between those of the paper, and
    oscillating weights also have two, three and four, where the answer changes.
    """
    todo = []
    sizes = {2: (100, (1, 5, 20), 10), 3: (200, (1, 10, 100), 100)}
    sizes[5] = (200, (1, 10, 100), 20)
    for d, (n, heads, paths) in sizes.items():
        for layout in LAYOUTS:
            count = paths if layout == "ou" else 1
            todo += [(Setting(layout, d, H, n), count) for H in heads]
    todo += [(Setting("ou", 3, H, 200), 100) for H in (3, 30)]
    todo += [(Setting("spread", 3, H, 200), 1) for H in (2, 3, 4)]
    yield from sorted(todo, key=lambda job: job[0].pairs * job[1])


def stored(file: str | Path | None = None) -> list[Run]:
    """The runs in a file; those that the book shows if none is given."""
    record = records.read(file) if file else records.published("heads")
    return [from_stored(dict(found)) for found in record.runs]


def select(runs: Iterable[Run], layout: str, d: int) -> list[Run]:
    """The runs of one layout and dimension, by their number of heads."""
    _check.one_of(layout, LAYOUTS, "layout")
    d = _check.count(d, "d")
    found = [r for r in listed(runs) if (r.setting.layout, r.setting.d) == (layout, d)]
    return sorted(found, key=lambda r: r.setting.H)


TITLE = "Late mean of G² over paths, and residuals at the end"
HEAD = ("layout", "d", "n", "H", "paths", "CPU, s", "late G²", "G² booked", "exact")


def overview(runs: Iterable[Run]) -> records.Overview:
    """A table of runs: sizes, time, the late mean of G^2 with its standard error, and
    what the account leaves open if G^2 or the exact dissipation is booked."""
    order = sorted(
        listed(runs), key=lambda r: (r.setting.d, r.setting.layout, r.setting.H)
    )
    return records.Overview(TITLE, HEAD, tuple(_row(r) for r in order))


def _row(run: Run) -> tuple[str, ...]:
    s, late = run.setting, f"{run.late_mean:.4g}"
    if 0 < run.late_error < inf:
        late += f" ± {run.late_error:.1g}"
    ends = [f"{r[-1]:+.4f}" for r in (run.residual_coded, run.residual_exact)]
    sizes = map(str, (s.d, s.n, s.H, run.paths))
    return (s.layout, *sizes, f"{run.seconds:.1f}", late, *ends)


def make(file: Path, most: float, load: float | None = None) -> Iterator[Run]:
    """Run what the file lacks and write as it goes: stopped, it goes on where it was.

    ``most`` pairs of tokens in all paths of one setting, but four paths at least.
    """
    done = {r.setting: r for r in stored(file)} if file.exists() else {}
    for setting, paths in plan():
        wanted = int(min(paths, max(4, most / setting.pairs)))
        while setting not in done or done[setting].paths < wanted:
            done[setting] = _further(setting, wanted, done.get(setting))
            _write(done.values(), file, load)
        yield done[setting]


def _further(setting: Setting, wanted: int, before: Run | None) -> Run:
    """More paths, for some seconds."""
    began = time.monotonic()
    while True:
        found = one(setting, before.paths if before else 0)
        before = join(before, found) if before else found
        if before.paths >= wanted or time.monotonic() - began > PAUSE:
            return before


def _write(runs: Collection[Run], file: Path, load: float | None) -> None:
    minutes = sum(r.seconds for r in runs) / 60
    note = f"CPU time of all runs: {minutes:.1f} minutes."
    found = records.header("heads", note, PACKAGES, load)
    found |= {"cases": {}, "runs": [r.stored() for r in runs]}
    records.write(file, found, ['{"layout"'])
