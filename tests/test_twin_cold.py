"""The page's low temperature against ``tfdynlib.metastability``, in Node.

Sums of a few hundred terms in another order, quadratures exact to rounding: 1e-10 is
asked for, and 1e-11 where no root of a small difference is taken.
"""

import numpy as np
import pytest
import test_twin
from unchecked import unchecked

from tfdynlib import attention, flow, metastability, sphere, weights
from tfdynlib.measure import Measure
from tfdynlib.metastability import Limit
from tfdynlib.widgets import _cold_line, _cold_views
from tfdynlib.widgets._cold_presets import PRESETS
from tfdynlib.widgets.cold import Cold

node = test_twin.node
HEAD = "{ B: list(flat(c.B)), V: list(flat(c.V)) }"
TOKENS = "flat(c.x), Float64Array.from(c.mass)"


def drawn(seed: int, d: int, n: int = 40) -> dict:
    """Random B and symmetric M, tokens with masses, as plain JSON."""
    rng = np.random.default_rng([seed, d])
    M = rng.normal(size=(d, d))
    B = np.eye(d) + 0.3 * rng.normal(size=(d, d))
    V = (M + M.T) @ np.linalg.inv(B)
    return {
        "B": B.tolist(), "V": V.tolist(), "beta": float(rng.choice([3.0, 60.0, 2e3])),
        "x": sphere.uniform(n, d, rng).tolist(), "n": n, "d": d,
        "mass": rng.dirichlet(np.ones(n)).tolist(),
    }  # fmt: skip


CASES = [drawn(seed, d) for seed in range(6) for d in (2, 3)]


def of(case: dict) -> tuple[weights.Heads, Measure]:
    heads = weights.Heads(case["B"], case["V"], case["beta"])
    return heads, Measure(case["x"], case["mass"])


def symmetrised(case: dict) -> dict:
    """The case with V B symmetric to the last bit but a few."""
    heads, mu = of(case)
    limit = Limit.of(heads)
    x = metastability.zero_temperature(mu.x, heads, [0.3, 2.0])
    moved = Measure(x[0], mu.mass)
    return {
        "values": limit.values.tolist(), "gap": limit.gap, "dim": limit.dim,
        "rate": limit.rate, "project": limit.project(mu.x).tolist(),
        "zero": x.tolist(),
        "distance": metastability.distance_to_limit(moved, limit, mu),
        "exact": metastability.distance_to_limit(moved, limit),
    }  # fmt: skip


def test_limit_zero_temperature_and_distance(node):
    body = f"""
      const head = {HEAD};
      const limit = limitOf(head);
      const x = flat(c.x), mass = Float64Array.from(c.mass);
      const zero = [...zeroTemperature(x, head, limit, [0.3, 2])].map(list);
      const moved = Float64Array.from(zero[0]);
      const out = {{
        values: limit.values, gap: limit.gap, dim: limit.dim, rate: limit.rate,
        symmetric: limit.symmetric, project: list(project(x, limit)), zero,
        distance: distanceToPoles(
          moved, mass, limit.basis[0], massPlus(x, mass, limit)),
        exact: couplingCost(moved, project(x, limit), mass),
      }};
      return out;"""
    files = {
        "cold.mjs": "limitOf, project, zeroTemperature, distanceToPoles, massPlus, "
        "couplingCost"
    }
    wanted = unchecked(symmetrised, [[case] for case in CASES])
    for got, want in zip(node(files, body, CASES), wanted):
        assert got["symmetric"] and got["dim"] == want["dim"] == 1
        assert got["values"] == pytest.approx(want["values"], abs=1e-12)
        assert got["gap"] == pytest.approx(want["gap"], abs=1e-12)
        assert got["rate"] == pytest.approx(want["rate"], rel=1e-11)
        for key in ("project", "zero"):
            assert np.ravel(got[key]) == pytest.approx(np.ravel(want[key]), abs=1e-11)
        assert got["distance"] == pytest.approx(want["distance"], abs=1e-10)
        assert got["exact"] == pytest.approx(want["exact"], abs=1e-10)


def test_a_matrix_that_is_not_symmetric_or_has_no_gap_is_told(node):
    turned = {"B": [[1, 0.1], [0, 1]], "V": [[1, 0], [0, 2]]}
    round_ = {"B": np.eye(3).tolist(), "V": (2 * np.eye(3)).tolist()}
    flat = {"B": [[1, 0], [0, 0]], "V": [[1, 0], [0, 2]]}
    ring = {"B": np.eye(3).tolist(), "V": np.diag([2.0, 1, 2]).tolist()}
    body = (
        f"const l = limitOf({HEAD}); return [l.symmetric, l.gap, l.dim, l.invertible];"
    )
    found = node({"cold.mjs": "limitOf"}, body, [turned, round_, flat, ring])
    assert found[0][0] is False
    assert found[1][:3] == [True, 0, 3]
    assert found[2][3] is False
    assert found[3] == [True, pytest.approx(1), 2, True]


def test_distance_of_the_closed_form(node):
    """d = 3, gap 1, B = I, uniform: W2^2 = 2q / (1 + q), q = e^-t, by fine nodes."""
    state = {**Cold("two_poles").state(), "n": 800}
    mu = _cold_views.start_of(state)
    sent = {"x": mu.x.tolist(), "mass": mu.mass.tolist()}
    sent |= {"B": state["B"], "V": state["V"], "t": [0, 1, 3, 6]}
    body = f"""
      const head = {HEAD}, limit = limitOf(head), x = flat(c.x);
      const mass = Float64Array.from(c.mass), plus = massPlus(x, mass, limit);
      return [...zeroTemperature(x, head, limit, c.t)]
        .map((y) => distanceToPoles(y, mass, limit.basis[0], plus));"""
    files = {"cold.mjs": "limitOf, massPlus, zeroTemperature, distanceToPoles"}
    got = node(files, body, [sent])[0]
    q = np.exp(-np.array(sent["t"]))
    # The nodes are a quadrature of a function that steepens like e^t at the equator.
    assert got == pytest.approx(np.sqrt(2 * q / (1 + q)), rel=2e-3)
    assert got[:3] == pytest.approx([1, 0.7334049650, 0.3079801071], rel=1e-5)


def test_bessel_ratio_is_stable_in_every_dimension(node):
    cases = [[d, k] for d in (2, 3, 64, 768, 4096) for k in np.geomspace(1e-3, 1e6, 19)]
    got = node({"cold.mjs": "besselRatio"}, "return besselRatio(...c);", cases)
    want = [float(metastability.bessel_ratio(d, np.float64(k))) for d, k in cases]
    assert got == pytest.approx(want, rel=1e-11)
    known = [[3, 1], [3, 10], [2, 1], [2, 10], [2, 100], [64, 8], [768, 100]]
    values = [
        0.3130352855, 0.9000000041, 0.4463899659, 0.9485998260, 0.9949873730, 0.1232,
        0.1281,
    ]  # fmt: skip
    got = node({"cold.mjs": "besselRatio"}, "return besselRatio(...c);", known)
    assert got[:5] == pytest.approx(values[:5], abs=5e-11)
    assert got[5:] == pytest.approx(values[5:], abs=5e-5)


def laplace(beta: float, c: float, angle: float) -> list[float]:
    """Radial and tangential part of what a query hears, by quadrature."""
    mu = metastability.tilted(3, 120, c, [0.0, 0.0, 1.0])
    query = np.array([[np.sin(angle), 0.0, np.cos(angle)]])
    heads = weights.Heads(np.eye(3), np.eye(3), beta)
    found = metastability.laplace_error(query, heads, mu)
    return [1 - float(found.radial[0]), float(found.sideways[0])]


def test_laplace_error_of_a_tilted_density(node):
    cases = [
        [b, c, a]
        for b in (10.0, 40.0, 160.0)
        for c, a in ((0.5, np.pi / 4), (0.9, 2.0))
    ]
    body = "const q = queryMean(3, c[0], c[1], c[2]); return [q.radial, q.tangential];"
    got = node({"cold.mjs": "queryMean"}, body, cases)
    for mine, want in zip(got, unchecked(laplace, cases)):
        assert mine == pytest.approx(want, abs=1e-10)
    across = [b * mine[1] for (b, c, _), mine in zip(cases, got) if c == 0.5]
    assert across == pytest.approx([0.241389, 0.256348, 0.259996], abs=5e-7)


@pytest.mark.unchecked
def test_bound_and_its_minimum(node):
    cases = [[1e2, 1.0, 0.5], [1e4, 1.0, 0.5], [1e6, 1.0, 0.5], [20.0, 0.3, 0.9]]
    body = (
        "const m = boundMinimum(...c);"
        "return [m.t, m.value, concentrationBound(c[0], 1.5, 2, c[1], c[2])];"
    )
    files = {"cold.mjs": "boundMinimum, concentrationBound"}
    for (beta, C1, c), got in zip(cases, node(files, body, cases)):
        want = [
            *metastability.bound_minimum(beta, C1, c),
            float(
                metastability.concentration_bound(*np.array([beta, 1.5]), 2.0, C1, c)
            ),
        ]
        assert got == pytest.approx(want, rel=1e-12)


@pytest.mark.unchecked
def test_neighbours_and_their_fraction(node):
    body = """
      const mass = Float64Array.from(c.mass), B = list(flat(c.B));
      return effectiveNeighbours(flat(c.x), c.n, c.d, B, c.beta, mass);"""
    for case, got in zip(CASES, node({"cold.mjs": "effectiveNeighbours"}, body, CASES)):
        heads, mu = of(case)
        want = metastability.effective_neighbours(mu.x, heads, mu.mass, "dense").mean()
        assert got == pytest.approx(float(want), rel=1e-11)
    pairs = [[2, 5.0], [2, 320.0], [2, 1e4], [3, 5.0], [3, 320.0]]
    got = node(
        {"cold.mjs": "effectiveFraction"}, "return effectiveFraction(...c);", pairs
    )
    want = [float(metastability.effective_fraction(d, np.float64(b))) for d, b in pairs]
    assert got == pytest.approx(want, rel=1e-11)


def ended(case: dict) -> list[float]:
    """Tokens at two times, by Python."""
    heads, mu = of(case)
    field = attention.field(heads, mu.mass, "softmax", "dense")
    run = flow.solve(field, mu.x, [0, 0.7, 1.5])
    return [*attention.velocity(mu.x, heads, mu.mass).ravel(), *run.x[1:].ravel()]


def test_field_and_adaptive_steps_are_those_of_the_package(node):
    body = f"""
      const mass = Float64Array.from(c.mass), x = flat(c.x);
      const field = fieldOf("softmax", c.n, c.d, {HEAD}, c.beta, mass);
      const times = [0, 0.7, 1.5];
      const run = sphereFlow({{ field, start: x, n: c.n, d: c.d, times }});
      run.finish();
      return [...field(x, new Float64Array(x.length)), ...run.at(1), ...run.at(2)];"""
    files = {"cold_field.mjs": "fieldOf", "sphere_flow.mjs": "sphereFlow"}
    calm = [case for case in CASES if case["beta"] < 1e3]
    for got, want in zip(
        node(files, body, calm), unchecked(ended, [[c] for c in calm])
    ):
        # Tokens between two clusters part like e^{beta t}: rounding grows on the way.
        assert got == pytest.approx(want, abs=1e-8)
    for case, got in zip(
        CASES,
        node(
            files,
            body.replace("run.finish();", "").replace(
                ", ...run.at(1), ...run.at(2)", ""
            ),
            CASES,
        ),
    ):
        heads, mu = of(case)
        want = attention.velocity(mu.x, heads, mu.mass, method="dense").ravel()
        assert got == pytest.approx(want, abs=1e-12 * np.linalg.norm(case["V"]) + 1e-13)


STARTS = [
    {"start": "grid"}, {"start": "grid", "skew": 0.4}, {"start": "fine", "n": 31},
    {"start": "draw", "seed": 3, "density": -0.4}, {"start": "pair", "angle": 1.0},
    {"start": "grid", "band": 0.1, "density": 0.5}, {"start": "draw", "density": 1.0},
]  # fmt: skip


def test_starts_are_the_same_tokens_and_masses(node):
    home = {**Cold("cold2d").state(), "n": 50}
    cases = []
    for name in ("cold2d", "generic3d"):
        V = Cold(name).V
        cases += [{**home, **start, "V": V} for start in STARTS]
    body = "const s = startOf(c, c.V.length); return [list(s.x), list(s.mass)];"
    for case, (x, mass) in zip(
        cases, node({"../cold/start.mjs": "startOf"}, body, cases)
    ):
        mu = _cold_views.start_of(case)
        assert x == pytest.approx(mu.x.ravel(), abs=1e-14)
        assert mass == pytest.approx(mu.mass, abs=1e-15)


def consensus_at(name: str) -> list[float]:
    """Particles of a preset at two times, by Python."""
    x, _ = _cold_line.run(Cold(name).state(), [0.5, 3.0])
    return x.ravel().tolist()


def test_consensus_of_particles_and_of_a_gaussian(node):
    names = [name for name in PRESETS if Cold(name).view == "consensus"]
    cases = [Cold(name).state() for name in names]
    body = (
        "const { run } = consensus(c, 3); run.finish();"
        "return [...run.at(0.5), ...run.at(3)];"
    )
    got = node({"consensus.mjs": "consensus"}, body, cases)
    for mine, want in zip(got, unchecked(consensus_at, [[name] for name in names])):
        assert mine == pytest.approx(want, abs=2e-9)  # both allow 1e-10 a step
    body = "return gaussianMean(0, 1, 1, c, 1e9);"
    stop = node({"consensus.mjs": "gaussianMean"}, body, [10, 99])
    assert stop == pytest.approx([0.698489, 0.9], abs=5e-7)
    state = Cold("quadratic").state()
    x, mass = _cold_line.run(state, [3.0])
    body = "return gaussianMean(0, 1, 1, 10, 3);"
    exact = node({"consensus.mjs": "gaussianMean"}, body, [0])[0]
    # The particles are a trapezoid rule of a Gaussian: exact but for its tail.
    assert float((x @ mass)[0]) == pytest.approx(exact, abs=1e-7)
