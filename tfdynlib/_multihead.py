"""Claims about many heads with weights that change in time; used by ``claims``.

Every measurement is reduced to about a second.  "README" and "code" are those of the
public repository of :cite:t:`massucco2026multihead`.
"""

import numpy as np
from jaxtyping import Float

from tfdynlib import attention, energy, flow, geometry, jko, sphere, weights
from tfdynlib._ledger import Claim, Evidence
from tfdynlib.measure import Measure, wasserstein2
from tfdynlib.weights import Heads, WeightPath

Tokens = Float[np.ndarray, "n d"]
I2, I3 = np.eye(2), np.eye(3)
J = np.array([[0.0, 1.0], [1.0, 0.0]])
P = np.array([[1.0, 0.3], [0.3, -0.5]])
Q = np.array([[-0.6, 0.2], [0.2, 0.8]])
CODE = "Massucco et al. 2026, code"
PAPER = "Massucco et al. 2026, in summary"
OURS = "derived in the book"


def _circle(angle: Float[np.ndarray, " n"]) -> Tokens:
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _symmetric(H: int, d: int, rng: np.random.Generator) -> Float[np.ndarray, "H d d"]:
    """The start of the first paper's code, Z + Z^T."""
    Z = rng.standard_normal((H, d, d))
    return Z + Z.swapaxes(1, 2)


RING = _circle(2 * np.pi * np.arange(10) / 10 + 0.3 * np.sin(np.arange(10)))
ONE, OTHER = np.array([[1, 0.4], [0.4, -0.6]]), np.array([[-0.5, 0.2], [0.2, 0.9]])
PAIR = weights.oscillating(2, 2, np.stack([ONE, OTHER]))


def _account(
    path: WeightPath | Heads, x: Tokens, t_end: float, steps: int, method: str = "rk4"
) -> energy.Balance:
    t = np.linspace(0, t_end, steps + 1)
    return energy.balance(flow.solve(attention.field(path), x, t, method), path)


def _late_rate(path: WeightPath, x: Tokens, t: np.ndarray, method: str) -> float:
    """Mean over the second half of the run of what the code calls G^2."""
    run = flow.solve(attention.field(path), x, t, method)
    late = list(zip(t, run.x))[len(t) // 2 :: 2]
    rates = [energy.action(y, attention.velocity(y, path(s)), path(s)) for s, y in late]
    return float(np.mean(rates))


# --- one head, or many ------------------------------------------------------------


def _two_tokens(rng: np.random.Generator) -> Evidence:
    run = flow.solve(attention.field(Heads.descent(I2)), I2, [0.0, 5.0])
    return Evidence(energy.interaction(run.x[-1], Heads.descent(I2)), 0.77854998)


def _order_of_the_balance(rng: np.random.Generator) -> Evidence:
    path = weights.oscillating(1, 2, ONE)
    coarse, fine = (
        np.abs(_account(path, RING, 2.0, steps, "euler").left_point).max()
        for steps in (40, 80)
    )
    return Evidence(float(np.log2(coarse / fine)), 1.0)


def _gradient_flow(rng: np.random.Generator) -> Evidence:
    x = _circle(np.array([np.pi / 8]))

    def mismatch(D: np.ndarray) -> float:
        heads = Heads.descent(D)
        return energy.head_mismatch(x, heads) / energy.slope_squared(x, heads)

    return Evidence(mismatch(np.stack([J, J])), 0.0, mismatch(np.stack([J, -2 * J])))


def _rise(rng: np.random.Generator) -> Evidence:
    heads, x = Heads.descent(np.stack([J, -2 * J])), _circle(np.array([np.pi / 8]))
    run = flow.solve(attention.field(heads), x, [0.0, 0.5])
    rise = energy.interaction(run.x[-1], heads) - energy.interaction(x, heads)
    return Evidence(rise, 0.6463870141 - 0.5678079290)


def _harmonic_mean(rng: np.random.Generator) -> Evidence:
    """The least cost of all splittings against its formula, at tokens drawn by rng."""
    x, v = sphere.uniform(8, 3, rng), rng.standard_normal((8, 3))
    heads = Heads.descent(_symmetric(3, 3, rng))
    s = energy.head_weights(x, heads)
    # Lagrange: v_h = multiplier / s_h with mean v.
    parts = v / s[..., None] / np.mean(1 / s, axis=0)[:, None]
    cost = np.mean(s * np.sum(parts**2, axis=2), axis=0)
    ratio = cost / (energy.effective_weight(x, heads) * np.sum(v**2, axis=1))
    return Evidence(float(ratio[np.abs(ratio - 1).argmax()]), 1.0)


def _equivalence(rng: np.random.Generator) -> Evidence:
    """How far the quotient of the distances leaves its bounds: 0 if it does not."""
    heads = Heads.descent(np.stack([P, Q]))
    a, b = (np.array(v) for v in ([0.3, 1.1, 2.5, 4.0], [1.0, 2.2, 3.6, 5.9]))
    mu, nu = Measure(_circle(a)), Measure(_circle(b))
    ratio = geometry.weighted_distance(mu, nu, heads, "rigid").distance
    ratio /= wasserstein2(mu, nu, "geodesic")
    low, high = geometry.equivalence_bounds(heads)
    return Evidence(max(low - ratio, ratio - high, 0.0), 0.0)


def _minimising_movements(rng: np.random.Generator) -> Evidence:
    heads = Heads.descent(I2)
    end = flow.solve(attention.field(heads), I2, [0.0, 1.0]).x[-1]
    gaps = [
        sphere.distance(jko.solve(I2, heads, 1 / n, n).x[-1], end).max()
        for n in (20, 40)
    ]
    return Evidence(float(np.log2(gaps[0] / gaps[1])), 1.0)


# --- stability and weights that change --------------------------------------------


def _growth(rng: np.random.Generator) -> Evidence:
    """Excess of a perturbation over e^T W2(0), for a pair that repels."""
    field = attention.field(Heads.descent(I2))
    eps, t = 1e-4, np.array([0.0, 1.0, 2.0, 4.0])
    runs = [
        flow.solve(field, _circle(np.array([0.0, phi])), t).x
        for phi in (0.3, 0.3 + eps)
    ]
    start, *later = (
        wasserstein2(Measure(a), Measure(b), "geodesic") for a, b in zip(*runs)
    )
    grown = np.array(later) / start
    return Evidence(float(np.max(grown / np.exp(t[1:]) - 1, initial=0.0)), 0.0)


def _weight_perturbation(rng: np.random.Generator) -> Evidence:
    """Excess of |E - E'| over e^R |D - D'| / 2, for clouds drawn by rng."""
    moved = P + 0.1 * J
    R = max(np.linalg.norm(D, 2) for D in (P, moved))
    bound = np.exp(R) * np.linalg.norm(moved - P, 2) / 2
    clouds = [sphere.uniform(n, 2, rng) for n in (1, 2, 5, 20)]
    gaps = [
        abs(
            energy.interaction(x, Heads.descent(P))
            - energy.interaction(x, Heads.descent(moved))
        )
        for x in clouds
    ]
    return Evidence(max(max(gaps) - bound, 0.0), 0.0)


def _weight_decay(rng: np.random.Generator) -> Evidence:
    k = np.arange(24)
    x = _circle(2 * np.pi * k / 24 + 0.4 * np.sin(2 * np.pi * k / 24))

    def rate(t: float) -> tuple[np.ndarray, np.ndarray]:
        return -np.exp(-t) * P[None], np.exp(-t) * P[None]

    path = WeightPath(
        lambda t: Heads.descent(np.exp(-t) * P), rate, 1, 2, integrable=True
    )
    return Evidence(float(_account(path, x, 12.0, 240).dissipated[-1]), 0.0147676244)


def _law_length(rng: np.random.Generator) -> Evidence:
    law = weights.ornstein_uhlenbeck_law(np.diag([3.0, 1.0, 1.0]))
    return Evidence(law.length(), 3.5035425514)


def _slope_against_heads(rng: np.random.Generator) -> Evidence:
    t, counts = np.linspace(0, 6, 121), (2, 8, 32)
    x = sphere.uniform(24, 3, rng)
    rates = [
        _late_rate(
            weights.ornstein_uhlenbeck(_symmetric(H, 3, rng), t, rng), x, t, "euler"
        )
        for H in counts
    ]
    return Evidence(float(np.polyfit(np.log(counts), np.log(rates), 1)[0]), -1.0)


def _oscillation_persists(rng: np.random.Generator) -> Evidence:
    """Late rate of many heads in units of that of one."""
    t, x = np.linspace(0, 14, 141), sphere.uniform(12, 3, rng)
    D0 = _symmetric(3, 3, rng)

    def rate(H: int, phase: str) -> float:
        path = weights.oscillating(H, 3, D0[:H], phase)
        return _late_rate(path, x, t, "rk4")

    one = rate(1, "spread")
    return Evidence(rate(3, "common") / one, 1.0, rate(3, "spread") / one)


def _balance_of_many_heads(rng: np.random.Generator) -> Evidence:
    """Residual with the dissipation; outside: with the action, as the code has it."""
    t = np.linspace(0, 4, 81)
    run = flow.solve(attention.field(PAIR), RING, t, "rk4")
    account = energy.balance(run, PAIR)
    simpson = np.tile([2.0, 4.0], 40) / 3
    simpson = np.append(simpson, 1 / 3) * t[1]
    simpson[0] /= 2
    mismatch = [energy.head_mismatch(x, PAIR(s)) for s, x in zip(t, run.x)]
    residual = float(account.residual[-1])
    return Evidence(residual, 0.0, residual - float(simpson @ mismatch))


CLAIMS = (
    Claim(
        "1.1",
        "One head: the balance closes as the step of Euler's method goes to zero, to "
        "first order.",
        CODE,
        "H = 1, weights that oscillate, left-point sums, two steps",
        0.15,
        "the next order is a tenth at these steps",
        _order_of_the_balance,
    ),
    Claim(
        "1.2",
        "Softmax attention with many descent heads is the gradient flow of E in the "
        "harmonic-mean metric.",
        PAPER,
        "one token, two heads; mismatch of dissipation and action over slope squared",
        1e-12,
        "rounding",
        _gradient_flow,
        "all heads weigh every token equally (or the gradient rule moves the tokens)",
    ),
    Claim(
        "1.3",
        "The harmonic mean over heads is the weight of the squared velocity.",
        PAPER,
        "eight tokens and three heads at random",
        1e-12,
        "rounding",
        _harmonic_mean,
    ),
    Claim(
        "1.4",
        "The weighted distance and W2 bound each other.",
        PAPER,
        "two bounded heads, four atoms on the circle that stay whole",
        0.0,
        "an inequality with room",
        _equivalence,
    ),
    Claim(
        "1.5",
        "Minimising movements converge to the gradient flow, to first order.",
        PAPER,
        "two tokens, D = I, to t = 1 with 20 and 40 steps",
        0.05,
        "the next order is 1/40 at these steps",
        _minimising_movements,
    ),
    Claim(
        "1.6",
        "Two starts drift apart at most like a growing exponential (Grönwall).",
        PAPER,
        "two tokens, D = I: the rate is at most 1",
        0.0,
        "an inequality with room",
        _growth,
    ),
    Claim(
        "1.7",
        "E changes under a change of weights by at most e^R W1 / 2, for every cloud.",
        PAPER,
        "one head on the circle, clouds of 1, 2, 5 and 20 random tokens",
        0.0,
        "an inequality with room",
        _weight_perturbation,
    ),
    Claim(
        "1.8",
        "Integrable weights: the total dissipation is finite.",
        PAPER,
        "one head that decays like e^-t, 24 tokens, to t = 12",
        2e-8,
        "steps of 1/20 leave 1e-8, and what is lost after t = 12 is e^-24",
        _weight_decay,
    ),
    Claim(
        "1.9",
        "Ornstein-Uhlenbeck weights: the squared slope falls like 1/H.",
        CODE + ", README",
        "24 tokens on the sphere, t in [3, 6], one path each of H = 2, 8, 32",
        0.35,
        "a mean over three correlation times is known to 40%: 0.3 in the exponent",
        _slope_against_heads,
    ),
    Claim(
        "1.10",
        "Oscillating weights: the tokens never come to rest, whatever the number of "
        "heads.",
        CODE + ", README",
        "12 tokens on the sphere, t in [7, 14], three heads against one",
        0.5,
        "clouds of other weights agree in size only",
        _oscillation_persists,
        "there are one or two heads, or all have a common phase",
    ),
    Claim(
        "1.11",
        "The discrete balance with the action as dissipation closes.",
        CODE,
        "two oscillating descent heads, ten tokens, t = 4 with 80 steps of order 4",
        1e-6,
        "the fourth power of the step 1/20",
        _balance_of_many_heads,
        "there is one head, or the exact dissipation takes the place of the action",
    ),
    Claim(
        "1.12",
        "Two repelling tokens follow their closed form.",
        OURS,
        "D = I, from a right angle, E at t = 5",
        1e-8,
        "printed digits",
        _two_tokens,
    ),
    Claim(
        "1.13",
        "Softmax heads that differ may raise E at frozen weights.",
        OURS,
        "one token at pi/8, heads J and -2J, t = 1/2",
        1e-8,
        "tolerance of the integrator",
        _rise,
    ),
    Claim(
        "1.14",
        "The law of Ornstein-Uhlenbeck weights has finite length for all time.",
        PAPER,
        "W2, d = 3, from the distance 2 of the mean",
        1e-9,
        "printed digits",
        _law_length,
    ),
)
