"""Stored measurements: read back, ordered, drawn; refused with the command to run."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from tfdynlib import plot, records

ROWS = [
    {"method": "slow <b>", "median": 40.0, "least": 30.0, "most": 90.0},
    {"method": "tfdynlib", "median": 2.0, "least": 1.5, "most": 3.0},
    {"method": "other", "median": 5.0, "least": 4.0, "most": 5.5},
]
ROWS = [row | {"rounds": 9, "error": 1e-15, "allowed": 1e-12} for row in ROWS]
CLAIMS = [
    {"what": "a", "value": 3.0, "bound": 2.0, "at_least": True, "met": True},
    {"what": "b", "value": 1.0, "bound": 2.0, "at_least": True, "met": False},
]
N = [1000, 3162, 10000, 31623]


def found(date="2026-11-30T12:00:00+00:00", **changes):
    """What the test-bench writes."""
    curve = {"name": {"method": "dense", "d": 3, "beta": 4.0}, "x": "N", "y": "ms"}
    race = {"title": "A race", "rows": ROWS, "claims": CLAIMS, "skipped": {}}
    growth = {"title": "Growth", "rows": [], "claims": [], "skipped": {}}
    points = [N, [3e-6 * n**2 for n in N]]
    return {
        "date": date,
        "processor": "A processor",
        "form": "short",
        "versions": {"python": "3.11.7", "numpy": "2.4.6", "torch": None},
        "cases": {
            "race": race | {"series": []},
            "growth": growth | {"series": [curve | {"points": points}]},
        },
    } | changes


@pytest.fixture
def stored(tmp_path):
    """A folder with two runs, the older one later in the alphabet."""
    (tmp_path / "a.json").write_text(json.dumps(found()))
    old = found("2025-01-01T00:00:00+00:00", processor="An older one")
    (tmp_path / "b.json").write_text(json.dumps(old))
    return tmp_path


def test_the_newest_run_is_taken_by_its_date(stored):
    record = records.newest(stored)
    assert record.processor == "A processor" and record.command == "make bench"
    assert records.read(stored / "b.json").processor == "An older one"


def test_a_machine_is_a_sentence_with_what_took_part(stored):
    words = records.newest(stored).machine
    assert words.startswith("30 November 2026, one core of A processor; python 3.11.7")
    assert "numpy 2.4.6" in words and "torch" not in words and "Load" not in words


def test_other_work_on_the_machine_is_told(tmp_path):
    run = found(load=2.25, note="Provisional.")
    (tmp_path / "x.json").write_text(json.dumps(run))
    words = records.newest(tmp_path).machine
    assert words.endswith(" Load at the start: 2.2. Provisional.")


def test_what_else_ran_in_a_case_is_told_where_it_is_known(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(found(load=2.25, others=0.125)))
    words = records.newest(tmp_path).machine
    assert words.endswith("Other work: 0.12 cores at most, on average of a case.")


def test_a_missed_target_says_what_a_narrow_processor_finds(tmp_path):
    run = found()
    (tmp_path / "x.json").write_text(json.dumps(run))
    assert all(len(row) == 5 for row in records.newest(tmp_path).verdicts().rows)
    claims = [CLAIMS[0], CLAIMS[1] | {"value": 2.5, "met": True}]
    run["cases"]["race"]["as_avx2"] = {"claims": claims}
    (tmp_path / "x.json").write_text(json.dumps(run))
    rows = records.newest(tmp_path).verdicts().rows
    assert [row[4:] for row in rows[:2]] == [("yes", ""), ("no", "2.5, yes")]


def test_a_table_has_ours_first_and_then_the_fast_ones(stored):
    table = records.newest(stored).table("race")
    assert [r.method for r in table.rows] == ["tfdynlib", "other", "slow <b>"]
    assert table.ratio("other") == 2.5 and table.ours == 2.0


def test_a_table_reads_the_same_as_text_and_on_a_page(stored):
    table = records.newest(stored).table("race")
    text, page = repr(table), table._repr_html_()
    for word in ("A race", "median, ms", "1.5 – 3", "2.5", "1e-15"):
        assert word in text and word in page
    assert "slow &lt;b&gt;" in page and "<b>" not in page
    assert page.count("<tr>") == 4 and page.count('scope="row"') == 3


def test_a_slope_is_the_power_of_growth(stored):
    (curve,) = records.newest(stored).series("growth")
    assert curve.slope == pytest.approx(2, abs=1e-12)
    assert curve.name["method"] == "dense" and curve.x.tolist() == N


def test_targets_are_counted(stored):
    assert records.newest(stored).targets() == (1, 2)


def test_drawings_name_every_method(stored):
    record = records.newest(stored)
    svg = plot.show(plot.timings(record.table("race")), alt="times").svg
    assert "other" in svg and "× 2.5" in svg and "× 20" in svg
    assert "dense" in plot.show(plot.scaling(record.series("growth")), alt="growth").svg


def test_here_names_this_machine_and_its_numpy():
    assert f"NumPy {np.__version__}" in records.here()


def test_what_is_not_there_is_refused_with_what_is(stored, tmp_path):
    record = records.newest(stored)
    with pytest.raises(ValueError, match="case must be one of 'race', 'growth'"):
        record.table("rate")
    with pytest.raises(ValueError, match="method must be one of"):
        record.table("race").ratio("nobody")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="folder must be .*make bench.*none in empty"):
        records.newest(tmp_path / "empty")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"date": "yesterday"}'])
def test_a_file_of_something_else_is_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match="file must be a file that `make bench`"):
        records.read(tmp_path / "x.json")


def test_the_stored_run_has_what_the_page_shows():
    record = records.published("speed")
    assert record.table("fast_circle").ours > 0
    assert record.table("exact_sphere").ours > 0
    assert len(record.series("scaling")) >= 3


def test_the_table_of_the_readme_is_that_of_the_stored_run():
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    assert records.published("speed").headline() in readme


def test_every_command_of_the_readme_says_what_it_does_and_runs_nothing(capsys):
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    modules = set(re.findall(r"python -m (tfdynlib\.\w+)", readme))
    assert len(modules) == 5
    for name in modules:
        module = importlib.import_module(name)
        if hasattr(module, "__path__"):
            module = importlib.import_module(f"{name}.__main__")
        with pytest.raises(SystemExit, match="^0$"):
            module.main(["--help"])
        said = capsys.readouterr().out
        assert said.startswith(f"usage: python -m {name} ") and "--out OUT" in said


def test_every_target_has_its_verdict():
    record = records.published("speed")
    verdicts = record.verdicts()
    met = sum(row[-1] == "yes" for row in verdicts.rows)
    assert (met, len(verdicts.rows)) == record.targets()
    assert "<table" in verdicts._repr_html_() and "target" in repr(verdicts)


def test_a_part_that_a_case_lacks_is_refused_by_name():
    found = records.published("claims")
    lacking = (
        lambda: found.table("1.1"),
        lambda: found.series("1.1"),
        found.targets,
        found.verdicts,
    )
    for call in lacking:
        with pytest.raises(ValueError, match="^case must be one with .*, got '1.1'"):
            call()


def test_dates_with_and_without_a_zone_can_be_compared(tmp_path):
    found = {"processor": "x", "form": "short", "versions": {}, "cases": {}}
    for name, zone in (("a", ""), ("b", "+00:00")):
        text = json.dumps(
            {"date": f"2026-01-0{1 + bool(zone)}T00:00:00{zone}", **found}
        )
        (tmp_path / f"{name}.json").write_text(text, "utf-8")
    assert records.newest(tmp_path).date.day == 2


@pytest.mark.parametrize("part", ["versions", "cases"])
def test_a_run_without_tables_is_refused(tmp_path, part):
    found = {"date": "2026-01-01", "processor": "x", "form": "short"}
    found |= {"versions": {}, "cases": {}} | {part: []}
    (tmp_path / "a.json").write_text(json.dumps(found), "utf-8")
    with pytest.raises(ValueError, match="^file must be"):
        records.read(tmp_path / "a.json")
