"""The figure of the account: its twin, the published numbers, and what it says."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from figurehand import (
    HASH,
    assert_says,
    assert_whole,
    clock,
    deviation,
    lamps,
    model,
    numbers,
    play,
    put,
    run_copied,
    settle,
)

from tfdynlib import sphere
from tfdynlib.widgets import Balance
from tfdynlib.widgets.balance import TERMS, account, start_of, steps_of

WEB = Path(sphere.__file__).parent / "widgets" / "web"


@pytest.fixture
def address(bare_pages) -> str:
    return bare_pages("Balance")[0]


def in_node(module: str, names: str, body: str, cases: list) -> list:
    """What a piece of JavaScript gives for each case."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("NOT TESTED: the page's twin, because Node is not installed")
    script = (
        f"import {{ {names} }} from '{(WEB / module).as_uri()}';"
        "import { readFileSync } from 'node:fs';"
        f"const one = (c) => {{ {body} }};"
        "const cases = JSON.parse(readFileSync(0, 'utf8'));"
        "process.stdout.write(JSON.stringify(cases.map(one)));"
    )
    done = subprocess.run(
        [program, "--input-type=module", "--eval", script],
        input=json.dumps(cases), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# The twin


def test_normal_and_whole_numbers_are_those_of_numpy():
    body = (
        "const r = generator(c); const a = Array.from({length: 33}, () => r.below(6));"
        "return [a, Array.from({length: 20000}, () => r.normal())]"
    )
    for seed, (a, b) in zip(
        (0, 42, 7), in_node("twin/random.mjs", "generator", body, [0, 42, 7])
    ):
        rng = np.random.default_rng(seed)
        assert (rng.integers(0, 6, 33) == a).all()
        expected = rng.standard_normal(20000)
        # The layers of the ziggurat are computed here and stored there.
        np.testing.assert_allclose(b, expected, atol=1e-13)
        assert np.abs(expected).max() > 3.66  # beyond the last layer


CASES = [
    {"space": "circle", "motion": "noisy", "D": [[[1, 0.3], [0.3, -0.5]]]},
    {"motion": "noisy", "D": [np.eye(3).tolist(), np.diag([1.0, 0, -1]).tolist()]},
    {"motion": "oscillating",
     "D": [np.eye(3).tolist(), np.diag([1.0, 0, -1]).tolist()]},
    {"motion": "oscillating", "space": "circle", "rule": "gradient",
     "D": [[[1, 0.3], [0.3, -0.5]], [[-0.6, 0.2], [0.2, 0.8]]]},
    {"motion": "ascent", "start": "axes"},
    {"motion": "frozen", "start": "point", "n": 1, "space": "circle",
     "D": [[[0, 1], [1, 0]], [[0, -2], [-2, 0]]]},
]  # fmt: skip
RUN = """
const run = runOf({ ...c, d: c.space === "circle" ? 2 : 3 });
while (run.advance(1000));
const last = run.filled - 1;
const book = run.books[0];
return { x: [...run.at(last)], terms: c.terms.map((name) => book[name][last]),
  coded: book.paper[last], exact: book.exact[last] };
"""


def test_terms_of_the_account_are_those_of_the_package():
    """Weights along oscillation and noise, dissipation, residual, after ten steps."""
    small = {"n": 9, "t_end": 1, "dt": 0.1, "paths": 2}
    states = [Balance().state() | small | case for case in CASES]
    states = [state | {"terms": TERMS} for state in states]
    for state, found in zip(states, in_node("balance/run.mjs", "runOf", RUN, states)):
        _, x, book = account(state, 10)
        # Rounding of sums of exponentials below e^4, carried through ten steps.
        np.testing.assert_allclose(np.ravel(x[-1]), found["x"], atol=1e-11)
        np.testing.assert_allclose(
            [book[name][-1] for name in TERMS], found["terms"], atol=1e-11
        )
        gain = book["energy"][-1] - book["energy"][0]
        rest = gain - book["weights"][-1] + book["lost"][-1] - book["noise"][-1]
        assert found["exact"] == pytest.approx(rest, abs=1e-11)
        alike = state["rule"] == "gradient" or len(state["D"]) == 1
        assert (abs(found["exact"] - found["coded"]) < 1e-11) == alike


PUBLISHED = {
    "h1_oscillating": [(0.0760, 0.0760), (0.0374, 0.0374), (0.0186, 0.0186)],
    "h2_oscillating": [(-0.6250, 0.0272), (-0.6345, 0.0134), (-0.6391, 0.0067)],
}


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_halving_the_step_halves_the_exact_residual_and_not_the_coded(name):
    dts = (0.01, 0.005, 0.0025)
    states = [Balance(name).state() | {"dt": dt, "terms": TERMS} for dt in dts]
    runs = in_node("balance/run.mjs", "runOf", RUN, states)
    found = np.array([(run["coded"], run["exact"]) for run in runs])
    np.testing.assert_allclose(found, PUBLISHED[name], atol=6e-5)  # four decimals
    # The next order adds a few per cent at these steps.
    np.testing.assert_allclose(found[:-1, 1] / found[1:, 1], 2, rtol=0.05)
    if name == "h2_oscillating":
        limit = 2 * found[2, 0] - found[1, 0]
        assert limit == pytest.approx(-0.644, abs=1e-3)


def test_work_of_the_noise_has_mean_zero_though_most_paths_lose():
    small = {"n": 8, "t_end": 1, "dt": 0.1, "paths": 1000, "motion": "noisy"}
    state = Balance().state() | small | {"space": "circle", "D": CASES[0]["D"]}
    body = """
    const run = runOf({ ...c, d: 2 });
    while (run.advance(1000));
    return run.books.map((book) => book.noise[run.filled - 1]);
    """
    M = np.array(in_node("balance/run.mjs", "runOf", body, [state])[0])
    # Four standard errors of the mean; sums over left ends have no bias at any step.
    assert abs(M.mean()) < 4 * M.std() / np.sqrt(len(M))
    assert np.median(M) < 0


# On a page


def test_halve_dt_keeps_the_earlier_residuals_in_words(visit):
    page = visit(rest=False)
    put(page, **Balance("h2_oscillating").state() | {"t_end": 2, "t": 2.0, "n": 12})
    picture = page.evaluate(HASH)
    first = numbers(page)
    page.get_by_role("button", name="Halve dt").click()
    settle(page)
    second = numbers(page)
    assert model(page, "dt") == 0.005 and second["steps"] == 2 * first["steps"]
    assert page.evaluate(HASH) != picture
    assert "(dt 0.01)" in page.inner_text(".tfdyn-earlier")
    assert abs(second["exact"]) < 0.6 * abs(first["exact"])
    assert abs(second["paper"]) > 0.9 * abs(first["paper"])


def test_copied_python_prints_the_numbers_of_the_figure(visit):
    page = visit()
    cases = [*CASES, CASES[2] | {"book": "coded"}, CASES[2] | {"t": 0.0}]
    for case in cases:
        state = Balance().state() | {"n": 8, "t_end": 1, "dt": 0.05, "t": 0.5} | case
        put(page, **state)
        (energy, rest), _ = run_copied(page)
        seen = numbers(page)
        # Two orders of summation, through ten steps.
        assert seen["energy"] == pytest.approx(energy, rel=1e-11), case
        name = "paper" if state["book"] == "coded" else "exact"
        assert seen[name] == pytest.approx(rest, abs=1e-11), case


LAMPS = [
    ("h1_oscillating", {}, ["holds", "holds", "fails", "holds"]),
    ("h2_oscillating", {}, ["fails", "fails", "fails", "holds"]),
    ("h2_oscillating", {"rule": "gradient"}, ["holds", "holds", "fails", "holds"]),
    ("counterexample", {}, ["holds", "fails", "holds", "holds"]),
    ("one_head_descent", {"dt": 0.1, "D": [np.diag([9.0, 0, 0]).tolist()]},
     ["holds", "holds", "holds", "fails"]),
]  # fmt: skip


def test_lamps_say_whether_the_residual_must_vanish(visit):
    page = visit(rest=False)
    for name, change, words in LAMPS:
        put(page, **Balance(name).state() | {"t_end": 1, "t": 1.0} | change)
        assert lamps(page) == words, (name, change)


def test_verdict_of_the_counterexample_and_of_noise(visit):
    page = visit(rest=False)
    put(page, **Balance("counterexample").state())
    assert "the energy rises" in page.inner_text(".tfdyn-verdict")
    put(page, **Balance("ou_paths").state() | {"t_end": 1, "t": 1.0})
    assert "Over 20 paths" in page.inner_text(".tfdyn-verdict")
    assert len(numbers(page)["noises"]) == 20


def test_a_head_stays_symmetric_when_a_cell_is_typed(visit):
    page = visit(rest=False)
    put(page, **Balance("one_head_descent").state() | {"t_end": 1})
    cell = page.get_by_label("D, row 1, column 2")
    cell.fill("0.75")
    cell.press("Enter")
    settle(page)
    assert model(page, "D")[0][0][1] == model(page, "D")[0][1][0] == 0.75


def test_play_and_deviation(visit):
    page = visit()
    assert deviation(page) < 1e-12  # rounding, through eight steps
    play(page)
    t, picture = clock(page), page.evaluate(HASH)
    page.locator(".tfdyn-scrub").press("ArrowRight")
    settle(page)
    assert clock(page) != t and page.evaluate(HASH) != picture


def test_the_live_sentence_has_energy_and_residual(visit):
    page = visit()
    assert_says(
        page,
        r"Layer-time 4\.0\. 60 tokens, one head, weights oscillating\. "
        r"Energy \d\.\d+, residual \d\.\d+\.",
    )


def test_ends_of_the_range_give_a_sentence_and_no_nan(visit):
    page = visit()
    start = Balance("one_head_descent").state() | {"t_end": 1, "t": 1.0, "n": 8}
    hot = np.full((3, 3), 10.0).tolist()
    for change in (
        {"n": 1},
        {"D": [hot], "dt": 0.1},
        {"D": [hot] * 4, "motion": "noisy", "paths": 1, "noise_var": 4.0},
        {"D": [np.zeros((3, 3)).tolist()]},
        {"space": "circle", "motion": "oscillating", "D": [hot]},
    ):
        put(page, **start | change)
        assert_whole(page)
        assert np.isfinite(numbers(page)["x"]).all(), change


# In Python


def test_symmetric_matrices_of_one_size_are_asked_for():
    for wrong in ([[[0, 1], [2, 0]]], [], [np.eye(4).tolist()]):
        with pytest.raises(ValueError, match="symmetric"):
            Balance(D=wrong)


@pytest.mark.parametrize(
    ("dt", "t_end"), [(0.01, 20), (0.00125, 40), (0.1, 1), (0.033, 7)]
)
def test_steps_are_whole_frames_of_about_dt(dt, t_end):
    steps, stride = steps_of({"dt": dt, "t_end": t_end})
    assert steps % stride == 0 and steps / stride <= 1000
    # Rounding to a whole number of steps, then of frames.
    assert t_end / steps == pytest.approx(dt, rel=max(dt / t_end, stride / steps))


def test_the_start_near_the_axes_is_on_the_sphere():
    x = start_of(Balance("h1_oscillating").state())
    assert x.shape == (60, 3)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1, rtol=1e-14)
    assert (np.abs(x).max(axis=1) > 0.9).all()
