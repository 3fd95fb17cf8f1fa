"""Pictures of every page for the team's eyes, when TFDYN_SHOTS names a folder."""

import os
from pathlib import Path

import pytest
from reader import Visits
from sitebook import PAGES
from test_site_access import mount_figures, show_theme

SHOTS = os.environ["TFDYN_SHOTS"]
LOOKS = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (360, "light")}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_page_can_be_pictured(visits: Visits, name, look):
    width, theme = LOOKS[look]
    page, _ = visits.open(name, width=width, color_scheme=theme)
    show_theme(page, theme)
    mount_figures(page)
    page.evaluate("scrollTo(0, 0)")
    path = Path(SHOTS) / f"{name.replace('/', '-')}-{look}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, full_page=True, animations="disabled")
    assert path.stat().st_size > 10_000
