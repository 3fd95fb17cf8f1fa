"""What leaves a figure is the figure: its address, and its numbers in Python."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from hand import (
    NUMBER,
    Hand,
    every_figure,
    every_view,
    every_view_at_its_lightest,
    numbers,
    open_figure,
    other_place,
)
from reader import Shelf, Visits
from sitebook import Figure
from touring import tour


def turn(hand: Hand) -> None:
    """Move the first slider in sight; without one, what arrow keys move."""
    sliders = hand.el.locator("input[type=range]:not(.tfdyn-scrub):visible")
    if sliders.count():
        other_place(sliders.first.element_handle())
    else:
        hand.el.locator("canvas[role=application]").first.press("ArrowRight")


@every_view
def test_a_shared_address_shows_the_same_again(visits: Visits, figure: Figure):
    hand = open_figure(visits, figure).shrink()
    hand.rest()
    turn(hand)
    hand.rest()
    hand.scrub(0.3)
    hand.rest()
    words = hand.words()
    hand.button("Share").click()
    hash = hand.page.evaluate("location.hash")
    assert hash.startswith(f"#{hand.address()}=")
    values = hand.values()
    hand.go(values)  # the address holds seven digits of the moment
    there = hand.rest()
    fresh = open_figure(visits, figure, query=hash)
    shown = fresh.rest()
    assert fresh.values() == values
    assert fresh.words() == words
    assert there == shown


BROKEN = [
    "{",
    '{"n":1e9}',
    '{"t":"soon"}',
    '{"colour":"red"}',
    "[1,2]",
    "%E0%A4%A",
    '{"t":NaN}',
]


# Follows links on the page to a good and a bad state in turn: whether the note has gone
# after the good one, and what it says of the bad one.
FOLLOW = """async (el, [name, texts]) => {
  const note = el.querySelector(".tfdyn-note");
  const follow = async (text) => {
    history.replaceState(null, "", "#");
    const followed = new Promise((done) => {
      addEventListener("hashchange", done, { once: true });
    });
    location.hash = `${name}=${text}`;
    await followed;
    return note.checkVisibility() ? note.innerText : "";
  };
  const said = [];
  for (const text of texts) said.push([await follow("{}"), await follow(text)]);
  return said;
}"""


@every_view_at_its_lightest
def test_a_broken_address_shows_the_start_and_says_so(shelf: Shelf, figure: Figure):
    """The first when the figure is mounted, the others as links that are followed."""
    hand = Hand(shelf.take(figure.page).page, figure.index).bring()
    start, name = hand.rest(), hand.address()
    assert not hand.el.locator(".tfdyn-note").is_visible()
    page = shelf.take(figure.page, hash=f"#{name}={BROKEN[0]}").page
    broken = Hand(page, figure.index).bring()
    assert broken.state == "ready"
    assert broken.el.locator(".tfdyn-note").is_visible() and broken.rest() == start
    for gone, said in broken.run(FOLLOW, [name, BROKEN[1:]]):
        assert gone == "" and "cannot show" in said
    assert broken.rest() == start


@every_figure
def test_reduced_motion_keeps_every_preset_still(shelf: Shelf, figure: Figure):
    stops = tour(shelf, figure)
    assert [stop.still for stop in stops] == [True] * len(stops)


RUN = """
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    out, fault = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(json.loads(line), "copied", "exec"), {"__name__": "__main__"})
    except Exception:
        fault = traceback.format_exc()
    print(json.dumps([out.getvalue(), fault]), flush=True)
"""

Printed = Callable[[str], str]


@pytest.fixture(scope="session")
def printed() -> Iterator[Printed]:
    """printed(text): what a copied text prints, with no names but its own, in a Python
    outside the repository; what two figures copy is run once."""
    known: dict[str, str] = {}
    call, pipe = [sys.executable, "-c", RUN], subprocess.PIPE
    with subprocess.Popen(call, stdin=pipe, stdout=pipe, text=True, cwd="/") as python:
        assert python.stdin and python.stdout

        def run(text: str) -> str:
            if text not in known:
                python.stdin.write(f"{json.dumps(text)}\n")
                python.stdin.flush()
                answer, fault = json.loads(python.stdout.readline())
                assert not fault, f"{text}\n{fault}"
                known[text] = answer
            return known[text]

        yield run
        python.stdin.close()


def is_shown(value: float, words: str) -> bool:
    """Whether a number stands among the words, as rounded there."""
    return any(abs(value - seen) <= half * 1.01 for seen, half in numbers(words))


@every_figure
def test_copied_python_prints_the_numbers_shown(
    shelf: Shelf, printed: Printed, figure: Figure
):
    for stop in tour(shelf, figure):
        output = printed(stop.copied)
        values = [float(found) for found in NUMBER.findall(output)]
        assert values, stop.copied
        missing = [value for value in values if not is_shown(value, stop.words)]
        assert missing == [], f"{stop.copied}\n\n{output}\n{stop.words}"
