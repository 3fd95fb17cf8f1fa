"""The bench figure on a bare page: sums by waves, tolerances, and what Python says."""

import numpy as np
import pytest
from figurehand import (
    FIGURE,
    HASH,
    assert_changes,
    assert_says,
    assert_shared,
    clock,
    deviation,
    drag,
    frames,
    lamps,
    model,
    numbers,
    pick,
    play,
    playing,
    put,
    run_copied,
    settle,
    shared,
    state_of,
)
from scipy.special import ive

from tfdynlib.widgets import Bench
from tfdynlib.widgets._bench_pole import walked
from tfdynlib.widgets._bench_softmax import weights_of
from tfdynlib.widgets.bench import (
    TOLERANCES,
    counts_of,
    errors_of,
    exact_sums,
    start_of,
    tail_bound,
)

ALL = tuple(Bench.PRESETS)
# Short runs and few tokens, so that a page fills its buffers at once.
SHORT = {"t_end": 20.0, "n": 16}


@pytest.fixture
def address(bare_pages) -> str:
    return bare_pages("Bench")[0]


# --- the race -------------------------------------------------------------------------


def test_opens_on_the_race_and_rests(visit):
    page = visit()
    assert clock(page) == 6 and page.inner_text(".tfdyn-title").endswith("?")
    before = page.evaluate(HASH)
    frames(page, 10)
    assert page.evaluate(HASH) == before


def test_waves_are_whole_numbers_by_every_hand(visit):
    page = visit()
    page.locator(".tfdyn-canvas").press("ArrowRight")
    settle(page)
    assert (model(page, "K"), clock(page)) == (7, 7)
    box = page.locator(".tfdyn-chart").first.bounding_box()
    page.mouse.click(box["x"] + 0.61 * box["width"], box["y"] + 60)
    settle(page)
    assert isinstance(model(page, "K"), int) and model(page, "K") > 15
    play(page)
    assert isinstance(model(page, "K"), int)


def test_errors_are_pythons_and_below_their_bounds(visit):
    page = visit(rest=False)
    for values in ({}, {"beta": 64.0, "n": 300}, {"sign": -1, "arc": 2.0, "seed": 5}):
        put(page, **{**Bench("methods_race").state(), **values})
        state = state_of(page, Bench)
        got = numbers(page)
        most = len(got["sums"]) - 1
        bound = tail_bound(state["beta"], np.arange(most + 1))
        # Sums of a few hundred terms of size one.
        assert got["sums"] == pytest.approx(errors_of(state, most), abs=1e-14)
        assert got["tails"] == pytest.approx(bound, rel=1e-12)
        assert (np.array(got["sums"]) <= bound + 1.5e-14).all()


def test_the_certificate_bounds_the_error_of_every_mean(visit):
    page = visit()
    for beta in (1.0, 16.0, 128.0):
        for K in (5, 20, 40):
            put(page, beta=beta, K=K)
            got = numbers(page)
            assert got["mean"] <= got["promised"]


def test_tokens_that_look_away_are_turned_down_and_the_figure_says_so(visit):
    page = visit(rest=False)
    pick(page, "look_away")
    assert numbers(page)["refused"] == 64 and numbers(page)["sum"] < 1e-14
    assert "turns down 64 of 64" in page.inner_text(".tfdyn-verdict")
    lamps = page.locator(".tfdyn-lamp").all_inner_texts()
    assert "holds" in lamps[0] and "fails" in lamps[1]


def test_times_are_measured_when_the_hand_rests_and_grow(visit):
    page = visit()
    page.wait_for_function(f"{FIGURE}.tfdyn.numbers().times !== null", timeout=60_000)
    times = numbers(page)["times"]
    # A table five hundred times as large: whatever the machine does, it takes longer.
    assert times["pairs"][-1] > times["pairs"][0]
    assert times["pairs"][-1] > times["series"][-1]
    put(page, n=4096)
    assert "holds" in page.locator(".tfdyn-lamp").nth(3).inner_text()


def test_every_part_of_a_state_changes_the_race(visit):
    page = visit()
    changes = {"beta": 40.0, "n": 20, "seed": 3, "arc": 1.0, "K": 2, "sign": -1}
    assert_changes(page, changes)
    name = page.inner_text(".tfdyn-chart-name >> nth=0")
    put(page, curve="mean")
    assert page.inner_text(".tfdyn-chart-name >> nth=0") != name


def test_sliders_set_the_model(visit):
    page = visit()
    for key in ("beta", "n", "arc", "seed"):
        slider = page.locator(f".tfdyn-slide[id^=tfdyn-{key}]")
        before = model(page, key)
        slider.press("ArrowLeft" if key == "arc" else "ArrowRight")
        assert model(page, key) != before, key


# --- tolerances -----------------------------------------------------------------------


def test_a_preset_of_the_other_view_brings_its_card_and_plays(visit):
    page = visit()
    page.click('[data-preset="tolerance_and_truth"]')
    assert playing(page)
    assert "tight" in page.inner_text(".tfdyn-title")
    chosen = page.locator('[data-preset][aria-pressed="true"]')
    assert chosen.get_attribute("data-preset") == "tolerance_and_truth"
    pick(page, "cold_race")
    assert model(page, "view") == "race" and model(page, "K") == 40


def test_counts_are_pythons_where_they_stand_still(visit):
    page = visit(rest=False)
    pick(page, "tolerance_and_truth")
    state = state_of(page, Bench)
    shown = []
    for t in (5.3, 12.0, 60.0, 500.0):  # the first between frames, while counts change
        put(page, t=t)
        shown.append(numbers(page)["counts"])
    times = np.array([0, 5.3, 12.0, 60.0, 500.0])
    assert np.array(shown).T.tolist() == counts_of(state, times)[:, 1:].tolist()


def test_a_tighter_tolerance_is_nearer_and_costs_more(visit):
    page = visit(rest=False)
    pick(page, "tolerance_and_truth")
    put(page, t=5.0)
    got = numbers(page)
    assert got["errors"][1] < got["errors"][0] / 10
    assert got["evaluations"] == sorted(got["evaluations"])
    # Stability limits the step for most of the run, so a millionfold is not dear.
    assert got["evaluations"][2] < 2 * got["evaluations"][0]


def test_a_symmetric_start_shows_where_tolerances_part(visit):
    page = visit(rest=False)
    pick(page, "loose_tolerance")
    all_counts = np.array(numbers(page)["all"])
    assert (all_counts[0] != all_counts[2]).any()
    put(page, t=16.0)
    lamps = page.locator(".tfdyn-lamp").all_inner_texts()
    assert "fails" in lamps[1] and "breaks the symmetry" in lamps[1]


def test_every_part_of_a_state_changes_the_runs(visit):
    page = visit(rest=False)
    pick(page, "tolerance_and_truth")
    put(page, **SHORT, t=1.0)
    changes = {"beta": 2.0, "n": 10, "seed": 3, "arc": 1.0, "start": "grid", "t": 6.0}
    assert_changes(page, changes)
    name = page.inner_text(".tfdyn-chart-name")
    put(page, shows="distance")
    assert page.inner_text(".tfdyn-chart-name") != name


# --- the wall ------------------------------------------------------------------------


def test_euler_walks_through_the_wall_on_both_sides(visit):
    page = visit(rest=False)
    pick(page, "euler_through_pole")
    assert_says(page, r"Layer-time [\d.]+\. Variance by Euler: .+ The truth: .+\.")
    put(page, t=0.52)
    got = numbers(page)
    want = [walked(step)[1][-1] for step in got["steps"]]
    # 261 steps, and what lies behind the wall magnifies their rounding.
    assert got["values"] == pytest.approx(want, rel=1e-9)
    assert want == pytest.approx([36.9, 159.8, 6.1e13], rel=5e-3)
    assert got["truth"] is None
    shown, _ = run_copied(page)
    assert shown == pytest.approx([0.5, *want], rel=1e-9)
    assert "no alarm" in page.inner_text(".tfdyn-verdict")
    put(page, t=0.2)
    assert numbers(page)["truth"] == pytest.approx(1 / 0.6)
    lamps = page.locator(".tfdyn-lamp").all_inner_texts()
    assert "holds" in lamps[0] and "holds" in lamps[1]
    assert_changes(page, {"dt": 0.04, "t": 0.4})


# --- the exponentials -----------------------------------------------------------------


def naive(page, **state) -> dict:
    """What the page has at a state, which is what Python has."""
    put(page, **state)
    got = numbers(page)
    ours = weights_of(state_of(page, Bench), float(model(page, "cold")))
    # Rounding of doubles; singles are rounded from the same.
    for row, want in zip((got["naive"], got["cured"]), ours, strict=True):
        assert row == pytest.approx(want, abs=1e-13, nan_ok=True)
    return got


def test_naive_weights_are_lost_beyond_the_end_of_a_precision(visit):
    page = visit(rest=False)
    pick(page, "naive_softmax")
    assert_says(page, r"Beta 100, single precision\. .+ infinite\. .+: lost by the .+")
    for precision, kind in (("single", np.float32), ("double", np.float64)):
        end = np.log(float(np.finfo(kind).max))
        got = naive(page, precision=precision, cold=0.999 * end)
        assert got["ends"][precision] == pytest.approx(end)
        assert got["fate"] == "fine" and sum(got["naive"]) == pytest.approx(1)
        got = naive(page, cold=1.001 * end)
        assert got["fate"] == "over" and np.isnan(got["naive"][1])
        assert sum(got["cured"]) == pytest.approx(1)
        shown, _ = run_copied(page)
        assert np.isnan(shown[0]) and shown[1] == pytest.approx(
            got["cured"][1], abs=1e-5
        )
    assert "∞/∞" in page.inner_text(".tfdyn-readouts")
    assert lamps(page) == ["fails", "holds", "fails", "holds"]
    assert_changes(page, {"precision": "single", "look": 2.0, "cold": 5.0})


def test_a_question_that_looks_away_hears_nobody_and_a_hand_turns_it_back(visit):
    page = visit(rest=False)
    pick(page, "nobody_heard")
    for precision, cold in (("single", 115.0), ("double", 823.0)):
        assert naive(page, precision=precision, cold=0.99 * cold)["fate"] == "fine"
        assert naive(page, cold=cold)["fate"] == "under"
        assert "0/0" in page.inner_text(".tfdyn-verdict")
        assert lamps(page) == ["holds", "fails", "fails", "holds"]
    look = model(page, "look")
    page.locator(".tfdyn-canvas").press("ArrowLeft")
    assert model(page, "look") == pytest.approx(look + np.pi / 36)
    box = page.locator(".tfdyn-canvas").bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + 0.29 * box["height"], 0.19
    at = r * box["height"]
    drag(page, (x + 0.09 * at, y + at), (x + at, y))
    assert model(page, "look") == pytest.approx(0.0, abs=0.1)


# --- what all owe ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_passport_measures_the_page_against_python(visit, name):
    page = visit(rest=False)
    pick(page, name)
    # Rounding of sums; two solvers that both stop at 1e-12 a step, for a few dozen.
    limit = {"race": 1e-13, "softmax": 1e-13}.get(model(page, "view"), 1e-10)
    assert deviation(page) < limit


ROUNDING = 64 * 2.0**-52  # the figure's own


@pytest.mark.parametrize("curve", ["sum", "mean"])
@pytest.mark.parametrize("n", [37, 300])
def test_copied_python_gives_the_numbers_of_the_race(visit, n, curve):
    page = visit(rest=False)
    pick(page, "methods_race")
    put(page, beta=12.5, K=9, arc=2.5, n=n, curve=curve)
    shown, _ = run_copied(page)
    got = numbers(page)
    # Sums of a few hundred unit terms, a millionth of the least error asked for.
    expected = [got[curve], got["tail"], got["promised"]]
    assert shown == pytest.approx(expected, rel=1e-8)


def test_what_is_only_noise_is_called_so_on_both_sides(visit):
    page = visit(rest=False)
    pick(page, "look_away")
    shown, _ = run_copied(page)
    assert shown == pytest.approx([np.inf, numbers(page)["tail"], np.inf])
    words = page.inner_text(".tfdyn-readouts")
    assert "only noise" in words and "∞" in words
    put(page, curve="sum")
    shown, _ = run_copied(page)
    assert shown[0] == pytest.approx(ROUNDING)
    assert "≤ 1.4·10" in page.inner_text(".tfdyn-readouts")


def test_copied_python_counts_what_the_figure_counts(visit):
    page = visit(rest=False)
    pick(page, "tolerance_and_truth")
    put(page, t=12.0)
    values, _ = run_copied(page)
    assert values[0::2] == list(TOLERANCES)
    assert values[1::2] == numbers(page)["counts"]


def test_a_shared_address_opens_the_same_state(visit):
    one = visit(rest=False)
    pick(one, "loose_tolerance")
    put(one, **SHORT, t=2.5)
    assert_shared(one, visit(hash=shared(one)), Bench)


def test_live_sentences_tell_the_numbers(visit):
    page = visit()
    assert_says(
        page,
        r"6 waves at beta 16, 64 tokens\. Error of the sum .+, bound .+\. "
        r"Error of the means .+, certificate .+\.",
    )
    pick(page, "tolerance_and_truth")
    assert_says(page, r"Layer-time [\d.]+\. 32 tokens\. Clusters at tolerance.+")


# --- Python's side --------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_every_preset_has_a_reference_and_a_still(name):
    state = Bench(name).state()
    if state["view"] == "tolerance":
        state["t_end"] = 20.0
    assert Bench.measured(state)["numbers"]
    assert "<svg" in Bench.still(state)


def test_exact_sums_are_those_of_the_definition():
    state = Bench("look_away", n=5, beta=3.0).state()
    theta = state["arc"] * np.random.default_rng(state["seed"]).random(5)
    kernel = np.exp(-3 * np.cos(theta[:, None] - theta) - 3)
    both = np.exp(1j * theta)
    z, x, y = exact_sums(state)
    assert z == pytest.approx(kernel.mean(axis=1), rel=1e-13)
    assert x + 1j * y == pytest.approx(kernel @ both / 5, rel=1e-13)


def test_the_bound_is_above_the_tail():
    for r in (0.5, 4.0, 64.0, 256.0):
        K = np.arange(1, 150)
        tail = 2 * ive(np.arange(1, 600), r)[::-1].cumsum()[::-1][K]
        assert (tail <= tail_bound(r, K)).all()


def test_a_run_takes_no_more_tokens_than_it_can():
    assert len(start_of(Bench("tolerance_and_truth", n=4096).state())) == 256


def test_a_sign_is_one_or_minus_one():
    for value in (0, 2, True, "1"):
        with pytest.raises(ValueError, match="sign must be 1 or -1"):
            Bench(sign=value)
