r"""A real architecture with prescribed attention matrices: opposite or equal signs.

Every head h of every layer is given the score matrix :math:`B_h=b\,P_h` and the value
matrix :math:`V_h=\pm v\,P_h`, where :math:`P_h` keeps the h-th group of d / H
coordinates and drops the others.  Together the heads act on all coordinates, each on
its own group, and for Gaussian tokens with independent groups each group obeys the
equation of one head: one layer, a step of length 1, takes the variance
:math:`\lambda` of a coordinate to :math:`\lambda(1\pm vb\lambda)^2`.  Opposite signs
(-): it falls, for small :math:`vb\lambda`.  Equal signs (+): it runs away.

The rest of the block (residual sums, LayerNorm, MLP) is that of the model.  It is
outside the theorem, and a LayerNorm after every sum holds all tokens on an ellipsoid:
then no sign can make the cloud grow.  A finite cloud departs from the equation too: a
token cannot be pulled further than the furthest token, and growth in t becomes
exponential where that of the Gaussian is infinite.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.pretrained.encoders import Encoder, altered, known, need, through
from tfdynlib.pretrained.heads import projections

SIGNS = ("opposite", "equal", "none")
# A trace this many times that of the start has run away.
LIMIT = 1e6

Curve = Float[np.ndarray, " m"]


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The trace of the covariance through the layers.

    Attributes
    ----------
    sign, layer_norm, mlp
        What was prescribed, and what of the model was left in.
    trace
        After 0, 1, 2, ... layers; it ends where the cloud has run away.
    status
        ``"bounded"``: the trace stayed below ``limit`` times that of the start for all
        layers asked for.  ``"blow-up"``: it did not, and nothing was computed after.
    layer
        At which layer it was above; None if it never was.
    """

    sign: str
    layer_norm: bool
    mlp: bool
    trace: Curve
    status: str
    layer: int | None

    @property
    def growth(self) -> float:
        """Trace at the end over trace at the start."""
        return float(self.trace[-1] / self.trace[0])

    def __repr__(self) -> str:
        parts = [f"{self.sign} signs"]
        parts.append("LayerNorm" if self.layer_norm else "no LayerNorm")
        parts.append("MLP" if self.mlp else "no MLP")
        at = "" if self.layer is None else f" at layer {self.layer}"
        return f"Run({', '.join(parts)}: {self.status}{at}, x {self.growth:.4g})"


def prescribe(
    encoder: Encoder,
    sign: str,
    v: Number = 0.2,
    b: Number | None = None,
    layer_norm: bool = False,
    mlp: bool = False,
) -> Encoder:
    """A copy of the encoder, in double precision, with prescribed heads.

    ``sign`` is ``"opposite"`` (V = -v P, B = b P), ``"equal"`` (V = v P) or ``"none"``
    (no attention: the control).  b is 1/sqrt(d_k) if not given, the usual factor.
    LayerNorm and MLP are left out unless asked for.
    """
    encoder, torch = known(encoder), need("torch")
    _check.one_of(sign, SIGNS, "sign")
    k = encoder.d // encoder.H
    v = _check.positive(v, "v")
    b = 1 / np.sqrt(k) if b is None else _check.positive(b, "b")
    out = altered(encoder, layer_norm, mlp, attention=False)
    if sign == "none":
        out.model.double()
        return out
    eye = torch.eye(encoder.d, dtype=torch.float64)
    # Q_h = K_h, of which the model divides the product by sqrt(d_k).
    narrow = eye * np.sqrt(b * np.sqrt(k))
    value = eye * (v if sign == "equal" else -v)
    out.model.double()
    with torch.no_grad():
        for block in out.blocks:
            modules = projections(out, block)
            parts = [narrow, narrow, eye]
            weights = parts if len(modules) == 4 else [torch.cat(parts)]
            for module, weight in zip(modules, [*weights, value]):
                module.weight.copy_(weight)
                if module.bias is not None:
                    module.bias.zero_()
    return out


def follow(
    encoder: Encoder,
    x: ArrayLike,
    sign: str,
    depth: int = 60,
    v: Number = 0.2,
    b: Number | None = None,
    layer_norm: bool = False,
    mlp: bool = False,
    limit: Number = LIMIT,
) -> Run:
    """Tokens x, (n, d), through ``depth`` layers with prescribed heads.

    The layers of the model are used in turn, again and again; see ``prescribe`` for the
    rest.  Rotary positions are all put at 0, where B is what was prescribed.
    """
    encoder = known(encoder)
    x = _check.shaped(_check.tokens(x), "x", (None, encoder.d), ", width of the model")
    depth, limit = _check.count(depth, "depth"), _check.positive(limit, "limit")
    made = prescribe(encoder, sign, v, b, layer_norm, mlp)
    trace = [_trace(x)]
    if not trace[0] > 0:
        raise _check.refuse("x", "two different tokens or more", x)
    layer = None
    while len(trace) <= depth and layer is None:
        for y in list(through(made, x, still=True))[1:]:
            found = _trace(y)
            if not found <= limit * trace[0]:
                layer = len(trace)
            if np.isfinite(found):
                trace.append(found)
            if layer is not None or len(trace) > depth:
                break
        x = y
    status = "bounded" if layer is None else "blow-up"
    return Run(sign, layer_norm, mlp, np.array(trace), status, layer)


def closed(
    sign: str,
    variance: ArrayLike,
    depth: int,
    v: Number,
    b: Number,
    limit: Number = LIMIT,
) -> Curve:
    r"""The trace for infinitely many Gaussian tokens, without LayerNorm and MLP.

    Coordinates with these variances :math:`\lambda`, layer by layer
    :math:`\lambda\mapsto\lambda(1\pm vb\lambda)^2`.  Ends where the trace is above
    ``limit`` times that of the start.
    """
    _check.one_of(sign, SIGNS, "sign")
    value = _check.array(variance, "variance", ndim=1)
    if len(value) == 0 or not (value >= 0).all() or not value.sum() > 0:
        raise _check.refuse(
            "variance", "of some that are positive, none negative", value
        )
    depth, limit = _check.count(depth, "depth"), _check.positive(limit, "limit")
    step = _check.positive(v, "v") * _check.positive(b, "b")
    step *= {"opposite": -1, "equal": 1, "none": 0}[sign]
    trace = [float(value.sum())]
    while len(trace) <= depth and trace[-1] <= limit * trace[0]:
        value = value * (1 + step * value) ** 2
        trace.append(float(value.sum()))
    return np.array(trace)


def _trace(x: Float[np.ndarray, "n d"]) -> float:
    """Trace of the covariance; nan or inf if the tokens are no longer numbers."""
    if not np.isfinite(x).all() or np.abs(x).max() > _check.LARGEST:
        return float("inf")
    return float(np.sum(np.var(x, axis=0)))
