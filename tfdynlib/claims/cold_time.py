"""Claims of the third paper on plateaus: how long a cloud stays."""

import numpy as np

from tfdynlib import attention, fits, flow, metastability
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.cold_setup import EXIT_B, EXIT_V, I2, OURS, PAPER, run
from tfdynlib.flow import Event
from tfdynlib.weights import Heads

BETAS = (80.0, 160.0, 320.0)


def _slope(B: np.ndarray, V: np.ndarray, skew: float) -> float:
    """Exit time per e-fold of beta, from 80 to 320."""
    x = metastability.circle(200, skew)
    exits = [run(Heads(B, V, beta), x, 12.0).exit for beta in BETAS]
    return fits.line(np.log(BETAS), exits).slope


def _exit(rng: np.random.Generator) -> Evidence:
    return Evidence(
        _slope(EXIT_B, EXIT_V, 0.4), metastability.exit_slope(Heads(EXIT_B, EXIT_V))
    )


def _other_exit(rng: np.random.Generator) -> Evidence:
    B, V = np.diag([2.0, 1 / 3]), np.diag([1.0, 3.0])
    return Evidence(_slope(B, V, 0.4), metastability.exit_slope(Heads(B, V)))


def _other_start(rng: np.random.Generator) -> Evidence:
    return Evidence(_slope(EXIT_B, EXIT_V, 0.2), _slope(EXIT_B, EXIT_V, 0.4))


def _best(rng: np.random.Generator) -> Evidence:
    """Exponent of beta in the least W2, from 80 to 320."""
    x = metastability.circle(200, 0.4)
    least = [run(Heads(EXIT_B, EXIT_V, b), x, 8.0).least for b in BETAS]
    return Evidence(fits.power(np.array(BETAS), least).slope, -0.5)


def _dwell(rng: np.random.Generator) -> Evidence:
    """Logarithm of the time two tokens take from 2 rad to 0.1 at beta = 9."""
    x = np.array([[1.0, 0.0], [np.cos(2.0), np.sin(2.0)]])

    def gap(t: float, x: np.ndarray) -> float:
        return float(np.cos(0.1) - x[0] @ x[1])

    met = [Event(gap, terminal=True)]
    field = attention.field(Heads(I2, I2, 9.0))
    found = flow.solve(field, x, [0.0, 1e5], rtol=1e-10, atol=1e-12, events=met)
    return Evidence(float(found.t[-1]), metastability.dwell_time(2.0, 9.0))


CLAIMS = (
    Claim(
        "3.14",
        "A cloud stays near the projection of its start for times of order log beta: "
        "each e-fold of beta prolongs it by |B e1|/2 gap + 1/2(v2 - v1).",
        PAPER + "; the constant is a mechanism of ours",
        "exit2d, 200 angles, W2 above 0.2, beta 80 to 320",
        0.15,
        "a mechanism, good to a tenth",
        _exit,
        page="cold/metastability",
    ),
    Claim(
        "3.15",
        "The same with a value matrix that pulls harder: the plateau is shorter.",
        OURS,
        "V = diag(1, 3), B = diag(2, 1/3), 200 angles, W2 above 0.2, beta 80 to 320",
        0.125,
        "a mechanism, good to a tenth",
        _other_exit,
        page="cold/metastability",
    ),
    Claim(
        "3.16",
        "Another skewed start changes when a cloud leaves, not how this grows with "
        "log beta.",
        OURS,
        "exit2d, skew 0.2 beside skew 0.4, beta 80 to 320",
        0.05,
        "slopes still change by 0.02 from one doubling of beta to the next",
        _other_start,
        page="cold/metastability",
    ),
    Claim(
        "3.17",
        "The least W2 falls like a power of beta; in exit2d the cluster is then as "
        "wide as 1/sqrt(beta).",
        OURS,
        "exit2d, 200 angles, beta 80 to 320; the exponent",
        0.03,
        "the exponent still changes by 0.01 from one doubling of beta to the next",
        _best,
        page="cold/concentration",
    ),
    Claim(
        "3.18",
        "Between clusters there is another metastability, exponential in beta: the "
        "time to meet is an integral.",
        OURS,
        "circle, V = B = I, beta = 9, two tokens from 2 rad to 0.1; integrated",
        1.0,
        "of 21 364: the integrator's 1e-10 in a rate of 1e-5",
        _dwell,
        page="cold/metastability",
    ),
)
