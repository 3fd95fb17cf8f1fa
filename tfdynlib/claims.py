"""The ledger: each claim of the papers with the code that measures it.

``python -m tfdynlib.claims`` measures all and stores the run that the book shows.

A row is only as good as its tolerance, so each gives the reason for its own.  Chance
enters through ``rng`` alone: another seed is another measurement of the same claim.
"""

import datetime
import json
import platform
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from tfdynlib import (
    _check,
    _multihead,
    _multihead_space,
    _multihead_stability,
    _multihead_time,
    _riccati,
    records,
)
from tfdynlib._ledger import HOLDS, NOT_SEEN, ONLY_IF, Claim, Evidence, verdict

__all__ = [
    "HOLDS",
    "NOT_SEEN",
    "Claim",
    "ONLY_IF",
    "Evidence",
    "Ledger",
    "Row",
    "check",
    "of_paper",
    "published",
    "table",
    "verdict",
]

THEMES = (_multihead, _multihead_space, _multihead_stability, _multihead_time)
_FIRST = sorted(
    (claim for theme in THEMES for claim in theme.CLAIMS),
    key=lambda claim: int(claim.id.split(".")[1]),
)
PAPERS: dict[int, tuple[Claim, ...]] = {1: tuple(_FIRST), 2: _riccati.CLAIMS}


@dataclass(frozen=True)
class Row:
    """A claim that was measured."""

    claim: Claim
    evidence: Evidence
    verdict: str


def of_paper(paper: int) -> tuple[Claim, ...]:
    """The claims of one paper, in order: 1 for :cite:t:`massucco2026multihead`."""
    if not isinstance(paper, int) or paper not in PAPERS:
        raise _check.refuse("paper", f"one of {', '.join(map(str, PAPERS))}", paper)
    return PAPERS[paper]


def check(claim: Claim, rng: np.random.Generator) -> Row:
    """Measure one claim."""
    _check.instance(claim, Claim, "claim", "a Claim (see claims.of_paper)")
    evidence = claim.measure(_check.generator(rng))
    return Row(claim, evidence, verdict(claim, evidence))


@dataclass(frozen=True)
class Ledger:
    """Claims that were measured, as a table: text here, HTML on a page.

    ``record`` says when and where; None for rows that were measured just now.
    """

    rows: tuple[Row, ...]
    record: records.Record | None = None

    def row(self, id: str) -> Row:
        """One row; ``ValueError`` for an id that is not there."""
        _check.one_of(id, [row.claim.id for row in self.rows], "id")
        return next(row for row in self.rows if row.claim.id == id)

    def counts(self) -> dict[str, int]:
        """How many rows hold, hold under a condition only, and were not seen."""
        kinds = [v if v in (HOLDS, NOT_SEEN) else ONLY_IF for v in map(_verdict, self)]
        return {kind: kinds.count(kind) for kind in (HOLDS, ONLY_IF, NOT_SEEN)}

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return table(self.rows)

    def _repr_html_(self) -> str:
        cells = [
            (
                row.claim.id,
                row.claim.statement,
                row.claim.source,
                f"{row.evidence.found:.6g}",
                f"{'≤ ' if row.claim.at_most else ''}{row.evidence.expected:.6g}",
                _allowed(row),
                row.verdict,
            )
            for row in self.rows
        ]
        return records.as_html("Claims of the first paper", HEAD, cells)


HEAD = ("row", "statement", "source", "found", "expected", "tolerance", "verdict")


def _verdict(row: Row) -> str:
    return row.verdict


def _allowed(row: Row) -> str:
    error = row.evidence.standard_error
    if error is None:
        return f"{row.claim.tolerance:.2g}"
    return f"{row.claim.tolerance:.2g} × {error:.2g}"


def table(rows: Iterable[Row]) -> str:
    """The rows as text, one a line: id, verdict, found, expected, tolerance."""
    head = f"{'id':<6}{'found':>14}{'expected':>14}{'tolerance':>13}  verdict"
    lines = [
        f"{r.claim.id:<6}{r.evidence.found:>14.6g}{r.evidence.expected:>14.6g}"
        f"{_allowed(r):>13}  {r.verdict}"
        for r in rows
    ]
    return "\n".join([head, *lines])


def published() -> Ledger:
    """The run of the whole ledger that the book shows.

    Raises ``ValueError`` if a claim has been changed since: then it must be run anew.
    """
    record = records.published("claims")
    rows = []
    for claim in of_paper(1):
        case = record.case(claim.id)
        if case["title"] != claim.statement or case["tolerance"] != claim.tolerance:
            wanted = f"measured anew ({record.command}): it has changed"
            raise _check.refuse(f"claim {claim.id}", wanted, "a stored run")
        keys = ("found", "expected", "outside", "standard_error")
        evidence = Evidence(**{key: case[key] for key in keys})
        rows.append(Row(claim, evidence, verdict(claim, evidence)))
    return Ledger(tuple(rows), record)


def _stored(rows: Iterable[tuple[Row, float]], seed: int) -> dict[str, Any]:
    """A run in the form that ``records.read`` takes; times in s beside each row."""
    cases = {
        row.claim.id: {
            "title": row.claim.statement,
            "tolerance": row.claim.tolerance,
            **asdict(row.evidence),
            "verdict": row.verdict,
            "seconds": round(seconds, 2),
        }
        for row, seconds in rows
    }
    versions = {name: version(name) for name in ("tfdynlib", "numpy", "scipy", "POT")}
    total = sum(case["seconds"] for case in cases.values())
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "processor": records.processor(),
        "form": "claims",
        "versions": {"python": platform.python_version(), **versions},
        "note": f"Seed {seed} for every row; {total:.0f} s in all.",
        "cases": cases,
    }


def _main() -> None:
    """Measure every claim and write the run where the book reads it."""
    seed, rows = 0, []
    for claim in of_paper(1):
        begin = time.perf_counter()
        row = check(claim, np.random.default_rng(seed))
        rows.append((row, time.perf_counter() - begin))
        print(table([row]).splitlines()[1], flush=True)
    text = json.dumps(_stored(rows, seed), indent=1)
    (records.STORED / "claims.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    _main()
