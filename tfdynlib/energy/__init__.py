"""The interaction energy of the tokens, its slope, and the balance along a flow.

Throughout, for tokens x on the sphere with measure mu and heads with masses m_h:

    s_h(x) = int e^{beta <B_h x, y>} dmu(y)        g_h = P_x grad s_h / beta
    b(x)   = 1 / sum_h (m_h / s_h(x))              the effective weight, a harmonic mean

Values beyond the range of doubles (beta near 700 and more) are refused with a sentence;
``log_interaction`` has no such limit.  ``method`` and ``tol`` are those of
``attention.velocity``: energies come from the sums that a velocity divides by.

Sources: energy, weight and balance are those of :cite:t:`massucco2026multihead`; for
one head see also :cite:t:`burger2025analysis`.  The dissipation of the softmax rule for
heads that differ is derived in the book.
"""

from tfdynlib.energy.account import Balance, balance
from tfdynlib.energy.landscape import (
    effective_weight,
    first_variation,
    head_weights,
    interaction,
    log_interaction,
    weight_bounds,
)
from tfdynlib.energy.rates import annealed_interaction, annealed_power, power
from tfdynlib.energy.slopes import action, dissipation, head_mismatch, slope_squared

__all__ = [
    "Balance",
    "action",
    "annealed_interaction",
    "annealed_power",
    "balance",
    "dissipation",
    "effective_weight",
    "first_variation",
    "head_mismatch",
    "head_weights",
    "interaction",
    "log_interaction",
    "power",
    "slope_squared",
    "weight_bounds",
]
