"""Every figure where readers meet it: on the built page, amid text and theme.

The figures' own tests drive them on a bare page and know what each should show.  These
know nothing of a figure but what all have in common, so a new figure is covered by
being on a page.
"""

from collections.abc import Callable

import pytest
import sitebook
from hand import (
    NUMBER,
    Hand,
    every_figure,
    every_view,
    open_figure,
    other_number,
    other_place,
)
from playwright.sync_api import ElementHandle
from reader import Shelf, Visits
from sitebook import Figure
from touring import tour

PROMISE = 1e-9  # what the book says of page against Python; rounding gives about 1e-13


@every_view
def test_play_moves_the_picture_and_pause_stops_it(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    assert hand.state == "ready"
    assert not hand.playing(), "a figure waits for its reader"
    start = hand.shrink("n").rest()
    assert not hand.playing()
    hand.button("Play").click()
    assert hand.changes(start)
    hand.run(MOVED)  # a pause in the first frame would leave it where it was
    stopped = hand.pause().rest()
    assert stopped != start
    assert not hand.changes(stopped, timeout=200)


@every_figure
def test_figure_speaks_and_shows_how_far_it_is_from_python(
    shelf: Shelf, figure: Figure
):
    opening = tour(shelf, figure)[0]
    passport = " ".join(opening.passport.split())
    assert float(NUMBER.findall(passport.split("deviation ")[1])[0]) <= PROMISE
    assert "page against Python" in passport
    assert f"tfdynlib {sitebook.of_figure(figure)['version']}" in passport
    said = opening.said
    assert len(said.split()) >= 4 and said.strip()[-1] in ".!?", said
    names = opening.names
    assert all(name and len(name.split()) >= 3 for name in names), names


@every_figure
def test_words_of_a_figure_are_set_and_stand_where_they_belong(
    shelf: Shelf, figure: Figure
):
    """No mark-up is left over; the page's style does not push a number off its name."""
    for stop in tour(shelf, figure):
        for mark in ("*", "[[", "^{", "_{", "NaN", "undefined"):
            assert mark not in stop.card
        assert stop.misplaced == []


# ---- controls: each one that a reader can meet


ACTS = {
    "range": other_place,
    "text": other_number,
    "application": lambda control: control.press("ArrowRight"),
}
# What these change is not in the picture: a text is copied, another head comes.
BESIDE = ("Share", "Copy as Python", "Add a head", "Remove this head")


def one_of_views_and_seconds() -> list[Figure]:
    """Of each view one figure, and those that are not the first of their page."""
    views = sitebook.one_of_views()
    return [one for one in sitebook.figures() if one in views or one.index > 0]


Control = tuple[str, str]  # kind, spoken name
MOVED = """async (el) => {
  const { clock } = el.tfdyn.card, from = clock.t;
  for (let k = 0, on = 0; on < 10 && k < 600; k += 1) {
    await tfdynSeen.frame();
    on += clock.t !== from;
  }
}"""
COUNT = "(el) => tfdynSeen.controls(el).length"


def dead_controls(hand: Hand, chosen: Callable[[Control], bool]) -> list[Control]:
    """Controls that change nothing, tried one by one from the present state."""
    home, dead = hand.values(), []
    before = hand.rest()
    count = hand.run(COUNT)
    for k in range(count):
        control = hand.run_handle("(el, k) => tfdynSeen.controls(el)[k]", k)
        kind, name, checked = control.evaluate(
            "(el) => [tfdynSeen.kind(el), tfdynSeen.name(el), el.checked]"
        )
        if checked or name in BESIDE or kind in ("tab", "summary"):
            continue
        if not chosen((kind, name)):
            continue
        ACTS.get(kind, ElementHandle.click)(control)
        if not hand.changes(before):
            dead.append((kind, name))
        # A step of a number is no other place to be, unless it hides a control.
        if kind != "text" or hand.run(COUNT) != count:
            hand.go(home)
        before = hand.rest()
    hand.go(home)
    return dead


@pytest.mark.parametrize("figure", one_of_views_and_seconds(), ids=str)
def test_every_control_changes_what_is_seen(visits: Visits, figure: Figure):
    """In the middle of the run, where also "back to the start" has work to do.

    A symmetric start can hide what a weight does, as no motion shows no sign of V; so
    what seems dead there is tried again with a token turned off its place.  Where
    another figure stands for the view, only the first control, and of such figures the
    first of a page has moved when the page was opened.
    """
    hand = open_figure(visits, figure).shrink()
    hand.scrub(0.5)
    all_of_them = figure in sitebook.one_of_views()
    tried: list[Control] = []

    def wanted(control: Control) -> bool:
        if tried and not all_of_them:
            return False
        tried.append(control)
        return True

    dead = dead_controls(hand, wanted)
    if dead:
        for _ in range(3):
            hand.el.locator("canvas[role=application]").first.press("ArrowUp")
        dead = dead_controls(hand, dead.__contains__)
    assert tried and dead == []


@every_view
def test_heads_are_added_chosen_and_removed(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    add = hand.button("Add a head")
    tabs = hand.el.get_by_role("tab")
    if not add.count():  # a figure whose heads are not the reader's to add
        assert tabs.count() == 0
        return
    assert tabs.count() == 1
    add.click()
    assert tabs.count() == 2 and tabs.nth(1).get_attribute("aria-selected") == "true"
    cell = hand.el.get_by_label("row 1, column 1").last
    cell.fill("0.25")
    cell.press("Enter")
    tabs.nth(0).click()
    assert cell.input_value() != "0.25"
    tabs.nth(1).click()
    assert cell.input_value() == "0.25"
    hand.button("Remove this head").click()
    assert tabs.count() == 1
