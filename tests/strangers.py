"""Mistakes of a reader, and what the package says to each; run by ``test_check``."""

import numpy as np

from tfdynlib import (
    attention,
    density,
    energy,
    flow,
    geometry,
    jko,
    measure,
    sphere,
    weights,
)
from tfdynlib.measure import Measure
from tfdynlib.weights import Heads

I2 = np.eye(2)
ONE = Heads(I2, I2)


def uniform(angle):
    return np.full_like(angle, 0.5 / np.pi)


STRANGERS = {
    "a raw array for a measure": lambda: measure.wasserstein2(I2, Measure(I2)),
    "a raw array to merge": lambda: measure.merge(I2, 0.1),
    "no map": lambda: measure.push_forward(None, Measure(I2)),
    "a matrix for heads": lambda: attention.velocity(I2, I2),
    "a matrix to look with": lambda: attention.attend(I2, I2),
    "a matrix for a path": lambda: attention.field(I2),
    "a matrix for a constant path": lambda: weights.constant(I2),
    "matrices for layers": lambda: weights.layers([I2], [0, 1]),
    "one layer, no list": lambda: weights.layers(ONE, [0, 1]),
    "a matrix for heads of an energy": lambda: energy.interaction(I2, I2),
    "a matrix for heads of a distance": lambda: geometry.weighted_distance(
        Measure(I2), Measure(I2), I2
    ),
    "an array for a measure of a distance": lambda: geometry.weighted_distance(
        I2, Measure(I2), ONE
    ),
    "a word for a shift": lambda: geometry.weighted_distance(
        Measure(I2), Measure(I2), ONE, shift="one"
    ),
    "a path for bounds": lambda: geometry.equivalence_bounds(weights.constant(ONE)),
    "an array for a trajectory": lambda: energy.balance(I2, ONE),
    "an array for a field": lambda: flow.solve(I2, I2, [0, 1]),
    "tokens of another dimension": lambda: flow.solve(
        attention.field(ONE), np.eye(3), [0, 1]
    ),
    "one event, no list": lambda: flow.solve(
        attention.field(ONE), I2, [0, 1], events=lambda t, x: t
    ),
    "a number for an event": lambda: flow.solve(
        attention.field(ONE), I2, [0, 1], events=[3]
    ),
    "an event with two values": lambda: flow.solve(
        attention.field(ONE), I2, [0, 1], events=[lambda t, x: x[0]]
    ),
    "a complex field": lambda: flow.solve(lambda t, x: 0j * x, I2, [0, 1]),
    "a field that changes its shape": lambda: flow.solve(
        lambda t, x: 0 * x if t < 0.5 else 0 * x[:1], I2, [0, 0.9, 1], "rk4"
    ),
    "a seed for a generator": lambda: sphere.uniform(3, 2, 0),
    "a beta beyond all scores": lambda: Heads(3 * I2, I2, 1e300),
    "matrices beyond all norms": lambda: Heads(1e160 * I2, I2),
    "no number on the sphere": lambda: sphere.distance(np.full((2, 2), np.nan), I2),
    "words for tangents": lambda: sphere.project(I2, "abc"),
    "points of two dimensions": lambda: sphere.log(I2, np.eye(3)),
    "an endless tangent": lambda: sphere.exp(I2, 1e300 * I2[::-1]),
    "a matrix for a path of steps": lambda: jko.solve(I2, I2, 1.0, 2),
    "a matrix for heads of a step": lambda: jko.step(I2, I2, 1.0),
    "a matrix for a path of densities": lambda: density.solve(np.ones_like, I2, [0, 1]),
    "a number for a density": lambda: density.solve(0.16, ONE, [0, 1]),
    "no density on the sphere": lambda: density.sphere_grid(None, 4),
    "words for modes": lambda: geometry.Quantile("abc"),
    "a word for a level": lambda: geometry.Quantile([0.1, 0.2])("half"),
    "a number for a quantile": lambda: geometry.Quantile.of_nodes(0.5),
    "a density for one of two": lambda: geometry.weighted_distance(
        geometry.Quantile([0.1]), Measure(I2), ONE
    ),
    "a word for a strength": lambda: geometry.splitting_threshold("strong"),
    "a word for a moment": lambda: density.solve(uniform, ONE, [0, 0.1]).moment("one"),
    "a word for an index": lambda: density.solve(uniform, ONE, [0, 0.1]).clusters("1"),
    "no time for a layer": lambda: density.solve(uniform, ONE, None),
    "a list of angles for a density": lambda: density.solve(uniform, ONE, [0, 0.1]).on(
        "all"
    ),
    "a word for a degree": lambda: density.growth_rates(1.0, "all"),
    "a word for a time": lambda: weights.constant(ONE)("now"),
    "no time for a law": lambda: weights.ornstein_uhlenbeck_law(I2).mean(None),
    "a word for the time of a power": lambda: energy.power(I2, ONE, "now"),
    "a list for the start of a length": lambda: weights.length(
        weights.constant(ONE), [0, 1], 2
    ),
    "heads for a path with a length": lambda: weights.length(ONE, 0, 1),
    "a matrix for a law": lambda: energy.annealed_power(I2, I2, 1.0),
    "a number for a point": lambda: sphere.retract(2.0),
}

for name, call in STRANGERS.items():
    try:
        value = call()
    except Exception as error:  # whatever comes is printed, and judged by the test
        print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
    else:
        print(f"{name}: accepted, {value!r:.60}")
