"""The figure of minimising movements on a bare page: steps, flow, orders, Python."""

import json

import numpy as np
import pytest
from figurehand import (
    HASH,
    assert_changes,
    assert_says,
    assert_shared,
    assert_whole,
    clock,
    deviation,
    model,
    numbers,
    pick,
    play,
    put,
    run_copied,
    settle,
    shared,
    state_of,
)
from playwright.sync_api import Page

from tfdynlib import energy, jko, sphere
from tfdynlib.widgets import JKO
from tfdynlib.widgets.jko import flow_to, path_of, start_of, ways_of

ALL = tuple(JKO.PRESETS)
EYE = np.eye(3).tolist()


@pytest.fixture
def address(bare_pages) -> str:
    return bare_pages("JKO")[0]


def at_moment(page: Page, name: str) -> None:
    """Take a preset, at its moment."""
    pick(page, name)
    put(page, t=JKO.PRESETS[name].moment)


def gap(x: list[float]) -> float:
    return float(sphere.distance(*np.reshape(x, (2, 3))))


# The numbers of the book


STEPS = {0.1: 1.621842, 1.0: 1.926658, 10.0: 2.641999, 100.0: 3.066165}
LONG = {10.0: 0.783497, 100.0: 0.771802}


def test_one_step_from_a_right_angle(visit):
    page = visit(rest=False)
    for tau, angle in STEPS.items():
        put(page, tau=tau, t=1)
        got = numbers(page)
        assert gap(got["x"]) == pytest.approx(angle, abs=5e-7)
        assert got["energies"][0] == pytest.approx(0.929570, abs=5e-7)
        if tau in LONG:
            assert got["energy"] == pytest.approx(LONG[tau], abs=5e-7)


def test_eulers_long_step_climbs_and_the_lamp_says_so(visit):
    page = visit(rest=False)
    put(page, tau=10.0, t=1)
    assert numbers(page)["euler"][1] == pytest.approx(1.228236, abs=5e-7)
    lamp = page.locator(".tfdyn-lamp").nth(3).inner_text()
    assert "fails" in lamp and "from 0.9296 to 1.228" in lamp
    put(page, tau=0.1)
    assert "holds" in page.locator(".tfdyn-lamp").nth(3).inner_text()


ERRORS = {10: 0.0105695, 20: 0.0053702, 40: 0.0027070, 80: 0.0013591}


def test_errors_at_one_are_those_of_the_page(visit):
    """The angle is off by twice what each token is."""
    page = visit(rest=False)
    for n, error in ERRORS.items():
        put(page, tau=1 / n)
        # seven decimals are printed there, and rounded twice
        assert 2 * numbers(page)["error"][0] == pytest.approx(error, abs=1.1e-7)


# Orders, and the inequality


@pytest.mark.parametrize("name", ALL[:3])
def test_the_error_has_order_one_and_extrapolated_two(visit, name):
    page = visit(rest=False)
    put(page, **{**JKO.PRESETS[name].values, "n": 16})
    for weight in jko.WEIGHTS:
        put(page, weight=weight)
        grid = numbers(page)["grid"]
        for order, errors in enumerate(grid["errors"], 1):
            slope = np.log(errors[1] / errors[0]) / np.log(
                grid["tau"][1] / grid["tau"][0]
            )
            # the next order is about tau, 0.03 at most, times a ratio of constants
            assert slope == pytest.approx(order, abs=0.1)


def test_errors_are_against_pythons_flow(visit):
    page = visit(rest=False)
    at_moment(page, "weights_move")
    state = state_of(page, JKO)
    for order in (1, 2):
        run = jko.solve(
            start_of(state), path_of(state), state["tau"], 2, order=order
        ).x[-1]
        error = np.sqrt(np.mean(sphere.distance(run, flow_to(state, 1.0)) ** 2))
        # the movements of both sides are minima to the root of rounding
        assert numbers(page)["error"][order - 1] == pytest.approx(error, abs=1e-7)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("tau", [0.3, 30.0])
def test_every_step_keeps_the_inequality(visit, name, tau):
    """With the package's energies, weights and distances, at the page's tokens."""
    page = visit(rest=False)
    put(page, **{**JKO.PRESETS[name].values, "n": 12, "tau": tau})
    state, places = state_of(page, JKO), []
    for k in range(5):
        put(page, t=k)
        places.append(np.reshape(numbers(page)["x"], (-1, 3)))
    path = path_of(state)
    for k, (x, y) in enumerate(zip(places, places[1:])):
        heads = path((k + 1) * tau)
        b = energy.effective_weight(x, heads)
        price = np.mean(b * sphere.distance(x, y) ** 2) / (2 * tau)
        fall = energy.interaction(x, heads) - energy.interaction(y, heads)
        assert fall - price >= -1e-12


def test_moving_weights_lift_the_energy_and_the_words_say_so(visit):
    page = visit(rest=False)
    at_moment(page, "weights_move")
    put(page, t=1)
    assert np.diff(numbers(page)["energies"]).max() > 0
    assert "The weights lift the energy" in page.inner_text(".tfdyn-verdict")
    assert "fails" in page.locator(".tfdyn-lamp").nth(2).inner_text()


def test_a_way_of_more_than_half_a_turn_is_labelled(visit):
    page = visit(rest=False)
    at_moment(page, "beyond_the_cut")
    assert numbers(page)["longest"] > np.pi
    assert numbers(page)["status"] == jko.CUT
    assert "beyond the cut locus" in page.inner_text(".tfdyn-verdict")
    assert "fails" in page.locator(".tfdyn-lamp").nth(1).inner_text()
    put(page, tau=0.5)
    assert "holds" in page.locator(".tfdyn-lamp").nth(1).inner_text()


# Page against Python


@pytest.mark.parametrize("name", ALL)
def test_passport_measures_every_preset_against_python(visit, name):
    page = visit(rest=False)
    at_moment(page, name)
    # energies after a step feel the 1e-10 that the package leaves of its gradient
    assert deviation(page) < 1e-9


@pytest.mark.parametrize("name", ALL)
def test_copied_python_prints_what_the_figure_shows(visit, name):
    page = visit()
    short = {"weight": "implicit", "tau": 0.7, "n": 20}
    put(page, **{**JKO.PRESETS[name].values, **short, "t": 3})
    printed, _ = run_copied(page)
    got = numbers(page)
    want = [got["energy"], got["decrease"], got["longest"], got["error"][0]]
    # a minimum is known to the root of rounding, over a few steps
    assert printed == pytest.approx(want, abs=1e-6)
    shown = " ".join(page.locator(".tfdyn-readouts dd").all_inner_texts())
    assert f"{got['energy']:.6f}" in shown


def test_a_shared_address_opens_the_same_state(visit):
    one = visit()
    cloud = {**JKO.PRESETS["hundred"].values, "n": 20}
    put(one, **cloud, tau=3.0, t=4, turn=60.0, curve="energy")
    assert_shared(one, visit(hash=shared(one)), JKO)


# The hand


def test_every_part_of_a_state_changes_the_picture(visit):
    page = visit(rest=False)
    at_moment(page, "weights_move")
    put(page, moving="still", t=2, n=6)
    changes = {
        "tau": 3.0, "n": 9, "seed": 5, "beta": 3.0, "weight": "implicit", "turn": 70.0,
        "D1": np.diag([3.0, 0, 0]).tolist(), "D2": np.diag([0, 3.0, 0]).tolist(),
        "tilt": -40.0, "start": "pair", "beside": "euler", "moving": "oscillating",
        "t": 5,
    }  # fmt: skip
    assert_changes(page, changes)
    put(page, start="pair")
    before = page.evaluate(HASH)
    put(page, gap=2.5)
    assert page.evaluate(HASH) != before
    name = page.inner_text(".tfdyn-chart-name")
    put(page, curve="error")
    assert page.inner_text(".tfdyn-chart-name") != name


def test_dragging_in_the_chart_sets_tau_or_the_step(visit):
    page = visit()
    chart = page.locator(".tfdyn-chart").bounding_box()

    def press(share: float) -> None:
        page.mouse.click(chart["x"] + share * chart["width"], chart["y"] + 60)
        settle(page)

    press(0.8)
    assert model(page, "tau") > 5
    put(page, curve="energy")
    press(0.9)
    assert clock(page) >= 5 and model(page, "tau") > 5


def test_a_matrix_stays_symmetric_under_the_hand(visit):
    page = visit()
    cell = page.get_by_label("D1, row 1, column 2")
    cell.fill("0.4")
    cell.press("Enter")
    settle(page)
    D = np.array(model(page, "D1"))
    assert D[0, 1] == D[1, 0] == 0.4
    assert model(page, "D2") == EYE


def test_playing_ends_on_a_whole_step(visit):
    page = visit(rest=False)
    put(page, t=0)
    play(page)
    assert model(page, "t") == int(model(page, "t"))


def test_an_address_with_a_matrix_that_is_not_symmetric_is_refused(visit):
    state = json.dumps({"D1": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]})
    page = visit(hash=f"#jko={state}")
    assert "cannot show: D1" in page.inner_text(".tfdyn-note")


ENDS: list[dict] = [
    {"gap": 0.0},
    {"gap": np.pi, "tau": 100.0},
    {"tau": 0.01, "t": 100},
    {"start": "cloud", "n": 2, "tau": 100.0, "beta": 10.0, "weight": "implicit"},
    {"D1": np.zeros((3, 3)).tolist(), "D2": np.zeros((3, 3)).tolist()},
    {"D1": np.full((3, 3), 10.0).tolist(), "beta": 10.0},
    {"moving": "oscillating", "tau": 100.0, "t": 6},
]


def test_ends_of_the_range_give_a_sentence_and_no_nan(visit):
    page = visit()
    home = JKO("two_tokens").state()
    for state in ENDS:
        put(page, **{**home, **state})
        assert_whole(page)


def test_a_flow_that_is_not_followed_is_said(visit):
    page = visit(rest=False)
    put(page, moving="oscillating", tau=100.0, t=3)
    assert "not followed that far" in page.inner_text(".tfdyn-verdict")
    assert np.isnan(numbers(page)["error"]).all()
    put(page, tau=1.0)
    assert "not followed" not in page.inner_text(".tfdyn-verdict")


def test_scores_beyond_doubles_are_refused_in_words(visit):
    page = visit(rest=False)
    put(page, D1=np.full((3, 3), 10.0).tolist(), beta=10.0)
    assert "Too steep" in page.inner_text(".tfdyn-verdict")


def test_the_live_sentence_says_what_is_seen(visit):
    assert_says(
        visit(),
        r"Step 1 of 10, tau 1\. 2 tokens, energy 0\.856\. Left over 0\.044, longest "
        r"way 0\.178\.( Error against the flow 0\.041\.)?",
    )


# Python's side


@pytest.mark.parametrize("name", ALL)
def test_every_preset_has_a_reference_and_a_still(name):
    state = JKO(name).state()
    assert JKO.measured(state)["numbers"]
    assert "<svg" in JKO.still(state)
    assert len(ways_of(state)) == 4 * state["t"] + 1


@pytest.mark.parametrize(
    ("key", "value"),
    [("tau", 0.0), ("weight", "soft"), ("D1", [[1, 1, 0], [0, 1, 0], [0, 0, 1]])],
)
def test_a_trait_out_of_range_is_refused_by_name(key, value):
    with pytest.raises(ValueError, match=key):
        JKO(**{key: value})
