"""How time is taken: one core, CPU time, in turns, medians.

Ours and the peers take turns, so that other work on the machine meets all alike; what
counts is the ratio of medians, never a number of milliseconds by itself.  A turn is one
call, or as many as fill TURN: a flow asks for hundreds of velocities in a row, and the
first of them pays for what somebody else has left in the cache.
"""

import math
import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

OURS = "tfdynlib"
ROUNDS = 9  # at least; calls of more than LONG seconds take FEW
FEW = 3
LONG = 0.05
TURN = 0.005  # seconds
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
# Users do not set these; they change which kernels OpenBLAS takes.
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
# A processor without AVX-512 for all but KeOps, which compiles for the one there is.
# NumPy's exp of doubles is five times slower there: it changes who is how far behind.
AVX2 = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Haswell",
    "NUMBA_CPU_NAME": "haswell",
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
}


def one_core(avx2: bool = False) -> None:
    """This process on one core with one thread; to be called before any import.

    ``avx2`` makes it run as on a processor without wider instructions.
    """
    os.environ.update(dict.fromkeys(THREADS, "1"))
    os.environ.update(
        JAX_PLATFORMS="cpu",
        JAX_ENABLE_X64="1",
        PYKEOPS_VERBOSE="0",
        XLA_FLAGS="--xla_cpu_multi_thread_eigen=false",
    )
    for name in UNSET:
        os.environ.pop(name, None)
    if avx2:
        os.environ.update(AVX2)
        os.environ["XLA_FLAGS"] += " --xla_cpu_max_isa=AVX2"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@dataclass(frozen=True)
class Timing:
    """CPU seconds of the calls of one method."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


@dataclass(frozen=True)
class Row:
    """One method in one case: what it cost (ms), and how wrong it was."""

    method: str
    median: float
    least: float
    most: float
    rounds: int
    error: float
    allowed: float
    evaluations: int | None = None  # of the field, for an integrator

    @property
    def right(self) -> bool:
        """Whether the error is below the threshold; not so if it is no number."""
        return self.error <= self.allowed


@dataclass(frozen=True)
class Claim:
    """A number that the package should reach."""

    what: str
    value: float
    bound: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        beyond = self.value - self.bound
        return beyond >= 0 if self.at_least else beyond <= 0


@dataclass(frozen=True)
class Outcome:
    """What one case found.  ``series`` are curves for the page: a name, x and y."""

    title: str
    rows: list[Row] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    series: list[dict[str, Any]] = field(default_factory=list)


def clock(call: Callable[[], Any], times: int = 1) -> float:
    """CPU seconds of this process that a call takes, the mean of some."""
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def take_turns(
    calls: Mapping[str, Callable[[], Any]], rounds: int = ROUNDS
) -> dict[str, Timing]:
    """The methods in turns; a long one sits out the later rounds.

    Each is to have been called before, so that nothing compiles here.
    """
    first = {name: clock(call) for name, call in calls.items()}
    times = {n: max(1, math.ceil(TURN / max(first[n], 1e-6))) for n in calls}
    # One long call is a turn already.
    taken = {name: [first[name]] if times[name] == 1 else [] for name in calls}
    wanted = {name: FEW if first[name] > LONG else rounds for name in calls}
    for k in range(max(wanted.values())):
        for name, call in calls.items():
            if len(taken[name]) < min(k + 1, wanted[name]):
                taken[name].append(clock(call, times[name]))
    return {name: Timing(tuple(seconds)) for name, seconds in taken.items()}


def row(
    method: str,
    timing: Timing,
    error: float,
    allowed: float,
    evaluations: int | None = None,
) -> Row:
    """The line of a method in a table."""
    ms = [1e3 * s for s in timing.seconds]
    span = (1e3 * timing.median, min(ms), max(ms), len(ms))
    return Row(method, *span, float(error), allowed, evaluations)


def ratios(rows: list[Row], targets: Mapping[str, float]) -> list[Claim]:
    """Median of each peer over ours, against its target; peers not measured drop out.

    Raises ``ValueError`` if ours was not measured.
    """
    medians = {r.method: r.median for r in rows}
    if OURS not in medians:
        raise ValueError(f"rows must be with one for {OURS!r}, got {list(medians)}")
    return [
        Claim(f"{peer} / {OURS}", medians[peer] / medians[OURS], bound)
        for peer, bound in targets.items()
        if peer in medians
    ]
