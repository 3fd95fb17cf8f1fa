"""Checks can tell right from wrong.

Every folded model solution is run and must satisfy its check; typical wrong answers
must get a verdict that says what was expected, and never an exception.
"""

import ast
import inspect
import re
from math import factorial

import cold_mistakes
import numpy as np
import pagesource
import pytest
from scipy.linalg import expm, solve_continuous_lyapunov
from scipy.special import iv, ndtr

from tfdynlib import attention, check, claims, energy, sphere, weights
from tfdynlib.weights import Heads

PAGE_OF = {e.label: p for p in pagesource.chapters() for e in p.exercises}
EXERCISES = [e for page in dict.fromkeys(PAGE_OF.values()) for e in page.exercises]
CODED = [e for e in EXERCISES if re.search(r"check\.\w+\.\w+\(", e.body)]


@pytest.mark.unchecked
@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.label)
def test_the_folded_solution_satisfies_its_check(exercise):
    names = PAGE_OF[exercise.label].namespace() | {"np": np, "check": check}
    calls = []
    for earlier in PAGE_OF[exercise.label].exercises:
        for cell in pagesource.blocks_of(earlier.solution):
            if cell.name == "code-cell" and earlier is exercise:
                calls += _run(cell.body, names)
            elif cell.name == "code-cell":
                names |= pagesource.defined(cell.body, names)
        if earlier is exercise:
            break
    assert calls
    assert all(isinstance(v, check.Verdict) and v for v in calls), calls


def test_a_long_verdict_is_read_without_scrolling():
    sentence = " ".join(["tried on heads of every kind,"] * 9)
    lines = repr(check.Verdict(True, sentence)).splitlines()
    assert max(map(len, lines)) <= 76
    assert " ".join(lines) == f"Yes: {sentence}"


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
    """A wrong answer that looks whole: the check must not be content with it."""
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


def forgets_the_width_of_a_cell(theta):
    n = len(theta)
    return np.std(np.sort(theta % (2 * np.pi)) - 2 * np.pi * np.arange(n) / n)


def sorts_before_winding(theta):
    n = len(theta)
    walk = np.sort(theta) % (2 * np.pi) - 2 * np.pi * np.arange(n) / n
    return np.sqrt(walk.var() + (np.pi / n) ** 2 / 3)


def cuts_at_the_first_token(theta):
    n = len(theta)
    walk = np.sort((theta - theta[0]) % (2 * np.pi)) - 2 * np.pi * np.arange(n) / n
    return np.sqrt(np.mean(walk**2) + (np.pi / n) ** 2 / 3)  # no turn of the arcs


def whole_matrix(p, x, block):
    scores = p @ x.T
    top = scores.max(axis=1, keepdims=True)
    a = np.exp(scores - top)
    log_z = top[:, 0] + np.log(a.mean(axis=1))
    return log_z, a @ x / a.sum(axis=1, keepdims=True)


def no_shift(p, x, block):
    with np.errstate(all="ignore"):
        a = np.exp(p @ x.T)
        return np.log(a.mean(axis=1)), a @ x / a.sum(axis=1, keepdims=True)


def around(angles):
    return np.column_stack([np.cos(angles), np.sin(angles)])


TRIANGLE = np.array([[1, 0, 0], [-0.5, 0.75**0.5, 0], [-0.5, -(0.75**0.5), 0]])


def film_weights(x, beta):
    """Weight times squared increment, for each step and atom."""
    b = np.exp(beta * x[:-1] @ x[:-1].swapaxes(1, 2)).mean(axis=2)
    return b * np.sum(np.diff(x, axis=0) ** 2, axis=2)


def power_series(x, beta, kmax):
    terms = [np.mean((beta * x @ x.T) ** k) / factorial(k) for k in range(kmax + 1)]
    return sum(terms) / (2 * beta)


def price_forgotten(x, y, heads, tau):
    return energy.interaction(x, heads) - energy.interaction(y, heads)


def price_at_the_new_place(x, y, heads, tau):
    b, d = energy.effective_weight(y, heads), sphere.distance(x, y)
    return price_forgotten(x, y, heads, tau) - np.mean(b * d**2) / (2 * tau)


def a_row(found, tolerance, why="w"):
    def measure(rng):
        return claims.Evidence(float(found(rng)), 1.0)

    return claims.Claim("9.1", "s", "t", "h", tolerance, why, measure)


QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])


def back_and_forth(P0, A, B, v, t, sign):
    rest = solve_continuous_lyapunov(A.T, -v * (B + B.T))
    move = expm(sign * A * t)
    return rest + move.T @ (P0 - rest) @ move


def whitened(A, B, V, T):
    return np.array([T @ M @ np.linalg.inv(T) for M in (A, V)])


def fate_without_the_bar(a, vk, S0):
    """Equal signs always explode, opposite ones always settle."""
    if vk < 0:
        return "settles", abs(a / vk)
    return "explodes", abs(np.log(abs(1 + a / (vk * S0)))) / (2 * abs(a) + 1e-9)


def frozen_step(L, layer, dt):
    return expm(dt * layer.jacobian(L @ L.T)) @ L


def positive_part(mean, cov, A, c):
    m, s = A @ mean + c, np.sqrt(np.sum(A @ cov * A, axis=1)) + 1e-300
    bell = np.exp(-((m / s) ** 2) / 2) / np.sqrt(2 * np.pi)
    return np.sum((m**2 + s**2) * ndtr(m / s) + m * s * bell)


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
    "many.w2_to_uniform_circle": [
        lambda theta: np.std(np.sort(theta)),
        forgets_the_width_of_a_cell,
        sorts_before_winding,
        cuts_at_the_first_token,
        lambda theta: np.pi / (len(theta) * np.sqrt(3)),
    ],
    "circle.gap_rhs": [forgets_the_other_token, wrong_sign],
    "circle.jacobian": [
        lambda theta, beta: -np.eye(len(theta)),
        lambda theta, beta: np.zeros((len(theta), len(theta))),
        lambda theta, beta: (
            np.full((len(theta),) * 2, 1 / len(theta)) - np.eye(len(theta))
        ),
    ],
    "clustering.lowest": [
        lambda x, w: (x @ w).max(axis=1),
        lambda x, w: (x @ w).mean(axis=1),
        lambda x, w: (x @ w).min(axis=0),
        lambda x, w: x[:, :, 1].min(axis=1),
    ],
    "clustering.balanced": [
        np.eye(4)[:, :3],
        np.vstack([TRIANGLE, [[0, 0, 1.0]]]),
        np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1.0, 0]]),
        "a tetrahedron",
    ],
    "performance.moments": [
        whole_matrix,
        no_shift,
        lambda p, x, block: whole_matrix(p, x, block)[1],
        lambda p, x, block: (np.zeros(len(p)), p),
        lambda p, x, block: whole_matrix(p[:block], x, block),
        "moments",
    ],
    "performance.rejected": [
        np.eye(2),
        np.ones((20, 2)),
        around(np.linspace(0, 2 * np.pi, 20)),
        around(np.linspace(0, 0.1, 20)),
        "a cloud",
    ],
    "energy.interaction_moments": [
        lambda x, beta, kmax: energy.interaction(x, Heads.descent(np.eye(x.shape[1]))),
        lambda x, beta, kmax: power_series(x, beta, kmax - 1),
        lambda x, beta, kmax: power_series(x, beta, kmax) * 2 * beta,
        lambda x, beta, kmax: power_series(x, beta, 30),
        lambda x, beta, kmax: power_series(x.mean(axis=0)[None], beta, kmax),
    ],
    "gradient.p_weights": [
        lambda x, heads: energy.head_weights(x, heads),
        lambda x, heads: energy.effective_weight(x, heads),
        lambda x, heads: np.tile(heads.mass[:, None], len(x)),
        lambda x, heads: (
            energy.effective_weight(x, heads)
            / energy.head_weights(x, heads)
            / len(heads)
        ),
    ],
    "experiments.in_step": [
        lambda D0: weights.oscillating(10, 3, D0),
        lambda D0: weights.oscillating(10, 3, np.eye(3), phase="common"),
        lambda D0: weights.oscillating(1, 3, D0[0], phase="common"),
        lambda D0: weights.constant(Heads.descent(D0)),
        lambda D0: D0,
    ],
    "real_weights.null_band": [
        lambda statistic, N, d, reps, rng: (0.0, 0.0),
        lambda statistic, N, d, reps, rng: statistic(rng.standard_normal((N, d))),
        lambda statistic, N, d, reps, rng: np.quantile(
            [statistic(rng.standard_normal((N, d))) for _ in range(reps)], [0, 1]
        ),
        lambda statistic, N, d, reps, rng: np.quantile(
            [statistic(rng.random((N, d))) for _ in range(reps)], [0.025, 0.975]
        ),
        lambda statistic, N, d, reps, rng: np.quantile(
            [
                statistic(np.random.default_rng(k).standard_normal((N, d)))
                for k in range(reps)
            ],
            [0.025, 0.975],
        ),
        "a band",
    ],
    "experiments.four_heads": [],  # takes a number and a seed: below
    "gradient.rising": [],  # takes tokens and matrices: below
    "balance.residual": [
        lambda run, path, rule: energy.balance(run, path, rule).residual[-1],
        lambda run, path, rule: -energy.balance(run, path, rule).left_point[-1],
        lambda run, path, rule: energy.balance(run, path, rule).left_point,
        lambda run, path, rule: energy.balance(run, path).left_point[-1] + 1e-9,
    ],
    "steps.jko_energy_drop": [
        price_forgotten,
        price_at_the_new_place,
        lambda x, y, heads, tau: 0.0,
    ],
    "layers_that_change.phases": [
        (0, 2 * np.pi / 3, 4 * np.pi / 3),
        (0, 0),
        "spread",
    ],
    "layers_that_change.partner": [
        lambda t, H: np.arange(H),
        lambda t, H: (np.arange(H) - round(t * H / 2 / np.pi)) % H,
        lambda t, H: np.zeros(H),
        lambda t, H: np.arange(H - 1),
        lambda t, H: np.arange(H) + t,
    ],
    "density.growth_rates": [
        lambda beta, kmax: np.arange(1, kmax + 1) ** 2 / beta,
        lambda beta, kmax: iv(np.arange(1, kmax + 1), beta) / iv(0, beta),
        lambda beta, kmax: 1.0,
    ],
    "density.five_clusters": [
        lambda theta: theta,
        lambda theta: theta + 0.5 * np.sin(5 * theta),
        lambda theta: theta[:5],
        lambda theta: theta - 0.02 * np.sin(4 * theta),
    ],
    "stability.worst_cloud": [
        3.0,
        np.eye(2),
        np.ones((2, 2)),
        np.array([[1.0, 0.0]]),
        around(np.linspace(0, 1, 9)),
    ],
    "claims.row": [
        "a row",
        a_row(lambda rng: 1.1, tolerance=0.2, why=""),
        a_row(lambda rng: 1.3, tolerance=0.2),
        a_row(lambda rng: 1.1, tolerance=2.0),
        a_row(lambda rng: 1 / 0, tolerance=0.2),
    ],
    "closure.attend_gaussian": [
        lambda x, mean, cov, B: mean + x @ B @ cov,
        lambda x, mean, cov, B: x @ B.T @ cov,
        lambda x, mean, cov, B: mean + x @ B.T,
        lambda x, mean, cov, B: np.linalg.solve(cov, x.T).T,
    ],
    "riccati.precision_flow": [
        lambda P0, A, B, v, t: P0 - v * t * (B + B.T),
        lambda P0, A, B, v, t: np.linalg.inv(P0),
        lambda P0, A, B, v, t: back_and_forth(P0, A, B, v, t, 1.0),
        lambda P0, A, B, v, t: back_and_forth(P0, A, B, -v, t, -1.0),
    ],
    "riccati.whiten": [
        lambda A, B, V: np.array([A, V]),
        lambda A, B, V: whitened(A, B, V, np.linalg.cholesky(B).T),
        lambda A, B, V: whitened(A, B, V, B),
    ],
    "regimes.scalar_fate": [
        lambda a, vk, S0: "dies",
        lambda a, vk, S0: ("dies", 0.0),
        lambda a, vk, S0: ("explodes", 1 / (2 * vk * S0)) if vk > 0 else ("dies", 0.0),
        fate_without_the_bar,
        lambda a, vk, S0: fate_without_the_bar(a + 1e-7, vk, S0),
    ],
    "blow_up.wall": [
        lambda v, B, cov: 1 / (v * np.linalg.eigvalsh(B + B.T)[-1]),
        lambda v, B, cov: 1 / np.linalg.eigvals(v * cov @ (B + B.T)).real.max(),
        lambda v, B, cov: np.inf,
        lambda v, B, cov: "never",
        lambda v, B, cov: np.nan,
    ],
    "equilibria.is_equilibrium": [
        lambda layer, cov, tol: True,
        lambda layer, cov, tol: abs(layer.jacobian(cov)).max() <= tol,
        lambda layer, cov, tol: abs(layer.jacobian(cov) @ cov).max() <= tol,
        lambda layer, cov, tol: 0.0,
    ],
    "rank.rank_preserving_step": [
        lambda L, layer, dt: L,
        lambda L, layer, dt: L + dt * layer.jacobian(L @ L.T) @ L,
        lambda L, layer, dt: frozen_step(L, layer, dt),
        lambda L, layer, dt: L @ L.T,
    ],
    "relu.relu_gap": [
        lambda mean, cov, A, c: np.sum(np.minimum(A @ mean + c, 0) ** 2),
        lambda mean, cov, A, c: np.nan,
        positive_part,
    ],
    "geometry.action": [
        lambda x, beta: (len(x) - 1) * np.sum(np.diff(x, axis=0) ** 2) / x.shape[1],
        lambda x, beta: film_weights(x, beta) @ np.ones(x.shape[1]),
        lambda x, beta: film_weights(x, beta).sum() / (len(x) - 1),
        lambda x, beta: film_weights(x[::-1], beta).mean(axis=1).sum() * (len(x) - 1),
    ],
}


WRONG |= {
    "reachable.two_stages": [
        (2 * np.diag([np.log(2), 0.0]), np.zeros((2, 2))),
        (np.diag([np.log(2), 0.0]), np.pi / 3 * QUARTER),
        (2 * np.diag([np.log(2), 0.0]), -2 * np.pi / 3 * QUARTER),
        (2 * np.pi / 3 * QUARTER, 2 * np.diag([np.log(2), 0.0])),
        (1e9 * QUARTER, QUARTER),
        np.eye(2),
        "a stretch and a turn",
    ],
    "reachable.no_logarithm": [
        (2 * np.diag([0.0, np.log(2)]), np.zeros((2, 2))),
        (np.diag([0.0, np.log(2)]), 2 * np.pi * QUARTER),
        (2 * np.diag([np.log(2), 0.0]), 2 * np.pi * QUARTER),
        np.log(2),
    ],
    "steering.midpoint": [
        lambda S0, S1, method: (S0 + S1) / 2,
        lambda S0, S1, method: np.linalg.inv(
            (np.linalg.inv(S0) + np.linalg.inv(S1)) / 2
        ),
        lambda S0, S1, method: None,
    ],
    "neighbours.layer_of_filter": [
        lambda A, C, R, v: (A, -C.T @ np.linalg.solve(R, C) / v, v * np.eye(2)),
        lambda A, C, R, v: (A, C.T @ np.linalg.solve(R, C) / (2 * v), v * np.eye(2)),
        lambda A, C, R, v: (A, -C.T @ np.linalg.solve(R, C) / 2, np.eye(2)),
        lambda A, C, R, v: (A, -C.T @ R @ C / (2 * v), v * np.eye(2)),
        lambda A, C, R, v: (A.T, -C.T @ np.linalg.solve(R, C) / v / 2, v * np.eye(2)),
        lambda A, C, R, v: A,
        lambda A, C, R, v: (A, QUARTER, v * np.eye(2)),
        lambda A, C, R, v: (A, "B", v * np.eye(2)),
    ],
    "neighbours.filters": [
        [True, True, True, True],
        [True, False, False, False],
        [True, False],
        "all",
    ],
}

WRONG |= cold_mistakes.WRONG


def _check_named(name: str):
    page, function = name.split(".")
    return getattr(getattr(check, page), function)


@pytest.mark.unchecked
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


NEAR = np.array([[1.0, 0.0], [0.5, 0.75**0.5]])  # two tokens, 60 degrees apart
UPHILL = np.array([np.eye(2), -2 * np.eye(2)])


@pytest.mark.parametrize(
    "x, D, said",
    [
        (NEAR, UPHILL[:, :, ::-1] + [[0, 1], [0, 0]], "symmetric"),
        (NEAR, UPHILL[::-1] * [[[1]], [[2.5]]], "norms"),
        (NEAR, UPHILL[[0, 0]], "dissipation"),
        (2 * NEAR, UPHILL, "norm 1"),
        (NEAR, UPHILL[0], "shape"),
        (NEAR[0], UPHILL, "shape"),
        ("uphill", UPHILL, "tokens"),
    ],
    ids=["turned", "large", "equal", "long", "one head", "one token", "words"],
)
def test_an_energy_that_does_not_rise_is_refused(x, D, said):
    verdict = check.gradient.rising(x, D)
    assert not verdict and said in verdict.sentence


def test_two_near_tokens_under_opposite_heads_go_uphill():
    assert check.gradient.rising(NEAR, UPHILL)


def test_the_weights_p_make_the_softmax_velocity_of_the_slopes():
    rng = np.random.default_rng(4)
    A, x = rng.normal(size=(3, 3, 3)), sphere.uniform(6, 3, rng)
    heads = Heads.descent(A + A.swapaxes(1, 2), mass=[0.2, 0.3, 0.5])

    def p_weights(x, heads):
        p = heads.mass[:, None] / energy.head_weights(x, heads)
        return p / p.sum(axis=0)

    assert check.gradient.p_weights(p_weights)
    tilt = np.exp(np.einsum("id,hde,je->hij", x, heads.B, x))
    pull = np.einsum("hij,hde,je->hid", tilt, heads.B, x) / len(x)
    slopes = np.array([sphere.project(x, g) for g in pull])
    mean = np.einsum("hi,hid->id", p_weights(x, heads), slopes)
    v = -mean / energy.effective_weight(x, heads)[:, None]
    # both are sums of a few exponentials below 1e4
    np.testing.assert_allclose(v, attention.velocity(x, heads), atol=1e-10)


@pytest.mark.parametrize(
    "value, seed, said",
    [(0.5, 3, "another seed"), (0.02, 3, "another seed"), (0.1, -1, "seed"),
     (0.1, "mine", "seed"), ([0.1, 0.1], 3, "shape"), ("a tenth", 3, "")],
)  # fmt: skip
def test_a_mean_that_is_no_run_of_four_heads_is_refused(value, seed, said):
    verdict = check.experiments.four_heads(value, seed)
    assert not verdict and said in verdict.sentence


def test_uneven_rows_are_no_tokens():
    assert not check.measures.detour([[0, 1], [1]], [[0, 1], [1]])


def test_complex_numbers_are_no_answer():
    assert not check.measures.w2_line(lambda x, y: check_line(x, y) + 0j)
    assert check.measures.w2_line(check_line)


def check_line(x, y):
    return np.sqrt(np.mean((np.sort(x) - np.sort(y)) ** 2))


def test_a_layer_may_be_in_single_precision():
    def layer(x, heads, h):
        moved = sphere.retract(x + h * attention.velocity(x, heads))
        return moved.astype(np.float32).tolist()

    assert check.layers.layer(layer)


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


def exercises(page):
    """The exercises that a page checks: functions of its module that give a verdict."""
    for name, function in vars(getattr(check, page)).items():
        own = getattr(function, "__module__", "") == f"tfdynlib.check.{page}"
        if own and inspect.isfunction(function) and name[0] != "_":
            if function.__annotations__.get("return") in ("Verdict", check.Verdict):
                yield function


@pytest.mark.unchecked
@pytest.mark.parametrize("page", check.PAGES)
def test_a_number_too_large_is_a_wrong_answer_and_no_more(page):
    """Whether it is the answer itself, or what a reader's function returns."""
    for function in exercises(page):
        wanted = inspect.signature(function).parameters.values()
        n = len([one for one in wanted if one.default is one.empty])
        for huge in (10**400, 10**5000, [[10**5000]]):
            for answer in (huge, lambda *_, huge=huge: huge):
                verdict = function(*[answer] * n)
                assert not verdict and "Not yet" in repr(verdict), function.__name__
