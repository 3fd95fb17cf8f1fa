"""The view of two clouds on a bare page: distances, the bound, and what Python says."""

import numpy as np
import pytest
from figurehand import (
    HASH,
    assert_changes,
    assert_says,
    assert_shared,
    deviation,
    model,
    numbers,
    put,
    run_copied,
    settle,
    shared,
    state_of,
)
from playwright.sync_api import Page

from tfdynlib import sphere, stability
from tfdynlib.widgets import Sphere
from tfdynlib.widgets._sphere_twins import TWINS, Twins
from tfdynlib.widgets.sphere import heads_of, start_of, step_length

ALL = tuple(TWINS)
LONGEST = np.log10(np.pi)  # half a turn


@pytest.fixture
def address(bare_pages) -> str:
    return bare_pages("Sphere", (*ALL, "pause_and_merge"))[0]


def go(page: Page, name: str, **values: object) -> dict:
    """Go to a preset at its moment; the state."""
    put(page, **{**Sphere(name).state(), **values})
    return state_of(page, Sphere)


def distances(state: dict) -> np.ndarray:
    """Python's distance at 0, 0.05, ... up to t."""
    twins = Twins(heads_of(state), start_of(state), state)
    dt = step_length(twins.widened(state))
    inner, frames = round(0.05 / dt), round(state["t"] / 0.05)
    x, y = twins.run(dt * np.arange(inner * frames + 1))[:, ::inner]
    return np.sqrt(np.mean(sphere.distance(x, y) ** 2, axis=1))


@pytest.mark.parametrize("name", ALL)
def test_distances_and_constants_are_pythons(visit, name):
    page = visit(rest=False)
    state = go(page, name, t=2.0, n=12, t_end=20)
    seen = numbers(page)
    # Rounding of both runs, and of the chord of close tokens.
    assert seen["distances"][:41] == pytest.approx(distances(state), abs=1e-13)
    one, two = Twins(heads_of(state), start_of(state), state).both()
    assert seen["L"] == pytest.approx(stability.geodesic_constant(one), rel=1e-12)
    assert seen["gap"] == pytest.approx(stability.field_gap(one, two), abs=1e-12)
    allowed = stability.log_drift_bound(2.0, one, two, seen["before"]) / np.log(10)
    assert seen["allowed"] == pytest.approx(allowed, rel=1e-10)
    assert np.log10(seen["distance"]) < seen["allowed"]


def test_a_nudged_token_changes_little_while_the_bound_leaves_the_sphere(visit):
    page = visit(rest=False)
    go(page, "nudge_prompt", t=5.0)
    seen = numbers(page)
    assert seen["before"] == pytest.approx(0.01 / np.sqrt(32), rel=1e-9)
    assert 0.5 < seen["distance"] / seen["before"] < 2
    assert seen["allowed"] > 10 * LONGEST
    lamps = page.locator(".tfdyn-lamp").all_inner_texts()
    assert "holds" in lamps[1] and "fails" in lamps[3]
    put(page, t=0.5)
    assert "holds" in page.locator(".tfdyn-lamp").nth(3).inner_text()


def test_minimisers_of_opposite_signs_end_a_right_angle_apart(visit):
    page = visit(rest=False)
    go(page, "minimiser_jump", n=12, t=200.0)
    assert numbers(page)["distance"] == pytest.approx(np.pi / 2, abs=1e-3)
    assert "Another fate" in page.inner_text(".tfdyn-verdict")


def test_fewer_bits_are_further_apart(visit):
    page = visit(rest=False)
    found = []
    for bits in (12, 8, 4):
        go(page, "round_weights", bits=bits, t=2.0, n=12)
        found.append(numbers(page)["distance"])
    # Four bits are a factor 16 in the step; where a step ends is chance of entries.
    assert found[1] > 3 * found[0] > 0 and found[2] > 3 * found[1]


def test_a_rule_that_is_not_softmax_has_no_bound(visit):
    page = visit(rest=False)
    go(page, "nudge_prompt", rule="hardmax", n=12)
    lamps = page.locator(".tfdyn-lamp").all_inner_texts()
    assert "fails" in lamps[0]
    assert page.inner_text(".tfdyn-readouts dd >> nth=2") == "–"


def test_every_part_of_a_state_changes_the_picture(visit):
    page = visit(rest=False)
    go(page, "nudge_prompt", n=12, t=2.0, size=0.5)
    changes = {
        "beta": 3.0, "n": 20, "seed": 3, "start": "cap", "size": 0.9, "t": 4.0,
        "change": "sign", "turn": 20.0, "tilt": -30.0, "rule": "unnormalised",
        "B": [np.diag([1.0, 2.0, -1.0]).tolist()], "V": [np.eye(3).tolist()],
    }  # fmt: skip
    assert_changes(page, changes)
    put(page, change="weights", bits=2)
    before = page.evaluate(HASH)
    put(page, bits=3, B=model(page, "B"))
    assert page.evaluate(HASH) == before  # the identity is on every grid
    assert numbers(page)["distance"] == 0


def test_only_the_slider_that_counts_is_there(visit):
    page = visit(rest=False)
    for name, size in (("nudge_prompt", True), ("round_weights", False)):
        go(page, name)
        for key, there in (("size", size), ("bits", not size)):
            slider = page.locator(f".tfdyn-slide[id^=tfdyn-{key}]")
            assert slider.is_visible() is there
            if there:
                before = model(page, key)
                slider.press("ArrowRight")
                assert model(page, key) != before


def test_the_other_view_is_one_chip_away(visit):
    page = visit()
    page.click('[data-preset="pause_and_merge"]')
    assert model(page, "view") == "tokens"
    assert "gather" in page.inner_text(".tfdyn-title")
    page.click('[data-preset="nudge_prompt"]')
    assert "drift" in page.inner_text(".tfdyn-title")


@pytest.mark.parametrize("name", ALL)
def test_passport_measures_the_page_against_python(visit, name):
    page = visit(rest=False)
    go(page, name, t=2.5)
    # A hundred steps of rounding in tokens, and a norm from eigenvalues.
    assert deviation(page) < 1e-12


@pytest.mark.parametrize("name", ALL)
def test_copied_python_prints_the_distance_and_the_bound(visit, name):
    page = visit(rest=False)
    go(page, name, t=1.0, n=12, beta=1.5)
    (distance, allowed), _ = run_copied(page)
    seen = numbers(page)
    assert distance == pytest.approx(seen["distance"], rel=1e-8)
    assert np.log10(allowed) == pytest.approx(seen["allowed"], rel=1e-10)


def test_copied_python_prints_the_exponent_of_a_vast_bound(visit):
    page = visit(rest=False)
    go(page, "nudge_prompt", t=4.0, n=12)
    (_, allowed), _ = run_copied(page)
    assert allowed == pytest.approx(numbers(page)["allowed"], rel=1e-10) and allowed > 4


def test_live_sentence_tells_the_distance(visit):
    page = visit(rest=False)
    go(page, "nudge_prompt", t=1.5)
    assert_says(page, r"Layer-time [\d.]+\. 32 pairs of tokens, distance 0\.00.*")


def test_a_shared_address_opens_the_same_twins(visit):
    one = visit(rest=False)
    go(one, "round_weights", t=2.5, n=12, bits=5)
    assert_shared(one, visit(hash=shared(one)), Sphere)


def test_extremes_end_in_words_and_not_in_an_exception(visit):
    page = visit()
    for values in (
        {"beta": 50.0, "B": [(10 * np.ones((3, 3))).tolist()]},
        {"B": [np.zeros((3, 3)).tolist()], "V": [np.zeros((3, 3)).tolist()]},
        {"n": 2, "size": 1.0}, {"size": 1e-5, "t": 5.0},
        {"change": "weights", "bits": 2}, {"change": "sign", "size": 1e-5},
    ):  # fmt: skip
        go(page, "nudge_prompt", **{"n": 8, **values})
        assert page.inner_text(".tfdyn-readouts dd >> nth=0")
        assert "NaN" not in page.inner_text(".tfdyn-card")  # a bound may be infinite


@pytest.mark.parametrize("change", ["prompt", "weights", "sign"])
def test_a_still_tells_the_distance_in_words(change):
    figure = Sphere("nudge_prompt", change=change, n=8, t=1.0)
    assert "second cloud" in Sphere.still(figure.state())


WRITTEN = """() => {
  const own = CanvasRenderingContext2D.prototype;
  const { fillText } = own;
  globalThis.written = [];
  own.fillText = function (text, x, ...rest) {
    written.push([text, x / this.canvas.clientWidth]);
    return fillText.call(this, text, x, ...rest);
  };
  globalThis.silent = () => { own.fillText = fillText; };
}"""


def test_name_of_half_a_turn_stands_where_the_bound_does_not_pass(visit):
    page = visit()
    page.evaluate(WRITTEN)
    go(page, "nudge_prompt", t=1.5)
    settle(page)
    page.evaluate("silent()")
    # The bound reaches half a turn in the left quarter of the chart.
    written = page.evaluate("written")
    shares = [x for text, x in written if text.startswith("half")]
    assert shares and min(shares) > 0.4, written
