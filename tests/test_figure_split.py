"""The view "split" of the circle figure: an atom on its way, whole or in parts."""

import numpy as np
import pytest
from figurehand import lamps, model, numbers, put, settle
from playwright.sync_api import Page

from tfdynlib import geometry, weights
from tfdynlib.measure import Measure


@pytest.fixture
def address(bare_pages) -> str:
    return bare_pages("Circle", ("dirac_or_split", "eight_parts", "hot_atom"))[0]


@pytest.fixture
def page(visit) -> Page:
    return visit()


# Lengths at beta = 4 over the angle c pi / 2, from the package's reference table.
TABLE = [
    (0.9, 2, 10.4460319608),
    (1.1, 2, 12.698067377),
    (1.3, 2, 14.661243732),
    (1.6, 2, 17.387189719),
    (1.3, 8, 14.603033986),
    (1.6, 8, 16.92529812),
]


def test_costs_are_those_of_the_reference_table(page):
    for c, parts, length in TABLE:
        put(page, gap=c * np.pi / 2, parts=parts)
        # 24 modes here and 20 there: the length is stationary, its error quadratic
        assert numbers(page)["cost"] == pytest.approx(length, rel=1e-7), (c, parts)


def test_ratios_are_those_of_the_page(page):
    """Five decimals are printed there."""
    for turn in (1.5, 1.6, 1.7, 2.0, 3.0):
        put(page, gap=turn)
        start, goal = (Measure(np.array([[np.cos(a), np.sin(a)]])) for a in (0.0, turn))
        heads = weights.Heads.descent(np.eye(2), beta=4.0)
        found = geometry.weighted_distance(start, goal, heads, parts=2, shift=0)
        got = numbers(page)
        assert got["ratio"] == pytest.approx(
            found.distance / (np.exp(2) * turn), rel=1e-7
        )
        assert f"{got['ratio']:.5f}" in page.inner_text(".tfdyn-readouts")


def test_the_atom_opens_at_the_threshold_like_a_square_root(page):
    threshold = geometry.splitting_threshold(1.0, 4.0)
    assert numbers(page)["threshold"] == pytest.approx(threshold, rel=1e-14)
    put(page, gap=0.97 * threshold)
    closed = numbers(page)
    assert closed["ratio"] == pytest.approx(1.0, abs=1e-12)
    # the gradient stops at 1e-9, and the curvature is 2 * (1 - 0.97^2) = 0.12 here
    assert closed["width"] < 1e-6
    assert lamps(page)[:2] == ["fails", "fails"]
    widths = []
    for excess in (0.02, 0.08):
        put(page, gap=(1 + excess) * threshold)
        widths.append(numbers(page)["width"])
        assert lamps(page)[:2] == ["holds", "holds"]
    # four times the excess, twice the width, up to the next order
    assert widths[1] / widths[0] == pytest.approx(2, rel=0.1)


def test_the_curve_over_all_angles_is_made_of_such_costs(page):
    put(page, parts=8, beta=9.0)
    curve = numbers(page)["curve"]
    for k in (14, 25, 37):
        put(page, gap=curve["angle"][k])
        # twelve modes for the curve, at five strands or so
        assert numbers(page)["ratio"] == pytest.approx(curve["ratio"][k], abs=1e-3)
    ratio = np.array(curve["ratio"])
    assert (np.diff(ratio) < 1e-3).all() and ratio[0] == 1


def test_below_the_threshold_no_split_is_cheaper(page):
    """What the chart takes for granted there, looked at."""
    for beta in (1.0, 4.0, 16.0):
        for share in (0.3, 0.6, 0.9):
            put(page, beta=beta, gap=share * np.pi / np.sqrt(beta), parts=8)
            assert numbers(page)["ratio"] == pytest.approx(1, abs=1e-9)


def test_the_path_is_drawn_at_81_times_from_start_to_goal(page):
    rows = np.array(numbers(page)["rows"])
    assert rows.shape == (81, 2)
    assert rows[0] == pytest.approx([0, 0], abs=1e-14)
    assert rows[-1] == pytest.approx([2, 2], abs=1e-13)
    # reversed in time and mirrored it is the same path
    assert rows + rows[::-1, ::-1] == pytest.approx(np.full((81, 2), 2.0), abs=1e-6)


def test_the_goal_is_dragged_round_the_circle(page):
    box = page.locator(".tfdyn-canvas").bounding_box()
    R = box["width"] / 2 - min(40, 0.17 * box["width"])

    def at(angle: float) -> tuple[float, float]:
        return (
            box["x"] + box["width"] / 2 + R * np.cos(angle),
            box["y"] + box["height"] / 2 - R * np.sin(angle),
        )

    page.mouse.move(*at(2.0))
    page.mouse.down()
    page.mouse.move(*at(1.2), steps=6)
    page.mouse.up()
    settle(page)
    assert model(page, "gap") == pytest.approx(1.2, abs=0.03)
    page.locator(".tfdyn-canvas").press("Shift+ArrowLeft")
    assert model(page, "gap") == pytest.approx(1.45, abs=0.03)


def test_a_path_that_is_not_resolved_says_so(page):
    put(page, beta=16.0, gap=3.1, parts=8)  # many strands, quick at both ends
    assert numbers(page)["gap"] > 1e-6 * numbers(page)["ratio"] * 3.1
    assert lamps(page)[3] == "fails"
    put(page, beta=4.0)
    assert lamps(page)[3] == "holds"
