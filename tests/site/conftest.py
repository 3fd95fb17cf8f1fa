"""The built site in a real browser: a fresh profile for every visit."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from reader import SUBPATH, Site, Visits, served
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


@pytest.fixture
def visits(site: Site) -> Iterator[Visits]:
    """Opens pages; what was opened is closed when the test ends."""
    opened = Visits(site)
    yield opened
    opened.close()
