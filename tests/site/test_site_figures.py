"""Every figure on every page: it starts, it answers each control, it tells the truth."""

import subprocess
import sys

import pytest
import sitebook
from hand import Hand, click_at, numbers, open_figure
from playwright.sync_api import Page, Route
from reader import Site, Visits
from sitebook import FIGURE, Figure

every_figure = pytest.mark.parametrize("figure", sitebook.figures(), ids=str)


@every_figure
def test_play_moves_the_picture_and_pause_stops_it(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure)
    assert hand.state == "ready"
    start = hand.rest()
    assert not hand.playing(), "a figure waits for its reader"
    hand.button("Play").click()
    assert hand.playing()
    assert hand.changes(start)
    hand.button("Pause").click()
    stopped = hand.rest()
    assert not hand.playing()
    assert stopped != start
    assert not hand.changes(stopped, timeout=500)


@every_figure
def test_figure_at_rest_says_a_sentence_and_a_measured_deviation(
    visits: Visits, figure: Figure
):
    """1e-9 is the book's promise; rounding alone gives about 1e-13."""
    hand = open_figure(visits, figure)
    hand.rest()
    hand.until("(el) => /deviation \\\\d/.test(el.querySelector('.tfdyn-passport').innerText)")
    passport = hand.el.locator(".tfdyn-passport-line").inner_text()
    deviation = passport.split("deviation ")[1].split(",")[0]
    assert float(deviation) <= 1e-9, passport
    assert "page against Python" in passport
    assert f"tfdynlib {sitebook.of_figure(figure)['version']}" in passport
    said = hand.el.locator("[role=status][aria-live=polite]").last.text_content() or ""
    assert len(said.split()) >= 4 and said.rstrip().endswith((".", "!", "?")), said
    labels = hand.el.locator("canvas").evaluate_all("(all) => all.map((el) => el.ariaLabel)")
    assert all(label and len(label.split()) > 2 for label in labels), labels


ACTS = """async (el, control) => {
  const t = tfdynSeen;
  const kind = t.kind(control);
  if (kind === "range") { /* moved by the mouse of the test */ }
}"""


def _act(hand: Hand, control, kind: str) -> None:
    """What a reader does with a control of this kind."""
    if kind == "range":
        share = control.evaluate("(el) => (el.value - el.min) / (el.max - el.min)")
        click_at(control, 0.3 if share > 0.5 else 0.7)
    elif kind == "text":
        control.press("ArrowUp")
        if control.evaluate("(el) => el.value === el.dataset.before"):
            control.press("ArrowDown")
    elif kind == "application":
        control.press("ArrowRight")
    else:
        control.click()


@every_figure
def test_every_control_changes_what_is_seen(visits: Visits, figure: Figure):
    """At the middle of the run, so that also "back to the start" has work to do."""
    hand = open_figure(visits, figure)
    hand.rest()
    hand.scrub(0.5)
    before = hand.rest()
    home = hand.values()
    dead = []
    for k in range(hand.run("(el) => tfdynSeen.controls(el).length")):
        handle = hand.el.evaluate_handle("(el, k) => tfdynSeen.controls(el)[k]", k)
        control = handle.as_element()
        kind, name = hand.page.evaluate(
            "(el) => [tfdynSeen.kind(el), tfdynSeen.name(el)]", control
        )
        print(kind, name)
