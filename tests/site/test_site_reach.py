"""Every figure for a keyboard, a thumb, paper, and a browser without scripts."""

import pytest
import sitebook
from hand import Hand, every_figure, every_view, open_figure
from reader import Shelf, Visits, on_paper
from sitebook import Figure

# Of a radio group and of tabs the Tab key reaches the chosen one; arrows do the rest.
STOPS = """(el) => tfdynSeen.controls(el)
  .filter((x) => (x.role === "tab" ? x.ariaSelected === "true" : true))
  .filter((x) => x.type !== "radio" || x.checked)
  .map((x) => [tfdynSeen.kind(x), tfdynSeen.name(x)])"""
FOCUSED = """(el) => {
  const at = document.activeElement;
  if (!el.contains(at)) return null;
  const ringed = [at, at.nextElementSibling, at.parentElement, at.closest("label")]
    .filter(Boolean).map((x) => getComputedStyle(x))
    .some((s) => (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2)
      || s.boxShadow !== "none");
  return [[tfdynSeen.kind(at), tfdynSeen.name(at)], ringed];
}"""


@every_view
def test_tab_key_reaches_every_control_and_shows_where_it_is(
    visits: Visits, figure: Figure
):
    hand = open_figure(visits, figure).shrink()
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
    # The stage's name says the layer-time; on a busy machine its last word comes late.
    assert reached in (stops, hand.run(STOPS))
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


@every_view
def test_space_plays_and_arrows_scrub(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure).shrink("n")
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


@every_figure
def test_still_picture_is_there_without_scripts(shelf: Shelf, figure: Figure):
    page = shelf.bare(figure.page)
    still = page.locator(sitebook.FIGURE).nth(figure.index).locator(".tfdyn-still svg")
    box = still.bounding_box()
    assert still.is_visible() and box and min(box["width"], box["height"]) > 150
    assert len((still.get_attribute("aria-label") or "").split()) > 4


@every_view
def test_paper_has_a_picture_whether_the_figure_was_seen_or_not(
    shelf: Shelf, figure: Figure
):
    page = shelf.take(figure.page).page
    picture = (
        page.locator(sitebook.FIGURE)
        .nth(figure.index)
        .locator(".tfdyn-still svg:visible, canvas.tfdyn-canvas:visible")
    )
    with on_paper(page):
        assert picture.count() == 1
    hand = Hand(page, figure.index).bring().shrink()
    hand.rest()
    with on_paper(page):
        assert picture.count() == 1
        assert hand.el.locator("button:visible, input:visible").count() == 0


def test_paper_is_white_after_a_dark_screen(visits: Visits):
    page, _ = visits.open("book/notation", formulas=False, color_scheme="dark")
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "dark"
    with on_paper(page):
        assert page.evaluate(theme) == "light"
    assert page.evaluate(theme) == "dark"


TARGETS = """(el) => tfdynSeen.controls(el)
  .map((x) => (x.type === "radio" ? x.closest("label") : x))
  .map((x) => [x.getBoundingClientRect(), x])
  .filter(([{ width, height }]) => width < 43.5 || height < 43.5)
  .map(([{ width, height }, x]) => [tfdynSeen.name(x), width, height])"""


@every_view
def test_a_thumb_hits_every_control_on_a_phone(visits: Visits, figure: Figure):
    """44 px each way (half a pixel for rounding); folds opened first."""
    hand = open_figure(visits, figure, width=320, has_touch=True).shrink()
    hand.run(
        "(el) => el.querySelectorAll('details').forEach((d) => { d.open = true; })"
    )
    hand.rest()
    assert hand.run(TARGETS) == []
