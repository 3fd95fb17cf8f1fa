"""A reader's hand on the first figure of a bare page, and what is then seen there.

No wait here is for a time: each is for the page's own frames, or for what is to come.
A page on a busy machine is slow, and says the same.
"""

import contextlib
import io
import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import axe_playwright_python
import numpy as np
from playwright.sync_api import CDPSession, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from unchecked import no_checks

from tfdynlib.widgets._widget import Widget

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
COLOUR = ("color-contrast", "link-in-text-block")  # rules that a theme can break
FIGURE = "document.querySelector('.tfdyn')"
LIVE = '.tfdyn-hidden[role="status"]'
HASH = """() => {
  const canvas = document.querySelector(".tfdyn-canvas");
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let hash = 0;
  for (let k = 0; k < data.length; k += 4)
    hash = (hash * 31 + data[k] + 256 * data[k + 1] + 65536 * data[k + 2]) | 0;
  return hash;
}"""
# Sizes are told to observers after a frame's callbacks: they have come when the third
# frame in which the loop sleeps begins.
REST = """async () => {
  const end = performance.now() + 60_000;
  for (let calm = 0; calm < 3; calm += 1) {
    await new Promise(requestAnimationFrame);
    const { tfdyn } = document.querySelector(".tfdyn");
    if (!tfdyn?.card.loop.resting) calm = -1;
    if (performance.now() > end) throw new Error("the figure does not come to rest");
  }
}"""
FRAMES = """async (count) => {
  for (; count > 0; count -= 1) await new Promise(requestAnimationFrame);
}"""
STOP = """() => {
  const figure = document.querySelector(".tfdyn");
  if (figure.tfdyn.card.clock.playing) figure.querySelector(".tfdyn-play").click();
}"""
# A view of its own is built when the click is over, before the next line.
BEGIN = """async (name) => {
  document.querySelector(`[data-preset="${name}"]`).click();
  await null;
  const { playing, t } = document.querySelector(".tfdyn").tfdyn.card.clock;
  return [playing, t];
}"""
# From now on notes every word that a canvas draws, with its box, until it draws anew.
NOTE_WORDS = """() => {
  if (window.said) return; // a page that was handed on
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
# From now on notes every line that a canvas draws, until it draws anew.
NOTE_LINES = """() => {
  if (window.lines) return;
  window.lines = new Map();
  const pen = CanvasRenderingContext2D.prototype;
  const { clearRect, moveTo, lineTo } = pen;
  let at = [0, 0];
  pen.clearRect = function (...box) {
    window.lines.set(this.canvas, []);
    return clearRect.apply(this, box);
  };
  pen.moveTo = function (...to) {
    at = to;
    return moveTo.apply(this, to);
  };
  pen.lineTo = function (...to) {
    window.lines.get(this.canvas)?.push([...at, ...to]);
    at = to;
    return lineTo.apply(this, to);
  };
}"""
# Short or upright lines, as those of charts are: their boxes stand for them.
CROSSED = """(name) => [...document.querySelectorAll(".tfdyn-chart")]
  .flatMap((canvas) => (window.said.get(canvas) ?? [])
  .filter(({ text }) => new RegExp(name).test(text))
  .filter(({ x0, x1, y0, y1 }) => window.lines.get(canvas).some(([a, b, c, d]) =>
    Math.min(a, c) < x1 && Math.max(a, c) > x0 &&
    Math.min(b, d) < y1 && Math.max(b, d) > y0))
  .map(({ text }) => text))"""
WORDS = """() => [...document.querySelectorAll(".tfdyn canvas")]
  .filter((canvas) => canvas.offsetParent && window.said.has(canvas))
  .map((one) => [one.clientWidth, one.clientHeight, window.said.get(one)])"""
UNFOLD = """() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
}"""
SMALL = """() => [...document.querySelectorAll(
     ".tfdyn :is(button, input, summary, .tfdyn-option)")]
  .filter((e) => e.offsetParent && !e.matches(".tfdyn-option input"))
  .map((e) => [e.className, e.getBoundingClientRect()])
  .filter(([, r]) => r.width < 44 || r.height < 44)
  .map(([name, r]) => `${name} ${r.width} x ${r.height}`)"""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


# What it shows


def model(page: Page, key: str) -> Any:
    """A value of the first figure's model."""
    return page.evaluate(f"{FIGURE}.tfdyn.model.get({json.dumps(key)})")


def state_of(page: Page, figure: type[Widget]) -> dict[str, Any]:
    """All that a reader can change of the figure, a class of ``tfdynlib.widgets``."""
    values = f"(keys) => keys.map((key) => {FIGURE}.tfdyn.model.get(key))"
    keys = list(figure.keys_of_state())
    return dict(zip(keys, page.evaluate(values, keys)))


def numbers(page: Page) -> dict:
    """What the first figure shows, as numbers."""
    return page.evaluate(f"{FIGURE}.tfdyn.numbers()")


def clock(page: Page) -> float:
    """The number of the player's clock."""
    return float(page.inner_text(".tfdyn-clock").split("=")[1])


def playing(page: Page) -> bool:
    """Whether the player plays."""
    return page.evaluate(f"{FIGURE}.tfdyn.card.clock.playing")


def lamps(page: Page) -> list[str]:
    """The word of each lamp."""
    return page.locator(".tfdyn-lamp b").all_inner_texts()


def deviation(page: Page) -> float:
    """How far the page is from Python, as its foot says."""
    words = page.inner_text(".tfdyn-passport-line")
    found = re.search(r"deviation (\S+), page against Python", words)
    assert found, words
    return float(found[1])


def assert_says(page: Page, pattern: str) -> None:
    """The live sentence becomes this; it is rewritten once in 2.5 s at most."""
    test = (
        "([live, so]) => new RegExp(so).test(document.querySelector(live).textContent)"
    )
    with suppress(PlaywrightTimeoutError):
        page.wait_for_function(test, arg=[LIVE, f"^(?:{pattern})$"], timeout=10_000)
    said = page.text_content(LIVE) or ""
    assert re.fullmatch(pattern, said), said


# Waiting


def frames(page: Page, count: int = 2) -> None:
    """Let the page draw so many frames."""
    page.evaluate(FRAMES, count)


def settle(page: Page) -> None:
    """Wait until the first figure is at rest: its buffer full, its picture drawn.

    Another figure of the page may have come before it.
    """
    page.evaluate(REST)


# The hand


def put(page: Page, **values: object) -> None:
    """Change the model as Python would, and wait for the buffer to be full."""
    page.evaluate(
        f"for (const pair of {json.dumps(list(values.items()))})"
        f" {FIGURE}.tfdyn.model.set(...pair)"
    )
    settle(page)


def stop(page: Page) -> None:
    """Pause the player if it plays, and wait for rest."""
    page.evaluate(STOP)
    settle(page)


def play(page: Page, count: int = 20) -> None:
    """Press Play, let so many frames pass, and pause."""
    page.click(".tfdyn-play")
    frames(page, count)
    stop(page)


def pick(page: Page, name: str) -> None:
    """Take a preset by its chip, and do not let it play."""
    page.click(f'[data-preset="{name}"]')
    stop(page)


def begun(page: Page, name: str) -> tuple[bool, float]:
    """Take a preset by its chip: whether it plays, and the moment, at once."""
    plays, t = page.evaluate(BEGIN, name)
    return plays, t


def drag(page: Page, start: Sequence[float], end: Sequence[float]) -> None:
    """Drag from one point of the window to another."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


def unfold(page: Page) -> None:
    """Open all that is folded, when widths have been told, and let it be laid out."""
    frames(page)
    page.evaluate(UNFOLD)
    frames(page)


# What leaves it


def copied(page: Page) -> str:
    """The lines of Python that a click copies."""
    page.click(".tfdyn-code")
    return str(page.get_attribute(".tfdyn-code", "data-copied"))


def run_copied(page: Page) -> tuple[list[float], dict]:
    """Numbers that the copied lines print, and the names they leave behind."""
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed), no_checks():
        exec(compile(copied(page), "copied", "exec"), names)
    return [float(word) for word in printed.getvalue().split()], names


def shared(page: Page) -> str:
    """The part of the address, from its #, that a click on Share gives."""
    page.click(".tfdyn-share")
    # A page handed on keeps the path of its first file: only the state is read.
    address = str(page.get_attribute(".tfdyn-share", "data-copied"))
    return address[address.index("#") :]


def assert_shared(one: Page, two: Page, figure: type[Widget]) -> None:
    """The second page, opened at the shared address of the first, shows the same."""
    assert state_of(two, figure) == state_of(one, figure)
    assert two.evaluate(HASH) == one.evaluate(HASH)


# What every state owes


def assert_whole(page: Page) -> None:
    """A sentence instead of an exception, and no number that is none."""
    text = page.inner_text(".tfdyn-card")
    assert not re.search(r"NaN|undefined|Infinity|null", text), text
    assert page.inner_text(".tfdyn-verdict").strip(), "no verdict"


def assert_changes(
    page: Page, changes: dict[str, object], quiet: Collection[str] = ()
) -> None:
    """Each value put alone changes the stage, unless ``quiet``, and back again."""
    t = model(page, "t")
    for key, value in changes.items():
        before, old = page.evaluate(HASH), model(page, key)
        put(page, **{key: value})
        assert (page.evaluate(HASH) != before) or key in quiet, key
        put(page, **{key: old})
        put(page, t=t)  # a shorter run takes the moment along
        assert page.evaluate(HASH) == before, key


def too_wide(page: Page) -> int:
    """Pixels by which the page is wider than the window, with everything unfolded."""
    unfold(page)
    return page.evaluate(TOO_WIDE)


def small_targets(page: Page) -> list[str]:
    """What a thumb would miss: less than 44 px, with everything unfolded."""
    unfold(page)
    return page.evaluate(SMALL)


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


def crossed(page: Page, name: str) -> list[str]:
    """Words of a chart, those like this, that a line runs through.

    After ``NOTE_WORDS`` and ``NOTE_LINES``, and a change that draws the chart.
    """
    return page.evaluate(CROSSED, name)


def violations(page: Page, *rules: str) -> list[tuple[str, str]]:
    """What axe finds with everything unfolded: by these rules, or by all of WCAG 2.2
    A and AA."""
    unfold(page)
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    found = page.evaluate(
        """([rules, tags]) => axe.run(document, {
          runOnly: rules.length ? { type: "rule", values: rules } : tags,
          preload: false, resultTypes: ["violations"],
        })""",
        [list(rules), LEVELS],
    )
    return [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]]


def frame_cost(page: Page, count: int = 40) -> float:
    """Milliseconds that a frame costs while the figure plays.

    Median by the clock, or mean by the processor time of the page's main thread, with
    the browser's own work in it; whichever is less, as both are more than the figure's.
    """
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(f"{FIGURE}.tfdyn.frameTimes.length = 0")
    before = work_done(session)
    play(page, count)
    times = page.evaluate(f"{FIGURE}.tfdyn.frameTimes")
    work = 1000 * (work_done(session) - before) / len(times)
    session.detach()
    return min(float(np.median(times)), work)


def work_done(session: CDPSession) -> float:
    """Seconds of processor time of the page's main thread so far."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    (work,) = [one["value"] for one in metrics if one["name"] == "TaskDuration"]
    return work
