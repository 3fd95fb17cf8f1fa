"""A diagram of fates against one call of SciPy's integrator for each of its points.

Times are of one point: a diagram's over the number of its points, and SciPy's over the
number of those that it was asked for.
"""

from functools import partial

import numpy as np

from benchmarks import peers, protocol
from benchmarks.protocol import OURS, Claim, Outcome, Timing
from tfdynlib import gaussian

# Both are asked for the same accuracy of a step...
RTOL = 1e-6
# ...which some dozens of steps may multiply.
ALLOWED = 1e-4
T_END = 50.0
# Points of a diagram, and how many of them SciPy is asked for.
POINTS, SOME = 10_000, 50
TARGET = 1000
# Points that diffrax follows at once.
BATCH, DIFFRAX = 1000, "diffrax Dopri5"


def systems() -> np.ndarray:
    """A, B, V of random layers of the plane, (3, POINTS, 2, 2)."""
    return np.random.default_rng(2).standard_normal((3, POINTS, 2, 2))


def ours(layers: np.ndarray) -> np.ndarray:
    """Blow-up times, from a round cloud."""
    A, B, V = layers
    return gaussian.phase_diagram(A, B, V, np.eye(2), T_END, RTOL).blow_up_time


def theirs(layers: np.ndarray, method: str, rtol: float = RTOL) -> np.ndarray:
    """The same, one point after the other."""
    points = layers.swapaxes(0, 1)
    found = [peers.blow_up_ivp(A, B, V, T_END, method, rtol) for A, B, V in points]
    return np.array(found)


def gap(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest relative error of blow-up times; infinite if one is missed or made up.
    What was given up (nan) is left out."""
    known = ~np.isnan(found)
    found, wanted = found[known], wanted[known]
    met = np.isfinite(wanted)
    if not np.array_equal(met, np.isfinite(found)):
        return np.inf
    return float(np.abs(found[met] / wanted[met] - 1).max(initial=0.0))


def each(timing: Timing, n: int) -> Timing:
    """The time of one point of n."""
    return Timing(tuple(seconds / n for seconds in timing.seconds))


def against(title: str, layers: np.ndarray, methods: tuple[str, ...]) -> Outcome:
    """The first points by all methods, and a whole diagram by ours."""
    some = layers[:, :SOME]
    wanted = theirs(some, "LSODA", 1e-11)
    names = {f"solve_ivp {method}": method for method in methods}
    errors = {OURS: gap(ours(layers)[:SOME], wanted)}
    errors |= {name: gap(theirs(some, m), wanted) for name, m in names.items()}
    calls = {OURS: partial(ours, layers)}
    calls |= {name: partial(theirs, some, m) for name, m in names.items()}
    taken = protocol.take_turns(calls)
    sizes = {name: some.shape[1] for name in names} | {OURS: layers.shape[1]}
    rows = [
        protocol.row(name, each(taken[name], sizes[name]), errors[name], ALLOWED)
        for name in calls
    ]
    claims = protocol.ratios(rows, dict.fromkeys(names, TARGET))
    whole = taken[OURS].median
    claims += [Claim(f"seconds for {layers.shape[1]} points", whole, 1.0, False)]
    return Outcome(f"{title}, time of a point", rows, claims)


def phase_diagram(short: bool) -> Outcome:
    """Random layers of all fates.  RK45, SciPy's default, would not end where large
    clouds are stiff: there it is stopped, in its favour.  LSODA ends everywhere."""
    title = f"Fates of random layers to t = {T_END:g}"
    return against(title, systems(), ("RK45", "LSODA"))


def phase_blow_up(short: bool) -> Outcome:
    """Those of them that blow up: few are stiff."""
    return against("Blow-up times of random layers", exploding(), ("RK45", "LSODA"))


def exploding() -> np.ndarray:
    """The layers under which a round cloud blows up."""
    layers = systems()
    return layers[:, np.isfinite(ours(layers))]


def phase_jax(short: bool) -> Outcome:
    """The same layers against diffrax, which follows many at once as well."""
    layers, title = exploding(), "Blow-up times of random layers beside jax"
    some = layers[:, :BATCH]
    wanted = theirs(some[:, :SOME], "LSODA", 1e-11)
    try:
        call = peers.blow_up_jax(some, T_END, RTOL)
    except peers.Unavailable as reason:
        return Outcome(title, skipped={DIFFRAX: str(reason)})
    calls = {OURS: partial(ours, some), DIFFRAX: call}
    errors = {n: gap(np.asarray(f())[:SOME], wanted) for n, f in calls.items()}
    taken = protocol.take_turns(calls)
    rows = [
        protocol.row(name, each(taken[name], BATCH), errors[name], ALLOWED)
        for name in calls
    ]
    claims = protocol.ratios(rows, {DIFFRAX: 10})
    return Outcome(f"{title}, time of a point", rows, claims)
