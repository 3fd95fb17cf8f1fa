"""An adversary calls every function of the Gaussian rooms with what it should not get.

Each call must refuse (``ValueError``: name, wanted, got) or return a value without NaN
and without a warning; arrays are read-only, so that a write raises.
"""

import re
from dataclasses import is_dataclass

import numpy as np
import pytest
from unchecked import unchecked

from tfdynlib import control, gaussian, pretrained
from tfdynlib.gaussian import Gaussian, Layer


def frozen(value):
    out = np.array(value, dtype=float)
    out.flags.writeable = False
    return out


def rng():
    return np.random.default_rng(0)


I2 = frozen(np.eye(2))
A = frozen([[0.4, 0.3], [-0.2, 0.6]])
B = frozen([[1.0, 0.5], [-0.3, 0.8]])
COV = frozen([[1.0, 0.3], [0.3, 0.6]])
V2 = frozen(np.diag([1.0, 0.5]))
X = frozen(rng().standard_normal((20, 2)))
LAYER, RESTS = Layer(A, B, V2), Layer(A, B, -0.7 * I2)
BELL, OTHER = Gaussian([0, 0], COV), Gaussian([1, 1], I2)
PATH = gaussian.piecewise([RESTS, RESTS], [0, 0.5, 1])

# What is called, and arguments that are right.
CALLS = {
    "Gaussian": (Gaussian, {"mean": [0, 0], "cov": COV}),
    "from_factor": (Gaussian.from_factor, {"mean": [0, 0], "factor": I2}),
    "Layer": (Layer, {"A": A, "B": B, "V": V2, "b": [0, 0]}),
    "jacobian": (LAYER.jacobian, {"cov": COV}),
    "piecewise": (gaussian.piecewise, {"layers": [LAYER] * 2, "t_edges": [0, 1, 2]}),
    "constant": (gaussian.constant, {"layer": LAYER}),
    "solve": (
        gaussian.solve,
        {
            "layer_or_path": LAYER,
            "start": BELL,
            "t": [0, 0.1, 2],
            "method": "ode",
            "rtol": 1e-6,
            "atol": 1e-6,
            "max_steps": 99,
        },
    ),
    "solve exactly": (
        gaussian.solve,
        {"layer_or_path": RESTS, "start": BELL, "t": [0, 1]},
    ),
    "closed_form": (gaussian.closed_form, {"layer": RESTS, "cov": COV, "t": [0, 1]}),
    "scalar_covariance": (
        gaussian.scalar_covariance,
        {"a": 0.5, "c": -1.0, "start": 2.0, "t": 1.0},
    ),
    "scalar_blow_up_time": (
        gaussian.scalar_blow_up_time,
        {"a": 0.5, "c": 1.0, "start": 2.0},
    ),
    "regime": (gaussian.regime, {"layer": LAYER, "cov": COV}),
    "blow_up_time": (
        gaussian.blow_up_time,
        {"layer": RESTS, "cov": COV, "horizon": 10.0},
    ),
    "blow_up_bounds": (gaussian.blow_up_bounds, {"layer": LAYER, "cov": COV}),
    "equilibrium": (gaussian.equilibrium, {"layer": RESTS}),
    "phase_diagram": (
        gaussian.phase_diagram,
        {
            "A": A,
            "B": B,
            "V": V2,
            "cov": COV,
            "t_end": 5.0,
            "rtol": 1e-4,
            "method": "numpy",
        },
    ),
    "distance": (gaussian.distance, {"g": BELL, "h": OTHER}),
    "sample": (lambda g, n: gaussian.sample(g, n, rng()), {"g": BELL, "n": 5}),
    "matched": (gaussian.matched, {"x": X}),
    "excess_kurtosis": (gaussian.excess_kurtosis, {"x": X}),
    "distance_to_gaussian": (gaussian.distance_to_gaussian, {"x": X}),
    "effective_fraction": (gaussian.effective_fraction, {"g": BELL, "p": [0.1, 0.2]}),
    "sample_fraction": (gaussian.sample_fraction, {"x": X, "p": [0.1, 0.2]}),
    "particles": (gaussian.particles, {"layer_or_path": LAYER}),
    "relu_field": (gaussian.relu_field, {"A": A, "b": [0, 0]}),
    "relu_gap": (gaussian.relu_gap, {"g": BELL, "A": A, "b": [0, 0]}),
    "relu_bound": (
        gaussian.relu_bound,
        {"start": BELL, "A": A, "b": [0, 0], "t": [0, 1]},
    ),
    "reachable": (control.reachable, {"start": BELL, "target": OTHER}),
    "bures_map": (control.bures_map, {"start": BELL, "target": OTHER}),
    "steer": (
        control.steer,
        {"start": BELL, "target": OTHER, "t_end": 1.0, "method": "geodesic"},
    ),
    "steer by attention": (
        lambda **more: control.steer(method="attention", **more),
        {"start": BELL, "target": OTHER, "t_end": 1.0, "v": 1.0},
    ),
    "verify": (
        control.verify,
        {"path": PATH, "start": BELL, "target": OTHER, "tolerance": 1e-9},
    ),
    "weight_cost": (control.weight_cost, {"path": PATH}),
    "kinetic_cost": (control.kinetic_cost, {"path": PATH, "start": BELL}),
    "cheapest": (
        control.cheapest,
        {
            "start": BELL,
            "target": OTHER,
            "t_end": 1.0,
            "pieces": 1,
            "weights": "feedforward",
        },
    ),
    "riccati": (control.riccati, {"A": A, "C": I2, "R": I2, "Q": COV}),
    "riccati_flow": (
        control.riccati_flow,
        {"A": A, "C": I2, "R": I2, "Q": COV, "start": COV, "t": 1.0},
    ),
    "hautus": (control.hautus, {"A": A, "C": I2}),
    "layer_of_filter": (
        control.layer_of_filter,
        {"A": A, "C": I2, "R": I2, "Q": None, "v": -1.0},
    ),
    "filter_of_layer": (control.filter_of_layer, {"layer": Layer(A, I2, -I2)}),
    "kurtosis of columns": (pretrained.excess_kurtosis, {"x": X}),
    "line_w2": (pretrained.line_w2, {"x": X}),
    "mardia": (pretrained.mardia, {"x": X}),
    "radius_spread": (pretrained.radius_spread, {"x": X}),
    "gaussian_like": (
        lambda x, n: pretrained.gaussian_like(x, n, rng()),
        {"x": X, "n": 4},
    ),
    "gaussianity": (
        lambda x, reps, lines: pretrained.gaussianity(x, rng(), reps, 0.9, lines, 2),
        {"x": X, "reps": 2, "lines": 2},
    ),
    "laws": (lambda states: pretrained.laws(states, rng(), 2), {"states": [X]}),
    "fate": (pretrained.fate, {"B": B, "V": V2, "cov": COV}),
}

# What is put in the place of each argument in turn.
WRONG = [
    *(None, "x", "feedforward", True, 1j, {}, [], [[]], [[1, 2], [3]], object),
    *(np.nan, np.inf, -np.inf, -1, 0, 2.5, 10**400, 5e-324, 1e-200, 1e200, -1e150),
    *([1.0, 2.0, 3.0], [0, 1, 2, 3], [[1]], [1e150, 1e150], [0.0, 1e300]),
    *(np.zeros((0, 0)), np.ones((3, 3)), np.eye(2)[None], np.eye(2, dtype=complex)),
    *([[1, np.nan], [0, 1]], [[1, 2.0], [0, 1]], np.diag([1.0, -1.0])),  # no covariance
    *([[1, 0], [0, 1]], np.eye(2, dtype=np.float32), np.zeros((2, 2)), np.ones((2, 2))),
    np.ma.masked_array(np.eye(2), mask=np.eye(2)),
    *(1e150 * np.eye(2), 1e-150 * np.eye(2), 1e150 * B, np.diag([1e150, 1e-150])),
    *(np.diag([1.0, 0.0]), 1e-300 * np.eye(2), 1e149 * X, 1e-170 * np.eye(20, 2)),
    *(Gaussian([0], [[1]]), Gaussian([0, 0], np.zeros((2, 2)))),
    *(Gaussian([0, 0], np.diag([1.0, 0])), Gaussian([1e150, 0], 1e150 * I2)),
    *(Gaussian([1e-150, 0], 1e-150 * I2), BELL, X),
    *(Layer([[1]], [[1]], [[1]]), Layer(1e150 * A, B, V2), Layer(A, 1e150 * B, V2)),
    *(Layer(0 * A, 0 * B, 0 * V2), Layer(*([1e150 * M for M in (A, B, V2)]))),
    *(Layer(A, 1e-150 * B, 1e-150 * V2), Layer(*(1e-150 * M for M in (A, B, -I2)))),
]
REFUSED = re.compile(r"must|trusted|no stabilising solution")


def numbers(value, depth=0):
    """Every array and number in a value."""
    if isinstance(value, float | np.ndarray):
        yield np.asarray(value)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from numbers(part, depth + 1)
    elif isinstance(value, dict):
        yield from numbers(list(value.values()), depth + 1)
    elif is_dataclass(value) and depth < 4:
        yield from numbers(list(vars(value).values()), depth + 1)


def complaint(call, arguments):
    """What is wrong with the answer, or nothing."""
    try:
        found = call(**arguments)
    except gaussian.NoEquilibrium:
        return ""
    except ValueError as error:
        own = type(error) is ValueError and REFUSED.search(str(error))
        return "" if own else f"{type(error).__name__}: {error}"
    except Exception as error:  # whatever comes is told
        return f"{type(error).__name__}: {error}"
    lost = any(a.dtype.kind in "fc" and np.isnan(a).any() for a in numbers(found))
    return "NaN" if lost else ""


def attack(name):
    """Complaints about one function: its right call, and each argument in turn."""
    call, right = CALLS[name]
    found = [complaint(call, right)]
    for argument in right:
        for k, wrong in enumerate(WRONG):
            said = complaint(call, right | {argument: wrong})
            found.append(said and f"{argument} = WRONG[{k}]: {said}")
    return [f"{name}: {said}" for said in found if said]


def test_every_call_refuses_or_answers():
    found = unchecked(attack, [[name] for name in CALLS])
    assert sum(found, []) == []


def test_every_public_function_is_attacked():
    """All but values, what a generator alone can break, and what needs a model."""
    called = {re.sub(r" .*", "", name) for name in CALLS}
    for room in (gaussian, control):
        functions = {n for n in room.__all__ if n[0].islower()}
        assert functions <= called


def questions(layer, cov):
    """Calls and arguments about one layer and one covariance."""
    start = Gaussian(np.zeros(layer.d), cov)
    both = {"layer": layer, "cov": cov}
    many = {"A": layer.A, "B": layer.B, "V": layer.V, "cov": cov, "t_end": 2.0}
    run = {"layer_or_path": layer, "start": start, "t": [0, 0.5], "method": "ode"}
    return [
        (gaussian.regime, both),
        (gaussian.blow_up_bounds, both),
        (gaussian.phase_diagram, many | {"rtol": 1e-4, "method": "numpy"}),
        (gaussian.solve, run | {"rtol": 1e-6, "atol": 1e-6, "max_steps": 99}),
    ]


def attack_sizes(d):
    """Scales from 1e-148 to 1e149, every rank: kinds and statuses, no complaint."""
    draw = np.random.default_rng(d)
    said = []
    for scale in (1e-148, 1e-8, 1.0, 1e8, 1e149):
        for rank in {0, 1, d}:
            L = draw.standard_normal((d, rank)) / d
            cov = (L @ L.T) * scale
            M, K, V = draw.standard_normal((3, d, d)) / d
            for layer in (
                Layer(M, K, V),
                Layer(M, K / scale, V),
                Layer(0 * M, K @ K.T, np.eye(d)),
                Layer(-M @ M.T, -K @ K.T / scale, V @ V.T + np.eye(d)),
            ):
                said += [complaint(*call) for call in questions(layer, cov)]
    return [text for text in said if text]


@pytest.mark.parametrize("d", [1, 8])
def test_every_scale_and_rank_is_answered(d):
    assert unchecked(attack_sizes, [[d]]) == [[]]
