"""The claims in order, measured or read from the stored run, and their table."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from types import ModuleType

import numpy as np

from tfdynlib import _check, records
from tfdynlib.claims import (
    cold,
    cold_end,
    cold_laplace,
    cold_time,
    gaussian,
    gaussian_control,
    gaussian_fate,
    gaussian_trained,
    multihead,
    multihead_space,
    multihead_stability,
    multihead_time,
)
from tfdynlib.claims.claim import HOLDS, NOT_SEEN, ONLY_IF, Claim, Evidence, verdict

THEMES = {
    1: (multihead, multihead_space, multihead_stability, multihead_time),
    2: (gaussian, gaussian_fate, gaussian_control, gaussian_trained),
    3: (cold, cold_laplace, cold_time, cold_end),
}
NAMES = {1: "first", 2: "second", 3: "third"}


def _in_order(themes: Iterable[ModuleType]) -> tuple[Claim, ...]:
    rows = (claim for theme in themes for claim in theme.CLAIMS)
    return tuple(sorted(rows, key=lambda claim: int(claim.id.split(".")[1])))


PAPERS = {paper: _in_order(themes) for paper, themes in THEMES.items()}


@dataclass(frozen=True)
class Row:
    """A claim that was measured."""

    claim: Claim
    evidence: Evidence
    verdict: str


def of_paper(paper: int) -> tuple[Claim, ...]:
    """The claims of one paper, in order: 1 for :cite:t:`massucco2026multihead`, 2 for
    :cite:t:`alcalde2026gaussian`, 3 for :cite:t:`alcalde2026quantifying`."""
    if _check.integer(paper, "paper") not in PAPERS:
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
    title: str = "Claims"

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
        """The table for a page of the book, which makes its columns sortable and its
        numbers of rows links; a statement unfolds to how it was measured."""
        top = "".join(f'<th scope="col">{name}</th>' for name in HEAD)
        body = "".join(map(_html_row, self.rows))
        return (
            '<table class="table" data-sortable>'
            f"<caption>{escape(self.title)}</caption>"
            f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
        )


HEAD = ("row", "statement", "source", "found", "expected", "tolerance", "verdict")


def _html_row(row: Row) -> str:
    claim, evidence = row.claim, row.evidence
    name = escape(claim.id)
    if claim.page:
        name = f'<a data-page="{escape(claim.page)}">{name}</a>'
    at_most = "≤ " if claim.at_most else ""
    numbers = (
        (evidence.found, f"{evidence.found:.6g}"),
        (evidence.expected, f"{at_most}{evidence.expected:.6g}"),
        (claim.tolerance * (evidence.standard_error or 1.0), _allowed(row)),
    )
    cells = "".join(
        f'<td data-key="{key:.17g}">{escape(text)}</td>' for key, text in numbers
    )
    return (
        f'<tr><th scope="row">{name}</th>'
        f"<td><details><summary>{escape(claim.statement)}</summary>{_how(row)}</details>"
        f"</td><td>{escape(claim.source)}</td>{cells}<td>{escape(row.verdict)}</td></tr>"
    )


def _how(row: Row) -> str:
    """What a statement unfolds to."""
    claim, outside = row.claim, row.evidence.outside
    measure = claim.measure
    name = getattr(measure, "__qualname__", type(measure).__name__)
    parts = {
        "Measured": claim.hypotheses,
        "Tolerance": claim.why,
        "Found outside": "" if outside is None else f"{outside:.6g}",
        "By": f"{measure.__module__}.{name}",
    }
    return "".join(
        f"<p>{part}: {escape(text)}.</p>" for part, text in parts.items() if text
    )


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


def published(paper: int | None = None) -> Ledger:
    """The run of the ledger that the book shows, of one paper or of all.

    Raises ``ValueError`` if a claim has been changed since: then it must be run anew.
    """
    record = records.published("claims")
    if paper is None:
        claims = tuple(claim for each in PAPERS for claim in of_paper(each))
        title = "Claims of the papers"
    else:
        claims = of_paper(paper)
        title = f"Claims of the {NAMES[paper]} paper"
    rows = tuple(_row(claim, record) for claim in claims)
    return Ledger(rows, record, title)


def _row(claim: Claim, record: records.Record) -> Row:
    """A claim with what was measured in a stored run."""
    case = record.case(claim.id)
    if case["title"] != claim.statement or case["tolerance"] != claim.tolerance:
        wanted = f"measured anew ({record.command}): it has changed"
        raise _check.refuse(f"claim {claim.id}", wanted, "a stored run")
    keys = ("found", "expected", "outside", "standard_error")
    evidence = Evidence(**{key: case[key] for key in keys})
    return Row(claim, evidence, verdict(claim, evidence))
