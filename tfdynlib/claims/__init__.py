"""The ledger: each claim of the papers with the code that measures it.

``python -m tfdynlib.claims`` measures all and stores the run that the book shows.

A row is only as good as its tolerance, so each gives the reason for its own.  Chance
enters through ``rng`` alone: another seed is another measurement of the same claim.
"""

from tfdynlib.claims.claim import HOLDS, NOT_SEEN, ONLY_IF, Claim, Evidence, verdict
from tfdynlib.claims.ledger import (
    PAPERS,
    Ledger,
    Row,
    check,
    of_paper,
    published,
    table,
)

__all__ = [
    "HOLDS",
    "NOT_SEEN",
    "ONLY_IF",
    "PAPERS",
    "Claim",
    "Evidence",
    "Ledger",
    "Row",
    "check",
    "of_paper",
    "published",
    "table",
    "verdict",
]
