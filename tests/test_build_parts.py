"""Parts of the book's extension by themselves: arithmetic, freshness, the server."""

import json
import math
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from types import ModuleType

import pytest
from fixture_book import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from tfdynlib.summation import compiled

sys.path[:0] = [str(ROOT / "book/_ext"), str(ROOT / "book")]

from serve import serving  # noqa: E402
from tfdynbook import answers, freshness, loops, notation, pages  # noqa: E402
from tfdynbook.arithmetic import value_of  # noqa: E402

ANSWERS = ROOT / "book/_ext/tfdynbook/static/answers.js"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

numbers = st.floats(-1e6, 1e6).map(repr)
expressions = st.recursive(
    numbers | st.sampled_from(["pi", "e", "7", "0.25"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", " - "]), inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        inner.map("sqrt(({})^2)".format),
    ),
    max_leaves=6,
)


def on_page(code):
    """Run ``code`` after the page's script and read back what it gives."""
    whole = f"{ANSWERS.read_text()}\nconsole.log(JSON.stringify({code}));"
    done = subprocess.run(["node", "-e", whole], capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.94026", 0.94026),
        ("7/8", 0.875),
        ("−2^2", -4.0),
        ("2^-3", 0.125),
        ("2^3^2", 512.0),
        ("sqrt(2)/2", math.sqrt(2) / 2),
        ("(1-1/12)^12 - e^(-1)", (11 / 12) ** 12 - math.exp(-1)),
        ("1e-3", 1e-3),
        ("π", math.pi),
        ("ln(2)", math.log(2)),
    ],
)
def test_values_of_answers_are_read_as_they_are_written(text, value):
    # one or two operations on doubles: a few roundings
    assert value_of(text) == pytest.approx(value, rel=4e-16)


@pytest.mark.parametrize("text", ["", "about 3", "1/0", "x", "(1", "__import__('os')"])
def test_nonsense_is_no_value(text):
    with pytest.raises(ValueError, match="not a"):
        value_of(text)


@needs_node
@settings(max_examples=15)  # each starts Node; with twenty expressions each
@given(texts=st.lists(expressions, min_size=20, max_size=20))
def test_page_and_python_read_the_same_numbers(texts):
    read = on_page(f"{json.dumps(texts)}.map(tfdynAnswers.valueOf)")
    # both work in doubles, in the same order; only powers may round differently
    assert read == pytest.approx([value_of(text) for text in texts], rel=1e-12)


@needs_node
def test_page_reads_what_a_reader_types():
    typed = ["0,94", " 7 / 8 ", "1,5e-3", "2**3", "√(4)", "", "abc", "1/0", "3 4", ")"]
    read = on_page(f"{json.dumps(typed)}.map(tfdynAnswers.valueOf)")
    assert read[:5] == pytest.approx([0.94, 0.875, 1.5e-3, 8, 2], rel=1e-15)
    assert read[5:] == [None] * 5  # JSON writes NaN as null


@needs_node
def test_page_gives_a_hint_of_the_size_and_no_more():
    box = json.dumps({"value": 0.25, "tol": 0.01})
    given_numbers = [0.251, 0.2399, -0.25, 0.2524, 3, 0.1]
    words = on_page(f"{given_numbers}.map((x) => tfdynAnswers.judge(x, {box}))")
    assert words == ["right", "small", "sign", "right", "large", "small"]


@needs_node
def test_choice_is_right_only_when_all_right_items_are_chosen():
    chosen = [[], [0], [1], [1, 2], [0, 1, 2]]
    said = on_page(f"{chosen}.map((c) => tfdynAnswers.choiceSentence(c, [1, 2]))")
    assert [x == "Yes." for x in said] == [False, False, False, True, False]


def test_tolerance_is_a_unit_of_the_last_decimal():
    assert answers.tolerance("0.940") == {"tol": 1e-3}
    assert answers.tolerance("12") == {"rtol": 1e-9}


def test_fingerprint_changes_with_any_file_and_with_nothing_else(tmp_path):
    (tmp_path / "tfdynlib/web").mkdir(parents=True)
    module = tmp_path / "tfdynlib/web/x.mjs"
    module.write_text("1")
    first = freshness.fingerprint(tmp_path, ["tfdynlib"])
    (tmp_path / "elsewhere").write_text("2")
    assert freshness.fingerprint(tmp_path, ["tfdynlib"]) == first
    module.write_text("2")
    assert freshness.fingerprint(tmp_path, ["tfdynlib"]) != first
    module.write_text("1")
    module.rename(module.with_name("y.mjs"))
    assert freshness.fingerprint(tmp_path, ["tfdynlib"]) != first


def test_fingerprint_knows_the_versions_that_are_installed():
    (line,) = freshness.installed_versions(["numpy", "no-such-package"])
    assert line.startswith("numpy==")


def test_macros_come_from_rows_that_name_one():
    rows = [{"symbol": "x"}, {"macro": "a", "tex": "A"}]
    rows += [{"macro": "b", "tex": "#1", "args": 1}]
    assert notation.macros(rows) == {"a": "A", "b": ["#1", 1]}


def test_blocks_lose_the_id_that_all_share_and_keep_their_own():
    block = '<div id="thm-a"><section class="x" id="proof-content">'
    assert pages.repaired(block) == '<div id="thm-a"><section class="x">'


def test_what_ends_a_formula_stays_on_its_line():
    formula = '<span class="math notranslate nohighlight">\\(t\\)</span>'
    together = f'<span class="tfdynbook-together">{formula},</span> then'
    assert pages.repaired(f"{formula}, then") == together
    assert pages.repaired(f"{formula} then") == f"{formula} then"


@pytest.mark.parametrize(
    ("given", "set_as"),
    [
        ("0.5", "0.5"),
        ("-0.0159", "−0.0159"),
        ("-1e-07", "−1·10⁻⁷"),
        ("3.2e+12", "3.2·10¹²"),
        ("layer-time", "layer-time"),
        ("2026-11-30", "2026-11-30"),
    ],
)
def test_numbers_from_a_run_are_set_as_numbers(given, set_as):
    span = '<span class="pasted-text">{}</span>'.format
    assert pages.repaired(span(given)) == span(set_as)


def test_day_of_a_run_is_written_out():
    assert pages.day(0) == "1 January 1970"


def test_book_is_served_under_a_folder_and_nothing_else_is(tmp_path):
    (tmp_path / "index.html").write_text("here")
    with serving(tmp_path) as address:
        with urllib.request.urlopen(address) as answer:
            assert answer.read() == b"here"
        top = address.split("/textbook/")[0]
        with urllib.request.urlopen(top) as answer:  # sent on to the folder
            assert answer.url == address
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(f"{top}/index.html")
        refused.value.close()


def test_every_loop_is_compiled_before_the_pages_run():
    """One that is not speaks on a page, and only where nothing is compiled yet."""
    loaders = [compiled.loops, compiled.waves, compiled.replicas, compiled.along]
    named = [
        value
        for value in vars(compiled).values()
        if getattr(value, "__annotations__", {}).get("return") is ModuleType
    ]
    assert set(named) == set(loaders)
    for loader in loaders:
        loader.cache_clear()
    loops.compile_all(None)
    if compiled.missing() is None:
        assert all(loader.cache_info().currsize == 1 for loader in loaders)
