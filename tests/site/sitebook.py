"""What the built site holds, read from its files without a browser."""

import html
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from pagesource import docnames

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("TFDYN_SITE", ROOT / "_build" / "html")).resolve()

FIGURE = ".tfdyn[data-figure]"
QUESTION = ".tfdyn-ask"


def without(what: str, cure: str) -> None:
    """Skip loudly, or fail where ``TFDYN_REQUIRE_BROWSER=1`` asks for the browser."""
    if os.environ.get("TFDYN_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{what}, but TFDYN_REQUIRE_BROWSER=1 asks for it. {cure}")
    pytest.skip(f"NOT TESTED IN A BROWSER: {what}. {cure}")


def settings() -> dict[str, Any]:
    """``_config.yml``."""
    return yaml.safe_load((ROOT / "_config.yml").read_text("utf8"))


PAGES = docnames()


@cache
def page(name: str) -> BeautifulSoup:
    """The built page ``book/tokens/layers`` as the server sends it."""
    return BeautifulSoup((SITE / f"{name}.html").read_text("utf8"), "html.parser")


def article(name: str) -> Tag:
    """The part of a page that its author wrote."""
    found = page(name).select_one("article")
    assert found is not None, f"{name} has no article"
    return found


def source(name: str) -> str:
    """The page as its author wrote it."""
    return (ROOT / f"{name}.md").read_text("utf8")


def has_code(name: str) -> bool:
    """Whether the page is a notebook."""
    return "{code-cell}" in source(name)


def has_math(name: str) -> bool:
    """Whether the page loads the typesetter of formulas."""
    return bool(page(name).select("script[src*=mathjax]"))


@dataclass(frozen=True)
class Figure:
    """Figure number ``index`` of a page."""

    page: str
    index: int
    kind: str

    def __str__(self) -> str:
        return f"{self.page.removeprefix('book/')}-{self.index}-{self.kind}"


@cache
def _text(name: str) -> str:
    """The page as text; empty if it is not built."""
    file = SITE / f"{name}.html"
    return file.read_text("utf8") if file.is_file() else ""


def has_figure(name: str) -> bool:
    """Whether a built page has one."""
    return 'data-figure="' in _text(name)


def figures() -> list[Figure]:
    """All figures of the site; one that stands for them if the site is not built."""
    found = [
        Figure(name, k, kind)
        for name in PAGES
        for k, kind in enumerate(re.findall(r'data-figure="([\w-]+)"', _text(name)))
    ]
    return found or [Figure(PAGES[0], 0, "any")]


@cache
def one_of_views() -> tuple[Figure, ...]:
    """Of each kind in each of its views the figure with the most presets.

    What does not depend on the page is tested there.
    """
    return _best_of_views(lambda state: len(state.get("presets", ())))


@cache
def lightest_of_views() -> tuple[Figure, ...]:
    """Of each kind in each of its views the figure with the fewest tokens.

    There is tested what must wait for whole runs.
    """
    return _best_of_views(lambda state: -state.get("n", 0))


def _best_of_views(worth: Callable[[dict[str, Any]], int]) -> tuple[Figure, ...]:
    best: dict[tuple[str, str], tuple[int, Figure]] = {}
    for figure in figures():
        state = of_figure(figure) if _text(figure.page) else {}
        key, value = (figure.kind, str(state.get("view"))), worth(state)
        if key not in best or best[key][0] < value:
            best[key] = (value, figure)
    return tuple(figure for _, figure in best.values())


def one_of_programs() -> list[str]:
    """The first page of those that load the same scripts and kinds of figures."""
    first: dict[frozenset[str], str] = {}
    for name in PAGES:
        found = re.findall(r'<script[^>]*src="(?:[^"]*/)?([^"]+)"', _text(name))
        found += re.findall(r'data-figure="([\w-]+)"', _text(name))
        first.setdefault(frozenset(found), name)
    return list(first.values())


@cache
def one_of_kinds() -> tuple[Figure, ...]:
    """Of each kind the first of these."""
    found = reversed(one_of_views())
    return tuple({figure.kind: figure for figure in found}.values())


def questions() -> list[str]:
    """Pages with questions; the first page if the site is not built."""
    return [name for name in PAGES if 'class="tfdyn-ask"' in _text(name)] or PAGES[:1]


STATE = re.compile(r'<div class="tfdyn" data-figure="[\w-]+"[^>]* data-state="([^"]*)"')


@cache
def of_figure(figure: Figure) -> dict[str, Any]:
    """The state that the page gives the figure."""
    found = STATE.findall(_text(figure.page))
    return json.loads(html.unescape(found[figure.index]))


@cache
def new_chips() -> dict[Figure, list[int]]:
    """Of each figure the chips that no figure before it has."""
    seen: set[str] = set()
    found: dict[Figure, list[int]] = {}
    for figure in figures():
        chips = [
            f"{figure.kind} {chip['values']}" for chip in of_figure(figure)["presets"]
        ]
        found[figure] = [k for k, chip in enumerate(chips) if chip not in seen]
        seen.update(chips)
    return found
