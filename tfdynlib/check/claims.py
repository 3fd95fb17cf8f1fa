"""Checks of the page *What somebody has checked*."""

from __future__ import annotations

import numpy as np

from tfdynlib import claims
from tfdynlib._check import shown
from tfdynlib.check._verdict import MISTAKES, Verdict, not_yet, yes
from tfdynlib.claims import Claim, Evidence

SEEDS = (11, 12, 13)


def row(claim: object) -> Verdict:
    """Exercise 3: is this a row: does it say why, hold, and turn at a factor of two?

    Measured three times with different seeds.
    """
    if not isinstance(claim, Claim):
        return not_yet(f"hand over a claims.Claim, not {shown(claim)}.")
    for name in ("id", "statement", "source", "hypotheses", "why"):
        if not str(getattr(claim, name)).strip():
            return not_yet(f"{name} is empty.")
    for seed in SEEDS:
        try:
            found = claims.check(claim, np.random.default_rng(seed))
        except MISTAKES as error:
            return not_yet(f"measuring it raised {type(error).__name__}: {error}.")
        e = found.evidence
        if found.verdict == claims.NOT_SEEN:
            return not_yet(
                f"with seed {seed} it found {e.found:.6g}, expected {e.expected:.6g}, "
                f"tolerance {claim.tolerance:.2g}."
            )
        doubled = Evidence(2 * e.found, e.expected, e.outside, e.standard_error)
        if claims.verdict(claim, doubled) != claims.NOT_SEEN:
            return not_yet("twice the number would pass as well: tighten it.")
    return yes(f"it holds for {len(SEEDS)} seeds, and twice the number does not pass.")
