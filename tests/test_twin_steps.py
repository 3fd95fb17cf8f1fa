"""The page's minimising movements against ``tfdynlib.jko``, in Node."""

import numpy as np
import pytest
import test_twin

from tfdynlib import jko, sphere, weights
from tfdynlib.widgets.jko import first_aim

node = test_twin.node
SEEDS = range(6)
IMPORTS = {
    "proximal.mjs": "step, proximal, exponential",
    "minimise.mjs": "minimise, finish",
    "../jko/moving.mjs": "headsOf",
}
HEADS = "c.D.map((B) => ({ B: B.flat(), V: B.flat().map((e) => -e) }))"
OF = f"flat(c.x), c.n, c.d, {HEADS}, c.beta, c.tau, c.weight"


def cloud(seed: int, tau: float, weight: str, n: int = 12, d: int = 3, H: int = 2):
    """Tokens, descent heads, and the same as plain JSON."""
    rng = np.random.default_rng([seed, n, d, H])
    x = sphere.uniform(n, d, rng)
    D = rng.normal(size=(H, d, d))
    D = D + D.transpose(0, 2, 1)
    sent = {
        "x": x.tolist(), "n": n, "d": d, "D": D.tolist(), "beta": 0.8,
        "tau": tau, "weight": weight,
    }  # fmt: skip
    return x, weights.Heads.descent(D, beta=0.8), sent


@pytest.mark.parametrize("weight", jko.WEIGHTS)
@pytest.mark.parametrize("d", [2, 3])
def test_the_function_of_a_step_and_its_gradient(node, weight, d):
    body = f"const {{ value, gradient }} = proximal({OF}).at(flat(c.w));"
    cases = [cloud(seed, 0.7, weight, d=d) for seed in SEEDS]
    size = 12 * (d - 1)
    w = [np.random.default_rng(seed).normal(size=size) for seed in SEEDS]
    sent = [{**one[2], "w": [v.tolist()]} for one, v in zip(cases, w)]
    got = node(IMPORTS, body + " return [value, list(gradient)];", sent)
    for (x, heads, _), v, (value, gradient) in zip(cases, w, got):
        want = first_aim(x, heads, 0.7, weight)(v)
        # sums of 144 exponentials up to e^5, divided by one another
        assert value == pytest.approx(want[0], rel=1e-12)
        assert gradient == pytest.approx(want[1], rel=1e-10, abs=1e-11)


@pytest.mark.unchecked
@pytest.mark.parametrize("weight", jko.WEIGHTS)
@pytest.mark.parametrize("tau", [0.01, 0.1, 0.5])
def test_short_steps_are_the_packages(node, weight, tau):
    body = (
        f"const s = finish(step({OF})); return {{ ...s, x: list(s.x), u: list(s.u) }};"
    )
    cases = [cloud(seed, tau, weight) for seed in SEEDS]
    got = node(IMPORTS, body, [sent for *_, sent in cases])
    for (x, heads, _), one in zip(cases, got):
        want = jko.step(x, heads, tau, weight=weight)
        assert one["status"] == want.status == "done"
        # Near a minimum the value is flat: to rounding of the value, 1e-14, its place
        # and the parts of the value are known to the root of that.
        assert one["decrease"] == pytest.approx(want.decrease, abs=1e-12)
        assert one["price"] == pytest.approx(want.price, abs=1e-6)
        assert one["longest"] == pytest.approx(want.longest, abs=1e-6)
        assert one["x"] == pytest.approx(want.x.ravel(), abs=1e-6)
        aim = first_aim(x, heads, tau, weight)
        w = aim.unknown(np.reshape(one["u"], x.shape))
        assert np.abs(aim(w)[1]).max() < jko.GRADIENT_TOLERANCE
        y = sphere.exp(sphere.retract(x), np.reshape(one["u"], x.shape))
        assert one["x"] == pytest.approx(y.ravel(), abs=1e-14)


@pytest.mark.parametrize("weight", jko.WEIGHTS)
def test_no_step_climbs_however_long(node, weight):
    """Long steps have many minima, and which one is found is anybody's."""
    body = (
        f"const s = finish(step({OF})); return {{ ...s, x: list(s.x), u: list(s.u) }};"
    )
    cases = [cloud(seed, 100.0, weight) for seed in SEEDS]
    got = node(IMPORTS, body, [sent for *_, sent in cases])
    for (x, heads, _), one in zip(cases, got):
        aim = first_aim(x, heads, 100.0, weight)
        w = aim.unknown(np.reshape(one["u"], x.shape))
        before = aim.value(np.zeros_like(w))
        assert one["decrease"] == pytest.approx(before - aim.value(w), rel=1e-9)
        assert one["decrease"] > 0
        # what the package itself calls converged
        assert np.abs(aim(w)[1]).max() < jko.GRADIENT_LOST
        cut = one["longest"] > np.pi
        assert one["status"] == (jko.CUT if cut else "done")


def test_heads_that_oscillate_are_the_closed_form(node):
    rng = np.random.default_rng(0)
    D = rng.normal(size=(2, 3, 3))
    D = D + D.transpose(0, 2, 1)
    path = weights.oscillating(2, 3, D, "common")
    times = [0.0, 0.3, 1.7, 12.0]
    state = {"D1": D[0].tolist(), "D2": D[1].tolist(), "moving": "oscillating"}
    body = "return headsOf(c.state)(c.t).map((h) => [list(h.B), list(h.V)]);"
    got = node(IMPORTS, body, [{"state": state, "t": t} for t in times])
    for t, heads in zip(times, got):
        want = np.stack([path(t).B, path(t).V], axis=1)
        assert np.reshape(heads, want.shape) == pytest.approx(want, abs=1e-14)


def test_two_equal_heads_are_one(node):
    body = "return headsOf(c)(0).length;"
    one, other = np.eye(3).tolist(), (2 * np.eye(3)).tolist()
    cases = [{"D1": one, "D2": D, "moving": "still"} for D in (one, other)]
    assert node(IMPORTS, body, cases) == [1, 2]


def test_the_search_finds_the_bottom_of_a_curved_valley(node):
    """Rosenbrock's function in six dimensions from the classical start."""
    body = """
      const f = (x) => {
        let value = 0;
        const gradient = new Float64Array(6);
        for (let k = 0; k < 5; k++) {
          const [a, b] = [1 - x[k], x[k + 1] - x[k] ** 2];
          value += a * a + 100 * b * b;
          gradient[k] += -2 * a - 400 * b * x[k];
          gradient[k + 1] += 200 * b;
        }
        return { value, gradient };
      };
      const found = finish(minimise(f, flat(c), { tol: 1e-9 }));
      const largest = Math.max(...found.gradient.map(Math.abs));
      return [list(found.x), found.evaluations, largest];
    """
    (found,) = node(IMPORTS, body, [[-1.2, 1.0, -1.2, 1.0, -1.2, 1.0]])
    x, evaluations, gradient = found
    assert gradient <= 1e-9
    # the smallest curvature at the bottom is about 0.5
    assert x == pytest.approx(np.ones(6), abs=1e-8)
    assert evaluations < 200
