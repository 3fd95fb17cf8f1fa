r"""The dictionary between layers and filters.

The filter's equation and that of a layer with V = vI are one if and only if Q = 0 and
:math:`-v(B+B^\top)=C^\top R^{-1}C`; derived in the book.
"""

import numpy as np

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.control._filtering import SAME, Entries, Matrix, filtering, norm
from tfdynlib.gaussian import Layer


def layer_of_filter(
    A: Entries,
    C: Entries,
    R: Entries,
    Q: Entries | None = None,
    v: Number = -1.0,
) -> Layer:
    r"""The layer whose covariance is that of the filter: V = vI, B = -C^T R^-1 C / 2v.

    Raises ``ValueError`` if Q is not zero: a layer maps clouds by invertible maps, so
    it cannot add noise.
    """
    v = _check.number(v, "v")
    if not (np.isfinite(v) and v != 0):
        raise _check.refuse("v", "finite and not zero", v)
    _check.moderate(abs(v), "v")
    data = filtering(A, C, R, Q, "filter")
    if data.Q.any():
        raise ValueError(
            "Q must be zero: process noise fattens a cloud in every direction, also a "
            "cloud on a line, and no layer changes the rank of a covariance"
        )
    d = len(data.A)
    return Layer(data.A, -data.information / (2 * v), v * np.eye(d), np.zeros(d))


def filter_of_layer(layer: Layer) -> tuple[Matrix, Matrix, Matrix]:
    r"""The filter (A, C, R) whose error covariance is that of the layer; R = I.

    :math:`C^\top C=-v(B+B^\top)`; C has one row for each direction that is read.
    Raises ``ValueError`` where there is none: V is no multiple of the identity, or
    :math:`-v(B+B^\top)` has a negative eigenvalue (a reading that *adds* uncertainty).
    """
    _check.instance(layer, Layer, "layer", "a gaussian.Layer")
    A, B, V = layer.A, layer.B, layer.V
    d = len(A)
    v = float(np.trace(V)) / d
    if norm(V - v * np.eye(d)) > SAME * norm(V):
        raise ValueError(
            "V must be a multiple of the identity: otherwise the quadratic term "
            "V S B S + S B^T S V^T is not of the form S M S, and the equation is of "
            "Riccati's type but not Riccati's"
        )
    M = -v * (B + B.T)
    values, Q = np.linalg.eigh(M)
    if values[0] < -SAME * max(abs(values[0]), values[-1]):
        raise ValueError(
            "-v(B + B^T) must have no negative eigenvalue, got "
            f"{values[0]:.3g}: a filter's readings take uncertainty away, this "
            "direction would add some"
        )
    read = values > SAME * values[-1]
    if not read.any():
        return A.copy(), np.zeros((1, d)), np.eye(1)
    C = np.sqrt(values[read])[:, None] * Q[:, read].T
    return A.copy(), C, np.eye(len(C))
