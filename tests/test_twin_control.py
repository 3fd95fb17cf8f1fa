"""The page's steering against ``tfdynlib.control``, in Node."""

import numpy as np
import pytest
import test_twin
from unchecked import unchecked

from tfdynlib import control, gaussian
from tfdynlib.widgets.steer import METHODS, path_of

node = test_twin.node
IMPORTS = {
    "control.mjs": "steer, weightsAt, momentsAt, integrated, weightCost, kineticCost, "
    "distance2, rankOf, gap, powerAt",
}
GIVEN = """
  const law = (mean, cov) => ({ mean, cov: cov.flat() });
  const start = law(c.start_mean, c.start_cov);
  const target = law(c.target_mean, c.target_cov);
  const path = steer(start, target, c.T, c.method);
"""
SHARES = [0.0, 0.2, 0.5, 0.9, 1.0]


def covariance(rng: np.random.Generator, rank: int) -> list:
    L = rng.normal(size=(2, rank))
    return (L @ L.T + (0.05 * np.eye(2) if rank == 2 else 0)).tolist()


def case(seed: int, rank: int, method: str, T: float = 1.3) -> dict:
    """A state of the figure: two random Gaussians of the same rank."""
    rng = np.random.default_rng([seed, rank])
    return {
        "start_mean": rng.normal(size=2).tolist(),
        "start_cov": covariance(rng, rank),
        "target_mean": rng.normal(size=2).tolist(),
        "target_cov": covariance(rng, rank),
        "method": method,
        "T": T,
    }


CASES = [case(k, 2, method) for k in range(6) for method in METHODS]
CASES += [case(k, 1, m) for k in range(4) for m in ("feedforward", "geodesic")]
CASES += [case(0, 0, m, T=0.1) for m in ("feedforward", "geodesic")]


def weights_of(state: dict) -> list:
    path = path_of(state)
    layers = [path(s * state["T"]) for s in SHARES]
    return [np.concatenate([a.ravel() for a in (w.A, w.B, w.V, w.b)]) for w in layers]


def test_weights_are_the_packages(node):
    body = (
        GIVEN
        + f"""return {SHARES}.map((s) => {{
      const {{ A, B, V, b }} = weightsAt(path, s * c.T);
      return [...A, ...B, ...V, ...b];
    }});"""
    )
    for state, got in zip(CASES, node(IMPORTS, body, CASES)):
        want = np.array(weights_of(state))
        # inverses and logarithms of matrices with a condition of up to 1e3
        size = np.abs(want).max()
        assert np.array(got) == pytest.approx(want, abs=1e-11 * size)


def costs_of(state: dict) -> list:
    """Costs and moments half way, by the package."""
    path = path_of(state)
    start = gaussian.Gaussian(state["start_mean"], state["start_cov"])
    run = gaussian.solve(path, start, [0.0, state["T"] / 2, state["T"]])
    paid = [control.weight_cost(path), control.kinetic_cost(path, start)]
    return [*paid, *run.mean[1].tolist(), *run.cov[1].ravel().tolist()]


def test_costs_and_the_middle_of_the_way_are_the_packages(node):
    body = (
        GIVEN
        + """
      const here = momentsAt(path, c.T / 2);
      return [weightCost(path), kineticCost(path), ...here.mean, ...here.cov];"""
    )
    want = unchecked(costs_of, [[state] for state in CASES])
    for one, got in zip(want, node(IMPORTS, body, CASES)):
        # the package stops its quadrature at 1e-11, its moments at steps of 1e-12
        assert got == pytest.approx(one, rel=1e-9, abs=1e-10)


def test_weights_followed_by_the_moment_equations_end_at_the_target(node):
    body = (
        GIVEN
        + """
      const run = integrated(path, start);
      const middle = momentsAt(path, 0.4 * c.T);
      return [gap(run.at(c.T), target), gap(run.at(0.4 * c.T), middle)];"""
    )
    for end, middle in node(IMPORTS, body, CASES):
        # some hundred steps of 1e-12, which the flow may stretch; between the steps the
        # interpolation is of order four
        assert end < 1e-9
        assert middle < 1e-7


def test_costs_against_closed_forms(node):
    """Means at rest: only the covariance pays."""
    states = [
        {**case(k, 2, m), "start_mean": [0, 0], "target_mean": [0, 0]}
        for k in range(4)
        for m in METHODS
    ]
    body = GIVEN + "return [weightCost(path), kineticCost(path)];"
    for state, (paid, moved) in zip(states, node(IMPORTS, body, states)):
        T, method = state["T"], state["method"]
        g, h = (
            gaussian.Gaussian([0, 0], state[key]) for key in ("start_cov", "target_cov")
        )
        stretch = np.linalg.eigvalsh(control.bures_map(g, h))
        P = np.linalg.inv(g.cov) - np.linalg.inv(h.cov)
        want = {
            "feedforward": np.sum(np.log(stretch) ** 2) / T,
            "geodesic": np.sum((stretch - 1) ** 2 / stretch) / T,
            "attention": np.sum(P**2) / (4 * T) + 2 * T,
        }
        assert paid == pytest.approx(want[method], rel=1e-11)
        least = gaussian.distance(g, h) ** 2 / T
        if method == "geodesic":
            assert moved == pytest.approx(least, rel=1e-10)
        assert moved >= least * (1 - 1e-10)


def test_tokens_of_the_straight_way_keep_their_pace(node):
    states = [one for one in CASES if one["method"] == "geodesic"]
    body = GIVEN + f"return {SHARES}.map((s) => powerAt(path, s * c.T));"
    for power in node(IMPORTS, body, states):
        assert power == pytest.approx([power[0]] * len(power), rel=1e-10)


R1 = {
    "start_mean": [0.5, -0.3],
    "start_cov": [[1, 0.3], [0.3, 0.6]],
    "target_mean": [-1, 2],
    "target_cov": [[2, -0.5], [-0.5, 0.7]],
    "T": 1.0,
}


def test_the_numbers_of_the_example(node):
    body = (
        GIVEN
        + "return [weightsAt(path, 0), kineticCost(path), distance2(start, target)];"
    )
    states = [{**R1, "method": method} for method in METHODS]
    got = node(IMPORTS, body, states)
    # printed with five or ten decimals
    assert [one[1] for one in got] == pytest.approx(
        [8.24512, 8.24034, 8.01813], abs=6e-6
    )
    assert got[0][2] == pytest.approx(8.0181335660, abs=6e-11)
    A, b = got[0][0]["A"], got[0][0]["b"]
    want = [0.2322002065, -0.2628043972, -0.2628043972, 0.0388352920]
    assert A == pytest.approx(1.5 * np.array(want), abs=2e-10)
    assert b == pytest.approx([1.5 * -0.7618159807, 1.5 * 1.4680643829], abs=2e-10)
    B = [0.1892583120, -0.3410059676, -0.3410059676, 0.0738846263]
    assert got[1][0]["B"] == pytest.approx(1.5 * np.array(B), abs=2e-10)


def test_a_line_to_a_line_goes_in_two_stages(node):
    a = 2 * np.array([0.5, np.sqrt(0.75)])
    state = {
        "start_mean": [0, 0],
        "target_mean": [0, 0],
        "start_cov": [[1, 0], [0, 0]],
        "target_cov": np.outer(a, a).tolist(),
        "T": 1.0,
        "method": "feedforward",
    }
    body = (
        GIVEN
        + """return [weightsAt(path, 0.2).A, weightsAt(path, 0.5).A,
      distance2(start, target), integrated(path, start).at(0.8).cov];"""
    )
    ((first, second, distance, cov),) = node(IMPORTS, body, [state])
    assert first == pytest.approx([2 * np.log(2), 0, 0, 0], abs=1e-15)
    turn = 2 * np.pi / 3
    assert second == pytest.approx([0, -turn, turn, 0], abs=1e-14)
    assert distance == pytest.approx(3, abs=1e-14)
    # what the followed weights leave of the second eigenvalue
    assert abs(np.linalg.eigvalsh(np.reshape(cov, (2, 2)))[0]) < 1e-10


def at_a_right_angle(angle: float, turn: float, method: str) -> dict:
    """A line and another one, all but a quarter turn away; means at rest."""
    covs = {}
    for key, a in (("start_cov", angle), ("target_cov", angle + turn)):
        line = 1.3 * np.array([np.cos(a), np.sin(a)])
        covs[key] = np.outer(line, line).tolist()
    still = {"start_mean": [0.0, 0.0], "target_mean": [0.0, 0.0]}
    return {**still, **covs, "T": 1.0, "method": method}


def test_of_two_equal_turns_both_take_the_one_to_the_left(node):
    offsets = (0.0, 1e-17, 1e-13, -1e-13, 3e-10, -3e-10)  # what rounding may leave
    cases = [
        at_a_right_angle(angle, way * (np.pi / 2 + off), method)
        for angle in np.linspace(0, np.pi, 9)
        for way in (1, -1)
        for off in offsets
        for method in ("feedforward", "geodesic")
    ]
    body = GIVEN + "return weightsAt(path, 0.75).A;"
    for state, got in zip(cases, node(IMPORTS, body, cases)):
        ours = path_of(state)(0.75).A
        assert got == pytest.approx(ours.ravel(), abs=1e-8)
        assert ours[1, 0] - ours[0, 1] > 1  # counter-clockwise


def test_ranks_and_refusals_are_the_packages(node):
    """Also just above and below the size that counts as rounding."""
    covs = [
        np.zeros((2, 2)),
        np.diag([1.0, 0.0]),
        np.diag([1.0, 1e-13]),
        np.diag([1.0, 1e-12]),
        np.outer([0.3, 0.7], [0.3, 0.7]),
        np.eye(2),
    ]
    pairs = [(S, R) for S in covs for R in covs]
    states = [
        {**R1, "start_cov": S.tolist(), "target_cov": R.tolist(), "method": method}
        for S, R in pairs
        for method in METHODS
    ]
    body = (
        GIVEN + "return [rankOf(start.cov), rankOf(target.cov), path.refused ?? null];"
    )
    for state, (one, other, refused) in zip(states, node(IMPORTS, body, states)):
        start = gaussian.Gaussian(state["start_mean"], state["start_cov"])
        target = gaussian.Gaussian(state["target_mean"], state["target_cov"])
        assert (one, other) == (start.rank, target.rank)
        assert (refused == "rank") == (not control.reachable(start, target))
        assert (refused is None) == (path_of(state) is not None)


def test_distances_are_the_packages(node):
    states = [{**one, "start_cov": R1["start_cov"]} for one in CASES]
    body = GIVEN + "return distance2(start, target);"
    for state, got in zip(states, node(IMPORTS, body, states)):
        start = gaussian.Gaussian(state["start_mean"], state["start_cov"])
        target = gaussian.Gaussian(state["target_mean"], state["target_cov"])
        # a difference of traces: rounding of numbers up to 10
        assert got == pytest.approx(gaussian.distance(start, target) ** 2, abs=1e-13)
