"""Paths of weights: interpolated, oscillating, noisy; their laws and their lengths."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.stats import chi, ncx2

from tfdynlib import _noise, _oscillation, attention, energy, flow, weights
from tfdynlib.weights import Heads

seeds = st.integers(0, 2**32 - 1)
I2, I3 = np.eye(2), np.eye(3)


def symmetric(seed, H, d):
    """The first paper's start: Z + Z^T."""
    Z = np.random.default_rng(seed).standard_normal((H, d, d))
    return Z + Z.swapaxes(1, 2)


def slope(path, t, h=1e-4):
    """dB/dt by a central difference of fourth order."""
    one, two = (path(t + k * h).B - path(t - k * h).B for k in (1, 2))
    return (8 * one - two) / (12 * h)


# --- oscillating ------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 4, 6])
@pytest.mark.parametrize("phase", ["spread", "common"])
def test_oscillating_heads_solve_their_equation(d, phase):
    H, D0 = 3, symmetric(d, 3, d)
    path = weights.oscillating(H, d, D0, phase)
    np.testing.assert_allclose(path(0).B, D0, atol=1e-14)
    target = _oscillation.target(d)
    phi = _oscillation.phases(H, phase == "spread")

    def rate(t, y):
        return (target.at(t + phi) - y.reshape(H, d, d)).ravel()

    end = solve_ivp(rate, (0, 2.5), D0.ravel(), rtol=1e-11, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(path(2.5).B.ravel(), end, atol=1e-9)  # of solve_ivp
    for t in (0.3, 2.5):
        F, G = path.drift(t)
        # h^4 = 1e-16 against rounding / h = 1e-11.
        np.testing.assert_allclose(F, slope(path, t), atol=1e-10)
        np.testing.assert_array_equal(G, -F)
        np.testing.assert_allclose(F, F.swapaxes(1, 2), atol=1e-14)


def test_targets_are_those_of_the_first_paper():
    s = np.array([0.7])
    c, r = np.cos, np.sin
    two = [[2 + 1.5 * c(0.7), r(1.4)], [r(1.4), 2 - 1.5 * c(0.7)]]
    np.testing.assert_allclose(_oscillation.target(2).at(s)[0], two, atol=1e-15)
    three = [
        [2 + 1.5 * c(0.7), r(1.4), r(0.7)],
        [r(1.4), 2 + 1.5 * r(0.7), c(1.4)],
        [r(0.7), c(1.4), 2 + 1.5 * c(0.7 + np.pi / 4)],
    ]
    np.testing.assert_allclose(_oscillation.target(3).at(s)[0], three, atol=1e-15)
    four = _oscillation.target(4).at(s)[0]
    np.testing.assert_allclose(
        np.diag(four), 2 + 1.5 * c(0.7 + np.pi * np.arange(4) / 2), atol=1e-15
    )
    row_by_row = four[np.triu_indices(4, 1)]
    np.testing.assert_allclose(
        row_by_row, r(1.4 + np.pi * np.arange(6) / 3), atol=1e-15
    )


def test_one_period_of_the_limit_cycle():
    start = _oscillation.target(2).response(np.zeros(1))
    path = weights.oscillating(1, 2, start)
    expected = [[3.05679491, 0.12910309], [0.12910309, 0.94320509]]
    np.testing.assert_allclose(path(0.7).B[0], expected, atol=5e-9)
    np.testing.assert_allclose(path(2 * np.pi).B, start, atol=1e-14)
    for p in (1, 2):
        length = weights.length(path, 0, 2 * np.pi, p)
        assert length == pytest.approx(8.4227427, abs=5e-8)
        again = weights.length(path, 2 * np.pi, 6 * np.pi, p)
        assert again == pytest.approx(2 * length, rel=1e-9)
    assert path.integrable is False


@pytest.mark.parametrize(
    ("H", "mean"),
    [
        (1, [[3.1473, 0.98545], [0.98545, 0.8527]]),
        (2, [[2, 0.98545], [0.98545, 2]]),
        (3, [[2, 0], [0, 2]]),
        (5, [[2, 0], [0, 2]]),
    ],
)
def test_spread_phases_cancel_in_the_mean_from_three_heads_on(H, mean):
    phi = _oscillation.phases(H, spread=True)
    target = _oscillation.target(2).at(0.7 + phi).mean(axis=0)
    np.testing.assert_allclose(target, mean, atol=5e-5 if H < 3 else 1e-15)
    path = weights.oscillating(H, 2, I2)
    head_mean = path(30.0).B.mean(axis=0)
    if H >= 3:
        np.testing.assert_allclose(head_mean, 2 * I2, atol=1e-12)  # e^-30 is left
    together = weights.oscillating(H, 2, I2, "common")(30.0).B
    np.testing.assert_allclose(together, together[:1].repeat(H, 0), atol=1e-14)


def test_the_law_of_many_spread_heads_stands_still():
    """Each of a thousand heads moves; as a set they do not: matched to its neighbour
    in phase, none is further than the step of a phase."""
    phi = _oscillation.phases(1000, spread=True)
    target = _oscillation.target(2)
    before, after = target.at(phi), target.at(0.3 + phi)
    gap = np.linalg.norm(before[:, None] - after, axis=(2, 3)).min(axis=1)
    assert gap.mean() < 0.02
    assert np.linalg.norm(after - before, axis=(1, 2)).mean() > 0.3


# --- interpolated -----------------------------------------------------------------


@given(seed=seeds)
def test_interpolated_heads_pass_through_their_nodes_along_chords(random_heads, seed):
    stack = [random_heads(seed + k) for k in range(3)]
    stack = [Heads(h.B, h.V, 1.5, stack[0].mass) for h in stack]
    path = weights.interpolate([0, 0.5, 2], stack)
    assert path.breaks == (0.5,) and path.integrable
    for t, heads in zip((0, 0.5, 2), stack):
        np.testing.assert_array_equal(path(t).B, heads.B)
        np.testing.assert_array_equal(path(t).V, heads.V)
    np.testing.assert_allclose(path(1.25).B, (stack[1].B + stack[2].B) / 2, atol=1e-14)
    np.testing.assert_allclose(path.drift(1.3)[0] * 1.5, stack[2].B - stack[1].B)
    np.testing.assert_allclose(path.drift(0.5)[1] * 1.5, stack[2].V - stack[1].V)
    length = weights.length(path, 0, 2, 1)
    by_hand = sum(
        path(0).mass @ np.linalg.norm(b.B - a.B, axis=(1, 2))
        for a, b in zip(stack, stack[1:])
    )
    assert length == pytest.approx(by_hand, rel=1e-12)


def test_length_counts_the_jumps_of_layers(descent_heads):
    first, second = descent_heads(0), descent_heads(1)
    second = Heads.descent(second.B, mass=first.mass)
    path = weights.layers([first, second], [0, 1, 2])
    jump = np.linalg.norm(second.B - first.B, axis=(1, 2))
    assert weights.length(path, 0, 2, 2) == pytest.approx(
        np.sqrt(first.mass @ jump**2), rel=1e-14
    )
    assert weights.length(path, 0, 1) == 0
    assert weights.length(weights.constant(first), 0, 9) == 0


@pytest.mark.unchecked
@given(seed=seeds)
def test_length_in_w1_is_at_most_that_in_w2(seed):
    path = weights.oscillating(3, 3, symmetric(seed, 3, 3))
    assert weights.length(path, 0, 3, 1) <= weights.length(path, 0, 3, 2)


# --- Ornstein-Uhlenbeck -----------------------------------------------------------


def test_noise_is_the_same_for_the_same_seed():
    def path(seed, **how):
        rng = np.random.default_rng(seed)
        return weights.ornstein_uhlenbeck(I3, [0, 0.1, 0.3], rng, **how)

    np.testing.assert_array_equal(path(1)(0.2).B, path(1)(0.2).B)
    assert not np.array_equal(path(1)(0.2).B, path(2)(0.2).B)
    np.testing.assert_array_equal(
        path(1).sample.noise, path(1, method="euler").sample.noise
    )


def test_noise_and_its_faded_integral_have_their_covariance():
    found = _noise.covariance(np.array([0.25]))
    np.testing.assert_allclose(
        np.ravel(found), [0.1967346701, 0.25, 0.2211992169], atol=5e-11
    )
    n = 40_000
    faded, plain = _noise.draw(np.full(n, 0.25), 1, 2, np.random.default_rng(0))
    # Relative error of a variance from n samples: sqrt(2 / n) = 0.7%; four of those.
    for i, j, share in ((0, 0, 1.0), (1, 1, 1.0), (0, 1, 0.5)):
        a, w = faded[:, 0, i, j], plain[:, 0, i, j]
        for product, c in ((a * a, found[0]), (w * w, found[1]), (a * w, found[2])):
            assert product.mean() == pytest.approx(share * c[0], rel=0.03)
    np.testing.assert_array_equal(plain, plain.swapaxes(-1, -2))


@pytest.mark.parametrize("h", [1e-9, 1e-3, 0.0499, 0.0501, 0.5, 5.0])
def test_what_two_integrals_do_not_share_keeps_its_digits(h):
    with localcontext(prec=60):
        fade = (-Decimal(h)).exp()
        exact = float(Decimal(h) - 2 * (1 - fade) / (1 + fade))
    # The series is cut at h^9, 1e-11 of the value at its end; the difference loses
    # h / (h^3 / 12), five digits there.
    assert _noise._unshared(np.array([h]))[0] == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(("steps", "t"), [(1, 1.0), (7, 1.0)])
def test_samples_have_the_law_for_any_step(steps, t):
    n, D0 = 20_000, symmetric(3, 1, 2)[0]
    rng = np.random.default_rng(5)
    path = weights.ornstein_uhlenbeck(
        np.repeat(D0[None], n, 0), np.linspace(0, t, steps + 1), rng, 2.0, 3 * I2
    )
    D = path.sample.D[-1]
    law = weights.ornstein_uhlenbeck_law(D0, 2.0, 3 * I2)
    # Four standard errors of a mean, sigma / sqrt(n) = 0.0066, and of a variance, 1%.
    np.testing.assert_allclose(D.mean(axis=0), law.mean(t)[0], atol=0.027)
    assert D[:, 0, 0].var() == pytest.approx(law.variance(t), rel=0.04)
    assert D[:, 0, 1].var() == pytest.approx(law.variance(t) / 2, rel=0.04)
    assert law.variance(t) == pytest.approx(0.864665, abs=5e-7)


def test_euler_maruyama_follows_the_exact_path_to_first_order():
    """Additive noise: strong order one, for the same Brownian motion."""

    def gap(steps):
        t = np.linspace(0, 1, steps + 1)
        ends = [
            weights.ornstein_uhlenbeck(
                np.repeat(I2[None], 2000, 0), t, np.random.default_rng(0), method=how
            ).sample.D[-1]
            for how in ("exact", "euler")
        ]
        return np.sqrt(np.mean((ends[0] - ends[1]) ** 2))

    assert np.log2(gap(20) / gap(40)) == pytest.approx(1, abs=0.1)  # next order, 1/20


def test_a_thinned_path_is_the_same_path_seen_less_often():
    t, rng = np.linspace(0, 1, 13), np.random.default_rng(0)
    path = weights.ornstein_uhlenbeck(symmetric(0, 2, 3), t, rng, 1.5, 2 * I3, 1.2)
    thin = weights.thin(path, 4)
    np.testing.assert_array_equal(thin.sample.t, t[::4])
    np.testing.assert_array_equal(thin.sample.D, path.sample.D[::4])
    total = path.sample.noise[4:8].sum(axis=0)
    np.testing.assert_allclose(thin.sample.noise[1], total, atol=1e-15)
    assert (thin.noise_var, thin(0).beta, thin.breaks) == (1.5, 1.2, (t[4], t[8]))
    np.testing.assert_allclose(thin.drift(0.5)[0], 2 * I3 - thin(0.5).B, atol=1e-15)


def test_noisy_heads_move_along_chords():
    t = np.array([0.0, 0.1, 0.3])
    path = weights.ornstein_uhlenbeck(I3, t, np.random.default_rng(0))
    for s, D in zip(t, path.sample.D):
        np.testing.assert_allclose(path(s).B, D, atol=1e-15)
    middle = (path.sample.D[1] + path.sample.D[2]) / 2
    np.testing.assert_allclose(path(0.2).B, middle, atol=1e-15)
    np.testing.assert_array_equal(path(0.2).V, -path(0.2).B)
    assert path.integrable is False and weights.length(path, 0, 0.3) == np.inf
    assert path.breaks == (0.1,)


@pytest.mark.parametrize(("a", "length"), [(0, 2.4494897428), (2, 3.5035425514)])
def test_the_law_of_noisy_heads_has_finite_length(a, length):
    law = weights.ornstein_uhlenbeck_law(np.diag([1.0 + a, 1, 1]))
    assert law.length() == pytest.approx(length, abs=5e-11)
    pieces = law.length(2, 0, 0.7) + law.length(2, 0.7)
    assert pieces == pytest.approx(law.length(), rel=1e-12)
    assert law.length(1) <= law.length(2)


def test_length_in_w1_from_the_mean_is_that_of_a_chi():
    """All the length is sigma_infinity E|Z|, Z standard normal in R^6."""
    law = weights.ornstein_uhlenbeck_law(I3)
    chi = np.sqrt(2) * 3.32335097 / 2  # Gamma(7/2) / Gamma(3)
    assert law.length(1) == pytest.approx(chi, rel=1e-9)


@pytest.mark.parametrize("a", [0.0, 0.5, 3.0, 15.0, 19.99, 20.01, 1e4])
def test_mean_norm_of_a_shifted_normal(a):
    """Against the integral over the angle and the radius of the other five."""
    r = np.linspace(0, 12, 2401)
    u = np.linspace(-12, 12, 4801)
    density = r**4 * np.exp(-(r**2) / 2)
    density /= density.sum()
    normal = np.exp(-(u**2) / 2) / np.exp(-(u**2) / 2).sum()
    expected = normal @ np.hypot(a + u[:, None], r) @ density
    found = _noise._mean_norm(np.array([[a]]), np.array([1.0]), 6)[0, 0]
    assert found == pytest.approx(expected, rel=1e-9)  # trapezoids of smooth tails


# --- what tokens feel -------------------------------------------------------------


def near_axes(seed, n, d):
    """Tokens near +-e_i, as in the first paper's experiments."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([np.eye(d), -np.eye(d)])[rng.integers(0, 2 * d, n)]
    x = x + 0.05 * rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def euler_weights(H, d, t, phase="spread"):
    """The first paper's weights: Euler steps of D' = T - D, seeded as in its code."""
    target, phi = _oscillation.target(d), _oscillation.phases(H, phase == "spread")
    D = [symmetric(42 + H, H, d)]
    for s, h in zip(t, np.diff(t)):
        D.append(D[-1] + h * (target.at(s + phi) - D[-1]))
    return weights.interpolate(t, [Heads.descent(M) for M in D])


def late_slope(H, phase="spread", steps=1000, n=60):
    """Mean over the second half of T = 20 of what the first paper calls G^2."""
    t = np.linspace(0, 20, steps + 1)
    path = euler_weights(H, 3, t, phase)
    run = flow.solve(attention.field(path), near_axes(42, n, 3), t, "euler")
    late = list(zip(t, run.x))[steps // 2 :: 5]
    return np.mean(
        [energy.action(x, attention.velocity(x, path(s)), path(s)) for s, x in late]
    )


@pytest.mark.unchecked
@pytest.mark.slow
@pytest.mark.parametrize(
    ("H", "rate"),
    [
        (2, 1.398e-1),
        (3, 3.735e-3),
    ],
)
def test_oscillations_with_spread_phases_die_out_from_three_heads_on(H, rate):
    """n = 60, T = 20, seeds as in the first paper's code, rates of its dt = 5e-3.  Here
    dt = 0.02: Euler's lag at frequency 2 is 2%, twice that in a square; which times of
    the second half were averaged is not known, 1%."""
    assert late_slope(H) == pytest.approx(rate, rel=0.05)


@pytest.mark.unchecked
def test_in_a_small_cloud_too_oscillations_cancel_between_three_heads():
    """A factor near a hundred at full size."""
    one, three = (late_slope(H, steps=400, n=20) for H in (1, 3))
    assert one > 0.2 and three < one / 20


@pytest.mark.unchecked
@pytest.mark.slow
def test_oscillations_with_one_phase_stay_for_any_number_of_heads():
    """After e^{-t} the heads are one; the clouds started apart, so only alike."""
    assert late_slope(4, "common") == pytest.approx(0.378, rel=0.2)


def test_times_are_copied():
    edges, heads = np.array([0.0, 1.0]), Heads(I2, I2)
    paths = (
        weights.layers([heads], edges),
        weights.interpolate(edges, [heads, heads]),
    )
    edges += 5
    assert all(path(0.5) == heads for path in paths)


@pytest.mark.parametrize("d", [2, 12, 15, 60])
def test_length_of_a_law_in_any_dimension(d):
    """From the stationary mean: the chi distribution with d (d + 1) / 2 degrees."""
    law = weights.ornstein_uhlenbeck_law(I2[:1, :1] * np.eye(d), 2.0)
    size, end = d * (d + 1) // 2, 1 - np.sqrt(1 - np.exp(-2.0))
    assert law.length(1, 1.0) == pytest.approx(chi.mean(size) * end, rel=1e-13)
    assert law.length(1, 800.0, 900.0) == 0.0


@pytest.mark.parametrize("size", [1, 6, 78, 1830])
def test_mean_norm_of_a_gaussian_off_the_centre(size):
    far = np.array([[0.1, 1.0, 10.0, 19.0, 30.0]])
    found = _noise._mean_norm(far, np.ones(5), size)
    for a, value in zip(far[0], found[0]):
        r = np.linspace(0, a + np.sqrt(size) + 10, 4001)
        mean = np.trapezoid(ncx2.sf(r**2, size, a**2), r)
        assert value == pytest.approx(mean, rel=1e-5)


def test_masses_are_copied():
    mass, starts = np.array([0.25, 0.75]), np.stack([I2, 2 * I2])
    paths = (
        weights.oscillating(2, 2, I2, mass=mass),
        weights.ornstein_uhlenbeck(starts, [0, 1], np.random.default_rng(0), mass=mass),
    )
    law = weights.ornstein_uhlenbeck_law(starts, mass=mass)
    mass[:] = 0.5
    assert all(path(0.5).mass[0] == 0.25 for path in paths)
    assert law.mass[0] == 0.25


def test_a_step_of_any_length_has_its_noise():
    path = weights.ornstein_uhlenbeck(I2, [0, 1e60], np.random.default_rng(0))
    assert np.abs(path(1e60).B).max() < 10


# --- refusals ---------------------------------------------------------------------

RNG = np.random.default_rng(0)
OU = weights.ornstein_uhlenbeck
REFUSALS = [
    (lambda: weights.oscillating(0, 2, I2), "H must be 1 or more, got 0"),
    (lambda: weights.oscillating(1, 1, [[1.0]]), "d must be 2 or more, got 1"),
    (lambda: weights.oscillating(1, 3, I2), r"D0 must be of shape \(3, 3\) or \(1, 3"),
    (lambda: weights.oscillating(1, 2, [[0, 1], [2, 0]]), "D0 must be symmetric"),
    (lambda: weights.oscillating(1, 2, I2, "even"), "phase must be one of 'spread'"),
    (lambda: weights.oscillating(1, 2, I2, beta=0), "beta must be positive"),
    (lambda: OU(I2, [0, 0], RNG), "t must be strictly increasing"),
    (lambda: OU(I2, [0, 1], RNG, 0), "noise_var must be positive"),
    (lambda: OU(I2, [0, 1], RNG, mean=I3), r"mean must be of shape \(2, 2\)"),
    (lambda: OU(I2, [0, 1], RNG, method="rk4"), "method must be one of 'exact'"),
    (lambda: OU(I2, [0, 1], RNG)(1.5), r"t must be in \[0, 1\], got 1.5"),
    (lambda: weights.thin(OU(I2, [0, 1, 2, 3], RNG), 2), "k must be a divisor of the"),
    (lambda: weights.thin(weights.constant(Heads(I2, I2)), 2), "path must be made by"),
    (
        lambda: weights.interpolate([0, 1], [Heads(I2, I2), Heads(I2, I2, 2)]),
        "heads must be of equal beta and masses",
    ),
    (lambda: weights.interpolate([0, 1], [Heads(I2, I2)]), "t must be 1 times"),
    (
        lambda: weights.interpolate([0, 1], [Heads(I2, I2)] * 2)(2),
        r"t must be in \[0, 1\], got 2",
    ),
    (lambda: weights.length(OU(I2, [0, 1], RNG), 0, 1, 3), "p must be 1 or 2, got 3"),
    (lambda: weights.length(OU(I2, [0, 1], RNG), 1, 1), "t1 must be later than t0, 1"),
    (
        lambda: weights.length(weights.layers([Heads(I2, I2)], [0, 1]), 0, 2),
        r"t must be in \[0, 1\], got 2",
    ),
    (
        lambda: weights.interpolate([0, 1e-200], [Heads(I2, I2), Heads(-I2, I2)]),
        "t must be far enough apart for slopes up to 1e.150, got 2e.200",
    ),
    (lambda: weights.oscillating(1, 2, I2)(-1), "t must be zero or positive, got -1"),
    (lambda: weights.oscillating(1, 2, I2)(1e308), "t must be of entries up to"),
    (lambda: weights.oscillating(1, 2, I2).drift(np.inf), "t must be of entries up"),
    (lambda: OU(I2, [0, 1], RNG, mean=1e200 * I2), "mean must be of entries up to"),
    (
        lambda: OU(I2, 1e3 * np.arange(400), RNG, method="euler"),
        "t, noise_var must be such that the sample stays below 1e.150",
    ),
    (lambda: weights.constant(Heads(I2, I2))(np.nan), "t must be finite, got nan"),
    (lambda: weights.ornstein_uhlenbeck_law(I2).length(3), "p must be 1 or 2, got 3"),
    (lambda: weights.ornstein_uhlenbeck_law(I2).length(2, 1, 0.5), "t1 must be 1 or"),
    (
        lambda: energy.annealed_power(I2, weights.ornstein_uhlenbeck_law(I2), -1),
        "t must be zero or positive, got -1",
    ),
    (
        lambda: energy.annealed_interaction(
            I2, weights.ornstein_uhlenbeck_law(I2), 1.0, 100
        ),
        "beta must be small enough for exponents below 700",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
