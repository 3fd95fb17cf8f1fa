"""The stairs figure on a bare page: waits, forks, exits, the page against Python."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

import numpy as np
import pytest
from figurehand import (
    FIGURE,
    NOTE_LINES,
    NOTE_WORDS,
    WORDS,
    assert_changes,
    assert_says,
    assert_shared,
    assert_whole,
    clock,
    collisions,
    copied,
    crossed,
    deviation,
    drag,
    lamps,
    model,
    numbers,
    pick,
    play,
    put,
    run_copied,
    settle,
    shared,
)
from figurepage import reading
from playwright.sync_api import Browser, Page, expect
from test_twin_stairs import EXITS, WAITS, I

from tfdynlib import metastability, sweep
from tfdynlib.widgets import Stairs

VIEWS = {"clusters": "circle_beta9", "exit": "exit2d", "study": "study_replay"}
ZERO = [[0.0, 0.0], [0.0, 0.0]]


@pytest.fixture
def visit(browser: Browser, bare_pages) -> Iterator[Callable[..., Page]]:
    """visit(preset, width=760, …): the page at a preset's moment, still, at rest."""
    with reading(browser) as opened:

        def visit(preset: str, *args: object, **more: object) -> Page:
            page = opened(
                bare_pages("Stairs")[0],
                *args,
                rest=False,
                reduced_motion="reduce",
                **more,
            )
            pick(page, preset)
            return page

        yield visit


@pytest.fixture
def page(visit) -> Page:
    """32 tokens at beta 9, at rest."""
    return visit("circle_beta9")


def readouts(page: Page) -> list[str]:
    return page.locator(".tfdyn-readouts dd").all_inner_texts()


def head(page: Page) -> str:
    return page.inner_text(".tfdyn-verdict-head")


# The numbers of the book


def test_waits_of_32_tokens_are_stated(page):
    put(page, t=100.0)
    assert readouts(page)[0] == "3" and head(page) == "3 clusters wait 4326"
    put(page, t=5e4)
    assert head(page) == "2 clusters wait 558\u202f517"
    seen = numbers(page)
    # two clusters are left, so that the quadrature speaks about this run
    assert seen["alone"] == pytest.approx(seen["left"], rel=1e-7)
    assert lamps(page) == ["holds"] * 4


def test_the_waits_of_the_book_are_on_the_page(visit):
    page = visit("pair_far")
    for gap, wait in WAITS.items():
        put(page, gap=gap, t=0.0)
        seen = numbers(page)
        assert seen["left"] == pytest.approx(wait, rel=4e-3)
        assert seen["alone"] == pytest.approx(seen["left"], rel=1e-7)


def test_exits_on_the_page_are_the_numbers_of_the_book(visit):
    page = visit("exit2d")
    law = numbers(page)["law"]
    assert law == [[b, pytest.approx(e, rel=5e-4)] for b, e in EXITS.items()]
    assert readouts(page)[1:] == ["6.582", "1.509"]
    assert numbers(page)["limit"]["slope"] == pytest.approx(1.5, rel=1e-12)
    put(page, beta=100.0)
    assert 6.582 < numbers(page)["exit"] < 7.638
    assert numbers(page)["law"] == law  # the law does not depend on beta


@pytest.mark.parametrize("name", Stairs.PRESETS)
def test_passport_and_copied_python_agree_with_every_preset(visit, name):
    page = visit(name)
    # the same steps on both sides; rounding, stretched by waits of 1e5 units
    assert deviation(page) < 1e-9  # what the book promises
    assert len(copied(page).strip().splitlines()) <= 13
    if name == "loose":  # what a loose run does late is an accident of rounding
        return
    (printed, names), seen = run_copied(page), numbers(page)
    if "distance" in seen:
        # of the table: another run, by other steps
        rel = 1e-4 if "stored" in seen else 1e-6
        assert printed == pytest.approx([seen["distance"], seen["exit"]], rel=rel)
        return
    assert printed == [seen["clusters"]]
    assert names["E"] == pytest.approx(seen["energy"], rel=1e-6)
    last = [node["t"] for node in seen["tree"]["nodes"]][-2:]
    mergers = names["tree"].t[-2:]
    steps = 1 + 2 * np.log(1e10) / 399
    for ours, there in zip(mergers[::-1], last[::-1]):
        assert there * (1 - 1e-6) <= ours <= there * steps


# The stored study


def test_the_stored_runs_are_those_of_the_page(visit):
    page, table = visit("study_replay"), sweep.published("exit").exit.squeeze("seed")
    for skew in (0.4, 0.2):
        for beta in (20.0, 40.0, 80.0, 160.0, 320.0):
            put(page, skew=skew, beta=beta)
            seen, of = numbers(page), table.sel(skew=skew, beta=beta)
            # five digits of a distance below 1.5 are stored, and two ways of stepping
            assert seen["gap"] < 6e-5
            assert (seen["exit"] or np.inf) == pytest.approx(
                float(of.sel(n=200)), rel=1e-4
            )
            row = next(row for row in seen["rows"] if row[0] == beta)
            exits = [np.inf if time is None else time for time in row[1:]]
            assert exits == pytest.approx(of.sel(n=[200, 400]).values, abs=1e-5)
            assert lamps(page)[0] == "holds"
            assert lamps(page)[2] == ("holds" if np.isfinite(exits[0]) else "fails")


def test_a_cell_that_is_pressed_or_reached_by_keys_is_the_run_shown(visit):
    page = visit("study_replay")
    box, seen = page.locator(".tfdyn-map").bounding_box(), numbers(page)
    left, right = seen["at"]["left"], seen["at"]["right"]
    x, y = left + (right - left) * 7 / 15, seen["places"][3]["y"]
    page.mouse.click(box["x"] + x, box["y"] + y)
    settle(page)
    assert model(page, "beta") == 160 and model(page, "t") == pytest.approx(7, abs=0.1)
    assert numbers(page)["distance"] == pytest.approx(numbers(page)["stored"], abs=0.03)
    for key, beta, t in (("ArrowDown", 80, 7), ("ArrowRight", 80, 7.25)):
        page.locator(".tfdyn-map").press(key)
        settle(page)
        assert model(page, "beta") == beta
        assert model(page, "t") == pytest.approx(t, abs=0.1)


def test_another_head_has_no_row_in_the_table(visit):
    page = visit("study_replay")
    put(page, V=[[1.0, 0.0], [0.0, 3.0]])
    assert numbers(page)["rows"] == [] and lamps(page)[0] == "not asked"
    assert "no run of this head" in page.inner_text(".tfdyn-verdict")


# What can be trusted


def test_radii_that_disagree_are_said(page):
    put(page, t=2.0)
    seen = numbers(page)
    x = np.reshape(seen["x"], (-1, 2))
    ours = metastability.count_clusters(x, [0.03, 0.1, 0.3])
    assert seen["counts"] == ours.counts.tolist() and not ours.agree
    lamp = page.locator(".tfdyn-lamp").first.inner_text()
    assert "fails" in lamp and "depends on the radius" in lamp
    label = re.compile("Other radii count otherwise: ")
    expect(page.locator(".tfdyn-canvas").first).to_have_attribute("aria-label", label)
    put(page, t=100.0)
    assert lamps(page)[0] == "holds"


def test_a_looser_tolerance_is_seen_to_count_otherwise(visit):
    page = visit("loose")
    assert readouts(page)[0] == "1" and lamps(page)[1] == "fails"
    page.locator(".tfdyn-option input[value='1e-11']").click()
    settle(page)
    assert model(page, "rtol") == 1e-11
    assert readouts(page)[0] == "4" and lamps(page)[1] == "fails"
    other = page.locator(".tfdyn-lamp").nth(1)
    assert "0.01: 1 cluster here, not 4" in other.inner_text()


def test_an_exact_mirror_image_has_no_exit_to_tell(visit):
    page = visit("exit2d")
    put(page, skew=0.0, turn=0.0)
    assert readouts(page)[1:] == ["–", "–"]
    assert head(page) == "No exit can be told"
    assert lamps(page)[3] == "fails"


PUSH = {"V": [[-1, 0], [0, -1]], "t": 0.05, "t_end": 100.0}
LAMPS: list[tuple[str, dict, list[str]]] = [
    ("exit2d", {}, ["holds"] * 4),
    ("exit2d_symmetric", {}, ["holds", "holds", "holds", "fails"]),
    ("exit2d", {"V": I}, ["holds", "fails", "holds", "holds"]),
    ("exit2d", {"V": [[1, 1], [0, 2]]}, ["fails", "not asked", "holds", "holds"]),
    ("exit2d", {"beta": 10.0}, ["holds", "holds", "fails", "holds"]),
    ("circle_beta9", PUSH, ["fails", "holds", "fails", "fails"]),
    ("pair_far", {"t": 1e8}, ["holds", "holds", "holds", "not asked"]),
]


def test_lamps_say_what_can_be_trusted(page):
    for name, state, words in LAMPS:
        put(page, **Stairs(name).state() | state)
        assert lamps(page) == words, (name, state)


# The tree


def test_a_fork_that_is_pressed_is_the_moment_shown(page):
    fork = numbers(page)["forks"][-1]
    box = page.locator(".tfdyn-tree").bounding_box()
    page.mouse.click(box["x"] + fork["x"] + 2, box["y"] + fork["y"] - 2)
    settle(page)
    seen = numbers(page)
    assert seen["t"] == pytest.approx(fork["t"], rel=3e-6) and seen["t"] > fork["t"]
    assert seen["clusters"] == 1


def test_dragging_in_the_tree_seeks_as_in_the_chart(page):
    box = page.locator(".tfdyn-tree").bounding_box()
    x, y = box["x"] + 120, box["y"] + 3
    page.mouse.click(x, y)
    settle(page)
    before = numbers(page)["t"]
    drag(page, (x, y), (x + 50, y))
    settle(page)
    assert numbers(page)["t"] > 10 * before


def test_keys_go_from_merger_to_merger(page):
    times = [fork["t"] for fork in numbers(page)["forks"]]
    counts = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"):
        page.locator(".tfdyn-tree").press(key)
        settle(page)
        counts.append(numbers(page)["clusters"])
        assert min(abs(numbers(page)["t"] / t - 1) for t in times) < 3e-6
    assert counts == [2, 1, 2, 16, 1]


def test_letters_and_waits_can_be_read(visit):
    page = visit("circle_beta9")
    page.evaluate(NOTE_WORDS)
    page.evaluate(NOTE_LINES)
    for name in ("circle_beta9", "sharp", "exit2d"):
        pick(page, name)
        assert collisions(page) == []
        assert crossed(page, "^waits$|^4326$|^210.8$") == []
        boxes = page.evaluate(WORDS)
        letters = sorted(
            w["y0"] for *_, said in boxes for w in said if w["text"] in "ABCDEF"
        )
        assert min(np.diff(letters), default=12) > 11


def test_letters_name_what_is_left_last_first(page):
    for t, left in ((100.0, "ABC"), (1e5, "AB"), (9e6, "A")):
        put(page, t=t)
        assert sorted(numbers(page)["letters"]) == list(left)


# It moves, obeys, speaks


def test_play_crosses_the_decades_and_pauses(page):
    put(page, t=0.0)
    play(page)
    assert 0.01 < clock(page) < 1e6


CHANGES = {
    "clusters": {
        "n": 20, "beta": 6.0, "B": [[1.0, 0.0], [0.0, 0.8]],
        "V": [[1.0, 0.0], [0.0, 0.8]], "start": "grid", "seed": 5, "t": 5.0,
    },
    "exit": {"beta": 60.0, "n": 60, "t": 7.0},
    "study": {"beta": 160.0, "skew": 0.2, "t": 9.0},
}  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_every_state_key_changes_the_picture(visit, view):
    page = visit(VIEWS[view])
    if view == "clusters":
        put(page, t=2.0)  # radii count differently there
    assert_changes(page, CHANGES[view])


@pytest.mark.parametrize("view", VIEWS)
def test_a_shared_address_opens_the_same_state(visit, view):
    one, two = visit(VIEWS[view]), visit("pair_far")
    put(one, **dict(list(CHANGES[view].items())[:2]))
    two.evaluate("(hash) => { location.hash = hash; }", shared(one))
    two.wait_for_function(f"{FIGURE}.tfdyn.model.get('start') !== 'gap'")
    settle(two)
    assert_shared(one, two, Stairs)


BROKEN = {
    '{"n":1}': "n = 1",
    '{"view":"cube"}': 'view = "cube"',
    '{"B":[[1]]}': "B = [[1]]",
    '{"t_end":0}': "t_end = 0",
}


def test_a_broken_address_shows_the_start_with_a_note(page):
    for text, problem in BROKEN.items():
        page.evaluate("(text) => { location.hash = text; }", f"#stairs={quote(text)}")
        wanted = f"The address held a state this figure cannot show: {problem}; showing"
        expect(page.locator(".tfdyn-note")).to_contain_text(wanted)
        assert model(page, "n") == 32


def test_the_live_sentence_says_what_is_seen(visit):
    assert_says(
        visit("circle_beta9"),
        r"Layer-time 100\. 32 tokens in 3 clusters\. The next merger comes in 4233\. "
        r"The closest pair alone would take 4057\.",
    )
    assert_says(
        visit("exit2d"),
        r"Layer-time 6\. Distance of 200 tokens to the poles 0\.1\d+, threshold 0\.2\. "
        r"It leaves the poles at 6\.582\.(?: Slope in ln beta 1\.509\.)?",
    )
    assert_says(
        visit("study_replay"),
        r"Layer-time 6\. Beta 80\. Distance of 200 tokens to the poles (0\.1\d+), "
        r"stored \1\. It leaves the poles at 6\.582\.",
    )


@pytest.mark.parametrize("width", [760, 600, 320])
def test_long_waits_fit_their_place(visit, width):
    page = visit("pair_far", width)
    assert readouts(page)[1:] == ["3.14·107", "3.14·107"]  # 7 is an exponent
    wide = "(all) => all.map((one) => one.scrollWidth - one.clientWidth)"
    assert max(page.locator(".tfdyn-readouts dd").evaluate_all(wide)) <= 8


ENDS: list[tuple[str, dict]] = [
    ("circle_beta9", {"n": 2}),
    ("circle_beta9", {"n": 256, "t_end": 100.0}),
    ("circle_beta9", {"beta": 1000.0}),
    ("circle_beta9", {"beta": 0.1, "t_end": 1e9}),
    ("circle_beta9", {"B": ZERO}),
    ("circle_beta9", {"V": ZERO}),
    ("circle_beta9", {"V": [[0.0, -1.0], [1.0, 0.0]], "t_end": 10.0}),
    ("pair_far", {"gap": 0.0}),
    ("pair_far", {"gap": np.pi}),
    ("exit2d", {"B": ZERO, "V": ZERO}),
    ("exit2d", {"n": 16, "beta": 1000.0}),
    ("exit2d", {"n": 2, "start": "gap"}),
    ("exit2d", {"V": [[2.0, 0.0], [0.0, 1.0]]}),
    ("exit2d", {"t_end": 1.0}),
    ("study_replay", {"B": ZERO}),
    ("study_replay", {"beta": 50.0}),
    ("study_replay", {"beta": 1000.0, "t_end": 1.0}),
    ("study_replay", {"n": 2, "start": "gap"}),
]


@pytest.mark.parametrize("name", dict(ENDS))
def test_ends_of_the_range_give_a_sentence_and_no_nan(visit, name):
    page = visit(name)
    for state in (state for of, state in ENDS if of == name):
        put(page, **Stairs(name).state() | state)
        assert_whole(page)


# In Python


def test_presets_have_a_label_and_a_line_of_words():
    for preset in Stairs.PRESETS.values():
        assert preset.label and preset.about.endswith(".")
        assert len(preset.about) < 90


@pytest.mark.parametrize(
    ("key", "value"),
    [("n", 1), ("beta", 0.0), ("view", "cube"), ("B", [[1.0]]), ("rtol", 1.0)],
)
def test_a_trait_out_of_range_is_refused_by_name(key, value):
    with pytest.raises(ValueError, match=key):
        Stairs(**{key: value})


@pytest.mark.unchecked
def test_a_still_without_poles_shows_the_tokens():
    still = Stairs.still({**Stairs("exit2d").state(), "V": [[1.0, 1.0], [0.0, 2.0]]})
    assert "the weights have no poles" in still
