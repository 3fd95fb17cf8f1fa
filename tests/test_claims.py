"""The ledger: every row is measured, and the verdict says what the numbers say."""

import dataclasses
import functools
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from bs4 import BeautifulSoup
from fixture_book import ROOT
from pagesource import docnames

from tfdynlib import claims
from tfdynlib.claims import Claim, Evidence

PAPERS = (1, 2, 3)
# What each paper's rows come to where it is not "holds".
CONDITIONAL = {
    *("1.2", "1.10", "1.11"),
    *("2.5", "2.6", "2.7", "2.8", "2.20", "2.22", "2.24", "2.25", "2.26"),
    *("3.1", "3.7", "3.21"),
}
UNSEEN = {"2.23", "3.22"}

# Rows of many small steps, in which checks of types would take most of the time.
DEAR = (
    *("1.8", "1.9", "1.10", "1.11", "1.15", "1.17", "1.22", "1.27"),
    *("2.4", "2.6", "2.7", "2.8", "2.9", "2.15", "2.16", "2.19", "2.20", "2.21"),
    *("3.6", "3.11", "3.12", "3.14", "3.15", "3.16", "3.17", "3.21", "3.22", "3.23"),
)
RUN = f"""
import dataclasses, json, numpy as np
from tfdynlib import claims
found = {{}}
for claim in (c for paper in (1, 2, 3) for c in claims.of_paper(paper)):
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


ROWS = [pytest.param(c, id=c.id) for paper in PAPERS for c in claims.of_paper(paper)]
of_each_paper = pytest.mark.parametrize("paper", PAPERS)


@pytest.mark.parametrize("claim", ROWS)
def test_every_claim_has_its_verdict(claim):
    row = measured(claim)
    expected = f"holds only if {claim.only_if}" if claim.only_if else claims.HOLDS
    if claim.id in UNSEEN:
        expected = claims.NOT_SEEN
    assert row.verdict == expected, row.evidence
    assert bool(claim.only_if) == (claim.id in CONDITIONAL)


@pytest.mark.parametrize("claim", ROWS)
def test_a_condition_was_tried_where_it_fails(claim):
    """An "only if" that nobody has left is an opinion."""
    row = measured(claim)
    if claim.only_if:
        outside = row.evidence.outside
        assert outside is not None
        assert not claim.agrees(outside, row.evidence)


@of_each_paper
def test_rows_are_numbered_and_filled_in(paper):
    rows = claims.of_paper(paper)
    assert [c.id for c in rows] == [f"{paper}.{k + 1}" for k in range(len(rows))]
    for claim in rows:
        for text in (claim.statement, claim.source, claim.hypotheses, claim.why):
            assert text.strip() and text == text.strip()
        assert claim.tolerance >= 0


@of_each_paper
def test_no_sentence_is_measured_twice_and_each_has_a_page(paper):
    rows = claims.of_paper(paper)
    assert len({c.statement for c in rows}) == len({c.measure for c in rows})
    assert len({c.measure for c in rows}) == len(rows)
    assert {f"book/{c.page}" for c in rows} <= set(docnames())


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


# Rows without chance in them: the same numbers up to the end of a search.
CERTAIN = {
    1: ("1.3", "1.13", "1.18", "1.20", "1.25"),
    3: ("3.1", "3.2", "3.9", "3.10", "3.13", "3.14", "3.19"),
    2: ("2.2", "2.5", "2.13", "2.14", "2.22", "2.23", "2.26"),
}


@of_each_paper
def test_the_stored_run_is_of_these_claims_and_says_what_they_say_now(paper):
    ledger = claims.published(paper)
    assert [row.claim for row in ledger] == list(claims.of_paper(paper))
    assert sum(ledger.counts().values()) == len(ledger) >= 20
    assert "python -m tfdynlib.claims" in ledger.record.command
    for row in ledger:
        assert row.verdict == ledger.record.case(row.claim.id)["verdict"]
    for id in CERTAIN[paper]:
        then = ledger.row(id)
        now = measured(then.claim).evidence
        assert now.found == pytest.approx(then.evidence.found, rel=1e-4)
    with pytest.raises(ValueError, match="^id must be"):
        ledger.row(f"{paper}.99")


def test_the_whole_ledger_is_that_of_each_paper_and_no_more():
    whole = claims.published()
    parts = [claims.published(paper) for paper in PAPERS]
    assert whole.rows == tuple(row for part in parts for row in part)
    assert set(whole.record.cases) == {row.claim.id for row in whole}
    assert "first" in parts[0].title and "second" in parts[1].title


def test_the_table_of_a_page_has_every_row_and_how_it_was_measured():
    ledger = claims.published(2)
    table = BeautifulSoup(ledger._repr_html_(), "html.parser")
    assert table.caption.text == ledger.title
    for row, line in zip(ledger, table.select("tbody tr"), strict=True):
        claim, (name, statement, *_, verdict) = row.claim, line.select("th, tr > td")
        assert name.a["data-page"] == claim.page and name.text == claim.id
        assert statement.summary.text == claim.statement
        how = statement.get_text(" ")
        assert claim.hypotheses in how and claim.why in how
        assert claim.measure.__name__ in how and verdict.text == row.verdict
        keys = [float(cell["data-key"]) for cell in line.select("[data-key]")]
        assert keys[:2] == [row.evidence.found, row.evidence.expected]


def test_the_table_escapes_what_it_is_given_and_needs_no_page():
    claim = dataclasses.replace(planted(1.05), statement="a < b & c", page="")
    row = claims.check(claim, np.random.default_rng(0))
    text = claims.Ledger((row,))._repr_html_()
    assert "a &lt; b &amp; c" in text and "<a" not in text


SCRIPT = ROOT / "book/_ext/tfdynbook/static/tables.js"


@pytest.fixture(scope="module")
def sortable(browser, tmp_path_factory):
    """A bare page with the first ledger and the script of the book, open."""
    folder = tmp_path_factory.mktemp("ledger")
    shutil.copy2(SCRIPT, folder)
    text = f'<!doctype html>{claims.published(1)._repr_html_()}<script src="tables.js">'
    (folder / "page.html").write_text(f"{text}</script>", "utf-8")
    context = browser.new_context()
    page = context.new_page()
    page.goto((folder / "page.html").as_uri())
    yield page
    context.close()


def column(page, k):
    return page.locator(f"tbody tr > :nth-child({k + 1})").evaluate_all(
        "(cells) => cells.map((cell) => cell.dataset.key ?? cell.textContent)"
    )


def test_columns_are_sorted_by_mouse_and_by_keyboard(sortable):
    page, rows = sortable, claims.published(1).rows
    names = [row.claim.id for row in rows]
    found = sorted(row.evidence.found for row in rows)

    def directions():
        heads = page.locator("thead th").all()
        return [head.get_attribute("aria-sort") for head in heads]

    assert column(page, 0) == names and directions() == 7 * [None]
    page.get_by_role("button", name="found").click()
    assert [float(key) for key in column(page, 3)] == found
    assert directions() == [*3 * [None], "ascending", *3 * [None]]
    page.keyboard.press("Enter")  # the button has kept the focus
    assert [float(key) for key in column(page, 3)] == found[::-1]
    assert directions()[3] == "descending"
    verdicts = page.get_by_role("button", name="verdict")
    verdicts.focus()
    page.keyboard.press("Space")
    assert directions() == [*6 * [None], "ascending"]
    shown = column(page, 6)
    assert shown == sorted(shown) and shown != [row.verdict for row in rows]
    # Those of one verdict are in the order of the ledger; 1.10 comes after 1.9.
    held = [row.claim.id for row in rows if row.verdict == claims.HOLDS]
    assert column(page, 0)[: len(held)] == held
    page.get_by_role("button", name="row").click()
    assert column(page, 0) == names


def test_what_is_no_number_comes_last_both_ways(sortable):
    page = sortable
    page.locator("tbody tr").nth(4).locator("[data-key]").first.evaluate(
        "(cell) => { cell.dataset.key = 'nan'; }"
    )
    for _ in range(2):
        page.get_by_role("button", name="found").click()
        assert column(page, 3)[-1] == "nan"


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
    with pytest.raises(ValueError, match="^paper must be one of 1, 2, 3, got 7"):
        claims.of_paper(7)
