"""The command: ``python -m tfdynlib.sweep study.toml``."""

import argparse
import shlex
import sys
from pathlib import Path

import xarray as xr

from tfdynlib.sweep.kinds import KINDS
from tfdynlib.sweep.labels import failures
from tfdynlib.sweep.reading import names, read
from tfdynlib.sweep.running import run


def main(arguments: list[str] | None = None) -> int:
    """Run a study; 0 if every run of it is done, 1 if some failed."""
    parser = _parser()
    given = parser.parse_args(arguments)
    out = given.out or Path(Path(given.study).stem + ".nc")
    # Who made the runs is no part of it: the results do not depend on that.
    command = shlex.join(
        ["python", "-m", "tfdynlib.sweep", given.study, "--out", str(out)]
    )
    try:
        study = read(given.study)
        print(study, file=sys.stderr)
        engine = (given.scheduler, given.workers, not given.quiet, given.retry)
        found = run(study, out, *engine, command=command)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("Stopped; the same command goes on.", file=sys.stderr)
        return 130
    return _report(found, out)


def _report(found: xr.Dataset, out: Path) -> int:
    failed = failures(found)
    for failure in failed[:10]:
        where = ", ".join(f"{k} = {v}" for k, v in failure.parameters.items())
        print(f"failed: {where}: {failure.message}", file=sys.stderr)
    runs, seconds = found["failed"].size, found.attrs["seconds"]
    print(f"{out}: {runs - len(failed)} of {runs} runs, {seconds:g} s in all")
    return int(bool(failed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tfdynlib.sweep",
        description="Run a study: parameters x seeds -> a labelled dataset.",
        epilog=f"Studies of the book: {', '.join(names())}.  "
        f"Kinds for your own: {', '.join(KINDS)}.",
    )
    parser.add_argument("study", help="a TOML file, or the name of a study of the book")
    parser.add_argument(
        "--out", type=Path, help="the file to write: .nc (default: NAME.nc) or .zarr"
    )
    parser.add_argument(
        "--scheduler",
        default="threads",
        help="threads, processes, or the address of a Dask scheduler (tcp://...)",
    )
    parser.add_argument("--workers", type=int, help="threads or processes")
    parser.add_argument("--retry", action="store_true", help="run failed ones again")
    parser.add_argument("--quiet", action="store_true", help="no bar")
    return parser


if __name__ == "__main__":
    sys.exit(main())
