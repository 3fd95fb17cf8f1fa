"""The values in the answer boxes of the pages are right.

Each is computed here once more, by the package or from a closed form that is not the
page's own route.  Checks of code are in test_exercise_checks.py.
"""

import math
import re
import sys

import numpy as np
import pagesource
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ive

from tfdynlib import attention, energy, flow, measure, sphere
from tfdynlib.weights import Heads

sys.path.insert(0, str(pagesource.BOOK / "_ext"))
from tfdynbook.arithmetic import value_of  # noqa: E402

EXERCISES = [e for page in pagesource.chapters() for e in page.exercises]
I2 = np.eye(2)


# --------------------------------------------------------------- the values, again


def one_layer_by_hand():
    y = np.array([1.0, 0.0]) + 0.5 * np.array([0.3, 0.4])
    return y / np.linalg.norm(y)


def forgetting(count):
    run = flow.solve(
        lambda t, x: -x,
        np.ones((1, 1)),
        np.linspace(0, 1, count + 1),
        method="euler",
        space="euclidean",
    )
    return run.x[-1, 0, 0] - math.exp(-1)


def layers_for_three_digits():
    """By trying; the error is that of `forgetting`, without running the layers."""
    error = {n: (1 - 1 / n) ** n - math.exp(-1) for n in range(1, 300)}
    assert forgetting(12) == pytest.approx(error[12], abs=1e-14)
    return min(n for n in error if abs(error[n]) < 1e-3)


def pre_norm_angle():
    """From the implicit solution by separation of variables, not from the flow."""
    c = math.sqrt(0.5)

    def depth(x):
        return math.hypot(x, c) - c * math.asinh(c / x)

    x = brentq(lambda x: depth(x) - depth(c) - 20, 1, 50)
    return math.degrees(math.atan2(c, x))


def self_weight():
    angle = 2 * np.pi * np.arange(3) / 3
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return attention.attend(x, Heads(I2, I2, 2.0))[0, 0, 0]


def slope_of_the_score():
    y, p = np.array([[1, 0], [0.8, 0.6], [0, 1], [-1, 0.0]]), np.array([[1.0, 0.0]])

    def score(beta):
        return (attention.attend(y, Heads(I2, I2, beta), at=p)[0, 0] @ y)[0]

    return (score(2 + 1e-5) - score(2 - 1e-5)) / 2e-5


def narrow_rank():
    Q, K = np.random.default_rng(0).normal(size=(2, 3, 8))
    return np.linalg.matrix_rank(Heads.from_qkv(Q, K, np.eye(8)).B[0])


def at_right_angle(beta):
    return np.linalg.norm(attention.velocity(I2, Heads(I2, I2, beta))[0])


def escape_rate(beta):
    """Growth of a small departure from the opposite point, from the field."""
    small = 1e-4
    x = np.array([[1.0, 0.0], [-math.cos(small), math.sin(small)]])
    v = attention.velocity(x, Heads(I2, I2, beta))
    return 2 * np.linalg.norm(v[0]) / small


def meeting_time(start, end, beta):
    def pace(phi):
        return (1 + math.exp(beta * (1 - math.cos(phi)))) / math.sin(phi)

    return quad(pace, end, start, epsabs=1e-10)[0] / 2


def square_rates():
    """Spectrum of the square of tokens by central differences of the field."""
    corners, h = np.arange(4) * np.pi / 2, 1e-4

    def speeds(theta):
        x = np.stack([np.cos(theta), np.sin(theta)], axis=1)
        v = attention.velocity(x, Heads(I2, I2, 9.0))
        return x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]

    steps = [speeds(corners + h * e) - speeds(corners - h * e) for e in np.eye(4)]
    rates = np.sort(np.linalg.eigvals(np.array(steps).T / (2 * h)).real)
    assert rates[1] == pytest.approx(rates[2], abs=1e-7)
    return rates[2], rates[3]


def square_and_poles():
    square = np.array([[1, 0], [0, 1], [-1, 0], [0, -1.0]])
    poles = np.array([[1, 0], [-1, 0.0]])
    return measure.wasserstein2(
        measure.Measure(square), measure.Measure(poles), ground="geodesic"
    )


def self_pairs(beta, n):
    """Mean energy of n tokens less that of the law, by quadrature."""
    heads, law = Heads(np.eye(3), np.eye(3), beta), sphere.quadrature(3, 24)
    limit = energy.interaction(law.x, heads, law.mass)
    alone = energy.interaction(law.x[:1], heads)
    return (alone - limit) / n


def tokens_for(distance):
    """The fewest tokens with a root mean square W2 of at most ``distance``."""
    return next(n for n in range(1, 10**4) if math.pi / math.sqrt(3 * n) <= distance)


def lonely(n):
    """Self-weight at beta = log n of orthogonal tokens, extrapolated to infinite n."""
    once, twice = (
        attention.attend(np.eye(k), Heads(np.eye(k), np.eye(k), math.log(k)))[0, 0, 0]
        for k in (n, 2 * n)
    )
    return 2 * twice - once


def crowded():
    """Power of n that beta needs, from where I_0(beta) e^-beta falls below 1 / n."""
    few, more = (brentq(lambda b: ive(0, b) - 1 / n, 1, 1e9) for n in (1e3, 1e4))  # noqa: B023
    return math.log10(more / few)


def in_a_hemisphere(n, d):
    return sum(math.comb(n - 1, k) for k in range(d)) / 2 ** (n - 1)


def waves_for(r, tol):
    """The first K for which the bound of the tail of e^{r cos} is at most tol."""
    K = np.arange(1.0, 1000.0)
    bound = 2 * np.exp(np.sqrt(r**2 + K**2) - r - K * np.arcsinh(K / r))
    return K[np.argmax(bound <= tol)]


VALUES = {
    "ex-layers-1": one_layer_by_hand,
    "ex-layers-2": lambda: forgetting(12),
    "ex-layers-3": layers_for_three_digits,
    "ex-layers-5": pre_norm_angle,
    "ex-attention-1": self_weight,
    "ex-attention-2": lambda: math.log(sys.float_info.max),
    "ex-attention-3": slope_of_the_score,
    "ex-attention-5": narrow_rank,
    "ex-measures-1": lambda: math.sqrt((0.5**2 + 0 + 2**2) / 3),
    "ex-measures-2": square_and_poles,
    "ex-many-1": lambda: self_pairs(1.0, 100),
    "ex-many-2": lambda: tokens_for(0.1),
    "ex-many-3": lambda: self_pairs(4.0, 100),
    "ex-many-5": lambda: (lonely(700), crowded()),
    "ex-circle-1": lambda: (at_right_angle(1.0), at_right_angle(4.0)),
    "ex-circle-2": lambda: escape_rate(2.0) / escape_rate(4.0),
    "ex-circle-3": lambda: meeting_time(2.0, 0.1, 4.0),
    "ex-circle-6": square_rates,
    "ex-clustering-1": lambda: (in_a_hemisphere(4, 3), in_a_hemisphere(10, 3)),
    "ex-clustering-2": lambda: min(
        d for d in range(40) if in_a_hemisphere(32, d) >= 0.5
    ),
    "ex-clustering-5": lambda: escape_rate(1.0),
    "ex-performance-1": lambda: 8 * 16384**2 / 1e9,
    "ex-performance-2": lambda: waves_for(64.0, 1e-12),
}

# Numbers on the way to an answer that a solution prints in full.
ON_THE_WAY = {"ex-circle-2": lambda: (escape_rate(2.0), escape_rate(4.0))}

ASKED = [e for e in EXERCISES if e.named("answer")]


@pytest.mark.parametrize("exercise", ASKED, ids=lambda e: e.label)
def test_the_value_in_an_answer_box_is_right_to_its_last_digit(exercise):
    texts = [t.strip() for b in exercise.named("answer") for t in b.title.split(",")]
    values = np.ravel(VALUES[exercise.label]())
    assert len(values) == len(texts)
    for text, value in zip(texts, values, strict=True):
        # Rates from difference quotients carry an error of about 1e-8.
        assert value_of(text) == pytest.approx(value, rel=1e-6, abs=_unit(text))


@pytest.mark.parametrize("exercise", ASKED, ids=lambda e: e.label)
def test_a_tolerance_accepts_the_printed_digits_and_refuses_a_percent(exercise):
    for box in exercise.named("answer"):
        tolerance = float(box.options.get("tol", 0)) or 1e-9
        for text in box.title.split(","):
            assert tolerance >= _unit(text.strip()) / 2, text
            # Integers and a rounded angle may be asked for within one per cent.
            assert tolerance < max(0.011 * abs(value_of(text)), 0.5), box.options[
                "label"
            ]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.label)
def test_numbers_printed_in_a_solution_are_computed_values(exercise):
    known = [abs(v) for v in np.ravel(VALUES.get(exercise.label, lambda: ())())]
    known += list(ON_THE_WAY.get(exercise.label, tuple)())
    text = pagesource.CELL.sub("", exercise.solution)
    for typed in re.findall(r"(?<![\w.])\d+\.\d{5,}", text):
        assert min(abs(float(typed) - v) for v in known) <= _unit(typed), typed


def _unit(text: str) -> float:
    """One unit of the last decimal that is written, 0 if there is none."""
    decimal = re.fullmatch(r"-?\d*\.(\d+)", text)
    return 10.0 ** -len(decimal[1]) if decimal else 0.0
