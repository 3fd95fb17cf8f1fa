"""All cases, one after the other: ``python -m benchmarks.run --short --out FILE``.

Prints a table for each case and a list of all targets; FILE gets everything as JSON.
Ends with 1 if a method was wrong or a case failed; a target that is not met is told,
and no failure.
"""

import argparse
import dataclasses
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import machine, protocol, report

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"


def run_case(
    name: str, hide: tuple[str, ...], *, short: bool, avx2: bool
) -> dict[str, Any] | None:
    """What ``benchmarks.one`` finds in a fresh process; None if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "found.json")
        call = [sys.executable, "-m", "benchmarks.one", name, str(file)]
        call += ["--short"] * short + ["--avx2"] * avx2 + ["--hide", *hide]
        code = subprocess.run(call, cwd=ROOT, check=False).returncode
        return json.loads(file.read_text()) if code == 0 else None


def main(arguments: list[str] | None = None) -> int:
    """Run, print, write; 0 if all methods were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--short", action="store_true", help="a few minutes (default)")
    size.add_argument("--full", action="store_true", help="every size")
    parser.add_argument("--only", nargs="+", metavar="CASE", help="these cases alone")
    parser.add_argument(
        "--avx2", action="store_true", help="as on a processor without AVX-512"
    )
    parser.add_argument("--out", type=Path, help="file for the JSON")
    options = parser.parse_args(arguments)
    protocol.one_core()
    from benchmarks.cases import CASES

    for name in options.only or ():
        if name not in CASES:
            parser.error(f"no case {name!r}; there are {', '.join(CASES)}")
    cases, failed = {}, []
    for name in options.only or CASES:
        found = run_case(
            name, CASES[name].hide, short=not options.full, avx2=options.avx2
        )
        if found is None:
            failed.append(name)
            continue
        cases[name] = found
        print(report.table(report.outcome(found)), end="\n\n", flush=True)
    outcomes = {name: report.outcome(found) for name, found in cases.items()}
    print(report.summary(outcomes.values()))
    if options.out:
        form = {"form": "full" if options.full else "short", "as_avx2": options.avx2}
        everything = machine.describe() | form | {"cases": with_verdicts(cases)}
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(everything, indent=1) + "\n")
    wrong = report.wrong(outcomes.values())
    print(*wrong, *(f"{name}: failed, see above" for name in failed), sep="\n")
    return 1 if wrong or failed else 0


def with_verdicts(cases: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The cases as they go to the file: each target says whether it is met."""
    out = {}
    for name, found in cases.items():
        claims = report.outcome(found).claims
        verdicts = [dataclasses.asdict(c) | {"met": c.met} for c in claims]
        out[name] = found | {"claims": verdicts}
    return out


if __name__ == "__main__":
    sys.exit(main())
