"""The figure of moving weights: it moves, obeys, speaks, and agrees with Python."""

import numpy as np
import pytest
from figurehand import (
    HASH,
    assert_says,
    assert_whole,
    clock,
    deviation,
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
)
from figurepage import write_page
from playwright.sync_api import Page

from tfdynlib import energy
from tfdynlib.widgets import Paths
from tfdynlib.widgets._sweep import _runs, _thin
from tfdynlib.widgets.paths import STEP, action_of, start_of, trajectory

SMALL = {"n": 8, "t_end": 5}  # fills its buffer at once
SWEEP = [
    {
        "layout": "ou", "H": H, "n": 8, "late_mean": 0.5 / H, "late_error": 0.1 / H,
        "t": [0.0, 2.5, 5.0], "slope_squared": [1.0, 0.5 / H, 0.5 / H],
    }
    for H in (1, 4, 16)
]  # fmt: skip


def form_of(*presets: str, **values: object) -> str:
    """A page form with a stored sweep that is known here."""
    figure = Paths(*presets, **values)
    figure.sweep = SWEEP
    return figure.page_form()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("paths")
    return write_page(folder, form_of(*Paths.PRESETS))


def at(page: Page, t: float, **values: object) -> None:
    """Change the model, then go to a moment: a shorter run would move it."""
    put(page, **values)
    put(page, t=t)


# It agrees with Python


@pytest.mark.parametrize(
    "state",
    [
        {"layout": "ou", "H": 3, "g2": 1.5, "seed": 4},
        {"layout": "spread", "H": 5, "rule": "gradient"},
        {"layout": "common", "H": 2, "seed": 9},
        {"layout": "frozen", "H": 1, "n": 2},
    ],
    ids=lambda s: s["layout"],
)
def test_the_page_makes_the_run_that_python_makes(visit, state):
    """Same draws, same weights, same RK4 steps: rounding, times the growth of a
    perturbation in one unit of time, e^|D|(1+|D|) at most 1e3 in these runs."""
    page = visit(rest=False)
    at(page, 2.5, **{**SMALL, **state})
    full = {**Paths.defaults(), **SMALL, **state, "t": 2.5}
    x, path, t = trajectory(full)
    shown, heads = numbers(page), path(t[-1])
    assert t[-1] == pytest.approx(2.5) and round(2.5 / STEP) == len(t) - 1
    np.testing.assert_allclose(shown["heads"], heads.B.ravel(), atol=1e-12)
    np.testing.assert_allclose(shown["x"], x[-1].ravel(), atol=1e-11)
    np.testing.assert_allclose(shown["mean"], heads.B.mean(axis=0)[0], atol=1e-12)
    assert shown["energy"] == pytest.approx(energy.interaction(x[-1], heads), rel=1e-11)
    expected = action_of(full, x[-1], heads)
    assert shown["action"] == pytest.approx(expected, rel=1e-9)


def test_passport_measures_the_page_against_python(visit):
    page = visit()
    assert deviation(page) < 1e-11
    put(page, seed=77)
    assert "at the preset" in page.inner_text(".tfdyn-passport-line")


@pytest.mark.parametrize("preset", Paths.PRESETS)
def test_copied_python_prints_the_numbers_of_the_figure(visit, preset):
    page = visit(reduced_motion="reduce")
    page.click(f'[data-preset="{preset}"]')
    at(page, 1.0, n=8, H=3, t_end=5)
    found, _ = run_copied(page)
    shown = numbers(page)
    assert found == pytest.approx([shown["energy"], shown["action"]], rel=1e-9)


def test_the_mean_of_the_second_half_is_that_of_the_curve(visit):
    page = visit(rest=False)
    at(page, 5.0, **SMALL, layout="spread", H=3)
    full = {**Paths.defaults(), **SMALL, "layout": "spread", "H": 3, "t": 5.0}
    x, path, t = trajectory(full)
    late = [action_of(full, y, path(s)) for s, y in zip(t[50:], x[50:])]
    assert numbers(page)["late"] == pytest.approx(np.mean(late), rel=1e-9)


# It moves and obeys


def test_opens_still_at_the_moment_of_its_preset(visit):
    page = visit()
    assert clock(page) == 8.0
    before = page.evaluate(HASH)
    frames(page, 10)
    assert page.evaluate(HASH) == before


def test_play_moves_it_and_scrubbing_back_gives_the_very_same_picture(visit):
    page = visit(rest=False)
    at(page, 2.0, **SMALL)
    before = page.evaluate(HASH)
    play(page)
    assert page.evaluate(HASH) != before and clock(page) > 2.0
    put(page, t=2.0)
    assert page.evaluate(HASH) == before


CHANGES = {
    "H": 5, "n": 12, "g2": 0.5, "seed": 5, "rule": "gradient", "t": 2.0, "turn": 20.0,
    "tilt": -30.0, "layout": "spread", "entry": "13", "t_end": 8,
    "start": "axes",
}  # fmt: skip
CANVASES = "[...document.querySelectorAll('.tfdyn canvas')].map((c) => c.toDataURL())"


def test_every_state_key_changes_the_picture(visit):
    page = visit(rest=False)
    at(page, 1.0, **SMALL)
    for key, value in CHANGES.items():
        before = page.evaluate(CANVASES)
        put(page, **{key: value})
        assert page.evaluate(CANVASES) != before, key
    assert set(CHANGES) | {"visited"} == set(Paths.keys_of_state())


def test_each_visited_number_of_heads_leaves_a_point(visit):
    page = visit(rest=False)
    at(page, 0.0, **SMALL, H=1)
    for H in (2, 3, 2):
        put(page, H=H)
        points = numbers(page)["visited"]
        assert points[-1][:2] == ["ou", 3 if len(points) == 3 else H]
    assert [H for _, H, _ in points] == [1, 2, 3]
    late = numbers(page)["late"]
    assert points[1][2] == pytest.approx(late, rel=1e-3)  # four digits are kept
    put(page, layout="spread")
    assert len(numbers(page)["visited"]) == 4
    put(page, seed=3)
    assert [point[:2] for point in numbers(page)["visited"]] == [["spread", 2]]


def test_visited_points_travel_in_the_address(visit):
    page = visit(rest=False)
    put(page, **SMALL, H=2)
    put(page, H=6)
    fresh = visit(hash=shared(page))
    assert model(fresh, "visited") == model(page, "visited")
    assert fresh.evaluate(CANVASES) == page.evaluate(CANVASES)


@pytest.mark.parametrize("text", ['{"of":"","points":[["ou",99,1]]}', '"all"', "{}"])
def test_points_that_are_none_are_refused(visit, text):
    page = visit(hash=f'#paths={{"visited":{text}}}')
    assert "cannot show" in page.inner_text(".tfdyn-note")


def test_dragging_the_grip_of_the_sweep_changes_the_heads(visit):
    page = visit(rest=False)
    put(page, **SMALL)
    canvas = page.locator(".tfdyn-fold canvas").nth(1)
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.5 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, y, steps=3)
    page.mouse.up()
    settle(page)
    assert model(page, "H") == 32


def test_stored_runs_stand_behind_where_the_layout_has_some(visit):
    page = visit(rest=False)
    put(page, **SMALL)
    assert numbers(page)["stored"] == 3
    put(page, layout="common")
    assert numbers(page)["stored"] == 0


def test_a_stored_run_is_thinned_and_keeps_what_is_drawn():
    t = np.linspace(0, 20, 200)
    run = {**SWEEP[0], "d": 3, "t": t.tolist(), "slope_squared": np.exp(-t).tolist()}
    other = {**run, "d": 2}
    for found in (
        {"runs": [run, other], "cases": {}},
        {"cases": {"heads": {"runs": [run, other]}}},
    ):
        (kept,) = _runs(found)
        thin = _thin(kept)
        assert len(thin["t"]) == len(thin["slope_squared"]) <= 70
        assert thin["slope_squared"][-1] == pytest.approx(
            np.exp(-thin["t"][-1]), rel=1e-3
        )


# The theorem, and what is seen


def test_lamps_say_what_the_theorem_says(visit):
    page = visit(rest=False)
    put(page, **SMALL, H=2)
    for state, words in (
        ({"layout": "frozen", "rule": "gradient"}, ["holds"] * 4),
        ({"rule": "softmax"}, ["holds", "fails", "holds", "fails"]),
        ({"H": 1}, ["holds"] * 4),
        ({"layout": "ou"}, ["fails", "holds", "holds", "fails"]),
        ({"layout": "spread", "H": 2}, ["fails"] * 4),
        ({"H": 3}, ["fails", "fails", "holds", "fails"]),
        ({"layout": "common"}, ["fails"] * 4),
    ):
        put(page, **state)
        assert lamps(page) == words, state


def test_where_all_lamps_hold_the_energy_falls_and_the_run_dies_out(visit):
    page = visit(rest=False)
    at(page, 0.0, n=8, t_end=10, layout="frozen", rule="gradient", H=3)
    energies = []
    for t in (0.0, 1.0, 3.0, 10.0):
        put(page, t=t)
        energies.append(numbers(page)["energy"])
    assert all(a >= b for a, b in zip(energies, energies[1:]))
    assert page.inner_text(".tfdyn-verdict-head") in ("It dies out", "At rest")


def test_from_two_heads_to_three_the_cloud_falls_silent(visit):
    """Phases spread: the target's mean stands still from three heads on.  The factor
    is about forty; ten leaves room for another cloud."""
    page = visit()
    found = {}
    for H, layout in ((2, "spread"), (3, "spread"), (3, "common")):
        put(page, n=16, t_end=20, layout=layout, H=H)
        found[H, layout] = numbers(page)["late"]
    assert found[3, "spread"] < found[2, "spread"] / 10
    assert found[3, "common"] > found[2, "spread"]


# What it says, and to whom


def test_live_sentence_tells_when_what_and_the_number(visit):
    page = visit()
    assert_says(
        page,
        r"Layer-time 8\.0\. 40 tokens under 10 heads, noisy\. G squared 0\.\d+\. "
        r"Mean over the second half 0\.\d+\.",
    )


def test_by_keyboard_the_sphere_turns_and_the_player_plays(visit):
    page = visit(rest=False)
    at(page, 1.0, **SMALL)
    turn = model(page, "turn")
    page.locator(".tfdyn-canvas").press("ArrowRight")
    assert model(page, "turn") != turn
    page.keyboard.press("Space")
    assert playing(page)


@pytest.mark.parametrize(
    "state", [{"n": 2, "H": 1, "g2": 4.0}, {"n": 2, "H": 32, "g2": 0.1, "seed": 9999}]
)
def test_ends_of_the_range_give_numbers_and_a_sentence(visit, state):
    page = visit(rest=False)
    at(page, 5.0, **state, t_end=5)
    assert_whole(page)
    assert page.inner_text(".tfdyn-verdict-head") != "Running"


REFUSED = [
    ({"H": 33}, "H must be an integer from 1 to 32"),
    ({"layout": "noise"}, "layout must be one of 'frozen'"),
    ({"visited": {"of": "", "points": [["ou", 1, -1.0]]}}, "visited must be"),
    ({"visited": [1]}, "visited must be"),
]


@pytest.mark.parametrize(("values", "message"), REFUSED)
def test_a_state_that_cannot_be_is_refused_by_name(values, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        Paths(**values)


def test_the_start_of_the_paper_is_near_the_axes():
    x0, path = start_of({**Paths.defaults(), **Paths.PRESETS["s2_ou"].values})
    assert (len(x0), path.H) == (200, 3)
    axis, off = np.abs(x0).argmax(axis=1), np.abs(x0)
    off[np.arange(200), axis] = 0
    # 600 normal numbers stay within five times their size, 0.05, over a length > 3/4.
    assert off.max() < 0.25 / 0.75
    assert set(axis) == {0, 1, 2}
