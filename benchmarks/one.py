"""One case in a process of its own: ``python -m benchmarks.one CASE FILE [--short]``.

Alone, so that the thread pools of one peer do not disturb another case, that memory is
that of the case, and that packages can be hidden.
"""

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from benchmarks import machine, protocol


def main() -> None:
    """Run the case and write its outcome as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case")
    parser.add_argument("file", type=Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--avx2", action="store_true")
    parser.add_argument("--hide", nargs="*", default=[], metavar="PACKAGE")
    options = parser.parse_args()
    protocol.one_core(options.avx2)
    for name in options.hide:
        sys.modules[name] = None  # type: ignore[assignment]  # its import fails
    from benchmarks import cases

    outcome = cases.CASES[options.case].run(options.short)
    found = dataclasses.asdict(outcome) | {"pools": machine.thread_pools()}
    options.file.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
