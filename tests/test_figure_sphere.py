"""The sphere figure on a bare page: it moves, obeys, speaks, and agrees with Python."""

import functools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np
import pytest
from figurehand import (
    FIGURE,
    HASH,
    assert_says,
    assert_shared,
    assert_whole,
    clock,
    copied,
    deviation,
    drag,
    frames,
    lamps,
    model,
    numbers,
    play,
    playing,
    put,
    run_copied,
    settle,
    shared,
    small_targets,
    too_wide,
    unfold,
)
from figurepage import Visit, reading, write_page
from playwright.sync_api import Browser, Page, expect

from tfdynlib import attention, energy, flow, metastability
from tfdynlib.widgets import Sphere
from tfdynlib.widgets.sphere import heads_of, start_of, step_length


@pytest.fixture
def address(bare_pages) -> str:
    return bare_pages("Sphere", Sphere.OPENING)[0]


@pytest.fixture
def both(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """both(hash=""): a page with two figures, the first of them at rest."""
    form = Sphere().page_form()
    address = write_page(tmp_path, form, form)
    with reading(browser) as opened:
        yield functools.partial(opened, address)


# It moves


def test_opens_still_at_the_moment_of_its_preset(visit):
    page = visit()
    assert clock(page) == 4.2
    before = page.evaluate(HASH)
    frames(page, 10)
    assert page.evaluate(HASH) == before
    assert page.inner_text(".tfdyn-readouts dd >> nth=0") == "8"


def test_play_moves_the_picture_and_pause_holds_it(visit):
    page = visit()
    before, t = page.evaluate(HASH), clock(page)
    play(page)
    assert page.evaluate(HASH) != before
    assert clock(page) > t
    held = page.evaluate(HASH)
    frames(page, 10)
    assert page.evaluate(HASH) == held


def test_play_stops_at_the_end_and_then_starts_over(visit):
    page = visit(rest=False)
    put(page, t=29.9)
    page.click(".tfdyn-play")
    settle(page)
    assert clock(page) == 30
    play(page, 3)  # a frame takes a hundredth of the way at most
    assert clock(page) < 5


def test_scrubbing_back_gives_the_very_same_picture(visit):
    page = visit()
    before = page.evaluate(HASH)
    put(page, t=12.0)
    assert page.evaluate(HASH) != before
    put(page, t=4.2)
    assert page.evaluate(HASH) == before


def test_a_long_run_is_played_in_logarithmic_time(visit):
    page = visit(rest=False)
    put(page, n=8, t_end=100, t=0.0)
    box = page.locator(".tfdyn-scrub").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    settle(page)
    # Half the way of log(1 + t) from 0 to 100 is t = sqrt(101) - 1.
    assert clock(page) == pytest.approx(np.sqrt(101) - 1, rel=0.05)
    put(page, t_end=30)
    assert clock(page) == pytest.approx(np.sqrt(101) - 1, rel=0.05)


def test_off_screen_nothing_runs(visit):
    page = visit()
    page.click(".tfdyn-play")
    page.evaluate("document.body.style.paddingTop = '4000px'")
    settle(page)
    count = f"{FIGURE}.tfdyn.frameTimes.length"
    before = page.evaluate(count)
    frames(page, 10)
    assert page.evaluate(count) == before and playing(page)


# Every control changes it


CHANGES = {
    "beta": 2.0,
    "n": 20,
    "seed": 5,
    "start": "cap",
    "rule": "hardmax",
    "B": [[[1, 0, 0], [0, -1, 0], [0, 0, 1]]],
    "V": [[[0, -1, 0], [1, 0, 0], [0, 0, 1]]],
    "turn": 20.0,
    "tilt": -30.0,
    "t": 9.0,
}


def test_every_state_key_changes_the_picture(visit):
    page = visit(rest=False)
    put(page, n=24, t_end=10)
    for key, value in CHANGES.items():
        before, old = page.evaluate(HASH), model(page, key)
        put(page, **{key: value})
        assert page.evaluate(HASH) != before, key
        put(page, **{key: old})


def test_sliders_and_boxes_set_the_model(visit):
    page = visit()
    for key in ("beta", "n", "seed", "t_end"):
        slider = page.locator(f".tfdyn-slide[id^=tfdyn-{key}]")
        before = model(page, key)
        slider.press("ArrowRight")
        assert model(page, key) > before, key
        box = page.locator(".tfdyn-row", has=slider).locator(".tfdyn-number")
        box.fill("7")
        box.press("Enter")
        assert model(page, key) == 7, key


def test_a_slider_moves_under_the_mouse(visit):
    page = visit()
    box = page.locator(".tfdyn-slide[id^=tfdyn-beta]").bounding_box()
    page.mouse.click(box["x"] + 0.1 * box["width"], box["y"] + box["height"] / 2)
    assert model(page, "beta") < 1


def test_nonsense_in_a_box_brings_the_old_value_back(visit):
    page = visit()
    box, cell = (page.locator(f".tfdyn-{name}").first for name in ("number", "cell"))
    for nonsense in ("", "abc", "1,2,3", "NaN", "1e", "--2"):
        box.fill(nonsense)
        box.press("Enter")
        assert box.input_value() == "6", nonsense
        cell.fill(nonsense)
        cell.press("Enter")
        assert cell.input_value() == "1", nonsense
    assert model(page, "beta") == 6


@pytest.mark.parametrize("width", [320, 760])
def test_no_entry_of_a_matrix_is_cut_off(visit, width):
    page = visit(width)
    unfold(page)
    B = [[[0.428, -0.0472, -0.084], [-0.722, -1.25, -0.638], [10, -10, -9.96]]]
    put(page, B=B)
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".tfdyn-cell")]
          .filter((cell) => cell.scrollWidth > cell.clientWidth)
          .map((cell) => cell.value)"""
    )
    assert cut == []


def test_a_number_out_of_range_goes_to_the_nearest_end(visit):
    page = visit()
    box = page.locator(".tfdyn-number").first
    box.fill("1000")
    box.press("Enter")
    assert model(page, "beta") == 50


def test_a_cell_takes_typing_arrows_and_dragging(visit):
    page = visit()
    cell = page.get_by_label("B, row 1, column 2")
    cell.fill("−0,75")
    cell.press("Enter")
    assert model(page, "B")[0][0][1] == -0.75
    cell.press("ArrowUp")
    assert model(page, "B")[0][0][1] == -0.65
    cell.press("Shift+ArrowUp")
    assert model(page, "B")[0][0][1] == 0.35
    box = cell.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(page, (x, y), (x + 50, y))
    assert model(page, "B")[0][0][1] == pytest.approx(1.35)


def test_heads_are_added_and_removed_up_to_four(visit):
    page = visit()
    for count in (2, 3, 4):
        page.get_by_label("Add a head").click()
        assert len(model(page, "B")) == len(model(page, "V")) == count
    assert page.get_by_label("Add a head").is_hidden()
    page.get_by_label("Remove this head").click()
    assert len(model(page, "B")) == 3


def test_rule_is_chosen_by_its_word(visit):
    page = visit()
    page.get_by_role("radio", name="hardmax").check()
    assert model(page, "rule") == "hardmax"


def test_dragging_turns_the_sphere_and_arrow_keys_too(visit):
    page = visit()
    box = page.locator(".tfdyn-canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(page, (x, y), (x - 50, y))
    per_pixel = 0.008 * 180 / np.pi
    assert model(page, "turn") == pytest.approx(158 + 50 * per_pixel - 360, abs=0.1)
    tilt = model(page, "tilt")
    page.locator(".tfdyn-canvas").press("ArrowDown")
    assert model(page, "tilt") > tilt


def test_dragging_in_the_chart_moves_the_moment(visit):
    page = visit()
    box = page.locator(".tfdyn-chart").bounding_box()
    x, y = box["x"], box["y"] + 60
    drag(page, (x + 60, y), (x + 0.7 * box["width"], y))
    settle(page)
    assert 15 < clock(page) < 25


# By keyboard


def test_the_whole_figure_by_keyboard(visit):
    page = visit()
    canvas = page.locator(".tfdyn-canvas")
    canvas.focus()
    page.keyboard.press("Space")
    assert playing(page)
    page.keyboard.press("Space")
    settle(page)
    t = clock(page)
    page.locator(".tfdyn-scrub").press("ArrowLeft")
    settle(page)
    assert clock(page) == pytest.approx(t - 0.2, abs=0.011)
    page.get_by_label("Add a head").focus()
    page.keyboard.press("Enter")
    tab = page.get_by_role("tab", name="Head 2")
    assert tab.get_attribute("aria-selected") == "true"
    tab.press("ArrowLeft")
    first = page.get_by_role("tab", name="Head 1")
    assert first.get_attribute("aria-selected") == "true"
    assert page.evaluate("document.activeElement.textContent") == "Head 1"


def test_tab_reaches_every_part_in_the_order_of_reading(visit):
    page = visit()
    seen = []
    page.locator(".tfdyn-canvas").focus()
    for _ in range(60):
        seen.append(page.evaluate("document.activeElement.className"))
        page.keyboard.press("Tab")
    order = [
        "tfdyn-canvas", "tfdyn-play", "tfdyn-scrub", "tfdyn-chip", "tfdyn-slide",
        "tfdyn-tab", "tfdyn-cell", "tfdyn-copy tfdyn-share", "tfdyn-copy tfdyn-code",
    ]  # fmt: skip
    places = [seen.index(name) for name in order]
    assert places == sorted(places)


def test_focus_is_seen_in_both_themes(visit):
    for theme in ("light", "dark"):
        page = visit(theme=theme)
        page.locator(".tfdyn-canvas").first.focus()
        page.keyboard.press("Tab")
        ring = page.evaluate(
            "(() => { const s = getComputedStyle(document.activeElement);"
            "return [s.outlineStyle, s.outlineWidth] })()"
        )
        assert ring == ["solid", "2px"]


# What it says


def test_live_sentence_tells_when_how_many_and_the_energy(visit):
    page = visit()
    assert_says(
        page,
        r"Layer-time 4\.2\. 64 tokens in 8 clusters, the largest holds 17\. "
        r"Energy \d\.\d\d\.",
    )


def test_the_last_sentence_is_always_said(visit):
    page = visit()
    for _ in range(5):
        page.locator(".tfdyn-scrub").press("ArrowRight")
    assert_says(page, r"Layer-time 5\.2\..*")


def test_stage_and_chart_carry_the_sentence_in_their_labels(visit):
    page = visit()
    said = r"^Tokens on the sphere.* 64 tokens in 8.*Arrow keys"
    expect(page.locator(".tfdyn-canvas")).to_have_attribute(
        "aria-label", re.compile(said)
    )
    curve = page.locator(".tfdyn-chart")
    expect(curve).to_have_attribute("aria-label", re.compile("Energy"))


# Narrow, dark, still, on paper


@pytest.mark.parametrize("width", [320, 480])
def test_four_heads_find_room_for_thumbs_and_no_sideways_scroll(visit, width):
    page = visit(width)
    unfold(page)
    for _ in range(3):
        page.get_by_label("Add a head").first.click()
    assert too_wide(page) <= 0
    assert small_targets(page) == []


def test_a_changed_theme_is_on_the_canvas_at_once(visit):
    page = visit()
    before = page.evaluate(HASH)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    settle(page)
    assert page.evaluate(HASH) != before
    colour = page.evaluate(f"{FIGURE}.tfdyn.card.palette().state")
    assert colour == "#4ba3f2"


def test_paper_has_the_picture_in_light_ink_and_no_handles(visit):
    page = visit(theme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate(f"{FIGURE}.tfdyn.card.palette().ink") == "#222832"
    assert page.locator(".tfdyn-canvas").first.is_visible()
    assert not page.locator(".tfdyn-play").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")


# The address


def test_a_shared_address_opens_the_same_state(visit):
    one = visit(rest=False)
    put(one, beta=3.0, V=[[[-1, 0, 0], [0, -1, 0], [0, 0, -1]]], t=2.5)
    assert_shared(one, visit(hash=shared(one)), Sphere)


BROKEN = {
    '{"n":9999}': "n = 9999",
    '{"beta":"hot"}': 'beta = "hot"',
    '{"B":[[1]]}': "B = [[1]]",
    '{"colour":1}': "colour is not known",
    '{"n":20': "it is not complete",
    "%E0%A4%A": "it is not complete",
    "[1]": "it is not a set of values",
}


def test_a_note_says_what_is_wrong_with_an_address(visit):
    page = visit()
    for text, problem in BROKEN.items():
        address = f"#sphere={text if '%' in text else quote(text)}"
        page.evaluate(f"location.hash = {json.dumps(address)}")
        wanted = (
            "The address held a state this figure cannot show: "
            f"{problem}; showing the start."
        )
        expect(page.locator(".tfdyn-note")).to_have_text(wanted)
        assert model(page, "n") == 64 and model(page, "beta") == 6
    page.evaluate("location.hash = '#sphere=' + encodeURIComponent('{\"n\":12}')")
    expect(page.locator(".tfdyn-note")).to_be_hidden()
    assert model(page, "n") == 12


def test_the_address_of_the_second_figure_leaves_the_first_alone(both):
    page = both(hash='#sphere-2={"n":12}', rest=False)
    page.wait_for_selector('[data-address="sphere-2"][data-tfdyn="ready"]')
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_selector('[data-address="sphere"][data-tfdyn="ready"]')
    counts = page.evaluate(
        "[...document.querySelectorAll('.tfdyn')].map((e) => e.tfdyn?.model.get('n'))"
    )
    assert counts == [64, 12]


# Two figures, and one that stops


def test_two_figures_share_their_code_and_nothing_else(both):
    page = both()
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_selector('[data-address="sphere-2"][data-tfdyn="ready"]')
    modules = page.evaluate("tfdynModules.size")
    paths = page.evaluate(
        "[...tfdynModules.keys()].map((c) => c.match(/sourceURL=(.*)/)[1])"
    )
    assert modules == len(set(paths))
    put(page, n=10)
    counts = page.evaluate(
        "[...document.querySelectorAll('.tfdyn')].map((e) => e.tfdyn.model.get('n'))"
    )
    assert counts == [10, 64]


def test_an_exception_stops_one_figure_and_reload_brings_it_back(browser, tmp_path):
    form = Sphere(n=8).page_form()
    broken = form.replace("&quot;n&quot;: 8", "&quot;n&quot;: null", 1)
    address = write_page(tmp_path, broken, form)
    visit = Visit(browser)
    page = visit.open(address, state="error")
    stopped = page.locator(".tfdyn").first
    assert "This figure stopped:" in stopped.inner_text()
    assert stopped.locator(".tfdyn-still svg").is_visible()
    assert stopped.locator("h3").inner_text().endswith("?")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_selector('[data-address="sphere-2"][data-tfdyn="ready"]')
    page.evaluate(f"{FIGURE}.tfdyn.model.set('n', 9)")
    page.get_by_role("button", name="Reload figure").click()
    page.wait_for_selector('[data-address="sphere"][data-tfdyn="ready"]')
    assert not stopped.locator(".tfdyn-still").is_visible()
    visit.close()


# The numbers


def test_passport_measures_the_page_against_python(visit):
    page = visit()
    # Rounding, carried through 100 steps of a flow that separates nearby tokens.
    assert deviation(page) < 1e-12
    words = page.inner_text(".tfdyn-passport-line").replace("\u00a0", " ")
    assert re.search(r"seed 43 · method rk4 · dt 0\.05 · .*tfdynlib \d", words)


def test_passport_says_when_it_has_no_reference(visit):
    page = visit()
    put(page, beta=7.5)
    assert "at the preset" in page.inner_text(".tfdyn-passport-line")


START = Sphere(n=24, t_end=6).state()  # small, so that the buffer fills at once
STATES: list[dict] = [
    {},
    {"beta": 2.5, "t": 3.0, "n": 17, "seed": 3},
    {"rule": "unnormalised", "beta": 2.0, "t": 1.5},
    {"rule": "hardmax", "B": [np.diag([1, 0.5, -1]).tolist()], "t": 1.0},
    {"start": "cap", "V": [np.diag([1, 2, 3]).tolist()], "t": 2.0, "n": 30},
    {
        "B": [np.eye(3).tolist(), [[0.5, 1, 0], [-1, 0.5, 0], [0, 0, 0.25]]],
        "V": [(-np.eye(3)).tolist(), [[0, -1, 0], [1, 0, 0], [0, 0, 0]]],
        "t": 2.0,
        "turn": 0.0,
    },
]


def test_copied_python_prints_the_numbers_of_the_figure(visit):
    page = visit(rest=False)
    for state in STATES:
        put(page, **START | state)
        text = copied(page)
        (value, count), names = run_copied(page)
        seen = numbers(page)
        # Two orders of summation over at most 64^2 pairs, through at most 100 steps.
        assert seen["energy"] == pytest.approx(value, rel=1e-10), text
        assert seen["clusters"] == count, text
        x = np.reshape(seen["x"], (-1, 3))
        np.testing.assert_allclose(x, names["x"], atol=1e-10, err_msg=text)
        assert len(text.strip().splitlines()) <= 12


def test_what_is_copied_while_it_plays_is_of_the_moment_shown(visit):
    page = visit(rest=False)
    put(page, **START | {"t": 25.0})
    page.click(".tfdyn-presets button >> nth=1")  # goes to 0 and plays
    frames(page, 20)
    _, _, state = unquote(shared(page)).partition("=")
    assert 0 < json.loads(state)["t"] <= clock(page) < 25


def test_every_preset_on_the_page_is_the_run_python_makes(visit):
    page = visit()
    for name in (n for n in Sphere.PRESETS if Sphere(n).view == "tokens"):
        state = Sphere(name).state() | {"t": 5.0, "t_end": 6}
        put(page, **state)
        seen = numbers(page)
        heads, dt = heads_of(state), step_length(state)
        field = attention.field(heads, rule=state["rule"])
        t = dt * np.arange(round(5 / dt) + 1)
        x = flow.solve(field, start_of(state), t, method="rk4").x[-1]
        shown = np.reshape(seen["x"], (-1, 3))
        np.testing.assert_allclose(shown, x, atol=1e-10, err_msg=name)
        assert seen["energy"] == pytest.approx(energy.interaction(x, heads), rel=1e-10)
        assert seen["clusters"] == metastability.clusters(x, 0.2).max() + 1, name


# Ends of the range: a sentence instead of an exception


ENDS: list[dict] = [
    {"n": 2},
    {"n": 512, "t_end": 5},
    {"beta": 50.0},
    {"beta": 0.1},
    {"B": [np.zeros((3, 3)).tolist()]},
    {"V": [np.zeros((3, 3)).tolist()]},
    {"B": [np.full((3, 3), 10.0).tolist()], "V": [np.full((3, 3), -10.0).tolist()]},
    # e^{1500} is no double: the energy is told by its logarithm.
    {"B": [np.full((3, 3), 10.0).tolist()], "V": [np.eye(3).tolist()], "beta": 50.0},
    {
        "B": [np.full((3, 3), 10.0).tolist()],
        "V": [np.diag([0.01, 0, 0]).tolist()],
        "beta": 50.0,
        "t_end": 5,
        "t": 5.0,
    },
    {"beta": 50.0, "rule": "unnormalised"},
    {"rule": "hardmax", "V": [(-np.eye(3)).tolist()]},
    {"t_end": 200, "n": 4},
]


def test_ends_of_the_range_give_a_sentence_and_no_nan(visit):
    page = visit(rest=False)
    for state in ENDS:
        put(page, **START | state)
        assert_whole(page)
        assert np.isfinite(numbers(page)["x"]).all(), state
        assert np.isfinite(numbers(page)["energies"]).all(), state


def test_a_large_energy_is_written_as_a_number(visit):
    page = visit()
    middle = np.array([[1, 0.5, 0], [0.5, 2, 0], [0, 0, 3]]).tolist()
    put(page, **START | {"B": [middle], "n": 8, "beta": 6.0, "t": 3.0, "t_end": 5})
    shown = page.locator(".tfdyn-readouts dd").nth(2).inner_text()
    assert numbers(page)["energy"] > 1000
    assert float(shown) == pytest.approx(numbers(page)["energy"], rel=5e-3)
    assert "e" not in shown


def test_too_fast_to_follow_is_said_and_not_drawn(visit):
    page = visit(rest=False)
    put(page, **START | {"beta": 50.0, "rule": "unnormalised"})
    assert "Too fast to follow" in page.inner_text(".tfdyn-verdict")
    assert numbers(page)["x"] == pytest.approx(start_of(START).ravel())


SHEAR = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
LAMPS: list[tuple[dict, list[str]]] = [
    ({}, ["holds"] * 4),
    ({"V": [(-2 * np.eye(3)).tolist()]}, ["holds"] * 4),
    ({"V": [np.diag([1, 1, 0]).tolist()]}, ["holds", "fails", "holds", "fails"]),
    ({"B": [SHEAR], "V": [SHEAR]}, ["fails", "holds", "holds", "fails"]),
    (
        {
            "B": [np.eye(3).tolist(), np.diag([2, 1, 1]).tolist()],
            "V": [np.eye(3).tolist(), np.diag([2, 1, 1]).tolist()],
        },
        ["holds", "holds", "fails", "fails"],
    ),
    (
        {
            "B": [np.eye(3).tolist(), np.diag([2, 1, 1]).tolist()],
            "V": [np.eye(3).tolist(), np.diag([2, 1, 1]).tolist()],
            "rule": "unnormalised",
            "beta": 1.0,
        },
        ["holds", "holds", "not asked", "holds"],
    ),
    ({"rule": "hardmax"}, ["holds", "holds", "holds", "fails"]),
    # Heads that listen alike but pass on different things are not equal heads.
    (
        {"B": [np.eye(3).tolist()] * 2, "V": [np.eye(3).tolist(), SHEAR]},
        ["holds", "fails", "fails", "fails"],
    ),
]  # fmt: skip


def test_lamps_say_what_the_theorem_says(visit):
    page = visit(rest=False)
    for state, words in LAMPS:
        put(page, **START | state)
        assert lamps(page) == words, state
        assert (numbers(page)["levels"] > 0) == (state == {}), state


def lamp(page, k: int) -> str:
    """Lamp number ``k`` with all its words."""
    return " ".join(page.locator(".tfdyn-lamp").nth(k).inner_text().split())


def test_the_second_lamp_promises_a_climb_only_where_the_theorem_does(visit):
    page = visit(rest=False)
    put(page, **START)
    assert "plus sign: energy climbs" in lamp(page, 1)
    for state in ({"B": [SHEAR], "V": [SHEAR]}, {"rule": "hardmax"}):
        put(page, **START | state)
        assert "plus sign" in lamp(page, 1) and "climbs" not in lamp(page, 1), state
    two = {
        "B": [np.eye(3).tolist()] * 2,
        "V": [np.eye(3).tolist(), (-np.eye(3)).tolist()],
    }
    put(page, **START | two)
    assert "the same c in every head fails" in lamp(page, 1)
    assert "fails" in lamp(page, 2)


def test_a_wide_chain_of_neighbours_is_not_said_to_close_in(visit):
    page = visit()
    crowd = {"n": 512, "start": "cap", "V": [(-np.eye(3)).tolist()], "t": 0.0}
    put(page, **START | crowd)
    assert numbers(page)["clusters"] == 1
    assert "closing in" not in page.inner_text(".tfdyn-verdict")
    assert "wide chain" in page.get_attribute(".tfdyn-canvas", "aria-label")


def test_python_may_set_the_lists_of_heads_one_after_the_other(visit):
    page = visit(rest=False)
    put(page, B=[np.eye(3).tolist()] * 3)
    put(page, V=[np.eye(3).tolist()] * 3)
    assert page.get_by_role("tab").count() == 3
    put(page, V=[np.eye(3).tolist()])
    assert page.get_by_role("tab").count() == 1


def test_where_the_lamps_hold_the_energy_is_monotone(visit):
    page = visit(rest=False)
    for name, sign in {"pause_and_merge": 1, "repel_I": -1, "saddle_head": 1}.items():
        put(page, **Sphere(name).state() | {"t_end": 10})
        values = np.array(numbers(page)["energies"])
        # Rounding of a mean of exponentials near 1.
        assert (sign * np.diff(values) > -1e-12 * np.abs(values[1:])).all()
