"""The built site in a real browser: visits of a test's own, and a shelf for all."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from reader import SUBPATH, Shelf, Site, Visits, served
from sitebook import PAGES, SITE, without

# Pictures for the team's eyes are taken only where a folder for them is named.
collect_ignore = [] if os.environ.get("TFDYN_SHOTS") else ["test_site_shots.py"]


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the built site, so that a build going on cannot disturb the tests."""
    missing = [name for name in PAGES if not (SITE / f"{name}.html").is_file()]
    if missing:
        without(
            f"the site in {SITE} lacks {', '.join(missing)}",
            "Build it with `make book`, or set TFDYN_SITE to the folder that holds it.",
        )
    folder = tmp_path_factory.mktemp("host") / SUBPATH
    shutil.copytree(SITE, folder)
    return folder


@pytest.fixture(scope="session")
def site(copied: Path, browser: Browser) -> Iterator[Site]:
    """The site on a plain file server, below a sub-path."""
    with served(copied.parents[len(Path(SUBPATH).parts) - 1]) as host:
        yield Site(browser, copied, f"{host}{SUBPATH}/")


@pytest.fixture(scope="session")
def shelf(site: Site) -> Iterator[Shelf]:
    """The page that is open; the next test of the same page finds it so."""
    shelf = Shelf(site)
    yield shelf
    shelf.close()


@pytest.fixture
def visits(site: Site, shelf: Shelf) -> Iterator[Visits]:
    """Opens pages; what was opened is closed when the test ends."""
    opened = Visits(site, shelf)
    yield opened
    opened.close()


def page_of(item: pytest.Item) -> str:
    """The page that a test is about; empty if it is about none."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    figure = params.get("figure")
    return str(params.get("name", figure.page if figure else ""))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one page stand together, so that a worker opens it once."""
    rank = {name: k for k, name in enumerate(["", *PAGES])}
    folder = Path(__file__).parent
    here = [k for k, item in enumerate(items) if item.path.parent == folder]
    ours = sorted((items[k] for k in here), key=lambda item: rank.get(page_of(item), 0))
    for k, item in zip(here, ours, strict=True):
        items[k] = item
