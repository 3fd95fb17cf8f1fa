"""Hautus' test: which mode no reading sees, and which no input moves."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Complex

from tfdynlib import _check
from tfdynlib.control._filtering import Entries, Filtering, Matrix, matrix, norm, square

# Below this share of the size of the matrices a mode counts as unseen, or as undamped:
# half of the digits, since a double eigenvalue is known to no more.
UNSEEN = 1e-8


@dataclass(frozen=True)
class Hautus:
    """Whether every mode of A that does not decay leaves a trace in C x.

    Attributes
    ----------
    margin
        Least singular value of (A - lambda I; C) over the eigenvalues lambda of A with
        real part >= 0, relative to the norms of A and C; ``inf`` if all modes decay.
    eigenvalue, direction
        The mode with this margin; zero if all modes decay.
    """

    margin: float
    eigenvalue: complex
    direction: Complex[np.ndarray, " d"] = field(repr=False)

    def __bool__(self) -> bool:
        return self.margin > UNSEEN


def hautus(A: Entries, C: Entries) -> Hautus:
    r"""Hautus' test: (A, C) is detectable if every mode that does not decay is seen.

    A is (d, d), C is (m, d).  For an input matrix B of shape (d, m) ask
    ``hautus(A.T, B.T)``: then it says whether (A, B) is stabilisable.
    """
    A, C = square(A, "A"), matrix(C, "C")
    C = _check.shaped(C, "C", (None, len(A)), ", a row for each reading")
    values = np.linalg.eigvals(A)
    return weakest(A, C, values[values.real >= -UNSEEN * norm(A)])


def weakest(A: Matrix, C: Matrix, values: np.ndarray) -> Hautus:
    """The mode, of those with the given eigenvalues, that leaves the least trace."""
    d, worst = len(A), (np.inf, 0j, np.zeros(len(A), dtype=complex))
    for value in values:
        tall = np.vstack([A - value * np.eye(d), C.astype(complex)])
        _, s, W = np.linalg.svd(tall)
        margin = float(s[-1] / (norm(A) + norm(C) or 1.0))
        if margin < worst[0]:
            worst = (margin, complex(value), W[-1].conj())
    return Hautus(*worst)


def refuse_unsolvable(data: Filtering, problem: str) -> None:
    """Refuse what has no stabilising solution, and name the mode."""
    seen = hautus(data.A, data.C)
    verb = "is not seen in C x" if problem == "filter" else "is moved by no input"
    if not seen:
        word = "detectable" if problem == "filter" else "stabilisable"
        raise ValueError(
            f"the pair must be {word}: the mode of eigenvalue {_value(seen)}, "
            f"direction {_direction(seen)}, does not decay and {verb} "
            f"(margin {seen.margin:.1e}), so nothing can bring it down"
        )
    values = np.linalg.eigvals(data.A)
    still = values[abs(values.real) <= UNSEEN * max(norm(data.A), 1e-300)]
    driven = weakest(data.A.T, data.Q, still)
    if not driven:
        raise ValueError(
            f"Q must drive every mode on the imaginary axis: that of eigenvalue "
            f"{_value(driven)} neither grows nor decays by itself, so the solution "
            "comes to rest only like 1/t and does not stabilise it"
        )


def _value(mode: Hautus) -> str:
    z = mode.eigenvalue
    return f"{z.real:.4g}" if abs(z.imag) < 1e-12 else f"{z:.4g}"


def _direction(mode: Hautus) -> str:
    u = mode.direction
    u = u * np.exp(-1j * np.angle(u[np.argmax(abs(u))]))
    parts = [f"{z.real:.3g}" if abs(z.imag) < 1e-9 else f"{z:.3g}" for z in u + 0.0]
    return f"({', '.join(parts)})"
