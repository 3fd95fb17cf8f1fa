"""The journal of a study: one line for each run that is over, never lost, never twice.

A line is written and flushed when its run is over.  A process that is killed may leave
half a line: the next one takes it away, and does that run again.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

from tfdynlib import _check
from tfdynlib.sweep.study import Study

FORM = 1


class Journal:
    """The file of finished runs of one study; one process at a time writes in it."""

    def __init__(self, file: Path, study: Study, versions: Mapping[str, str]):
        self.file, self.study = file, study
        self.head = {
            "form": FORM,
            "fingerprint": study.fingerprint,
            "study": study.described(),
            "versions": dict(versions),
        }
        self.rows: dict[int, dict[str, Any]] = {}
        self.out: BinaryIO | None = None

    def __enter__(self) -> "Journal":
        self.out = open(self.file, "a+b")  # noqa: SIM115
        try:
            self._lock()
            self._take_up()
        except ValueError:
            self.out.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.out is not None:
            self.out.close()

    def _lock(self) -> None:
        """Nobody else writes here; the system opens the lock of a process that dies."""
        assert self.out is not None
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        try:
            fcntl.flock(self.out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wanted = "a file that no other sweep is writing"
            raise _check.refuse("out", wanted, self.file.name) from None

    def _take_up(self) -> None:
        """Read what is there; cut off half a line at the end."""
        assert self.out is not None
        self.out.seek(0)
        text = self.out.read()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            self.out.truncate(whole)
        lines = text[:whole].splitlines()
        if not lines:
            self._line(self.head)
            return
        head = self._parsed(lines[0], 1)
        if head.get("fingerprint") != self.study.fingerprint:
            wanted = "new, or the journal of this study (another began it)"
            raise _check.refuse("out", wanted, self.file.name)
        if head.get("versions") != self.head["versions"]:
            wanted = f"begun by the versions of now, {self.head['versions']}"
            raise _check.refuse("out", wanted, head.get("versions"))
        for k, line in enumerate(lines[1:], 2):
            row = self._parsed(line, k)
            self.rows[row["index"]] = row

    def _parsed(self, line: bytes, k: int) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not (k == 1 or "index" in row):
            wanted = "a journal that a sweep wrote"
            raise _check.refuse("out", wanted, f"{self.file.name}, line {k}") from None
        return row

    def add(self, row: dict[str, Any]) -> None:
        """Keep a run that is over."""
        self.rows[row["index"]] = row
        self._line(row)

    def _line(self, what: dict[str, Any]) -> None:
        assert self.out is not None
        self.out.write(json.dumps(what, default=_listed).encode() + b"\n")
        self.out.flush()


def _listed(value: Any) -> Any:
    """Arrays and numbers of NumPy as JSON has them; doubles keep every digit."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(type(value).__name__)
