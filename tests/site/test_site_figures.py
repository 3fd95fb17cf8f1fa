"""Every figure where readers meet it: on the built page, among text, theme and theorems.

The figures' own tests drive them on a bare page and know what each should show.  These
know nothing of a figure but what all have in common, so a new figure is covered by
being on a page.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import sitebook
from hand import NUMBER, SEEN, Hand, numbers, open_figure, other_number, other_place
from playwright.sync_api import ElementHandle, Locator
from reader import Site, Visits, on_paper
from sitebook import Figure

every_figure = pytest.mark.parametrize("figure", sitebook.figures(), ids=str)
PROMISE = 1e-9  # what the book says of page against Python; rounding gives about 1e-13


@every_figure
def test_play_moves_the_picture_and_pause_stops_it(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    assert hand.state == "ready"
    start = hand.rest()
    assert not hand.playing(), "a figure waits for its reader"
    hand.button("Play").click()
    hand.button("Pause").wait_for()
    assert hand.changes(start)
    hand.button("Pause").click()
    stopped = hand.rest()
    assert stopped != start
    assert not hand.changes(stopped, timeout=400)


@every_figure
def test_figure_speaks_and_shows_how_far_it_is_from_python(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    hand.rest()
    hand.until("(el) => /deviation \\d/.test(el.querySelector('.tfdyn-passport').innerText)")
    passport = " ".join(hand.el.locator(".tfdyn-passport-line").inner_text().split())
    assert float(NUMBER.findall(passport.split("deviation ")[1])[0]) <= PROMISE
    assert "page against Python" in passport
    assert f"tfdynlib {sitebook.of_figure(figure)['version']}" in passport
    said = hand.el.locator("[role=status][aria-live=polite]").last.text_content() or ""
    assert len(said.split()) >= 4 and said.strip()[-1] in ".!?", said
    names = hand.el.locator("canvas").evaluate_all("(all) => all.map((el) => el.ariaLabel)")
    assert all(name and len(name.split()) >= 3 for name in names), names


@every_figure
def test_words_of_a_figure_are_set_and_stand_where_they_belong(
    visits: Visits, figure: Figure
):
    """No mark-up is left over; the page's style does not push a number off its name."""
    hand = open_figure(visits, figure)
    for chip in hand.chips.all():
        chip.click()
        text = hand.el.locator(".tfdyn-card").inner_text()
        assert not any(mark in text for mark in ("*", "[[", "^{", "_{", "NaN", "undefined"))
    places = hand.el.locator(".tfdyn-readouts > div").evaluate_all(
        "(all) => all.map((el) => [...el.children].map((x) => x.getBoundingClientRect().left))"
    )
    assert [abs(name - value) < 1 for name, value in places] == [True] * 3


# ---- controls: each one that a reader can meet, in each state that a chip leads to


ACTS = {
    "range": other_place,
    "text": other_number,
    "application": lambda control: control.press("ArrowRight"),
}
# What these change is not in the picture: a text is copied, another head comes.
BESIDE = ("Share", "Copy as Python", "Add a head", "Remove this head")


def dead_controls(hand: Hand) -> list[tuple[str, str]]:
    """Controls that change nothing, tried one by one from the present state."""
    hand.scrub(0.5)  # in the middle of the run "back to the start" has work to do
    home, dead = hand.values(), []
    for k in range(hand.run("(el) => tfdynSeen.controls(el).length")):
        before = hand.rest()
        control = hand.run_handle("(el, k) => tfdynSeen.controls(el)[k]", k)
        kind, name, chosen = control.evaluate(
            "(el) => [tfdynSeen.kind(el), tfdynSeen.name(el), el.checked]"
        )
        if chosen or name in BESIDE or kind in ("tab", "summary"):
            continue
        ACTS.get(kind, ElementHandle.click)(control)
        if not hand.changes(before):
            dead.append((kind, name))
        hand.go(home)
    return dead


@every_figure
def test_every_control_changes_what_is_seen(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    assert dead_controls(hand) == []


@every_figure
def test_heads_are_added_chosen_and_removed(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    add = hand.button("Add a head")
    if not add.count():
        pytest.skip("this figure has no heads to add")
    tabs = hand.el.get_by_role("tab")
    assert tabs.count() == 1
    add.click()
    assert tabs.count() == 2 and tabs.nth(1).get_attribute("aria-selected") == "true"
    cell = hand.el.get_by_label("V, row 1, column 1")
    cell.fill("0.25")
    cell.press("Enter")
    tabs.nth(0).click()
    assert cell.input_value() != "0.25"
    tabs.nth(1).click()
    assert cell.input_value() == "0.25"
    hand.button("Remove this head").click()
    assert tabs.count() == 1


# ---- keyboard


STOPS = """(el) => {
  const all = tfdynSeen.controls(el).filter((x) => x.tabIndex >= 0);
  const first = (x) => x.type !== "radio" || x.checked;
  return all.filter(first).map((x) => [tfdynSeen.kind(x), tfdynSeen.name(x)]);
}"""
FOCUSED = """(el) => {
  const at = document.activeElement;
  if (!el.contains(at)) return null;
  const ringed = [at, at.nextElementSibling, at.parentElement, at.closest("label")]
    .filter(Boolean).map((x) => getComputedStyle(x))
    .some((s) => (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2)
      || s.boxShadow !== "none");
  return [[tfdynSeen.kind(at), tfdynSeen.name(at)], ringed];
}"""


@every_figure
def test_tab_key_reaches_every_control_and_shows_where_it_is(
    visits: Visits, figure: Figure
):
    hand = open_figure(visits, figure)
    hand.rest()
    stops = hand.run(STOPS)
    hand.run("(el) => { el.tabIndex = -1; el.focus(); }")
    reached, unseen = [], []
    for _ in range(len(stops) + 1):
        hand.page.keyboard.press("Tab")
        at = hand.run(FOCUSED)
        if at is None:
            break
        stop, ringed = at
        reached.append(stop)
        if not ringed and not ring_in_pixels(hand):
            unseen.append(stop)
    assert reached == stops
    assert unseen == []


def ring_in_pixels(hand: Hand) -> bool:
    """Whether the focused element looks different when it loses the focus."""
    at = hand.page.locator(":focus")
    box = at.bounding_box()
    assert box
    clip = {"x": box["x"] - 4, "y": box["y"] - 4, "width": box["width"] + 8,
            "height": box["height"] + 8}  # fmt: skip
    handle = at.element_handle()
    held = hand.page.screenshot(clip=clip)
    handle.evaluate("(el) => el.blur()")
    left = hand.page.screenshot(clip=clip)
    handle.evaluate("(el) => el.focus({ focusVisible: true })")
    return held != left


@every_figure
def test_space_plays_and_arrows_scrub(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    hand.rest()
    hand.button("Play").focus()
    hand.page.keyboard.press("Space")
    hand.button("Pause").wait_for()
    hand.page.keyboard.press("Space")
    hand.button("Play").wait_for()
    hand.scrub(0.5)
    before = hand.rest()
    moment = hand.values()["t"]
    hand.scrubber.press("ArrowRight")
    assert hand.rest() != before
    hand.scrubber.press("ArrowLeft")
    hand.rest()
    assert hand.values()["t"] == pytest.approx(moment, rel=1e-5)


# ---- the address


@every_figure
def test_a_shared_address_shows_the_same_again(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    hand.rest()
    other_place(hand.el.locator("input[type=range]:not(.tfdyn-scrub)").first.element_handle())
    hand.rest()
    hand.scrub(0.3)
    shown = hand.rest()
    hand.button("Share").click()
    address = hand.page.url
    assert f"#{hand.address()}=" in address
    fresh = open_figure(visits, figure, query="#" + address.split("#", 1)[1])
    assert fresh.rest() == shown
    assert fresh.values() == hand.values()


BROKEN = ["{", '{"n":1e9}', '{"t":"soon"}', '{"colour":"red"}', "[1,2]", "%E0%A4%A", '{"t":NaN}']


@every_figure
def test_a_broken_address_shows_the_start_and_says_so(visits: Visits, figure: Figure):
    """The first on opening the page, the others as links followed on it."""
    hand = open_figure(visits, figure)
    start, name = hand.rest(), hand.address()
    assert not hand.el.locator(".tfdyn-note").is_visible()
    broken = open_figure(visits, figure, query=f"#{name}={BROKEN[0]}")
    note = broken.el.locator(".tfdyn-note")
    assert broken.state == "ready"
    assert note.is_visible() and broken.rest() == start
    for text in BROKEN[1:]:
        broken.follow(f"#{name}={{}}")
        note.wait_for(state="hidden")
        broken.follow(f"#{name}={text}")
        note.wait_for()
        assert "cannot show" in note.inner_text()
    assert broken.rest() == start


# ---- presets: still where nothing may move, and the same in Python


@dataclass
class Stop:
    """What is seen at the opening or behind a chip, when nothing may move."""

    still: bool
    words: str
    copied: str


@pytest.fixture(scope="module", params=sitebook.figures(), ids=str)
def tour(site: Site, request: pytest.FixtureRequest) -> Iterator[list[Stop]]:
    """The opening of a figure and every chip, under reduced motion."""
    visits = Visits(site)
    hand = open_figure(visits, request.param, reduced_motion="reduce")
    yield [stop_at(hand, chip) for chip in [None, *hand.chips.all()]]
    visits.close()


def stop_at(hand: Hand, chip: Locator | None) -> Stop:
    """Pick a chip, look twice, copy."""
    if chip:
        chip.click()
    shown = hand.rest()
    still = not hand.playing() and not hand.changes(shown, timeout=200)
    button = hand.el.locator("button.tfdyn-code")
    button.click()
    words = f"{hand.words()} {hand.el.locator('.tfdyn-clock').inner_text()}"
    return Stop(still, words, str(button.get_attribute("data-copied")))


def test_reduced_motion_keeps_every_preset_still(tour: list[Stop]):
    assert [stop.still for stop in tour] == [True] * len(tour)


RUN = """
import contextlib, io, json, sys
for text in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "copied", "exec"), {"__name__": "__main__"})
    print(json.dumps(out.getvalue()))
"""


def printed(texts: list[str]) -> list[str]:
    """What each copied text prints, run in a fresh Python outside the repository."""
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(texts), capture_output=True, text=True, timeout=120, cwd="/",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_shown(value: float, words: str) -> bool:
    """Whether a number stands among the words, as rounded there."""
    return any(abs(value - seen) <= half * 1.01 for seen, half in numbers(words))


def test_copied_python_prints_the_numbers_shown(tour: list[Stop]):
    for output, stop in zip(printed([stop.copied for stop in tour]), tour, strict=True):
        values = [float(found) for found in NUMBER.findall(output)]
        assert values, stop.copied
        missing = [value for value in values if not is_shown(value, stop.words)]
        assert missing == [], f"{stop.copied}\n\n{output}\n{stop.words}"


# ---- readers without a script, a screen or a mouse


@every_figure
def test_still_picture_is_there_without_scripts(visits: Visits, figure: Figure):
    page, _ = visits.open(figure.page, java_script_enabled=False)
    still = page.locator(sitebook.FIGURE).nth(figure.index).locator(".tfdyn-still svg")
    box = still.bounding_box()
    assert still.is_visible() and box and min(box["width"], box["height"]) > 150
    assert len((still.get_attribute("aria-label") or "").split()) > 4


@every_figure
def test_paper_has_a_picture_whether_the_figure_was_seen_or_not(
    visits: Visits, figure: Figure
):
    page, _ = visits.open(figure.page, formulas=False)
    picture = page.locator(sitebook.FIGURE).nth(figure.index).locator(
        ".tfdyn-still svg:visible, canvas.tfdyn-canvas:visible"
    )
    with on_paper(page):
        assert picture.count() == 1
    hand = Hand(page, figure.index).bring()
    hand.rest()
    with on_paper(page):
        assert picture.count() == 1
        assert hand.el.locator("button:visible, input:visible").count() == 0


TARGETS = """(el) => tfdynSeen.controls(el)
  .map((x) => (x.type === "radio" ? x.closest("label") : x))
  .map((x) => [x.getBoundingClientRect(), x])
  .filter(([box]) => box.width < 43.5 || box.height < 43.5)
  .map(([box, x]) => [tfdynSeen.name(x), Math.round(box.width), Math.round(box.height)])"""


@every_figure
def test_a_thumb_hits_every_control_on_a_phone(visits: Visits, figure: Figure):
    """44 px each way (half a pixel for rounding); folds opened first."""
    hand = open_figure(visits, figure, width=320, has_touch=True)
    hand.run("(el) => el.querySelectorAll('details').forEach((d) => { d.open = true; })")
    hand.rest()
    assert hand.run(TARGETS) == []


# ---- when something breaks


@every_figure
def test_a_figure_that_stops_says_so_leaves_the_page_and_comes_back(
    visits: Visits, figure: Figure
):
    hand = open_figure(visits, figure)
    hand.run("(el) => el.tfdyn.card.guard(() => { throw new Error('planted'); })()")
    assert hand.state == "error"
    stopped = hand.el.get_by_role("alert")
    assert "This figure stopped: planted" in stopped.inner_text()
    assert hand.el.locator(".tfdyn-still svg").is_visible()
    hand.button("Reload figure").click()
    hand.el.and_(hand.page.locator("[data-tfdyn=ready]")).wait_for()
    assert hand.rest()


def test_a_broken_figure_leaves_the_others_alive(visits: Visits):
    """The first figure of a page, doubled on its way to the reader, one copy broken."""
    figure = sitebook.figures()[0]

    def break_one(route: Any) -> None:
        body = route.fetch().text()
        at = body.index('<div class="tfdyn" data-figure=')
        state = body.index('data-state="', at) + len('data-state="')
        broken = '<div class="tfdyn" data-figure="{}" data-state="{{"></div>'
        kind = figure.kind
        assert state > at
        route.fulfill(body=body[:at] + broken.format(kind) + body[at:], content_type="text/html")

    page, record = visits.open(figure.page, formulas=False, answer=break_one)
    dead = Hand(page, 0).bring()
    live = Hand(page, 1).bring()
    assert dead.state == "error"
    assert "This figure stopped" in dead.el.get_by_role("alert").inner_text()
    assert live.state == "ready"
    before = live.rest()
    live.button("Play").click()
    assert live.changes(before)
    assert record.outside == []


# ---- speed, measured


@pytest.mark.parametrize(
    "figure", [f for f in sitebook.figures() if f.kind in ("sphere", "any")][:1], ids=str
)
def test_a_frame_of_256_tokens_on_the_sphere_fits_16_ms(
    visits: Visits, figure: Figure, record_property
):
    """Median of step and draw while playing; a screen at 60 Hz shows a frame in 16.7 ms.

    The best of three runs after a warm-up counts: what another program takes from a
    busy machine is not the figure's cost.
    """
    hand = open_figure(visits, figure)
    hand.go({**hand.values(), "n": 256, "t": 0.0})
    medians = []
    for _ in range(4):
        hand.button("Play").click()
        hand.run("(el) => { el.tfdyn.frameTimes.length = 0; }")
        hand.until("(el) => el.tfdyn.frameTimes.length >= 60", timeout=20_000)
        medians.append(hand.run(
            "(el) => [...el.tfdyn.frameTimes].sort((a, b) => a - b)[30]"
        ))  # fmt: skip
        hand.button("Pause").click()
    best = min(medians[1:])
    record_property("median frame, ms", best)
    print(f"{figure}: medians {medians} ms")
    assert best < 16


@every_figure
def test_first_control_works_in_two_seconds_on_a_slow_machine(
    visits: Visits, figure: Figure, record_property
):
    """From the click on a link to a moved picture, with the processor four times slower.

    Judged by the processor time of the page's main thread, times four, because the
    clock also counts what other programs take from a busy machine.  On a free one the
    clock is asked too, with the processor slowed down by the browser.
    """
    work, _ = min(first_control(visits, figure, slower=1) for _ in range(2))
    clock = min(first_control(visits, figure, slower=4)[1] for _ in range(2))
    record_property("first control, s", {"work": 4 * work, "clock": clock})
    print(f"{figure}: first control after {4 * work:.2f} s of work, {clock:.2f} s by the clock")
    assert 4 * work < 2.0
    if os.getloadavg()[0] < 0.7 * (os.cpu_count() or 1):
        assert clock < 2.0


FIRST = """async (index) => {
  const figure = () => document.querySelectorAll(".tfdyn[data-figure]")[index];
  const frame = () => new Promise(requestAnimationFrame);
  while (figure()?.dataset.tfdyn !== "ready") await frame();
  const el = figure();
  const before = tfdynSeen.picture(el);
  el.querySelector('[aria-label="One step forward"]').click();
  while (tfdynSeen.picture(el) === before) await frame();
  return performance.now() / 1000;
}"""


def first_control(visits: Visits, figure: Figure, slower: float) -> tuple[float, float]:
    """Seconds of work, and on the page's own clock, which starts with the request."""
    context = visits.context()
    context.add_init_script(SEEN)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(visits.site.address(figure.page), wait_until="commit")
    clock = page.evaluate(FIRST, figure.index)
    metrics = session.send("Performance.getMetrics")["metrics"]
    context.close()
    (work,) = [one["value"] for one in metrics if one["name"] == "TaskDuration"]
    return work, clock
