"""The same figure alive in JupyterLab: the page moves Python, Python moves the page."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import nbformat
import pytest
from hand import other_place
from opening import SEEN
from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from reader import Record

pytestmark = pytest.mark.slow
TOKEN = "only-on-this-machine"
CELLS = [
    "from tfdynlib.widgets import Sphere\n\nfigure = Sphere()\nfigure",
    "print('beta is', repr(figure.beta))",
    "figure.beta = 3.25",
]
OWN = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
# Whether the prompt of a cell is so: [*] while it runs, [3] after it.
PROMPT = """([k, so]) => new RegExp(so).test(document.querySelectorAll(
  '.jp-Notebook .jp-CodeCell .jp-InputPrompt')[k]?.innerText)"""
AGAIN = 4000  # ms
PATIENCE = 60_000  # ms for a server or a kernel to start on a busy machine
# A question of JupyterLab over the notebook, as "which kernel?" on a slow machine.
ASKED = ".jp-Dialog"
IDLE = ".jp-Notebook-ExecutionIndicator[data-status='idle']"


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of JupyterLab with one notebook, in a home of its own."""
    home = tmp_path_factory.mktemp("lab")
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
    nbformat.write(notebook, home / "live.ipynb")
    port = free_port()
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}",
        "--ip=127.0.0.1", "--allow-root", f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={home}", "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    own = {name: str(home / name.lower()) for name in OWN}
    log = (home / "log").open("w")
    server = subprocess.Popen(
        command, env={**os.environ, **own}, stdout=log, stderr=log
    )
    try:
        address = f"http://127.0.0.1:{port}/"
        wait_for(address, server, home / "log")
        yield address
    finally:
        server.terminate()
        server.wait(20)
        log.close()


def wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    """Wait until the server answers; its log, if it does not."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(f"{address}api", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


@pytest.fixture
def notebook(browser: Browser, lab: str) -> Iterator[tuple[Page, Record]]:
    """The notebook in a window tall enough for all of it, its first cell run."""
    context = browser.new_context(viewport={"width": 1200, "height": 2600})
    context.set_default_timeout(PATIENCE)
    record = Record(context)
    page = context.new_page()
    page.add_locator_handler(page.locator(ASKED), accept)
    page.goto(f"{lab}lab/tree/live.ipynb?token={TOKEN}")
    expect(page.locator(IDLE).first).to_be_visible(timeout=PATIENCE)
    run_cell(page, 0)
    page.locator(".jp-Cell .tfdyn[data-tfdyn]").wait_for()
    page.evaluate(SEEN)
    yield page, record
    context.close()


def accept(question: Locator) -> None:
    """Answer a question of JupyterLab with what it proposes."""
    question.locator(".jp-mod-accept").last.click()


def run_cell(page: Page, k: int) -> str:
    """Run a cell, for the first time, and wait for its end; what it printed."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(k)
    # A key that comes before the notebook listens is lost: press again, as one would.
    for _ in range(PATIENCE // AGAIN):
        cell.locator(".jp-InputArea-editor").click()
        page.keyboard.press("Control+Enter")
        with suppress(PlaywrightTimeoutError):
            page.wait_for_function(PROMPT, arg=[k, r"\[[*\d]"], timeout=AGAIN)
            break
    page.wait_for_function(PROMPT, arg=[k, r"\[\d+\]"])
    output = cell.locator(".jp-OutputArea-output")
    return output.last.inner_text() if output.count() else ""


def test_page_and_python_hold_one_state_both_ways(notebook: tuple[Page, Record]):
    page, record = notebook
    figure = page.locator(".jp-Cell .tfdyn")
    assert figure.get_attribute("data-tfdyn") == "ready"
    start = figure.evaluate("(el) => tfdynSeen.rest(el)")

    other_place(figure.locator("input.tfdyn-slide").first.element_handle())
    moved = figure.evaluate("(el) => tfdynSeen.rest(el)")
    assert moved != start
    beta = figure.evaluate("(el) => el.tfdyn.model.get('beta')")
    assert float(run_cell(page, 1).removeprefix("beta is ")) == pytest.approx(beta)

    run_cell(page, 2)
    page.wait_for_function(
        "() => document.querySelector('.tfdyn').tfdyn.model.get('beta') === 3.25"
    )
    assert figure.evaluate("(el) => tfdynSeen.rest(el)") not in (start, moved)
    assert "3.25" in figure.get_by_label("inverse temperature, value").input_value()
    # Python sends a reference for this state, which no preset has.
    passport = figure.locator(".tfdyn-passport-line")
    expect(passport).to_contain_text("page against Python", timeout=PATIENCE)
    assert record.outside == []
