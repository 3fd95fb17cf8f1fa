"""The build of the book, on a tiny book with one of everything.

It is built once, for fifteen seconds.  Tests that only look have a copy as it then was;
those that change and build it again, for five, put its sources back.
"""

import json
import re
import shutil
from html.parser import HTMLParser

import pytest
import yaml
from fixture_book import ROOT, build, lay, page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The tiny book, built, and a copy of it to look at."""
    root, shown = tmp_path_factory.mktemp("book"), tmp_path_factory.mktemp("site")
    done = build(lay(root))
    assert done.returncode == 0, done.stdout[-3000:]
    return root, shutil.copytree(root, shown, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def site(built):
    """The tiny book as it was built first."""
    return built[1]


@pytest.fixture
def book(built):
    """The tiny book to change and build again."""
    root, _ = built
    places = [*(root / "book").glob("*.md"), root / PROBE, root / HOST]
    before = {path: path.read_text("utf8") for path in places}
    yield root
    for path, text in before.items():
        if path.read_text("utf8") != text:
            path.write_text(text, "utf8")


PROBE = "tfdynlib/probe.py"
HOST = "tfdynlib/widgets/web/host.mjs"


class Tags(HTMLParser):
    """All start tags of a page: ``(name, attributes)``."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def loaded_addresses(text):
    """What a browser fetches by itself when it opens a page."""
    for tag, attributes in Tags(text).found:
        if tag in ("script", "img", "iframe", "source", "video", "audio", "embed"):
            yield attributes.get("src") or ""
        if tag == "link" and attributes.get("rel") != "canonical":
            yield attributes.get("href") or ""


def all_pages(root):
    html = root / "_build/html"
    return [
        p for p in sorted(html.rglob("*.html")) if html / "_static" not in p.parents
    ]


def test_no_page_loads_anything_from_outside(site):
    for path in all_pages(site):
        for address in loaded_addresses(path.read_text("utf8")):
            assert not re.match(r"(https?:)?//", address), (path.name, address)


def test_every_file_that_a_page_loads_is_there(site):
    for path in all_pages(site):
        for address in loaded_addresses(path.read_text("utf8")):
            if address and not address.startswith("data:"):
                file = path.parent / address.split("?")[0].split("#")[0]
                assert file.exists(), (path.name, address)


def test_no_style_sheet_loads_anything_from_outside(site):
    for path in (site / "_build/html/_static").rglob("*.css"):
        outside = re.findall(
            r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)'\"]*", path.read_text("utf8")
        )
        assert not outside, (path.name, outside)


def test_scripts_go_only_to_pages_that_need_them(site):
    needs = {
        "mathjax/tex-chtml.js": {"book/exercise", "book/notation"},
        "tfdyn/tfdyn.js": {"book/figure"},
        "tfdynbook/answers.js": {"book/exercise"},
        "tfdynbook/tables.js": {"book/exercise"},
    }
    pages = ("book/intro", "book/notation", "book/figure", "book/exercise")
    for script, wanted in needs.items():
        assert {name for name in pages if script in page(site, name)} == wanted


def test_page_carries_no_widget_state_and_no_widget_manager(site):
    text = page(site, "book/figure")
    assert 'data-figure="circle"' in text
    for unwanted in ("widget-state", "widget-view", "require.js", "thebe", "embed-amd"):
        assert unwanted not in text


def test_page_with_code_says_when_and_with_what_it_was_run(site):
    text = page(site, "book/figure")
    assert re.search(r"Run with tfdynlib \d\S* on <time .*numpy \d", text)
    assert "Run with tfdynlib" not in page(site, "book/intro")


def test_launch_button_of_every_page_with_code_opens_its_source(site):
    settings = yaml.safe_load((ROOT / "_config.yml").read_text())
    place = settings["repository"]["url"].removeprefix("https://github.com/")
    start = f"https://mybinder.org/v2/gh/{place}/{settings['repository']['branch']}"
    (path,) = re.findall(
        re.escape(f"{start}?urlpath=lab/tree/") + r'([^"]*)"', page(site, "book/figure")
    )
    assert (site / path).is_file()


def test_notebook_to_download_is_clean_and_installs_the_package(site):
    text = (site / "_build/html/_sources/book/figure.ipynb").read_text("utf8")
    notebook = json.loads(text)
    assert '_sources/book/figure.ipynb"' in page(site, "book/figure")
    assert set(notebook["metadata"]) == {"kernelspec"}
    assert all(not c["outputs"] for c in notebook["cells"] if c["cell_type"] == "code")
    assert "%pip install" in "".join(notebook["cells"][0]["source"])


def test_answer_carries_values_and_tolerances(site):
    boxes = [
        json.loads(attributes["data-spec"])
        for _, attributes in Tags(page(site, "book/exercise")).found
        if attributes.get("class") == "tfdyn-ask"
    ]
    first, second = boxes[0]["boxes"]
    assert first == {"value": 0.25, "part": "first", "tol": 0.01}
    assert second["value"] == pytest.approx(0.5**0.5, rel=1e-15)
    assert boxes[1] == {"right": [1]}


def test_answer_can_be_read_without_a_script(site):
    text = page(site, "book/exercise")
    assert "<p>check: 0.25, sqrt(2)/2</p></details>" in text
    assert "<p>check: b</p></details>" in text


def test_solution_is_folded_and_blocks_are_numbered_by_page(site):
    text = page(site, "book/exercise")
    assert 'class="solution dropdown admonition"' in text
    assert re.search(r"Theorem \d+\.2 ", text)


def test_notation_table_has_a_row_for_each_symbol_and_its_macros(site):
    text = page(site, "book/notation")
    assert text.count("<tr") == 3  # the head and two symbols
    assert r'"pair": ["\\langle #1,#2\\rangle", 2]' in text
    assert 'href="exercise.html"' in text


def test_row_of_a_table_leads_to_its_page(site):
    assert '<a href="figure.html">1.1</a>' in page(site, "book/exercise")


def test_no_two_elements_of_a_page_share_an_id(site):
    for path in all_pages(site):
        ids = [a["id"] for _, a in Tags(path.read_text("utf8")).found if a.get("id")]
        assert len(ids) == len(set(ids)), (
            path.name,
            {i for i in ids if ids.count(i) > 1},
        )


def test_changes_are_shown_by_the_next_build_and_no_more_is_done_after_it(site, book):
    assert "the probe says 1" in page(site, "book/figure")

    (book / PROBE).write_text("VALUE = 2\n")
    figure = book / HOST
    figure.write_text(figure.read_text("utf8") + "\nexport const probe = 2;\n")
    assert build(book).returncode == 0
    assert "the probe says 2" in page(book, "book/figure")
    assert "probe = 2" in (book / "_build/html/_static/tfdyn/tfdyn.js").read_text()

    again = build(book)
    assert again.returncode == 0
    assert "Executing notebook" not in again.stdout
    assert "0 added, 0 changed, 0 removed" in again.stdout


def test_failing_cell_fails_the_build_and_names_its_page(book):
    path = book / "book/figure.md"
    path.write_text(path.read_text() + "\n```{code-cell} python\n1 / 0\n```\n")
    done = build(book)
    assert done.returncode != 0
    assert "figure.md" in done.stdout
    assert "ZeroDivisionError" in done.stdout


FAULTS = {
    "figure": "```{code-cell} python\nimport warnings\nwarnings.warn('look')\n```",
    "intro": "See {ref}`nowhere`.\n\n```{answer} about three\n```",
    "exercise": '<table><tr><th><a data-page="no">1.2</a></th></tr></table>',
}
TOLD = [
    r"figure\.md:\d+: ERROR: stderr was found in the cell outputs",
    r"intro\.md:\d+: WARNING: undefined label: 'nowhere'",
    r"intro\.md:\d+: ERROR: not a number or an expression: 'about three'",
    r"a table leads to book/no, which is no page",
]


def test_warnings_fail_the_build_however_often_it_is_repeated(book):
    """Of a cell, a reference, an answer, a table: each is one that the build counts."""
    for name, text in FAULTS.items():
        path = book / f"book/{name}.md"
        path.write_text(f"{path.read_text()}\n{text}\n")
    for _ in range(2):
        done = build(book)
        assert done.returncode != 0
        assert [told for told in TOLD if not re.search(told, done.stdout)] == []
        assert f"build finished with problems, {len(TOLD)} warnings" in done.stdout
