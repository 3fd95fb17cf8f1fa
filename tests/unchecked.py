"""Runs of many small steps without checks of types, for speed.

What they call is checked in other tests; here only their numbers count.  Tests marked
``unchecked`` run so in this process (see ``conftest.py``), blocks by ``no_checks``;
``unchecked`` asks a process beside it, which is started once.
"""

import atexit
import functools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jaxtyping import config

# Warnings fail; whatever is printed is no answer.
SERVE = """
import importlib, json, sys, traceback
sys.path.insert(0, sys.argv[1])
tell, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    module, name, cases = json.loads(line)
    try:
        function = getattr(importlib.import_module(module), name)
        answer = [[function(*case) for case in cases], ""]
    except BaseException:
        answer = [None, traceback.format_exc()]
    print(json.dumps(answer), file=tell, flush=True)
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


@functools.cache
def beside() -> subprocess.Popen[str]:
    """The process that answers; it ends with this one."""
    call = [sys.executable, "-W", "error", "-c", SERVE, str(Path(__file__).parent)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(call, stdin=pipe, stdout=pipe, text=True)
    atexit.register(process.communicate)
    return process


def unchecked(function: Callable[..., Any], cases: Sequence[Sequence[Any]]) -> list:
    """The values of a function of a test file for its cases; warnings fail."""
    process = beside()
    assert process.stdin and process.stdout
    question = json.dumps([function.__module__, function.__name__, cases])
    process.stdin.write(f"{question}\n")
    process.stdin.flush()
    line = process.stdout.readline()
    assert line, "the process beside the tests has ended"
    found, fault = json.loads(line)
    assert not fault, fault
    return found
