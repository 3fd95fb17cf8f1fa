"""Claims of the third paper on its limit at zero temperature."""

import numpy as np

from tfdynlib import attention, flow, metastability, sphere
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.cold_setup import B3, I3, OURS, PAPER, V3
from tfdynlib.measure import Measure
from tfdynlib.metastability import Limit
from tfdynlib.weights import Heads

START = np.array([[0.6, 0.0, 0.8]])


def _heads(d: int, k: int) -> Heads:
    """B = I and M = diag(2, .., 2, 1, .., 1) with k twos."""
    return Heads(np.eye(d), np.diag([2.0] * k + [1.0] * (d - k)))


def _uniform(d: int, k: int) -> Measure:
    """What W2 to the limit sees of the uniform law on the sphere of R^d if dim E = k:
    nodes in the angle a to E, whose law has the density cos^{k-1} a sin^{d-k-1} a.

    Nodes are graded towards the complement of E, which a cloud leaves last."""
    node, weight = np.polynomial.legendre.leggauss(400)
    s = 20 * (node + 1)  # the angle to the complement is pi/2 e^-s
    late = np.pi / 2 * np.exp(-s)
    mass = weight * late * np.sin(late) ** (k - 1) * np.cos(late) ** (d - k - 1)
    x = np.zeros((len(s), d))
    x[:, 0], x[:, -1] = np.sin(late), np.cos(late)
    return Measure(x, mass / mass.sum())


def _distance(d: int, k: int, t: float) -> float:
    heads, mu = _heads(d, k), _uniform(d, k)
    moved = Measure(metastability.zero_temperature(mu.x, heads, t), mu.mass)
    return metastability.distance_to_limit(moved, Limit.of(heads))


def _rate(d: int, k: int) -> float:
    """Rate of W2 between t = 8 and 9."""
    return float(np.log(_distance(d, k, 8.0) / _distance(d, k, 9.0)))


def _full_rate(rng: np.random.Generator) -> Evidence:
    return Evidence(_rate(4, 3), 1.0, outside=_rate(3, 1))


def _half_rate(rng: np.random.Generator) -> Evidence:
    return Evidence(_rate(3, 1), Limit.of(_heads(3, 1)).distance_rate)


def _exact(rng: np.random.Generator) -> Evidence:
    q = np.exp(-3.0)
    return Evidence(_distance(3, 1, 3.0), float(np.sqrt(2 * q / (1 + q))))


def _change_of_time(rng: np.random.Generator) -> Evidence:
    """First coordinate at t = 1, integrated, beside the closed form."""
    heads = Heads(B3, V3)
    cold = attention.field(heads, rule="zero_temperature")
    run = flow.solve(cold, START, [0.0, 1.0], rtol=1e-11, atol=1e-13)
    closed = metastability.zero_temperature(START, heads, 1.0)
    return Evidence(float(run.x[-1, 0, 0]), float(closed[0, 0]))


def _temper(rng: np.random.Generator) -> Evidence:
    """First coordinate at t = 1 for B = 7 I, beside that of e^{Vt} x0."""
    moved = V3 @ START[0]
    cold = attention.field(Heads(7 * I3, V3), rule="zero_temperature")
    run = flow.solve(cold, START, [0.0, 1.0], rtol=1e-11, atol=1e-13)
    value, vector = np.linalg.eig(V3)
    moved = (vector * np.exp(value)) @ np.linalg.solve(vector, START[0])
    return Evidence(float(run.x[-1, 0, 0]), float((moved / np.linalg.norm(moved))[0]))


def _poles(rng: np.random.Generator) -> Evidence:
    """Mass at the pole e_3 at t = 40 from the density 1 + z/2."""
    mu, heads = metastability.tilted(3, 60, 0.5), Heads(I3, np.diag([1.0, 1.0, 2.0]))
    x = metastability.zero_temperature(mu.x, heads, 40.0)
    at_pole = x @ [0.0, 0.0, 1.0] > 1 - 1e-6
    return Evidence(float(mu.mass[at_pole].sum()), 5 / 8)


def _trapped(rng: np.random.Generator) -> Evidence:
    """W2 to the limit at t = 40; outside, with a tenth of the mass on the equator."""
    heads, nodes = _heads(3, 1), sphere.quadrature(3, 30)
    turned = Measure(nodes.x[:, [2, 0, 1]], nodes.mass)
    found = []
    for mu in (turned, metastability.trapped(turned, 0.1, [1.0, 0.0, 0.0])):
        x = metastability.zero_temperature(mu.x, heads, 40.0)
        found.append(
            metastability.distance_to_limit(Measure(x, mu.mass), Limit.of(heads))
        )
    return Evidence(found[0], 0.0, outside=found[1])


CLAIMS = (
    Claim(
        "3.1",
        "At zero temperature W2 to the projection of the start falls exponentially, at "
        "the rate gap / |B|.",
        PAPER + ", Corollary 2; the rate is ours",
        "B = I, gap 1, uniform law on the sphere of R^4, dim E = 3, between t = 8 and "
        "9; outside: R^3, dim E = 1",
        1e-3,
        "the next term is of order e^{-t}, here 3e-4",
        _full_rate,
        only_if="E is no line",
        page="cold/projection",
    ),
    Claim(
        "3.2",
        "If E is a line and the density positive, W2 falls at half that rate.",
        OURS,
        "B = I, gap 1, uniform law on the two-sphere, between t = 8 and 9",
        1e-3,
        "the next term is of order e^{-t}, here 2e-4",
        _half_rate,
        page="cold/projection",
    ),
    Claim(
        "3.3",
        "Uniform law on the two-sphere, B = I, E a line: W2 squared is 2q/(1+q) with "
        "q = e^{-gap t}.",
        OURS,
        "gap 1, t = 3, 400 nodes",
        1e-8,
        "the nodes leave out e^{-40} of the angles; the rest is rounding",
        _exact,
        page="cold/projection",
    ),
    Claim(
        "3.4",
        "The flow at zero temperature is the linear flow e^{M tau} x / |.| with a "
        "clock of its own for each token.",
        OURS,
        "generic3d, from (.6, 0, .8) to t = 1, first coordinate",
        1e-8,
        "a hundred times the integrator's tolerance of 1e-10 in all",
        _change_of_time,
        page="cold/limit",
    ),
    Claim(
        "3.5",
        "With B = bI, b > 0, it is e^{Vt} x / |.| whatever b.",
        OURS,
        "V of generic3d, b = 7, from (.6, 0, .8) to t = 1, first coordinate",
        1e-8,
        "a hundred times the integrator's tolerance of 1e-10 in all",
        _temper,
        page="cold/limit",
    ),
    Claim(
        "3.6",
        "The limit is the projection of the start: each token keeps its side, and the "
        "poles get the masses of the two half spheres.",
        PAPER,
        "density 1 + z/2, E the axis z, 60 x 120 nodes, t = 40; the mass above",
        1e-4,
        "the nodes see the jump at the equator with an error of 1/n^2",
        _poles,
        page="cold/projection",
    ),
    Claim(
        "3.7",
        "At zero temperature W2 to the projection of the start falls to nothing.",
        PAPER + ", Corollary 2",
        "B = I, gap 1, E a line, 30 x 60 nodes, t = 40; outside: a tenth of the mass "
        "on the equator",
        1e-6,
        "e^{-40} over the least height of a node, with room",
        _trapped,
        only_if="no mass lies on the complement of E",
        page="cold/projection",
    ),
)
