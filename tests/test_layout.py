"""The rooms of the package: which way the doors open, what an import costs, and that
no room writes into what it is given."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tfdynlib
from tfdynlib import (
    attention,
    cbo,
    density,
    energy,
    flow,
    geometry,
    jko,
    measure,
    metastability,
    plot,
    sphere,
    stability,
    weights,
)
from tfdynlib.weights import Heads

HOME = Path(tfdynlib.__file__).parent
WAY = [
    "_check",
    "fits",
    "_components",
    "_circle",
    "_measure",
    "sphere",
    "_transport",
    "measure",
    "_noise",
    "_oscillation",
    "_panels",
    "weights",
    "summation",
    "_arrays",
    "attention",
    "_merging",
    "_charts",
    "_stepping",
    "_tableaux",
    "_adaptive",
    "_events",
    "_progress",
    "_ensemble",
    "flow",
    "_slopes",
    "energy",
    "geometry",
    "density",
    "_proximal",
    "jko",
    "stability",
    "metastability",
    "cbo",
    "gaussian",
    "control",
    "records",
    "pretrained",
    "_along",
    "experiments",
    "sweep",
    "low_temperature",
    "claims",
    "plot",
    "widgets",
    "check",
]


def room_of(path):
    return path.relative_to(HOME).with_suffix("").parts[0]


def imported_rooms(path):
    """Rooms of the package that a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("tfdynlib."):
                    yield alias.name.split(".")[1]
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: imports name the package"
            if node.module == "tfdynlib":
                yield from (a.name for a in node.names if a.name != "__version__")
            elif node.module.startswith("tfdynlib."):
                yield node.module.split(".")[1]


def test_every_room_has_its_place_on_the_way():
    rooms = {room_of(path) for path in HOME.rglob("*.py")} - {"__init__"}
    assert rooms <= set(WAY)


@pytest.mark.parametrize("path", sorted(HOME.rglob("*.py")), ids=lambda p: p.stem)
def test_imports_only_look_back_along_the_way(path):
    for other in imported_rooms(path):
        assert WAY.index(other) <= WAY.index(room_of(path)), (path.name, other)


def modules_after(statement):
    """Seconds of processor of an import in a fresh process, and what it loads."""
    code = (
        f"import json, sys, time; s = time.process_time(); {statement}; "
        "print(json.dumps([time.process_time() - s, sorted(sys.modules)]))"
    )
    call = [sys.executable, "-W", "error", "-c", code]
    out = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    return json.loads(out)


HEAVY = {"scipy", "matplotlib", "ot", "numba", "torch", "anywidget", "IPython"}


def test_import_of_the_package_is_light():
    # The best of three: other work on the machine can only make it slower.
    runs = [modules_after("import tfdynlib") for _ in range(3)]
    assert HEAVY.isdisjoint(m.split(".")[0] for m in runs[0][1])
    assert min(seconds for seconds, _ in runs) < 0.4


def test_import_of_the_rooms_loads_no_heavy_package():
    rooms = "attention, energy, flow, measure, metastability, plot, sphere, weights"
    _, modules = modules_after(f"from tfdynlib import {rooms}")
    assert HEAVY.isdisjoint(m.split(".")[0] for m in modules)


@pytest.mark.parametrize("path", sorted(HOME.rglob("*.py")), ids=lambda p: p.stem)
def test_no_warning_is_silenced_and_no_error_swallowed(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"line {node.lineno}: a bare except"
            assert getattr(node.type, "id", "") not in ("Exception", "BaseException")
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            quiet = any(getattr(a, "value", "") == "ignore" for a in node.args)
            assert not (called.endswith(("simplefilter", "filterwarnings")) and quiet)
            assert not called.endswith("nan_to_num")


def frozen(*shape_or_value):
    """An array that raises when it is written into."""
    out = np.array(*shape_or_value)
    out.flags.writeable = False
    return out


X = frozen(sphere.uniform(6, 3, np.random.default_rng(0)))
Y = frozen(X[:, :2] / np.linalg.norm(X[:, :2], axis=1, keepdims=True))
V = frozen(np.ones((6, 3)))
MASS = frozen(np.arange(1, 7) / 21)
MU = measure.Measure(X, MASS)
HEADS = Heads.descent(np.stack([np.eye(3), 2 * np.eye(3)]))
PLANE = Heads.descent(np.eye(2))
TIMES = frozen([0.0, 0.1, 0.2])

CALLS = {
    "project": lambda: sphere.project(X, V),
    "retract": lambda: sphere.retract(X),
    "exp": lambda: sphere.exp(X, V),
    "log": lambda: sphere.log(X, X[::-1]),
    "distance": lambda: sphere.distance(X, X[::-1]),
    "push_forward": lambda: measure.push_forward(lambda x: x.__imul__(2), MU),
    "wasserstein2": lambda: measure.wasserstein2(MU, measure.Measure(X[:4])),
    "plan": lambda: measure.plan(MU, measure.Measure(X[:4]), "geodesic"),
    "merge": lambda: measure.merge(MU, 0.3),
    "sliced": lambda: measure.sliced_wasserstein2(MU, MU, np.random.default_rng(0)),
    "attend": lambda: attention.attend(X, HEADS, MASS),
    "log_partition": lambda: attention.log_partition(X, HEADS, MASS),
    **{
        rule: lambda rule=rule: attention.velocity(X, HEADS, MASS, rule)
        for rule in attention.RULES
    },
    **{
        method: lambda method=method: flow.solve(
            attention.field(HEADS, MASS), X, TIMES, method
        )
        for method in flow.METHODS
    },
    "interaction": lambda: energy.interaction(X, HEADS, MASS),
    "first_variation": lambda: energy.first_variation(X, HEADS, MASS),
    "effective_weight": lambda: energy.effective_weight(X, HEADS, MASS),
    "slope_squared": lambda: energy.slope_squared(X, HEADS, MASS),
    "dissipation": lambda: energy.dissipation(X, HEADS, mass=MASS),
    "power": lambda: energy.power(X, weights.oscillating(1, 3, frozen(np.eye(3))), 1.0),
    "annealed": lambda: energy.annealed_interaction(
        X, weights.ornstein_uhlenbeck_law(frozen(np.eye(3))), 1.0, 1.0, MASS
    ),
    "ornstein_uhlenbeck": lambda: weights.ornstein_uhlenbeck(
        frozen(np.eye(3)), TIMES, np.random.default_rng(0), mean=frozen(np.eye(3))
    ),
    "logarithmic_norm": lambda: stability.logarithmic_norm(X, HEADS, MASS),
    "minimise": lambda: stability.minimise(X, HEADS, MASS),
    "action": lambda: energy.action(X, V, HEADS, MASS),
    "head_mismatch": lambda: energy.head_mismatch(X, HEADS, MASS),
    "balance": lambda: energy.balance(
        flow.solve(attention.field(HEADS), X, TIMES), HEADS
    ),
    "density": lambda: density.solve(
        lambda a: frozen(np.full(len(a), 0.5 / np.pi)),
        Heads(frozen(np.eye(2)), frozen(np.eye(2))),
        TIMES,
    ),
    "sphere_grid": lambda: density.sphere_grid(
        lambda x: frozen(np.full(len(x), 0.25 / np.pi)), 4
    ),
    "jko_step": lambda: jko.step(X, HEADS, 0.1, MASS),
    "jko_solve": lambda: jko.solve(X, HEADS, 0.1, 2, MASS, order=2),
    "weighted_distance": lambda: geometry.weighted_distance(
        MU, measure.Measure(X[:4]), HEADS, parts=1
    ),
    "weighted_distance on the circle": lambda: geometry.weighted_distance(
        measure.Measure(Y, MASS), measure.Measure(Y[:4]), PLANE, parts=1
    ),
    "clusters": lambda: metastability.clusters(X, 0.3),
    "consensus": lambda: cbo.solve(X, lambda x: x.__imul__(2)[:, 0], TIMES, 3.0),
    "gaussian_mean": lambda: cbo.gaussian_mean(X[0], V[:3] @ V[:3].T, X[1], 1.0),
    "circle": lambda: plot.circle(Y),
    "sphere": lambda: plot.sphere(X),
    "rays": lambda: plot.rays(Y, Heads(np.eye(2), np.eye(2)), 0),
    "attention": lambda: plot.attention(frozen(np.eye(3))),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_input_is_never_written_into(call):
    """Every array is read-only: a write raises."""
    assert call() is not None


def test_layout_sees_a_look_ahead(tmp_path):
    """The check itself can fail: a planted import is found."""
    planted = tmp_path / "flow.py"
    planted.write_text("def f():\n    from tfdynlib import plot\n    return plot\n")
    assert list(imported_rooms(planted)) == ["plot"]
    assert WAY.index("plot") > WAY.index("flow")


def test_one_browser_serves_all_tests():
    """Playwright allows one in a process: a second stops every test after it."""
    makers = [
        path.name
        for path in Path(__file__).parent.rglob("*.py")
        if re.search(r"\b(launched|sync_playwright)\(", path.read_text("utf-8"))
    ]
    assert sorted(makers) == ["conftest.py", "figurepage.py"]
