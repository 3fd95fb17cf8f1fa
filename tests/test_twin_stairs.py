"""The page's runs into deep layer-time against ``tfdynlib``, in Node."""

import numpy as np
import pytest
import test_twin
from unchecked import no_checks

from tfdynlib import attention, flow, measure, metastability, sphere, weights
from tfdynlib.widgets import Stairs
from tfdynlib.widgets.stairs import merge_radius, run_of, start_of

node = test_twin.node
I = [[1.0, 0.0], [0.0, 1.0]]
PLAIN = "{ B: [1, 0, 0, 1], V: [1, 0, 0, 1] }"
HEAD = "{ B: flat(c.B), V: flat(c.V) }"
# beta = 9, two equal clusters from a gap to 0.1 rad, by quadrature
WAITS = {np.pi / 2: 465.9, 2.0: 21364, 2.5: 1.26e6, 3.0: 3.24e7}
# beta: W2 > 0.2 again, W2 between a grid of 0.05 by straight lines
EXITS = {40: 5.494, 80: 6.582, 160: 7.638, 320: 8.684}
# chains of steps of 0.3 form and break while tokens go to the poles, or spread out
TOUCHING: list[dict] = [
    {"B": [[2.0, 0.0], [0.0, 0.5]], "V": [[1.0, 0.0], [0.0, 2.0]]},
    {"B": I, "V": [[-1.0, 0.0], [0.0, -1.0]]},
]
EXITS_OF_THE_GRID = {40: 10.88, 80: 12.00, 160: 13.14, 320: 14.29}


def on_circle(angles: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(angles), np.sin(angles)])


def test_angular_velocity_is_that_of_the_package(node):
    cases, want = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y, mass = rng.uniform(-np.pi, np.pi, 9), rng.dirichlet(np.ones(9))
        B, V = rng.normal(size=(2, 2, 2))
        beta = 10.0 ** rng.uniform(-1, 2)
        x = on_circle(y)
        v = attention.velocity(x, weights.Heads(B, V, beta=beta), mass)
        want.append(x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])
        cases.append({"y": y.tolist(), "mass": mass.tolist(), "beta": beta,
                      "B": B.tolist(), "V": V.tolist()})  # fmt: skip
    body = f"return [...angularVelocity(flat(c.y), flat(c.mass), {HEAD}, c.beta)];"
    got = node({"stairs.mjs": "angularVelocity"}, body, cases)
    # rounding times beta |B|, the condition of a softmax
    np.testing.assert_allclose(got, want, atol=1e-12)


def test_what_a_token_sends_to_itself_is_nothing(node):
    """Two tokens at beta 300: a pull of e^-588 is not rounding of the token's own."""
    body = f"return [...angularVelocity(flat([0, 3]), flat([.5, .5]), {PLAIN}, 300)];"
    (v,) = node({"stairs.mjs": "angularVelocity"}, body, [0])
    assert np.abs(v).max() < 1e-200


@pytest.mark.parametrize("radius", [0.02, 0.1, 0.5])
def test_chains_are_the_clusters_of_the_package(node, radius):
    draws = [np.random.default_rng(k).uniform(-9, 9, 30) for k in range(10)]
    body = f"return [...chains(flat(c), {radius}).labels];"
    got = node({"stairs.mjs": "chains"}, body, [y.tolist() for y in draws])
    for labels, y in zip(got, draws):
        assert labels == metastability.clusters(on_circle(y), radius).tolist()


def test_dwell_time_is_the_quadrature_of_the_package(node):
    rng = np.random.default_rng(0)
    cases = [[g, 9.0, 0.1, 0.5] for g in WAITS] + [
        [float(g), float(b), 0.1, float(p)]
        for g, b, p in rng.uniform([0.2, 0.5, 0.05], [3.1, 30, 0.95], (20, 3))
    ]
    body = "return dwellTime(c[0], c[1], c[2], c[3], 1 - c[3]);"
    got = np.array(node({"dwell.mjs": "dwellTime"}, body, cases), float)
    want = [metastability.dwell_time(g, b, until=r, mass=p) for g, b, r, p in cases]
    # Simpson's rule on steps of 0.05 / beta in log tan(gap / 2)
    np.testing.assert_allclose(got, want, rtol=1e-7)
    np.testing.assert_allclose(got[:4], list(WAITS.values()), rtol=4e-3)


RUN = {
    "stairs.mjs": "coldRun, chains",
    "points.mjs": "angles, uniformCircle",
    "mergers.mjs": "mergerTree, waits",
}


def test_a_pair_meets_when_the_quadrature_says(node):
    """Up to 3e7 units of layer-time, in a few hundred steps."""
    body = f"""
      const run = coldRun(flat([-c / 2, c / 2]), {PLAIN}, 9, 1e8).finish();
      return [mergerTree(run, 0.1).times[1], run.steps + run.rejected];"""
    got = np.array(node(RUN, body, list(WAITS)))
    want = [metastability.dwell_time(g, 9.0) for g in WAITS]
    # 1e-11 for each of some hundred steps, in a gap whose motion is stretched
    np.testing.assert_allclose(got[:, 0], want, rtol=1e-8)
    assert got[:, 1].max() < 600


@pytest.fixture
def counted(node):
    """counted(n, beta, rtol, seeds): clusters at 1, 10, ..., 10^4 of uniform draws."""
    body = f"""
      const y = Float64Array.from(angles(uniformCircle(c.n, c.seed)));
      const run = coldRun(y, {PLAIN}, c.beta, 1e4, c.rtol).finish();
      return [1, 10, 100, 1e3, 1e4].map((t) => chains(run.tokens(t), 0.1).count);"""

    def count(n: int, beta: float, rtol: float, seeds: int) -> list:
        cases = [{"n": n, "beta": beta, "rtol": rtol, "seed": s} for s in range(seeds)]
        return node(RUN, body, cases)

    return count


def test_a_hundred_times_tighter_counts_the_same_clusters(counted):
    assert counted(64, 64.0, 1e-11, 20) == counted(64, 64.0, 1e-13, 20)


def test_a_loose_tolerance_counts_others(counted):
    tight, loose = counted(48, 30.0, 1e-11, 8), counted(48, 30.0, 1e-2, 8)
    assert sum(a[-1] != b[-1] for a, b in zip(tight, loose)) >= 4


@pytest.mark.unchecked
def test_cluster_counts_are_those_of_the_flow(counted):
    state = {**Stairs.defaults(), "n": 48, "beta": 30.0, "seed": 2}
    run = run_of(state, [0, 1, 10, 100, 1e3, 1e4])
    want = [int(metastability.clusters(x, 0.1).max()) + 1 for x in run.x[1:]]
    assert counted(48, 30.0, 1e-11, 3)[2] == want


@pytest.fixture(scope="module")
def tree(node) -> dict:
    """The page's tree of 32 tokens at beta 9."""
    body = f"""
      const y = Float64Array.from(angles(uniformCircle(32, 0)));
      const run = coldRun(y, {PLAIN}, 9, 1e7).finish();
      const tree = mergerTree(run, 0.1);
      return {{ ...tree, waits: waits(tree, 1e7) }};"""
    return node(RUN, body, [0])[0]


@pytest.fixture(scope="module")
def run() -> flow.Trajectory:
    """The package's run of the same tokens."""
    state = {**Stairs.defaults(), **Stairs.PRESETS["circle_beta9"].values}
    with no_checks():
        return run_of(state, np.append(0, np.geomspace(1e-3, 1e7, 401)))


def heights(tree: dict) -> list[float]:
    """Times at which two nodes become one; three at once count twice."""
    return [n["t"] for n in tree["nodes"] for _ in n["children"][1:]]


@pytest.mark.unchecked
def test_heights_of_the_tree_are_those_of_the_package(tree, run):
    ours = metastability.merging_tree(run, 0.1)
    assert ours.splits == 0
    # the package sees a merger at the next of its output times, 5.9 % apart
    assert (ours.t >= np.array(heights(tree)) * (1 - 1e-9)).all()
    np.testing.assert_allclose(heights(tree), ours.t, rtol=0.06, atol=1e-3)


@pytest.mark.unchecked
@pytest.mark.parametrize("head", TOUCHING, ids=["poles", "spread"])
def test_page_and_package_join_what_stays_together(node, head):
    state = {**Stairs.defaults(), **head, "n": 24, "t_end": 100.0}
    body = f"""
      const y = Float64Array.from(angles(uniformCircle(24, 0)));
      return mergerTree(coldRun(y, {HEAD}, 9, 100).finish(), 0.3);"""
    (tree,) = node(RUN, body, [state])
    run = run_of(state, np.append(0, np.geomspace(1e-3, 100, 401)))
    ours = metastability.merging_tree(run, 0.3)
    assert ours.splits > 0 and ours.leaves.max() + 1 == tree["leaves"]
    np.testing.assert_allclose(heights(tree), ours.t, rtol=0.03)


@pytest.mark.unchecked
def test_waits_are_the_dwell_times_of_the_package(tree, run):
    plateaus = metastability.dwell_times(run, 0.1)
    for wait in tree["waits"]:
        (one,) = [p for p in plateaus if p.start <= 1.5 * wait["from"] + 1e-3 < p.end]
        assert one.count == wait["count"]
        assert one.length == pytest.approx(wait["length"], rel=0.12)


def test_a_tree_is_a_tree_and_its_branches_are_intervals(tree):
    nodes, place = tree["nodes"], {k: i for i, k in enumerate(tree["order"])}
    assert sorted(tree["order"]) == list(range(32))
    for number, one in enumerate(nodes):
        at = [place[token] for token in one["tokens"]]
        assert max(at) - min(at) + 1 == len(at)
        parts = [nodes[child] for child in one["children"]]
        if parts:
            together = sorted(token for part in parts for token in part["tokens"])
            assert together == sorted(one["tokens"])
            assert all(p["t"] <= one["t"] and p["parent"] == number for p in parts)
    assert tree["counts"][-1] == 1 and tree["counts"][0] == tree["leaves"]


@pytest.mark.unchecked
def test_tokens_are_those_of_the_flow_and_merging_moves_nothing(node):
    """Page and package merge at 1e-9; without merging the flow is the same."""
    state = {**Stairs.defaults(), "n": 16, "seed": 3, "beta": 4.0, "t_end": 100.0}
    t = [0, 1, 10, 100]
    body = f"""
      const y = Float64Array.from(angles(uniformCircle(16, 3)));
      const run = coldRun(y, {PLAIN}, 4, 100).finish();
      return [1, 10, 100].map((t) => [...run.tokens(t)]);"""
    (got,) = node(RUN, body, [0])
    merged = run_of(state, t).x[1:]
    plain = flow.solve(
        attention.field(weights.Heads(I, I, beta=4.0)), start_of(state), t, rtol=1e-11
    ).x[1:]
    for angles, x, y in zip(got, merged, plain):
        # tolerance 1e-11 a step; tokens near each other part no faster than they meet
        np.testing.assert_allclose(on_circle(np.array(angles)), x, atol=1e-8)
        np.testing.assert_allclose(x, y, atol=1e-6)


def test_merge_radius_is_larger_than_what_a_step_may_err(node):
    got = node({"stairs.mjs": "mergeRadius"}, "return mergeRadius(c);", [1e-10, 1e-2])
    assert got == [merge_radius(1e-10), merge_radius(1e-2)] == [1e-8, 1e-2]


def test_distance_to_the_poles_and_its_law_are_those_of_the_package(node):
    rng = np.random.default_rng(1)
    cases, want, slopes = [], [], []
    for _ in range(8):
        turn = rng.uniform(-np.pi, np.pi)
        Q = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        V = Q @ np.diag([1.0, rng.uniform(1.2, 3)]) @ Q.T
        B = Q @ np.diag([4.0, rng.uniform(0.1, 1)]) @ Q.T
        x = sphere.uniform(41, 2, rng)
        heads = weights.Heads(B, V, beta=50.0)
        limit = metastability.Limit.of(heads)
        start = measure.Measure(sphere.uniform(41, 2, rng))
        mu = measure.Measure(x)
        want.append(metastability.distance_to_limit(mu, limit, start))
        slopes.append(metastability.exit_slope(heads))
        y, y0 = (np.arctan2(z[:, 1], z[:, 0]).tolist() for z in (x, start.x))
        cases.append({"B": B.tolist(), "V": V.tolist(), "y": y, "y0": y0})
    body = f"""
      const limit = limitOf({HEAD});
      const back = behind(flat(c.y0), limit.pole);
      return [polesDistance(flat(c.y), limit.pole, back), limit.slope];"""
    got = node({"exit.mjs": "behind, limitOf, polesDistance"}, body, cases)
    np.testing.assert_allclose(got, np.column_stack([want, slopes]), rtol=1e-9)


@pytest.mark.unchecked
@pytest.mark.parametrize(
    ("skew", "turn", "back", "exits"),
    [(0.4, 0.0, 115, EXITS), (0.0, 0.1, 100, EXITS_OF_THE_GRID)],
)
def test_exits_are_the_numbers_of_the_book(node, skew, turn, back, exits):
    body = f"""
      const y = Float64Array.from({{ length: 200 }}, (_, k) => {{
        const phi = ((k + 0.5) * 2 * Math.PI) / 200;
        return phi + c.skew * Math.sin(phi - 1) + c.turn;
      }});
      const run = coldRun(y, {HEAD}, c.beta, 16, 1e-8).finish();
      const back = behind(y, 0);
      const t = Float64Array.from({{ length: 321 }}, (_, k) => 0.05 * k);
      const d = t.map((time) => polesDistance(run.tokens(time), 0, back));
      return [exitTime(t, d, 321).exit, back, ...d];"""
    both = {"exit.mjs": "behind, exitTime, polesDistance", "stairs.mjs": "coldRun"}
    one = {"skew": skew, "turn": turn, "B": [[2, 0], [0, 0.5]], "V": [[1, 0], [0, 2]]}
    cases = [{**one, "beta": beta} for beta in exits]
    got = node(both, body, cases)
    assert [row[0] for row in got] == pytest.approx(list(exits.values()), rel=5e-4)
    assert {row[1] for row in got} == {back}
    t = 0.05 * np.arange(321)
    for row in got:
        ours = metastability.exit_time(t, np.array(row[2:]))
        assert row[0] == pytest.approx(ours, rel=1e-12)
