"""Writing a record: when, on what, with which versions."""

import argparse
import datetime
import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np


def processor() -> str:
    """Name of this machine's processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.is_file() else []
    names = [x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def here() -> str:
    """This machine in a few words: its processor and the versions that count."""
    python = platform.python_version()
    return f"{processor()}, Python {python}, NumPy {np.__version__}"


def command(name: str, does: str, out: Path) -> argparse.ArgumentParser:
    """The command line of a module that makes a record, ``python -m tfdynlib.name``."""
    parser = argparse.ArgumentParser(f"python -m tfdynlib.{name}", description=does)
    words = f"the file to write (default: {out})".replace("%", "%%")
    parser.add_argument("--out", type=Path, default=out, help=words)
    return parser


def header(
    form: str, note: str, packages: Iterable[str], load: float | None = None
) -> dict[str, Any]:
    """What every record says of itself; None for a package that is not there."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "processor": processor(),
        "form": form,
        "load": load,
        "versions": {"python": platform.python_version()}
        | {name: _version(name) for name in packages},
        "note": note,
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def write(file: Path, found: Mapping[str, Any], lines: Iterable[str] = ()) -> None:
    """A record as a file with a new line before each of these beginnings; a reader
    never sees half of it."""
    text = json.dumps(found, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for begin in lines:
        text = text.replace(begin, "\n" + begin)
    beside = file.with_suffix(".part")
    beside.write_text(text + "\n", "utf-8")
    beside.replace(file)
