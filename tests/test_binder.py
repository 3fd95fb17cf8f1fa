"""Binder: the image it would build, and every page run as it would run them."""

import shutil
import subprocess
import sys
from pathlib import Path

import binder_emulation
import pytest
from fixture_book import ROOT


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory):
    """What repo2docker would build from the project's files."""
    folder = tmp_path_factory.mktemp("binder") / "project"
    keep = shutil.ignore_patterns(".git", ".venv", "_build", "node_modules")
    shutil.copytree(ROOT, folder, ignore=keep)
    program = Path(sys.executable).parent / "jupyter-repo2docker"
    command = [program, "--no-build", "--debug", "."]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout + done.stderr


def test_binder_takes_the_python_of_the_lock(dockerfile):
    assert "environment-2epy-2d3-2e11-2dlinux" in dockerfile


def test_binder_installs_the_lock_after_the_project_is_there(dockerfile):
    project = dockerfile.index("COPY --chown=0:0 src/ ${REPO_DIR}/")
    lock = dockerfile.index('pip install --no-cache-dir -r ".binder/requirements.txt"')
    assert project < lock < dockerfile.index("RUN ./.binder/postBuild")


def test_binder_asks_for_the_one_lock_and_nothing_else():
    lines = (ROOT / ".binder/requirements.txt").read_text().splitlines()
    assert [x for x in lines if not x.startswith("#")] == ["-r ../requirements.txt"]


@pytest.mark.slow
def test_every_page_runs_in_binders_environment_within_its_limits(tmp_path):
    environment = binder_emulation.fresh_environment(tmp_path / "env")
    runs = list(binder_emulation.emulate(environment))
    assert [text for run in runs for text in run.complaints()] == []
    assert [run.page for run in runs] == [
        page.relative_to(ROOT).as_posix() for page in binder_emulation.pages()
    ]
    assert sum(run.figures for run in runs) > 0
