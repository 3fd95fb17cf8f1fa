"""Claims of the third paper on the end, on consensus and on size."""

from collections.abc import Callable

import numpy as np

from tfdynlib import attention, flow, metastability, sphere
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.cold_setup import B3, I3, OURS, PAPER, V3
from tfdynlib.low_temperature import ends
from tfdynlib.weights import Heads

SWITCH = Heads(np.diag([2.0, -0.5]), np.diag([1.0, 2.0]), 20.0)
SYSTEMS = 100


def _pair(rng: np.random.Generator) -> Evidence:
    """First coordinate at t = 2 of a pair, beside its reduction to one point."""
    V, B = np.array([[1.0, 0.3], [-0.2, 0.8]]), np.array([[0.9, 0.2], [0.1, 0.7]])
    heads, x = Heads(B, V, 3.0), np.array([[np.cos(0.4), np.sin(0.4)]])

    def reduced(t: float, x: np.ndarray) -> np.ndarray:
        return metastability.pair_velocity(x, heads)

    def end(field: Callable[..., np.ndarray], x: np.ndarray) -> float:
        run = flow.solve(field, x, [0.0, 2.0], rtol=1e-11, atol=1e-13)
        return float(run.x[-1, 0, 0])

    both = end(attention.field(heads), np.concatenate([x, -x]))
    return Evidence(both, end(reduced, x))


def _drift(rng: np.random.Generator) -> Evidence:
    """Speed of nine equal tokens at e_1, generic3d, beta = 20."""
    x = np.repeat(I3[:1], 9, axis=0)
    v = attention.velocity(x, Heads(B3, V3, 20.0))
    return Evidence(float(np.linalg.norm(v[0])), 0.2)


def _aligned(heads: Heads, x: np.ndarray, t: float) -> float:
    """Least |<x, v>| over tokens at time t, v the dominant eigenvector of V."""
    value, vector = np.linalg.eig(heads.V[0])
    v = vector[:, value.real.argmax()].real
    end = flow.solve(attention.field(heads), x, [0.0, t]).x[-1]
    return float(np.abs(end @ v).min())


def _terminal(rng: np.random.Generator) -> Evidence:
    x = sphere.uniform(200, 3, rng)
    found = _aligned(Heads(B3, V3, 20.0), x, 30.0)
    outside = _aligned(SWITCH, metastability.circle(200, turn=0.1), 30.0)
    return Evidence(found, 1.0, outside)


def _random(rng: np.random.Generator) -> Evidence:
    """Of random systems with a stable pair at V's dominant pole, how many end there."""
    found: list[str] = []
    while len(found) < SYSTEMS:
        seed = int(rng.integers(1_000_000, 2**31))
        if ends.kind(ends.draw("symmetric", 2, seed)[0]) in (ends.WITH, ends.DEFINITE):
            found.append(ends.run("symmetric", 2, seed).end)
    return Evidence(found.count(ends.DOMINANT) / SYSTEMS, 1.0)


def _rest(rng: np.random.Generator) -> Evidence:
    """Angle in degrees where two equal clusters come to rest, sign_switch."""
    x = metastability.circle(200, turn=0.1)
    end = flow.solve(attention.field(SWITCH), x, [0.0, 40.0]).x[-1]
    angle = np.degrees(np.arctan2(np.abs(end[:, 1]), np.abs(end[:, 0])))
    return Evidence(float(angle.max()), float(np.degrees(np.arctan(2.0))))


def _consensus(rng: np.random.Generator) -> Evidence:
    """What a token sees, beside the weighted mean of consensus-based optimisation with
    the objective -<Bx, y>; first coordinate."""
    x, beta = sphere.uniform(50, 3, rng), 20.0
    f = -(x @ B3.T @ x.T)[0]
    weight = np.exp(-beta * (f - f.min()))
    point = weight @ x / weight.sum()
    seen = attention.attend(x, Heads(B3, V3, beta))[0, 0] @ x
    return Evidence(float(np.linalg.norm(seen)), float(np.linalg.norm(point)))


def _neighbours(rng: np.random.Generator) -> Evidence:
    """Which part of 4000 uniform tokens one sees on the two-sphere at beta = 20."""
    found = []
    for _ in range(8):
        x = sphere.uniform(4000, 3, rng)
        seen = metastability.effective_neighbours(x, Heads(I3, I3, 20.0))
        found.append(float(seen.mean()) / 4000)
    error = float(np.std(found, ddof=1) / len(found) ** 0.5)
    return Evidence(float(np.mean(found)), float(np.tanh(20.0) / 20), None, error)


CLAIMS = (
    Claim(
        "3.19",
        "An antipodal pair of equal masses moves as one point with the velocity "
        "tanh(beta <x, Bx>) P_x V x.",
        OURS,
        "V = (1, .3; -.2, .8), B = (.9, .2; .1, .7), beta = 3, 0.4 rad, t = 2; first "
        "coordinate",
        1e-8,
        "a hundred times the integrator's tolerance of 1e-10 in all",
        _pair,
        page="cold/terminal",
    ),
    Claim(
        "3.20",
        "A cluster moves by V alone: it does not wait at M's pole unless that is an "
        "eigenvector of V.",
        OURS,
        "generic3d, nine tokens at e_1; the speed, (0, 0, .2) in the tangent plane",
        1e-12,
        "rounding",
        _drift,
        page="cold/terminal",
    ),
    Claim(
        "3.21",
        "For long times tokens end in the dominant eigenspace of V.",
        PAPER + ", Conjecture 1",
        "generic3d, beta = 20, 200 tokens, t = 30: least |<x, v>|; outside: "
        "sign_switch (V = diag(1, 2), B = diag(2, -1/2)) with a symmetric start",
        1e-3,
        "what is left at t = 30 is far smaller, the resting pair far away",
        _terminal,
        only_if="<v, Bv> > 0 there (its hypotheses are not known to us)",
        page="cold/terminal",
    ),
    Claim(
        "3.22",
        "For random V and B every cloud ends in V's dominant eigenspace.",
        PAPER + ", Conjecture 1",
        "100 random systems in the plane, V B symmetric, V's dominant eigenvalue real, "
        "positive and <v, Bv> > 0, 64 tokens, beta = 8; the part that ends there",
        0.009,
        "a sentence about all: less than one of 100 systems",
        _random,
        page="cold/terminal",
    ),
    Claim(
        "3.23",
        "Where <x, Bx> = 0 an equal pair rests, in no eigenvector of V.",
        OURS,
        "sign_switch, 200 angles, t = 40; the angle in degrees",
        1e-3,
        "the pair comes to rest at rates above 6",
        _rest,
        page="cold/terminal",
    ),
    Claim(
        "3.24",
        "What a token sees is the consensus point of consensus-based optimisation, "
        "with an objective of its own, -<Bx, y>, and alpha = beta.",
        PAPER,
        "generic3d, beta = 20, one token of 50; length of the point",
        1e-12,
        "rounding",
        _consensus,
        page="cold/consensus",
    ),
    Claim(
        "3.25",
        "On the two-sphere a token sees the part tanh(beta)/beta of a uniform cloud: N "
        "tokens are a continuum for N well above beta only.",
        OURS,
        "beta = 20, eight clouds of 4000 tokens; the mean part",
        6.0,
        "standard errors; a token sees itself best, which adds a few of them",
        _neighbours,
        page="cold/finite_size",
    ),
)
