"""What weights can reach: exactly the Gaussians of the same rank."""

from dataclasses import dataclass

from tfdynlib import _check
from tfdynlib.gaussian import Gaussian


@dataclass(frozen=True, repr=False)
class Reach:
    """Whether a target can be reached, with one sentence that says why.

    Attributes
    ----------
    possible
        What ``bool(reach)`` gives.
    reason
        In words.
    start_rank, target_rank
        Ranks of the two covariances, as ``Gaussian`` counts them.
    """

    possible: bool
    reason: str
    start_rank: int
    target_rank: int

    def __bool__(self) -> bool:
        return self.possible

    def __repr__(self) -> str:
        return f"{'Yes' if self.possible else 'No'}: {self.reason}"


def reachable(start: Gaussian, target: Gaussian) -> Reach:
    r"""Whether some weights lead from one Gaussian to the other in finite time.

    They do if and only if the covariances have the same rank, and then in any time
    T > 0: :math:`\Sigma(t)=\Phi\Sigma_0\Phi^\top` with an invertible
    :math:`\Phi`, whatever the weights; ``steer`` is the other half.

    The rank is a number of eigenvalues above a tolerance: those below 1e-13 d times the
    largest are taken for rounding (see ``Gaussian``).  A cloud thinner than that has to
    be made with ``Gaussian.from_factor``, which keeps every column.

    Source: :cite:t:`alcalde2026gaussian`, abstract; proof in the book.
    """
    pair(start, target)
    r, s, d = start.rank, target.rank, start.d
    return Reach(r == s, _reason(r, s, d), r, s)


def pair(start: Gaussian, target: Gaussian) -> int:
    """The dimension of two Gaussians; refuses what is none, or lives elsewhere."""
    for value, name in ((start, "start"), (target, "target")):
        _check.instance(value, Gaussian, name, "a gaussian.Gaussian")
    if start.d != target.d:
        raise _check.refuse("target", f"of d={start.d}, as start has it", target)
    return start.d


def _reason(r: int, s: int, d: int) -> str:
    if r == s == 0:
        return "both clouds are a single point, and a bias moves a point anywhere."
    if r == s == d:
        return (
            f"both clouds fill {_dimensions(d)}, all there are, so one invertible map "
            "takes one into the other."
        )
    if r == s:
        return (
            f"both clouds fill {_dimensions(r)} of {d}, and weights can stretch one "
            "within its own and turn it into the other."
        )
    now = f"the start fills {_dimensions(r)} and the target {_dimensions(s)}"
    if s > r:
        return (
            f"{now}: a layer moves the cloud by an invertible map, so the missing "
            f"{_dimensions(s - r)} cannot be filled by any weights."
        )
    return (
        f"{now}: a layer moves the cloud by an invertible map, so {_dimensions(r - s)} "
        "too many can be pressed thin, but flat only after infinite time."
    )


def _dimensions(k: int) -> str:
    return f"{k} dimension" if k == 1 else f"{k} dimensions"
