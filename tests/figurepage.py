"""A bare page with figures, opened from disk in Chromium: no book and no server.

To open a page costs more than most tests ask of it, so a page that one test has read is
handed to the next (``reading``): its cards are closed, its elements replaced by those
of the file, and the site's own script run on them again.  Code of modules is all that
stays; a figure, its model, the address, the window and the mouse are as new.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from figurehand import settle
from playwright.sync_api import Browser, Page, sync_playwright
from unchecked import unchecked

from tfdynlib import widgets
from tfdynlib.widgets import _bundle

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # What page.route does not see (preconnect, DNS) finds no name to ask.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
GROUND = {"light": ("#ffffff", "#222832"), "dark": ("#121212", "#ced6dd")}
PAGE = """<!doctype html>
<html lang="en" data-theme="{theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Figures</title>
<link rel="stylesheet" href="tfdyn.css">
<style>
html {{ --pst-color-background: {ground}; --pst-color-text-base: {ink}; }}
body {{ max-width: 720px; margin: 16px auto; padding: 0 8px; font-family: sans-serif;
  background: {ground}; color: {ink}; }}
</style>
</head>
<body><main><h1>Figures</h1>
{forms}
</main><script src="tfdyn.js"></script></body>
</html>
"""


def chromium() -> str:
    """Path of the browser.  Without one a test is skipped, or fails if it must not."""
    found = os.environ.get("TFDYN_CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), None
    )
    if found is None:
        words = f"no browser: none of {', '.join(NAMES)} is on the PATH"
        if os.environ.get("TFDYN_REQUIRE_BROWSER") == "1":
            pytest.fail(words)
        pytest.skip(words)
    return found


@contextmanager
def launched() -> Iterator[Browser]:
    """Chromium without a window and without a network."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def write_page(folder: Path, *forms: str) -> str:
    """Address of a page that holds these page forms and the site's one script.

    Beside ``light.html`` stands the same page in the other theme.
    """
    (folder / "tfdyn.js").write_text(_bundle.page_script(), "utf-8")
    (folder / "tfdyn.css").write_text(_bundle.style(), "utf-8")
    for theme, (ground, ink) in GROUND.items():
        text = PAGE.format(theme=theme, ground=ground, ink=ink, forms="\n".join(forms))
        (folder / f"{theme}.html").write_text(text, "utf-8")
    return (folder / "light.html").as_uri()


class Visit:
    """A page a reader has open, with all that went wrong on it."""

    def __init__(self, browser: Browser, width: int = 760, **context: Any):
        viewport = {"width": width, "height": HEIGHT}
        self.context = browser.new_context(viewport=viewport, **context)
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.outside: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._heard)
        self.page.on("request", self._asked)

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "blob:", "data:")):
            self.outside.append(request.url)

    def open(self, address: str, state: str = "ready") -> Page:
        """Open a page and wait until a figure, which need not be its first, is so."""
        self.page.goto(address)
        self.page.wait_for_selector(f'.tfdyn[data-tfdyn="{state}"]')
        return self.page

    def again(self, address: str, width: int) -> Page:
        """What ``open`` does, on the page that is open already."""
        place = urlsplit(address)
        text = Path(unquote(place.path)).read_text("utf-8")
        hash = f"#{place.fragment}" if place.fragment else ""
        if self.page.viewport_size != {"width": width, "height": HEIGHT}:
            self.page.set_viewport_size({"width": width, "height": HEIGHT})
        self.page.evaluate(AGAIN, [text, hash])
        self.page.wait_for_selector('.tfdyn[data-tfdyn="ready"]')
        return self.page

    def rest(self) -> None:
        """Close the figures, so that none computes while nobody reads."""
        self.page.emulate_media(media="screen")
        self.page.mouse.move(0, 0)
        self.page.evaluate(CLOSE)

    def close(self) -> None:
        """Close the page and its profile."""
        self.context.close()


HEIGHT = 1000
CLOSE = """() => {
  for (const el of document.querySelectorAll(".tfdyn")) el.tfdyn?.card.close();
  document.querySelector("main").replaceChildren();
}"""
AGAIN = """async ([text, hash]) => {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  fresh.querySelector("script").remove();
  history.replaceState(null, "", location.pathname + hash);
  document.documentElement.dataset.theme = fresh.documentElement.dataset.theme;
  document.querySelector("style").replaceWith(fresh.querySelector("style"));
  document.body.replaceWith(document.adoptNode(fresh.body));
  scrollTo(0, 0);
  const script = document.createElement("script");
  script.src = "tfdyn.js";
  await new Promise((done) => {
    script.onload = done;
    document.body.append(script);
  });
}"""
# Open pages that no test reads now, by browser and by the options of their profile.
_resting: dict[tuple[int, str], list[Visit]] = {}


@contextmanager
def reading(browser: Browser) -> Iterator[Callable[..., Page]]:
    """visit(address, width=760, hash="", theme="light", **context): a page at rest.

    With ``rest=False`` it may still compute: for a test that first changes its state.
    At the end nothing has gone wrong on any of them, and none has asked outside.
    """
    opened: list[tuple[list[Visit], Visit]] = []

    def visit(
        address: str,
        width: int = 760,
        hash: str = "",
        theme: str = "light",
        rest: bool = True,
        **context: Any,
    ) -> Page:
        resting = _resting.setdefault((id(browser), repr(sorted(context.items()))), [])
        address = address.replace("light.html", f"{theme}.html") + hash
        one = resting.pop() if resting else Visit(browser, width, **context)
        opened.append((resting, one))
        if one.page.url == "about:blank":
            one.open(address)
        else:
            one.again(address, width)
        if rest:
            settle(one.page)
        return one.page

    yield visit
    faults = []
    for resting, one in opened:
        faults += one.errors + one.outside
        if one.errors or one.outside:
            one.close()
        else:
            one.rest()
            resting.append(one)
    assert faults == []


def page_form(figure: str, presets: Sequence[str]) -> str:
    """What a page carries of a figure."""
    return getattr(widgets, figure)(*presets).page_form()


def pages(
    folders: pytest.TempPathFactory, figure: str, *sets: Sequence[str]
) -> list[str]:
    """Addresses of pages, light and dark, each with a figure of a set of presets.

    Without a set: one page with all presets.
    """
    cases = [(figure, tuple(presets)) for presets in sets or [all_of(figure)]]
    return [write_page(folders.mktemp(figure), f) for f in page_forms(folders, cases)]


def page_forms(
    folders: pytest.TempPathFactory, cases: Sequence[tuple[str, Sequence[str]]]
) -> list[str]:
    """What a page carries of each; made once for all processes of the session.

    Numbers that Python compares with, and still pictures, take seconds a figure.
    """
    folder = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    files = [
        folder / f"{hashlib.sha256(repr(case).encode()).hexdigest()}.html"
        for case in cases
    ]
    with (folder / f"{cases[0][0]}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [k for k, file in enumerate(files) if not file.is_file()]
        made = unchecked(page_form, [cases[k] for k in missing]) if missing else []
        for k, form in zip(missing, made, strict=True):
            files[k].write_text(form, "utf-8")
    return [file.read_text("utf-8") for file in files]


def all_of(figure: str) -> tuple[str, ...]:
    """Names of a figure's presets."""
    return tuple(getattr(widgets, figure).PRESETS)
