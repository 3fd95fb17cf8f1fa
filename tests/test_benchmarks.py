"""The test-bench: its peers compute what the package computes, its tables add up.

Nothing is timed here.
"""

import dataclasses
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from benchmarks import cases, machine, peers, phases, protocol, readme, report, run
from benchmarks.protocol import OURS, Claim, Outcome, Row, Timing
from tfdynlib import attention, flow, gaussian, records
from tfdynlib.weights import Heads

ROOT = Path(__file__).parent.parent


def outcome(ours=2.0, peer=8.0, error=1e-14):
    rows = [
        protocol.row(OURS, Timing((ours / 1e3,) * 3), 0.0, 1e-12),
        protocol.row("peer", Timing((peer / 1e3,) * 3), error, 1e-12),
    ]
    return Outcome("A case", rows, protocol.ratios(rows, {"peer": 3, "absent": 9}))


def made(make, *arguments):
    """The peer, or a skipped test with the reason why there is none."""
    try:
        return make(*arguments)
    except peers.Unavailable as reason:
        pytest.skip(str(reason))


# --- peers ------------------------------------------------------------------------


@pytest.mark.slow  # KeOps compiles, once on a machine
@pytest.mark.parametrize("name", peers.VELOCITIES)
def test_every_peer_computes_our_velocity(tokens, random_heads, name):
    x, heads = tokens(1, n=40), random_heads(2, H=1)
    B, V = heads.B[0], heads.V[0]
    v = np.asarray(made(peers.VELOCITIES[name], x, B, V, heads.beta)())
    wanted = attention.velocity(x, heads, method="dense")
    # Rounding of forty terms.
    np.testing.assert_allclose(v, wanted, atol=1e-13)
    np.testing.assert_allclose(peers.reference(x, B, V, heads.beta), wanted, atol=1e-13)


def test_reference_is_safe_at_low_temperature_and_in_blocks(tokens, monkeypatch):
    x, eye = tokens(1, n=40), np.eye(3)
    monkeypatch.setattr(peers, "BLOCK", 100)  # two rows of forty
    v = peers.reference(x, eye, eye, 1e4, at=x[:5])
    heads = Heads(eye, eye, 1e4)
    np.testing.assert_allclose(
        v, attention.velocity(x, heads, method="dense")[:5], atol=1e-11
    )


@pytest.mark.parametrize("name", peers.ENSEMBLES)
def test_every_ensemble_peer_takes_our_euler_steps(tokens, name):
    x0, beta, h, steps = tokens(1, n=18).reshape(2, 9, 3), 4.0, 0.1, 5
    end = np.asarray(made(peers.ENSEMBLES[name], x0, beta, h, steps)())
    field = attention.field(Heads(np.eye(3), np.eye(3), beta), method="dense")
    t = h * np.arange(steps + 1)
    wanted = [flow.solve(field, x, t, "euler").x[-1] for x in x0]
    np.testing.assert_allclose(end, wanted, atol=1e-13)


def test_integrators_of_others_reach_our_end(tokens):
    x0, beta = tokens(1), 4.0
    field = attention.field(Heads(np.eye(3), np.eye(3), beta), method="dense")
    wanted = flow.solve(field, x0, [0, 2.0], rtol=1e-11, atol=1e-11).x[-1]
    x, count = peers.scipy_ivp(field, x0, 2.0, "DOP853", 1e-10)
    # Ten times the tolerance, summed over about ten steps.
    np.testing.assert_allclose(x, wanted, atol=1e-8)
    assert count > 12
    x, count = made(peers.diffrax_dopri5, x0, beta, 2.0)(1e-10)
    np.testing.assert_allclose(x, wanted, atol=1e-8)
    assert count > 12


def test_covariances_of_others_blow_up_when_ours_do():
    A, B, V = layers = phases.systems()[:, :12]
    # Dozens of steps of 1e-6, ours of 1e-8.
    ours = gaussian.phase_diagram(A, B, V, np.eye(2), 50.0, 1e-8, "numpy").blow_up_time
    assert 3 < np.isfinite(ours).sum() < 12
    assert phases.gap(phases.theirs(layers, "LSODA"), ours) < phases.ALLOWED
    assert phases.gap(ours, np.full(12, np.inf)) == np.inf
    assert phases.gap(np.full(12, np.nan), ours) == 0  # nothing known, nothing wrong


def test_an_integrator_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(peers, "GIVEN_UP", 50)
    assert np.isnan(peers.blow_up_ivp(*phases.systems()[:, 0], 50.0, "RK45", 1e-6))


def test_covariances_of_jax_blow_up_when_ours_do():
    layers = phases.exploding()[:, :8]
    found = made(peers.blow_up_jax, layers, phases.T_END, phases.RTOL)()
    assert phases.gap(np.asarray(found), phases.ours(layers)) < phases.ALLOWED


# ott-jax still imports a package that calls itself no longer maintained.
@pytest.mark.filterwarnings("ignore:JAXopt is no longer:DeprecationWarning")
@pytest.mark.parametrize("name", [OURS, *peers.DISTANCES])
def test_distances_on_the_circle_agree(name):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0, 2 * np.pi, 12), rng.vonmises(1.0, 2.0, 12)
    arc = np.abs(np.angle(np.exp(1j * (a[:, None] - b))))
    wanted = math.sqrt((arc**2)[linear_sum_assignment(arc**2)].mean())
    if name == OURS:
        assert cases.circle_distance(a, b % (2 * np.pi)) == pytest.approx(
            wanted, rel=1e-12
        )
        return
    # The entropic plan is blurred; POT's search stops at 1e-6 of the circle.
    allowed = {"ott sinkhorn": 0.1, "POT circle": 1e-4}.get(name, 1e-12)
    found = made(peers.DISTANCES[name], a, b)()
    assert found == pytest.approx(wanted, abs=allowed)


# --- protocol ---------------------------------------------------------------------


def test_turns_are_taken_in_order_and_long_calls_take_fewer(monkeypatch):
    seconds, now, order = {"quick": 0.001, "slow": 0.1}, [0.0], []

    def call(name):
        order.append(name)
        now[0] += seconds[name]

    monkeypatch.setattr(protocol.time, "process_time", lambda: now[0])
    taken = protocol.take_turns({n: lambda n=n: call(n) for n in seconds}, rounds=9)
    assert len(taken["quick"].seconds) == 9 and len(taken["slow"].seconds) == 3
    assert taken["slow"].median == pytest.approx(0.1)
    assert taken["quick"].median == pytest.approx(0.001)
    # A first look at each; then turns of five milliseconds; one long call is a turn.
    turn = ["quick"] * 5
    assert order[:14] == ["quick", "slow", *turn, *turn, "slow", "quick"]
    assert set(order[14:]) == {"quick", "slow"} and order.count("slow") == 3


def test_ratio_is_peer_over_ours_and_absent_peers_drop_out():
    (claim,) = outcome().claims
    assert claim.value == pytest.approx(4) and claim.bound == 3 and claim.met
    with pytest.raises(ValueError, match="rows must be with one for 'tfdynlib'"):
        protocol.ratios([], {"peer": 3})


def test_targets_are_bounds_from_either_side():
    assert Claim("x", 2.0, 2.0).met and not Claim("x", 1.9, 2.0).met
    assert Claim("x", 2.0, 2.0, at_least=False).met
    assert not Claim("x", math.nan, 2.0).met


def test_an_error_that_is_no_number_is_wrong():
    line = Row("peer", 1.0, 1.0, 1.0, 9, math.nan, 1e-12)
    assert not line.right
    assert report.wrong([outcome(error=1e-3)]) == [
        "A case: peer is off by 0.001, allowed 1e-12"
    ]


# --- tables and files -------------------------------------------------------------


def test_table_tells_evaluations_of_integrators():
    line = protocol.row(OURS, Timing((0.002,)), 0.0, 1e-6, evaluations=176)
    assert "tfdynlib, 176 evaluations" in report.table(Outcome("A case", [line]))


def test_table_tells_medians_ratios_and_verdicts():
    text = report.table(outcome())
    assert re.search(r"peer +8 +8 - 8 +1.0e-14 +4\n", text)
    assert "peer / tfdynlib: 4 (target >= 3) met" in text
    assert "WRONG" in report.table(outcome(error=1.0))
    summary = report.summary([outcome(), outcome(ours=4.0)])
    assert "NOT MET" in summary and summary.endswith("1 of 2 targets met")


def test_outcome_survives_json():
    found = outcome()
    again = report.outcome(json.loads(json.dumps(dataclasses.asdict(found))))
    assert again == found


def test_run_writes_everything_and_fails_on_errors_only(monkeypatch, tmp_path, capsys):
    found = {name: dataclasses.asdict(outcome()) for name in cases.CASES}
    monkeypatch.setattr(run, "run_case", lambda name, hide, **how: found[name])
    monkeypatch.setattr(protocol, "one_core", lambda: None)
    file = tmp_path / "new" / "results.json"
    assert run.main(["--out", str(file)]) == 0
    kept = json.loads(file.read_text())
    assert kept["form"] == "short" and kept["versions"]["numpy"] == np.__version__
    assert list(kept["cases"]) == list(cases.CASES)
    assert kept["cases"]["exact_sphere"]["claims"][0]["met"] is True
    assert f"{len(found)} of {len(found)} targets met" in capsys.readouterr().out
    found["exact_sphere"] = dataclasses.asdict(outcome(peer=1.0))
    assert run.main(["--only", "exact_sphere"]) == 0  # a target missed is no failure
    found["exact_sphere"] = dataclasses.asdict(outcome(error=1.0))
    assert run.main(["--only", "exact_sphere"]) == 1
    found["exact_sphere"] = None
    assert run.main(["--only", "exact_sphere"]) == 1
    with pytest.raises(SystemExit):
        run.main(["--only", "none"])


def case_with(others, error=0.0, value=4.0):
    """What a case finds while so many cores do other work."""
    found = outcome(peer=2 * value, error=error)
    return dataclasses.asdict(found) | {"others": others}


def kept(monkeypatch, tmp_path, loud, value=4.0):
    """The end of a run that is kept, its file, and the calls; the cases find other
    work of these sizes, one after the other."""
    calls, loud = [], iter(loud)

    def run_case(name, hide, **how):
        calls.append(how["avx2"])
        return case_with(None, value=value)

    class Watch:
        def others(self):
            return next(loud)

    monkeypatch.setattr(run, "run_case", run_case)
    monkeypatch.setattr(machine, "Watch", Watch)
    monkeypatch.setattr(machine, "vectors", lambda: ["avx512f"])
    monkeypatch.setattr(protocol, "one_core", lambda: None)
    file = tmp_path / "kept.json"
    options = ["--keep", "--only", "exact_sphere", "--out", str(file)]
    return run.main(options), file, calls


def test_a_run_that_is_kept_waits_for_a_quiet_one(monkeypatch, tmp_path):
    code, file, calls = kept(monkeypatch, tmp_path, [1.5, 0.7, 0.1])
    assert code == 0 and calls == [False] * 3
    assert json.loads(file.read_text())["others"] == 0.1


def test_a_loud_run_is_not_kept(monkeypatch, tmp_path):
    code, file, calls = kept(monkeypatch, tmp_path, [1.0] * run.TRIES)
    assert code == 2 and not file.exists() and len(calls) == run.TRIES


def test_a_missed_target_is_measured_on_a_narrow_processor_too(monkeypatch, tmp_path):
    code, file, calls = kept(monkeypatch, tmp_path, [0.0, 0.0], value=2.0)
    assert code == 0 and calls == [False, True]
    case = json.loads(file.read_text())["cases"]["exact_sphere"]
    assert not case["claims"][0]["met"] and not case["as_avx2"]["claims"][0]["met"]


def test_own_work_is_not_the_work_of_others(monkeypatch, tmp_path):
    stat, now, own = tmp_path / "stat", [0.0], [0.0]
    ticks = machine.os.sysconf("SC_CLK_TCK")
    monkeypatch.setattr(machine, "STAT", stat)
    monkeypatch.setattr(machine.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(machine.os, "times", lambda: (own[0], 0, 0, 0, 0))
    stat.write_text("cpu 0 0 0 500 70 0 0 0 0 0\n")
    watch = machine.Watch()
    now[0], own[0] = 10.0, 8.0
    stat.write_text(f"cpu {11 * ticks} {ticks} 0 900 90 0 0 {ticks} 0 0\n")
    assert watch.others() == pytest.approx((13 - 8) / 10)
    stat.unlink()
    assert machine.Watch().others() is None


def test_the_table_of_readme_is_replaced_and_nothing_else(tmp_path):
    file, run = tmp_path / "README.md", records.published("speed")
    old = "| what | beside | old |\n|---|---|\n| x | y |"
    made = "Measured by `make bench` on\nanything. {}\n\nEnd.\n"
    file.write_text(f"# A\n\n{old}\n\n{made}")
    readme.update(file)
    made = (
        f"Measured by `make bench-kept` on one core of {run.processor}. {{}}\n\nEnd.\n"
    )
    assert file.read_text() == f"# A\n\n{run.headline()}\n\n{made}"


def test_hidden_packages_cannot_be_imported():
    hidden = [name for name, case in cases.CASES.items() if case.hide]
    assert hidden == ["numpy_sphere", "numpy_exact", "numpy_exact_small"]


def test_machine_names_its_versions_and_no_paths():
    here = machine.describe()
    assert here["processor"] and here["versions"]["python"]
    assert "/" not in json.dumps(machine.thread_pools())


@pytest.mark.parametrize(
    "path", sorted(run.RESULTS.rglob("*.json")), ids=lambda p: p.name
)
def test_results_that_are_kept_are_right(path):
    kept = json.loads(path.read_text())
    outcomes = [report.outcome(_without_verdicts(c)) for c in kept["cases"].values()]
    assert report.wrong(outcomes) == []
    assert kept["date"] and kept["processor"] and kept["versions"]["tfdynlib"]


def _without_verdicts(case):
    claims = [{k: v for k, v in c.items() if k != "met"} for c in case["claims"]]
    return case | {"claims": claims}


def test_climb_stops_at_the_first_tolerance_that_is_enough():
    x = np.zeros((2, 3))
    found = cases.climb(lambda rtol: (x + rtol, round(1 / rtol)), x)
    assert found.rtol == pytest.approx(10**-6.25)  # sqrt(3) 1e-6 is too much
    assert cases.climb(lambda rtol: (x + 1, 1), x) is None
