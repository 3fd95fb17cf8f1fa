"""Runs of many small steps without checks of types, for speed.

What they call is checked in other tests; here only their numbers count.  Tests marked
``unchecked`` run so in this process (see ``conftest.py``), blocks by ``no_checks``;
``unchecked`` takes a process of its own.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jaxtyping import config

RUN = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
function = getattr(importlib.import_module(sys.argv[2]), sys.argv[3])
print(json.dumps([function(*case) for case in json.loads(sys.argv[4])]))
"""


@contextmanager
def no_checks() -> Iterator[None]:
    """Types are not checked meanwhile."""
    before = config.jaxtyping_disable
    config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        config.update("jaxtyping_disable", before)


def unchecked(function: Callable[..., Any], cases: Sequence[Sequence[Any]]) -> list:
    """The values of a function of a test file for its cases; warnings fail."""
    place = (str(Path(__file__).parent), function.__module__, function.__name__)
    call = [sys.executable, "-W", "error", "-c", RUN, *place, json.dumps(cases)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
