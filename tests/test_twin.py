"""The page's twin against the package: same input, same numbers.

The modules of ``tfdynlib/widgets/web/twin`` run in Node.  Both sides work in double
precision with the same formulas in another order of summation, so they differ by
rounding times the condition of the sum: about 1e-13 here.  The tests ask for 1e-11
where that holds and say so where a number is less well conditioned; the book promises
1e-9.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import ot
import pytest
from scipy import special
from unchecked import unchecked

from tfdynlib import attention, energy, flow, measure, metastability, sphere, weights

TWIN = Path(sphere.__file__).parent / "widgets" / "web" / "twin"
ROUNDING = 1e-11
SEEDS = range(8)
# Arguments of the twin's functions, for a case c.
TOKENS, MASS = "flat(c.x), c.n, c.d", "c.mass ?? undefined"


@pytest.fixture(scope="module")
def node():
    """A function that runs one piece of JavaScript on many cases, in one process."""
    program = shutil.which("node")
    if program is None:
        if os.environ.get("TFDYN_REQUIRE_BROWSER") == "1":
            pytest.fail("Node is missing, but TFDYN_REQUIRE_BROWSER=1 asks for it")
        pytest.skip("NOT TESTED: the page's twin, because Node is not installed")

    def run(imports, body, cases):
        lines = [
            f"import {{ {names} }} from '{(TWIN / file).as_uri()}';"
            for file, names in imports.items()
        ]
        script = "\n".join(
            [
                *lines,
                "import { readFileSync } from 'node:fs';",
                "const flat = (x) => Float64Array.from(x.flat(9));",
                "const list = (x) => Array.from(x);",
                f"const one = (c) => {{ {body} }};",
                "const cases = JSON.parse(readFileSync(0, 'utf8'));",
                "process.stdout.write(JSON.stringify(cases.map(one)));",
            ]
        )
        done = subprocess.run(
            [program, "--input-type=module", "--eval", script],
            input=json.dumps(cases),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def case(seed, n=12, d=3, H=1, symmetric=False, beta=2.0, masses=False):
    """Tokens, heads and masses from a seed, as Python values and as plain JSON."""
    rng = np.random.default_rng([seed, n, d, H])
    x = sphere.uniform(n, d, rng)
    B, V = rng.normal(size=(2, H, d, d))
    if symmetric:
        B = B + B.transpose(0, 2, 1)
    mass = rng.dirichlet(np.ones(n)) if masses else None
    heads = weights.Heads(B, V, beta=beta)
    sent = {
        "x": x.tolist(),
        "n": n,
        "d": d,
        "beta": beta,
        "heads": [
            {"B": b.ravel().tolist(), "V": v.ravel().tolist()} for b, v in zip(B, V)
        ],
        "mass": None if mass is None else mass.tolist(),
    }
    return x, heads, mass, sent


def many(**options):
    return [case(seed, **options) for seed in SEEDS]


KINDS = [
    {},
    {"symmetric": True},
    {"d": 2, "symmetric": True, "masses": True},
    {"d": 2, "H": 4, "n": 5},
    {"H": 3, "masses": True, "beta": 0.1},
    {"H": 2, "beta": 300.0},
    {"symmetric": True, "beta": 1e6},
    {"n": 1},
    {"n": 2, "d": 2},
]


def test_uniform_numbers_are_numpys_bit_for_bit(node):
    seeds = [0, 1, 42, 2**31, 2**32 + 5, 2**52 + 1]
    body = (
        "const g = generator(c); return Array.from({ length: 500 }, () => g.random());"
    )
    for seed, got in zip(seeds, node({"random.mjs": "generator"}, body, seeds)):
        assert got == np.random.default_rng(seed).random(500).tolist()


def test_normal_numbers_are_numpys(node):
    """Through all layers of the ziggurat and its tail: the edges of the layers come by
    recursion, 255 steps of rounding, so not to the last bit."""
    files = {"random.mjs": "generator"}
    body = (
        "const g = generator(c);"
        "const all = Array.from({ length: 50000 }, () => g.normal()); return all;"
    )
    for seed, got in zip([0, 7], node(files, body, [0, 7])):
        drawn = np.random.default_rng(seed).standard_normal(50000)
        assert np.abs(drawn).max() > 3.7  # the tail begins at 3.65
        np.testing.assert_allclose(got, drawn, rtol=1e-12)


def test_a_seed_that_is_not_a_whole_number_is_refused(node):
    body = "try { generator(c); return ''; } catch (e) { return e.message; }"
    for message in node({"random.mjs": "generator"}, body, [-1, 0.5]):
        assert "non-negative integer" in message


@pytest.mark.parametrize(("name", "d"), [("uniformCircle", 2), ("uniformSphere", 3)])
def test_a_seed_draws_the_same_tokens_on_the_page(node, name, d):
    body = f"return list({name}(64, c));"
    for seed, got in zip(SEEDS, node({"points.mjs": name}, body, list(SEEDS))):
        want = sphere.uniform(64, d, np.random.default_rng(seed))
        # sine and cosine may differ in the last bit
        assert np.reshape(got, (64, d)) == pytest.approx(want, abs=1e-15)


def test_eigenvalues_agree_with_lapack(node):
    rng = np.random.default_rng(0)
    square = [rng.normal(size=(d, d)) for d in (2, 3) for _ in range(40)]
    known = [np.eye(3), np.zeros((3, 3)), np.diag([1.0, 0, -1]), np.diag([2.0, 2, 5])]
    turn = [
        np.array([[0.0, -1], [1, 0]]),
        np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 3]]),
    ]
    matrices = square + [m + m.T for m in square] + known + turn
    body = "return eigenvalues(c.flat()).map((e) => [e.re, e.im]);"
    found = node({"linalg.mjs": "eigenvalues"}, body, [m.tolist() for m in matrices])
    for matrix, got in zip(matrices, found):
        got = np.array([complex(*pair) for pair in got])
        want = np.linalg.eigvals(matrix)
        # matched one to one; a nearly repeated eigenvalue costs half the digits
        gap = np.abs(got[:, None] - want[None, :])
        pairs = ot.emd([], [], gap) > 0
        assert gap[pairs].max() < 1e-9


def test_products_and_symmetric_parts(node):
    rng = np.random.default_rng(1)
    cases = [rng.normal(size=(2, d, d)) for d in (2, 3)]
    names = "matvec, matmul, transpose, symmetricPart, isSymmetric"
    body = """
      const [A, C] = c.map((m) => m.flat());
      return [matvec(A, c[1][0]), matmul(A, C), transpose(A), symmetricPart(A),
              isSymmetric(A), isSymmetric(symmetricPart(A))];"""
    for (A, C), got in zip(
        cases, node({"linalg.mjs": names}, body, [c.tolist() for c in cases])
    ):
        want = [A @ C[0], A @ C, A.T, (A + A.T) / 2]
        for mine, theirs in zip(got, want):
            assert mine == pytest.approx(theirs.ravel(), abs=1e-14)
        assert got[4:] == [False, True]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_attention_weights(node, kind):
    cases = many(**kind)
    body = f"return c.heads.map((h) => list(attend({TOKENS}, h, c.beta, {MASS})));"
    found = node({"attention.mjs": "attend"}, body, [c[3] for c in cases])
    for (x, heads, mass, _), got in zip(cases, found):
        want = attention.attend(x, heads, mass)
        # at beta = 1e6 a score has an absolute rounding error of 1e6 * 1e-16 * |B|
        assert np.reshape(got, want.shape) == pytest.approx(want, abs=tolerance(heads))


def tolerance(heads):
    size = heads.beta * np.abs(np.linalg.norm(heads.B, axis=(1, 2))).max()
    return max(ROUNDING, 1e-15 * size)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_log_partition(node, kind):
    cases = many(**kind)
    body = (
        f"return c.heads.map((h) => list(logPartition({TOKENS}, h, c.beta, {MASS})));"
    )
    found = node({"attention.mjs": "logPartition"}, body, [c[3] for c in cases])
    for (x, heads, mass, _), got in zip(cases, found):
        want = attention.log_partition(x, heads, mass)
        assert np.array(got) == pytest.approx(want, rel=1e-12, abs=ROUNDING)


def velocities(node, cases, rule):
    options = f'{{ beta: c.beta, rule: "{rule}", mass: {MASS} }}'
    body = f"return list(velocity({TOKENS}, c.heads, {options}));"
    found = node({"attention.mjs": "velocity"}, body, [c[3] for c in cases])
    return [np.reshape(got, c[0].shape) for c, got in zip(cases, found)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("rule", ["softmax", "hardmax", "zero_temperature"])
def test_velocity(node, kind, rule):
    cases = many(**kind)
    for (x, heads, mass, _), got in zip(cases, velocities(node, cases, rule)):
        want = attention.velocity(x, heads, mass, rule=rule)
        assert got == pytest.approx(want, abs=tolerance(heads))


def test_velocity_in_the_plane_is_not_projected(node):
    cases = []
    for x, heads, _, sent in many(d=2, symmetric=True):
        y = 3 * x * np.linspace(0.2, 1, len(x))[:, None]
        cases.append((y, heads, {**sent, "x": y.tolist()}))
    options = '{ beta: c.beta, space: "euclidean" }'
    body = f"return list(velocity({TOKENS}, c.heads, {options}));"
    found = node({"attention.mjs": "velocity"}, body, [c[2] for c in cases])
    for (y, heads, _), got in zip(cases, found):
        want = attention.velocity(y, heads, space="euclidean")
        assert np.reshape(got, y.shape) == pytest.approx(want, abs=1e-10)


@pytest.mark.parametrize("kind", [k for k in KINDS if k.get("beta", 1) < 100], ids=str)
def test_unnormalised_velocity(node, kind):
    cases = many(**kind)
    for (x, heads, mass, _), got in zip(cases, velocities(node, cases, "unnormalised")):
        want = attention.velocity(x, heads, mass, rule="unnormalised")
        assert got == pytest.approx(
            want, rel=ROUNDING, abs=ROUNDING * np.abs(want).max()
        )


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("H", [1, 3])
def test_gradient_velocity(node, sign, H):
    cases = []
    for x, heads, _, sent in many(H=H, symmetric=True):
        both = [{"B": h["B"], "V": [sign * e for e in h["B"]]} for h in sent["heads"]]
        same = weights.Heads(heads.B, sign * heads.B, beta=heads.beta)
        cases.append((x, same, None, {**sent, "heads": both}))
    for (x, heads, _, _), got in zip(cases, velocities(node, cases, "gradient")):
        want = attention.velocity(x, heads, rule="gradient")
        # the factor between heads can be large: relative to the largest velocity
        assert got == pytest.approx(want, abs=ROUNDING * max(1, np.abs(want).max()))


def test_velocity_reads_the_masses_of_the_heads(node):
    cases = []
    for x, heads, _, sent in many(H=3):
        theta = [0.2, 0.5, 0.3]
        cases.append(
            (
                x,
                weights.Heads(heads.B, heads.V, heads.beta, mass=theta),
                {**sent, "theta": theta},
            )
        )
    options = "{ beta: c.beta, theta: c.theta }"
    body = f"return list(velocity({TOKENS}, c.heads, {options}));"
    found = node({"attention.mjs": "velocity"}, body, [c[2] for c in cases])
    for (x, heads, _), got in zip(cases, found):
        assert np.reshape(got, x.shape) == pytest.approx(
            attention.velocity(x, heads), abs=ROUNDING
        )


TIMES = np.linspace(0, 10, 201)


def two_hundred_steps(seed: int, d: int, method: str) -> list:
    x, heads, *_ = case(seed, n=16, d=d, H=2, beta=3.0)
    return flow.solve(attention.field(heads), x, TIMES, method=method).x.tolist()


@pytest.mark.parametrize(
    ("method", "step"), [("rk4", "rk4Step"), ("euler", "eulerStep")]
)
@pytest.mark.parametrize("d", [2, 3])
def test_two_hundred_steps_stay_together(node, method, step, d):
    cases = [case(seed, n=16, d=d, H=2, beta=3.0) for seed in range(4)]
    body = f"""
      const {{ n, d, heads, beta }} = c;
      const field = (t, x, out) => velocity(x, n, d, heads, {{ beta }}, out);
      let x = flat(c.x);
      const out = [x];
      for (let k = 1; k < c.t.length; k++) {{
        x = {step}(field, c.t[k - 1], x, c.t[k] - c.t[k - 1], c.n, c.d);
        out.push(x);
      }}
      return out.map(list);"""
    imports = {"attention.mjs": "velocity", "flow.mjs": step}
    found = node(imports, body, [{**c[3], "t": TIMES.tolist()} for c in cases])
    runs = unchecked(two_hundred_steps, [[seed, d, method] for seed in range(4)])
    for want, got in zip(map(np.array, runs), found, strict=True):
        got = np.reshape(got, want.shape)
        # rounding of one step, 1e-15, grown by the flow's own stretching over ten units
        assert got == pytest.approx(want, abs=1e-9)
        assert np.abs(np.linalg.norm(got, axis=2) - 1).max() < 3e-15


TRAJECTORY = {
    "attention.mjs": "velocity",
    "flow.mjs": "rk4Step",
    "../kit/trajectory.mjs": "trajectory, logTimes",
}


def test_a_run_in_slices_is_the_same_run_with_smaller_steps(node):
    """Frames 0.5 apart and dt = 0.1: five steps a frame, Python on the finer grid."""
    x, heads, _, sent = case(3, n=8, d=2)
    body = """
      const { n, d, heads, beta } = c;
      const field = (t, x, out) => velocity(x, n, d, heads, { beta }, out);
      const step = (x, t, h) => x.set(rk4Step(field, t, x, h, c.n, c.d));
      const run = trajectory({ times: c.t, dt: 0.1, start: flat(c.x), step });
      let slices = 0;
      while (run.advance(0)) slices += 1;
      return [slices, c.t.map((_, k) => list(run.at(k)))];"""
    coarse, fine = np.linspace(0, 5, 11), np.linspace(0, 5, 51)
    ((slices, got),) = node(TRAJECTORY, body, [{**sent, "t": coarse.tolist()}])
    want = flow.solve(attention.field(heads), x, fine, method="rk4").x[::5]
    assert slices == 49
    assert np.reshape(got, want.shape) == pytest.approx(want, abs=1e-9)


def test_a_run_that_is_not_finite_stops_and_says_so(node):
    body = """
      const step = (x, t, h) => x.fill(t > 0.5 ? NaN : 1);
      const run = trajectory({ times: [0, 1, 2, 3], dt: 1, start: [1, 0], step });
      while (run.advance(1));
      return [run.failed, run.filled];"""
    assert node(TRAJECTORY, body, [None]) == [[True, 2]]


@pytest.mark.parametrize(
    "kind", [{"symmetric": True}, {"d": 2, "masses": True}, {"n": 2}], ids=str
)
def test_interaction_energy(node, kind):
    cases = many(**kind)
    body = f"return interaction({TOKENS}, c.heads[0], c.beta, {MASS});"
    found = node({"energy.mjs": "interaction"}, body, [c[3] for c in cases])
    for (x, heads, mass, _), got in zip(cases, found):
        assert got == pytest.approx(energy.interaction(x, heads, mass), rel=ROUNDING)


@pytest.mark.parametrize("kind", [{}, {"d": 2}, {"masses": True}], ids=str)
def test_slope_squared(node, kind):
    cases = []
    for x, heads, mass, sent in many(symmetric=True, **kind):
        descent = weights.Heads(heads.B, -heads.B, beta=heads.beta)
        cases.append((x, descent, mass, sent))
    body = f"return slopeSquared({TOKENS}, c.heads[0], c.beta, {MASS});"
    found = node({"energy.mjs": "slopeSquared"}, body, [c[3] for c in cases])
    for (x, heads, mass, _), got in zip(cases, found):
        assert got == pytest.approx(energy.slope_squared(x, heads, mass), rel=ROUNDING)


@pytest.mark.parametrize("radius", [1e-9, 0.1, 0.5, 3.2])
def test_clusters_are_the_same_and_numbered_the_same(node, radius):
    clouds = [
        sphere.uniform(n, d, np.random.default_rng(n))
        for n in (1, 2, 40, 100)
        for d in (2, 3)
    ]
    clouds.append(np.repeat(clouds[4], 2, axis=0))
    cases = [
        {"x": x.tolist(), "n": len(x), "d": x.shape[1], "r": radius} for x in clouds
    ]
    body = """
      const found = clusters(flat(c.x), c.n, c.d, c.r);
      return [list(found.labels), found.count, found.sizes];"""
    found = node({"clusters.mjs": "clusters"}, body, cases)
    for x, (labels, count, sizes) in zip(clouds, found):
        want = metastability.clusters(x, radius)
        assert labels == want.tolist()
        assert count == want.max() + 1
        assert sizes == np.bincount(want).tolist()


def on_circle(theta):
    return np.column_stack([np.cos(theta), np.sin(theta)])


@pytest.mark.parametrize("ground", ["geodesic", "chordal"])
def test_matchings_are_optimal(node, ground):
    """Against POT's exact transport and against the package, 20 pairs of clouds."""
    rng = np.random.default_rng(7)
    pairs = [
        rng.uniform(-9, 9, size=(2, n)) for n in (1, 2, 3, 8, 33) for _ in range(4)
    ]
    name = {"geodesic": "matchGeodesic", "chordal": "matchChordal"}[ground]
    found = node(
        {"transport.mjs": name},
        f"return {name}(c[0], c[1]);",
        [p.tolist() for p in pairs],
    )
    for (a, b), got in zip(pairs, found):
        gap = np.abs((a[:, None] - b[None, :] + np.pi) % (2 * np.pi) - np.pi)
        cost = gap**2 if ground == "geodesic" else 4 * np.sin(gap / 2) ** 2
        assert sorted(got["to"]) == list(range(len(a)))
        assert got["w2"] == pytest.approx(
            np.sqrt(cost[range(len(a)), got["to"]].mean()), abs=1e-12
        )
        assert got["w2"] == pytest.approx(np.sqrt(ot.emd2([], [], cost)), abs=1e-10)
        clouds = [measure.Measure(on_circle(theta)) for theta in (a, b)]
        assert got["w2"] == pytest.approx(
            measure.wasserstein2(*clouds, ground=ground), abs=1e-10
        )


def test_bessel_function_is_scipys(node):
    z = [0.0, 1e-3, 0.5, 1.0, 4.0, 18.0, 200.0]
    found = node({"sampling.mjs": "besselI0"}, "return besselI0(c);", z)
    assert found == pytest.approx(special.i0(z), rel=1e-14)


def test_spreading_out_is_transport_to_a_fine_polygon(node):
    """Exact transport to 64 n corners; a corner stands for an arc of its own width."""
    rng = np.random.default_rng(8)
    clouds = [rng.uniform(0, 2 * np.pi, n) for n in (1, 2, 3, 10, 40) for _ in range(3)]
    clouds += [np.full(5, 1.0), 2 * np.pi * np.arange(7) / 7]
    found = node(
        {"sampling.mjs": "sortedAngles, spreadOut"},
        "return spreadOut(sortedAngles(flat(c))).w2;",
        [on_circle(theta).tolist() for theta in clouds],
    )
    for theta, got in zip(clouds, found):
        n = len(theta)
        copies = measure.Measure(np.repeat(on_circle(theta), 64, axis=0))
        fine = measure.wasserstein2(copies, sphere.quadrature(2, 64 * n), "geodesic")
        # the best turn of the polygon is within half a corner of the best turn of all
        assert got == pytest.approx(fine, abs=np.pi / (64 * n))
        assert got >= np.pi / (n * np.sqrt(3)) - 1e-12  # no cloud beats the polygon


def test_log_times_are_in_equal_ratios_and_end_at_the_end(node):
    (t,) = node(TRAJECTORY, "return list(logTimes(0.01, 1e4, 600));", [None])
    assert t[0] == 0 and t[-1] == 1e4 and len(t) == 601
    assert t[1:] == pytest.approx(np.geomspace(0.01, 1e4, 600), rel=1e-13)


def test_scaled_bessel_functions_are_scipys(node):
    lengths = [0.5, 4.0, 64.0, 256.0]
    body = "return list(scaledBessel(c, 150));"
    for r, got in zip(lengths, node({"bessel.mjs": "scaledBessel"}, body, lengths)):
        assert got == pytest.approx(
            special.ive(np.arange(151), r), rel=1e-11, abs=1e-200
        )


def test_the_waves_that_a_bound_asks_for(node):
    """The numbers of the page, for 1e-12; Python counts the same there."""
    found = node(
        {"bessel.mjs": "leastWaves"},
        "return leastWaves(c, 1e-12);",
        [1, 4, 16, 64, 256],
    )
    assert found == [13, 20, 34, 63, 122]


@pytest.mark.parametrize("K", [3, 17, 60])
def test_sums_by_waves_are_the_truncated_series(node, K):
    """And all pairs are all pairs: both against NumPy, with both first moments."""
    rng = np.random.default_rng(K)
    theta, psi, r = rng.uniform(0, 9, 31), rng.uniform(-4, 4, 12), 16.0
    fast, slow = node(
        {"fourier.mjs": "fourierSums, directSums", "bessel.mjs": "scaledBessel"},
        "const [t, p] = [flat(c.theta), flat(c.psi)];"
        "const s = c.K ? fourierSums(t, p, scaledBessel(c.r, c.K)) "
        ": directSums(t, p, c.r); return s.map(list);",
        [
            {"theta": theta.tolist(), "psi": psi.tolist(), "r": r, "K": k}
            for k in (K, 0)
        ],
    )
    k = np.arange(-K, K + 1)[:, None]
    wave = special.ive(k, r) * np.exp(1j * k * psi)
    c, d = (np.exp(-1j * (k - s) * theta).mean(axis=1) for s in (0, 1))
    series, first = (c @ wave).real, d @ wave
    assert fast == pytest.approx(np.array([series, first.real, first.imag]), abs=1e-13)
    kernel = np.exp(r * (np.cos(psi[:, None] - theta) - 1)) / len(theta)
    pairs = kernel @ np.column_stack([theta * 0 + 1, on_circle(theta)])
    assert slow == pytest.approx(pairs.T, abs=1e-14)


def test_the_adaptive_method_keeps_its_tolerance_and_has_order_five(node):
    """y' = y cos t as a system in (t, y), whose solution is exp(sin t)."""
    body = (
        "const f = ([s, y]) => Float64Array.of(1, y * Math.cos(s));"
        "const run = adaptive(f, [0, 1], 6, c).finish();"
        "return [run.at(6)[1], run.at(2.5)[1], run.evaluations, run.filled];"
    )
    tolerances = [1e-4, 1e-6, 1e-8, 1e-10]
    found = np.array(node({"adaptive.mjs": "adaptive"}, body, tolerances))
    tol, error = np.array(tolerances), np.abs(found[:, :2] - np.exp(np.sin([6, 2.5])))
    # A few dozen steps, each of which may err by the tolerance; the last is at the end.
    assert (error[:, 0] < 100 * tol).all() and (found[:, 3] == 6).all()
    # Between steps a quartic, whose error is that of the step again.
    assert (error[:, 1] < 100 * tol).all()
    # Order five: a hundredfold tolerance takes 100^(1/5) = 2.5 times the steps.
    assert found[3, 2] / found[2, 2] == pytest.approx(2.5, rel=0.2)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
def test_the_adaptive_method_takes_the_steps_of_the_package(node, tol):
    """Also where the solver itself breaks a symmetry: the same errors, step by step."""
    theta = 2 * np.pi * np.arange(24) / 24 + 1e-6 * np.random.default_rng(0).random(24)
    body = (
        "const run = adaptive(fieldOf(9), flat(c.theta), 20, 2 * c.tol).finish();"
        "return { at: [7.7, 20].map((t) => list(run.at(t))), calls: run.evaluations };"
    )
    files = {"adaptive.mjs": "adaptive", "../bench/tolerance_run.mjs": "fieldOf"}
    (found,) = node(files, body, [{"theta": theta.tolist(), "tol": tol}])
    field = attention.field(weights.Heads(np.eye(2), np.eye(2), beta=9.0))
    run = flow.solve(field, on_circle(theta), [0, 7.7, 20], rtol=tol, atol=tol)
    assert found["calls"] == run.n_evaluations
    # Rounding, 1e-15, grows until t = 20 at the rate 0.7045 of the fastest mode.
    expected = run.x[1:]
    assert np.array([on_circle(np.array(a)) for a in found["at"]]) == pytest.approx(
        expected, abs=1e-14 * np.exp(0.7045 * 20)
    )
