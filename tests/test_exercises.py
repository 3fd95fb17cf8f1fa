"""Answers on the pages are right, and checks can tell right from wrong.

Every value of an ``{answer}`` box is computed here once more, by the package or from a
closed form that is not the page's own route.  Every folded model solution is run and
must satisfy its check; typical wrong answers must not.
"""

import ast
import math
import re
import sys

import numpy as np
import pagesource
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from tfdynlib import attention, check, flow, measure, sphere
from tfdynlib.weights import Heads

sys.path.insert(0, str(pagesource.BOOK / "_ext"))
from tfdynbook.arithmetic import value_of  # noqa: E402

PAGE_OF = {e.label: p for p in pagesource.chapters() for e in p.exercises}
EXERCISES = [e for page in dict.fromkeys(PAGE_OF.values()) for e in page.exercises]
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


def in_a_hemisphere(n, d):
    return sum(math.comb(n - 1, k) for k in range(d)) / 2 ** (n - 1)


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
    "ex-circle-1": lambda: (at_right_angle(1.0), at_right_angle(4.0)),
    "ex-circle-2": lambda: escape_rate(2.0) / escape_rate(4.0),
    "ex-circle-3": lambda: meeting_time(2.0, 0.1, 4.0),
    "ex-circle-6": square_rates,
    "ex-clustering-1": lambda: (in_a_hemisphere(4, 3), in_a_hemisphere(10, 3)),
    "ex-clustering-2": lambda: min(
        d for d in range(40) if in_a_hemisphere(32, d) >= 0.5
    ),
    "ex-clustering-5": lambda: escape_rate(1.0),
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


# ------------------------------------------------- model solutions and wrong answers

CODED = [e for e in EXERCISES if re.search(r"check\.\w+\.\w+\(", e.body)]


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.label)
def test_the_folded_solution_satisfies_its_check(exercise):
    names = PAGE_OF[exercise.label].namespace() | {"np": np, "check": check}
    calls = []
    for earlier in PAGE_OF[exercise.label].exercises:
        for cell in pagesource.blocks_of(earlier.solution):
            if cell.name == "code-cell":
                found = _run(cell.body, names)
                calls += found if earlier is exercise else []
        if earlier is exercise:
            break
    assert calls
    assert all(isinstance(v, check.Verdict) and v for v in calls), calls


def _run(source: str, names: dict) -> list:
    """Run a cell; the values of the checks in it."""
    values = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Expr) and "check." in ast.unparse(node):
            values.append(eval(ast.unparse(node), names))
        else:
            exec(compile(ast.Module([node], []), "solution", "exec"), names)
    return values


def stay_off_the_sphere(x, heads, h):
    return x + h * attention.velocity(x, heads)


def walk_backwards(x, heads, h):
    return sphere.retract(x - h * attention.velocity(x, heads))


def take_half_a_step(x, heads, h):
    return sphere.retract(x + h / 2 * attention.velocity(x, heads))


def write_into_the_input(x, heads, h):
    x += h * attention.velocity(x, heads)
    return sphere.retract(x)


def naive(scores, values):
    weights = np.exp(scores)
    return weights @ values / weights.sum(axis=1, keepdims=True)


def shift_by_the_table(scores, values):
    weights = np.exp(scores - scores.max())
    return weights @ values / weights.sum(axis=1, keepdims=True)


def columns_instead_of_rows(scores, values):
    weights = np.exp(scores - scores.max(axis=0))
    return (weights / weights.sum(axis=0)) @ values


def hide_the_overflow(scores, values):
    with np.errstate(all="ignore"):
        return np.nan_to_num(naive(scores, values))


def first_axis(Q, K):
    return np.eye(Q.shape[1])[0]


def too_long(Q, K):
    return 2 * np.linalg.svd(Q)[2][-1]


def kernel_of_the_keys(Q, K):
    return np.linalg.svd(K)[2][-1]


def forgets_the_other_token(phi, beta, sigma):
    return -sigma * np.sin(phi) / (1 + np.exp(beta * (1 - np.cos(phi))))


def wrong_sign(phi, beta, sigma):
    return 2 * sigma * np.sin(phi) / (1 + np.exp(beta * (1 - np.cos(phi))))


TRIANGLE = np.array([[1, 0, 0], [-0.5, 0.75**0.5, 0], [-0.5, -(0.75**0.5), 0]])

WRONG = {
    "layers.layer": [
        stay_off_the_sphere,
        walk_backwards,
        take_half_a_step,
        write_into_the_input,
        lambda x, heads, h: None,
        lambda x, heads: x,
        "layer",
    ],
    "attention.softmax_mean": [
        naive,
        shift_by_the_table,
        columns_instead_of_rows,
        hide_the_overflow,
        lambda scores, values: values[scores.argmax(axis=1)],
        lambda scores, values: values.mean(axis=0),
    ],
    "attention.blind_token": [
        first_axis,
        too_long,
        kernel_of_the_keys,
        lambda Q, K: np.linalg.solve(Q, K),
    ],
    "measures.w2_line": [
        lambda x, y: np.sqrt(np.mean((x - y) ** 2)),
        lambda x, y: np.mean((np.sort(x) - np.sort(y)) ** 2),
        lambda x, y: np.mean(abs(np.sort(x) - np.sort(y))),
    ],
    "measures.detour": [],  # takes two arrays: below
    "measures.w2_circle": [
        lambda a, b: np.sqrt(np.mean((np.sort(a) - np.sort(b)) ** 2)),
        lambda a, b: 0.0,
    ],
    "circle.gap_rhs": [forgets_the_other_token, wrong_sign],
    "circle.jacobian": [
        lambda theta, beta: -np.eye(len(theta)),
        lambda theta, beta: np.zeros((len(theta), len(theta))),
    ],
    "clustering.lowest": [
        lambda x, w: (x @ w).max(axis=1),
        lambda x, w: (x @ w).mean(axis=1),
        lambda x, w: (x @ w).min(axis=0),
    ],
    "clustering.balanced": [
        np.eye(4)[:, :3],
        np.vstack([TRIANGLE, [[0, 0, 1.0]]]),
        np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1.0, 0]]),
        "a tetrahedron",
    ],
}


def _check_named(name: str):
    page, function = name.split(".")
    return getattr(getattr(check, page), function)


@pytest.mark.parametrize(
    "name, wrong", [(name, wrong) for name in WRONG for wrong in WRONG[name]]
)
def test_a_typical_wrong_answer_gets_a_verdict_that_says_so(name, wrong):
    verdict = _check_named(name)(wrong)
    assert not verdict
    assert verdict.sentence.endswith(".") and repr(verdict).startswith("Not yet: ")


def test_a_walk_that_is_no_detour_is_refused():
    x = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert not check.measures.detour(x, x + 0.1)
    assert not check.measures.detour(x, "nowhere")


def test_every_check_on_a_page_is_tried_with_wrong_answers():
    on_pages = {
        f"{page}.{name}"
        for e in CODED
        for page, name in re.findall(r"check\.(\w+)\.(\w+)\(", e.body)
    }
    assert on_pages == set(WRONG)


def test_an_unknown_page_is_named_with_those_that_exist():
    with pytest.raises(AttributeError, match="no page called 'nowhere'.*layers"):
        check.nowhere  # noqa: B018
    assert set(check.PAGES) <= set(dir(check))
