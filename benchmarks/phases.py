"""A diagram of fates against one call of SciPy's integrator for each of its points."""

from functools import partial

import numpy as np

from benchmarks import peers, protocol
from benchmarks.protocol import OURS, Claim, Outcome
from tfdynlib import gaussian

# Both are asked for the same accuracy of a step...
RTOL = 1e-6
# ...which some dozens of steps may multiply.
ALLOWED = 1e-4
T_END = 50.0
POINTS, WHOLE = 150, 10_000


def systems(n: int) -> np.ndarray:
    """A, B, V of n random layers of the plane, (3, n, 2, 2)."""
    return np.random.default_rng(2).standard_normal((3, n, 2, 2))


def ours(layers: np.ndarray) -> np.ndarray:
    """Blow-up times, from a round cloud."""
    A, B, V = layers
    return gaussian.phase_diagram(A, B, V, np.eye(2), T_END, RTOL).blow_up_time


def gap(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest relative error of blow-up times; infinite if one is missed or made up."""
    met = np.isfinite(wanted)
    if not np.array_equal(met, np.isfinite(found)):
        return np.inf
    return float(np.abs(found[met] / wanted[met] - 1).max(initial=0.0))


def against(title: str, layers: np.ndarray, methods: dict[str, float]) -> Outcome:
    """The same points by both; what is compared is the time of all of them."""

    def others(method: str, rtol: float = RTOL) -> np.ndarray:
        points = layers.swapaxes(0, 1)
        found = [peers.blow_up_ivp(A, B, V, T_END, method, rtol) for A, B, V in points]
        return np.array(found)

    calls = {OURS: partial(ours, layers)}
    calls |= {f"solve_ivp {m}": partial(others, m) for m in methods}
    wanted = others("LSODA", 1e-11)
    errors = {name: gap(call(), wanted) for name, call in calls.items()}
    taken = protocol.take_turns(calls)
    rows = [protocol.row(n, taken[n], errors[n], ALLOWED) for n in calls]
    targets = {f"solve_ivp {m}": bound for m, bound in methods.items()}
    return Outcome(title, rows, protocol.ratios(rows, targets))


def phase_diagram(short: bool) -> Outcome:
    """Random layers of all fates; LSODA, as explicit methods do not end where large
    clouds are stiff."""
    title = f"Fates of {POINTS} random layers of the plane until t = {T_END:g}"
    found = against(title, systems(POINTS), {"LSODA": 1000})
    whole = systems(WHOLE)
    seconds = protocol.take_turns({OURS: partial(ours, whole)}, 3)[OURS].median
    claim = Claim(f"seconds for {WHOLE} layers", seconds, 1.0, at_least=False)
    return Outcome(found.title, found.rows, [*found.claims, claim])


def phase_blow_up(short: bool) -> Outcome:
    """Those of them that blow up: no point is stiff, and the default can be asked."""
    layers = systems(POINTS)
    met = layers[:, np.isfinite(ours(layers))]
    title = f"Blow-up times of {met.shape[1]} random layers of the plane"
    return against(title, met, {"RK45": 1000, "LSODA": 1000})
