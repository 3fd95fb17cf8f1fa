"""The circle figure on a bare page: seven views that move, obey, agree with Python."""

import json
from collections.abc import Callable, Iterator
from urllib.parse import quote

import numpy as np
import pytest
from figurehand import (
    FIGURE,
    HASH,
    assert_changes,
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
)
from figurepage import reading
from playwright.sync_api import Browser, Page, expect
from scipy.integrate import quad

from tfdynlib import attention, energy, flow, metastability, sphere, weights
from tfdynlib.widgets import Circle
from tfdynlib.widgets.circle import (
    FRAMES,
    frames_of,
    heads_of,
    longest_step,
    start_of,
    steps_between,
)

I = [[1.0, 0.0], [0.0, 1.0]]
MINUS_I = [[-1.0, 0.0], [0.0, -1.0]]
VIEWS = {
    "tokens": "first_minute",
    "rays": "three_tokens",
    "clouds": "square_and_turned",
    "layers": "steps_6_12_24_48",
    "sample": "n_slider",
    "density": "mist_9",
    "split": "dirac_or_split",
}


@pytest.fixture
def visit(browser: Browser, bare_pages) -> Iterator[Callable[..., Page]]:
    """visit(preset, width=760, hash="", theme="light", **context): a page, at rest.

    One page a preset, and one, "mixed", that has a chip of every view.
    """
    sets = {name: (name,) for name in Circle.PRESETS} | {"mixed": (*VIEWS.values(),)}
    addresses = dict(zip(sets, bare_pages("Circle", *sets.values())))
    with reading(browser) as opened:
        yield lambda preset, *args, **more: opened(addresses[preset], *args, **more)


def readouts(page: Page) -> list[str]:
    return page.locator(".tfdyn-readouts dd").all_inner_texts()


def on_ring(page: Page, angle: float, radius: float) -> tuple[float, float]:
    """The point of the window at an angle, ``radius`` from the middle of the stage."""
    box = page.locator(".tfdyn-canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    return x + radius * np.cos(angle), y - radius * np.sin(angle)


def ring_radius(page: Page) -> float:
    """Radius of the circle in the view "tokens"."""
    width = page.locator(".tfdyn-canvas").bounding_box()["width"]
    return width / 2 - min(58, 0.17 * width)


# The numbers of the book


def test_first_minute_opens_as_numpy_draws_it(visit):
    page = visit("first_minute", rest=False)
    put(page, t=0.0)
    x = start_of(Circle("first_minute").state())
    # a sine or cosine may differ in its last bit
    assert numbers(page)["x"] == pytest.approx(x.ravel(), abs=1e-15)


def test_gap_at_five_is_the_number_of_the_book(visit):
    page = visit("two_attract", rest=False)
    put(page, t=5.0)
    assert readouts(page)[1] == "0.02158"
    put(page, beta=4.0)
    assert readouts(page)[1] == "1.26959"
    put(page, beta=1.0, V=[MINUS_I])
    assert readouts(page)[1] == "2.75593"


def test_three_tokens_have_the_weights_of_the_book_and_do_not_move(visit):
    page = visit("three_tokens")
    assert readouts(page) == ["0.909443", "1.4428", "0"]
    assert "no motion" in page.inner_text(".tfdyn-verdict")


SCORES = {0.1: 0.2607, 1: 0.6545, 2: 0.8322, 5: 0.9415, 10: 0.9761}


def test_mean_score_of_the_sweep(visit):
    page = visit("beta_sweep", rest=False)
    for beta, score in SCORES.items():
        put(page, beta=beta)
        assert numbers(page)["score"] == pytest.approx(score, abs=5e-5)
        assert np.all(np.diff(numbers(page)["curve"]) > -1e-15)  # it never falls


def test_squares_and_poles_are_as_far_as_the_book_says(visit):
    assert readouts(visit("square_and_turned"))[:2] == ["0.785398", "0.765367"]
    assert readouts(visit("square_and_poles"))[:2] == ["1.110721", "1.000000"]
    page = visit("relabelled")
    assert readouts(page)[:2] == ["0.000000", "0.000000"]
    assert "Token by token" in page.inner_text(".tfdyn-verdict")


def test_twice_the_layers_halve_the_error(visit):
    page = visit("steps_6_12_24_48")
    errors = numbers(page)["errors"]
    assert errors[47] / errors[95] == pytest.approx(2, rel=0.02)  # first order
    for layers in (6, 12, 24, 48):
        put(page, layers=layers)
        assert numbers(page)["error"] == pytest.approx(errors[layers - 1], rel=1e-12)


def test_without_normalisation_tokens_leave_the_circle(visit):
    page = visit("no_renormalisation")
    assert numbers(page)["longest"] > 2
    assert "leave the circle" in page.inner_text(".tfdyn-verdict")
    assert lamps(page)[1] == "fails"


def test_a_hundred_draws_lie_about_the_exact_mean_and_spread(visit):
    page = visit("n_large")
    seen = numbers(page)
    exact = seen["exact"]
    assert seen["draws"] == 100
    # a hundred draws: the mean is off by a tenth of the spread, the spread by 7 %
    assert seen["mean"] == pytest.approx(exact["mean"], abs=0.4 * exact["sd"])
    assert seen["sd"] == pytest.approx(exact["sd"], rel=0.3)
    assert seen["rms"] == pytest.approx(exact["rms"], rel=0.25)
    assert exact["rms"] == pytest.approx(np.pi / np.sqrt(3 * 256), rel=1e-14)


def mean_kernel(beta: float) -> float:
    """The mean of e^{beta cos} over the circle."""
    return quad(lambda s: np.exp(beta * np.cos(s)) / np.pi, 0, np.pi)[0]


def test_exact_mean_and_spread_are_integrals_over_pairs(visit):
    page = visit("n_slider", rest=False)
    for beta in (0.1, 1.0, 20.0):
        put(page, beta=beta, n=40)
        one, two = mean_kernel(beta), mean_kernel(2 * beta)
        mean = (np.exp(beta) / 40 + 39 / 40 * one) / (2 * beta)
        spread = np.sqrt(39 / (2 * 40**3) * (two - one**2)) / beta
        exact = numbers(page)["exact"]
        assert exact["limit"] == pytest.approx(one / (2 * beta), rel=1e-9)
        assert exact["mean"] == pytest.approx(mean, rel=1e-9)
        # at small beta the two squares nearly cancel
        assert exact["sd"] == pytest.approx(spread, rel=1e-8)


def test_more_tokens_of_a_draw_keep_those_there_were(visit):
    page = visit("n_slider", rest=False)
    put(page, n=20, t=5.0)
    many = numbers(page)["x"]
    x = sphere.uniform(20, 2, np.random.default_rng(5))
    assert many == pytest.approx(x.ravel(), abs=1e-15)
    put(page, n=9)
    assert numbers(page)["x"] == many[:18]


def test_the_step_button_draws_again_and_the_band_stays(visit):
    page = visit("n_slider")
    before = numbers(page)
    page.click("[aria-label='One step forward']")
    settle(page)
    after = numbers(page)
    assert after["seed"] == before["seed"] + 1
    assert after["energy"] != before["energy"]
    assert (after["mean"], after["sd"]) == (before["mean"], before["sd"])


# Page against Python


def test_passport_says_when_it_has_no_reference(visit):
    page = visit("first_minute")
    put(page, beta=7.5)
    assert "at the preset" in page.inner_text(".tfdyn-passport-line")


@pytest.mark.parametrize("name", Circle.PRESETS)
def test_passport_and_copied_python_agree_with_every_preset(visit, name):
    """One measures the page against Python; the other prints what the page shows."""
    page = visit(name)
    # rounding, over at most 60 frames of a flow that separates nearby tokens
    assert deviation(page) < 1e-11
    assert len(copied(page).strip().splitlines()) <= 13
    printed, _ = run_copied(page)
    seen = numbers(page)
    view = Circle.PRESETS[name].values.get("view", "tokens")
    # logarithmic time: RK4 on the page, an adaptive method with rtol 1e-8 in Python
    log = Circle.PRESETS[name].values.get("time") == "log"
    loose = {"rel": 1e-5} if log else {"rel": 1e-9, "abs": 1e-12}
    if view == "tokens":
        third = seen["gap"] if seen["gap"] is not None else seen["largest"]
        assert printed == pytest.approx(
            [seen["clusters"], third, seen["energy"]], **loose
        )
    elif view == "rays":
        want = [seen["weights"][seen["query"]], seen["perplexity"], seen["pull"]]
        assert printed == pytest.approx(want, abs=1e-12)
    elif view == "clouds":
        assert printed == pytest.approx([seen["geodesic"], seen["chordal"]], abs=1e-9)
    elif view == "density":
        want = [seen["clusters"], seen["grown"][seen["winner"]]]
        assert printed == pytest.approx(want, rel=1e-9)
    elif view == "split":
        # Python adds modes until the length changes by less than 1e-8
        assert printed == pytest.approx([seen["whole"], seen["cost"]], rel=1e-7)
    elif view == "sample":
        distance = Circle.PRESETS[name].values.get("shown") == "distance"
        of_all = [seen["rms"]] if distance else [seen["mean"], seen["sd"]]
        want = [seen["energy"], seen["distance"], *of_all]
        assert printed == pytest.approx(want, rel=1e-11)
    else:
        assert printed[0] == pytest.approx(seen["error"], rel=1e-9)


STATES: list[dict] = [
    {"n": 7, "seed": 3, "beta": 2.5, "t": 6.0},
    {"V": [MINUS_I], "beta": 9.0, "n": 20, "t": 12.0},
    {"B": [I, [[1, 0.5], [-0.3, 0.8]]], "V": [[[0, 1], [-1, 0]], I], "t": 3.0},
    {"start": "angles", "angles": [0.1, 1.0, 4.0], "n": 3, "t": 2.0, "t_end": 8.0},
    {"start": "gap", "n": 2, "gap": 2.5, "t": 3.0},
]


def test_copied_python_reproduces_any_state(visit):
    page = visit("first_minute", rest=False)
    for state in STATES:
        put(page, **Circle("first_minute").state() | state)
        printed, names = run_copied(page)
        seen = numbers(page)
        assert seen["x"] == pytest.approx(names["x"].ravel(), abs=1e-10), state
        assert printed[0] == seen["clusters"], state
        assert printed[2] == pytest.approx(seen["energy"], rel=1e-10), state


@pytest.mark.unchecked
@pytest.mark.parametrize("name", ["many", "two_far", "staircase"])
def test_logarithmic_runs_are_the_page_grid_in_python(visit, name):
    page = visit(name)
    state = Circle(name).state()
    put(page, t=30.0)
    t = frames_of(state)
    k = int(np.searchsorted(t, 30.0 + 1e-9)) - 1
    assert len(t) == FRAMES + 1
    assert numbers(page)["t"] == pytest.approx(t[k], rel=1e-12)
    grid = steps_between(t[: k + 1], longest_step(heads_of(state)))
    field = attention.field(heads_of(state))
    x = flow.solve(field, start_of(state), grid, method="rk4").x[-1]
    assert numbers(page)["x"] == pytest.approx(x.ravel(), abs=1e-9)
    assert numbers(page)["clusters"] == metastability.clusters(x, 0.1).max() + 1
    assert numbers(page)["energy"] == pytest.approx(
        energy.interaction(x, heads_of(state)), rel=1e-9
    )


@pytest.mark.unchecked
def test_cluster_counts_do_not_depend_on_the_step(visit):
    """The page's RK4 against an adaptive run at rtol 1e-10, over three decades."""
    page = visit("staircase")
    state = Circle("staircase").state()
    field = attention.field(heads_of(state))
    settle(page)
    times = [1.0, 10.0, 50.0, 100.0, 500.0]
    run = flow.solve(field, start_of(state), [0, *times], rtol=1e-10, atol=1e-12)
    for t, x in zip(times, run.x[1:]):
        put(page, t=t)
        assert numbers(page)["clusters"] == metastability.clusters(x, 0.1).max() + 1, t


def time_between(wide: float, narrow: float, beta: float) -> float:
    """Half the integral of (1 + e^{beta (1 - cos)}) / sin over the gap."""
    slowness = lambda p: (1 + np.exp(beta * (1 - np.cos(p)))) / np.sin(p) / 2  # noqa: E731
    return quad(slowness, narrow, wide, epsabs=1e-13, epsrel=1e-12, limit=200)[0]


@pytest.mark.parametrize(
    ("name", "beta", "t"),
    [("two_attract", 1.0, 1.0), ("two_attract", 4.0, 5.0), ("two_far", 4.0, 2000.0)],
)
def test_theory_is_the_time_integral_and_the_run_follows_it(visit, name, beta, t):
    page = visit(name, rest=False)
    put(page, beta=beta, t=t)
    seen, gap = numbers(page), Circle(name).gap
    assert time_between(gap, seen["theory"], beta) == pytest.approx(seen["t"], rel=1e-8)
    assert seen["gap"] == pytest.approx(seen["theory"], abs=1e-6)


def test_descent_follows_the_reversed_integral(visit):
    page = visit("two_repel", rest=False)
    put(page, t=2.0)
    seen = numbers(page)
    assert time_between(seen["theory"], np.pi / 2, 1.0) == pytest.approx(2.0, rel=1e-8)


def test_levels_are_energies_of_regular_polygons_and_only_where_true(visit):
    page = visit("staircase")
    assert numbers(page)["levels"] >= 3
    put(page, t=200.0)
    theta = np.array([0, np.pi])
    two = np.column_stack([np.cos(theta), np.sin(theta)])
    level = energy.interaction(two, weights.Heads(I, I, beta=6.0))
    # two unequal clusters lie above two equal ones, below one
    assert level < numbers(page)["energy"] < 2 * level
    put(page, V=[[[1.0, 0.0], [0.0, 0.5]]])
    assert numbers(page)["levels"] == 0


@pytest.mark.parametrize(("V", "sign"), [([I], 1), ([MINUS_I], -1)])
def test_where_the_lamps_hold_the_energy_is_monotone(visit, V, sign):
    page = visit("first_minute", rest=False)
    put(page, V=V)
    assert lamps(page) == ["holds"] * 4
    values = np.array(numbers(page)["values"])
    assert np.all(sign * np.diff(values) > -1e-12 * values[1:])  # rounding of a mean


# Every control changes the picture


CHANGES: dict[str, dict] = {
    "tokens": {
        "n": 20, "beta": 1.0, "seed": 4, "t": 2.0, "t_end": 20.0, "time": "log",
        "B": [[[1, 0], [0, -1]]], "V": [[[0, -1], [1, 0]]],
    },
    "rays": {
        "beta": 0.5, "query": 1, "angles": [0, 1, 2], "B": [[[1, 0], [1, 1]]],
        "V": [[[0, -1], [1, 0]]],
    },
    "clouds": {
        "targets": [0.1, 0.2, 3.0, 4.0], "turned": 0.4, "shift": 1, "pair": "labels",
        "t": 0.9, "angles": [0, 1, 2, 3],
    },
    "layers": {
        "layers": 3, "t_end": 1.0, "beta": 9.0, "normalise": False, "t": 1.0,
        "V": [MINUS_I], "angles": [0, 1, 2, 3, 4, 5],
    },
    "sample": {"n": 20, "seed": 4, "t": 5.0, "beta": 5.0, "shown": "distance"},
    "density": {
        "noise": 0.05, "planted": 5, "n": 100, "beta": 20.0, "seed": 3, "t_end": 5.0,
        "V": [MINUS_I], "t": 3.0,
    },
    "split": {"gap": 2.8, "parts": 8, "beta": 9.0, "t": 0.2},
}  # fmt: skip
# What is not on the stage but in the words or the chart, by view.
QUIET = {"clouds": {"pair"}, "sample": {"beta", "shown"}}


@pytest.mark.parametrize("view", VIEWS)
def test_every_state_key_changes_the_picture(visit, view):
    page = visit(VIEWS[view])
    assert_changes(page, CHANGES[view], QUIET.get(view, set()))


@pytest.mark.parametrize("view", VIEWS)
def test_every_slider_obeys_keys_and_its_box(visit, view):
    page = visit(VIEWS[view])
    sliders = page.locator(".tfdyn-slide:visible")
    keys = [s.get_attribute("id").split("-")[1] for s in sliders.all()]
    assert keys
    for key in keys:
        slider = page.locator(f".tfdyn-slide[id^=tfdyn-{key}-]")
        before = model(page, key)
        slider.press("ArrowLeft" if before == 256 else "ArrowRight")  # 256 is the most
        assert model(page, key) != before, key
        box = page.locator(".tfdyn-row", has=slider).locator(".tfdyn-number")
        value = model(page, key)
        for nonsense in ("abc", "", "1,2,3", "NaN"):
            box.fill(nonsense)
            box.press("Enter")
            assert model(page, key) == value, key
        box.fill("1e9")
        box.press("Enter")
        assert model(page, key) <= 1e5, key
        slider.press("ArrowLeft")


@pytest.mark.parametrize("view", VIEWS)
def test_every_choice_changes_the_model(visit, view):
    page = visit(VIEWS[view])
    for option in page.locator(".tfdyn-option:visible input").all():
        before = json.dumps(page.evaluate(f"{FIGURE}.tfdyn.card.values()"))
        if option.is_checked():
            continue
        option.check()
        assert json.dumps(page.evaluate(f"{FIGURE}.tfdyn.card.values()")) != before


def test_the_sign_turns_v_over_in_every_head(visit):
    page = visit("first_minute", rest=False)
    put(page, B=[I, [[2, 1], [1, 0]]], V=[I, I])
    assert page.locator('.tfdyn-option input[value="-1"]').is_checked() is False
    page.locator('.tfdyn-option input[value="-1"]').check()
    assert model(page, "V") == [[[-1, 0], [0, -1]], [[-2, -1], [-1, 0]]]
    assert lamps(page)[:2] == ["holds", "holds"]


EDGE = """() => {
  const canvas = document.querySelector(".tfdyn-canvas");
  const { width, height } = canvas;
  const ctx = canvas.getContext("2d");
  const sides = [[0, 0, 1, height], [width - 1, 0, 1, height], [0, 0, width, 1],
                 [0, height - 1, width, 1]];
  return sides.map((side) => ctx.getImageData(...side).data.some((v) => v > 0));
}"""


@pytest.mark.parametrize("width", [760, 320])
def test_the_loop_of_the_own_weight_is_not_cut(visit, width):
    page = visit("three_tokens", width=width, rest=False)
    for turn in (0.0, 90.0, 180.0, 270.0):
        put(page, angles=np.deg2rad([turn, turn + 120, turn - 120]).tolist(), beta=50.0)
        assert page.evaluate(EDGE) == [False] * 4, turn


def test_a_preset_of_rays_stands_at_its_beta(visit):
    page = visit("three_tokens", rest=False)
    put(page, beta=7.0)
    page.click('[data-preset="three_tokens"]')
    assert model(page, "beta") == 2.0
    assert not playing(page)


def test_playing_rays_sweeps_beta_and_leaves_it_in_the_state(visit):
    page = visit("three_tokens")
    play(page)
    assert model(page, "beta") > 2.0
    assert model(page, "beta") == pytest.approx(clock(page), rel=5e-3)


def test_a_chip_of_another_view_changes_the_card_and_keeps_the_focus(visit):
    page = visit("mixed")
    titles = [page.inner_text("h3")]
    for name in list(VIEWS.values())[1:]:
        page.click(f'[data-preset="{name}"]')
        titles.append(page.inner_text("h3"))
        assert page.evaluate("document.activeElement.dataset.preset") == name
        assert page.locator("section.tfdyn-card").count() == 1
    assert len(set(titles)) == len(VIEWS)


# By hand


def test_a_token_of_the_start_is_dragged_and_the_run_starts_over(visit):
    page = visit("two_attract", rest=False)
    put(page, t=0.0)
    radius = ring_radius(page)
    drag(page, on_ring(page, np.pi / 4, radius), on_ring(page, 2.0, radius))
    assert model(page, "start") == "angles"
    assert model(page, "angles") == pytest.approx([-np.pi / 4, 2.0], abs=0.03)
    assert playing(page)


def test_a_finger_on_a_token_moves_it_and_elsewhere_scrolls(visit):
    page = visit("two_attract", 320, has_touch=True, rest=False)
    put(page, t=0.0)
    taken = """([clientX, clientY]) => {
      const canvas = document.querySelector(".tfdyn-canvas");
      const at = { clientX, clientY };
      const touch = new Touch({ identifier: 1, target: canvas, ...at });
      const options = { touches: [touch], cancelable: true, bubbles: true };
      return !canvas.dispatchEvent(new TouchEvent("touchstart", options));
    }"""
    radius = ring_radius(page)
    assert page.evaluate(taken, list(on_ring(page, np.pi / 4, radius)))
    assert not page.evaluate(taken, list(on_ring(page, np.pi, radius)))


def test_dragging_a_goal_round_the_circle_jumps_the_matching_and_comes_back(visit):
    page = visit("square_and_turned")
    width = page.locator(".tfdyn-canvas").bounding_box()["width"]
    radius = min(0.82 * width / 2, width / 2 - 36)
    seen = [numbers(page)["match"]]
    angle = np.pi / 4
    for step in np.full(16, np.pi / 8):
        drag(page, on_ring(page, angle, radius), on_ring(page, angle + step, radius))
        angle += step
        frames(page)
        seen.append(numbers(page)["match"])
    assert len({tuple(m) for m in seen}) > 1
    assert numbers(page)["geodesic"] == pytest.approx(np.pi / 4, abs=0.02)


def test_dragging_in_the_layers_chart_sets_the_layers(visit):
    page = visit("steps_6_12_24_48")
    box = page.locator(".tfdyn-chart").bounding_box()
    x, y = box["x"], box["y"] + 60
    drag(page, (x + 60, y), (x + box["width"] - 14, y))
    assert model(page, "layers") > 80


# By keyboard


@pytest.mark.parametrize("view", VIEWS)
def test_a_token_is_chosen_and_turned_by_keys(visit, view):
    page = visit(VIEWS[view])
    before = page.evaluate(HASH)
    stage = page.locator(".tfdyn-canvas")
    keys = {"clouds": "targets", "sample": "n", "density": "planted", "split": "gap"}
    key = keys.get(view, "angles")
    old = json.dumps(model(page, key))
    stage.press("ArrowRight")
    stage.press("ArrowUp")
    stage.press("Shift+ArrowUp")
    settle(page)
    assert page.evaluate(HASH) != before
    assert json.dumps(model(page, key)) != old
    if view == "rays":
        assert model(page, "query") == 1


SAID = {
    "tokens": r"Layer-time 6\.00\. 32 tokens in 3 clusters, the largest holds 14\. "
    r"Energy 2\.6\d+\.",
    "rays": r"Beta 2\. Token 1 of 3 gives itself weight 0\.909\. Perplexity 1\.44\. "
    r"The pull is along the radius: no motion\.",
    "clouds": r"4 tokens in each cloud\. Distance 0\.7854 along arcs, 0\.7654 along "
    r"chords\. The matching shown costs 0\.7854\.",
    "layers": r"6 layers to layer-time 3\. Distance to the flow at the end 0\.\d+, "
    r"times layers 0\.\d+\.",
    "sample": r"Seed 0, 8 tokens\. Energy 0\.7125; the exact mean is 0\.7238, the "
    r"spread 0\.068\. Distance to the uniform law 0\.\d+\.",
    "density": r"Layer-time 8\.48\. 256 tokens, 4 lumps, 8 clusters\. Ripple 4 has "
    r"grown at the rate 0\.588, theory 0\.704\.",
    "split": r"Angle 2, threshold 1\.57\. The way costs 14\.78 whole, 14\.41 in two "
    r"halves\. Halfway these are 0\.76 apart\.",
}


@pytest.mark.parametrize("view", VIEWS)
def test_the_live_sentence_says_what_is_seen(visit, view):
    page = visit(VIEWS[view])
    assert_says(page, SAID[view])


# The address


@pytest.mark.parametrize("view", VIEWS)
def test_a_shared_address_opens_the_same_state(visit, view):
    one = visit(VIEWS[view])
    change = dict(list(CHANGES[view].items())[:2])
    put(one, **change)
    assert_shared(one, visit("first_minute", hash=shared(one)), Circle)


BROKEN = {
    '{"n":1}': "n = 1",
    '{"view":"cube"}': 'view = "cube"',
    '{"angles":[]}': "angles = []",
    '{"B":[[1]]}': "B = [[1]]",
    '{"t_end":0}': "t_end = 0",
    '{"colour":1}': "colour is not known",
    '{"n":20': "it is not complete",
}


def test_a_broken_address_shows_the_start_with_a_note(visit):
    page = visit("first_minute")
    for text, problem in BROKEN.items():
        page.evaluate("(text) => { location.hash = text; }", f"#circle={quote(text)}")
        wanted = f"The address held a state this figure cannot show: {problem}; showing"
        expect(page.locator(".tfdyn-note")).to_contain_text(wanted)
        assert model(page, "n") == 32


# Ends of the range: a sentence instead of an exception


ZERO = [[[0.0, 0.0], [0.0, 0.0]]]
ENDS: list[tuple[str, dict]] = [
    ("first_minute", {"n": 2}),
    ("first_minute", {"n": 256, "t_end": 5.0}),
    ("first_minute", {"beta": 100.0}),
    ("first_minute", {"beta": 0.01}),
    ("first_minute", {"B": ZERO}),
    ("first_minute", {"V": ZERO}),
    ("first_minute", {"n": 2, "start": "gap", "gap": 0.0}),
    ("first_minute", {"n": 2, "start": "gap", "gap": np.pi}),
    ("first_minute", {"n": 3, "start": "angles", "angles": [0.5, 0.5, 0.5]}),
    ("first_minute", {"n": 4, "time": "log", "t_end": 1e5, "beta": 1.0}),
    ("three_tokens", {"beta": 0.01}),
    ("three_tokens", {"beta": 100.0, "B": [[[10.0, 10.0], [-10.0, 10.0]]]}),
    ("three_tokens", {"B": ZERO, "V": ZERO}),
    ("three_tokens", {"n": 2, "start": "uniform", "query": 255}),
    ("square_and_turned", {"angles": [0.0], "targets": [1.0]}),
    ("square_and_turned", {"angles": [0.0, 1.0], "targets": [0.0]}),
    ("square_and_turned", {"shift": 128}),
    ("steps_6_12_24_48", {"layers": 1, "t_end": 20.0}),
    ("steps_6_12_24_48", {"V": ZERO}),
    ("no_renormalisation", {"t_end": 20.0, "layers": 96}),
    ("n_slider", {"n": 2, "beta": 0.01}),
    ("n_slider", {"n": 2, "beta": 0.01, "shown": "distance"}),
    ("n_large", {"beta": 100.0}),
    ("n_slider", {"seed": 2**31 - 1, "t": 99.0}),
    ("n_slider", {"B": ZERO, "V": ZERO, "start": "gap"}),
    ("mist_9", {"n": 2, "beta": 0.01, "noise": 1e-6}),
    ("mist_9", {"beta": 100.0, "noise": 1.0, "planted": 12}),
    ("mist_9", {"V": ZERO, "B": ZERO}),
    ("dirac_or_split", {"gap": 0.0}),
    ("dirac_or_split", {"gap": np.pi, "beta": 0.01}),
    ("dirac_or_split", {"gap": np.pi, "beta": 100.0, "parts": 3}),
]


@pytest.mark.parametrize("name", dict(ENDS))
def test_ends_of_the_range_give_a_sentence_and_no_nan(visit, name):
    page = visit(name, rest=False)
    for state in (state for of, state in ENDS if of == name):
        put(page, **Circle(name).state() | state)
        assert_whole(page)


LAMPS: list[tuple[dict, list[str]]] = [
    ({}, ["holds"] * 4),
    ({"V": [[[1, 0], [0, 2]]]}, ["holds", "fails", "holds", "holds"]),
    (
        {"B": [[[1, 1], [0, 1]]], "V": [[[1, 1], [0, 1]]]},
        ["fails", "holds", "holds", "holds"],
    ),
    (
        {"B": [I, [[2, 0], [0, 1]]], "V": [I, [[2, 0], [0, 1]]]},
        ["holds", "holds", "fails", "holds"],
    ),
    ({"start": "gap", "n": 2, "gap": np.pi}, ["holds", "holds", "holds", "fails"]),
]


def test_lamps_say_what_the_theorem_says(visit):
    page = visit("first_minute", rest=False)
    for state, words in LAMPS:
        put(page, **Circle("first_minute").state() | state)
        assert lamps(page) == words, state


# In Python


def test_presets_have_a_label_and_a_line_of_words():
    for preset in Circle.PRESETS.values():
        assert preset.label and preset.about.endswith(".")
        assert len(preset.about) < 90


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n", 1),
        ("beta", 0.0),
        ("view", "cube"),
        ("angles", []),
        ("B", [[1.0]]),
        ("normalise", 1),
    ],
)
def test_a_trait_out_of_range_is_refused_by_name(key, value):
    with pytest.raises(ValueError, match=key):
        Circle(**{key: value})
