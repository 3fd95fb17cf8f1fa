"""Mistakes of a reader, and what the package says to each; run by ``test_check``."""

import numpy as np

from tfdynlib import (
    attention,
    cbo,
    claims,
    control,
    density,
    energy,
    experiments,
    flow,
    gaussian,
    geometry,
    jko,
    measure,
    metastability,
    records,
    sphere,
    stability,
    weights,
)
from tfdynlib.gaussian import Gaussian, Layer
from tfdynlib.measure import Measure
from tfdynlib.weights import Heads

I2 = np.eye(2)
ONE = Heads(I2, I2)
STILL = weights.constant(ONE)
DESCENT, LIMIT = Heads.descent(I2), metastability.Limit.of(Heads(I2, I2))
BELL, LAYER = Gaussian([0, 0], I2), Layer(I2, I2, I2)
RNG = np.random.default_rng(0)
QUICK = experiments.Setting("ou", 2, 1, 2, T=0.5)


def still(t):
    return np.zeros((1, 2, 2)), np.zeros((1, 2, 2))


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
    "a number for a setting": lambda: experiments.course(3),
    "half a path": lambda: experiments.one(QUICK, 0.5),
    "a word for a seed": lambda: experiments.Setting("ou", 2, 1, 2, seed="one"),
    "a word for a dimension": lambda: experiments.start("two", 3, RNG),
    "a seed for tokens": lambda: experiments.start(2, 3, 0),
    "no runs": lambda: experiments.fit(None),
    "words for runs": lambda: experiments.fit("ab"),
    "no runs for a table": lambda: experiments.overview(None),
    "nothing stored": lambda: experiments.from_stored(None),
    "a number for a run": lambda: experiments.join(3, 3),
    "a list for a paper": lambda: claims.of_paper([1]),
    "the number of a claim": lambda: claims.check("1.1", RNG),
    "a seed for a claim": lambda: claims.check(claims.of_paper(1)[0], 0),
    "a number for a row": lambda: claims.published().row(1),
    "no file": lambda: records.read(None),
    "no folder": lambda: records.newest(None),
    "a number for a record": lambda: records.published(1),
    "no case": lambda: records.published("claims").case(None),
    "no heads for a constant": lambda: stability.geodesic_constant(I2),
    "a matrix for other heads": lambda: stability.field_gap(ONE, I2),
    "a word for a distance": lambda: stability.log_drift_bound(1, ONE, ONE, "far"),
    "tokens for a trajectory": lambda: stability.growth_bound(I2, ONE),
    "a matrix for heads to minimise": lambda: stability.minimise(I2, I2),
    "one number for tokens": lambda: stability.logarithmic_norm(1.0, ONE),
    "a word for a step": lambda: jko.step(I2, ONE, "long"),
    "half a step": lambda: jko.solve(I2, ONE, 1.0, 2.5),
    "orders for an order": lambda: jko.solve(I2, ONE, 1.0, 2, order=[1, 2]),
    "a word for a start": lambda: jko.solve(I2, ONE, 1.0, 2, start="now"),
    "a word for tangents of an action": lambda: energy.action(I2, "abc", ONE),
    "a number for a generator": lambda: weights.ornstein_uhlenbeck(I2, [0, 1], 0),
    "a word for noise": lambda: weights.ornstein_uhlenbeck(I2, [0, 1], RNG, "loud"),
    "heads for a sample": lambda: weights.thin(ONE, 2),
    "a number for a phase": lambda: weights.oscillating(1, 2, I2, phase=0),
    "half a head": lambda: weights.oscillating(1.5, 2, I2),
    "one heads, no list, between": lambda: weights.interpolate([0, 1], ONE),
    "no functions for a path": lambda: weights.WeightPath(None, None, 1, 2),
    "a path of matrices": lambda: attention.field(
        weights.WeightPath(lambda t: I2, still, 1, 2)
    )(0, I2),
    "a path of other heads": lambda: attention.field(
        weights.WeightPath(lambda t: ONE, still, 1, 3)
    )(0, np.eye(3)),
    "a path with no drift": lambda: energy.power(
        I2, weights.WeightPath(lambda t: ONE, lambda t: None, 1, 2), 0
    ),
    "a path with half a drift": lambda: weights.length(
        weights.WeightPath(lambda t: ONE, lambda t: (I2, I2), 1, 2), 0, 1
    ),
    "a path with no number for a drift": lambda: weights.length(
        weights.WeightPath(lambda t: ONE, lambda t: (np.nan * ONE.B,) * 2, 1, 2), 0, 1
    ),
    "two orders for a length": lambda: weights.length(
        weights.constant(ONE), 0, 1, [1, 2]
    ),
    "a word for the order of a law": lambda: weights.ornstein_uhlenbeck_law(I2).length(
        "one"
    ),
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
    "a path for heads of a bound": lambda: energy.weight_bounds(STILL),
    "a path for heads of a rate": lambda: energy.dissipation(I2, STILL),
    "a path for heads of a constant": lambda: stability.geodesic_constant(STILL),
    "a path for other heads": lambda: stability.energy_gap_bound(ONE, STILL),
    "a path for heads of a step": lambda: jko.step(I2, STILL, 1.0),
    "a path for heads to minimise": lambda: stability.minimise(I2, STILL),
    "a path for heads of a velocity": lambda: attention.velocity(I2, STILL),
    "a matrix with a sign": lambda: weights.gradient_sign(I2),
    "an integer beyond all doubles": lambda: Heads([[10**400]], [[1]]),
    "lists for a strength": lambda: geometry.splitting_threshold([[1, 2], [3]]),
    "more turns than digits": lambda: geometry.weighted_distance(
        Measure(I2), Measure(I2), ONE, shift=1e308
    ),
    "a word for an account": lambda: experiments.course(QUICK, account="no"),
    "a number for a point": lambda: sphere.retract(2.0),
    "a covariance for a Gaussian": lambda: gaussian.solve(LAYER, I2, [0, 1]),
    "heads for a layer": lambda: gaussian.solve(ONE, BELL, [0, 1]),
    "matrices for a layer": lambda: gaussian.regime((I2, I2, I2), I2),
    "a Gaussian for a covariance": lambda: gaussian.regime(LAYER, BELL),
    "a path of heads for particles": lambda: gaussian.particles(STILL),
    "a matrix for a layer at rest": lambda: gaussian.equilibrium(I2),
    "a start with a correlation above one": lambda: Gaussian([0, 0], [[1, 2], [2, 1]]),
    "a row for a mean": lambda: Gaussian([[0, 0]], I2),
    "no edges for layers": lambda: gaussian.piecewise([LAYER], None),
    "a word for a horizon": lambda: gaussian.blow_up_time(LAYER, I2, "long"),
    "three layers for four covariances": lambda: gaussian.phase_diagram(
        np.zeros((3, 2, 2)), I2, I2, np.stack([I2] * 4)
    ),
    "covariances to steer": lambda: control.steer(I2, 2 * I2),
    "covariances for a map": lambda: control.bures_map(I2, 2 * I2),
    "a layer for a path": lambda: control.weight_cost(LAYER),
    "a path of heads to verify": lambda: control.verify(STILL, BELL, BELL),
    "half a piece": lambda: control.cheapest(BELL, BELL, 1.0, 0.5),
    "a word for readings": lambda: control.hautus(I2, "both"),
    "no noise of readings": lambda: control.riccati(I2, I2, None),
    "a path for a filter": lambda: control.filter_of_layer(STILL),
    "a layer for heads [heads]": lambda: attention.attend(I2, LAYER),
    "a limit for heads [heads]": lambda: energy.slope_squared(I2, LIMIT),
    "a layer for cold heads [heads]": lambda: metastability.Limit.of(LAYER),
    "a layer for heads to be explained [heads]": lambda: attention.explain(9, LAYER),
    "a path for a field [field]": lambda: flow.solve(STILL, I2, [0, 1]),
    "a field without a time [field]": lambda: flow.solve(lambda x: x, I2, [0, 1]),
    "an event without a time [events]": lambda: flow.solve(
        attention.field(ONE), I2, [0, 1], events=[lambda x: 1.0]
    ),
    "a table of one argument [objective]": lambda: cbo.polarised_mean(
        I2, lambda x: x, 1.0
    ),
    "rows of two lengths [x]": lambda: cbo.consensus([[1], [2, 3]], np.sum, 1.0),
    "complex tokens [x]": lambda: attention.attend(1j * I2, ONE),
    "a start off the sphere to minimise [x0]": lambda: stability.minimise(
        2 * I2, DESCENT
    ),
    "a start off the sphere to step from [x0]": lambda: jko.solve(
        2 * I2, DESCENT, 0.1, 1
    ),
    "half a pair off the sphere [x0]": lambda: metastability.end_of_pair([2, 0], ONE),
    "queries off the sphere [x]": lambda: metastability.laplace_error(
        2 * I2, ONE, Measure(I2)
    ),
}

for name, call in STRANGERS.items():
    try:
        value = call()
    except Exception as error:  # whatever comes is printed, and judged by the test
        print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
    else:
        print(f"{name}: accepted, {value!r:.60}")
