"""Low temperature at large sizes: the three phases, and the ends of random systems.

``python -m tfdynlib.low_temperature`` runs what is in ``PLAN`` and ``SYSTEMS`` and
stores it; stopped, it goes on where it was.  The book shows what is stored.

Source: questions of :cite:t:`alcalde2026quantifying`; numbers are ours.
"""

from tfdynlib.low_temperature.ends import System, counts, draw, exceptions
from tfdynlib.low_temperature.picture import Case, Run, fitted, heads, marks, run, start
from tfdynlib.low_temperature.store import (
    PLAN,
    SYSTEMS,
    Stored,
    constants_table,
    curves_table,
    ends_table,
    exits_table,
    stored,
)

__all__ = [
    "PLAN",
    "SYSTEMS",
    "Case",
    "Run",
    "Stored",
    "System",
    "constants_table",
    "counts",
    "curves_table",
    "draw",
    "ends_table",
    "exceptions",
    "exits_table",
    "fitted",
    "heads",
    "marks",
    "run",
    "start",
    "stored",
]
