"""Consensus-based optimisation: closed forms, attention as one, and the cbx package."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import inv, sqrtm
from scipy.optimize import minimize
from scipy.stats import norm

from tfdynlib import attention, cbo, flow, measure, sphere
from tfdynlib.weights import Heads

seeds = st.integers(0, 10_000)
alphas = st.floats(0.1, 50.0)
needs_cbx = pytest.mark.skipif(
    importlib.util.find_spec("cbx") is None, reason="needs the package cbx"
)


def bell(n=601, reach=9.0):
    """Nodes and masses of N(0, 1): sums of smooth functions are exact to rounding."""
    x = np.linspace(-reach, reach, n)
    mass = np.exp(-x * x / 2)
    return x[:, None], mass / mass.sum()


def bowl(a, H=None):
    """The objective (y - a)^T H (y - a) / 2."""
    H = np.eye(len(a)) if H is None else H
    return lambda x: 0.5 * np.einsum("ni,ij,nj->n", x - a, H, x - a)


def random_case(seed, d=3):
    rng = np.random.default_rng(seed)
    G, F = rng.normal(size=(2, d, d))
    m0, a = rng.normal(size=(2, d))
    return m0, G @ G.T, a, F @ F.T


# ---------------------------------------------------------------- Gaussian tokens


def test_numbers_of_the_page():
    assert cbo.gaussian_mean(0.0, 1.0, 1.0, 10.0) == pytest.approx(0.698489, abs=5e-7)
    assert cbo.gaussian_mean(0.0, 1.0, 1.0, 99.0) == pytest.approx(0.9, abs=1e-14)
    x, mass = bell()
    first = cbo.consensus(x, bowl([1.0]), 10.0, mass)
    assert first == pytest.approx([10 / 11], abs=1e-12)
    # One per cent is left at alpha = 9999.
    assert cbo.gaussian_mean(0.0, 1.0, 1.0, 9999.0) == pytest.approx(0.99, abs=1e-12)


@pytest.mark.parametrize("alpha", [1.0, 10.0])
def test_tokens_follow_the_closed_form(alpha):
    x, mass = bell()
    t = [0.0, 0.3, 1.0, 4.0]
    run = cbo.solve(x, bowl([1.0]), t, alpha, mass=mass)
    ours = cbo.gaussian_mean(0.0, 1.0, 1.0, alpha, t)
    # rtol of the integrator is 1e-8, on tokens up to 9.
    np.testing.assert_allclose(run.x[..., 0] @ mass, ours, atol=1e-6)
    # All deviations shrink alike, whatever the objective.
    np.testing.assert_allclose(run.spread, np.exp(-np.array(t)), atol=1e-6)


@given(seed=seeds, alpha=alphas)
def test_from_the_unit_cloud_the_rest_is_the_root_of_a_matrix(seed, alpha):
    """a - m = (I + alpha H)^(-1/2) (a - m0) for S0 = I."""
    m0, _, a, H = random_case(seed)
    left = np.real(inv(sqrtm(np.eye(3) + alpha * H))) @ (a - m0)
    found = cbo.gaussian_mean(m0, np.eye(3), a, alpha, H=H)
    # Roots of a matrix with a condition number up to 1e6 lose as many digits.
    np.testing.assert_allclose(a - found, left, atol=1e-8)


@given(seed=seeds, alpha=st.floats(0.1, 5.0))
def test_the_mean_moves_to_that_of_the_product_of_two_bells(seed, alpha):
    """m' = (S^-1 + alpha H)^-1 alpha H (a - m) with S = e^(-2t) S0, by differences."""
    m0, S0, a, H = random_case(seed)
    t, h = 0.4, 1e-4
    m = cbo.gaussian_mean(m0, S0, a, alpha, [t - h, t, t + h], H)
    S = np.exp(-2 * t) * S0
    pull = alpha * S @ H @ np.linalg.solve(np.eye(3) + alpha * S @ H, a - m[1])
    # Error of a central difference, h^2, and rounding, 1e-16 / h.
    np.testing.assert_allclose((m[2] - m[0]) / (2 * h), pull, atol=1e-6)


def test_a_cloud_without_width_stays():
    m0, S0 = np.array([1.0, 2.0]), np.diag([1.0, 0.0])
    found = cbo.gaussian_mean(m0, S0, [0.0, 0.0], 3.0, [0.0, np.inf])
    np.testing.assert_allclose(found, [[1, 2], [0.5, 2]], atol=1e-14)


def test_a_saddle_is_followed_as_long_as_there_is_a_mean():
    found = cbo.gaussian_mean(0.5, 1.0, 0.0, 0.75, np.inf, H=[[-1.0]])
    assert found == pytest.approx(0.5 * (1 - 0.75) ** -0.5, abs=1e-14)
    with pytest.raises(ValueError, match="^H must be such that"):
        cbo.gaussian_mean(0.5, 1.0, 0.0, 1.5, np.inf, H=[[-1.0]])


# -------------------------------------------------------------------------- laws


@given(seed=seeds, alpha=alphas, shift=st.floats(-1e6, 1e6))
def test_a_constant_in_the_objective_changes_nothing(tokens, seed, alpha, shift):
    x = tokens(seed)
    values = x[:, 0]
    one = cbo.consensus(x, lambda y: y[:, 0], alpha)
    two = cbo.consensus(x, lambda y: y[:, 0] + shift, alpha)
    # Adding 1e6 rounds the values by 1e-10.
    np.testing.assert_allclose(one, two, atol=50 * 1e-9)
    assert values.min() - 1e-12 <= one[0] <= values.mean() + 1e-12


@given(seed=seeds)
def test_a_cold_consensus_is_the_best_token(tokens, seed):
    x = tokens(seed)
    best = x[np.argmin(x[:, 2])]
    np.testing.assert_allclose(
        cbo.consensus(x, lambda y: y[:, 2], 1e9), best, atol=1e-9
    )


def test_a_token_of_infinite_value_is_not_asked():
    x = np.array([[0.0], [1.0], [5.0]])
    value = np.array([0.0, 0.0, np.inf])
    assert cbo.consensus(x, lambda y: value, 2.0) == pytest.approx([0.5])
    # Nor is one without mass, however good.
    low, mass = np.array([0.0, 0.0, -1e9]), [0.5, 0.5, 0.0]
    assert cbo.consensus(x, lambda y: low, 2.0, mass) == pytest.approx([0.5])


@given(seed=seeds, beta=st.floats(0.1, 200.0), d=st.sampled_from([2, 3, 5]))
def test_attention_is_polarised_consensus(random_heads, tokens, seed, beta, d):
    heads = random_heads(seed, H=1, d=d, beta=beta)
    heads = Heads(heads.B, heads.V, beta)
    x, mass = tokens(seed, 7, d), np.random.default_rng(seed).dirichlet(np.ones(7))
    f = cbo.attention_objective(heads)
    ours = cbo.polarised_velocity(x, f, beta, heads.V[0], mass, "sphere")
    theirs = attention.velocity(x, heads, mass, method="dense")
    # Scores up to 200 * 5 round by 1e-13, and so do their exponentials.
    np.testing.assert_allclose(ours, theirs, atol=1e-12 * max(1.0, beta))


def test_attention_is_polarised_consensus_to_rounding(random_heads, tokens):
    heads, x = random_heads(0, H=1, beta=4.0), tokens(1, 40)
    f = cbo.attention_objective(heads)
    ours = cbo.polarised_velocity(x, f, heads.beta, heads.V[0], space="sphere")
    theirs = attention.velocity(x, heads)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@given(seed=seeds, alpha=alphas)
def test_one_objective_for_all_is_no_polarisation(tokens, seed, alpha):
    x = tokens(seed)
    common = cbo.velocity(x, lambda y: y[:, 1], alpha)
    own = cbo.polarised_velocity(x, lambda x, y: np.tile(y[:, 1], (len(x), 1)), alpha)
    np.testing.assert_allclose(common, own, atol=1e-13)


def test_on_the_sphere_the_pull_is_tangent_and_leads_to_the_least_value(tokens):
    goal = np.array([0.6, 0.0, 0.8])
    x = tokens(4, 200)
    run = cbo.solve(x, lambda y: -y @ goal, [0.0, 2.0, 40.0], 100.0, space="sphere")
    assert run.status == "consensus"
    np.testing.assert_allclose(np.linalg.norm(run.x, axis=2), 1, atol=1e-12)
    # The consensus stops short of the goal, as in Euclidean space.
    assert 0.98 < run.found @ goal < 1


@pytest.mark.parametrize(("noise", "factor"), [("isotropic", 3), ("anisotropic", 1)])
def test_noise_adds_to_the_spread_what_its_variance_says(noise, factor):
    """One step takes sum |x - m|^2 to (1 - h)^2 + sigma^2 h k (1 - 1/n) times itself in
    the mean, for an objective that is constant; k = d or 1."""
    n, h, sigma, trials = 50, 0.1, 0.7, 400
    x = np.random.default_rng(0).normal(size=(n, 3))
    ratios = []
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        run = cbo.solve(x, lambda y: 0 * y[:, 0], [0, h], 1.0, sigma, rng, noise)
        ratios.append((run.spread[1] / run.spread[0]) ** 2)
    law = (1 - h) ** 2 + sigma**2 * h * factor * (1 - 1 / n)
    error = np.std(ratios) / np.sqrt(trials)
    assert np.mean(ratios) == pytest.approx(law, abs=4 * error)


@pytest.mark.parametrize("seed", range(3))
def test_noise_buys_time(seed):
    """With noise the tokens agree nearer to the goal than alpha = 10 lets them: 0.75,
    not yet 1, because paths of such noise shrink even faster than without it."""
    rng, t = np.random.default_rng(seed), np.linspace(0, 12, 301)
    x = norm.ppf((np.arange(400)[:, None] + 0.5) / 400)
    still = cbo.solve(x, bowl([1.0]), t, 10.0, method="euler")
    noisy = cbo.solve(x, bowl([1.0]), t, 10.0, 1.2, rng)
    assert still.status == noisy.status == "consensus"
    # Euler's step of 0.04, and 400 quantiles for a cloud.
    assert still.found[0] == pytest.approx(0.698, abs=0.02)
    assert still.found[0] + 0.03 < noisy.found[0] < 1


# ------------------------------------------------------------------------ failures


def test_too_much_noise_is_a_label_not_an_error():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 3))
    far = cbo.solve(x, bowl(np.zeros(3)), np.linspace(0, 200, 2001), 1.0, 2.5, rng)
    assert far.status == "blow-up" and np.isfinite(far.x).all()
    assert len(far.t) < 2001
    short = cbo.solve(x, bowl(np.zeros(3)), np.linspace(0, 0.2, 5), 1.0, 1.5, rng)
    assert short.status == "no consensus"
    soon = cbo.solve(x, bowl(np.zeros(3)), [0.0, 0.5], 1.0)
    assert soon.status == "on the way"


def test_an_objective_that_leaves_the_numbers_is_a_label():
    def edge(x):
        return np.where(x[:, 0] < 0.5, np.nan, x[:, 0])

    x = np.array([[1.0], [3.0]])
    for sigma in (0.0, 2.0):
        rng = np.random.default_rng(3)
        run = cbo.solve(x, edge, np.linspace(0, 30, 301), 0.1, sigma, rng)
        assert run.status in ("not finite", "consensus")
        assert np.isfinite(run.x).all()
    f = lambda x: np.where(np.ptp(x) < 1, np.nan, x[:, 0])  # noqa: E731
    run = cbo.solve(x, f, np.linspace(0, 30, 301), 0.1, 0.1, np.random.default_rng(3))
    assert run.status == "not finite"


X = np.eye(2)


REFUSED = {
    "x": lambda: cbo.consensus(np.empty((0, 2)), np.sum, 1.0),
    "alpha": lambda: cbo.consensus(X, lambda x: x[:, 0], -1.0),
    "mass": lambda: cbo.consensus(X, lambda x: x[:, 0], 1.0, [1.0]),
    r"objective\(x\)": lambda: cbo.consensus(X, lambda x: x, 1.0),
    r"objective\(x, x\)": lambda: cbo.polarised_mean(X, lambda x, y: x[:1], 1.0),
    "space": lambda: cbo.velocity(X, lambda x: x[:, 0], 1.0, space="torus"),
    "V": lambda: cbo.polarised_velocity(X, lambda x, y: x @ y.T, 1.0, X),
    "heads": lambda: cbo.attention_objective(Heads([X, X], [X, X])),
    "noise": lambda: cbo.solve(
        X, lambda x: x[:, 0], [0, 1], 1, 1, noise="anisotropic", space="sphere"
    ),
    "sigma": lambda: cbo.solve(X, lambda x: x[:, 0], [0, 1], 1.0, -0.1),
    "rng": lambda: cbo.solve(X, lambda x: x[:, 0], [0, 1], 1.0, 0.1),
    "t": lambda: cbo.gaussian_mean(0.0, 1.0, 1.0, 1.0, -1.0),
    "S0": lambda: cbo.gaussian_mean([0.0, 0], np.diag([1.0, -1]), [0.0, 1], 1.0),
    "a": lambda: cbo.gaussian_mean([0.0, 0], X, [0.0], 1.0),
    "m0": lambda: cbo.gaussian_mean("0", 1.0, 1.0, 1.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        REFUSED[name]()


def test_values_that_are_no_numbers_are_refused_at_the_start():
    for value in (np.nan, -np.inf):
        with pytest.raises(ValueError, match="finite, or inf for some"):
            cbo.consensus(X, lambda x, v=value: np.array([v, 0.0]), 1.0)
    with pytest.raises(ValueError, match="finite, or inf for some"):
        cbo.consensus(X, lambda x: np.full(2, np.inf), 1.0)


# ------------------------------------------------------------- side by side with cbx


def their(kind, x, f, alpha, sigma, dt, rng, **more):
    """A dynamic of cbx that draws the normal numbers that ours draws."""
    from cbx import dynamics

    sampler = lambda size: rng.standard_normal(size[1:])[None]  # noqa: E731
    return getattr(dynamics, kind)(
        *(f,),
        x=x[None].copy(),
        f_dim="3D",
        check_f_dims=False,
        alpha=alpha,
        sigma=sigma,
        dt=dt,
        verbosity=0,
        sampler=sampler,
        **more,
    )


def landscape(name, goal):
    """One of their test functions, moved so that its least value is at the goal."""
    from cbx import objectives

    made = getattr(objectives, name)()
    return lambda x: made.apply(x - goal)


CASES = [("Ackley", 0.0), ("Ackley", 0.4), ("Rastrigin", 0.4)]


@needs_cbx
@pytest.mark.parametrize(("name", "sigma"), CASES)
def test_steps_are_those_of_cbx(name, sigma):
    rng = np.random.default_rng(2)
    x, f = rng.normal(size=(60, 3)), landscape(name, np.array([0.3, -0.2, 0.5]))
    dt, steps, alpha = 0.05, 40, 20.0
    peer = their("CBO", x, f, alpha, sigma, dt, np.random.default_rng(5))
    for _ in range(steps):
        peer.step()
    t = dt * np.arange(steps + 1)
    rng = np.random.default_rng(5)
    run = cbo.solve(x, f, t, alpha, sigma, rng, method="euler")
    # Other orders of the same sums; the objective has slopes up to 60.
    np.testing.assert_allclose(run.x[-1], peer.x[0], rtol=0, atol=1e-10)


@needs_cbx
@pytest.mark.parametrize(("name", "sigma"), CASES)
def test_steps_on_the_sphere_are_those_of_cbx(name, sigma, tokens):
    goal = np.array([2.0, -1.0, 2.0]) / 3
    x, f, dt, steps, alpha = tokens(3, 80), landscape(name, goal), 0.05, 40, 20.0
    peer = their("HyperSurfaceCBO", x, f, alpha, sigma, dt, np.random.default_rng(6))
    for _ in range(steps):
        peer.step()
    rng = np.random.default_rng(6)
    t = dt * np.arange(steps + 1)
    run = cbo.solve(x, f, t, alpha, sigma, rng, space="sphere", method="euler")
    np.testing.assert_allclose(run.x[-1], peer.x[0], rtol=0, atol=1e-10)


@needs_cbx
def test_their_optimiser_finds_on_the_sphere_what_ours_finds(tokens):
    """Not the same numbers: other noise.  The same minimum, as scipy has it too."""
    goal = np.array([2.0, -1.0, 2.0]) / 3
    x, f, dt = tokens(3, 200), landscape("Ackley", goal), 0.05
    peer = their("HyperSurfaceCBO", x, f, 50.0, 0.4, dt, np.random.default_rng(1))
    for _ in range(400):
        peer.step()
    rng, t = np.random.default_rng(2), dt * np.arange(401)
    run = cbo.solve(x, f, t, 50.0, 0.4, rng, space="sphere")
    best = minimize(lambda y: f(sphere.retract(y)[None])[0], goal + 0.01, tol=1e-9)
    for found in (peer.consensus[0, 0], run.found):
        assert np.linalg.norm(sphere.retract(found) - best.x) < 0.05


@needs_cbx
def test_our_flow_is_the_limit_of_their_steps():
    """Halving the step halves the distance: Euler is of order one."""
    x = np.random.default_rng(0).normal(size=(40, 2))
    f = landscape("Rastrigin", np.array([0.2, 0.1]))
    run = cbo.solve(x, f, [0.0, 2.0], 0.3)
    gaps = []
    for steps in (100, 200):
        peer = their("CBO", x, f, 0.3, 0.0, 2.0 / steps, np.random.default_rng(0))
        for _ in range(steps):
            peer.step()
        gaps.append(np.abs(peer.x[0] - run.x[-1]).max())
    assert gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.15)


@needs_cbx
def test_their_polarised_mean_is_what_attention_sees(random_heads, tokens):
    from cbx.dynamics.polarcbo import compute_polar_consensus

    heads, x = random_heads(3, H=1, beta=5.0), tokens(2, 30)
    scores = -(x @ heads.B[0].T) @ x.T
    energy = np.zeros((1, len(x)))
    mean, _ = compute_polar_consensus(energy, x[None], scores[None], 1.0, heads.beta)
    seen = attention.attend(x, heads)[0] @ x
    np.testing.assert_allclose(mean[0], seen, atol=1e-12)
    ours = cbo.polarised_mean(x, cbo.attention_objective(heads), heads.beta)
    np.testing.assert_allclose(mean[0], ours, atol=1e-12)


def test_quadrature_stands_for_a_cloud_on_the_sphere():
    """f(y) = -<b, y> on the uniform cloud: the mean is A_3(alpha) b."""
    mu: measure.Measure = sphere.quadrature(3, 40)
    b, alpha = np.array([0.0, 0.6, 0.8]), 10.0
    found = cbo.consensus(mu.x, lambda y: -y @ b, alpha, mu.mass)
    np.testing.assert_allclose(found, (1 / np.tanh(alpha) - 1 / alpha) * b, atol=1e-12)
    field = attention.field(Heads(np.eye(3), np.eye(3), alpha), mu.mass)
    assert flow.solve(field, mu.x, [0.0, 0.1]).status == "done"
