"""From a page to its code: launch, download and source buttons lead to what exists."""

import functools
import subprocess
from urllib.parse import parse_qs, urlsplit

import nbformat
import pytest
import sitebook
from reader import Shelf, Site
from sitebook import PAGES, ROOT

CODE = [name for name in PAGES if sitebook.has_code(name)]
SETTINGS = sitebook.settings()
REPOSITORY = SETTINGS["repository"]["url"]
BRANCH = SETTINGS["repository"]["branch"]


def buttons(name: str, text: str) -> list[str]:
    """Addresses of a page's buttons whose link begins with ``text``."""
    links = sitebook.page(name).select(".bd-header-article a[href]")
    return [str(a["href"]) for a in links if str(a["href"]).startswith(text)]


def is_in_repository(path: str) -> bool:
    """Whether a checkout of the repository would hold the file."""
    if not (ROOT / ".git").exists():
        return (ROOT / path).is_file()
    return path in listed()


@functools.cache
def listed() -> set[str]:
    """Files of the repository."""
    call = ["git", "-c", "safe.directory=*", "ls-files"]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("name", CODE)
def test_launch_button_opens_the_source_of_this_page(name):
    (address,) = buttons(name, SETTINGS["launch_buttons"]["binderhub_url"])
    url = urlsplit(address)
    owner_and_name = urlsplit(REPOSITORY).path.strip("/")
    assert url.path == f"/v2/gh/{owner_and_name}/{BRANCH}"
    (target,) = parse_qs(url.query)["urlpath"]
    assert target == f"lab/tree/{name}.md"
    assert is_in_repository(f"{name}.md")


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("name", PAGES)
def test_source_and_issue_buttons_name_this_repository(name):
    to_repository = [a for a in buttons(name, "https://") if "github.com" in a]
    assert len(to_repository) >= 2
    assert all(a == REPOSITORY or a.startswith(f"{REPOSITORY}/") for a in to_repository)


@pytest.mark.parametrize("name", CODE)
def test_launch_button_is_reached_by_keyboard(shelf: Shelf, name):
    page = shelf.take(name, figures="any").page
    page.locator(".dropdown-launch-buttons > button").press("Enter")
    page.locator(".dropdown-launch-buttons a[href*=binder]").wait_for()


@pytest.mark.parametrize("name", CODE)
def test_downloaded_notebook_is_whole_and_clean(site: Site, name):
    """All cells of the page behind one that installs; no output, no widget state."""
    file = site.folder / "_sources" / f"{name}.ipynb"
    assert file.stat().st_size < 200_000
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) == sitebook.source(name).count("{code-cell}") + 1
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)
    assert "widgets" not in notebook.metadata
    assert f"git+{REPOSITORY}@{BRANCH}" in cells[0].source


@pytest.mark.parametrize("name", CODE)
def test_download_button_leads_to_the_notebook(site: Site, name):
    (address,) = [a for a in buttons(name, "") if a.endswith(".ipynb")]
    path = (site.folder / f"{name}.html").parent / address
    assert path.resolve() == (site.folder / "_sources" / f"{name}.ipynb").resolve()
    assert path.is_file()
