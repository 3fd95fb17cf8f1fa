"""The function that one minimising movement makes small, in normal coordinates.

Token i sits at y_i = exp_{x_i}(u_i) with u_i tangent at x_i.  As long as |u_i| <= pi
the distance from x_i is |u_i| exactly, so the price of a move is a quadratic in u.
Used by ``jko``; its input has passed the front door there.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib import _slopes, sphere, summation
from tfdynlib.attention import Masses, Tokens
from tfdynlib.weights import Heads

Unknown = Float[np.ndarray, " k"]


def frames(x: Tokens) -> Float[np.ndarray, "n d e"]:
    """Orthonormal tangent vectors at each point, as columns; e = d - 1.

    All columns but the first of the reflection that takes the first axis to x or -x.
    """
    mirror = x.copy()
    mirror[:, 0] += np.where(x[:, 0] < 0, -1.0, 1.0)
    outer = mirror[:, :, None] * mirror[:, None, :]
    half = np.sum(mirror * mirror, axis=1)[:, None, None] / 2
    return (np.eye(x.shape[1]) - outer / half)[:, :, 1:]


@dataclass(frozen=True)
class Proximal:
    r"""The function of one step from x, with price :math:`|u|^2 / 2\tau`.

    .. math::
        F(u) = \frac{1}{2\tau}\sum_i m_i \hat b_i |u_i|^2 \pm E(\exp_x(u))

    ``sign`` is 1 for heads that descend and -1 for heads that climb; the weights b are
    ``frozen`` at x, or those at exp_x(u) if that is None.  The unknown w holds frame
    coordinates of u times ``scale``, so that for small tau the second derivative is
    near the identity.
    """

    x: Tokens
    heads: Heads
    mass: Masses
    tau: float
    sign: int
    frozen: Masses | None
    frame: Float[np.ndarray, "n d e"]
    scale: Masses

    def tangent(self, w: Unknown) -> Tokens:
        """The tangent vectors u of the unknown w."""
        coordinates = w.reshape(len(self.x), -1) / self.scale[:, None]
        return np.einsum("nde,ne->nd", self.frame, coordinates)

    def unknown(self, u: Tokens) -> Unknown:
        """The unknown w of tangent vectors u."""
        return self._pull_back(u, self.scale)

    def _pull_back(self, u: Tokens, factor: Masses) -> Unknown:
        return (np.einsum("nde,nd->ne", self.frame, u) * factor[:, None]).ravel()

    def value(self, w: Unknown) -> float:
        """F at the unknown w."""
        return self(w)[0]

    def price(self, w: Unknown) -> float:
        """The first term of F."""
        y = sphere.exp(self.x, self.tangent(w))
        s, _ = _sums(y, self.heads, self.mass)
        energy = self.mass @ (self.heads.mass @ s) / (2 * self.heads.beta)
        return max(self.value(w) - self.sign * float(energy), 0.0)

    def __call__(self, w: Unknown) -> tuple[float, Unknown]:
        """F and its gradient in w."""
        u = self.tangent(w)
        r = np.linalg.norm(u, axis=1)
        y = np.cos(r)[:, None] * self.x + np.sinc(r / np.pi)[:, None] * u
        s, push = _sums(y, self.heads, self.mass)
        energy = self.mass @ (self.heads.mass @ s) / (2 * self.heads.beta)
        outward = self.sign * self.mass[:, None] * push
        weight = self.frozen
        if weight is None:
            weight = 1 / (self.heads.mass @ (1 / s))
            price = self.mass * r**2 / (2 * self.tau)
            outward = outward + _weight_gradient(
                y, self.heads, self.mass, price, weight, s
            )
        cost = self.mass @ (weight * r**2) / (2 * self.tau)
        gradient = (self.mass * weight / self.tau)[:, None] * u
        gradient += _transposed_differential(self.x, u, r, outward)
        value = float(cost + self.sign * energy)
        return value, self._pull_back(gradient, 1 / self.scale)


def _transposed_differential(x: Tokens, u: Tokens, r: Masses, g: Tokens) -> Tokens:
    """The differential of u -> exp_x(u), transposed, applied to g; smooth at u = 0."""
    sinc = np.sinc(r / np.pi)
    # (cos r - sin r / r) / r^2 without a division by a small r: its limit is -1/3.
    small = r < 1e-2
    safe, near = np.where(small, 1.0, r), np.where(small, r, 0.0)
    bend = np.where(
        small, -1 / 3 + near**2 / 30 - near**4 / 840, (np.cos(safe) - sinc) / safe**2
    )
    along, across = np.sum(g * u, axis=1), np.sum(g * x, axis=1)
    return sinc[:, None] * (g - across[:, None] * x) + (
        (bend * along - sinc * across)[:, None] * u
    )


def _sums(
    y: Tokens, heads: Heads, mass: Masses
) -> tuple[Float[np.ndarray, "H n"], Tokens]:
    """s_h at each token, and the gradient of the first variation, sum m_h B_h M_h."""
    sums = summation.of_heads(y, y, heads, mass)
    s = _slopes.exponential(np.stack([m.log_z for m in sums]), heads)
    push = [
        w * np.exp(m.shift)[:, None] * (m.first @ B)
        for w, m, B in zip(heads.mass, sums, heads.B)
    ]
    return s, np.sum(push, axis=0)


def _weight_gradient(
    y: Tokens,
    heads: Heads,
    mass: Masses,
    price: Masses,
    weight: Masses,
    s: Float[np.ndarray, "H n"],
) -> Tokens:
    r"""Gradient in y of :math:`\sum_i c_i \hat b_i(y)` at fixed prices c.

    Each token counts twice: as one that feels the others, and as one that is felt.
    """
    out = np.zeros_like(y)
    felt = summation.of_heads(y, y, heads, mass)
    for h, (m, share) in enumerate(zip(felt, heads.mass)):
        pull = price * weight**2 * share / s[h] ** 2
        total = pull.sum()
        if total == 0:
            continue
        one = Heads(heads.B[h], heads.V[h], heads.beta)
        (back,) = summation.of_heads(y, y, one, pull / total)
        first = (pull * np.exp(m.shift))[:, None] * m.first
        second = (mass * total * np.exp(back.shift))[:, None] * back.first
        out += heads.beta * (first + second) @ heads.B[h]
    return out
