"""What is no number, or none that can be used, in the place of each that is asked for.

Python's integers have no end: an array or a loop that takes one that no double holds
fails far inside, in words of NumPy.  So do masked arrays, words and the ends of the
doubles.  Each public function with a number among its arguments refuses them at the
front door, or answers; it never raises anything else and never warns.
"""

import importlib
import inspect
import re
from functools import partial

import numpy as np
from unchecked import unchecked

from tfdynlib import (
    attention,
    cbo,
    claims,
    density,
    energy,
    experiments,
    flow,
    geometry,
    jko,
    low_temperature,
    measure,
    metastability,
    plot,
    pretrained,
    sphere,
    stability,
    summation,
    sweep,
    weights,
    widgets,
)
from tfdynlib.gaussian import Gaussian
from tfdynlib.measure import Measure
from tfdynlib.weights import Heads
from tfdynlib.widgets._traits import Trait

I2 = np.eye(2)
ONE, X = Heads(I2, I2), np.eye(2)
MU = Measure(X)
LAW = weights.ornstein_uhlenbeck_law(I2)
PATH = weights.constant(ONE)
TRAJECTORY = flow.solve(attention.field(ONE), X, [0, 0.1], "rk4")
TURNED = flow.solve(attention.field(ONE), sphere.retract(X + 0.1), [0, 0.1], "rk4")
COLD_V = np.diag([2.0, 1.0])
COLD = metastability.Limit.of(Heads(I2, COLD_V))
NOISE = weights.ornstein_uhlenbeck(I2, [0, 0.1], np.random.default_rng(0))
SHORT = experiments.Setting("ou", 2, 1, 2, T=0.01)
STUDY = "slope"
TINY = sweep.Study(sweep.KINDS["slope"], {"H": [1]}, {"n": 2, "T": 0.01})
MANY = np.random.default_rng(0).standard_normal((12, 2))
ON_S2 = geometry.weighted_distance(
    Measure(np.eye(3)[:1]), Measure(np.eye(3)[1:2]), Heads.descent(np.eye(3)), parts=1
)


def rng():
    return np.random.default_rng(0)


def still(t):
    return np.zeros((1, 2, 2)), np.zeros((1, 2, 2))


def first(x):
    return x[:, 0]


def uniform(angle):
    return np.full_like(angle, 0.5 / np.pi)


# What is called, what it is given besides, and the numbers that are put in its place.
CALLS = {
    "sphere.uniform": ({"rng": rng()}, {"n": 2, "d": 2}),
    "sphere.quadrature": ({}, {"d": 2, "n": 4}),
    "measure.merge": ({"mu": MU}, {"radius": 0.1}),
    "measure.sliced_wasserstein2": (
        {"mu": MU, "nu": MU, "rng": rng()},
        {"directions": 2},
    ),
    "sphere.chord": ({}, {"radius": 1}),
    "summation.explain": ({"heads": ONE}, {"n": 2, "tol": 0.1}),
    "summation.moments": ({"p": X, "y": X, "mass": MU.mass}, {"tol": 0.1}),
    "summation.of_heads": (
        {"at": X, "x": X, "heads": ONE, "mass": MU.mass},
        {"tol": 0.1},
    ),
    "weights.Heads": ({"B": I2, "V": I2}, {"beta": 1}),
    "weights.WeightPath": (
        {"heads_at": PATH, "drift": still},
        {"H": 1, "d": 2, "noise_var": 0},
    ),
    "weights.length": ({"path": PATH}, {"t0": 0, "t1": 1, "p": 2}),
    "weights.ornstein_uhlenbeck": (
        {"D0": I2, "t": [0, 1], "rng": rng()},
        {"noise_var": 1, "beta": 1},
    ),
    "weights.ornstein_uhlenbeck_law": ({"D0": I2}, {"noise_var": 1}),
    "weights.oscillating": ({"D0": I2}, {"H": 1, "d": 2, "beta": 1}),
    "weights.thin": ({"path": NOISE}, {"k": 1}),
    "attention.log_partition": ({"x": X, "heads": ONE}, {"tol": 0.1}),
    "attention.velocity": ({"x": X, "heads": ONE}, {"tol": 0.1}),
    "attention.field": ({"path": ONE}, {"tol": 0.1}),
    "attention.how": ({"method": "dense"}, {"tol": 0.1}),
    "attention.explain": ({"heads": ONE}, {"n": 2, "tol": 0.1}),
    "flow.solve": (
        {"field": attention.field(ONE), "x0": X, "t": [0, 0.1]},
        {"rtol": 0.1, "atol": 0.1, "max_steps": 9, "merge": 0.1},
    ),
    "flow.solve_ensemble": ({"x0": X[None], "heads": ONE}, {"t": [0, 1]}),
    "flow.Event": ({"g": lambda t, x: t}, {"direction": 1}),
    "energy.action": ({"x": X, "v": 0 * X, "heads": ONE}, {"tol": 0.1}),
    "energy.annealed_interaction": ({"x": X, "law": LAW}, {"t": 1, "beta": 1}),
    "energy.annealed_power": ({"x": X, "law": LAW}, {"t": 1, "beta": 1}),
    "energy.balance": ({"trajectory": TRAJECTORY, "path": ONE}, {"tol": 0.1}),
    **{
        f"energy.{name}": ({"x": X, "heads": ONE}, {"tol": 0.1})
        for name in (
            *("dissipation", "effective_weight", "first_variation", "head_mismatch"),
            *("head_weights", "interaction", "log_interaction", "slope_squared"),
        )
    },
    "energy.power": ({"x": X, "path": ONE}, {"t": 1, "tol": 0.1}),
    "geometry.splitting_threshold": ({}, {"b": 1.5, "beta": 1, "d": 2}),
    "geometry.weighted_distance": (
        {"mu": MU, "nu": MU, "heads": ONE},
        {"tol": 0.1, "parts": 1, "nodes": 4, "shift": 0},
    ),
    "density.solve": (
        {"rho0": uniform, "path": ONE, "t": [0, 0.1]},
        {"n": 16, "step": 0.05, "tol": 1e-4},
    ),
    "density.sphere_grid": ({"rho0": lambda x: uniform(x[:, 0]) / 2}, {"n": 4}),
    "density.growth_rates": ({}, {"beta": 1, "kmax": 2, "d": 2}),
    "jko.step": ({"x": X, "heads": Heads.descent(I2)}, {"tau": 0.1}),
    "jko.solve": (
        {"x0": X, "path": Heads.descent(I2)},
        {"tau": 0.1, "steps": 1, "order": 1, "start": 0},
    ),
    "stability.log_drift_bound": (
        {"heads": ONE, "other": ONE},
        {"t": 1, "start": 0.1},
    ),
    "metastability.bessel_ratio": ({}, {"d": 2, "kappa": 1}),
    "metastability.bound_minimum": ({}, {"beta": 9, "C1": 1, "c": 1, "C": 1}),
    "metastability.circle": ({}, {"n": 4, "skew": 0.1, "turn": 0}),
    "metastability.clusters": ({"x": X}, {"radius": 0.1}),
    "metastability.concentration_bound": (
        {},
        {"beta": 9, "t": 1, "C": 1, "C1": 1, "c": 1},
    ),
    "metastability.count_clusters": ({"x": X}, {"radii": [0.1]}),
    "metastability.dwell_time": (
        {},
        {"gap": 1, "beta": 1, "until": 0.1, "mass": 0.5},
    ),
    "metastability.dwell_times": ({"trajectory": TRAJECTORY}, {"radius": 0.1}),
    "metastability.effective_fraction": ({}, {"d": 2, "beta": 1}),
    "metastability.effective_neighbours": ({"x": X, "heads": ONE}, {"tol": 0.1}),
    "metastability.end_of_pair": ({"x0": X[0], "heads": ONE}, {"t": 1, "tol": 0.1}),
    "metastability.exit_time": (
        {"t": [0, 1], "distance": [0, 1]},
        {"threshold": 0.5},
    ),
    "metastability.fit_bound": (
        {"distance": 0.1 / np.arange(1, 10)},
        {"beta": 9, "t": np.arange(9) / 9},
    ),
    "metastability.plateaus": ({"counts": [2, 1]}, {"t": [0, 1]}),
    "metastability.gap_velocity": ({}, {"gap": 1, "beta": 1, "mass": 0.5}),
    "metastability.kinked": ({}, {"d": 2, "n": 4, "tilt": 0.1}),
    "metastability.tilted": ({}, {"d": 2, "n": 4, "tilt": 0.1}),
    "metastability.laplace_error": ({"x": X, "heads": ONE, "mu": MU}, {"tol": 0.1}),
    "metastability.merging_tree": ({"trajectory": TRAJECTORY}, {"radii": [0.1]}),
    "metastability.phases": (
        {"trajectory": TURNED, "limit": COLD, "V": COLD_V},
        {"threshold": 0.2},
    ),
    "metastability.trapped": ({"start": MU, "axis": [1, 0]}, {"share": 0.1}),
    "metastability.zero_temperature": ({"x0": X, "heads": ONE}, {"t": 1}),
    "cbo.consensus": ({"x": X, "objective": first}, {"alpha": 1}),
    "cbo.velocity": ({"x": X, "objective": first}, {"alpha": 1}),
    "cbo.polarised_mean": ({"x": X, "objective": lambda q, x: q @ x.T}, {"alpha": 1}),
    "cbo.polarised_velocity": (
        {"x": X, "objective": lambda q, x: q @ x.T},
        {"alpha": 1},
    ),
    "cbo.gaussian_mean": ({"m0": 0, "S0": 1, "a": 1}, {"alpha": 1}),
    "cbo.solve": (
        {"x0": X, "objective": first, "t": [0, 0.1], "rng": rng()},
        {"alpha": 1, "sigma": 0.1},
    ),
    "experiments.Setting": (
        {"layout": "ou"},
        {"d": 2, "H": 1, "n": 2, "T": 0.1, "dt": 0.05, "seed": 1},
    ),
    "experiments.start": ({"rng": rng()}, {"d": 2, "n": 2}),
    "experiments.course": ({"setting": SHORT}, {"path": 0}),
    "experiments.one": ({"setting": SHORT}, {"path": 0}),
    "experiments.run": ({"setting": SHORT}, {"paths": 1}),
    "experiments.select": ({"runs": [], "layout": "ou"}, {"d": 2}),
    "sweep.run": ({"study": TINY}, {"workers": 1}),
    "sweep.one": ({"study": STUDY}, {"index": 0}),
    "low_temperature.Case": ({"system": "cold2d"}, {"n": 8, "beta": 1}),
    "low_temperature.draw": ({"family": "free"}, {"d": 2, "seed": 0}),
    "low_temperature.heads": ({"system": "cold2d"}, {"beta": 1}),
    "low_temperature.start": ({"system": "cold2d"}, {"n": 4}),
    "claims.of_paper": ({}, {"paper": 1}),
    "claims.published": ({}, {"paper": 1}),
    "pretrained.null_band": (
        {"statistic": np.mean, "rng": rng()},
        {"n": 4, "d": 2, "reps": 2, "level": 0.9},
    ),
    "pretrained.gaussian_like": ({"x": MANY, "rng": rng()}, {"n": 4}),
    "pretrained.gaussianity": (
        {"x": MANY, "rng": rng()},
        {"reps": 2, "level": 0.9, "lines": 2, "principal": 2, "layer": 0},
    ),
    "pretrained.laws": ({"states": [MANY], "rng": rng()}, {"reps": 2}),
    "plot.ellipses": ({"laws": [Gaussian([0, 0], I2)]}, {"reach": 2}),
    "plot.geodesic": ({"geodesic": ON_S2}, {"view": (30, 20)}),
    "plot.power_of_ten": ({}, {"value": 10}),
    "plot.rays": ({"x": X, "heads": ONE}, {"i": 0, "head": 0}),
    "plot.sphere": ({"x": np.eye(3)}, {"view": (30, 20)}),
}
ROOMS = (
    *(attention, cbo, claims, density, energy, experiments, flow, geometry, jko),
    *(low_temperature, measure, metastability, plot, pretrained, sphere, stability),
    *(summation, sweep, weights),
)
HUGE = (10**400, -(10**400), 10**5000)
ODD = (
    *(None, "x", True, 1j, {}, [], [[]], [[1], [1, 2]], object, np.ones(3)),
    np.ma.masked_array([1.0], mask=[True]),
    *(np.nan, np.inf, -np.inf, -1, 0, 2.5, 1e200, 5e-324),
)


def said(function, arguments, may_answer=False):
    """The complaint about one call, or nothing if it was refused by name."""
    try:
        function(**arguments)
    except ValueError as error:
        form = re.match(r"[\w().\[\], ]+ .*must ", str(error))
        return "" if type(error) is ValueError and form else f"ValueError: {error}"
    except Exception as error:  # whatever comes is told
        return f"{type(error).__name__}: {error}"
    return "" if may_answer else "accepted"


def attack(name):
    """Complaints about one function: its right call, then each number in turn."""
    room, function = name.split(".")
    call = getattr(importlib.import_module(f"tfdynlib.{room}"), function)
    given, numbers = CALLS[name]
    try:
        call(**given, **numbers)
    except Exception as error:  # whatever comes is told
        return [f"{name}, called rightly: {type(error).__name__}: {error}"]
    return [
        f"{name}, {argument} = {'ODD' if odd else 'HUGE'}[{k}]: {words}"
        for argument in numbers
        for odd in (False, True)
        for k, wrong in enumerate(ODD if odd else HUGE)
        if (words := said(call, given | numbers | {argument: wrong}, odd))
    ]


def attack_figure(name):
    """Complaints about a figure each of whose traits is given the same."""
    figure = getattr(widgets, name)()
    traits = {key: t for key, t in figure.traits().items() if isinstance(t, Trait)}
    values = [(value, False) for value in (*HUGE, [HUGE[0]], [[HUGE[2]]])]
    return [
        f"{name}, {trait} = {odd and value}: {words}"
        for trait in traits
        for value, odd in values + [(value, True) for value in ODD]
        if (words := said(partial(setattr, figure, trait, value), {}, odd))
    ]


def test_what_is_no_number_is_refused_by_name_or_answered():
    assert sum(unchecked(attack, [[name] for name in CALLS]), []) == []


def test_a_figure_refuses_what_is_too_large():
    assert sum(unchecked(attack_figure, [[name] for name in widgets.__all__]), []) == []


def takes_a_number(function):
    """Whether one of its parameters is annotated as a number."""
    if not inspect.isroutine(function):
        return False
    kinds = [str(p.annotation) for p in inspect.signature(function).parameters.values()]
    return any(re.search(r"\bint\b|\bfloating\b", kind) for kind in kinds)


def public(room):
    """Names and functions of a room, without what it imports from others."""
    for name, value in vars(room).items():
        own = getattr(value, "__module__", "").startswith(room.__name__)
        if own and name[0] != "_":
            yield f"{room.__name__.split('.')[1]}.{name}", value


def test_every_function_with_a_number_is_tried():
    """But one that needs a model."""
    found = {name for room in ROOMS for name, f in public(room) if takes_a_number(f)}
    assert sorted(found - set(CALLS) - {"pretrained.layer_heads"}) == []
