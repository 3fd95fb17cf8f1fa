r"""Heads of a trained layer: B and V as in the rest of the book.

In a trained layer head h adds :math:`O_hW_h\sum_j a_j x_j`, with weights
:math:`a_j\propto e^{\langle Q_hx+q_h,\;K_hx_j+k_h\rangle/\sqrt{d_k}}`.  So

.. math::
    B_h=\frac{K_h^\top Q_h}{\sqrt{d_k}},\qquad V_h=O_hW_h,\qquad
    c_h=\frac{K_h^\top q_h}{\sqrt{d_k}},

with the score :math:`\langle B_hx+c_h,\,x_j\rangle`, up to what does not depend on j.
A layer *adds* its heads (``weights.Heads`` takes means, hence the factor H in
``LayerHeads.as_heads``).

Outside the theorems on Gaussian tokens: LayerNorm, MLP and several heads.  (Without the
first two, Gaussian tokens stay Gaussian under any number of heads, since a sum of
affine velocities is affine; several heads do not keep statements on signs.)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, gaussian
from tfdynlib.pretrained.encoders import Encoder, known
from tfdynlib.weights import Heads

Stack = Float[np.ndarray, "H d d"]
Narrow = Float[np.ndarray, "H k d"]
Wide = Float[np.ndarray, "H d k"]
Rows = Float[np.ndarray, "H d"]


@dataclass(frozen=True, eq=False, repr=False)
class LayerHeads:
    """Heads of one layer, by their factors.

    Attributes
    ----------
    layer
        Which one, from 0.
    Q, K, W
        Queries, keys and values of a head, (H, d_k, d); 1/sqrt(d_k) is not in them.
    O
        What brings values back into the tokens' space, (H, d, d_k).
    c
        Part of the score that comes from the biases of the queries, (H, d): the score
        is <Bx + c, y> up to a term without y.  (With rotary positions that term
        depends on the offset if keys have biases; those of ModernBERT-base have none.)
    shift
        What all biases add to every token, (d,).
    normalised
        Whether the heads see tokens after a LayerNorm of their own layer (ModernBERT,
        ViT, DeiT) or the tokens themselves (BERT, and ModernBERT's layer 0).
    offset
        Rotary models: y stands ``offset`` places after x.  B belongs to this offset.
    """

    layer: int
    Q: Narrow
    K: Narrow
    W: Narrow
    O: Wide  # noqa: E741
    c: Rows
    shift: Float[np.ndarray, " d"]
    normalised: bool
    offset: int

    @property
    def H(self) -> int:
        """Number of heads."""
        return len(self.Q)

    @property
    def width(self) -> int:
        """Width d_k of a head."""
        return self.Q.shape[1]

    @property
    def B(self) -> Stack:
        """Score matrices K^T Q / sqrt(d_k)."""
        return self.K.swapaxes(1, 2) @ self.Q / np.sqrt(self.width)

    @property
    def V(self) -> Stack:
        """Value matrices O W."""
        return self.O @ self.W

    def as_heads(self) -> Heads:
        """For the other rooms: B, and H times V, since there heads are averaged.

        Biases are left out.
        """
        return Heads(self.B, self.H * self.V)

    def seen(self, frame: ArrayLike) -> tuple[Stack, Stack]:
        """U^T B U and U^T V U for orthonormal columns U, (d, m): two (H, m, m).

        What the heads do inside these directions, if tokens had no other coordinates.
        """
        U = _check.shaped(frame, "frame", (self.Q.shape[2], None))
        B = (self.K @ U).swapaxes(1, 2) @ (self.Q @ U) / np.sqrt(self.width)
        return B, (self.O.swapaxes(1, 2) @ U).swapaxes(1, 2) @ (self.W @ U)

    def signs(self, cov: ArrayLike | None = None) -> "tuple[HeadSigns, ...]":
        """What can be said of the signs of each head; see ``HeadSigns``."""
        d = self.Q.shape[2]
        S = np.eye(d) if cov is None else _check.shaped(cov, "cov", (d, d))
        scale = np.sqrt(self.width)
        return tuple(
            _signs(K / scale, Q, O, W, S)
            for K, Q, O, W in zip(self.K, self.Q, self.O, self.W)
        )

    def __repr__(self) -> str:
        return f"LayerHeads(layer {self.layer}: H={self.H}, width {self.width})"


@dataclass(frozen=True)
class HeadSigns:
    r"""Signs of one head.

    Attributes
    ----------
    B_positive, B_negative, V_positive, V_negative
        How many eigenvalues of the symmetric parts have each sign.
    B_lean, V_lean
        Sum of these eigenvalues over the sum of their absolute values: 1 for a positive
        semidefinite symmetric part, -1 for a negative one.
    B_defect, V_defect
        :math:`|B-B^\top|/|B+B^\top|` in the Frobenius norm; near 1 for random entries.
    product_lean
        The same as a lean, for the real parts of the spectrum of VB.
    rate
        :math:`2\,\mathrm{tr}(V\Sigma B\Sigma)/\mathrm{tr}\,\Sigma`: at which rate the
        head alone widens (or narrows, if negative) a Gaussian of this covariance.
    """

    B_positive: int
    B_negative: int
    V_positive: int
    V_negative: int
    B_lean: float
    V_lean: float
    B_defect: float
    V_defect: float
    product_lean: float
    rate: float

    @property
    def definite(self) -> bool:
        """Whether both symmetric parts are semidefinite, as theorems on signs ask."""
        return 0 in (self.B_positive, self.B_negative) and 0 in (
            self.V_positive,
            self.V_negative,
        )


def layer_heads(encoder: Encoder, layer: int, offset: int = 0) -> LayerHeads:
    """The heads of a layer, counted from 0.

    With rotary positions (ModernBERT) the score depends on how far apart two tokens
    stand, and so does B: it is that of tokens y which stand ``offset`` places after x,
    0 if nothing else is said.

    Raises ``ValueError`` for a layer that is not there, and for an offset if positions
    are not rotary.
    """
    encoder, layer = known(encoder), _check.count(layer, "layer", 0)
    offset = _check.integer(offset, "offset")
    if layer >= encoder.depth:
        raise _check.refuse("layer", f"below {encoder.depth}", layer)
    if offset and encoder.family != "modernbert":
        raise _check.refuse("offset", "0: positions are not rotary", offset)
    weights, biases = _projections(encoder, encoder.blocks[layer])
    H, d = encoder.H, encoder.d
    Q, K, W = (w.reshape(H, -1, d) for w in weights[:3])
    k = Q.shape[1]
    O = weights[3].reshape(d, H, k).transpose(1, 0, 2)  # noqa: E741
    q, _, w = (b.reshape(H, k) for b in biases[:3])
    if offset:
        K = _turn(encoder, layer, offset, k) @ K
    c = np.einsum("hkd,hk->hd", K, q) / np.sqrt(k)
    shift = np.einsum("hdk,hk->d", O, w) + biases[3]
    own = encoder.family != "bert" and not _is_identity(encoder, layer)
    return LayerHeads(layer, Q, K, W, O, c, shift, own, offset)


def fate(B: ArrayLike, V: ArrayLike, cov: ArrayLike) -> str:
    """What ``gaussian.regime`` says of one head: the kind of its fate.

    The head alone, as one layer of attention and residual sum (A = 0, b = 0), on
    Gaussian tokens of this covariance.  Matrices are (d, d).
    """
    B = _check.square(B, "B")
    none = np.zeros(B.shape)
    return gaussian.regime(gaussian.Layer(A=none, B=B, V=V), cov).kind


def _is_identity(encoder: Encoder, layer: int) -> bool:
    block = encoder.blocks[layer]
    norm = getattr(block, "attn_norm", None) or getattr(block, "layernorm_before", None)
    return type(norm).__name__ == "Identity"


def projections(encoder: Encoder, block: Any) -> list[Any]:
    """Modules that make queries, keys, values and the output: four, or two if the
    first three are one."""
    if encoder.family == "bert":
        own = block.attention.self
        return [own.query, own.key, own.value, block.attention.output.dense]
    if encoder.family == "modernbert":
        return [block.attn.Wqkv, block.attn.Wo]
    own = block.attention
    return [own.q_proj, own.k_proj, own.v_proj, own.o_proj]


def _projections(encoder: Encoder, block: Any) -> tuple[list, list]:
    """Weights and biases, four each; a bias that is not there is 0."""
    weights, biases = [], []
    for module in projections(encoder, block):
        weight = module.weight.detach().double().numpy()
        bias = np.zeros(len(weight))
        if module.bias is not None:
            bias = module.bias.detach().double().numpy()
        parts = len(weight) // encoder.d if encoder.family == "modernbert" else 1
        weights += np.split(weight, parts)
        biases += np.split(bias, parts)
    return weights, biases


def _turn(encoder: Encoder, layer: int, offset: int, k: int) -> np.ndarray:
    """The rotation of a key that stands ``offset`` places further, (k, k)."""
    rotary = encoder.model.rotary_emb
    kind = encoder.blocks[layer].attention_type
    speed = getattr(rotary, f"{kind}_inv_freq").double().numpy()
    angle = np.tile(offset * speed, 2)
    half = np.zeros((k, k))  # of the model: (u, v) -> (-v, u)
    rows = np.arange(k // 2)
    half[rows, rows + k // 2], half[rows + k // 2, rows] = -1, 1
    return np.diag(np.cos(angle)) + np.sin(angle)[:, None] * half


def _signs(
    K: Float[np.ndarray, "k d"],
    Q: Float[np.ndarray, "k d"],
    O: Float[np.ndarray, "d k"],  # noqa: E741
    W: Float[np.ndarray, "k d"],
    cov: Float[np.ndarray, "d d"],
) -> HeadSigns:
    """Of B = K^T Q and V = O W, by matrices of the size of the head."""
    B, V = _symmetric_part(K, Q), _symmetric_part(O.T, W)
    product = np.linalg.eigvals((W @ K.T) @ (Q @ O)).real
    total = np.trace(cov)
    pull = np.trace((W @ cov @ K.T) @ (Q @ cov @ O))
    return HeadSigns(
        *_count(B),
        *_count(V),
        _lean(B),
        _lean(V),
        _defect(K, Q),
        _defect(O.T, W),
        _lean(product),
        float(2 * pull / total) if total > 0 else 0.0,
    )


def _symmetric_part(
    L: Float[np.ndarray, "k d"], R: Float[np.ndarray, "k d"]
) -> Float[np.ndarray, " m"]:
    """Eigenvalues of (L^T R + R^T L) / 2 on the span of the rows of both."""
    k = len(L)
    upper = np.linalg.qr(np.concatenate([L, R]).T)[1]
    swap = np.roll(np.eye(2 * k), k, axis=1)
    return np.linalg.eigvalsh(upper @ swap @ upper.T) / 2


def _count(value: Float[np.ndarray, " m"]) -> tuple[int, int]:
    """Positive and negative eigenvalues; those below rounding are neither."""
    least = 1e-12 * np.abs(value).max(initial=0.0)
    return int((value > least).sum()), int((value < -least).sum())


def _lean(value: Float[np.ndarray, " m"]) -> float:
    total = np.abs(value).sum()
    return float(value.sum() / total) if total > 0 else 0.0


def _defect(L: Float[np.ndarray, "k d"], R: Float[np.ndarray, "k d"]) -> float:
    """|M - M^T| / |M + M^T| for M = L^T R; infinite if M is skew."""
    square = float(np.sum((L @ L.T) * (R @ R.T)))  # |M|^2
    cross = float(np.sum((R @ L.T) * (R @ L.T).T))  # tr(M M)
    below = square + cross
    return float(np.sqrt(max(square - cross, 0.0) / below)) if below > 0 else np.inf
