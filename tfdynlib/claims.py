"""The ledger: each claim of the papers with the code that measures it.

A row is only as good as its tolerance, so each gives the reason for its own.  Chance
enters through ``rng`` alone: another seed is another measurement of the same claim.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tfdynlib import (
    _check,
    _multihead,
    _multihead_space,
    _multihead_stability,
    _multihead_time,
)
from tfdynlib._ledger import HOLDS, NOT_SEEN, Claim, Evidence, verdict

__all__ = [
    "HOLDS",
    "NOT_SEEN",
    "Claim",
    "Evidence",
    "Row",
    "check",
    "of_paper",
    "table",
    "verdict",
]

THEMES = (_multihead, _multihead_space, _multihead_stability, _multihead_time)
_FIRST = sorted(
    (claim for theme in THEMES for claim in theme.CLAIMS),
    key=lambda claim: int(claim.id.split(".")[1]),
)
PAPERS: dict[int, tuple[Claim, ...]] = {1: tuple(_FIRST)}


@dataclass(frozen=True)
class Row:
    """A claim that was measured."""

    claim: Claim
    evidence: Evidence
    verdict: str


def of_paper(paper: int) -> tuple[Claim, ...]:
    """The claims of one paper, in order: 1 for :cite:t:`massucco2026multihead`."""
    if paper not in PAPERS:
        raise _check.refuse("paper", f"one of {', '.join(map(str, PAPERS))}", paper)
    return PAPERS[paper]


def check(claim: Claim, rng: np.random.Generator) -> Row:
    """Measure one claim."""
    _check.instance(claim, Claim, "claim", "a Claim (see claims.of_paper)")
    evidence = claim.measure(_check.generator(rng))
    return Row(claim, evidence, verdict(claim, evidence))


def table(rows: Iterable[Row]) -> str:
    """The rows as text, one a line: id, verdict, found, expected, tolerance."""
    head = f"{'id':<6}{'found':>14}{'expected':>14}{'tolerance':>11}  verdict"
    lines = [
        f"{r.claim.id:<6}{r.evidence.found:>14.6g}{r.evidence.expected:>14.6g}"
        f"{r.claim.tolerance:>11.1g}  {r.verdict}"
        for r in rows
    ]
    return "\n".join([head, *lines])
