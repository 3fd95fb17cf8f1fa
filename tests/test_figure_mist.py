"""The view "density" of the circle figure: ripples, their rates, and the drops."""

import numpy as np
import pytest
from figurehand import FIGURE, lamps, model, numbers, put, settle, state_of
from playwright.sync_api import Page

from tfdynlib import attention, density, metastability
from tfdynlib.widgets import Circle
from tfdynlib.widgets._circle_mist import heads_of, start_of

MINUS_I = [[[-1.0, 0.0], [0.0, -1.0]]]


@pytest.fixture
def address(bare_pages) -> str:
    return bare_pages("Circle", ("mist_9", "mist_4", "mist_25"))[0]


@pytest.fixture
def page(visit) -> Page:
    return visit()


def test_four_drops_at_nine_and_more_when_attention_is_sharper(page):
    """Five seeds each; the curriculum's own draws gave 2 to 3, 4, and 6 to 7."""
    for beta, fewest, most in ((4.0, 2, 3), (9.0, 4, 4), (25.0, 6, 7)):
        for seed in range(5):
            put(page, beta=beta, seed=seed)
            put(page, t=20.0)
            got = numbers(page)
            x = np.reshape(got["x"], (-1, 2))
            assert got["clusters"] == metastability.clusters(x, 0.1).max() + 1
            assert fewest <= got["clusters"] <= most, (beta, seed)


def test_ten_times_the_noise_makes_as_many_drops_and_sooner(page):
    over = []
    for noise in (0.01, 0.1):
        put(page, noise=noise, t=20.0)
        assert numbers(page)["clusters"] == 4
        words = page.locator(".tfdyn-lamp").nth(1).inner_text()
        over.append(float(words.split("=")[1]))
    assert over[1] < over[0]


@pytest.mark.parametrize("sign", [1, -1])
def test_ripples_grow_or_die_at_the_rates_of_the_theory(page, sign):
    if sign < 0:
        put(page, V=MINUS_I)
    for beta in (0.5, 9.0, 64.0):
        put(page, beta=beta, noise=1e-4)
        put(page, t=2.0)
        got = numbers(page)
        theory = sign * density.growth_rates(beta, len(got["rates"]) - 1)
        assert got["rates"][1:] == pytest.approx(theory, rel=1e-11, abs=1e-14)
        assert got["winner"] == np.argmax(np.abs(theory)) + 1
        # Second order: ripples of some 1e-3 by 1e-3, against 1e-4 in the smallest one
        # compared, over the time 2.
        k = slice(1, 1 + got["winner"])
        assert got["grown"][k] == pytest.approx(got["rates"][k], abs=5e-3)


def test_a_planted_ripple_wins_and_makes_as_many_drops(page):
    put(page, planted=5)
    put(page, t=2.0)
    got = numbers(page)
    assert np.argmax(got["sizes"][1:]) + 1 == 5
    # ten per cent is not small: the square of it is seen
    assert got["grown"][5] == pytest.approx(got["rates"][5], rel=0.05)
    put(page, t=20.0)
    assert numbers(page)["clusters"] == 5


def test_dragging_in_the_bars_and_the_arrows_plant_a_ripple(page):
    chart = page.locator(".tfdyn-chart").bounding_box()
    page.mouse.click(chart["x"] + 0.6 * chart["width"], chart["y"] + 60)
    settle(page)
    planted = model(page, "planted")
    assert 4 <= planted <= 9
    page.locator(".tfdyn-canvas").press("ArrowLeft")
    settle(page)
    assert model(page, "planted") == planted - 1


def test_a_mist_is_stable_under_the_descent_head(page):
    put(page, V=MINUS_I, noise=0.05, t=0.0)
    first = max(numbers(page)["sizes"][2:6])
    put(page, t=20.0)
    # the slowest of these shrinks by e^(0.35 * 20)
    assert max(numbers(page)["sizes"][2:6]) < first / 10
    assert "dies out" in page.inner_text(".tfdyn-verdict")
    assert lamps(page)[2] == "fails"


def test_lumps_are_maxima_of_the_smoothed_density(page):
    grid = 2 * np.pi * np.arange(2000) / 2000
    for t in (0.0, 3.0, 7.0, 12.0):
        put(page, t=t)
        x = np.reshape(numbers(page)["x"], (-1, 2))
        a = np.arctan2(x[:, 1], x[:, 0])
        s = np.exp(9 * np.cos(grid[:, None] - a)).mean(axis=1)
        tops = (s > np.roll(s, 1)) & (s >= np.roll(s, -1))
        assert numbers(page)["lumps"] == tops.sum()


def test_the_field_is_the_packages_for_coarse_and_cold_mists(page):
    for values in ({"beta": 100.0, "n": 16}, {"beta": 0.5, "n": 3, "noise": 1.0}):
        put(page, **values, t=0.0)
        v = page.evaluate(
            f"(() => {{ const r = {FIGURE}.tfdyn.numbers(); return r.x; }})()"
        )
        state = state_of(page, Circle)
        x0 = start_of(state)
        assert v == pytest.approx(x0.ravel(), abs=1e-15)
        put(page, t=0.2)
        frame = numbers(page)["t"]
        assert frame > 0
        move = (np.reshape(numbers(page)["x"], (-1, 2)) - x0) / frame
        rate = attention.velocity(x0, heads_of(state))
        # first order in time: half the acceleration, which is below beta times a speed
        assert np.abs(move - rate).max() < frame * max(1.0, state["beta"])


def test_lamps_go_out_where_the_theory_is_silent(page):
    put(page, noise=0.3, t=0.0)
    assert lamps(page)[:2] == ["fails", "fails"]
    put(page, noise=0.01, n=16, beta=50.0)
    assert lamps(page)[3] == "fails"
