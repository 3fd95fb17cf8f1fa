"""The rows of the second paper on the asymptotics of Gaussian tokens."""

import functools

import numpy as np
import pytest

from tfdynlib import _riccati, claims
from tfdynlib.claims import Evidence

CONDITIONAL = {"2.10", "2.12"}


@functools.cache
def measured(claim):
    return claims.check(claim, np.random.default_rng(0))


ROWS = [pytest.param(c, id=c.id) for c in _riccati.CLAIMS]


@pytest.mark.parametrize("claim", ROWS)
def test_every_row_has_its_verdict(claim):
    row = measured(claim)
    expected = f"holds only if {claim.only_if}" if claim.only_if else claims.HOLDS
    assert row.verdict == expected, row.evidence
    assert bool(claim.only_if) == (claim.id in CONDITIONAL)
    assert claim in claims.of_paper(2)


@pytest.mark.parametrize("claim", ROWS)
def test_a_factor_of_two_turns_a_row(claim):
    e = measured(claim).evidence
    faulty = Evidence(2 * e.found, e.expected, e.outside, e.standard_error)
    if e.expected == 0:
        faulty = Evidence(e.outside, 0.0)
    assert claims.verdict(claim, faulty) == claims.NOT_SEEN, claim.id
