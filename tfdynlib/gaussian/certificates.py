"""The values of a fate: a kind, the theorem that says so, and by how much it holds."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib.gaussian.types import Factor, Layer, Matrix, factor_of

# Spectra this close to a border, against the size of the matrix, are on it.
BORDER = 1e-12


@dataclass(frozen=True)
class Certificate:
    """Why a fate is certain.

    Attributes
    ----------
    theorem
        The statement that applies, in one sentence.
    margins
        Its hypotheses, each with the number that must be positive (zero where the
        sentence says so).
    bounds
        Numbers that the theorem gives besides.
    """

    theorem: str
    margins: dict[str, float] = field(default_factory=dict)
    bounds: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [f"  {k}: {v:.6g}" for k, v in {**self.margins, **self.bounds}.items()]
        return "\n".join([self.theorem, *parts])


@dataclass(frozen=True)
class Regime:
    """The fate of a covariance.

    Attributes
    ----------
    kind
        ``"rests"`` (it is an equilibrium); ``"settles"`` (tends to ``limit``);
        ``"decays"`` (tends to zero); ``"bounded"``; ``"grows"`` (without bound, but in
        infinite time); ``"blow-up"``; ``"undecided"`` (no theorem here applies).
    certificate
        The theorem, and by how much its hypotheses hold.
    rate
        Exponential rate at which the limit is reached, up to polynomial factors: zero
        for one slower than any exponential, None if not known.
    limit
        The limit, (d, d), or None.
    blow_up_time
        inf if there is none; None if the fate is undecided.
    """

    kind: str
    certificate: Certificate
    rate: float | None = None
    limit: Matrix | None = None
    blow_up_time: float | None = np.inf


@dataclass(frozen=True)
class Case:
    """A layer and a covariance with its factor."""

    layer: Layer
    cov: Matrix
    L: Factor

    @property
    def d(self) -> int:
        return self.layer.d

    def spectrum(self) -> tuple[np.ndarray, float]:
        """Real parts of the eigenvalues of A, those on the border set to zero, and
        the distance from zero of the others."""
        values = np.linalg.eigvals(self.layer.A).real
        scale = float(np.linalg.norm(self.layer.A, 2))
        values = np.where(np.abs(values) <= BORDER * scale, 0.0, values)
        return np.sort(values), scale


def case_of(layer: Layer, cov: ArrayLike) -> Case:
    """Front door."""
    _check.instance(layer, Layer, "layer", "a gaussian.Layer")
    shape = (layer.d, layer.d)
    return Case(
        layer, *factor_of(_check.shaped(cov, "cov", shape, ", as the layer has it"))
    )


def outside(case: Case, strictly: bool) -> float:
    """How much of L, relatively, is not in the directions that A contracts; strictly:
    not in those that it does not expand."""
    from scipy.linalg import schur

    scale = float(np.linalg.norm(case.layer.A, 2))
    cut = (1 if strictly else -1) * BORDER * scale
    *_, Z, k = schur(case.layer.A.T, sort=lambda x, y=0.0: x >= cut)
    # Left vectors of the others vanish on what A contracts.
    return float(np.linalg.norm(Z[:, :k].T @ case.L) / np.linalg.norm(case.L))
