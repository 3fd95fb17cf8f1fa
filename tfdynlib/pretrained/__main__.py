"""``python -m tfdynlib.pretrained``: makes the stored run anew, some minutes."""

import argparse
from pathlib import Path

from tfdynlib import records
from tfdynlib.pretrained import store

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Layers and heads of a trained model")
    parser.add_argument(
        "--out", type=Path, default=records.STORED / f"{store.NAME}.json"
    )
    store.write(parser.parse_args().out, store.make())
