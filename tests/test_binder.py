"""Binder: the image it would build, and every page run as it would run them."""

import shutil
import subprocess
import sys
from pathlib import Path

import binder_emulation
import pytest
from fixture_book import ROOT

from tfdynlib import widgets


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory):
    """What repo2docker would build from the project's files."""
    folder = tmp_path_factory.mktemp("binder") / "project"
    keep = shutil.ignore_patterns(".git", ".venv*", "_build", "node_modules")
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
def test_chosen_pages_run_in_binders_environment_within_its_limits(tmp_path):
    """Pages that need all that any page needs; the build has run the others."""
    environment = binder_emulation.fresh_environment(tmp_path / "env")
    chosen = binder_emulation.chosen()
    runs = list(binder_emulation.emulate(environment, chosen))
    assert [text for run in runs for text in run.complaints()] == []
    assert [run.page for run in runs] == [
        page.relative_to(ROOT).as_posix() for page in chosen
    ]
    assert sum(run.figures for run in runs) >= len(FIGURES)


FIGURES = set.union(*map(binder_emulation.needs, binder_emulation.pages())) & set(
    widgets.__all__
)


def test_chosen_pages_need_all_that_any_page_needs():
    wanted = set.union(*map(binder_emulation.needs, binder_emulation.pages()))
    assert wanted == set.union(*map(binder_emulation.needs, binder_emulation.chosen()))
    assert {"numpy", "scipy", "Circle"} <= wanted
    assert len(FIGURES) > 1


def test_no_page_took_longer_in_the_build_than_binder_allows():
    """Twice as long passes: a build runs beside other programs."""
    took = binder_emulation.built()
    if not took:
        pytest.skip("NOT TESTED: no build has left its cache in _build")
    names = {page.relative_to(ROOT).as_posix() for page in binder_emulation.pages()}
    assert names <= set(took)
    limit = 2 * binder_emulation.SECONDS
    assert {page: took[page] for page in names if took[page] > limit} == {}
