"""The three phases at sizes where the cloud is a continuum: W2 to the limit in time."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import _check, attention, flow, metastability, sphere
from tfdynlib.low_temperature import cells
from tfdynlib.measure import Measure
from tfdynlib.metastability import Fit, Limit, Phases
from tfdynlib.metastability.phases import alignment
from tfdynlib.weights import Heads

Curve = Float[np.ndarray, " m"]

# Matrices of the presets, and what the start of each is.
SYSTEMS = ("exit2d", "cold2d", "commuting3d")
EVERY, LAST = 0.1, 16.0
# Asked of what a token sees, and of the steps.
TOL, RTOL = {2: 1e-10, 3: 1e-5}, {2: 1e-8, 3: 1e-4}
THRESHOLD = 0.2
# How sums were made, beside the method.
NOTES = {2: "", 3: "once the cloud is together its sums are taken over cells"}


@dataclass(frozen=True)
class Case:
    """One run: which matrices, how many tokens, and beta."""

    system: str
    n: int
    beta: float

    def __post_init__(self) -> None:
        _check.one_of(self.system, SYSTEMS, "system")
        _check.count(self.n, "n", 8)
        _check.positive(self.beta, "beta")


def heads(system: str, beta: float) -> Heads:
    """The head of a system: B, V, with M = V B diagonal and V's favourite elsewhere."""
    _check.one_of(system, SYSTEMS, "system")
    if system == "exit2d":
        return Heads(np.diag([2.0, 0.5]), np.diag([1.0, 2.0]), beta)
    if system == "cold2d":
        V = np.array([[1.0, 0.5], [0.0, 1.8]])
        return Heads(np.linalg.inv(V) @ np.diag([2.0, 1.0]), V, beta)
    return Heads(np.diag([2.0, 0.5, 1.0]), np.diag([1.0, 2.0, 0.5]), beta)


def start(system: str, n: int) -> Measure:
    """The start: on the circle n angles, skewed (exit2d) or turned (cold2d); on the
    two-sphere quadrature nodes, about n, with the density 1 + <x, a>/2 for an axis a
    that is none of the matrices'."""
    if _check.one_of(system, SYSTEMS, "system") == "exit2d":
        return Measure(metastability.circle(n, skew=0.4))
    if system == "cold2d":
        return Measure(metastability.circle(n, turn=0.1))
    rows = int(np.ceil(np.sqrt(n / 2)))
    # Nodes are turned, so that the poles of the grid are no poles of the flow.
    nodes = sphere.quadrature(3, rows)
    turn = np.linalg.qr(np.array([[1.0, 2, 3], [2, -1, 1], [1, 1, -2]]))[0]
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
    moved = Measure(sphere.retract(nodes.x @ turn.T), nodes.mass)
    return metastability.weighted(moved, lambda x: 1 + 0.5 * (x @ axis))


@dataclass(frozen=True, repr=False)
class Run:
    """W2 to the limit of one case, and what it says.

    Attributes
    ----------
    case, n, d
        What was run; the number of tokens it came to, and the dimension.
    method, status, seconds
        How its sums were made, how it ended, and the CPU time.
    t, distance, alignment
        Times, chordal W2 to the projection of the start, part in V's dominant space.
    concentrated, least, exit, terminal
        See ``metastability.Phases``.
    """

    case: Case
    n: int
    d: int
    method: str
    status: str
    seconds: float
    t: Float[np.ndarray, " m"]
    distance: Float[np.ndarray, " m"]
    alignment: Float[np.ndarray, " m"]
    concentrated: float
    least: float
    exit: float
    terminal: float
    note: str = field(default="")

    @property
    def shown(self) -> Float[np.ndarray, " m"]:
        """The distance up to the end, nan after it: what a drawing needs."""
        return np.where(self.t <= self.terminal, self.distance, np.nan)

    def stored(self) -> dict[str, Any]:
        """This run as a dictionary of plain numbers; an event that does not happen is
        None."""
        out = {k: v for k, v in asdict(self).items() if k != "case"} | asdict(self.case)
        out["tokens"], out["n"] = self.n, self.case.n
        for name in ("t", "distance", "alignment"):
            out[name] = [float(f"{v:.6g}") for v in getattr(self, name)]
        for name in ("concentrated", "least", "exit", "terminal"):
            value = getattr(self, name)
            out[name] = float(f"{value:.9g}") if np.isfinite(value) else None
        return out

    def __repr__(self) -> str:
        return (
            f"Run({self.case.system}, n={self.n}, beta={self.case.beta:g}: W2 least "
            f"{self.least:.4g} at {self.concentrated:.3g}, exit {self.exit:.4g}, "
            f"terminal {self.terminal:.4g}; {self.seconds:.0f} s)"
        )


def from_stored(found: Mapping[str, Any]) -> Run:
    """A run from the dictionary of ``Run.stored``."""
    case = Case(found["system"], found["n"], found["beta"])
    values: dict[str, Any] = {
        k: np.array(found[k], float) for k in ("t", "distance", "alignment")
    }
    for k in ("concentrated", "least", "exit", "terminal"):
        values[k] = float("inf") if found[k] is None else float(found[k])
    for k in ("d", "method", "status", "seconds", "note"):
        values[k] = found[k]
    return Run(case=case, n=found["tokens"], **values)


def run(case: Case) -> Run:
    """Solve one case and measure it at every tenth of layer-time up to 16."""
    _check.instance(case, Case, "case", "a Case")
    mu, head = start(case.system, case.n), heads(case.system, case.beta)
    began, how = time.process_time(), attention.explain(len(mu.x), head).method
    t, distance, there, status = _curves(mu, head, how)
    phases = Phases.of_curves(t, distance, there, THRESHOLD)
    return Run(
        case,
        len(mu.x),
        head.d,
        how,
        status,
        round(time.process_time() - began, 1),
        t,
        distance,
        there,
        phases.concentrated,
        phases.least,
        phases.exit,
        phases.terminal,
        NOTES[head.d],
    )


def _curves(mu: Measure, head: Heads, how: str) -> tuple[Curve, Curve, Curve, str]:
    """Times, distances, alignments and how it ended; one layer-time of tokens is held
    at once."""
    d, limit = head.d, Limit.of(head)
    plain = attention.field(head, mu.mass, method=how, tol=TOL[d])
    cold = cells.Field(plain) if d == 3 else plain
    t = np.arange(round(LAST / EVERY) + 1) * EVERY
    size = round(1 / EVERY)
    found, x, status = [measured(mu.x[None], mu, limit, head)], mu.x, "done"
    for k in range(0, len(t) - 1, size):
        part = t[k : k + size + 1]
        out = flow.solve(cold, x, part, rtol=RTOL[d], atol=RTOL[d] / 100)
        found.append(measured(out.x[1:], mu, limit, head))
        x, status = out.x[-1], out.status
        if status != "done":
            break
    distance, there = np.concatenate(found, axis=1)
    return t[: len(distance)], distance, there, status


def measured(
    x: Float[np.ndarray, "m n d"], mu: Measure, limit: Limit, head: Heads
) -> Float[np.ndarray, "2 m"]:
    """W2 to the limit of the start mu, and alignment with V, of every state."""
    clouds = [Measure(y, mu.mass) for y in x]
    distance = [metastability.distance_to_limit(c, limit, mu) for c in clouds]
    return np.stack([np.array(distance), alignment(x, head.V[0], mu.mass)])


def marks(runs: Iterable[Run]) -> dict[float, float]:
    """When runs of one system should leave, by beta: from the exit of the warmest that
    does, ``metastability.exit_slope`` later for each e-fold of beta."""
    leave = sorted((r for r in runs if np.isfinite(r.exit)), key=lambda r: r.case.beta)
    if not leave:
        return {}
    first = leave[0]
    slope = metastability.exit_slope(heads(first.case.system, first.case.beta))
    return {
        r.case.beta: first.exit + slope * float(np.log(r.case.beta / first.case.beta))
        for r in leave
    }


def fitted(runs: Iterable[Run], system: str) -> Fit:
    """Constants C, C1, c of the bound for all runs of a system, each up to its exit.

    They are those of these curves: *fitted*, not the theorem's.
    """
    _check.one_of(system, SYSTEMS, "system")
    beta, t, distance = [], [], []
    for each in runs:
        if each.case.system == system:
            before = each.t <= each.exit
            beta.append(np.full(before.sum(), each.case.beta))
            t.append(each.t[before])
            distance.append(each.distance[before])
    if not beta:
        raise _check.refuse("runs", f"some of {system!r}", "none")
    betas, times, values = map(np.concatenate, (beta, t, distance))
    return metastability.fit_bound(betas, times, values, joint=False)
