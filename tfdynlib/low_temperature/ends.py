"""Conjecture 1 put to random matrices: where does a cloud end?

Each system is a head drawn from its own seed, a cloud drawn from the same, and the end
that is reached; what is counted is how the ends go with the signs of the matrices.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import _check, attention, flow, metastability, sphere
from tfdynlib.metastability.pairs import top_of
from tfdynlib.weights import Heads

# "symmetric": V any, M = V B symmetric with a gap, as the paper asks; "free": both any;
# "definite": M symmetric and B symmetric and positive definite.
FAMILIES = ("symmetric", "free", "definite")
TOKENS, BETA, STEP = 64, 8.0, 0.05
# Stretches of layer-time; a system is left when it rests, or after the last.
STRETCHES = (100.0, 200.0, 600.0)
RADIUS, NEAR, STILL = 0.1, 0.05, 1e-5
SEED = 42

# Ends, in the order in which they are tried.
DOMINANT, MAGNITUDE, RESTING, OTHER, CLUSTERS, MOVING = (
    "dominant",
    "largest in magnitude",
    "resting pair",
    "another eigenvector",
    "other clusters at rest",
    "moving",
)
# What is known of V's eigenvalue of largest real part, and of B at its vector v.
TURNS, REPELS, AGAINST, WITH, DEFINITE = (
    "complex",
    "negative: clusters fall apart",
    "positive, <v, Bv> < 0",
    "positive, <v, Bv> > 0",
    "positive, <x, Bx> > 0 for all x",
)
KINDS = (TURNS, REPELS, AGAINST, WITH, DEFINITE)
ENDS = (DOMINANT, MAGNITUDE, RESTING, OTHER, CLUSTERS, MOVING)


@dataclass(frozen=True)
class System:
    """One random system and its end.

    Attributes
    ----------
    family, d, seed
        It is drawn anew by ``draw(family, d, seed)``.
    real, score
        Whether V's eigenvalue of largest real part is real; :math:`<v, Bv>` there, of
        B scaled to norm 1 (nan if it is not real).
    value, gap
        That real part, and its distance to the next one, V scaled to norm 1.
    least
        The least value of :math:`<x, Bx>` on the sphere, B scaled to norm 1.
    end
        One of ``ENDS``.
    clusters, speed, t
        How many clusters it came to, the largest speed, and when it was left.
    """

    family: str
    d: int
    seed: int
    real: bool
    score: float
    value: float
    gap: float
    least: float
    end: str
    clusters: int
    speed: float
    t: float

    @property
    def kind(self) -> str:
        """One of ``KINDS``: what the theory of one and two points asks of."""
        return _kind(self.real, self.value, self.score, self.least)


def kind(head: Heads) -> str:
    """The same of a head, before it is run."""
    top, B = top_of(head.V[0]), head.B[0]
    v = np.zeros(len(B)) if top.basis is None else top.basis[:, 0]
    least = float(np.linalg.eigvalsh((B + B.T) / 2)[0])
    return _kind(top.basis is not None, top.value, float(v @ B @ v), least)


def _kind(real: bool, value: float, score: float, least: float) -> str:
    if not real:
        return TURNS
    if value <= 0:
        return REPELS
    if score <= 0:
        return AGAINST
    return WITH if least <= 0 else DEFINITE


def draw(family: str, d: int, seed: int) -> tuple[Heads, Float[np.ndarray, "n d"]]:
    """A head with |V| = |B| = 1 and beta = 8, and 64 tokens uniform on the sphere."""
    _check.one_of(family, FAMILIES, "family")
    d, seed = _check.count(d, "d", 2), _check.count(seed, "seed", 0)
    rng = np.random.default_rng([SEED, FAMILIES.index(family), d, seed])
    V, Z = rng.standard_normal((2, d, d))
    B = np.linalg.solve(V, Z + Z.T) if family == "symmetric" else Z
    if family == "definite":
        B = Z @ Z.T
        V = np.linalg.solve(B, V + V.T).T
    V, B = V / np.linalg.norm(V, 2), B / np.linalg.norm(B, 2)
    return Heads(B, V, BETA), sphere.uniform(TOKENS, d, rng)


def run(family: str, d: int, seed: int) -> System:
    """Draw a system, follow it until it rests, and say where."""
    head, x = draw(family, d, seed)
    begin = 0.0
    for length in STRETCHES:
        steps = round(length / STEP)
        t = np.linspace(0.0, length, steps + 1)
        x = flow.solve_ensemble(x[None], head, t).x[-1, 0]
        begin += length
        speed = np.linalg.norm(attention.velocity(x, head), axis=1).max()
        if speed < STILL:
            break
    top = top_of(head.V[0])
    v = None if top.basis is None else top.basis[:, 0]
    score = float("nan") if v is None else float(v @ head.B[0] @ v)
    count = int(metastability.clusters(x, RADIUS).max()) + 1
    end = _end(x, head, float(speed), count)
    least = float(np.linalg.eigvalsh((head.B[0] + head.B[0].T) / 2)[0])
    return System(
        family,
        d,
        seed,
        v is not None,
        score,
        top.value,
        top.gap,
        least,
        end,
        count,
        float(speed),
        begin,
    )


def _end(x: Float[np.ndarray, "n d"], head: Heads, speed: float, count: int) -> str:
    V, B = head.V[0], head.B[0]
    top = top_of(V)
    if top.basis is not None and _on(x, top.basis[:, 0]):
        return DOMINANT
    values, vectors = np.linalg.eig(V)
    largest = int(np.abs(values).argmax())
    if values[largest].imag == 0 and _on(x, vectors[:, largest].real):
        return MAGNITUDE
    if speed >= STILL:
        return MOVING
    others = [vectors[:, k].real for k in range(len(values)) if values[k].imag == 0]
    if any(_on(x, v) for v in others):
        return OTHER
    score = np.einsum("nd,de,ne->n", x, B, x)
    if count == 2 and _on(x, x[0]) and np.abs(score).max() < NEAR:
        return RESTING
    return CLUSTERS


def _on(x: Float[np.ndarray, "n d"], v: Float[np.ndarray, " d"]) -> bool:
    """Whether every token is near v or -v."""
    inside = np.abs(x @ v) / np.linalg.norm(v)
    return bool(np.arccos(np.clip(inside.min(), 0, 1)) < NEAR)


def study(systems: int, family: str, d: int) -> list[System]:
    """The systems of seeds 0, 1, ..., one after the other."""
    return [run(family, d, k) for k in range(_check.count(systems, "systems"))]


def stored(systems: Iterable[System]) -> dict[str, Any]:
    """Systems as rows of plain numbers, and the names of their columns."""
    rows = [list(asdict(s).values()) for s in systems]
    columns = list(System.__dataclass_fields__)
    short = [[_short(v) for v in row] for row in rows]
    return {"columns": columns, "rows": short}


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}") if np.isfinite(value) else None
    return value


def from_stored(found: Mapping[str, Any]) -> list[System]:
    """Systems from the dictionary of ``stored``."""
    rows = [dict(zip(found["columns"], row)) for row in found["rows"]]
    for row in rows:
        row["score"] = float("nan") if row["score"] is None else row["score"]
    return [System(**row) for row in rows]


def counts(systems: Iterable[System]) -> dict[str, dict[str, int]]:
    """How many systems of each kind come to each end."""
    found = list(systems)
    pairs = Counter((s.kind, s.end) for s in found)
    seen = [kind for kind in KINDS if any(s.kind == kind for s in found)]
    return {kind: {end: pairs[kind, end] for end in ENDS} for kind in seen}


def exceptions(systems: Iterable[System]) -> list[System]:
    """Systems with a positive dominant eigenvalue and a positive score, where a pair of
    clusters at ±v is stable as Conjecture 1 has it, that end elsewhere all the same.

    Most have a second stable end: the *lowest* eigenvector of V if <x, Bx> < 0 there
    (it is then often the largest in magnitude), or a pair at rest.
    """
    return [s for s in systems if s.kind in (WITH, DEFINITE) and s.end != DOMINANT]
