"""A tour of a figure: its opening and its chips, each noted once for all who ask."""

from dataclasses import dataclass
from typing import Any

import sitebook
from hand import Hand, open_figure
from playwright.sync_api import Locator
from reader import Shelf, Visits
from sitebook import Figure

MISPLACED = """(el) => [...el.querySelectorAll("dl dd")].filter((value) => {
  const name = value.previousElementSibling.getBoundingClientRect();
  return Math.abs(value.getBoundingClientRect().left - name.left) > 1
    || value.scrollWidth > value.clientWidth + 8;  // columns are 12 px apart
}).map((value) => value.innerText)"""
SEEN = """(el) => ({
  card: el.querySelector(".tfdyn-card").innerText,
  passport: el.querySelector(".tfdyn-passport-line").innerText,
  said: [...el.querySelectorAll("[role=status][aria-live=polite]")].at(-1).textContent,
  names: [...el.querySelectorAll("canvas")].map((one) => one.ariaLabel),
})"""


@dataclass
class Stop:
    """What is seen at the opening or behind a chip, when nothing may move."""

    still: bool
    words: str  # readouts, verdict, lamps and clock
    copied: str
    misplaced: list[str]  # numbers that do not stand under their names
    card: str  # all words of it
    passport: str
    said: str
    names: list[str | None]  # of its pictures


def tour(shelf: Shelf, figure: Figure) -> list[Stop]:
    """The opening of a figure and every chip that no page before had, under reduced
    motion; made once."""
    memo = shelf.take(figure.page, figures="any").memo
    if figure not in memo:
        hand = open_figure(Visits(shelf.site, shelf), figure, reduced_motion="reduce")
        presets = sitebook.of_figure(figure)["presets"]
        assert hand.state == "ready"
        assert hand.chips.count() == len(presets)
        chips = [hand.chips.nth(k) for k in sitebook.new_chips()[figure]]
        memo[figure] = [stop_at(hand, chip) for chip in [None, *chips]]
    return memo[figure]


def stop_at(hand: Hand, chip: Locator | None) -> Stop:
    """Pick a chip, look twice, copy."""
    if chip:
        chip.click()
    playing = hand.playing()
    shown = hand.rest()
    still = not playing and not hand.changes(shown, timeout=100)
    seen: dict[str, Any] = hand.run(SEEN)
    button = hand.el.locator("button.tfdyn-code")
    button.click()
    words = f"{hand.words()} {hand.el.locator('.tfdyn-clock').inner_text()}"
    copied = str(button.get_attribute("data-copied"))
    return Stop(still, words, copied, hand.run(MISPLACED), **seen)
