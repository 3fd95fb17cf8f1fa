r"""The numerical experiments of the first paper, run again: tokens under many heads.

Descent heads :math:`D_h` at beta = 1, equal masses, softmax; Euler steps with a
normalisation, as in the public code.  A *layout* says how the heads move:

``"ou"``
    Ornstein-Uhlenbeck noise with g^2 = 2 around the identity (Euler-Maruyama).
``"spread"``, ``"common"``
    Oscillating targets, head h at the phase 2 pi h / H (the code's), or all at one.

``python -m tfdynlib.experiments`` runs what is in ``PLAN`` and stores it, path by path:
stopped, it goes on where it was.

Source: settings of the public code of :cite:t:`massucco2026multihead`; the numbers
are ours.
"""

from tfdynlib.experiments.power import fit
from tfdynlib.experiments.runs import ACCOUNTS, Run, from_stored, join, one, run
from tfdynlib.experiments.settings import (
    LAYOUTS,
    Setting,
    course,
    first_heads,
    start,
    tokens,
)
from tfdynlib.experiments.store import make, overview, plan, select, stored

__all__ = [
    "ACCOUNTS",
    "LAYOUTS",
    "Run",
    "Setting",
    "course",
    "first_heads",
    "fit",
    "from_stored",
    "join",
    "make",
    "one",
    "overview",
    "plan",
    "run",
    "select",
    "start",
    "stored",
    "tokens",
]
