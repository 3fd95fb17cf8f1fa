r"""Consensus-based optimisation: tokens pulled to a mean that likes low values.

.. math::
    dx_i = -\lambda\,(x_i - m_\alpha)\,dt + \sigma\,|x_i - m_\alpha|\,dW_i, \qquad
    m_\alpha = \frac{\int y\, e^{-\alpha f(y)}\, d\mu(y)}
                    {\int e^{-\alpha f(y)}\, d\mu(y)}

with one objective f for all tokens.  Attention is the *polarised* form of it: token x
has an objective of its own, :math:`f_x(y) = -\langle Bx, y\rangle`, with α = β and no
noise.

Sources: :cite:t:`pinnau2017consensus`; on the sphere
:cite:t:`fornasier2021consensus`; polarised :cite:t:`bungert2022polarized`; attention as
one :cite:t:`alcalde2026quantifying`.
"""

from tfdynlib.cbo.gaussian import gaussian_mean
from tfdynlib.cbo.means import (
    attention_objective,
    consensus,
    polarised_mean,
    polarised_velocity,
    velocity,
)
from tfdynlib.cbo.solving import Run, solve

__all__ = [
    "Run",
    "attention_objective",
    "consensus",
    "gaussian_mean",
    "polarised_mean",
    "polarised_velocity",
    "solve",
    "velocity",
]
