"""Three phases at large sizes, ends of random systems: small runs, and the store."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfdynlib import attention, low_temperature, metastability, sphere
from tfdynlib.low_temperature import cells, ends, picture, store
from tfdynlib.weights import Heads

STORED = low_temperature.stored()


@pytest.mark.unchecked
def test_a_small_case_is_the_run_of_the_book(tmp_path):
    run = low_temperature.run(low_temperature.Case("exit2d", 200, 40.0))
    assert run.exit == pytest.approx(5.494, abs=2e-3)  # a grid of 0.1, theirs is 0.05
    assert run.least == pytest.approx(0.1434, abs=1e-3) and run.status == "done"
    system = ends.run("symmetric", 2, 0)
    store.write(tmp_path / "x.json", [run], [system])
    back = low_temperature.stored(tmp_path / "x.json")
    assert back.runs[0].exit == pytest.approx(run.exit)
    np.testing.assert_allclose(back.runs[0].distance, run.distance, rtol=1e-5)
    assert back.systems[0].end == system.end
    assert "exit2d" in repr(low_temperature.curves_table(back.runs))


def test_every_system_has_a_symmetric_m_and_another_favourite():
    for name in picture.SYSTEMS:
        heads = low_temperature.heads(name, 10.0)
        limit = metastability.Limit.of(heads)
        assert limit.dim == 1 and limit.gap == pytest.approx(1)
        end = metastability.predicted_end(heads)
        assert end.kind == "poles" and abs(end.x @ limit.basis[:, 0]) < 0.9
        mu = low_temperature.start(name, 1000)
        assert all(c.holds is not False for c in limit.assumptions(mu))


@pytest.mark.parametrize("d", [2, 3])
@settings(max_examples=15, deadline=None)
@given(
    width=st.floats(-9, -1).map(lambda k: 10**k),
    beta=st.floats(1, 500),
    seed=st.integers(0, 99),
)
def test_cells_see_what_all_pairs_see(d, width, beta, seed):
    """Two crowds of any width, and some tokens far from both."""
    rng = np.random.default_rng(seed)
    where = sphere.uniform(2, d, rng)[rng.integers(2, size=1500)]
    x = sphere.retract(where + width * rng.standard_normal((1500, d)))
    x[:20] = sphere.uniform(20, d, rng)
    mass = rng.dirichlet(np.ones(1500))
    B, V = rng.standard_normal((2, d, d))
    plain = attention.field(Heads(B, V, beta), mass, method="dense")
    size = np.linalg.norm(V, 2)
    # As NODES says of a mean, with room for the size of the sums beside it.
    bound = {2: 1e-10, 3: 1e-4}[d] * size
    np.testing.assert_allclose(cells.Field(plain)(0.0, x), plain(0.0, x), atol=bound)


def test_cells_keep_the_mass_and_give_up_on_a_cloud_that_is_apart():
    x = metastability.circle(4000)
    found = cells.cells(x, 0.05, 4000)
    mass = np.full(4000, 1 / 4000)
    assert len(found.y) == 4 * 20 * 14 and found.masses(mass).sum() == pytest.approx(1)
    mean = found.masses(mass * (1 + x[:, 0])) @ found.y
    np.testing.assert_allclose(mean, [0.5, 0], atol=1e-12)
    assert cells.cells(x, 1e-4, 1000) is None


def test_the_stored_curves_are_all_that_were_planned():
    assert {r.case for r in STORED.runs} == set(store.PLAN)


def test_the_stored_curves_reach_the_sizes_that_were_promised():
    runs = STORED.runs
    assert all(r.n >= 100_000 and r.status == "done" for r in runs)
    for r in runs:
        seen = r.distance[r.t <= r.exit]
        assert r.least == pytest.approx(seen.min(), rel=1e-5)
        found = metastability.exit_time(r.t, r.distance)
        assert found == pytest.approx(r.exit, rel=1e-4)


def test_colder_clouds_leave_later_about_as_the_mechanism_says():
    for system in picture.SYSTEMS:
        runs = STORED.curves(system)
        marks = low_temperature.marks(runs)
        leave = {r.case.beta: r.exit for r in runs if np.isfinite(r.exit)}
        assert marks.keys() == leave.keys() and marks[min(marks)] == leave[min(leave)]
        cold = [leave[b] for b in sorted(leave) if b >= store.COLD]
        assert cold == sorted(cold)
        least = [r.least for r in runs]
        assert least == sorted(least, reverse=True)
    rows = low_temperature.exits_table(STORED.runs).rows
    assert {row[0] for row in rows} == set(picture.SYSTEMS)
    # The mechanism is leading order in log beta: to a tenth on the circle.  On the
    # two-sphere it is a seventh off, not explained: this only keeps it there.
    for system, _, seen, rule in rows:
        worst = 0.15 if system == "commuting3d" else 0.1
        assert float(seen) == pytest.approx(float(rule), rel=worst)
    assert low_temperature.marks([]) == {}
    assert len(low_temperature.constants_table(STORED.runs).rows) == 3


def test_the_stored_systems_are_those_of_their_seeds():
    assert len(STORED.systems) >= 1000
    for s in STORED.systems[::400]:
        now = ends.run(s.family, s.d, s.seed)
        assert (now.end, now.clusters) == (s.end, s.clusters)
        assert ends.kind(ends.draw(s.family, s.d, s.seed)[0]) == s.kind


def test_conjecture_one_by_the_kinds_of_random_systems():
    """What the book says of it: a rule with exceptions, listed by their seeds."""
    found = [s for s in STORED.systems if s.family == "symmetric"]
    rows = low_temperature.counts(found)
    part = {k: row[ends.DOMINANT] / sum(row.values()) for k, row in rows.items()}
    assert part[ends.TURNS] == part[ends.REPELS] == 0
    assert part[ends.AGAINST] < 0.7 < 0.85 < part[ends.WITH]
    assert part[ends.DEFINITE] > 0.9
    rare = low_temperature.exceptions(found)
    assert 0 < len(rare) < 0.15 * len(found)
    assert "dominant" in repr(low_temperature.ends_table(found))


def test_a_pair_of_poles_is_unstable_if_the_values_repel():
    heads = Heads(np.eye(2), -np.diag([1.0, 2.0]))
    assert ends.kind(heads) == ends.REPELS


def test_refusals():
    case = low_temperature.Case("exit2d", 100, 1.0)
    for change, words in (
        ({"system": "x"}, "^system must be one of"),
        ({"n": 1}, "^n must be 8 or more"),
        ({"beta": 0.0}, "^beta must be positive"),
    ):
        with pytest.raises(ValueError, match=words):
            dataclasses.replace(case, **change)
    with pytest.raises(ValueError, match="^runs must be some of"):
        low_temperature.fitted([], "exit2d")


def test_a_file_that_lacks_nothing_stays_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SYSTEMS", {("free", 2): 1})
    monkeypatch.setattr(store, "PLAN", ())
    store.make(tmp_path / "x.json", "systems")
    first = (tmp_path / "x.json").read_bytes()
    store.make(tmp_path / "x.json")
    assert (tmp_path / "x.json").read_bytes() == first
