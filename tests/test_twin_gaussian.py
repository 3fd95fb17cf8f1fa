"""The page's Gaussians against ``tfdynlib.gaussian``, in Node."""

import numpy as np
import pytest
import scipy.linalg
import test_twin
from scipy.stats import norm
from unchecked import unchecked

from tfdynlib import attention, gaussian, weights
from tfdynlib.widgets import _ellipse_views
from tfdynlib.widgets._ellipse_presets import PRESETS

node = test_twin.node
FLOW = {
    "gaussian.mjs": "flow, precision, scalar, scalarBlowUp, distance, filter, clipped",
    "matrix2.mjs": "inverse",
}
MATRIX = {
    "matrix2.mjs": "sqrt, log, exp, eigSym, singular, lyapunov, factor, congruence"
}
LAYER = (
    "{ A: list(flat(c.A)), B: list(flat(c.B)), V: list(flat(c.V)), b: c.b ?? [0, 0] }"
)
START = "{ mean: c.mean ?? [0, 0], cov: list(flat(c.cov)) }"
A = [[0.4, 0.3], [-0.2, 0.6]]
B = [[1.0, 0.5], [-0.3, 0.8]]
COV = [[1.0, 0.3], [0.3, 0.6]]


def drawn(seed: int, rank: int = 2, value: str = "any") -> dict:
    """A random layer and start as plain JSON."""
    rng = np.random.default_rng([seed, rank])
    L = rng.normal(size=(2, rank))
    V = rng.normal(size=(2, 2))
    if value == "number":
        V = rng.normal() * np.eye(2)
    return {
        "A": (0.6 * rng.normal(size=(2, 2))).tolist(), "V": V.tolist(),
        "B": rng.normal(size=(2, 2)).tolist(), "b": rng.normal(size=2).tolist(),
        "mean": rng.normal(size=2).tolist(), "cov": (L @ L.T).tolist(),
    }  # fmt: skip


def of(case: dict) -> tuple[gaussian.Layer, gaussian.Gaussian]:
    zero = [0.0, 0.0]
    layer = gaussian.Layer(case["A"], case["B"], case["V"], case.get("b", zero))
    return layer, gaussian.Gaussian(case.get("mean", zero), case["cov"])


def solved(case: dict, end: float, shares: list[float]) -> list:
    """Blow-up and its direction (None if none), and moments before it, by Python."""
    layer, start = of(case)
    run = gaussian.solve(layer, start, [0, end])
    met = run.status == "blow-up"
    stop = run.blow_up_time if met else end
    at = gaussian.solve(layer, start, [0, *(s * stop for s in shares)])
    direction = run.direction.tolist() if met else None
    time = run.blow_up_time if met else None
    return [time, direction, at.mean[1:].ravel().tolist(), at.cov[1:].ravel().tolist()]


def scalars(a: float, c: float, start: float) -> list:
    """Blow-up of a scalar flow (None if none) and its variance before, by Python."""
    end = float(gaussian.scalar_blow_up_time(a, c, start))
    value = gaussian.scalar_covariance(a, c, start, 0.7 * min(2.0, end))
    return [None if end == np.inf else end, float(value)]


def decided(case: dict) -> dict:
    """The fate by Python, as plain JSON."""
    layer, start = of(case)
    found = gaussian.regime(layer, start.cov)
    time = found.blow_up_time
    return {
        "kind": found.kind, "rate": found.rate,
        "limit": None if found.limit is None else found.limit.ravel().tolist(),
        "time": None if time in (None, np.inf) else time,
        "bounds": list(found.certificate.bounds.values()),
        "margins": [v for k, v in found.certificate.margins.items() if "zero" not in k],
    }  # fmt: skip


@pytest.mark.parametrize("rank", [1, 2])
def test_moments_and_blow_up(node, rank):
    cases = [drawn(seed, rank) for seed in range(24)]
    times, end = [0.1, 0.5, 0.9], 1.5
    body = f"""const run = flow({LAYER}, {START}, {{ tEnd: {end}, horizon: {end} }});
      const end = Math.min({end}, run.blowUp);
      const at = {times}.map((s) => run.at(s * end));
      return {{ blowUp: run.blowUp <= {end} ? run.blowUp : null, angle: run.direction,
        mean: at.map((m) => m.mean), cov: at.map((m) => m.cov),
        least: at.map((m) => m.values[1]) }};"""
    met = 0
    wanted = unchecked(solved, [[case, end, times] for case in cases])
    for want, got in zip(wanted, node(FLOW, body, cases)):
        time, direction, mean, cov = want
        assert got["blowUp"] == (
            None if time is None else pytest.approx(time, rel=1e-9)
        )
        if time is not None:
            met += 1
        if got["angle"] is not None:  # else it goes on turning
            turn = [np.cos(got["angle"]), np.sin(got["angle"])]
            # approached like a power of the time left, where Python stops at a growth
            # of 1e6 and the page at 1e11: a quarter of a degree
            assert abs(np.dot(turn, direction)) == pytest.approx(1, abs=1e-5)
        # near a pole the error of t* counts as much again as the time that is left
        assert np.ravel(got["mean"]) == pytest.approx(mean, rel=1e-7, abs=1e-9)
        assert np.ravel(got["cov"]) == pytest.approx(cov, rel=1e-7, abs=1e-9)
        if rank == 1:
            assert got["least"] == [0, 0, 0]
    assert 4 < met < 20  # both kinds were tried


NUMBERS = {"d2": 0.5923307904, "e1": 0.3447557276}


@pytest.mark.parametrize("name", NUMBERS)
def test_blow_ups_of_the_book(node, name):
    values = PRESETS[name].values
    case = {key: values[key] for key in ("A", "B", "V", "cov")}
    (got,) = node(FLOW, f"return flow({LAYER}, {START}).blowUp;", [case])
    want = unchecked(solved, [[case, 1.0, [0.5]]])[0][0]
    assert got == pytest.approx(want, rel=1e-10)
    assert got == pytest.approx(NUMBERS[name], rel=1e-8)  # ten digits are printed


FATE = {"regime.mjs": "fateOf"}


def special(seed: int) -> dict:
    """A layer of a kind that some theorem is about."""
    rng = np.random.default_rng([9, seed])
    case = drawn(seed + 200, rank=1 + (seed % 3 > 0))
    G = rng.normal(size=(2, 2))
    sign = 1 if rng.random() < 0.5 else -1
    definite = (sign * (G @ G.T + 0.1 * np.eye(2))).tolist()
    kind = seed % 8
    if kind in (0, 1, 2):
        case["V"] = (rng.normal() * np.eye(2)).tolist()
    if kind in (0, 3):
        case["A"] = np.zeros((2, 2)).tolist()
    if kind in (1, 3, 4):
        case["B"] = definite
    if kind in (3, 4):
        case["V"] = (G.T @ G + 0.1 * np.eye(2)).tolist()
    if kind == 5:
        for key in ("A", "B", "V"):
            case[key] = np.diag(rng.normal(size=2)).tolist()
        case["cov"] = np.diag(rng.uniform(0.2, 2, size=2)).tolist()
    if kind == 6:
        case["A"] = (np.array(case["A"]) - 2 * np.eye(2)).tolist()
    if kind == 7:
        case["V" if seed % 16 == 7 else "B"] = np.zeros((2, 2)).tolist()
    return case


def test_fates_are_decided_as_in_python(node):
    cases = [special(seed) for seed in range(72)]
    cases += [
        {"A": A, "B": B, "V": [[-0.7, 0], [0, -0.7]], "cov": c}
        for c in (COV, [[1, 1], [1, 1]], [[0, 0], [0, 0]])
    ]
    body = f"""const f = fateOf({LAYER}, list(flat(c.cov)));
      const time = Number.isFinite(f.blowUp) ? f.blowUp : null;
      return [f.kind, f.limit, f.rate, time, f.bounds, f.margin];"""
    kinds = set()
    wanted = unchecked(decided, [[case] for case in cases])
    for case, want, got in zip(cases, wanted, node(FATE, body, cases)):
        kind, limit, rate, time, bounds, margin = got
        assert kind == want["kind"], (case, want)
        kinds.add(kind)
        assert (limit is None) == (want["limit"] is None), (case, want)
        if limit is not None:
            assert limit == pytest.approx(want["limit"], rel=1e-9, abs=1e-11)
        if want["rate"] is not None:
            assert rate == pytest.approx(want["rate"], rel=1e-9, abs=1e-12)
        if want["time"] is not None:
            assert time == pytest.approx(want["time"], rel=1e-6)
        if bounds:
            assert bounds == pytest.approx(want["bounds"], rel=1e-9)
        if margin is not None:
            assert margin == pytest.approx(min(want["margins"]), rel=1e-7)
    assert kinds >= {"settles", "decays", "bounded", "blow-up", "undecided", "rests"}


def test_linear_precision_and_scalar_flow(node):
    cases = [drawn(seed, value="number") for seed in range(12)]
    body = f"""const L = {LAYER}, S = {START};
      const run = flow(L, S, {{ tEnd: 1, horizon: 1 }});
      const t = 0.5 * Math.min(1, run.blowUp);
      return [inverse(precision(L, S.cov, t)), run.at(t).cov];"""
    for closed, run in node(FLOW, body, cases):
        # a sum of exponentials of a 4 x 4 matrix, inverted
        assert closed == pytest.approx(run, rel=1e-8, abs=1e-9)
    rng = np.random.default_rng(3)
    some = [[*rng.normal(size=2), rng.uniform(0.1, 2)] for _ in range(30)]
    some += [[0, 1, 0.5], [0, -1, 2], [0.5, 1, 2], [-0.5, 1, 0.4]]
    some = np.array(some)
    body = """const [a, k, s] = c; const end = scalarBlowUp(a, k, s);
      const value = scalar(a, k, s, 0.7 * Math.min(2, end));
      return [Number.isFinite(end) ? end : null, value];"""
    found = node(FLOW, body, some.tolist())
    for (time, variance), (end, value) in zip(unchecked(scalars, some.tolist()), found):
        assert end == (None if time is None else pytest.approx(time, rel=1e-13))
        assert value == pytest.approx(variance, rel=1e-12)


def test_distance_of_two_laws(node):
    pairs = [
        (drawn(s, r), drawn(s + 50, q))
        for s in range(6)
        for r in (1, 2)
        for q in (1, 2)
    ]
    pick = "({ mean: g.mean, cov: list(flat(g.cov)) })"
    body = f"const one = (g) => {pick}; return distance(one(c[0]), one(c[1]));"
    got = node(FLOW, body, [list(pair) for pair in pairs])
    want = [gaussian.distance(of(g)[1], of(h)[1]) for g, h in pairs]
    # a difference of traces: the root of rounding at worst
    assert got == pytest.approx(want, abs=1e-7)


def test_the_filter_and_the_clipped_run(node):
    case = {"A": A, "B": B, "V": [[-0.7, 0], [0, -0.7]], "cov": COV}
    layer, start = of(case)
    body = f"""const L = {LAYER};
      return [filter(L, c.cov.flat(), 0, 0.05, 41).at(-1),
        filter(L, c.cov.flat(), 0.4, 0.05, 401).at(-1),
        clipped(L, [1, 1, 1, 1], 0.05, 201, 1e-3).at(-1)];"""
    ((still, noisy, clipped),) = node(FLOW, body, [case])
    # without noise the filter is the layer's flow: forty products of exponentials
    assert np.reshape(still, (2, 2)) == pytest.approx(
        gaussian.solve(layer, start, [0, 2]).cov[-1], abs=1e-11
    )
    R = scipy.linalg.inv(0.7 * (layer.B + layer.B.T))
    rest = scipy.linalg.solve_continuous_are(layer.A.T, np.eye(2), 0.4 * np.eye(2), R)
    assert np.reshape(noisy, (2, 2)) == pytest.approx(rest, abs=1e-8)
    S = np.ones((2, 2))
    for _ in range(200):
        J = layer.jacobian(S)
        values, U = np.linalg.eigh(S + 0.05 * (J @ S + S @ J.T))
        S = U * np.maximum(values, 1e-3) @ U.T
    assert np.reshape(clipped, (2, 2)) == pytest.approx(S, abs=1e-10)
    assert np.linalg.eigvalsh(S)[0] > 0.4  # rank out of nothing


def test_functions_of_small_matrices(node):
    rng = np.random.default_rng(5)
    cases = []
    for _ in range(20):
        G = rng.normal(size=(2, 2))
        cases.append(
            {"M": (0.8 * rng.normal(size=(2, 2))).tolist(), "S": (G @ G.T).tolist()}
        )
    body = """const M = list(flat(c.M)), S = list(flat(c.S)), L = factor(S);
      return [exp(M), log(exp(M)), sqrt(S), eigSym(S).values, singular(M),
        lyapunov(M, S), congruence(L, [1, 0, 0, 1])];"""
    for case, got in zip(cases, node(MATRIX, body, cases)):
        M, S = np.array(case["M"]), np.array(case["S"])
        E = scipy.linalg.expm(M)
        P = scipy.linalg.solve_sylvester(M.T, M, S)
        want = [
            E, scipy.linalg.logm(E), scipy.linalg.sqrtm(S), np.linalg.eigvalsh(S)[::-1],
            np.linalg.svd(M, compute_uv=False), P, S,
        ]  # fmt: skip
        for have, truth in zip(got, want):
            size = 1 + np.abs(truth).max()
            assert have == pytest.approx(np.ravel(truth).real, abs=1e-11 * size**2)
    line = node(
        MATRIX, "return factor(c.flat());", [[[1, 1], [1, 1]], [[0, 0], [0, 0]]]
    )
    assert line[0][1] == line[0][3] == 0 and line[1] == [0, 0, 0, 0]
    assert node(MATRIX, "return log(c.flat());", [[[-1, 0], [0, -2]]]) == [None]


def test_softmax_means_on_a_line(node):
    rng = np.random.default_rng(7)
    clouds = [
        (scale * rng.normal(size=n)).tolist()
        for n, scale in [(12, 1), (300, 1), (500, 2.5)]
    ]
    body = "return list(softMeans(flat(c), 1, new Float64Array(c.length)));"
    for x, got in zip(clouds, node({"softmean.mjs": "softMeans"}, body, clouds)):
        heads = weights.Heads([[1.0]], [[1.0]])
        want = attention.velocity(np.array(x)[:, None], heads, space="euclidean")
        # interpolated at enough nodes for nine digits
        assert got == pytest.approx(want[:, 0], abs=1e-9)


def test_the_kink(node):
    cases = [[m, t] for m in (-1.0, 0.0, 0.4, 3.0, 4.0) for t in (0.1, 0.5, 1.5)]
    body = """const v = numbers(...c);
      return [v.distance, v.bound, v.skewness, v.matched, v.mean, v.variance,
        Phi(c[0]), Phi(-c[0])];"""
    for (m, t), got in zip(cases, node({"relu.mjs": "numbers, Phi"}, body, cases)):
        want = _ellipse_views.kink(m, t)
        # differences of moments; the matched distance is a root of one
        assert got[:3] + got[4:6] == pytest.approx(
            [want[k] for k in ("distance", "bound", "skewness", "mean", "variance")],
            rel=1e-9, abs=1e-12,
        )  # fmt: skip
        assert got[3] == pytest.approx(want["matched"], abs=1e-7)
        assert got[6:] == pytest.approx([norm.cdf(m), norm.cdf(-m)], rel=1e-13)


def test_the_kink_is_that_of_the_book():
    """Exact law from N(0, 1), by quadrature of the map X e^t where X > 0."""
    z, w = np.polynomial.hermite_e.hermegauss(120)
    x, w = z, w / w.sum()
    for t, (distance, bound, skewness) in {
        0.1: (0.07437, 0.07815, 0.1194),
        0.5: (0.45872, 0.58291, 0.5707),
        1.0: (1.2150, 1.9221, 1.0081),
    }.items():
        got = _ellipse_views.kink(0.0, t)
        # the printed digits
        assert got["distance"] == pytest.approx(distance, abs=5.1e-5)
        assert got["bound"] == pytest.approx(bound, abs=5.1e-5)
        assert got["skewness"] == pytest.approx(skewness, abs=5.1e-5)
        moved = np.where(x > 0, x * np.exp(t), x)
        # a kink costs a rule of 120 nodes all but two digits
        assert got["mean"] == pytest.approx(w @ moved, abs=2e-2)


HAND = {"../kit/ellipses.mjs": "dragged, moved, ofMoments, covOf"}


def test_an_ellipse_follows_the_hand(node):
    start = {"mean": [0.5, -0.25], "long": 1.0, "short": 0.5, "angle": 0.3}
    body = "return dragged(c.ellipse, c.part, c.to, c.snap);"
    ways = [
        ("centre", [1.0, 2.0]), ("centre", [0.03, 1.0]), ("long", [0.5, 1.75]),
        ("short", [0.5, 2.95]), ("short", [0.5, -0.2]), ("long twin", [-1.5, -0.25]),
    ]  # fmt: skip
    cases = [{"ellipse": start, "part": p, "to": to, "snap": True} for p, to in ways]
    got = node(HAND, body, cases)
    assert got[0]["mean"] == [1.0, 2.0] and got[1]["mean"] == [0, 1.0]
    # long axis upright, its end two deviations away
    assert got[2]["angle"] == pytest.approx(np.pi / 2)
    assert got[2]["long"] == pytest.approx(1.0)
    # the short axis outgrows the long one: they change places
    assert got[3]["swapped"] and got[3]["long"] == pytest.approx(1.6)
    assert got[3]["short"] == pytest.approx(1.0)
    assert got[4]["short"] == 0  # snaps to a line
    assert got[5]["angle"] == pytest.approx(0) and got[5]["long"] == pytest.approx(1)
    free = node(HAND, body, [{**cases[4], "snap": False}])
    assert free[0]["short"] == pytest.approx(0.025)
    keys = [
        {"key": "ArrowLeft"},
        {"key": "ArrowUp", "shiftKey": True},
        {"key": "e"},
        {"key": "q"},
    ]
    body = f"return moved(c, {start});".replace("'", "")
    left, thick, turned, none = node(HAND, body, keys)
    assert left["mean"] == [0.4, -0.25] and thick["short"] == pytest.approx(0.55)
    assert turned["angle"] == pytest.approx(0.3 + np.pi / 36) and none is None


def test_moments_and_ellipses_are_one(node):
    covs = [drawn(seed)["cov"] for seed in range(8)]
    body = "return covOf(ofMoments([0, 0], c.flat()));"
    for cov, got in zip(covs, node(HAND, body, covs)):
        assert got == pytest.approx(np.ravel(cov), rel=1e-12, abs=1e-12)
