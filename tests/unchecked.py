"""Runs of many small steps in a process without checks of types, for speed.

What they call is checked in other tests; here only their numbers count.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

RUN = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
function = getattr(importlib.import_module(sys.argv[2]), sys.argv[3])
print(json.dumps([function(*case) for case in json.loads(sys.argv[4])]))
"""


def unchecked(function: Callable[..., Any], cases: Sequence[Sequence[Any]]) -> list:
    """The values of a function of a test file for its cases; warnings fail."""
    place = (str(Path(__file__).parent), function.__module__, function.__name__)
    call = [sys.executable, "-W", "error", "-c", RUN, *place, json.dumps(cases)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
