"""What leaves a figure is the figure: its address, and its numbers in Python."""

import json
import subprocess
import sys

from hand import (
    NUMBER,
    Hand,
    every_figure,
    every_view,
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


@every_view
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


@every_figure
def test_reduced_motion_keeps_every_preset_still(shelf: Shelf, figure: Figure):
    stops = tour(shelf, figure)
    assert [stop.still for stop in stops] == [True] * len(stops)


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


@every_figure
def test_copied_python_prints_the_numbers_shown(shelf: Shelf, figure: Figure):
    stops = tour(shelf, figure)
    outputs = printed([stop.copied for stop in stops])
    for output, stop in zip(outputs, stops, strict=True):
        values = [float(found) for found in NUMBER.findall(output)]
        assert values, stop.copied
        missing = [value for value in values if not is_shown(value, stop.words)]
        assert missing == [], f"{stop.copied}\n\n{output}\n{stop.words}"
