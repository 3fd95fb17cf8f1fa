"""Every page, served or from disk: whole, quiet, light, and without a network."""

import re
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import sitebook
from reader import Shelf, Site, Visits, read_through
from sitebook import PAGES

from tfdynlib import widgets

MEGABYTE = 1_000_000
OTHERS = ["search", "genindex"]  # made by Sphinx

# Sentences and object texts that a notebook engine leaves where a picture failed.
REMAINS = re.compile(
    r"A Jupyter widget could not be displayed"
    r"|widget state"
    r"|requires? a (running )?kernel"
    r"|<(tfdynlib|matplotlib|IPython|Axes|Figure)\b[^>]*>"
    r"|\bobject at 0x[0-9a-f]+"
    r"|\bnp\.(float|int)\d+\("  # a number, but not as a reader writes it
    rf"|\b({'|'.join(widgets.__all__)})\([^)]*\) *$"
)


# What a cell has printed is read without scrolling.
CUT = """(article) => [...article.querySelectorAll(".cell_output pre")]
  .filter((pre) => pre.scrollWidth > pre.clientWidth + 1)
  .map((pre) => pre.innerText.slice(0, 80))"""

every_page = pytest.mark.parametrize("name", PAGES)


@every_page
def test_page_is_quiet_and_asks_for_nothing_outside(shelf: Shelf, name):
    assert shelf.take(name, figures="any").faults == []


@every_page
def test_page_is_light(shelf: Shelf, name):
    """Sizes on disk: what travels is smaller where the host compresses."""
    limit = (4.5 if sitebook.has_math(name) else 3) * MEGABYTE
    shown = shelf.take(name, figures="any")
    assert len(shown.requests) <= 45
    assert shown.bytes <= limit


@every_page
def test_formulas_are_typeset_without_a_network(shelf: Shelf, name):
    article = shelf.take(name, figures="any").page.locator("article")
    source = sitebook.article(name).select(".math")
    formulas = [el for el in source if re.search(r"\\[(\[]", el.get_text())]
    assert article.locator(".math mjx-container").count() >= len(formulas)
    assert article.locator("mjx-merror, [data-mjx-error]").count() == 0
    assert re.findall(r"\\[(\[].{0,40}", article.inner_text()) == []


@every_page
def test_text_holds_no_remains_of_a_failed_output_and_headings_are_in_order(
    shelf: Shelf, name
):
    """One h1; a heading is at most one level below the one before."""
    page = shelf.take(name, figures="seen").page
    read_through(page)
    shown = page.locator("article").inner_text()
    outputs = sitebook.article(name).select(".cell_output")
    for text in [shown, *(el.get_text(" ") for el in outputs)]:
        assert [found[0] for found in REMAINS.finditer(text)] == []
    headings = page.locator("article").get_by_role("heading")
    found = headings.evaluate_all(
        "(all) => all.map((el) => [+(el.ariaLevel ?? el.tagName[1]), el.innerText])"
    )
    levels = [level for level, _ in found]
    assert levels[:1] == [1] and levels.count(1) == 1
    deeper = [(a, b) for a, b in zip(found, found[1:], strict=False) if b[0] > a[0] + 1]
    assert deeper == []


@pytest.mark.parametrize("name", sitebook.one_of_programs())
def test_page_lives_when_opened_from_disk(visits: Visits, name):
    """Of the pages that load the same scripts and kinds of figures one, its formulas
    set on the page that has one of each; that all a page loads is there, and beside
    it, is seen in ``test_every_link_of_the_site_leads_somewhere``."""
    page, record = visits.open(name, scheme="file", formulas=name == "book/notation")
    read_through(page)
    assert record.faults() == []
    states = page.locator(sitebook.FIGURE).evaluate_all(
        "(all) => all.map((el) => el.dataset.tfdyn)"
    )
    assert set(states) <= {"ready"}


@pytest.mark.parametrize("name", OTHERS)
def test_page_made_by_sphinx_is_quiet(visits: Visits, name):
    page, record = visits.open(name)
    page.wait_for_load_state("networkidle")
    assert record.faults() == []


def test_search_finds_a_word_without_a_network(visits: Visits):
    page, record = visits.open("search", query="?q=attention")
    page.locator("#search-results a").first.wait_for()
    assert record.faults() == []


@every_page
def test_every_picture_has_a_text(site: Site, name):
    html = sitebook.page(name)
    images = [img for img in html.select("img") if not img.get("alt")]
    stills = html.select(
        "article svg:not([aria-hidden=true] *):not([aria-hidden=true])"
    )
    named = [
        svg for svg in stills if svg.get("role") == "img" and svg.get("aria-label")
    ]
    assert images == []
    assert [str(svg)[:200] for svg in stills if svg not in named] == []


def _target(folder: Path, page: str, href: str) -> tuple[Path, str]:
    """File and fragment of a same-site address found on ``page``."""
    url = urlsplit(urljoin(f"/{page}.html", href))
    path = folder / unquote(url.path).lstrip("/")
    return (path / "index.html" if path.is_dir() else path), unquote(url.fragment)


def _ids(path: Path, known: dict[Path, set[str]]) -> set[str]:
    if path not in known:
        known[path] = set(re.findall(r'<[^>]*\sid="([^"]+)"', path.read_text("utf8")))
    return known[path]


def test_every_link_of_the_site_leads_somewhere(site: Site):
    home = sitebook.settings()["html"]["baseurl"]
    dead, known = [], {}
    for name in PAGES + OTHERS:
        for el in sitebook.page(name).select("[href], [src]"):
            href = str(el.get("href") or el.get("src"))
            if re.match(r"/[^/]", href):
                dead.append((name, href, "not to be found from disk"))
            href = href.replace(home, "/", 1)
            if re.match(r"[a-z]+:|//|#$", href) or not href:
                continue
            path, part = _target(site.folder, name, href)
            if not path.is_file():
                dead.append((name, href, "no such file"))
            elif part and path.suffix == ".html" and part not in _ids(path, known):
                dead.append((name, href, "no such place"))
    assert dead == []


def test_no_page_of_the_site_is_left_out(site: Site):
    """A page in the menu of one is in the menu of all, so none is an island."""
    for name in PAGES:
        links = sitebook.page(name).select(".bd-sidebar-primary a[href]")
        files = {_target(site.folder, name, str(a["href"]))[0].resolve() for a in links}
        here = {(site.folder / f"{other}.html").resolve() for other in PAGES}
        assert here - files <= {(site.folder / f"{name}.html").resolve()}, name


@every_page
def test_page_does_not_scroll_sideways(shelf: Shelf, name):
    page = shelf.take(name, width=320, figures="seen").page
    read_through(page)
    for width in (320, 360, 768):
        page.set_viewport_size({"width": width, "height": 800})
        overflow = page.locator("html").evaluate(
            "(el) => el.scrollWidth - el.clientWidth"
        )
        assert overflow <= 0, f"{overflow} px too wide at {width} px: {_widest(page)}"
        assert page.locator("article").evaluate(CUT) == []


def _widest(page) -> str:
    """Elements that reach over the right edge and do not scroll by themselves."""
    return page.evaluate(
        """() => [...document.querySelectorAll("body *")]
            .filter((el) => el.getBoundingClientRect().right > innerWidth + 1)
            .filter((el) => !el.closest("[data-tfdyn-scrolls], pre, .math, table"))
            .slice(0, 5).map((el) => el.outerHTML.slice(0, 120)).join(" | ")"""
    )
