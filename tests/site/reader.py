"""A reader in Chromium: a fresh profile, no network but our own site, a full record.

To open a page of the site costs two to three seconds of processor.  A test that must
see a page being opened, or opened in its own way, opens it (``Visits.open``).  All
others read one page that is open already (``Shelf``); between two tests it is put back
as it was, its figures new unless both only look.  ``conftest.py`` sorts the tests by
page, so that each page is opened once; in any other order they take longer and say the
same.

Everything a page asks for is written down.  What does not go to this machine is
aborted, so a test can both see the attempt and see the page live without the answer.
"""

import functools
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import sitebook
from opening import first_control, watched
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, Route
from sitebook import FIGURE

PATIENCE = 60_000  # ms for what comes late on a busy machine
SUBPATH = "some/where"  # the book must not need the root of its host
OUTSIDE = re.compile(r"^(?!http://127\.0\.0\.1[:/]|http://localhost[:/]|ws://127\.0\.0\.1"
                     r"|ws://localhost|file:|data:|blob:|about:)")  # fmt: skip
MATHJAX = re.compile(r"/mathjax/[^?]*\.js")


class _Quiet(SimpleHTTPRequestHandler):
    """A plain file server that keeps connections open and says nothing."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader who leaves in the middle of an answer is no fault."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Address of a plain static server for ``folder``."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def on_paper(page: Page) -> Iterator[None]:
    """The page as it goes to the printer: print media, and the events around it."""
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    yield
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")


class Record:
    """What happened in one context."""

    def __init__(self, context: BrowserContext) -> None:
        self.errors: list[str] = []  # of the console and of scripts
        self.outside: list[str] = []  # addresses on other machines, all aborted
        self.requests: list[str] = []  # addresses on this one
        self.failed: list[str] = []  # of these, not answered with success
        context.on("console", self._console)
        context.on("weberror", lambda e: self.errors.append(f"exception: {e.error}"))
        context.on("request", self._request)
        context.on("response", self._response)
        context.route(OUTSIDE, self._abort)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "assert"):
            self.errors.append(f"console: {message.text}")

    def _request(self, request: Any) -> None:
        if request.url.startswith(("http:", "file:")) and not OUTSIDE.match(
            request.url
        ):
            self.requests.append(request.url)

    def _response(self, response: Any) -> None:
        if response.status >= 400:
            self.failed.append(f"{response.status} {response.url}")

    def _abort(self, route: Route) -> None:
        self.outside.append(route.request.url)
        route.abort()

    def faults(self) -> list[str]:
        """Everything that must not happen on any page."""
        return self.errors + self.failed + [f"outside: {url}" for url in self.outside]

    def bytes_of(self, site: Path, base: str) -> int:
        """Size on disk of the site's files that were asked for, each once."""
        paths = {urlsplit(url.removeprefix(base)).path for url in self.requests}
        return sum((site / unquote(path)).stat().st_size for path in paths)


class Site:
    """The copy of the built site that a test module drives."""

    def __init__(self, browser: Browser, folder: Path, base: str) -> None:
        self.browser, self.folder, self.base = browser, folder, base

    def address(self, name: str, scheme: str = "http") -> str:
        """Address of a page over http under a sub-path, or of its file on disk."""
        start = self.base if scheme == "http" else f"{self.folder.as_uri()}/"
        return f"{start}{name}.html"


class Visits:
    """Opens pages for one test, each with a fresh profile; closed at its end."""

    def __init__(self, site: Site, shelf: "Shelf | None" = None) -> None:
        self.site, self.shelf = site, shelf
        self._open: list[BrowserContext] = []

    def context(
        self, width: int = 1280, height: int = 900, **options: Any
    ) -> BrowserContext:
        """A fresh profile with a window of that size."""
        context = self.site.browser.new_context(
            viewport={"width": width, "height": height}, **options
        )
        context.set_default_timeout(PATIENCE)
        self._open.append(context)
        return context

    def open(
        self,
        name: str,
        *,
        scheme: str = "http",
        query: str = "",
        formulas: bool = True,
        answer: Callable[[Route], None] | None = None,
        **options: Any,
    ) -> tuple[Page, Record]:
        """Open the page ``name``, with ``query`` (``?…`` or ``#…``) behind its address.

        Tests that do not look at formulas say ``formulas=False`` and save a second.
        ``answer`` may change the page on its way to the reader.
        """
        context = self.context(**options)
        record = Record(context)
        if not formulas:
            context.route(MATHJAX, lambda route: route.fulfill(body=""))
        if answer:
            context.route(f"**/{name}.html*", answer)
        page = context.new_page()
        page.goto(self.site.address(name, scheme) + query)
        if formulas and options.get("java_script_enabled", True):
            page.evaluate("async () => { await window.MathJax?.startup?.promise; }")
        return page, record

    def close(self) -> None:
        """Close all."""
        for context in self._open:
            context.close()
        self._open.clear()


def read_through(page: Page) -> None:
    """Scroll to every figure and to the end; wait until all is mounted and loaded."""
    for figure in page.locator(FIGURE).all():
        figure.scroll_into_view_if_needed()
        figure.and_(page.locator("[data-tfdyn]")).wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")


# Figures as the page brought them, kept before any script of the page runs.
KEEP = """document.addEventListener("readystatechange", () => {
  globalThis.tfdynBrought ??=
    [...document.querySelectorAll(".tfdyn[data-figure]")].map((el) => el.outerHTML);
})"""
# What only a page shows that nobody has touched.
UNTOUCHED = """() => {
  const seen = (el) => {
    const box = el?.getBoundingClientRect();
    return Boolean(box?.width && box.height)
      && getComputedStyle(el).visibility === "visible";
  };
  const all = (where) => [...document.querySelectorAll(where)];
  const fold = "article .admonition.dropdown";
  globalThis.tfdynFolds = new Map([
    ...all("details").map((el) => [el, el.open]),
    ...all("article .toggle-button")
      .map((el) => [el, el.classList.contains("toggle-button-hidden")]),
  ]);
  return {
    questions: all(".tfdyn-ask").map((el) => ({
      name: el.getAttribute("aria-label"),
      button: [...el.querySelectorAll("button")]
        .some((one) => seen(one) && one.innerText.trim() === "Check"),
      fold: seen(el.querySelector(":scope > details")),
      verdict: el.querySelector("output[role=status][aria-live=polite]").innerText,
    })),
    unfolded: all(fold).filter((el) => !el.parentElement.closest(fold))
      .filter((el) => seen(el.querySelector(":scope > :not(.admonition-title)")))
      .map((el) => el.innerText),
  };
}"""
BACK = """async ([hash, figures_are]) => {
  const figures = [...document.querySelectorAll(".tfdyn[data-figure]")];
  if (figures_are !== "kept") for (const el of figures) el.tfdyn?.card.close();
  history.replaceState(null, "", location.pathname + hash);
  document.querySelector(".dropdown-toggle.show")?.click();
  for (const [el, was] of tfdynFolds) {
    if ("open" in el) el.open = was;
    else if (el.classList.contains("toggle-button-hidden") !== was) el.click();
  }
  document.activeElement?.blur();
  scrollTo(0, 0);
  if (!figures.length || figures_are === "kept") return;
  figures.forEach((el, k) => { el.outerHTML = tfdynBrought[k]; });
  if (figures_are === "still") return;
  const old = document.querySelector("script[src*='tfdyn/tfdyn.js']");
  const script = document.createElement("script");
  script.src = old.src;
  const run = new Promise((done) => { script.onload = done; });
  old.replaceWith(script);
  await run;
}"""


@dataclass
class Shown:
    """An open page, and what was noted before anybody touched it."""

    name: str
    page: Page
    session: CDPSession
    faults: list[str]
    requests: list[str]
    bytes: int
    questions: list[dict[str, Any]]
    unfolded: list[str]
    first: tuple[float, float] | None  # work and time to the first moved picture
    figures: str = "seen"  # or touched, still
    memo: dict[Any, Any] = field(default_factory=dict)  # results two tests judge


class Shelf:
    """The page that is open, read from top to bottom, for test after test."""

    def __init__(self, site: Site) -> None:
        self.site, self._visits = site, Visits(site)
        self._shown: Shown | None = None
        self._bare: Page | None = None

    def take(
        self,
        name: str,
        hash: str = "",
        width: int = 1280,
        has_touch: bool = False,
        figures: str = "fresh",
        **media: Any,
    ) -> Shown:
        """The page as a reader of this width finds it, at the top, nothing unfolded.

        Its ``figures`` are "fresh": mounted anew by the site's own script, with
        ``hash`` in the address.  A test that only looks takes them "seen": alive, as
        the page's opening or another look left them.  "still" are the pictures that
        the page brought; "any" will do for a test of something else.  ``media`` goes
        to ``Page.emulate_media``.
        """
        shown = self._shown
        if not shown or shown.name != name:
            shown = self._open(name)
        page = shown.page
        shown.session.send("Emulation.setTouchEmulationEnabled", {"enabled": has_touch})
        plain = {"media": "screen", "color_scheme": "light"}
        page.emulate_media(**plain | {"reduced_motion": "no-preference"} | media)
        page.mouse.move(0, 0)
        if page.viewport_size != {"width": width, "height": 900}:
            page.set_viewport_size({"width": width, "height": 900})
        if figures == "any":
            figures = "still" if shown.figures == "touched" else shown.figures
        kept = figures in ("seen", "still") and shown.figures == figures
        page.evaluate(BACK, [hash, "kept" if kept else figures])
        shown.figures = "touched" if figures == "fresh" else figures
        return shown

    def _open(self, name: str) -> Shown:
        self.close()
        context = self._visits.context()
        context.add_init_script(KEEP)
        record = Record(context)
        page = context.new_page()
        session = watched(page)
        first = None
        if sitebook.has_figure(name):
            first = first_control(page, session, self.site.address(name))
            page.wait_for_load_state()
        else:
            page.goto(self.site.address(name))
        page.evaluate("async () => { await window.MathJax?.startup?.promise; }")
        read_through(page)
        self._shown = Shown(
            name,
            page,
            session,
            record.faults(),
            list(record.requests),
            record.bytes_of(self.site.folder, self.site.base),
            **page.evaluate(UNTOUCHED),
            first=first,
        )
        return self._shown

    def bare(self, name: str) -> Page:
        """The page in a browser without scripts."""
        site = self.site
        if not self._bare:
            size = {"width": 1280, "height": 900}
            context = site.browser.new_context(viewport=size, java_script_enabled=False)
            self._bare = context.new_page()
        if self._bare.url != site.address(name):
            self._bare.goto(site.address(name))
        return self._bare

    def close(self) -> None:
        """Close the page."""
        self._visits.close()
        self._shown = None
