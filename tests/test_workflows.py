"""The CI service's files: valid, tidy, and without a life of their own."""

import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml
from fixture_book import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
BIN = Path(sys.executable).parent
STYLE = (
    "{extends: default, rules: {document-start: disable, "
    "truthy: {check-keys: false}, line-length: {max: 90}}}"
)


def checked(program, *arguments):
    """Output of ``program``, which must be content."""
    command = [BIN / program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_follows_the_services_schema(path):
    checked("check-jsonschema", "--builtin-schema", "vendor.github-workflows", path)


def test_citation_follows_its_schema():
    file = ROOT / "CITATION.cff"
    checked("check-jsonschema", "--builtin-schema", "vendor.citation-file-format", file)


def test_settings_and_workflows_are_tidy():
    names = ("_config.yml", "_toc.yml", "CITATION.cff")
    checked("yamllint", "--strict", "-d", STYLE, *WORKFLOWS, *(ROOT / n for n in names))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_major_version(path):
    used = re.findall(r"uses: (\S+)", path.read_text())
    assert used
    assert [x for x in used if not re.fullmatch(r"actions/[\w-]+@v\d+", x)] == []


def test_ci_does_what_anybody_can_do_at_home():
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    commands = [step["run"] for step in jobs["run"]["steps"] if "run" in step]
    assert commands == ["bash .ci/run"]


def test_scripts_of_the_ci_are_valid_shell():
    shells = {"run": "bash", "environment": "sh", "lock": "sh", "ranges": "sh"}
    others = {"launch"}  # tried below
    assert shells.keys() | others == {path.name for path in (ROOT / ".ci").iterdir()}
    for name, shell in shells.items():
        subprocess.run([shell, "-n", ROOT / ".ci" / name], check=True)


# ---- the weekly launch


@pytest.fixture
def launch(monkeypatch):
    """The script as a module; it does not wait between two tries."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = ROOT / ".ci/launch"
    loader = importlib.machinery.SourceFileLoader("launch", str(path))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("launch", loader)
    )
    loader.exec_module(module)
    monkeypatch.setattr(module, "PAUSE", 0.0)
    return module


@pytest.fixture
def binder():
    """binder(*tries): address of a Binder that tells these stages, try after try."""
    servers = []

    def serve(*tries):
        waiting = list(tries)

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                for stage in waiting.pop(0):
                    said = json.dumps({"phase": stage, "message": f"{stage}.\n"})
                    self.wfile.write(f": alive\ndata: {said}\n\n".encode())

            def log_message(self, format, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        servers.append(server)
        Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/build"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_launch_asks_for_what_the_button_of_a_page_asks_for(launch):
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf8"))
    place, host = settings["repository"], settings["launch_buttons"]["binderhub_url"]
    project = place["url"].removeprefix("https://github.com/")
    assert launch.address() == f"{host}/build/gh/{project}/{place['branch']}"


def test_a_launch_tells_its_stages_and_is_tried_again(launch, binder, capsys):
    good = ["building", "building", "launching", "ready"]
    assert launch.main(binder(["building", "failed"], ["waiting"], good)) == 0
    told = re.findall(r"\d s  (\w+)", capsys.readouterr().out)
    assert told == [
        "building",
        "failed",
        "waiting",
        "building",
        "launching",
        "ready",
    ]


def test_a_launch_that_fails_thrice_is_a_failure(launch, binder, capsys):
    assert launch.main(binder(*[["failed"]] * 3)) == 1
    assert launch.main("http://127.0.0.1:9/build") == 1
    assert "Binder has not started the book" in capsys.readouterr().out
