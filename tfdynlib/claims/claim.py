"""Values of the ledger: a claim, what was measured, and the verdict."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

HOLDS, ONLY_IF, NOT_SEEN = "holds", "holds only if", "not seen"


@dataclass(frozen=True)
class Evidence:
    """Numbers that decide a claim.

    Attributes
    ----------
    found
        What was measured under the hypotheses.
    expected
        What the claim says it is.
    outside
        The same measured where ``Claim.only_if`` fails; None if it was not tried.
    standard_error
        Of ``found``, from independent repetitions; None where there is no chance.
    """

    found: float
    expected: float
    outside: float | None = None
    standard_error: float | None = None


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper that a computer can check.

    Attributes
    ----------
    id
        Number of the paper, a dot, number of the row.
    statement, source, hypotheses
        The sentence in the notation of the book, where it comes from, and under which
        assumptions it was measured.
    tolerance
        Largest distance of found from expected, in standard errors where the evidence
        has one; ``why`` gives its reason.
    measure
        rng -> ``Evidence``.  A row without chance in it does not use the generator.
    only_if
        A condition that the sentence does not state but needs; empty if none.
    at_most
        The sentence is an inequality: found may be anything below expected.
    page
        Page of the book whose figure shows it, as "flows/balance"; empty if none does.
    """

    id: str
    statement: str
    source: str
    hypotheses: str
    tolerance: float
    why: str
    measure: Callable[[np.random.Generator], Evidence] = field(repr=False)
    only_if: str = ""
    at_most: bool = False
    page: str = ""

    def agrees(self, value: float, evidence: Evidence) -> bool:
        """Whether a value is what the sentence says, within the tolerance."""
        unit = evidence.standard_error
        allowed = self.tolerance * (1.0 if unit is None else unit)
        gap = value - evidence.expected
        return bool((gap if self.at_most else abs(gap)) <= allowed)


def verdict(claim: Claim, evidence: Evidence) -> str:
    """``"holds"``, ``"holds only if ..."`` or ``"not seen"``.

    The second needs both: agreement where the condition holds and, where that was
    tried, disagreement outside it.  A condition whose failure changes nothing is none.
    """
    if not claim.agrees(evidence.found, evidence):
        return NOT_SEEN
    if not claim.only_if:
        return HOLDS
    outside = evidence.outside
    if outside is not None and claim.agrees(outside, evidence):
        return HOLDS
    return f"{ONLY_IF} {claim.only_if}"
