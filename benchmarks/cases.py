"""The cases: one function for each line of the table of targets, and two for curves.

Each takes ``short`` (fewer sizes, a few minutes in all) and returns an ``Outcome``.
Tokens are uniform on the sphere from a fixed seed; B = V = I unless said otherwise.
"""

import math
import resource
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks import peers, phases, protocol
from benchmarks.protocol import OURS, Claim, Outcome, Row
from tfdynlib import attention, flow, measure, sphere
from tfdynlib.summation import fourier, harmonic
from tfdynlib.weights import Heads

# Errors allowed, on velocities of size 1.
EXACT = 1e-12  # rounding of sums of n terms, exponents up to 64
FAST = 1e-9  # of methods asked for TOL; the rest is room for their certificate
TOL = 1e-10
SINGLE = 1e-5

EVERYONE = tuple(peers.VELOCITIES)


def tokens(n: int, d: int, seed: int = 0) -> np.ndarray:
    """n tokens, uniform on the sphere."""
    return sphere.uniform(n, d, np.random.default_rng(seed))


def identity(d: int, beta: float) -> Heads:
    """The head of the scripts: B = V = I."""
    return Heads(np.eye(d), np.eye(d), beta)


def made(
    makers: Mapping[str, Callable[..., Any]], *arguments: Any
) -> tuple[dict[str, Callable[..., Any]], dict[str, str]]:
    """The peers that can be made, and why the others cannot."""
    calls: dict[str, Callable[..., Any]] = {}
    skipped: dict[str, str] = {}
    for name, make in makers.items():
        try:
            calls[name] = make(*arguments)
        except peers.Unavailable as reason:
            skipped[name] = str(reason)
    return calls, skipped


def measured(
    calls: Mapping[str, Callable[[], Any]],
    wanted: Any,
    allowed: dict[str, float],
) -> list[Row]:
    """Every call's error against ``wanted``, and what it costs, in turns."""
    errors = {
        name: float(np.max(np.abs(np.asarray(call()) - wanted)))
        for name, call in calls.items()
    }
    taken = protocol.take_turns(calls)
    return [
        protocol.row(name, taken[name], errors[name], allowed.get(name, EXACT))
        for name in calls
    ]


def velocities(
    title: str,
    n: int,
    d: int,
    beta: float,
    method: str,
    targets: Mapping[str, float],
    others: Iterable[str] = EVERYONE,
    allowed: float = EXACT,
) -> Outcome:
    """One velocity of n tokens: ours by ``method``, and the peers."""
    x, heads = tokens(n, d), identity(d, beta)
    weights = (x, heads.B[0], heads.V[0], beta)
    makers = {name: peers.VELOCITIES[name] for name in others}
    calls, skipped = made(makers, *weights)
    ours = {OURS: lambda: attention.velocity(x, heads, method=method, tol=TOL)}
    rows = measured(ours | calls, peers.reference(*weights), {OURS: allowed})
    return Outcome(title, rows, protocol.ratios(rows, targets), skipped)


# --- exact sums -----------------------------------------------------------------------

SYMMETRIC = {
    "torch SDPA": 4,
    "jax jit": 8,
    "numpy blocked": 8,
    "pykeops": 8,
    "scripts": 25,
}


def exact_circle(short: bool) -> Outcome:
    title = "Exact sums, d = 2, N = 4096, beta = 4"
    return velocities(title, 4096, 2, 4.0, "compiled", SYMMETRIC)


def exact_sphere(short: bool) -> Outcome:
    title = "Exact sums, d = 3, N = 4096, beta = 4"
    return velocities(title, 4096, 3, 4.0, "compiled", SYMMETRIC)


def exact_large(short: bool) -> Outcome:
    n = 8192 if short else 16384
    title = f"Exact sums, d = 3, N = {n}, beta = 4"
    # Those who write the matrix down take gigabytes and minutes; one of them is enough.
    return velocities(title, n, 3, 4.0, "compiled", SYMMETRIC, SYMMETRIC)


def exact_small(short: bool) -> Outcome:
    targets = {"torch SDPA": 4, "jax jit": 3}
    title = "Exact sums, d = 3, N = 1024, beta = 4"
    return velocities(title, 1024, 3, 4.0, "compiled", targets)


def many_dimensions(short: bool) -> Outcome:
    targets = {"torch SDPA": 1.2, "jax jit": 1.5}
    title = "Exact sums, d = 16, N = 4096, beta = 4"
    return velocities(title, 4096, 16, 4.0, "auto", targets)


def more_dimensions(short: bool) -> Outcome:
    targets = {"torch SDPA": 1.2, "jax jit": 1.5}
    title = "Exact sums, d = 32, N = 4096, beta = 4"
    return velocities(title, 4096, 32, 4.0, "auto", targets, targets)


def most_dimensions(short: bool) -> Outcome:
    targets = {"torch SDPA": 1.2, "jax jit": 1.5}
    title = "Exact sums, d = 64, N = 4096, beta = 4"
    return velocities(title, 4096, 64, 4.0, "auto", targets)


def singles(d: int) -> Outcome:
    """A float32 tensor of torch comes in: ours is to cost what torch's own costs."""
    torch = peers._torch()
    n, beta = 4096, 4.0
    x, heads = tokens(n, d), identity(d, beta)
    single = torch.tensor(x, dtype=torch.float32)
    eye = torch.eye(d)
    attend = torch.nn.functional.scaled_dot_product_attention
    key = single[None, None]

    def sdpa() -> Any:
        mean = attend(beta * (single @ eye)[None, None], key, key, scale=1.0)
        return peers.tangent(single, mean[0, 0] @ eye)

    calls = {OURS: lambda: attention.velocity(single, heads), "torch SDPA": sdpa}
    wanted = peers.reference(x, heads.B[0], heads.V[0], beta)
    rows = measured(calls, wanted, dict.fromkeys(calls, SINGLE))
    title = f"Exact sums, float32, torch tensors, d = {d}, N = {n}, beta = 4"
    return Outcome(title, rows, protocol.ratios(rows, {"torch SDPA": 0.8}))


def single_precision(short: bool) -> Outcome:
    return singles(64)


def single_precision_few(short: bool) -> Outcome:
    return singles(16)


# --- fast sums ------------------------------------------------------------------------


def fast_circle(short: bool) -> Outcome:
    """Against the best of the exact peers, whichever it is here."""
    others = ("torch SDPA", "jax jit", "pykeops", "numpy blocked")
    title = "Circle, N = 10000, beta = 4"
    found = velocities(title, 10_000, 2, 4.0, "auto", {}, others, FAST)
    best = min((r for r in found.rows if r.method != OURS), key=lambda r: r.median)
    (claim,) = protocol.ratios(found.rows, {best.method: 150})
    claim = replace(claim, what=f"best exact peer / {OURS}")
    return Outcome(title, found.rows, [claim], found.skipped)


def fast_sphere(short: bool) -> Outcome:
    title = "Sphere, N = 16384, beta = 4"
    targets = {"torch SDPA": 80, "jax jit": 200}
    return velocities(title, 16384, 3, 4.0, "auto", targets, targets, FAST)


def fast_sphere_cold(short: bool) -> Outcome:
    title = "Sphere, N = 16384, beta = 64"
    targets = {"torch SDPA": 80, "jax jit": 200}
    return velocities(title, 16384, 3, 64.0, "auto", targets, targets, FAST)


def million(d: int, where: str, seconds: float) -> Outcome:
    """10^4 to 10^6 tokens, ours alone: time, growth and memory of the process."""
    heads, rows = identity(d, 4.0), []
    for n in (10**4, 10**5, 10**6):
        x = tokens(n, d)
        call = partial(attention.velocity, x, heads, tol=TOL)
        some = np.linspace(0, n - 1, 50).astype(int)
        wanted = peers.reference(x, heads.B[0], heads.V[0], 4.0, at=x[some])
        error = np.abs(call()[some] - wanted).max()
        taken = protocol.take_turns({OURS: call})[OURS]
        rows.append(protocol.row(f"{OURS}, N = {n}", taken, error, FAST))
    growth = math.log(rows[-1].median / rows[0].median) / math.log(100)
    unit = 2**30 if sys.platform == "darwin" else 2**20  # bytes there, kilobytes here
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    claims = [
        Claim("seconds at N = 10^6", rows[-1].median / 1e3, seconds, at_least=False),
        Claim("exponent of growth", growth, 1.1, at_least=False),
        Claim("peak memory, GiB", memory, 1.5, at_least=False),
    ]
    return Outcome(f"{where}, a million tokens, beta = 4", rows, claims)


def million_circle(short: bool) -> Outcome:
    return million(2, "Circle", 0.5)


def million_sphere(short: bool) -> Outcome:
    return million(3, "Sphere", 1.5)


# --- without the optional packages ----------------------------------------------------


def numpy_sphere(short: bool) -> Outcome:
    targets = {"numpy blocked": 5}
    title = "NumPy and SciPy alone: sphere, N = 4096, beta = 4"
    return velocities(title, 4096, 3, 4.0, "auto", targets, targets, FAST)


def numpy_exact(short: bool) -> Outcome:
    targets = {"scripts": 3.5}
    title = "NumPy and SciPy alone: exact sums, d = 3, N = 4096, beta = 4"
    return velocities(title, 4096, 3, 4.0, "dense", targets, targets)


def numpy_exact_small(short: bool) -> Outcome:
    targets = {"scripts": 1.5}
    title = "NumPy and SciPy alone: exact sums, d = 3, N = 1024, beta = 4"
    return velocities(title, 1024, 3, 4.0, "dense", targets, targets)


# --- ensembles, trajectories, distances -----------------------------------------------


def ensembles(short: bool) -> Outcome:
    """Explicit Euler, 50 steps of 0.1, for 256 systems of 32 tokens."""
    replicas, n, beta, h, steps = 256, 32, 4.0, 0.1, 50
    x0 = tokens(replicas * n, 3).reshape(replicas, n, 3)
    calls, skipped = made(peers.ENSEMBLES, x0, beta, h, steps)
    heads, t = identity(3, beta), h * np.arange(steps + 1)

    def ours() -> np.ndarray:
        return flow.solve_ensemble(x0, heads, t, method="euler").x[-1]

    wanted = np.asarray(calls["scripts"]())
    # Clustering pulls tokens together: rounding does not grow by much.
    allowed = dict.fromkeys([OURS, *calls], 1e-10)
    rows = measured({OURS: ours} | calls, wanted, allowed)
    claims = protocol.ratios(rows, {"torch bmm": 5, "scripts": 12})
    title = f"Ensembles: {replicas} systems of {n} tokens, {steps} Euler steps"
    return Outcome(title, rows, claims, skipped)


LADDER = [10 ** (-k / 8) for k in range(24, 81)]  # tolerances from 1e-3 to 1e-10
GOAL = 1e-6


@dataclass(frozen=True)
class Rung:
    """The loosest tolerance that brings every token within GOAL, and what it costs."""

    rtol: float
    evaluations: int
    error: float


def climb(
    solve: Callable[[float], tuple[np.ndarray, int]], wanted: np.ndarray
) -> Rung | None:
    """The first tolerance of the ladder that is enough, if one is."""
    for rtol in LADDER:
        x, evaluations = solve(rtol)
        error = float(np.linalg.norm(x - wanted, axis=1).max())
        if error <= GOAL:
            return Rung(rtol, evaluations, error)
    return None


def trajectory(beta: float) -> Outcome:
    """512 tokens of the sphere until T = 10, every token to 1e-6."""
    x0, t_end, heads = tokens(512, 3), 10.0, identity(3, beta)
    eye, field = np.eye(3), attention.field(identity(3, beta))

    def exact(s: float, x: np.ndarray) -> np.ndarray:
        return peers.reference(x, eye, eye, beta)

    wanted, _ = peers.scipy_ivp(exact, x0, t_end, "DOP853", 1e-12)

    def ours(method: str) -> Callable[[float], tuple[np.ndarray, int]]:
        def solve(rtol: float) -> tuple[np.ndarray, int]:
            end = flow.solve(field, x0, [0, t_end], method, rtol=rtol, atol=rtol)
            return end.x[-1], end.n_evaluations

        return solve

    def scipy(method: str) -> Callable[[float], tuple[np.ndarray, int]]:
        return lambda rtol: peers.scipy_ivp(field, x0, t_end, method, rtol)

    solvers: dict[str, Callable[..., tuple[np.ndarray, int]]] = {
        OURS: ours("dopri5"),
        f"{OURS} dop853": ours("dop853"),
        "solve_ivp RK45": scipy("RK45"),
        "solve_ivp DOP853": scipy("DOP853"),
    }
    diffrax, skipped = made({"diffrax Dopri5": peers.diffrax_dopri5}, x0, beta, t_end)
    solvers |= diffrax
    rungs = {name: climb(f, wanted) for name, f in solvers.items()}
    reached = {name: rung for name, rung in rungs.items() if rung}
    skipped |= {name: f"never within {GOAL:g}" for name in rungs if name not in reached}
    calls = {name: partial(solvers[name], rung.rtol) for name, rung in reached.items()}
    taken = protocol.take_turns(calls)
    rows = [
        protocol.row(name, taken[name], r.error, GOAL, r.evaluations)
        for name, r in reached.items()
    ]
    claims = []
    if OURS in reached:
        count = reached[OURS].evaluations
        claims = [Claim("evaluations to 1e-6", count, 220, at_least=False)]
        # The order for tight tolerances may be the one to take against Euler's.
        best = min(
            (n for n in reached if OURS in n), key=lambda n: reached[n].evaluations
        )
        euler = euler_evaluations(x0, beta, t_end, wanted)
        gain = euler / reached[best].evaluations
        claims += [Claim(f"scripts' Euler / evaluations of {best}", gain, 1e4)]
    title = f"Trajectory: {len(x0)} tokens until T = 10, to 1e-6, beta = {heads.beta:g}"
    return Outcome(title, rows, claims, skipped)


def euler_evaluations(
    x0: np.ndarray, beta: float, t_end: float, wanted: np.ndarray
) -> float:
    """Steps that the scripts' Euler loop would need: its error falls like 1 / steps."""
    steps = 1000
    x = peers.euler_scripts(x0[None], beta, t_end / steps, steps)()[0]
    return steps * float(np.linalg.norm(x - wanted, axis=1).max()) / GOAL


def trajectory_warm(short: bool) -> Outcome:
    return trajectory(4.0)


def trajectory_cold(short: bool) -> Outcome:
    return trajectory(64.0)


def circle_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Distance of equal atoms on the circle by trying every cyclic shift."""
    n, a, b = len(a), np.sort(a), np.sort(b)
    lifted = np.concatenate([b + 2 * np.pi * k for k in (-1, 0, 1)])
    costs = [np.mean((a - lifted[s : s + n]) ** 2) for s in range(2 * n + 1)]
    return float(min(costs)) ** 0.5


def distances(n: int, others: Iterable[str], targets: Mapping[str, float]) -> Outcome:
    """W2 of two clouds of n equal atoms on the circle, for the length of arcs."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0, 2 * np.pi, n), rng.vonmises(1.0, 2.0, n) % (2 * np.pi)
    mu, nu = (measure.Measure(np.stack([np.cos(t), np.sin(t)], 1)) for t in (a, b))
    makers = {name: peers.DISTANCES[name] for name in others}
    calls, skipped = made(makers, a, b)
    ours = {OURS: lambda: measure.wasserstein2(mu, nu, ground="geodesic")}
    # POT's search stops at 1e-6 of the circle; the entropic plan is off by its blur.
    allowed = {OURS: 1e-9, "POT emd2": 1e-9, "POT circle": 1e-4, "ott sinkhorn": 0.1}
    rows = measured(ours | calls, circle_distance(a, b), allowed)
    claims = protocol.ratios(rows, targets)
    return Outcome(f"W2 on the circle, N = {n}", rows, claims, skipped)


def distance(short: bool) -> Outcome:
    return distances(1000, peers.DISTANCES, {"POT circle": 20})


def distance_large(short: bool) -> Outcome:
    return distances(10_000, ["POT circle"], {"POT circle": 20})


# --- curves ---------------------------------------------------------------------------

SCALING = [("dense", 3), ("compiled", 3), ("fourier", 2), ("harmonic", 3)]


def scaling(short: bool) -> Outcome:
    """Milliseconds against N for each method, up to 10^6 or to what is affordable."""
    longest = 0.7 if short else 7.0
    curves = []
    for method, d in SCALING:
        heads = identity(d, 4.0)
        sizes, ms = [], []
        for k in range(6, 13):
            n = round(10 ** (k / 2))
            x = tokens(n, d)
            call = partial(attention.velocity, x, heads, method=method, tol=TOL)
            call()
            taken = protocol.take_turns({OURS: call}, 5)[OURS]
            sizes.append(n)
            ms.append(1e3 * taken.median)
            if taken.median > longest:  # the next is three times to ten times as long
                break
        name = {"method": method, "d": d, "beta": 4.0}
        curves.append({"name": name, "x": "N", "y": "ms", "points": [sizes, ms]})
    return Outcome("Time against N", series=curves)


def truncation(short: bool) -> Outcome:
    """Largest error of the fast methods, and the degree they stop at, against the
    tolerance they are asked for."""
    asked, curves = [10.0**-k for k in range(2, 15)], []
    for method, d in (("fourier", 2), ("harmonic", 3)):
        for beta in (4.0, 64.0):
            x, heads = tokens(2000, d), identity(d, beta)
            wanted = peers.reference(x, heads.B[0], heads.V[0], beta)
            found, degrees = [], []
            for tol in asked:
                v = attention.velocity(x, heads, method=method, tol=tol)
                found.append(float(np.abs(v - wanted).max()))
                degrees.append(degree(method, beta, tol))
            name = {"method": method, "d": d, "beta": beta}
            curve = {"name": name, "x": "tol", "y": "error", "points": [asked, found]}
            curves.append(curve | {"degrees": degrees})
    return Outcome("Error against the tolerance asked for", series=curves)


def degree(method: str, r: float, tol: float) -> int:
    """The degree at which a fast method cuts its series, for queries of length r."""
    if method == "fourier":
        return fourier.modes(r, fourier.accuracy(tol))
    return harmonic.degree(r, harmonic.accuracy(tol))


@dataclass(frozen=True)
class Case:
    """A function, and the packages it is to do without."""

    run: Callable[[bool], Outcome]
    hide: tuple[str, ...] = ()


EXTRAS = ("numba", "finufft", "ducc0")
CASES: dict[str, Case] = {
    f.__name__: Case(f)
    for f in (
        *(exact_small, exact_circle, exact_sphere, exact_large),
        *(many_dimensions, more_dimensions, most_dimensions),
        *(single_precision, single_precision_few),
        *(fast_circle, fast_sphere, fast_sphere_cold, million_circle, million_sphere),
        *(ensembles, trajectory_warm, trajectory_cold, distance, distance_large),
        *(phases.phase_diagram, phases.phase_blow_up, phases.phase_jax),
        *(scaling, truncation),
    )
} | {
    f.__name__: Case(f, EXTRAS) for f in (numpy_sphere, numpy_exact, numpy_exact_small)
}
