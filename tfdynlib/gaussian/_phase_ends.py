"""Where a covariance that is followed ends: the decisions of both compiled loops, by
the numbers of ``_phase_rules``.  Loads numba, so import it late.

Every end is told as a code (see ``phases``) and, in ``out``, the time of a blow-up, the
growth of l, and how much its maxima over the last half of the time and over the quarter
before it differ.
"""

from math import exp, inf, log
from typing import no_type_check

from tfdynlib.gaussian._phase_rules import (
    BORDER,
    BOUNDED,
    DECAYS,
    GROWN,
    GROWS,
    LEFT,
    UNDECIDED,
)
from tfdynlib.summation._kernels import compiled

GOES_ON = -1


@compiled
@no_type_check
def stretched(h, error):
    """The next step, after one of an error (1 is what is allowed)."""
    if error <= 1.0:
        return h * (min(5.0, 0.9 * error**-0.2) if error > 0 else 5.0)
    return h * (max(0.2, 0.9 * error**-0.2) if error < inf else 0.1)


@compiled
@no_type_check
def windows(t, now, t_end, early, late):
    """The largest l of the quarter before the last half of the time, and of that."""
    if t > t_end / 2:
        return early, max(late, now)
    if t > t_end / 4:
        return max(early, now), late
    return early, late


@compiled
@no_type_check
def blows_up(t, now, first, pull, rtol, out):
    """Whether the time left to a blow-up is rounding."""
    if pull > 0 and now - first > log(GROWN):
        left = exp(-now) / (2.0 * pull)
        if left < LEFT * rtol * t:
            out[0], out[1], out[2] = t + left, inf, inf
            return True
    return False


@compiled
@no_type_check
def ended(t, t_end, grown, held, small, rests, early, late, out):
    """The code of an end other than a blow-up, the first that holds."""
    if not (held or small or rests or t >= t_end):
        return GOES_ON
    out[1], out[2] = grown, late - early
    if held:
        out[2] = inf
        return GROWS
    if small:
        out[2] = -inf
        return DECAYS
    if rests:
        out[2] = 0.0
        return BOUNDED
    if abs(late - early) < BORDER:
        return BOUNDED
    return DECAYS if late < early else GROWS


@compiled
@no_type_check
def lost(grown, out):
    """The code of one that took too many steps."""
    out[1], out[2] = grown, 0.0
    return UNDECIDED
