r"""The cloud as a density on the circle, and weighted grids on the sphere.

For a density ρ of tokens on S^1 and the velocity v[ρ] of ``attention.velocity``,

.. math:: \partial_t \rho + \partial_\theta(\rho\, v[\rho]) = 0 .

Every bit of mass keeps a label a.  Its angle X and the log-density ℓ there obey

.. math:: \dot X = v(X), \qquad \dot\ell = -\partial_\theta v(X),

so that mass is exact, the density positive, and no grid limits the step.  As long as
X(a) is smooth, equally spaced labels converge geometrically.  Once clusters form, X(a)
is a staircase; then the labels are cut into panels, and the steep ones in halves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Complex, Float
from numpy.typing import ArrayLike

from tfdynlib import _check, _labels, energy, sphere
from tfdynlib import _transport_rates as transport
from tfdynlib._charts import Stop
from tfdynlib._check import Number
from tfdynlib._labels import TURN, Angles, Pairs, Panels, Rows, Start, Values
from tfdynlib.measure import Measure
from tfdynlib.summation import _bessel
from tfdynlib.weights import Heads, WeightPath, constant, gradient_sign

LABELS = ("auto", "uniform", "quantile", "panels")
# Panels at the start, and those at which a run is given up; edges near 1 are doubles.
PANELS, MOST_PANELS, THINNEST = 4, 1000, 2.0**-51
# No step is longer than this part of the fastest time scale, 1 / max |dv/dθ|.
PART = 0.25
# A velocity that asks for more steps between two outputs is given up.
MOST_STEPS = 100_000
# Log-densities are for drawing: panels keep four digits of them.
LOG_TOLERANCE = 1e-4
# 1 / beta is a double.
LEAST_BETA = 1e-300
# A velocity below this part of its scale is rounding.
AT_REST = 1e-12
# Points at which zeros of the velocity are looked for.
GRID = 1024


@dataclass(frozen=True, repr=False)
class Density:
    """A density on the circle at one time, known along the labels.

    Attributes
    ----------
    label, angle, log_density, mass
        Label, angle (a continuous one: it may leave [0, 2π)), logarithm of the density
        there and mass of each node.
    panels
        Number of panels that the labels are cut into; 0 while they are equally spaced.
    """

    label: Float[np.ndarray, " n"]
    angle: Float[np.ndarray, " n"]
    log_density: Float[np.ndarray, " n"]
    mass: Float[np.ndarray, " n"]
    panels: int
    _nodes: Rows | Panels
    _start: Start
    _quantile: bool

    def __repr__(self) -> str:
        kind = f"{self.panels} panels" if self.panels else "spectral"
        return f"Density({len(self.angle)} nodes, {kind})"

    @property
    def measure(self) -> Measure:
        """The nodes with their masses: every integral of a smooth function."""
        return Measure(transport.unit(self.angle), self.mass)

    def moment(self, k: int = 1) -> complex:
        r"""Circular moment :math:`\int e^{ik\theta} d\mu`."""
        return complex(self.mass @ np.exp(1j * _check.integer(k, "k") * self.angle))

    def on(self, angles: ArrayLike) -> Float[np.ndarray, " k"]:
        """The density at any angles: X(a) = θ is solved for the label a."""
        places = self._place_at(_check.array(angles, "angles", ndim=1))
        return np.asarray(np.exp(self._values(places)[1]))

    def quantile(self, u: ArrayLike) -> Float[np.ndarray, " k"]:
        """The angle that has moved with the mass at level u of the start: u of the mass
        of the start lies between the angle 0 and it.  Grows by 2π with u by 1."""
        u = _check.array(u, "u", ndim=1)
        label = TURN * u if self._quantile else self._start.quantile(u)
        return np.asarray(self._values(self._nodes.place(label))[0])

    def between(self, low: ArrayLike, high: ArrayLike) -> Float[np.ndarray, " k"]:
        """Mass on the arcs that lead from ``low`` upward to ``high``."""
        low, high = (
            _check.array(value, name, ndim=1)
            for value, name in ((low, "low"), (high, "high"))
        )
        if low.shape != high.shape:
            raise _check.refuse("high", f"of the shape {low.shape} of low", high)
        if not (high >= low).all():
            raise _check.refuse("high", "low or more, on every arc", high)
        a, b = (self._nodes.label(self._place_at(angle)) for angle in (low, high))
        if self._quantile:
            return (b - a) / TURN
        return self._start.below(b) - self._start.below(a)

    def _values(self, place: Angles) -> Values:
        at = np.stack([self.angle, self.log_density])
        return self._nodes.values(at, place)

    def _place_at(self, angle: Angles) -> Angles:
        """Places of the labels that are at these angles."""
        turns = np.floor((angle - self.angle[0]) / TURN)
        known = np.append(self.angle, self.angle[0] + TURN)
        places = np.append(self._nodes.places, self._nodes.places[0])
        places[-1] += self._nodes.period
        target = angle - TURN * turns
        # Angles of one cluster may have lost their order to rounding.
        k = np.searchsorted(np.maximum.accumulate(known), target, side="right") - 1
        k = np.clip(k, 0, len(known) - 2)

        def f(place: Angles) -> tuple[Angles, Angles]:
            X, log_density = self._values(place)
            slope = self._nodes.stretch(place) * np.exp(-log_density)
            if self._quantile:
                return X, slope / TURN
            return X, slope * self._start.density(self._nodes.label(place))

        found = _labels.inverse(f, target, places[k], places[k + 1])
        return found + self._nodes.period * turns


@dataclass(frozen=True, repr=False)
class DensityPath:
    """The densities at layer-times t[k].

    Attributes
    ----------
    t, states
        Output times and densities.  Shorter than asked for only if ``status`` says why.
    status
        ``"done"``; ``"not finite"`` (the velocity left the numbers); ``"too steep"``
        (panels would have to be thinner than doubles can say, or too many); ``"step
        too small"`` (the velocity is too fast, see ``step`` of ``solve``).
    n_evaluations
        How often the velocity was computed.
    """

    t: Float[np.ndarray, " m"]
    states: tuple[Density, ...]
    status: str
    n_evaluations: int
    path: WeightPath = field(repr=False)
    rule: str = "softmax"

    def __repr__(self) -> str:
        return (
            f"DensityPath({len(self.t)} times in [{self.t[0]:g}, {self.t[-1]:g}], "
            f"{self.states[-1]!r} at the end, {self.status}, "
            f"{self.n_evaluations} evaluations)"
        )

    def energy(self) -> Float[np.ndarray, " m"]:
        """Interaction energy at each time, with the weights of that time."""
        return np.array(
            [
                energy.interaction(transport.unit(s.angle), self.path(t), s.mass)
                for t, s in zip(self.t, self.states)
            ]
        )

    def moment(self, k: int = 1) -> Complex[np.ndarray, " m"]:
        r"""Circular moment :math:`\int e^{ik\theta} d\mu` at each time."""
        return np.array([state.moment(k) for state in self.states])

    def on(self, angles: ArrayLike) -> Float[np.ndarray, "m k"]:
        """The densities at any angles, one row for each time."""
        return np.stack([state.on(angles) for state in self.states])

    def clusters(self, index: int = -1) -> Measure | None:
        """Clusters in the making at time ``t[index]``.

        Each zero of the velocity that attracts, with the mass between the two zeros
        beside it that repel.  None if no zero of the velocity repels, or if nothing
        moves.
        """
        index = _check.count(index, "index", -len(self.t))
        if index >= len(self.t):
            raise _check.refuse("index", f"below {len(self.t)}", index)
        state, heads = self.states[index], self.path(self.t[index])

        def v(angle: Angles) -> Angles:
            return transport.rates(angle, state.angle, state.mass, heads, self.rule)[0]

        speed = np.abs(v(TURN * np.arange(GRID) / GRID)).max()
        if speed <= AT_REST * self._scale(state, heads):
            return None
        repel = _zeros(v, 1)
        if len(repel) == 0:
            return None
        mass = state.between(repel, np.append(repel[1:], repel[0] + TURN))
        attract = _zeros(v, -1)
        order = np.searchsorted(attract, repel[0])
        places = transport.unit(np.roll(attract, -int(order)))
        return Measure(places, mass / mass.sum())

    def _scale(self, state: Density, heads: Heads) -> float:
        """A speed that no token exceeds by much."""
        size = float(heads.mass @ np.linalg.norm(heads.V, 2, axis=(1, 2)))
        if self.rule != "unnormalised":
            return size
        x = transport.unit(state.angle)
        return size * float(energy.head_weights(x, heads, state.mass).max())


def _zeros(v: Callable[[Angles], Angles], sign: int) -> Angles:
    """Zeros in [0, 2 pi) at which sign * v turns from negative to positive."""
    grid = TURN * np.arange(GRID + 1) / GRID
    value = sign * v(grid)
    k = np.flatnonzero((value[:-1] < 0) & (value[1:] >= 0))
    low, high = grid[k], grid[k + 1]
    for _ in range(50):
        if len(k) == 0:
            break
        middle = (low + high) / 2
        below = sign * v(middle) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def solve(
    rho0: Callable[[Angles], Angles],
    path: WeightPath | Heads,
    t: ArrayLike,
    rule: str = "softmax",
    labels: str = "auto",
    n: int = 128,
    step: Number = 0.05,
    tol: Number = 1e-8,
) -> DensityPath:
    r"""The density at the times ``t``, from ``rho0`` at t[0].

    ``rho0`` takes an array of angles and returns the density there: positive, of period
    2π and integral 1.  ``rule`` is ``"softmax"``, ``"gradient"`` or ``"unnormalised"``.

    ``labels``
        ``"uniform"``: n equally spaced labels, the angles at the start.
        ``"quantile"``: n labels of equal mass.
        ``"panels"``: panels of 16 Gauss nodes, bisected wherever the last Legendre
        coefficients of X(a) exceed ``tol``.
        ``"auto"``: uniform as long as X(a) is resolved to ``tol``, panels from then on.
    ``step``
        Longest step of the classical Runge-Kutta method (order 4), in layer-time; it is
        shortened to a quarter of the fastest time scale of v, and ends at every output
        and every jump of the weights.

    Raises ``ValueError`` for a density that is not positive or not of mass 1, weights
    of dimension other than 2, and a gradient rule without gradient heads.
    """
    path = constant(path) if isinstance(path, Heads) else path
    _check.instance(path, WeightPath, "path", "a WeightPath, or Heads")
    if path.d != 2:
        raise _check.refuse("path", "of dimension 2, the circle", f"d = {path.d}")
    times = _check.increasing(t, "t").copy()
    _check.one_of(rule, transport.RULES, "rule")
    _check.one_of(labels, LABELS, "labels")
    if rule == "gradient":
        gradient_sign(path(float(times[0])))
    _check.function(rho0, "rho0", "a function of an array of angles")
    run = _Run(
        Start(rho0),
        path,
        rule,
        labels,
        _check.count(n, "n", 4),
        _check.positive(step, "step"),
        _check.positive(tol, "tol"),
    )
    reached, status = [run.state()], "done"
    try:
        run.begin()
        reached = [run.state()]
        for low, high in zip(times[:-1].tolist(), times[1:].tolist()):
            run.to(low, high)
            reached.append(run.state())
    except Stop as stop:
        status = stop.status
    return DensityPath(
        times[: len(reached)], tuple(reached), status, run.n_evaluations, path, rule
    )


class _Run:
    """The moving nodes of one call of ``solve``."""

    def __init__(
        self,
        start: Start,
        path: WeightPath,
        rule: str,
        labels: str,
        n: int,
        step: float,
        tol: float,
    ):
        self.start, self.path, self.rule, self.labels = start, path, rule, labels
        self.step, self.tol = step, tol
        self.n_evaluations = 0
        self.nodes: Rows | Panels = Rows(n)
        self.values = self._at_start(self.nodes.places)
        self.mass = self._masses()

    def begin(self) -> None:
        """Cut the labels into panels, if that is asked for or needed."""
        if self.labels == "panels":
            self._to_panels(self._at_start)
        self._panels_if_rough()

    def _at_start(self, label: Angles) -> Values:
        angle = label
        if self.labels == "quantile":
            angle = self.start.quantile(label / TURN)
        return np.stack([angle, np.log(self.start.density(angle))])

    def _masses(self) -> Angles:
        """Masses of the nodes, of sum 1."""
        if self.labels == "quantile":
            return np.full(len(self.nodes.places), 1 / len(self.nodes.places))
        label = self.nodes.label(self.nodes.places)
        mass = self.start.density(label) * self.nodes.weights
        return mass / mass.sum()

    def state(self) -> Density:
        """What there is now."""
        panels = self.nodes.period if isinstance(self.nodes, Panels) else 0
        return Density(
            self.nodes.label(self.nodes.places),
            self.values[0].copy(),
            self.values[1].copy(),
            self.mass.copy(),
            panels,
            self.nodes,
            self.start,
            self.labels == "quantile",
        )

    def to(self, low: float, high: float) -> None:
        """Go from one output time to the next."""
        inner = sorted(b for b in self.path.breaks if low < b < high)
        for a, b in zip([low, *inner], [*inner, high]):
            self._piece(a, b)

    def _piece(self, t: float, end: float) -> None:
        """Go on without a jump of the weights on the way."""
        # Just before a jump, the weights after it must not be used.
        last = float(np.nextafter(end, t)) if end in self.path.breaks else end
        while t < end:
            k1 = self._rate(t, self.values)
            fastest = float(np.abs(k1[1]).max())
            longest = min(self.step, PART / fastest) if fastest > 0 else self.step
            steps = (end - t) / longest * (1 - 1e-12)
            if steps > MOST_STEPS:  # inf, too
                raise Stop("step too small")
            count = int(np.ceil(steps))
            h = (end - t) / max(count, 1)
            x, middle = self.values, min(t + h / 2, last)
            k2 = self._rate(middle, x + h / 2 * k1)
            k3 = self._rate(middle, x + h / 2 * k2)
            k4 = self._rate(min(t + h, last), x + h * k3)
            self.values = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            t = end if count <= 1 else t + h
            self._bisect()
            self._panels_if_rough()

    def _rate(self, t: float, values: Pairs) -> Pairs:
        self.n_evaluations += 1
        angle = values[0]
        v, slope = transport.rates(angle, angle, self.mass, self.path(t), self.rule)
        if not (np.isfinite(v).all() and np.isfinite(slope).all()):
            raise Stop("not finite")
        return np.stack([v, -slope])

    def _panels_if_rough(self) -> None:
        """Change to panels once the equally spaced labels are too few."""
        if self.labels == "auto" and isinstance(self.nodes, Rows):
            rows, values = self.nodes, self.values
            if rows.tail(values) > self.tol / 100:
                self._to_panels(lambda label: rows.values(values, label))

    def _to_panels(self, sample: Callable[[Angles], Values]) -> None:
        """Change to as many panels as the functions of ``sample`` ask for."""
        panels = Panels(np.linspace(0, 1, PANELS + 1))
        while True:
            values = sample(panels.label(panels.places))
            rough = panels.rough(values, self._tolerances())
            if not rough.any():
                break
            panels = self._few(panels.bisected(rough))
        self.nodes, self.values = panels, values
        self.mass = self._masses()

    def _bisect(self) -> None:
        """Bisect the panels on which the functions are not smooth any more."""
        while isinstance(self.nodes, Panels):
            rough = self.nodes.rough(self.values, self._tolerances())
            if not rough.any():
                break
            self.values = self.nodes.handed_down(self.values, rough)
            self.nodes = self._few(self.nodes.bisected(rough))
            self.mass = self._masses()

    def _few(self, panels: Panels) -> Panels:
        """The panels, unless there are too many to go on, or too thin to be halved."""
        width = np.diff(panels.edges).min()
        if panels.period > MOST_PANELS or width < THINNEST:
            raise Stop("too steep")
        return panels

    def _tolerances(self) -> tuple[float, float]:
        return self.tol, max(LOG_TOLERANCE, self.tol)


def sphere_grid(rho0: Callable[..., Angles], n: int) -> Measure:
    """Tokens on S^2 that carry masses of a density: n Gauss-Legendre heights times 2n
    longitudes (half a step from the zeroth meridian), with mass ``rho0`` times area.

    ``rho0`` takes points, a (k, 3) array, and returns the density with respect to area
    (the uniform one is 1 / 4π).  Moved by ``flow.solve`` with
    ``attention.field(heads, mass)``, the integrals of smooth functions converge
    geometrically in n as long as the map of the flow is smooth.  Raises ``ValueError``
    for a density that is negative, or whose total mass on this grid is not 1.
    """
    grid = sphere.quadrature(3, n)
    _check.function(rho0, "rho0", "a function of points on the sphere")
    c, s = np.cos(np.pi / (2 * n)), np.sin(np.pi / (2 * n))
    x = grid.x @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    value = _check.shaped(rho0(x.copy()), "rho0(points)", (len(x),))
    return Measure(x, _check.masses(4 * np.pi * value * grid.mass, len(value)))


def growth_rates(beta: Number, kmax: int, d: int = 2) -> Float[np.ndarray, " kmax"]:
    r"""Rates at which harmonics of degree 1 ... kmax grow out of the uniform density.

    .. math:: \lambda_k = \frac{k (k + d - 2)\, I_{k + d/2 - 1}(\beta)}
                               {\beta\, I_{d/2 - 1}(\beta)}

    for one head B = V = I on the sphere of R^d under the softmax rule; with V = -I they
    decay at this rate.  On the circle, d = 2, it is
    :math:`k^2 I_k(\beta) / \beta I_0(\beta)`, largest near :math:`k = \sqrt{2\beta}`.
    Derived in the book.
    """
    beta, d = _check.positive(beta, "beta"), _check.count(d, "d", 2)
    if beta < LEAST_BETA:
        raise _check.refuse("beta", f"{LEAST_BETA:g} or more", beta)
    kmax = _check.count(kmax, "kmax")
    k = np.arange(1, kmax + 1)
    steps = _bessel.ratios(np.array([beta]), kmax, half=d / 2 - 1)[1:, 0]
    return k * (k + d - 2) / beta * np.cumprod(steps)
