"""The ledger: every row is measured, and the verdict says what the numbers say."""

import functools

import numpy as np
import pytest

from tfdynlib import claims
from tfdynlib.claims import Claim, Evidence

CONDITIONAL = {"1.2", "1.10", "1.11"}


@functools.cache
def measured(claim):
    return claims.check(claim, np.random.default_rng(0))


@pytest.mark.parametrize("claim", claims.of_paper(1), ids=lambda c: c.id)
def test_every_claim_of_the_first_paper_has_its_verdict(claim):
    row = measured(claim)
    expected = f"holds only if {claim.only_if}" if claim.only_if else claims.HOLDS
    assert row.verdict == expected, row.evidence
    assert bool(claim.only_if) == (claim.id in CONDITIONAL)


@pytest.mark.parametrize("paper", [1])
def test_rows_are_numbered_and_filled_in(paper):
    rows = claims.of_paper(paper)
    assert [c.id for c in rows] == [f"{paper}.{k + 1}" for k in range(len(rows))]
    for claim in rows:
        for text in (claim.statement, claim.source, claim.hypotheses, claim.why):
            assert text.strip() and text == text.strip()
        assert claim.tolerance >= 0


def planted(found, outside=None, only_if=""):
    return Claim(
        "9.1",
        "s",
        "t",
        "h",
        0.1,
        "w",
        lambda rng: Evidence(found, 1.0, outside),
        only_if,
    )


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (planted(1.05), "holds"),
        (planted(2.0), "not seen"),
        (planted(np.nan), "not seen"),
        (planted(1.05, 3.0, "n > 2"), "holds only if n > 2"),
        (planted(1.05, None, "n > 2"), "holds only if n > 2"),
        (planted(1.05, 0.95, "n > 2"), "holds"),
        (planted(2.0, 3.0, "n > 2"), "not seen"),
    ],
)
def test_the_verdict_follows_from_the_numbers(claim, verdict):
    assert claims.check(claim, np.random.default_rng(0)).verdict == verdict


def test_a_factor_of_two_turns_a_row():
    """No tolerance is so wide that twice the number would pass."""
    for claim in claims.of_paper(1):
        e = measured(claim).evidence
        if e.expected != 0:
            doubled = Evidence(2 * e.found, e.expected, e.outside)
            assert claims.verdict(claim, doubled) == claims.NOT_SEEN, claim.id


def test_the_table_is_text_with_a_row_for_each_claim():
    rng = np.random.default_rng(0)
    rows = [claims.check(planted(1.05), rng), claims.check(planted(2.0), rng)]
    lines = claims.table(rows).splitlines()
    assert lines[0].split() == ["id", "found", "expected", "tolerance", "verdict"]
    assert lines[1].split() == ["9.1", "1.05", "1", "0.1", "holds"]
    assert lines[2].endswith("not seen")


def test_refusals():
    with pytest.raises(ValueError, match="^paper must be one of 1, got 7"):
        claims.of_paper(7)
