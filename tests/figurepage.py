"""A bare page with figures, opened from disk in Chromium: no book and no server.

To open a page costs more than most tests ask of it, so a page that one test has read is
handed to the next (``reading``): its cards are closed, its elements replaced by those
of the file, and the site's own script run on them again.  Code of modules is all that
stays; a figure, its model, the address, the window and the mouse are as new.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import axe_playwright_python
import pytest
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


def write_page(folder: Path, *forms: str, theme: str = "light") -> str:
    """Address of a page that holds these page forms and the site's one script."""
    ground, ink = GROUND[theme]
    text = PAGE.format(theme=theme, ground=ground, ink=ink, forms="\n".join(forms))
    (folder / "tfdyn.js").write_text(_bundle.page_script(), "utf-8")
    (folder / "tfdyn.css").write_text(_bundle.style(), "utf-8")
    (folder / f"{theme}.html").write_text(text, "utf-8")
    return (folder / f"{theme}.html").as_uri()


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
        """Open a page and wait until its first figure is in this state."""
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
def reading(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """visit(address, width=760, hash="", page="light", **context): an open page, ready.

    At the end nothing has gone wrong on any of them, and none has asked outside.
    """
    opened: list[tuple[list[Visit], Visit]] = []

    def visit(
        address: str,
        width: int = 760,
        hash: str = "",
        page: str = "light",
        **context: Any,
    ) -> Visit:
        resting = _resting.setdefault((id(browser), repr(sorted(context.items()))), [])
        address = address.replace("light.html", f"{page}.html") + hash
        one = resting.pop() if resting else Visit(browser, width, **context)
        opened.append((resting, one))
        if one.page.url == "about:blank":
            one.open(address)
        else:
            one.again(address, width)
        return one

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
    """Addresses of pages, light and dark, each with a figure of a set of presets."""
    found = []
    for form in unchecked(page_form, [[figure, list(presets)] for presets in sets]):
        folder = folders.mktemp(figure.lower())
        write_page(folder, form, theme="dark")
        found.append(write_page(folder, form))
    return found


AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
FIGURE = "document.querySelector('.tfdyn')"
HASH = """() => {
  const canvas = document.querySelector(".tfdyn-canvas");
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let hash = 0;
  for (let k = 0; k < data.length; k += 4)
    hash = (hash * 31 + data[k] + 256 * data[k + 1] + 65536 * data[k + 2]) | 0;
  return hash;
}"""


# From now on notes every word that a canvas draws, with its box, until it draws anew.
NOTE_WORDS = """() => {
  window.said = new Map();
  const pen = CanvasRenderingContext2D.prototype;
  const { clearRect, fillText } = pen;
  pen.clearRect = function (...box) {
    window.said.set(this.canvas, []);
    return clearRect.apply(this, box);
  };
  pen.fillText = function (text, x, y) {
    const m = this.measureText(text);
    const [up, down] = [m.actualBoundingBoxAscent, m.actualBoundingBoxDescent];
    const box = { text, x0: x, x1: x + m.width, y0: y - up, y1: y + down };
    window.said.get(this.canvas)?.push(box);
    return fillText.call(this, text, x, y);
  };
}"""
WORDS = """() => [...document.querySelectorAll(".tfdyn canvas")]
  .filter((canvas) => canvas.offsetParent && window.said.has(canvas))
  .map((one) => [one.clientWidth, one.clientHeight, window.said.get(one)])"""


def collisions(page: Page) -> list[tuple[str, str]]:
    """Words on a canvas that lie on others, or stick out; after ``NOTE_WORDS``."""
    found = []
    for width, height, words in page.evaluate(WORDS):
        for k, a in enumerate(words):
            if not (-1 <= a["x0"] and a["x1"] <= width + 1 and a["y1"] <= height + 1):
                found.append((a["text"], "out"))
            for b in words[:k]:
                across = min(a["x1"], b["x1"]) - max(a["x0"], b["x0"])
                along = min(a["y1"], b["y1"]) - max(a["y0"], b["y0"])
                # ticks of the grid lie below everything and may be written over
                if min(across, along) > 2 and not re.fullmatch(r"[−\d.]+", b["text"]):
                    found.append((b["text"], a["text"]))
    return found


def model(page: Page, key: str) -> Any:
    """A value of the first figure's model."""
    return page.evaluate(f"{FIGURE}.tfdyn.model.get({json.dumps(key)})")


def numbers(page: Page) -> dict:
    """What the first figure shows, as numbers."""
    return page.evaluate(f"{FIGURE}.tfdyn.numbers()")


def settle(page: Page) -> None:
    """Wait until the first figure is at rest: its buffer full, its picture drawn."""
    page.evaluate(
        """async () => {
          const figure = document.querySelector(".tfdyn");
          const resting = () => figure.tfdyn.card.loop.resting;
          const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
          const end = performance.now() + 60_000;
          while (performance.now() < end) {
            if (resting() && (await wait(30), resting())) return;
            await wait(15);
          }
          throw new Error("the figure does not come to rest");
        }"""
    )


def put(page: Page, **values: object) -> None:
    """Change the model as Python would, and wait for the buffer to be full."""
    page.evaluate(
        f"for (const pair of {json.dumps(list(values.items()))})"
        f" {FIGURE}.tfdyn.model.set(...pair)"
    )
    settle(page)


def clock(page: Page) -> float:
    """The number of the player's clock."""
    return float(page.inner_text(".tfdyn-clock").split("=")[1])


def violations(page: Page) -> list[tuple[str, str]]:
    """What axe finds against WCAG 2.2 A and AA, with everything unfolded."""
    page.evaluate(
        "document.querySelectorAll('details').forEach((d) => (d.open = true))"
    )
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = page.evaluate(f"axe.run(document, {{ runOnly: {tags}, preload: false }})")
    return [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]]
