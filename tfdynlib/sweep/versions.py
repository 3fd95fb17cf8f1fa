"""Versions of what decides the digits of a result."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

NAMES = ("tfdynlib", "numpy", "scipy", "POT", "numba", "ducc0")


@cache
def _found() -> tuple[tuple[str, str], ...]:
    return tuple((name, _version(name)) for name in NAMES)


def found() -> dict[str, str]:
    """Versions by name; "none" for a package that is not there."""
    return {"python": platform.python_version(), **dict(_found())}


def _version(name: str) -> str:
    if name == "tfdynlib":
        from tfdynlib import __version__

        return __version__
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
