"""The figure of steering on a bare page: weights found, costs, refusals, Python."""

import contextlib
import io
import json
import re
from collections.abc import Iterator

import numpy as np
import pytest
from figurehand import (
    HASH,
    assert_says,
    assert_whole,
    clock,
    copied,
    deviation,
    drag,
    model,
    numbers,
    pick,
    put,
    settle,
    shared,
    state_of,
)
from figurepage import reading
from playwright.sync_api import Browser, Page
from unchecked import unchecked

from tfdynlib import control, gaussian
from tfdynlib.widgets import Steer
from tfdynlib.widgets.steer import METHODS, ends_of

ALL = tuple(Steer.PRESETS)
LINE = [[1.0, 0.0], [0.0, 0.0]]
POINT = [[0.0, 0.0], [0.0, 0.0]]


@pytest.fixture(scope="module")
def address(bare_pages) -> str:
    return bare_pages("Steer")[0]


@pytest.fixture(scope="module")
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """The one page that most tests share."""
    with reading(browser) as visit:
        yield visit(address, reduced_motion="reduce")


@pytest.fixture
def page(opened: Page) -> Page:
    """The shared page, back at the first preset."""
    pick(opened, "r1")
    return opened


def words(page: Page) -> str:
    return page.inner_text(".tfdyn-side") + page.inner_text(".tfdyn-lamps")


def lamp(page: Page, i: int) -> str:
    return page.locator(".tfdyn-lamp").nth(i).inner_text()


# The numbers of the book


def test_the_three_methods_pay_what_the_book_says(page):
    pick(page, "r1_three_methods")
    got = numbers(page)["costs"]
    want = {"feedforward": 8.24512, "attention": 8.24034, "geodesic": 8.01813}
    for method, cost in want.items():
        # five decimals are printed
        assert got[method]["kinetic"] == pytest.approx(cost, abs=6e-6)
        put(page, method=method)
        assert f"{cost}" in page.inner_text(".tfdyn-readouts")
        row = page.locator(".tfdyn-chosen").inner_text()
        assert f"{cost}" in row, row
    traces = {"geodesic": 2.0305, "feedforward": 1.9109, "attention": 1.6668}
    for method, trace in traces.items():
        put(page, method=method)
        cov = numbers(page)["cov"]
        assert cov[0] + cov[3] == pytest.approx(trace, abs=6e-5)


def test_weights_of_the_example(page):
    found = numbers(page)["weights"]
    assert found["A"] == pytest.approx(
        [0.232200, -0.262804, -0.262804, 0.038835], abs=6e-7
    )
    assert found["b"] == pytest.approx([-0.761816, 1.468064], abs=6e-7)
    shown = page.inner_text('[aria-label="A, drift, as found"] .tfdyn-matrix')
    assert shown.split() == ["0.2322", "−0.2628", "−0.2628", "0.0388"]
    pick(page, "attention_only")
    B = numbers(page)["weights"]["B"]
    assert B == pytest.approx([0.189258, -0.341006, -0.341006, 0.073885], abs=6e-7)


def test_a_squeeze_swaps_the_axes(page):
    pick(page, "swap_axes")
    got = numbers(page)
    assert got["costs"]["geodesic"]["kinetic"] == pytest.approx(2, abs=1e-12)
    assert got["cov"] == pytest.approx([2.25, 0, 0, 2.25], abs=1e-9)
    assert "holds" in lamp(page, 3)


def test_a_mirror_image_is_reached(page):
    pick(page, "mirror")
    assert numbers(page)["error"] < 1e-9
    assert "It arrives" in page.inner_text(".tfdyn-verdict")


@pytest.mark.parametrize("T", [0.01, 0.3, 5.0])
def test_costs_scale_with_the_time(page, T):
    pick(page, "r1_three_methods")
    one = numbers(page)["costs"]
    put(page, T=T)
    got = numbers(page)["costs"]
    for method in METHODS:
        assert got[method]["kinetic"] == pytest.approx(one[method]["kinetic"] / T)
    # A and b are those of T = 1, run through faster
    for method in ("feedforward", "geodesic"):
        assert got[method]["weight"] == pytest.approx(one[method]["weight"] / T)


# What cannot be


def test_a_line_does_not_become_round_and_a_student_is_told_why(page):
    pick(page, "thin_to_round")
    text = page.inner_text(".tfdyn-verdict")
    assert "Out of reach: a line does not become a cloud" in text
    assert "No line comes nearer to this target than W2 = 1." in " ".join(text.split())
    assert "fails" in lamp(page, 0) and "rank 1 and rank 2" in lamp(page, 0)
    assert page.locator(".tfdyn-play").is_disabled()
    assert page.locator(".tfdyn-scrub").is_disabled()
    assert numbers(page)["weights"] is None
    start, target = ends_of(state_of(page, Steer))
    assert not control.reachable(start, target)
    # no line is nearer: the distance to the round one falls to 1 and not below
    lengths = np.linspace(0.5, 2, 40)
    lines = [gaussian.Gaussian([0, 0], np.diag([s * s, 0])) for s in lengths]
    away = [gaussian.distance(line, target) for line in lines]
    assert min(away) == pytest.approx(1, abs=1e-3) and min(away) >= 1 - 1e-9
    pick(page, "r1")
    assert page.locator(".tfdyn-play").is_enabled()


REFUSED = {
    "a point": (POINT, LINE, "A point stays a point."),
    "to a point": (LINE, POINT, "never become equal"),
    "to a line": ([[1, 0], [0, 1]], LINE, "but never a line"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_other_ranks_are_refused_in_words(page, kind):
    start, target, reason = REFUSED[kind]
    put(page, start_cov=start, target_cov=target)
    assert reason in page.inner_text(".tfdyn-verdict")
    assert not page.locator("legend", has_text="the method").is_visible()


def test_attention_does_not_turn_a_line(page):
    pick(page, "line_to_line")
    assert "two stages" in lamp(page, 1)
    put(page, method="attention")
    assert "Not by attention alone" in page.inner_text(".tfdyn-verdict")
    told = printed(copied(page))
    assert told.startswith("attention alone steers clouds of full rank")
    put(page, method="geodesic")
    assert numbers(page)["costs"]["geodesic"]["kinetic"] == pytest.approx(3)
    assert "It arrives" in page.inner_text(".tfdyn-verdict")


# The hand


def knob(page: Page, which: str, part: str) -> tuple[float, float]:
    """Pixels of a knob, by the map of the stage."""
    state, view = state_of(page, Steer), numbers(page)["view"]
    canvas = page.locator(".tfdyn-canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    scale = min(box["width"], box["height"]) / 2 / view["reach"]
    values, vectors = np.linalg.eigh(state[f"{which}_cov"])
    axis = {"long": 1, "short": 0, "centre": 1}[part]
    u = vectors[:, axis]
    if part == "short":  # a quarter turn from the long one, which points to the right
        v = vectors[:, 1] * np.sign(vectors[0, 1] or 1)
        u = np.array([-v[1], v[0]])
    elif u[0] < 0:
        u = -u
    length = 0 if part == "centre" else 2 * np.sqrt(max(values[axis], 0))
    x, y = np.array(state[f"{which}_mean"]) + length * u - view["centre"]
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    return float(middle[0] + scale * x), float(middle[1] - scale * y)


def test_dragging_the_target_moves_it_and_finds_new_weights(page):
    before = numbers(page)
    x, y = knob(page, "target", "centre")
    drag(page, (x, y), (x + 40, y + 10))
    settle(page)
    assert model(page, "target_mean")[0] > -1
    after = numbers(page)
    assert after["weights"]["b"] != before["weights"]["b"]
    assert after["error"] < 1e-9
    assert after["t"] == before["t"]


def test_an_axis_pulled_to_zero_is_out_of_reach_and_pulled_out_again_is_not(page):
    drag(page, knob(page, "target", "short"), knob(page, "target", "centre"))
    settle(page)
    assert numbers(page)["ranks"] == [2, 1]
    assert "Out of reach" in page.inner_text(".tfdyn-verdict")
    assert np.linalg.matrix_rank(model(page, "target_cov"), tol=1e-9) == 1
    start = knob(page, "target", "centre")
    v = np.linalg.eigh(model(page, "target_cov"))[1][:, 1]
    v = v * np.sign(v[0] or 1)
    away = np.array([-v[1], -v[0]])  # at right angles, on the screen downwards
    # the knob of an axis of length 0 stands aside, 24 px from the centre
    drag(page, tuple(start + 24 * away), tuple(start + 50 * away))
    settle(page)
    assert numbers(page)["ranks"] == [2, 2]


def test_keys_move_the_start_and_after_enter_the_target(page):
    page.mouse.click(*knob(page, "start", "centre"))  # what was held last has the keys
    page.focus(".tfdyn-canvas")
    page.keyboard.press("ArrowRight")
    settle(page)
    assert model(page, "start_mean") == [0.6, -0.3]
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    settle(page)
    assert model(page, "target_mean") == [-1, 2.1]
    for _ in range(20):
        page.keyboard.press("Shift+ArrowDown")
    settle(page)
    assert numbers(page)["ranks"] == [2, 1]
    page.keyboard.press("Enter")


def test_number_boxes_are_the_ellipse(page):
    box = page.get_by_label("target, deviation along the short axis")
    assert box.input_value() == "0.728"
    box.fill("0")
    box.press("Enter")
    settle(page)
    assert numbers(page)["ranks"] == [2, 1]
    box.fill("0,5")
    box.press("Tab")
    settle(page)
    assert numbers(page)["ranks"] == [2, 2]
    values = np.linalg.eigvalsh(model(page, "target_cov"))
    assert np.sqrt(values[0]) == pytest.approx(0.5, abs=1e-4)
    before = model(page, "target_cov")
    box.fill("wide")
    box.press("Enter")
    assert model(page, "target_cov") == before and box.input_value() == "0.5"
    box.press("ArrowUp")
    assert box.input_value() == "0.6"


def test_another_time_keeps_the_place_on_the_way(page):
    put(page, T=3.0)
    assert model(page, "t") == 1.5
    put(page, T=1.5, t=0.75)
    assert model(page, "t") == 0.75
    slider = page.get_by_label("T layer-time at the target, value")
    slider.fill("0.3")
    slider.press("Enter")
    settle(page)
    assert model(page, "t") == pytest.approx(0.15)
    assert page.inner_text(".tfdyn-clock") == "t = 0.1500"


def test_every_choice_changes_the_picture_or_the_chart(page):
    before = page.evaluate(HASH)
    for method in ("attention", "geodesic"):
        put(page, method=method)
        assert page.evaluate(HASH) != before
        before = page.evaluate(HASH)
    names = set()
    for curve in ("speed", "size", "axes"):
        put(page, curve=curve)
        names.add(page.inner_text(".tfdyn-chart-name"))
    assert len(names) == 3


def test_playing_goes_to_the_end_and_stops(page):
    put(page, t=1.4)
    page.click(".tfdyn-play")
    settle(page)
    assert clock(page) == 1.5
    got = numbers(page)
    assert got["cov"] == pytest.approx([2, -0.5, -0.5, 0.7], abs=1e-9)


# Page against Python


def printed(text: str) -> str:
    """What the copied lines print."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(text, {})
    return out.getvalue()


def test_presets_against_python(page):
    """The passport's deviation, and the copied lines print what is shown."""
    seen = []
    for name in ALL:
        pick(page, name)
        assert clock(page) == Steer.PRESETS[name].moment
        # Python's quadrature stops at 1e-11, of numbers up to 10
        assert deviation(page) < 1e-9
        shown = page.inner_text(".tfdyn-readouts")
        seen.append((copied(page), shown, numbers(page), state_of(page, Steer)))
    told = unchecked(printed, [[text] for text, *_ in seen])
    for output, (_, shown, got, state) in zip(told, seen):
        start, target = ends_of(state)
        if got["refused"]:
            assert control.reachable(start, target).reason in output
            want = [gaussian.distance(start, target)]
        else:
            own = got["costs"][state["method"]]
            want = [own["weight"], own["kinetic"], got["least"]]
            assert "True" in output
        values = [float(v) for v in re.findall(r"\d+\.\d+(?:e[-+]\d+)?", output)]
        assert values == pytest.approx(want, rel=1e-9)
        for value in values:
            assert f"{value:.6g}" in shown, (value, shown)


def test_an_address_holds_the_state_and_a_wrong_one_is_refused(browser, address, page):
    put(page, T=0.7, method="geodesic", target_cov=LINE, start_cov=LINE, t=0.2)
    link = shared(page)
    want, shown = state_of(page, Steer), words(page)
    bad = [[[1, 2], [2, 1]], [[1e-300, 0], [0, 1e-300]], [[9, 0], [0, 1e-9]]]
    with reading(browser) as visit:
        other = visit(address, hash=link, reduced_motion="reduce")
        assert state_of(other, Steer) == want and words(other) == shown
        for cov in bad:
            wrong = "#steer=" + json.dumps({"start_cov": cov})
            other.evaluate(f"location.hash = {json.dumps(wrong)}")
            other.wait_for_selector(".tfdyn-note:not([hidden])")
            assert "cannot show: start_cov" in other.inner_text(".tfdyn-note")
            assert state_of(other, Steer) == want
            other.evaluate("location.hash = ''")
            other.wait_for_selector(".tfdyn-note", state="hidden")


# Words, ends of the range, access


AT_HOME: dict = {"target_cov": [[1, 0.3], [0.3, 0.6]], "target_mean": [0.5, -0.3]}
ENDS: list[dict] = [
    {"T": 0.01, "t": 0.01},
    {"T": 5.0, "t": 5.0},
    {"start_cov": [[9, 0], [0, 0.0009]], "target_cov": [[0.0009, 0], [0, 9]]},
    {"start_cov": [[9, 0], [0, 1e-8]], "target_cov": [[1e-8, 0], [0, 9]]},
    {"start_cov": [[1e-8, 0], [0, 1e-8]], "target_cov": [[9, 0], [0, 9]]},
    {"start_cov": [[1, 1], [1, 1]], "target_cov": [[1, -1], [-1, 1]]},
    {"start_cov": POINT, "target_cov": POINT, "method": "geodesic"},
    {"start_cov": POINT, "target_cov": POINT, "start_mean": [-1, 2]},
    {"start_cov": LINE, "target_cov": [[0, 0], [0, 4]]},
    {"start_cov": LINE, "target_cov": LINE, "method": "attention"},
    AT_HOME,
    {"start_mean": [-10, 10], "target_mean": [10, -10]},
]


def test_ends_of_the_range_give_a_sentence_and_no_nan(page):
    home = Steer("r1").state()
    for state in ENDS:
        for method in METHODS:
            put(page, **{**home, "method": method, **state})
            assert_whole(page)
            if "It arrives" in (said := page.inner_text(".tfdyn-verdict")):
                assert ("up to rounding" in said) == ("fails" in lamp(page, 2))


def test_equal_start_and_target_need_no_weights(page):
    home = Steer("r1").state()
    put(page, **{**home, **AT_HOME})
    assert numbers(page)["costs"]["feedforward"]["weight"] == pytest.approx(
        0, abs=1e-20
    )
    assert "holds" in lamp(page, 3)


def test_the_live_sentence_says_what_is_seen(page):
    assert_says(
        page,
        r"Layer-time 0\.75 of 1\.5\. Mean −?\d\.\d+, −?\d\.\d+\. Standard deviations "
        r"1\.\d+ and 0\.\d+\. Feed-forward has kinetic cost 5\.5, the least is 5\.35\.",
    )


# Python's side


def still_of(name: str) -> str:
    return Steer.still(Steer(name).state())


def test_every_preset_has_a_still_of_its_moment():
    for picture in unchecked(still_of, [[name] for name in ALL]):
        assert "<svg" in picture and "aria-label" in picture


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("T", 0.0),
        ("method", "magic"),
        ("start_cov", [[1, 2], [2, 1]]),
        ("start_mean", [0.0, 0.0, 0.0]),
        ("target_cov", [[1, 0.1], [0.2, 1]]),
        ("target_cov", [[1, 0], [0, 1e-9]]),
        ("start_cov", [[1e-300, 0], [0, 1e-300]]),
    ],
)
def test_a_trait_out_of_range_is_refused_by_name(key, value):
    with pytest.raises(ValueError, match=key):
        Steer(**{key: value})
