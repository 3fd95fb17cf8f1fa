"""Claims of the first paper on energy and balance.

Every measurement is reduced to about a second.  "README" and "code" are those of the
public repository of :cite:t:`massucco2026multihead`.
"""

import numpy as np

from tfdynlib import attention, energy, flow, sphere, weights
from tfdynlib._circle import points
from tfdynlib.claims.claim import Claim, Evidence
from tfdynlib.claims.multihead_setup import (
    CODE,
    I2,
    ONE,
    OURS,
    PAIR,
    PAPER,
    RING,
    J,
    account,
    order,
    symmetric,
)
from tfdynlib.weights import Heads


def _two_tokens(rng: np.random.Generator) -> Evidence:
    run = flow.solve(attention.field(Heads.descent(I2)), I2, [0.0, 5.0])
    return Evidence(energy.interaction(run.x[-1], Heads.descent(I2)), 0.77854998)


def _order_of_the_balance(rng: np.random.Generator) -> Evidence:
    path = weights.oscillating(1, 2, ONE)
    coarse, fine = (
        np.abs(account(path, RING, 2.0, steps, "euler").left_point).max()
        for steps in (40, 80)
    )
    return Evidence(float(np.log2(coarse / fine)), 1.0)


def _fourth_order(rng: np.random.Generator) -> Evidence:
    coarse, fine = (account(PAIR, RING, 4.0, n).residual[-1] for n in (80, 160))
    return Evidence(order((coarse, fine)), 4.0)


def _gradient_flow(rng: np.random.Generator) -> Evidence:
    x = points(np.array([np.pi / 8]))

    def mismatch(D: np.ndarray) -> float:
        heads = Heads.descent(D)
        return energy.head_mismatch(x, heads) / energy.slope_squared(x, heads)

    return Evidence(mismatch(np.stack([J, J])), 0.0, mismatch(np.stack([J, -2 * J])))


def _rise(rng: np.random.Generator) -> Evidence:
    heads, x = Heads.descent(np.stack([J, -2 * J])), points(np.array([np.pi / 8]))
    run = flow.solve(attention.field(heads), x, [0.0, 0.5])
    rise = energy.interaction(run.x[-1], heads) - energy.interaction(x, heads)
    return Evidence(rise, 0.6463870141 - 0.5678079290)


def _harmonic_mean(rng: np.random.Generator) -> Evidence:
    """The least cost of all splittings against its formula, at tokens drawn by rng."""
    x, v = sphere.uniform(8, 3, rng), rng.standard_normal((8, 3))
    heads = Heads.descent(symmetric(3, 3, rng))
    s = energy.head_weights(x, heads)
    # Lagrange: v_h = multiplier / s_h with mean v.
    parts = v / s[..., None] / np.mean(1 / s, axis=0)[:, None]
    cost = np.mean(s * np.sum(parts**2, axis=2), axis=0)
    ratio = cost / (energy.effective_weight(x, heads) * np.sum(v**2, axis=1))
    return Evidence(float(ratio[np.abs(ratio - 1).argmax()]), 1.0)


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
        page="flows/balance",
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
        page="flows/gradient",
    ),
    Claim(
        "1.3",
        "The harmonic mean over heads is the weight of the squared velocity.",
        PAPER,
        "eight tokens and three heads at random",
        1e-12,
        "rounding",
        _harmonic_mean,
        page="flows/gradient",
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
        page="flows/balance",
    ),
    Claim(
        "1.12",
        "Two repelling tokens follow their closed form.",
        OURS,
        "D = I, from a right angle, E at t = 5",
        1e-8,
        "printed digits",
        _two_tokens,
        page="flows/circle",
    ),
    Claim(
        "1.13",
        "Softmax heads that differ may raise E at frozen weights.",
        OURS,
        "one token at pi/8, heads J and -2J, t = 1/2",
        1e-8,
        "tolerance of the integrator",
        _rise,
        page="flows/gradient",
    ),
    Claim(
        "1.15",
        "Many heads, exact dissipation: the balance closes to fourth order with "
        "RK4 and Simpson sums.",
        OURS,
        "two oscillating heads, ten tokens, t = 4 with 80 and 160 steps",
        0.15,
        "the next order is a tenth at these steps",
        _fourth_order,
        page="flows/balance",
    ),
)
