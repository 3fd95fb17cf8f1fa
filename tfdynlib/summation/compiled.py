"""All pairs in loops that are compiled on first use: exact, several times ``dense``.

Up to dimension 3 one loop does all: scores, exponentials and sums of a pair never leave
the registers, and for symmetric scores of the tokens with themselves every exponential
serves two pairs.  Above that the tiles of ``dense`` are used, with an exponential that
is a polynomial in eight lanes.  All of it is accurate to rounding, whatever ``tol``.

Needs numba.  The first call compiles for a few seconds and says so once; later runs
find the result on disk.
"""

import sys
from functools import cache
from importlib.util import find_spec
from math import e, log2
from pathlib import Path
from types import ModuleType

import numpy as np
from jaxtyping import Float

from tfdynlib.summation import dense
from tfdynlib.summation._moments import (
    Masses,
    Matrix,
    Method,
    Moments,
    Queries,
    Task,
    Tokens,
)
from tfdynlib.summation.dense import Exponential, Row

# log2(e): the loops compute powers of 2.
SCALE = log2(e)
LANES = 8
# Queries, and tokens that ask themselves, come in multiples of two vectors.
STEP = 16
# Up to this dimension one loop does all; lower dimensions are padded with zeros.
FLAT = 3

Flat = Float[np.ndarray, " _"]


@cache
def loops() -> ModuleType:
    """The compiled loops over pairs; says once if they have yet to be compiled."""
    from tfdynlib.summation import _kernels

    announce(_kernels, "the sums", _kernels.direct.stats.cache_path)
    return _kernels


@cache
def replicas() -> ModuleType:
    """The compiled loops over many small systems."""
    from tfdynlib.summation import _replicas

    announce(_replicas, "the ensembles", _replicas.solve.stats.cache_path)
    return _replicas


@cache
def along() -> ModuleType:
    """The compiled loop of one system along changing heads."""
    from tfdynlib.summation import _along

    announce(_along, "a run along changing heads", _along.follow.stats.cache_path)
    return _along


@cache
def waves() -> ModuleType:
    """The compiled loops over modes of the circle."""
    from tfdynlib.summation import _circle_loop

    announce(_circle_loop, "the waves", _circle_loop.values.stats.cache_path)
    return _circle_loop


def announce(module: ModuleType, what: str, place: str | None) -> None:
    """One sentence on standard error unless the place of compiled code has some."""
    name = module.__name__.rpartition(".")[2]
    if place is None or not any(Path(place).glob(f"{name}.*.nbc")):
        note = f"tfdynlib: compiling {what}, once; kept for later runs"
        print(note, file=sys.stderr)


def _exponential(s: np.ndarray) -> None:
    """2^s for a tile."""
    flat = s.ravel()  # tiles are contiguous: no copy
    whole = len(flat) - len(flat) % LANES
    loops().exponentials(flat[:whole])
    rest = np.zeros(LANES)
    rest[: len(flat) - whole] = flat[whole:]
    if whole < len(flat):
        loops().exponentials(rest)
        flat[whole:] = rest[: len(flat) - whole]


TILE_PAIRS, TILE_SAME = dense.with_exponential(Exponential(_exponential, SCALE))


def _stride(n: int) -> int:
    """Entries kept for each coordinate: n and padding, such that the coordinates of
    one token do not compete for one place of the cache."""
    room = _room(n)
    return room if room <= 256 else room + (40 - room) % 512


def _aligned(size: int) -> Flat:
    """Zeros that start at a border of 64 bytes."""
    room = np.zeros(size + LANES)
    start = -(room.ctypes.data // room.itemsize) % LANES
    return room[start : start + size]


def _tokens(
    y: Tokens, mass: Masses, extra: int = 0
) -> tuple[int, Flat, Flat, list[Flat]]:
    """Stride, coordinates and masses of the loops, and ``extra`` arrays of zeros with
    four coordinates of the same stride."""
    (n, d), m = y.shape, _stride(len(y))
    room = _aligned((7 + 4 * extra) * m)
    parts = room.reshape(-1, m)
    parts[:d, :n] = y.T
    parts[3 : 3 + d, :n] = y.T * mass
    parts[6, :n] = mass
    more = [room[(7 + 4 * i) * m : (11 + 4 * i) * m] for i in range(extra)]
    return m, room[: 3 * m], room[3 * m : 7 * m], more


def _queries(p: Queries, shift: Row, out: Flat) -> None:
    """Queries and shifts of the loops, written into a flat array of zeros."""
    parts = out.reshape(4, -1)
    parts[: p.shape[1], : len(p)] = p.T * SCALE
    parts[3, : len(p)] = shift * -SCALE


def _answer(out: Flat, k: int, d: int) -> Float[np.ndarray, "k d1"]:
    """Sums in the layout of ``dense``."""
    return out.reshape(4, -1)[[*range(d), 3], :k].T


def pairs(p: Queries, shift: Row, y: Tokens, mass: Masses) -> Float[np.ndarray, "k d1"]:
    """Sums of e^{<p,y> - shift} (y, 1) over the measure."""
    if y.shape[1] > FLAT:
        return TILE_PAIRS(p, shift, y, mass)
    k = _room(len(p))
    asked, out = np.zeros(4 * k), np.zeros(4 * k)
    _queries(p, shift, asked)
    m, coordinates, weights, _ = _tokens(y, mass)
    loops().direct(asked, k, coordinates, weights, m, len(y), out)
    return _answer(out, len(p), y.shape[1])


def same(p: Queries, shift: Row, x: Tokens, mass: Masses) -> Float[np.ndarray, "n d1"]:
    """``pairs`` for symmetric scores of x with itself and a common shift."""
    if x.shape[1] > FLAT:
        return TILE_SAME(p, shift, x, mass)
    m, coordinates, weights, (asked, out) = _tokens(x, mass, extra=2)
    _queries(p, shift, asked)
    loops().symmetric(asked, coordinates, weights, m, _room(len(x)), out)
    return _answer(out, len(x), x.shape[1])


def _room(n: int) -> int:
    """n, or the next multiple of the step."""
    return -(-n // STEP) * STEP


def free(p: Queries, y: Tokens, mass: Masses, tol: float) -> Moments:
    """Moments for free queries."""
    return dense.safely(p, y, mass, pairs)


def sums(at: Queries, x: Tokens, K: Matrix, mass: Masses, tol: float) -> Moments:
    """Moments of one head; every exponential serves two pairs if it can."""
    symmetric = at is x and dense.is_symmetric(K)
    return dense.safely(at @ K.T, x, mass, pairs, same if symmetric else None)


def why_not(task: Task) -> str | None:
    """A sentence if numba is missing."""
    return missing()


@cache
def installed() -> bool:
    """Whether there is the package numba; it is not loaded."""
    return find_spec("numba") is not None


def missing() -> str | None:
    """What to install, if it is not."""
    if not installed():
        return (
            "numba is not installed (pip install 'tfdynlib[fast]'); "
            "'dense' gives the same without it"
        )
    return None


def cost(task: Task) -> float:
    """Seconds on one core (measured: Zen 4, AVX-512); a tenth of a millisecond stands
    for loading numba, half a second, in a run of some thousand calls."""
    halved = task.same and task.K is not None and dense.is_symmetric(task.K)
    if task.d <= FLAT:
        pair = 0.52e-9 if halved else 0.66e-9
    else:
        pair = 0.5e-9 + 0.8e-10 * task.d if halved else 0.85e-9 + 1e-10 * task.d
    return 1e-4 + task.k * task.n * pair


METHOD = Method("compiled", sums, why_not, cost, free)
