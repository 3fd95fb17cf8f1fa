"""All cases, one after the other: ``python -m benchmarks.run --short --out FILE``.

Prints a table for each case and a list of all targets; FILE gets everything as JSON.
Ends with 1 if a method was wrong or a case failed; a target that is not met is told,
and no failure.

``--keep`` is for a run that is shown: a case that other work disturbed is run again,
one that misses a target is run once more without AVX-512, and nothing is written, with
2 at the end, unless every case had its quiet run.
"""

import argparse
import dataclasses
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import machine, protocol, readme, report

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
STORED = ROOT / "tfdynlib" / "stored" / "speed.json"


# Cores that may do other work while a case is kept, and how often it is tried.
QUIET, TRIES = 0.25, 4


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


def run_quietly(
    name: str, hide: tuple[str, ...], tries: int, **how: bool
) -> dict[str, Any] | None:
    """The case in the quietest of some runs, the first that is quiet enough; it says
    how many cores did other work."""
    best: dict[str, Any] | None = None
    for _ in range(tries):
        watch = machine.Watch()
        found = run_case(name, hide, **how)
        if found is None:
            return None
        found["others"] = watch.others()
        if best is None or loudness(found) < loudness(best):
            best = found
        if loudness(best) <= QUIET:
            break
    return best


def loudness(found: dict[str, Any]) -> float:
    """Cores that did other work while the case ran; 0 where nobody knows."""
    return found["others"] or 0.0


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """What is asked on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--short", action="store_true", help="a few minutes (default)")
    size.add_argument("--full", action="store_true", help="every size")
    parser.add_argument("--only", nargs="+", metavar="CASE", help="these cases alone")
    parser.add_argument(
        "--avx2", action="store_true", help="as on a processor without AVX-512"
    )
    parser.add_argument(
        "--keep", action="store_true", help="for a run that is shown: see above"
    )
    parser.add_argument("--out", type=Path, help="file for the JSON")
    options = parser.parse_args(arguments)
    protocol.one_core()
    from benchmarks.cases import CASES

    for name in options.only or ():
        if name not in CASES:
            parser.error(f"no case {name!r}; there are {', '.join(CASES)}")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run, print, write; 0 if all methods were right."""
    options = options_of(arguments)
    from benchmarks.cases import CASES

    cases, failed = {}, []
    wide = "avx512f" in machine.vectors() and not options.avx2
    for name in options.only or CASES:
        hide, tries = CASES[name].hide, TRIES if options.keep else 1
        how = {"short": not options.full, "avx2": options.avx2}
        found = run_quietly(name, hide, tries, **how)
        if found is None:
            failed.append(name)
            continue
        print(report.table(report.outcome(found)), end="\n\n", flush=True)
        if options.keep and wide and missed(found):
            narrow = run_quietly(name, hide, tries, short=not options.full, avx2=True)
            found["as_avx2"] = narrow
            if narrow:
                told = report.table(report.outcome(narrow))
                print("Without AVX-512: " + told, end="\n\n", flush=True)
        cases[name] = found
    outcomes = {name: report.outcome(found) for name, found in cases.items()}
    print(report.summary(outcomes.values()))
    wrong = report.wrong(outcomes.values())
    print(*wrong, *(f"{name}: failed, see above" for name in failed), sep="\n")
    loud = [name for name, found in cases.items() if loudness(found) > QUIET]
    if options.keep and (loud or failed or wrong):
        print(f"Not written. Other work during: {', '.join(loud) or 'no case'}.")
        return 2
    if options.out:
        write(options, cases)
    return 1 if wrong or failed else 0


def missed(found: dict[str, Any]) -> bool:
    """Whether a target of the case is not met."""
    return not all(claim.met for claim in report.outcome(found).claims)


def write(options: argparse.Namespace, cases: dict[str, dict[str, Any]]) -> None:
    """Everything as JSON."""
    form = {"form": "full" if options.full else "short", "as_avx2": options.avx2}
    others = max(map(loudness, cases.values()), default=0.0)
    header = machine.describe() | form | {"others": others}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(header | {"cases": with_verdicts(cases)}, indent=1)
    options.out.write_text(text + "\n")
    if options.out.resolve() == STORED:
        readme.update()


def with_verdicts(cases: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The cases as they go to the file: each target says whether it is met."""
    out = {}
    for name, found in cases.items():
        claims = report.outcome(found).claims
        verdicts = [dataclasses.asdict(c) | {"met": c.met} for c in claims]
        out[name] = found | {"claims": verdicts}
        if found.get("as_avx2"):
            out[name] |= with_verdicts({"as_avx2": found["as_avx2"]})
    return out


if __name__ == "__main__":
    sys.exit(main())
