"""The zero-temperature limit of one head: where it sends a cloud, and what it asks."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Real

from tfdynlib import _check, sphere
from tfdynlib._measure import Measure
from tfdynlib.metastability._lipschitz import steepness
from tfdynlib.weights import Heads

# Eigenvalues this near, relative to the largest, are one.
SAME = 1e-9
# A token this near the complement of E belongs to it.
ON_COMPLEMENT = 1e-12


@dataclass(frozen=True)
class Check:
    """One assumption: whether it holds (None: not known), by what margin, in words."""

    name: str
    holds: bool | None
    margin: float
    words: str


@dataclass(frozen=True, repr=False)
class Limit:
    r"""The limit :math:`\beta\to\infty` of one head with M = V B symmetric.

    Attributes
    ----------
    M, B
        The matrix of the limit flow, and that of its clock.
    values
        Eigenvalues of M, falling.
    basis
        Orthonormal columns that span the dominant space E, (d, dim E).
    gap
        Largest eigenvalue less the next one; 0 if all are equal.

    Source: :cite:t:`alcalde2026quantifying`, whose :math:`V B^\top` is our M.
    """

    M: Float[np.ndarray, "d d"]
    B: Float[np.ndarray, "d d"]
    values: Float[np.ndarray, " d"]
    basis: Float[np.ndarray, "d k"]
    gap: float = field(default=0.0)

    @classmethod
    def of(cls, heads: Heads) -> "Limit":
        """The limit of these heads.

        Raises ``ValueError`` for two heads or more and if V B is not symmetric: then
        there is a limit flow (``zero_temperature``) and no projection.
        """
        B, V = one_head(heads)
        M = V @ B
        gap = np.abs(M - M.T).max()
        if gap > 1e-10 * np.abs(V).max() * np.abs(B).max():
            words = f"a difference of {gap:.3g} to the transpose"
            raise _check.refuse("heads", "such that V B is symmetric", words)
        M = (M + M.T) / 2
        values, vectors = np.linalg.eigh(M)
        values, vectors = values[::-1].copy(), vectors[:, ::-1]
        top = values >= values[0] - SAME * np.abs(values).max()
        k = int(top.sum())
        basis = _signed(vectors[:, :k])
        gap = 0.0 if k == len(values) else float(values[0] - values[k])
        return cls(M, B.copy(), values, basis, gap)

    @property
    def d(self) -> int:
        """Dimension of a token."""
        return len(self.M)

    @property
    def dim(self) -> int:
        """Dimension of the dominant space E."""
        return self.basis.shape[1]

    @property
    def rate(self) -> float:
        r"""The rate :math:`\gamma / |B|_2` of :math:`r = |P_{E^\perp}x|^2 / |P_E x|^2`:
        :math:`r(t) \le r_0 e^{-2\gamma t/|B|}`; 0 without a gap."""
        return self.gap / float(np.linalg.norm(self.B, 2)) if self.gap > 0 else 0.0

    @property
    def distance_rate(self) -> float:
        """The rate of W2 to the limit from a positive density: half of ``rate`` if E is
        a line, where tokens born near its complement are late; else ``rate`` (up to
        a factor sqrt(t) if E is a plane)."""
        return self.rate / 2 if self.dim == 1 else self.rate

    def reach(self, x: Real[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Length of the part of each token in E, in [0, 1]."""
        return np.minimum(np.linalg.norm(self._rows(x) @ self.basis, axis=1), 1.0)

    def project(self, x: Real[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        r"""The limit of each token, :math:`\Pi(x) = P_E x / |P_E x|`.

        Raises ``ValueError`` for a token in the complement of E, which has none.
        """
        inside = self._rows(x) @ self.basis
        size = np.linalg.norm(inside, axis=1, keepdims=True)
        if size.min() < ON_COMPLEMENT:
            words = f"a row with a part of {size.min():.1e} in it"
            raise _check.refuse("x", "with a part in the dominant space", words)
        if self.dim == 1:
            return np.sign(inside) * self.basis[:, 0]
        return inside / size @ self.basis.T

    def assumptions(
        self,
        mu: Measure,
        density: Callable[[Float[np.ndarray, "n d"]], Float[np.ndarray, " n"]]
        | None = None,
    ) -> tuple[Check, Check, Check, Check]:
        r"""What the theorem on concentration asks, each with its margin.

        B invertible (margin: its smallest singular value over the largest); a gap
        (over the largest absolute eigenvalue); no mass on the complement of E (margin:
        the least :math:`|P_E x|` of an atom of mu, the moment is
        :math:`\int |P_E x|^{-1/2} d\mu`); a positive Lipschitz density (margin: the
        least value over the mean, at the atoms of mu).  ``density`` takes points
        (n, d) to (n,), in any unit; without it nothing is known of the last.

        Source: :cite:t:`alcalde2026quantifying` in summary; the functional of its
        second assumption is not known to us, that here is one that any bounded
        density has.
        """
        _check.instance(mu, Measure, "mu", "a Measure (see measure.Measure)")
        size = np.linalg.svd(self.B, compute_uv=False)
        ratio = float(size[-1] / size[0]) if size[0] > 0 else 0.0
        top = float(np.abs(self.values).max())
        gap = self.gap / top if top > 0 else 0.0
        return (
            Check("B is invertible", ratio > 1e-12, ratio, _least("singular value")),
            Check("M has a gap", gap > SAME, gap, _least("gap")),
            self._moment(mu),
            _smooth(mu, density),
        )

    def _moment(self, mu: Measure) -> Check:
        seen = mu.mass > 0
        reach, mass = self.reach(mu.x[seen]), mu.mass[seen]
        lost = float(mass[reach < ON_COMPLEMENT].sum())
        if lost > 0:
            words = (
                f"mass {lost:.3g} lies on the complement of E and never leaves it "
                "(if tokens are nodes for a density, take a grid without such nodes)"
            )
            return Check("no mass on the complement of E", False, 0.0, words)
        words = f"the moment is {mass @ reach**-0.5:.3g}"
        return Check("no mass on the complement of E", True, float(reach.min()), words)

    def _rows(self, x: Real[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        why = ", the dimension of the heads"
        return _check.shaped(_check.unit_rows(x), "x", (None, self.d), why)

    def __repr__(self) -> str:
        what = {1: "a line", 2: "a plane"}.get(self.dim, f"of dimension {self.dim}")
        return f"Limit(E is {what} in R^{self.d}, gap {self.gap:g}, rate {self.rate:g})"


def one_head(
    heads: Heads,
) -> tuple[Float[np.ndarray, "d d"], Float[np.ndarray, "d d"]]:
    """B and V of a single head."""
    _check.fixed_heads(heads, "heads")
    if heads.H != 1:
        raise _check.refuse("heads", "a single head", f"{heads.H} heads")
    return heads.B[0], heads.V[0]


def _signed(basis: Float[np.ndarray, "d k"]) -> Float[np.ndarray, "d k"]:
    """Columns whose largest entry is positive, so that a pole has one name."""
    largest = np.abs(basis).argmax(axis=0)
    sign = np.sign(basis[largest, np.arange(basis.shape[1])])
    return np.ascontiguousarray(basis * sign)


def _least(what: str) -> str:
    return f"the least {what}, over the largest"


def _smooth(
    mu: Measure,
    density: Callable[[Float[np.ndarray, "n d"]], Float[np.ndarray, " n"]] | None,
) -> Check:
    name = "the density is positive and Lipschitz"
    if density is None:
        return Check(name, None, float("nan"), "no density was given")
    _check.function(density, "density", "a function of points (n, d)")
    x = sphere.retract(_check.unit_rows(mu.x, "mu.x"))
    value = _check.shaped(density(x.copy()), "density(x)", (len(x),))
    mean = float(np.abs(value).mean())
    if mean == 0:
        return Check(name, False, 0.0, "it vanishes at every atom")
    margin = float(value.min() / mean)
    near, nearer = steepness(density, x)
    # The quotient of a jump, or of a root, grows as its step shrinks.
    lipschitz = nearer <= 3 * near + 1e-6 * mean
    words = f"its slope is at most {max(near, nearer) / mean:.3g} times its mean"
    if not lipschitz:
        words = f"its slope grows to {nearer / mean:.3g} times its mean and beyond"
    return Check(name, bool(margin > 0 and lipschitz), margin, words)
