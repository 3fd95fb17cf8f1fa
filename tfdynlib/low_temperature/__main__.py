"""``python -m tfdynlib.low_temperature``: makes the stored runs, some minutes."""

import argparse
from pathlib import Path

from tfdynlib import records
from tfdynlib.low_temperature import store

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Low temperature at large sizes")
    parser.add_argument(
        "--out", type=Path, default=records.STORED / f"{store.NAME}.json"
    )
    parser.add_argument("--only", choices=("curves", "systems"), default="")
    options = parser.parse_args()
    store.make(options.out, options.only)
