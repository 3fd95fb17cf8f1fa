r"""What becomes of a round Gaussian cloud: a plane of layers (V, B).

.. math::
    V = \mathrm{diag}(\cos\theta, \sin\theta), \qquad
    B = R_\psi\,\mathrm{diag}(\cos\varphi, \sin\varphi)\,R_\psi^\top, \qquad A = aI

with R a rotation.  V is positive for θ in the first quadrant and negative in the third,
and so is B for φ; ψ = 0 commutes, and every fate is known.  Source: the regimes of
:cite:t:`alcalde2026gaussian`; the plane is ours.
"""

from typing import Any

import numpy as np

from tfdynlib import _check, gaussian
from tfdynlib.sweep.study import Kind, Output, Parameter

SEEN = ("bounded", "decays", "grows", "blow-up", "undecided")
PROVED = ("rests", "settles", "decays", "bounded", "grows", "blow-up", "undecided")


def layer(p: dict[str, Any]) -> gaussian.Layer:
    """The layer at one point of the plane."""
    V, B = (np.diag([np.cos(p[k]), np.sin(p[k])]) for k in ("theta", "phi"))
    c, s = np.cos(p["psi"]), np.sin(p["psi"])
    R = np.array([[c, -s], [s, c]])
    return gaussian.Layer(p["a"] * np.eye(2), R @ B @ R.T, V)


def run(p: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One layer: followed, and by theorem."""
    one, cov = layer(p), p["variance"] * np.eye(2)
    seen = gaussian.phase_diagram(one.A, one.B, one.V, cov, p["t_end"], method="numpy")
    return {
        "seen": SEEN.index(str(seen.kind)),
        "proved": PROVED.index(gaussian.regime(one, cov).kind),
        "blow_up_time": seen.blow_up_time,
    }


KIND = Kind(
    "regimes",
    "Fates of a round Gaussian cloud: V diagonal, B turned, A = aI",
    run,
    {
        "theta": Parameter("angle of the values (V)", np.pi / 4, _check.time, "rad"),
        "phi": Parameter("angle of the scores (B)", np.pi / 4, _check.time, "rad"),
        "psi": Parameter("turn of B's axes against V's", 0.0, _check.time, "rad"),
        "a": Parameter("A = aI", 0.0, _check.time),
        "variance": Parameter("variance of the start", 1.0, _check.positive),
        "t_end": Parameter("layer-time to which it is followed", 50.0, _check.positive),
    },
    {
        "seen": Output("fate by following the covariance", words=SEEN),
        "proved": Output("fate by a theorem", words=PROVED),
        "blow_up_time": Output("layer-time of the blow-up; inf: none up to the end"),
    },
)
