"""Studies from files, and the stored results of those of the book."""

import tomllib
from pathlib import Path
from typing import Any

import xarray as xr

from tfdynlib import _check, records
from tfdynlib.sweep.files import load
from tfdynlib.sweep.kinds import KINDS
from tfdynlib.sweep.study import Study

STUDIES = Path(__file__).parent.parent / "studies"
KEYS = ("kind", "title", "seeds", "entropy", "batch", "grid", "fixed")


def names() -> tuple[str, ...]:
    """Studies of the book."""
    return tuple(sorted(path.stem for path in STUDIES.glob("*.toml")))


def read(file: str | Path) -> Study:
    """A study from a TOML file, or one of the book by its name.

    The keys are ``kind`` (see ``KINDS``), tables ``[grid]`` (lists of values of the
    parameters that vary) and ``[fixed]`` (others), and ``title``, ``seeds``,
    ``entropy`` and ``batch`` of ``Study``.  Raises ``ValueError`` with the name of the
    key, what is wanted, and what came.
    """
    return Study(
        **_table(_check.instance(file, (str, Path), "study", "a file or name"))
    )


def _table(file: str | Path) -> dict[str, Any]:
    path = Path(file)
    if str(file) in names():
        path = STUDIES / f"{file}.toml"
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError:
        wanted = f"a TOML file, or one of {', '.join(names())}"
        raise _check.refuse("study", wanted, str(file)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        wanted = "a file in TOML"
        raise _check.refuse("study", wanted, f"{path.name}: {error}") from None
    for key in table:
        _check.one_of(key, KEYS, f"key of {path.name}")
    for key in ("kind", "grid"):
        if key not in table:
            raise _check.refuse(key, "given", f"nothing, in {path.name}")
    kind = _check.one_of(table["kind"], KINDS, "kind")
    return table | {"kind": KINDS[kind]}


def published(name: str) -> xr.Dataset:
    """The stored results of a study that the book shows, by its name.

    Its attribute ``command`` makes them anew.
    """
    stored = sorted(path.stem for path in records.STORED.glob("*.nc"))
    _check.one_of(name, stored, "name")
    return load(records.STORED / f"{name}.nc")
