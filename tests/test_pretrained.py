"""Layers of trained models: statistics with their bands, and the stored run.

What needs torch is in test_pretrained_models.py.
"""

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from tfdynlib import gaussian, pretrained
from tfdynlib.pretrained import bands, encoders, prescribed, store


def cloud(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


# ---------------------------------------------------------------------- statistics


def test_distance_on_a_line_is_the_integral_over_quantiles():
    x = cloud(5, 3) ** 3
    z = np.sort((x - x.mean(axis=0)) / x.std(axis=0), axis=0)
    for found, column in zip(pretrained.line_w2(x), z.T):
        parts = [
            quad(lambda u, v=v: (v - stats.norm.ppf(u)) ** 2, k / 5, (k + 1) / 5)[0]
            for k, v in enumerate(column)
        ]
        # quad's own error at the ends, where the quantile is infinite.
        assert found**2 == pytest.approx(sum(parts), abs=1e-7)


def test_kurtosis_is_the_fourth_moment_and_two_points_have_the_least():
    x = cloud(40, 6)
    expected = stats.kurtosis(x, axis=0)
    np.testing.assert_allclose(pretrained.excess_kurtosis(x), expected, rtol=1e-12)
    np.testing.assert_allclose(pretrained.excess_kurtosis([[0.0], [1], [1], [0]]), -2)


@pytest.mark.parametrize("d", [1, 4])
def test_mardia_is_its_double_sum_and_knows_no_coordinates(d):
    x = cloud(30, d) ** 2
    y = x - x.mean(axis=0)
    G = y @ np.linalg.solve(y.T @ y / 30, y.T)
    expected = np.mean(G**3), np.mean(np.diag(G) ** 2)
    assert pretrained.mardia(x) == pytest.approx(expected, rel=1e-10)
    other = x @ (np.eye(d) + 0.3 * cloud(d, d, 1)) + 5
    assert pretrained.mardia(other) == pytest.approx(expected, rel=1e-8)


def test_the_null_mean_of_mardia_is_the_exact_one():
    rng = np.random.default_rng(0)
    found = [pretrained.mardia(rng.standard_normal((256, 8)))[1] for _ in range(400)]
    error = np.std(found) / 20
    assert abs(np.mean(found) - 80 * 255 / 257) < 4 * error < 0.4


def test_a_gaussian_in_many_dimensions_is_nearly_a_sphere():
    # 1/sqrt(2d) to first order; an estimate from n tokens spreads by its 1/sqrt(2n).
    n, d = 4000, 768
    found = pretrained.radius_spread(cloud(n, d))
    assert found == pytest.approx(
        1 / math.sqrt(2 * d), rel=4 / math.sqrt(2 * n) + 2 / d
    )


def test_samples_of_the_band_have_exactly_the_moments_of_the_cloud():
    width = np.array([0.1, 1.0, 3.0])
    y = bands._same_moments(9, width, np.random.default_rng(0))
    np.testing.assert_allclose(y.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(y.T @ y / 9, np.diag(width**2), atol=1e-13)


def test_a_gaussian_leaves_its_band_once_in_twenty_even_if_n_is_near_d():
    """Level 0.95, for a covariance that has to be estimated from 30 tokens in R^20."""
    rng, trials = np.random.default_rng(7), 150
    out = np.zeros(len(pretrained.STATISTICS))
    shape = np.diag(np.geomspace(0.1, 3, 20)) @ cloud(20, 20, 1)
    for _ in range(trials):
        x = rng.standard_normal((30, 20)) @ shape
        law = pretrained.gaussianity(x, rng, reps=39, lines=8, principal=4)
        out += [not band.inside for band in law.bands.values()]
    # Binomial with p = 2 / 40: four standard deviations above, and for all eight
    # together not far below.
    mean, deviation = 0.05 * trials, math.sqrt(trials * 0.05 * 0.95)
    assert out.max() < mean + 4 * deviation
    assert 0.5 < out.mean() / mean < 1.5


def shell(n, d):
    x = cloud(n, d)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("x", "names"),
    [
        (
            np.random.default_rng(0).laplace(size=(400, 10)),
            ["kurtosis", "mardia_kurtosis"],
        ),
        (
            cloud(400, 10) * np.repeat([0.3, 2.0], 200)[:, None],
            ["sliced_w2", "kurtosis"],
        ),
        (shell(400, 40), ["radius_spread"]),
        (np.random.default_rng(0).exponential(size=(400, 10)), ["mardia_skewness"]),
    ],
    ids=["laplace", "mixture", "shell", "exponential"],
)
def test_what_is_not_gaussian_is_seen_by_the_statistic_that_looks_there(x, names):
    law = pretrained.gaussianity(x, np.random.default_rng(1), reps=99)
    for name in names:
        assert abs(law.bands[name].deviations) > 4 and not law.bands[name].inside


def test_random_lines_do_not_see_a_shell_in_many_dimensions():
    law = pretrained.gaussianity(shell(300, 200), np.random.default_rng(1), reps=99)
    assert law.bands["sliced_w2"].inside and law.bands["worst_kurtosis"].inside
    assert law.bands["radius_spread"].deviations < -10


def test_moments_are_those_of_the_cloud():
    x = cloud(50, 12) @ cloud(12, 12, 1) + 3
    law = pretrained.gaussianity(x, np.random.default_rng(0), reps=5, layer=2)
    np.testing.assert_allclose(law.cov, np.cov(x.T, bias=True), atol=1e-12)
    assert (law.layer, law.n, law.d, law.rank, law.status) == (
        2,
        50,
        12,
        12,
        "measured",
    )
    assert law.trace == pytest.approx(np.trace(law.cov))
    assert law.mean_norm == pytest.approx(np.linalg.norm(x.mean(axis=0)))
    value = np.linalg.eigvalsh(law.cov)
    assert law.effective_rank == pytest.approx(value.sum() ** 2 / np.sum(value**2))
    assert "12" in repr(law) and "statistics inside" in repr(law)


def test_a_thin_cloud_is_measured_in_the_directions_that_it_fills():
    x = cloud(60, 3) @ cloud(3, 30, 1)
    law = pretrained.gaussianity(x, np.random.default_rng(0), reps=9)
    assert law.rank == 3 and len(law.bands) == len(pretrained.STATISTICS)
    line = pretrained.gaussianity(x[:, :1], np.random.default_rng(0), reps=9)
    assert line.rank == 1


def test_a_point_has_no_statistics_and_says_so():
    law = pretrained.gaussianity(np.full((20, 4), 7.3), np.random.default_rng(0))
    assert (law.status, law.rank, law.bands) == ("one point", 0, {})
    assert law.trace == pytest.approx(0, abs=1e-20) and law.effective_rank == 0


def test_a_gaussian_like_a_cloud_has_its_moments():
    x = cloud(30, 3) ** 2
    y = pretrained.gaussian_like(x, 40_000, np.random.default_rng(0))
    size = np.abs(np.cov(x.T)).max()
    np.testing.assert_allclose(y.mean(axis=0), x.mean(axis=0), atol=5 * size**0.5 / 200)
    np.testing.assert_allclose(np.cov(y.T), np.cov(x.T, bias=True), atol=7 * size / 200)


def test_null_bands_are_those_of_the_book():
    """N = 256: excess kurtosis of a line, and Mardia's kurtosis in eight dimensions."""
    rng = np.random.default_rng(0)

    def kurtosis(x):
        return pretrained.excess_kurtosis(x)[0]

    low, high = pretrained.null_band(kurtosis, 256, 1, rng, reps=2000)
    assert (low, high) == pytest.approx((-0.50, 0.67), abs=0.06)
    low, high = pretrained.null_band(
        lambda x: pretrained.mardia(x)[1], 256, 8, rng, 400
    )
    assert (low + high) / 2 == pytest.approx(79.4, abs=0.4)


REFUSED = {
    "x": lambda: pretrained.mardia(cloud(8, 8)),
    "x must be a cloud that fills": lambda: pretrained.mardia(
        cloud(9, 2) @ np.ones((2, 3))
    ),
    "x must be without constant columns": lambda: pretrained.line_w2(np.ones((4, 1))),
    "x must be 10 tokens": lambda: pretrained.gaussianity(
        cloud(5, 3), np.random.default_rng(0)
    ),
    "level": lambda: pretrained.null_band(
        np.mean, 5, 2, np.random.default_rng(0), level=1.0
    ),
    "x must be two different": lambda: pretrained.radius_spread(np.ones((3, 2))),
    "statistic": lambda: pretrained.null_band(
        lambda x: "much", 5, 2, np.random.default_rng(0)
    ),
    "sign": lambda: prescribed.closed("odd", [1.0], 3, 1.0, 1.0),
    "variance": lambda: prescribed.closed("equal", [-1.0], 3, 1.0, 1.0),
    "model": lambda: pretrained.wrap(3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"^{name}( must be)?"):
        REFUSED[name]()


# -------------------------------------------------------------------- without torch


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(encoders, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'tfdynlib\[pretrained\]'"):
        pretrained.load()


def test_torch_is_not_loaded_by_an_import():
    code = "import sys, tfdynlib.pretrained as p; p.stored(); "
    code += "print([m for m in ('torch', 'transformers') if m in sys.modules])"
    call = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ----------------------------------------------------------------- prescribed heads


def test_the_closed_recursion_is_the_step_of_the_gaussian_equation():
    """Sigma -> (I + V Sigma B) Sigma (I + V Sigma B)^T, for V = -+vI and B = bI."""
    start = np.array([0.5, 1.0, 2.0])
    for sign, v in (("opposite", -0.3), ("equal", 0.3)):
        layer = gaussian.Layer(A=np.zeros((3, 3)), B=0.2 * np.eye(3), V=v * np.eye(3))
        cov, expected = np.diag(start), [start.sum()]
        for _ in range(5):
            step = np.eye(3) + layer.jacobian(cov)
            cov = step @ cov @ step.T
            expected.append(np.trace(cov))
        found = prescribed.closed(sign, start, 5, 0.3, 0.2)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_small_layers_come_to_the_wall_when_the_equation_does():
    """A step of 1/1000 of the way: first order."""
    v, b, steps = 1e-3, 1.0, 10_000
    found = prescribed.closed("equal", [1.0], steps, v, b, limit=1e6)
    layer = gaussian.Layer(A=[[0.0]], B=[[b]], V=[[v]])
    wall = gaussian.blow_up_time(layer, [[1.0]])
    assert wall == pytest.approx(1 / (2 * v * b), rel=1e-8)
    assert len(found) == pytest.approx(wall, rel=0.02)


def test_nothing_happens_without_attention():
    assert prescribed.closed("none", [1.0, 2], 4, 1.0, 1.0).tolist() == [3.0] * 5


# ------------------------------------------------------------------- the stored run


@pytest.fixture(scope="module")
def kept():
    return pretrained.stored()


def test_the_stored_run_says_how_it_was_made(kept):
    assert kept.record.command == "python -m tfdynlib.pretrained"
    assert "torch" in kept.record.machine and "transformers" in kept.record.machine
    assert set(kept.laws) == set(store.INPUTS)
    assert kept.setting["tokens"] == store.TOKENS
    assert (store.records.STORED / "real_weights.json").stat().st_size < 300_000
    import hashlib

    found = hashlib.sha256(store.text().encode()).hexdigest()
    assert kept.setting["text"] == found


def test_every_layer_of_every_input_has_its_bands(kept):
    for laws in kept.laws.values():
        assert [law.layer for law in laws] == list(range(kept.setting["layers"] + 1))
        for law in laws:
            assert law.status == "measured" and set(law.bands) == {
                *pretrained.STATISTICS
            }
            for band in law.bands.values():
                assert band.low <= band.centre <= band.high and band.spread > 0


def test_gaussian_input_is_gaussian_by_its_own_statistics(kept):
    """A test of the test: at level 95% more than three of eight outside are rare."""
    for name in ("gaussian", "matched"):
        assert kept.laws[name][0].inside >= 5


def test_heads_that_are_narrow_have_both_signs(kept):
    width = kept.setting["d"] // kept.setting["H"]
    heads = [head for layer in kept.heads for head in layer]
    assert len(heads) == kept.setting["layers"] * kept.setting["H"]
    for head in heads:
        assert (head.B_positive, head.B_negative) == (width, width)
        assert (head.V_positive, head.V_negative) == (width, width)
        assert not head.definite


def test_seen_heads_have_a_fate(kept):
    kinds = set()
    for view in kept.seen:
        for B, V in zip(view.B[:2], view.V[:2]):
            kinds.add(pretrained.fate(B, V, view.cov))
    assert kinds <= {"undecided", "decays", "blow-up", "bounded"}


def test_the_stored_closed_traces_are_computed_values(kept):
    variance = np.ones(kept.setting["d"])
    for sign, curve in kept.closed.items():
        again = prescribed.closed(sign, variance, store.DEPTH, store.V, store.B)
        np.testing.assert_allclose(curve, again, rtol=1e-5)


def test_opposite_signs_are_bounded_and_equal_ones_run_away(kept):
    assert kept.run("opposite", False, False).status == "bounded"
    assert kept.run("equal", False, False).status == "blow-up"
    for sign in prescribed.SIGNS:
        assert kept.run(sign, True, False).status == "bounded"
        assert np.isfinite(kept.run(sign, False, True).trace).all()


def test_torch_part_is_not_forgotten():
    """The file that is skipped here is one that CI runs where torch is."""
    from fixture_book import ROOT

    assert "\nmake models\n" in (ROOT / ".ci/run").read_text("utf-8")
    name = "pytest tests/test_pretrained_models.py"
    assert name in (ROOT / "Makefile").read_text("utf-8")
