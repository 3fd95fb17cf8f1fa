"""``python -m tfdynlib.claims``: measures every claim and stores the run, minutes."""

import time
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from tfdynlib import records
from tfdynlib.claims import PAPERS, Row, check, of_paper, table

PACKAGES = ("tfdynlib", "numpy", "scipy", "POT")


def stored(rows: Iterable[tuple[Row, float]], seed: int) -> dict[str, Any]:
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
    total = sum(case["seconds"] for case in cases.values())
    note = f"Seed {seed} for every row; {total:.0f} s in all."
    return records.header("claims", note, PACKAGES) | {"cases": cases}


def main(arguments: list[str] | None = None) -> None:
    """Measure every claim and write the run, usually where the book reads it."""
    usual = records.STORED / "claims.json"
    parser = records.command("claims", "Measure every row of the ledger anew.", usual)
    out, seed, rows = parser.parse_args(arguments).out, 0, []
    for claim in (claim for paper in PAPERS for claim in of_paper(paper)):
        begin = time.perf_counter()
        row = check(claim, np.random.default_rng(seed))
        rows.append((row, time.perf_counter() - begin))
        print(table([row]).splitlines()[1], flush=True)
    found = stored(rows, seed)
    lines = [f'"{id}":' for id in found["cases"]]
    records.write(out, found, lines)


if __name__ == "__main__":
    main()
