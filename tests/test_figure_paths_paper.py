"""The figure ``paths`` from the start of the paper: the page's numbers are Python's."""

import contextlib
import io

import numpy as np
import pytest
from figurepage import Visit, numbers, put, settle, write_page

from tfdynlib.widgets import Paths
from tfdynlib.widgets.paths import start_of

PRESETS = ("s2_ou", "s2_oscillating")


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("paths-paper")
    form = Paths(*PRESETS).page_form()
    visit = Visit(browser, 760, reduced_motion="reduce")
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.open(write_page(folder, form))
    yield visit.page
    assert visit.errors == []
    visit.close()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_of_the_paper_shows_what_its_python_prints(page, name):
    page.click(f'[data-preset="{name}"]')
    put(page, t=0.5)
    settle(page)
    page.click(".tfdyn-code")
    code = page.evaluate("navigator.clipboard.readText()")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {})
    shown = numbers(page)
    # Ten steps of RK4: rounding, amplified by weights of size 6.
    expected = [float(word) for word in said.getvalue().split()]
    assert [shown["energy"], shown["action"]] == pytest.approx(expected, rel=1e-10)


def test_the_start_is_near_the_axes():
    x0, path = start_of({**Paths.defaults(), **Paths.PRESETS["s2_ou"].values})
    assert (len(x0), path.H) == (200, 3)
    # 600 normal numbers stay within five times their size, 0.05.
    axis = np.abs(x0).argmax(axis=1)
    off = np.abs(np.delete(np.abs(x0), [], axis=1))
    off[np.arange(200), axis] = 0
    assert off.max() < 5 * 0.05 / (1 - 5 * 0.05)
    assert set(axis) == {0, 1, 2}
