"""The figure of low temperature on a bare page: flow, one query, consensus, Python."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from figurehand import (
    FIGURE,
    HASH,
    LIVE,
    NOTE_LINES,
    NOTE_WORDS,
    assert_says,
    assert_shared,
    assert_whole,
    collisions,
    copied,
    crossed,
    deviation,
    drag,
    model,
    numbers,
    pick,
    playing,
    put,
    settle,
    shared,
)
from figurehand import run_copied as run
from figurepage import reading
from playwright.sync_api import Browser, Page, expect
from unchecked import unchecked

from tfdynlib.widgets import Cold
from tfdynlib.widgets._cold_presets import COLD_B, COLD_V, diagonal

ALL = tuple(Cold.PRESETS)
# 800 tokens at a finite temperature: the page takes seconds, and Python too.
HEAVY = ("generic3d", "commuting3d", "too_cold", "enough")
SOON = 'document.querySelector(".tfdyn-passport-line").innerText.match(/deviation \\d/)'


@pytest.fixture(scope="module")
def opened(browser: Browser, bare_pages) -> Iterator[Callable[..., Page]]:
    with reading(browser) as visit:
        yield partial(visit, bare_pages("Cold")[0])


@pytest.fixture(scope="module")
def page(opened: Callable[..., Page]) -> Page:
    """One page for all tests that pick their state themselves; nothing plays."""
    return opened(reduced_motion="reduce")


def at_preset(page: Page, name: str, **values: object) -> None:
    """A preset at its moment, with other values."""
    page.click(f'[data-preset="{name}"]')
    put(page, **values)


def words(page: Page) -> str:
    parts = (".tfdyn-side", ".tfdyn-lamps", ".tfdyn-clock")
    return " ".join([*map(page.inner_text, parts), page.text_content(LIVE) or ""])


def lamp(page: Page, k: int) -> str:
    return page.locator(".tfdyn-lamp").nth(k).inner_text()


def told(got: dict) -> list[float]:
    """What the copied lines print of a flow: the chart's value, and who is heard."""
    value = got["value"]
    if got["curve"] == "angle":
        value = (value + 180) % 360 - 180
    return [value, *([got["neighbours"]] if got["neighbours"] else [])]


# Every preset


@pytest.mark.parametrize("name", ALL)
def test_presets_agree_with_python(page, name):
    """Passport, copied Python, and a sentence without holes."""
    page.click(f'[data-preset="{name}"]')
    if name in HEAVY:
        page.wait_for_function(SOON)
        assert numbers(page)["n"] == 800 and "800" in copied(page)
    else:
        settle(page)
    # The same steps on both sides; consensus allows 1e-10 a step.
    assert deviation(page) < 1e-9
    assert_whole(page)
    if name in HEAVY:
        return
    (lines, _), got = run(page), numbers(page)
    if "curve" in got:
        # Between two steps at 1e-8 on the page, at the end of one in the text.
        assert lines == pytest.approx(told(got), rel=1e-5, abs=1e-6)
    elif "mean" in got:
        assert lines == pytest.approx([got["mean"], got["variance"] ** 0.5], abs=1e-7)
    else:
        want = [got["A"], got["radial"], got["tangential"]]
        assert lines == pytest.approx(want, abs=1e-9)


# The numbers of the book


@pytest.mark.parametrize(
    ("beta", "least", "time", "left"),
    [(20, 0.065, 5.2, 7.19), (320, 0.027, 7.6, 10.72)],
)
def test_least_distance_and_exit_of_the_standing_example(page, beta, least, time, left):
    at_preset(page, "cold2d", beta=beta)
    got = numbers(page)
    assert got["least"]["value"] == pytest.approx(least, abs=5.1e-4)
    assert got["least"]["t"] == pytest.approx(time, abs=0.06)
    assert got["exit"] == pytest.approx(left, abs=0.06)
    assert got["wait"] < got["least"]["t"] < got["obey"]
    zero = np.interp([1, 2, 4, 8], got["besideT"], np.log(got["beside"]))
    assert np.exp(zero) == pytest.approx([0.6312, 0.4382, 0.1858, 0.0263], rel=2e-3)
    bound = got["bound"]
    t = np.array(range(got["frames"])) * 14 / 400
    over = np.sqrt(np.log(beta + 1) / beta) * np.exp(bound["C1"] * t)
    over = bound["C"] * (over + np.exp(-bound["c"] * t))
    assert (over >= np.array(got["values"]) * (1 - 1e-12)).all()


def test_each_doubling_of_beta_postpones_the_exit_alike(page):
    found = []
    for beta, want in ((40, 5.494), (80, 6.582), (160, 7.638)):
        at_preset(page, "exit2d", beta=beta)
        found.append(numbers(page)["exit"])
        assert found[-1] == pytest.approx(want, abs=2e-3)
    assert np.diff(found) == pytest.approx([1.09, 1.056], abs=0.01)
    assert "leaves" in page.inner_text(".tfdyn-verdict")


def test_the_pair_turns_and_the_clusters_rest_in_between(page):
    at_preset(page, "rotating_V")
    for t, angle in {
        0: 22.92,
        1: 8.2,
        2: -3.57,
        5: -29.8,
        10: -76.8,
        20: -214.5,
    }.items():
        put(page, t=t)
        assert numbers(page)["value"] == pytest.approx(angle, abs=0.05)
    assert "complex" in page.inner_text(".tfdyn-verdict")
    at_preset(page, "sign_switch")
    groups = [g for g in numbers(page)["groups"] if g["mass"] > 0.1]
    angles = sorted(round(abs(g["angle"]) % 180, 2) for g in groups)
    assert [g["mass"] for g in groups] == pytest.approx([0.5, 0.5])
    assert all(min(abs(a - 63.43), abs(a - 116.57)) < 0.02 for a in angles), angles
    assert "−63.43° or 63.43°" in page.inner_text(".tfdyn-verdict")


def test_the_closed_form_and_the_masses_of_the_poles(page):
    at_preset(page, "two_poles")
    for t, want in {1: 0.7334049650, 3: 0.3079801071, 6: 0.0703224453}.items():
        put(page, t=t)
        assert numbers(page)["value"] == pytest.approx(want, rel=2e-3)
    put(page, band=0.1, t=6)  # without the equator it falls twice as fast
    y = numbers(page)["values"]
    assert np.log(y[400] / y[360]) == pytest.approx(-1.0, abs=0.02)
    assert "fails" in lamp(page, 3) and "band" in lamp(page, 3)
    at_preset(page, "tilted")
    assert numbers(page)["masses"] == pytest.approx(0.625, abs=1e-4)
    at_preset(page, "great_circle")
    assert numbers(page)["dim"] == 2 and "at most" in page.inner_text(
        ".tfdyn-chart-name"
    )
    put(page, t=3)
    assert numbers(page)["value"] == pytest.approx(0.0847053047, rel=5e-3)


def test_one_query_in_many_dimensions(page):
    at_preset(page, "uniform")
    for d, needed in {2: 50.25, 3: 100, 64: 3134.7, 768: 38158}.items():
        put(page, dim=d)
        assert numbers(page)["needed"] == pytest.approx(needed, rel=1e-4)
    put(page, kappa=100.0)
    assert numbers(page)["A"] == pytest.approx(0.1281, abs=5e-5)
    assert "Warm" in page.inner_text(".tfdyn-verdict")
    at_preset(page, "tilted_density")
    for kappa, want in {10: 0.241389, 40: 0.256348, 160: 0.259996}.items():
        put(page, kappa=kappa)
        got = numbers(page)
        assert got["kappa"] * got["tangential"] == pytest.approx(want, abs=1e-6)
    assert got["limit"] == pytest.approx(0.261204, abs=1e-6)


def test_consensus_comes_before_the_optimum(page):
    at_preset(page, "quadratic")
    assert numbers(page)["stop"] == pytest.approx(0.698489, abs=5e-7)
    assert numbers(page)["mean"] == pytest.approx(0.698489, abs=1e-4)
    put(page, alpha=99)
    assert numbers(page)["stop"] == pytest.approx(0.9)
    at_preset(page, "polarised")
    assert numbers(page)["variance"] > 0.3
    put(page, kernel=0.0)
    assert numbers(page)["variance"] < 0.01


# Hypotheses and the marks of the theorem


def test_marks_go_when_the_hypotheses_fail_and_the_figure_goes_on(page):
    at_preset(page, "cold2d", n=60)
    assert numbers(page)["bound"] and "holds" in lamp(page, 1)
    put(page, B=[[2.0, 0.3], [0.0, 0.6]])
    got = numbers(page)
    assert got["curve"] == "alignment" and got["bound"] is None and not got["known"]
    assert "fails" in lamp(page, 1) and "M = VB is not symmetric" in words(page)
    put(page, B=np.linalg.solve(COLD_V, 1.5 * np.eye(2)).tolist())
    assert "fails" in lamp(page, 2) and "M has no gap" in words(page)
    put(page, B=[[0.0, 0.0], [0.0, 0.0]])
    assert "fails" in lamp(page, 0) and "not invertible" in words(page)
    put(page, B=COLD_B, beta=5e3)
    assert "fails" in lamp(page, 4) and "N is too small" in words(page)


def test_constants_are_fitted_or_given_and_said_so(page):
    at_preset(page, "cold2d", n=60)
    assert "fitted, not proved" in lamp(page, 5)
    put(page, bound="given", C=0.1, C1=0.05, c=5.0)
    assert "given, not proved: C = 0.1" in lamp(page, 5) and "fails" in lamp(page, 5)
    assert page.locator(".tfdyn-slide[id^=tfdyn-C1]").is_visible()
    put(page, bound="fitted")
    assert not page.locator(".tfdyn-slide[id^=tfdyn-C1]").is_visible()


def test_beta_goes_to_infinity_and_back(page):
    at_preset(page, "cold2d", n=60)
    slider = page.locator(".tfdyn-slide[id^=tfdyn-beta]")
    slider.press("ArrowRight")
    assert model(page, "beta") > 20
    settle(page)
    assert numbers(page)["ghosts"] == 1
    box = page.locator(".tfdyn-row", has=slider).locator(".tfdyn-number")
    box.fill("99999")
    box.press("Enter")
    assert model(page, "rule") == "zero_temperature"
    settle(page)
    assert numbers(page)["phase"] == 1 and numbers(page)["bound"] is None
    slider.press("ArrowLeft")
    assert model(page, "rule") == "softmax" and 1e3 < model(page, "beta") < 1e4


def test_the_gap_moves_the_weights(page):
    for name, key in (("cold2d", "B"), ("two_poles", "V")):
        at_preset(page, name, n=60)
        before = model(page, key)
        box = page.locator(".tfdyn-row", has=page.locator("[id^=tfdyn-gap]"))
        box.locator(".tfdyn-number").fill("2.5")
        box.locator(".tfdyn-number").press("Enter")
        settle(page)
        got = numbers(page)
        assert got["gap"] == pytest.approx(2.5, abs=1e-9) and got["known"]
        assert model(page, key) != before


CHANGES: dict = {
    "B": (np.linalg.solve(COLD_V, np.diag([3.0, 1.0]))).tolist(), "beta": 60.0,
    "V": [[1.0, 0.0], [0.0, 1.8]], "rule": "zero_temperature", "n": 30,
    "start": "fine", "skew": 0.3, "density": 0.5, "band": 0.1, "t_end": 7.0, "t": 4.0,
    "time": "log", "scale": "linear", "curve": "alignment", "bound": "given",
    "sides": "marked",
}  # fmt: skip


def test_every_part_of_a_state_changes_the_picture(page):
    """On the stage or in the chart."""
    at_preset(page, "cold2d", n=40)
    both = (HASH, HASH.replace("tfdyn-canvas", "tfdyn-chart"))
    for key, value in CHANGES.items():
        before, old = [page.evaluate(h) for h in both], model(page, key)
        put(page, **{key: value})
        assert [page.evaluate(h) for h in both] != before, key
        put(page, **{key: old})


ENDS: list[dict] = [
    {"n": 2}, {"n": 2, "start": "draw"}, {"start": "pair", "angle": 0.0},
    {"B": diagonal(0, 0)}, {"V": diagonal(0, 0)}, {"B": diagonal(-2, -1)},
    {"beta": 1e6, "n": 30}, {"beta": 0.1}, {"density": 1.0}, {"band": 0.5, "n": 3},
    {"V": [[0.0, 3.0], [-3.0, 0.0]], "curve": "alignment"},
    {"V": diagonal(10, -10), "B": diagonal(10, 10), "t_end": 2.0},
    {"V": diagonal(1, 1, 2), "B": diagonal(1, 1, 1), "n": 30, "curve": "angle"},
    {"V": diagonal(1, 1, 1), "B": diagonal(1, 1, 1), "n": 30},
    {"V": diagonal(1, 1, 1), "n": 30}, {"time": "log", "t": 0.01},
    {"rule": "hardmax", "n": 12}, {"rule": "hardmax", "time": "log", "start": "draw"},
    {"view": "query", "dim": 4096, "kappa": 0.1},
    {"view": "query", "dim": 2, "kappa": 1e5, "density": -1.0, "angle": 3.1415},
    {"view": "consensus", "alpha": 1e4, "spread": 4.0},
    {"view": "consensus", "objective": "double_well", "m0": -2.0, "kernel": 0.05},
]  # fmt: skip


def test_ends_of_the_range_give_a_sentence_and_no_nan(page):
    home = {**Cold("cold2d").state(), "n": 60}
    for state in ENDS:
        put(page, **{**home, **state})
        assert_whole(page)


STARTS: list[dict] = [
    # fewer than two tokens would be left: all stay
    {"n": 2, "band": 0.5, "start": "fine"}, {"n": 3, "band": 0.5, "density": -1.0},
    {"n": 9, "band": 0.2, "density": 0.5}, {"n": 9, "density": -1.0, "start": "draw"},
    # a pair has equal masses, whatever was set before
    {"start": "pair", "angle": 1.5, "density": -1.0, "band": 0.3, "t": 1.0},
    {"V": diagonal(1, 2, 1), "B": diagonal(1, 1, 1), "n": 9, "density": 0.5},
]  # fmt: skip


def test_the_copied_lines_place_the_tokens_of_every_start(page):
    home = {**Cold("cold2d").state(), "t": 0.5}
    for state in STARTS:
        put(page, **{**home, **state})
        assert run(page)[0] == pytest.approx(told(numbers(page)), rel=1e-5), state
    put(page, **{**home, "start": "pair", "density": 0.5})
    assert numbers(page)["masses"] == pytest.approx(0.5)


def test_without_interaction_the_track_does_not_depend_on_the_number_of_tokens(page):
    """As the page on the limit asks the reader to see."""
    at_preset(page, "no_interaction", n=40)
    track = numbers(page)["track"]
    for n in (90, 250):
        put(page, n=n)
        assert np.allclose(numbers(page)["track"], track, atol=1e-6)


def test_a_moment_before_the_first_of_a_logarithmic_axis_is_kept_by_a_linear_one(page):
    put(page, **{**Cold("cold2d").state(), "n": 9, "time": "log"})
    put(page, t=0.0)
    put(page, time="linear")
    assert numbers(page)["t"] == model(page, "t") == 0.0


FEW = {"rule": "zero_temperature", "n": 10, "B": diagonal(1, 1)}


@pytest.mark.parametrize("width", [760, 320])
def test_words_stand_clear_of_each_other_and_phases_of_every_line(opened, width):
    """Also where many small clusters have a share each."""
    page = opened(width=width, reduced_motion="reduce")
    page.evaluate(NOTE_WORDS)
    page.evaluate(NOTE_LINES)
    for name, state in (("cold2d", {}), ("exit2d", {"beta": 60.0}), ("cold2d", FEW)):
        at_preset(page, name, **state)
        for t in (0.0, 3.0, 5.5, 9.0):
            put(page, t=t)
            assert collisions(page) == [], (name, t)
            assert crossed(page, "gather|^[123]$|wait|obey") == [], (name, t)


def test_a_cloud_that_has_left_is_said_to_have_left(page):
    at_preset(page, "exit2d", n=60)
    left = numbers(page)["exit"]
    for t, head, verb in (
        (left - 0.1, "Waiting", "leaves"),
        (left + 0.1, "Leaving", "left"),
    ):
        put(page, t=t)
        verdict = page.inner_text(".tfdyn-verdict")
        assert verdict.startswith(head) and f"It {verb} (" in verdict


# Sharing, the hand, the eye, the ear


def test_a_shared_address_opens_the_same_state(page, opened):
    at_preset(page, "exit2d", n=60, skew=0.25, t=3.0, curve="alignment")
    two = opened(hash=shared(page), reduced_motion="reduce")
    assert_shared(page, two, Cold)
    two.evaluate("location.hash = '#cold={\"B\":[[1,2]]}'")
    expect(two.locator(".tfdyn-note")).to_contain_text("cannot show: B")


def test_many_tokens_are_followed_while_they_are_computed(opened):
    """Play shows what is there, and the scrubber how far the buffer is."""
    page = opened()
    page.click('[data-preset="generic3d"]')
    page.wait_for_function(f"{FIGURE}.tfdyn.numbers().filled > 12")
    got = numbers(page)
    assert got["n"] == 800 and got["filled"] < got["frames"]
    assert playing(page)
    page.wait_for_function(f"{FIGURE}.tfdyn.card.clock.t > 0")


def test_the_query_and_the_sphere_are_turned_by_hand_and_by_key(page):
    pick(page, "tilted_density")
    stage = page.locator(".tfdyn-canvas")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    r = min(box["width"], box["height"]) / 2
    r -= min(62, 0.34 * r)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(page, (x + r / np.sqrt(2), y - r / np.sqrt(2)), (x, y - r))
    settle(page)
    assert model(page, "angle") == pytest.approx(np.pi / 2, abs=0.03)
    stage.press("ArrowLeft")
    assert model(page, "angle") == pytest.approx(np.pi / 2 + 0.05, abs=0.03)
    at_preset(page, "two_poles", n=60)
    before = page.evaluate(HASH)
    stage.press("ArrowRight")
    settle(page)
    assert model(page, "turn") != 30 and page.evaluate(HASH) != before


def test_the_live_sentence_says_what_is_seen(opened):
    page = opened(hash='#cold={"t":3.0,"n":60}', reduced_motion="reduce")
    assert_says(
        page,
        r"Layer-time 2\.98, phase 2 of 3, waiting\. Distance to the limit 0\.2\d\d\. "
        r"50 per cent of the mass on the side of the first pole\. Log beta is 3\.",
    )


def test_a_choice_is_heard_as_it_is_seen_and_powers_as_words(page):
    at_preset(page, "uniform")
    page.click(".tfdyn-option:has-text('768')")
    assert_says(
        page,
        r"Inverse temperature 10 in 768 dimensions\. The mean of a uniform law has "
        r"length 0\.013\. Warm: most of the mean cancels\.",
    )
    scrubber = page.locator(".tfdyn-scrub")
    scrubber.press("End")
    settle(page)
    words = "inverse temperature 10 to the 5"
    assert scrubber.get_attribute("aria-valuetext") == words


def test_one_opinion_has_a_reason_that_is_true(page):
    at_preset(page, "polarised", m0=-2.0)
    assert "began near one well" in page.inner_text(".tfdyn-verdict")
    put(page, objective="quadratic")
    assert "There is one well" in page.inner_text(".tfdyn-verdict")


# In Python


def still_of(name: str) -> str:
    return Cold.still(Cold(name, n=min(Cold(name).n, 100)).state())


def test_every_preset_has_a_still():
    assert all("<svg" in svg for svg in unchecked(still_of, [[name] for name in ALL]))


@pytest.mark.parametrize(
    ("key", "value"),
    [("B", [[1, 2]]), ("beta", 0.0), ("V", np.eye(4)), ("view", "side"), ("n", 1)],
)
def test_a_trait_out_of_range_is_refused_by_name(key, value):
    with pytest.raises(ValueError, match=key):
        Cold(**{key: value})
