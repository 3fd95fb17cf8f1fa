"""The CI service's files: valid, tidy, and without a life of their own."""

import re
import subprocess
import sys
from pathlib import Path

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
    assert shells.keys() == {path.name for path in (ROOT / ".ci").iterdir()}
    for name, shell in shells.items():
        subprocess.run([shell, "-n", ROOT / ".ci" / name], check=True)
