"""What Binder does, without Docker: every page as a notebook in a fresh environment.

An environment is made of the lock alone, which ``.binder/requirements.txt`` names (or
the one named by ``TFDYN_BINDER_ENV`` is taken).  A Jupyter server of that environment
is started in an empty folder, each page is turned into a notebook by jupytext, and its
cells are run over the server's kernel API, as a browser would.  Run it by itself for a
table of all pages::

    python tests/binder_emulation.py

The test runs the ``chosen`` pages: the build has run every page with the same lock, so
what can fail here and not there is an import, a file that is not installed, a figure in
a live kernel, and the limits.  What each page took in the build is in its cache.
"""

import json
import os
import re
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from itertools import repeat
from pathlib import Path
from uuid import uuid4

import websocket
import yaml

ROOT = Path(__file__).parents[1]
SECONDS = 60.0  # of processor for one page, start of the kernel included
MEGABYTES = 800  # peak of one page's kernel; Binder kills at 1 to 2 GB
WIDGET = "application/vnd.jupyter.widget-view+json"
# Megabytes and seconds of processor, which a busy machine does not make more.
USED = "(lambda u: [u.ru_maxrss / 1024, u.ru_utime + u.ru_stime])"
USED += "(__import__('resource').getrusage(0))"
LATE = 10  # times as long by the clock


@dataclass
class Run:
    """What happened to one page."""

    page: str
    seconds: float = 0.0
    megabytes: float = 0.0
    cells: int = 0
    figures: int = 0
    errors: list[str] = field(default_factory=list)

    def complaints(self) -> list[str]:
        """What is wrong, each with the page's name."""
        found = list(self.errors)
        if self.seconds > SECONDS:
            found.append(f"took {self.seconds:.0f} s of {SECONDS:.0f}")
        if self.megabytes > MEGABYTES:
            found.append(f"used {self.megabytes:.0f} MB of {MEGABYTES}")
        return [f"{self.page}: {text}" for text in found]


def pages() -> list[Path]:
    """Sources of all pages with code, in the order of the book."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf8"))
    chapters = [c for part in toc["parts"] for c in part["chapters"]]
    names = [toc["root"], *(chapter["file"] for chapter in chapters)]
    paths = [ROOT / f"{name}.md" for name in names]
    return [path for path in paths if "{code-cell}" in path.read_text("utf8")]


def needs(page: Path) -> set[str]:
    """Packages that the page's cells import, figures that they show, stored runs."""
    text = page.read_text("utf8")
    code = "\n".join(re.findall(r"(?ms)^```\{code-cell\}.*?\n(.*?)^```", text))
    found = set()
    for line in re.findall(r"(?m)^\s*((?:from|import) .+)", code):
        _, module, *names = re.split(r"[\s,()]+", line.partition("#")[0].strip(" ()"))
        package, *_ = module.split(".")
        if package in sys.stdlib_module_names:
            continue
        if package != "tfdynlib":
            found.add(package)
        elif module == "tfdynlib.widgets":
            found |= set(names) - {"import"}
        else:
            found |= {*names, *module.split(".")} & {"records"}
    return found


def chosen() -> list[Path]:
    """Pages that together need all that any page needs, in the order of the book.

    No one of them can be spared; those that took long in the build are spared first.
    """
    found, took = pages(), built()
    seconds = {page: took.get(page.relative_to(ROOT).as_posix(), 0) for page in found}
    for page in sorted(reversed(found), key=lambda page: -seconds[page]):
        others = [other for other in found if other != page]
        if needs(page) <= set().union(*map(needs, others)):
            found = others
    return found


def built() -> dict[str, float]:
    """Seconds that each page took in the build, by the cache of the build."""
    file = ROOT / "_build/.jupyter_cache/global.db"
    if not file.is_file():
        return {}
    with sqlite3.connect(file) as base:
        rows = base.execute("select uri, data from nbcache").fetchall()
    base.close()
    return {
        Path(uri).relative_to(ROOT).as_posix(): json.loads(data)["execution_seconds"]
        for uri, data in rows
    }


def fresh_environment(folder: Path) -> Path:
    """Environment that Binder would make; ``TFDYN_BINDER_ENV`` names another.

    Where the environment of the tests holds the lock's versions, as after ``make``,
    they are taken from there, and nothing else; pip has installed them once.
    """
    if named := os.environ.get("TFDYN_BINDER_ENV"):
        return Path(named)
    make = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(make, check=True)
    if not all(map(taken_over, lock(), repeat(folder))):
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        pip += ["--python", str(folder / "bin/python")]
        # What a page imports is compiled then; the rest, most of it, is never.
        install = [
            "install",
            "--quiet",
            "--no-compile",
            "-r",
            ".binder/requirements.txt",
        ]
        subprocess.run([*pip, *install], cwd=ROOT, check=True)
    return folder


def lock() -> list[tuple[str, str]]:
    """Names and versions of the lock; of this package any version."""
    lines = (ROOT / "requirements.txt").read_text("utf8").splitlines()
    pinned = [line.partition(";")[0].split("==") for line in lines if "==" in line]
    return [
        *((name.strip(), version.strip()) for name, version in pinned),
        ("tfdynlib", ""),
    ]


def taken_over(one: tuple[str, str], folder: Path) -> bool:
    """Whether a package of this environment, in this version, now is in ``folder``."""
    name, version = one
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    if version and found.version != version:
        return False
    home = Path(sys.prefix)
    for file in found.files or []:
        source = Path(os.path.normpath(found.locate_file(file)))
        if source.is_relative_to(home) and source.is_file():
            copy_file(source, folder / source.relative_to(home), folder)
    return True


def copy_file(source: Path, target: Path, folder: Path) -> None:
    """A copy of a file; a program starts with the Python of ``folder``."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)
    if target.parent == folder / "bin":
        old, new = (f"{home}/bin/python".encode() for home in (sys.prefix, folder))
        target.write_bytes(target.read_bytes().replace(old, new, 1))


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def jupyter_server(environment: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Jupyter server in ``folder``: its address (without scheme) and its token."""
    token, place = secrets.token_hex(16), f"127.0.0.1:{free_port()}"
    command = [
        str(environment / "bin/jupyter-server"),
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={place.split(':')[1]}",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={folder}",
    ]
    with (folder.parent / "server.log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        try:
            wait_for(server, place, token)
            yield place, token
        finally:
            server.terminate()
            server.wait(timeout=20)


def wait_for(server: subprocess.Popen[bytes], place: str, token: str) -> None:
    """Return when the server answers; ``TimeoutError`` after two minutes."""
    deadline = time.monotonic() + 120  # a cold disk and a busy machine: see server.log
    while time.monotonic() < deadline and server.poll() is None:
        try:
            ask(place, token, "api/status")
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise TimeoutError(f"no Jupyter server at {place}, exit code {server.poll()}")


def ask(place: str, token: str, path: str, body: dict | None = None) -> dict:
    """Answer of the server's interface at ``path``; a ``body`` is posted."""
    request = urllib.request.Request(
        f"http://{place}/{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"token {token}"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def code_cells(environment: Path, page: Path) -> list[str]:
    """Code of the page's cells, as jupytext of that environment reads it."""
    command = [str(environment / "bin/jupytext"), "--to", "ipynb", "--output", "-"]
    done = subprocess.run(
        [*command, str(page)], capture_output=True, check=True, timeout=60
    )
    cells = json.loads(done.stdout)["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]


def execute(channel: websocket.WebSocket, run: Run, code: str, deadline: float) -> None:
    """Run one cell and note errors, figures and the what was used so far."""
    number = uuid4().hex
    header = {"msg_id": number, "msg_type": "execute_request", "version": "5.3"}
    header |= {"username": "", "session": uuid4().hex}
    content = {"code": code, "silent": False, "allow_stdin": False}
    content |= {"store_history": True, "user_expressions": {"used": USED}}
    message = {"header": header, "parent_header": {}, "metadata": {}}
    channel.send(json.dumps(message | {"content": content, "channel": "shell"}))
    waiting = {"reply", "idle"}
    while waiting:
        channel.settimeout(max(0.1, deadline - time.monotonic()))
        answer = json.loads(channel.recv())
        if answer["parent_header"].get("msg_id") != number:
            continue
        kind, content = answer["header"]["msg_type"], answer["content"]
        if kind == "error":
            run.errors.append(f"{content['ename']}: {content['evalue']} in\n{code}")
        elif kind in ("display_data", "execute_result"):
            run.figures += WIDGET in content["data"]
        elif kind == "status" and content["execution_state"] == "idle":
            waiting.discard("idle")
        elif kind == "execute_reply":
            waiting.discard("reply")
            used = content.get("user_expressions", {}).get("used", {})
            text = used.get("data", {}).get("text/plain", "[NaN, NaN]")
            run.megabytes, run.seconds = json.loads(text)


def run_page(environment: Path, server: tuple[str, str], page: Path) -> Run:
    """Run every cell of ``page`` in a kernel of its own, up to the time limit."""
    place, token = server
    run = Run(page.relative_to(ROOT).as_posix())
    cells = code_cells(environment, page)
    deadline = time.monotonic() + LATE * SECONDS
    body = {"path": "page.ipynb", "name": "", "type": "notebook"}
    session = ask(place, token, "api/sessions", body | {"kernel": {"name": "python3"}})
    address = f"ws://{place}/api/kernels/{session['kernel']['id']}/channels"
    channel = websocket.create_connection(
        address, timeout=SECONDS, header=[f"Authorization: token {token}"]
    )
    try:
        for code in cells:
            execute(channel, run, code, deadline)
            run.cells += 1
            if run.errors:
                break
    except websocket.WebSocketTimeoutException:
        run.errors.append(f"cell {run.cells + 1} was still running at the time limit")
    finally:
        channel.close()
    return run


def emulate(environment: Path, sources: list[Path]) -> Iterator[Run]:
    """Run these pages of the book in ``environment``, from an empty folder."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "empty"
        folder.mkdir()
        with jupyter_server(environment, folder) as server:
            for page in sources:
                yield run_page(environment, server, page)


def main() -> int:
    """Print a table; the number of complaints is the exit code, at most 1."""
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for run in emulate(fresh_environment(Path(scratch) / "env"), pages()):
            numbers = f"{run.seconds:6.1f} s {run.megabytes:6.0f} MB"
            print(f"{numbers} {run.cells:3} cells {run.figures:2} figures  {run.page}")
            complaints += run.complaints()
    print("\n".join(complaints) or "Every page runs.")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
