"""Settings, lock, commands and papers of the project agree with each other."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from datetime import date
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from fixture_book import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import tfdynlib

SETTINGS = yaml.safe_load((ROOT / "_config.yml").read_text("utf8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def pins(name):
    """``{name: version}`` of a lock file of the project."""
    text = (ROOT / name).read_text("utf8")
    found = re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)
    return {canonicalize_name(package): version for package, version in found}


def read(name):
    return (ROOT / name).read_text("utf8")


# ---- the lock


def test_lock_pins_everything_and_names_no_address():
    for name in ("requirements.txt", "tests/requirements.txt"):
        lines = [x for x in read(name).splitlines() if x and x[0] != "#"]
        allowed = r"[\w.-]+==[\w.!+-]+|-e \.|-r \.\./requirements\.txt"
        assert [x for x in lines if not re.fullmatch(allowed, x)] == []


def test_lock_ends_with_the_package_itself():
    assert read("requirements.txt").splitlines()[-1] == "-e ."


def test_lock_fits_the_ranges_of_the_project():
    locked = pins("requirements.txt")
    for text in PROJECT["dependencies"] + EXTRAS["book"] + EXTRAS["fast"]:
        wanted = Requirement(text)
        assert locked[canonicalize_name(wanted.name)] in wanted.specifier, text


def test_the_package_asks_for_no_version_in_particular():
    """To install it changes nothing that is new enough, under a running kernel too."""
    for text in PROJECT["dependencies"] + EXTRAS["fast"] + EXTRAS["scale"]:
        assert [x.operator for x in Requirement(text).specifier] == [">="], text


def test_no_learning_framework_is_in_the_lock():
    """It would double the image of Binder and the time to start it."""
    assert not pins("requirements.txt").keys() & {"torch", "jax", "tensorflow"}
    assert not pins("requirements.txt").keys() & {"transformers", "distributed"}


def test_readme_names_every_extra():
    """But that of the book, for which there is the lock."""
    readme = read("README.md")
    assert {extra for extra in EXTRAS if f"`{extra}`" not in readme} == {"book"}


def test_papers_name_every_command_that_there_is():
    changes, readme = read("CHANGELOG.md"), read("README.md")
    listed = re.findall(r"^([\w-]+):.*##", read("Makefile"), re.MULTILINE)
    commands = re.search(r"\*\*Commands\*\*:.*?\.", changes, re.DOTALL)[0]
    assert {*re.findall(r"[\w-]+(?=`)", commands)} == {*listed} - {"help"}
    rooms = {path.parent.name for path in ROOT.glob("tfdynlib/*/__main__.py")}
    runs = {*re.findall(r"python -m tfdynlib\.(\w+)", readme)}
    assert rooms | {"experiments", "claims"} == runs


def test_nothing_that_the_book_needs_is_missing_from_the_lock():
    locked = pins("requirements.txt")
    waiting = [Requirement(x) for x in PROJECT["dependencies"] + EXTRAS["book"]]
    seen = set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if (name, str(wanted.extras)) in seen:
            continue
        seen.add((name, str(wanted.extras)))
        assert name in locked, f"{name} is needed by the book but not pinned"
        for text in metadata.requires(name) or []:
            needed, extras = Requirement(text), wanted.extras or {""}
            if not needed.marker or any(
                needed.marker.evaluate({"extra": extra}) for extra in extras
            ):
                waiting.append(needed)


def test_tests_pin_nothing_twice():
    assert not pins("requirements.txt").keys() & pins("tests/requirements.txt").keys()


def test_everything_the_tests_ask_for_is_pinned():
    asked = [x for x in read("tests/requirements.in").splitlines() if x[0] != "#"]
    both = pins("requirements.txt") | pins("tests/requirements.txt")
    assert [x for x in asked if canonicalize_name(x) not in both] == []


# ---- one place for each address, version and order


def test_readme_and_citation_name_the_places_of_the_settings():
    place, branch = SETTINGS["repository"]["url"], SETTINGS["repository"]["branch"]
    project = place.removeprefix("https://github.com/")
    home = f"book/{SETTINGS['launch_buttons']['notebook_interface']}"
    assert home == "book/jupyterlab"
    badge = f"https://mybinder.org/v2/gh/{project}/{branch}?urlpath=lab/tree/"
    readme, citation = read("README.md"), yaml.safe_load(read("CITATION.cff"))
    (page,) = re.findall(re.escape(badge) + r"([^)\s]+)\)", readme)
    assert (ROOT / page).is_file()
    assert f"<{SETTINGS['html']['baseurl']}>" in readme
    assert f'"tfdynlib @ git+{place}@{branch}"' in readme
    assert citation["repository-code"] == place
    assert citation["url"] == SETTINGS["html"]["baseurl"]
    named = set(re.findall(r"github\.com/[\w-]+/[\w-]+", readme))
    assert named <= {place.removeprefix("https://")}


def test_one_version_everywhere():
    assert PROJECT["version"] == tfdynlib.__version__
    assert yaml.safe_load(read("CITATION.cff"))["version"] == tfdynlib.__version__
    released = date.fromisoformat(yaml.safe_load(read("CITATION.cff"))["date-released"])
    day = f"{released.day} {released:%B %Y}"
    assert f"\n## {tfdynlib.__version__} ({day})\n" in read("CHANGELOG.md")


def test_every_page_of_the_order_is_there():
    toc = yaml.safe_load(read("_toc.yml"))
    names = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    assert len(names) == len(set(names))
    for name in [toc["root"], *names]:
        assert (ROOT / f"{name}.md").is_file(), name


def test_no_executed_notebook_is_kept():
    """Outputs would be old, and their metadata is what other sites refuse."""
    assert list((ROOT / "book").rglob("*.ipynb")) == []


def test_a_cell_that_hangs_or_complains_fails_the_build():
    execute = SETTINGS["execute"]
    assert execute["timeout"] <= 120
    assert execute["stderr_output"] == "error"
    assert SETTINGS["sphinx"]["config"]["nb_execution_raise_on_error"] is True


def test_every_page_is_in_the_order():
    toc = read("_toc.yml")
    for path in (ROOT / "book").rglob("*.md"):
        assert path.relative_to(ROOT).with_suffix("").as_posix() in toc


def test_files_that_readme_names_are_there():
    for name in re.findall(r"`([\w./-]+)`", read("README.md")):
        if "/" in name or "." in name:
            built = name.startswith((".venv", "_build"))
            assert built or (ROOT / name).exists(), name


def test_both_licences_are_whole():
    assert "Redistribution and use in source and binary forms" in read("LICENSE")
    text = read("LICENSE-text")
    assert "Creative Commons Attribution 4.0 International" in text
    assert all(f"Section {k} " in text for k in range(1, 9))
    foot = SETTINGS["html"]["extra_footer"]  # of every page
    assert "Creative Commons Attribution 4.0" in foot and "BSD 3-Clause" in foot


# ---- the wheel and the commands


@pytest.mark.slow
def test_wheel_is_pure_python_and_holds_all_that_the_package_reads(tmp_path):
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        tmp_path,
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"tfdynlib-{tfdynlib.__version__}-py3-none-any.whl"
    held = set(zipfile.ZipFile(wheel).namelist())
    sources = (ROOT / "tfdynlib").rglob("*")
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in sources
        if path.is_file() and "__pycache__" not in path.parts
        if path.suffix != ".journal"  # of a study that goes on
    }
    assert wanted <= held
    assert {Path(name).suffix for name in wanted} >= {".mjs", ".nc", ".json", ".toml"}


def make(*arguments, path=None):
    """Run make in the project's folder, with no Python but those on ``path``."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    if path:
        environment["PATH"] = str(path)
    return subprocess.run(
        ["/usr/bin/env", "make", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_make_alone_lists_every_command():
    listed = set(re.findall(r"^  make ([\w-]+)", make().stdout, re.MULTILINE))
    assert listed == set(re.findall(r"^([\w-]+):.*##", read("Makefile"), re.MULTILINE))
    wanted = "book serve live test check bench lock clean"
    assert set(wanted.split()) <= listed


@pytest.mark.parametrize("command", ["book", "test", "check", "serve", "live", "bench"])
def test_make_has_nothing_to_remark_about_its_own_rules(command):
    assert make("--dry-run", command).stderr == ""


def test_old_python_is_refused_with_a_sentence(tmp_path):
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 || exit 1\n')
    old.chmod(0o755)
    for name in ("sh", "echo"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    done = subprocess.run(
        ["/bin/sh", ".ci/environment", tmp_path / "env"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; found: Python 3.9.2" in done.stderr
