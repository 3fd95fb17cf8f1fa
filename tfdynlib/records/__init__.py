"""Stored measurements of the test-bench: what it found, when, on which machine.

Pages read a stored ``Record`` instead of measuring anew: times are those of the machine
that is named, not of the reader's.  Those of the book are in the folder ``stored`` of
the package; ``make bench`` makes your own in ``benchmarks/results``.
"""

from tfdynlib.records.record import (
    COMMANDS,
    OURS,
    STORED,
    Record,
    Series,
    Table,
    Timing,
    newest,
    published,
    read,
)
from tfdynlib.records.tables import Overview, as_html, as_text
from tfdynlib.records.writing import command, header, here, processor, write

__all__ = [
    "COMMANDS",
    "OURS",
    "STORED",
    "Overview",
    "Record",
    "Series",
    "Table",
    "Timing",
    "as_html",
    "as_text",
    "command",
    "header",
    "here",
    "newest",
    "processor",
    "published",
    "read",
    "write",
]
