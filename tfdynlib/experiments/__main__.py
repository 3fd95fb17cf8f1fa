"""``python -m tfdynlib.experiments``: the first paper's experiments, again."""

import os
from pathlib import Path

import numpy as np

from tfdynlib import records
from tfdynlib.experiments import store

DOES = "The first paper's experiments, again: what the file lacks."


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = records.command("experiments", DOES, Path("heads.json"))
    parser.add_argument(
        "--pairs",
        type=float,
        default=np.inf,
        help="most pairs of tokens in all paths of one setting; a pair takes about a "
        "nanosecond.  At least four paths of noisy weights are run.",
    )
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    for run in store.make(options.out, options.pairs, load):
        print(run, flush=True)


if __name__ == "__main__":
    main()
