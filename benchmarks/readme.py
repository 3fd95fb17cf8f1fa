"""What README says of speed, made from the run that the book shows."""

import re
from pathlib import Path

from tfdynlib import records

README = Path(__file__).parent.parent / "README.md"


def update(file: Path = README) -> None:
    """Put the headline of the stored run, and its processor, where the old ones are."""
    run = records.published("speed")
    made = f"Measured by `make bench-kept` on one core of {run.processor}."
    new = {
        r"\| what \| beside \|.*?(?=\n\n)": run.headline(),
        r"Measured by `make [^.]*\.": made,
    }
    text = file.read_text("utf-8")
    for old, now in new.items():
        text = re.sub(old, lambda _, now=now: now, text, count=1, flags=re.DOTALL)
    file.write_text(text, "utf-8")
