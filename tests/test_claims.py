"""The ledger: every row is measured, and the verdict says what the numbers say."""

import dataclasses
import functools
import json
import subprocess
import sys

import numpy as np
import pytest

from tfdynlib import claims
from tfdynlib.claims import Claim, Evidence

CONDITIONAL = {"1.2", "1.10", "1.11"}


# Rows of many small steps, in which checks of types would take most of the time.
DEAR = ("1.8", "1.9", "1.10", "1.11", "1.15", "1.27")
RUN = f"""
import dataclasses, json, numpy as np
from tfdynlib import claims
found = {{}}
for claim in claims.of_paper(1):
    if claim.id in {DEAR}:
        row = claims.check(claim, np.random.default_rng(0))
        found[claim.id] = dataclasses.asdict(row.evidence)
print(json.dumps(found))
"""


@functools.cache
def apart():
    """Evidence of the dear rows, from a process of its own."""
    call = [sys.executable, "-W", "error", "-c", RUN]
    done = subprocess.run(call, capture_output=True, text=True, check=True, timeout=200)
    return {id: Evidence(**values) for id, values in json.loads(done.stdout).items()}


@functools.cache
def measured(claim):
    if claim.id not in DEAR:
        return claims.check(claim, np.random.default_rng(0))
    evidence = apart()[claim.id]
    return claims.Row(claim, evidence, claims.verdict(claim, evidence))


ROWS = [pytest.param(c, id=c.id) for c in claims.of_paper(1)]


@pytest.mark.parametrize("claim", ROWS)
def test_every_claim_of_the_first_paper_has_its_verdict(claim):
    row = measured(claim)
    expected = f"holds only if {claim.only_if}" if claim.only_if else claims.HOLDS
    assert row.verdict == expected, row.evidence
    assert bool(claim.only_if) == (claim.id in CONDITIONAL)


@pytest.mark.parametrize("paper", [1, 2])
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


@pytest.mark.parametrize("claim", ROWS)
def test_a_factor_of_two_turns_a_row(claim):
    """No tolerance is so wide that twice the number would pass.

    Where nothing is expected, a factor 2 on one head is what was measured outside.
    """
    e = measured(claim).evidence
    if e.expected == 0:
        faulty = Evidence(e.outside, 0.0)
    else:
        faulty = Evidence(2 * e.found, e.expected, e.outside, e.standard_error)
    assert claims.verdict(claim, faulty) == claims.NOT_SEEN, claim.id


@pytest.mark.parametrize(
    ("found", "error", "word"),
    [(-5.0, None, "holds"), (1.05, None, "holds"), (1.2, None, "not seen")],
)
def test_an_inequality_holds_as_far_below_as_you_like(found, error, word):
    claim = dataclasses.replace(planted(found), at_most=True)
    assert claims.check(claim, np.random.default_rng(0)).verdict == word


def test_a_standard_error_is_the_unit_of_the_tolerance():
    claim = dataclasses.replace(planted(0), tolerance=3.0)
    for found, word in ((1.29, "holds"), (1.31, "not seen")):
        assert claims.verdict(claim, Evidence(found, 1.0, None, 0.1)) == word


def test_the_stored_run_is_of_these_claims_and_says_what_they_say_now():
    ledger = claims.published(1)
    assert [row.claim for row in ledger] == list(claims.of_paper(1))
    assert sum(ledger.counts().values()) == len(ledger) >= 20
    assert "python -m tfdynlib.claims" in ledger.record.command
    for row in ledger:
        assert row.verdict == ledger.record.case(row.claim.id)["verdict"]
    # Rows without chance in them: the same numbers up to the end of a search.
    for id in ("1.3", "1.13", "1.18", "1.20", "1.25"):
        then = ledger.row(id)
        now = measured(then.claim).evidence
        assert now.found == pytest.approx(then.evidence.found, rel=1e-4)
    assert "<caption>Claims" in ledger._repr_html_()
    with pytest.raises(ValueError, match="^id must be"):
        ledger.row("1.99")


def test_a_claim_that_was_changed_has_no_stored_run(monkeypatch):
    first, *others = claims.of_paper(1)
    looser = dataclasses.replace(first, tolerance=9.0)
    monkeypatch.setitem(claims.PAPERS, 1, (looser, *others))
    with pytest.raises(ValueError, match=r"^claim 1\.1 must be measured anew"):
        claims.published()


def test_the_table_is_text_with_a_row_for_each_claim():
    rng = np.random.default_rng(0)
    rows = [claims.check(planted(1.05), rng), claims.check(planted(2.0), rng)]
    lines = claims.table(rows).splitlines()
    assert lines[0].split() == ["id", "found", "expected", "tolerance", "verdict"]
    assert lines[1].split() == ["9.1", "1.05", "1", "0.1", "holds"]
    assert lines[2].endswith("not seen")


def test_refusals():
    with pytest.raises(ValueError, match="^paper must be one of 1, 2, got 7"):
        claims.of_paper(7)
