"""Values of the answer boxes of the pages on low temperature, computed once more."""

import math

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, root
from scipy.special import i0e

from tfdynlib import attention, energy, flow, metastability, sphere
from tfdynlib.measure import Measure
from tfdynlib.weights import Heads

I3 = np.eye(3)
# The head of the preset generic3d.
V3 = np.array([[1, 0.4, 0], [0, 2, 0.3], [0.2, 0, 0.7]])
B3 = np.linalg.solve(V3, np.diag([2, 1, 0.5]))


def frozen(x0, V, B, t):
    """A token at zero temperature, by an integrator of the plain equation."""

    def f(_, x):
        pull = V @ B @ x / np.linalg.norm(B @ x)
        return pull - (pull @ x) * x

    return solve_ivp(
        f, (0, t), np.array(x0, float), "DOP853", rtol=1e-12, atol=1e-14
    ).y[:, -1]


def two_pole_time():
    """When the mean square distance from the poles is 0.01, by quadrature in z."""

    def square(t):
        q = math.exp(-2 * t)
        return 2 - 2 * quad(lambda z: z / math.sqrt(q + (1 - q) * z * z), 0, 1)[0]

    return brentq(lambda t: square(t) - 0.01, 1, 9, xtol=1e-12)


def ratio_and_bound():
    x = frozen([0.6, 0, 0.8], V3, B3, 1.0)
    size = math.sqrt(np.linalg.eigvalsh(B3.T @ B3)[-1])
    return (x[1] ** 2 + x[2] ** 2) / x[0] ** 2, 16 / 9 * math.exp(-2 / size)


def mean_height(kappa):
    """Mean of z under e^{kappa z} for z uniform on [-1, 1], by quadrature."""
    moment = [
        quad(lambda z, k=k: z**k * math.exp(kappa * (z - 1)), -1, 1)[0] for k in (0, 1)
    ]
    return moment[1] / moment[0]


def lean_of_a_tilt(h=1e-6):
    """Slope of log(1 + cos(a)/2) at 45 degrees, by a central difference."""
    f = lambda a: math.log(1 + math.cos(a) / 2)  # noqa: E731
    return (f(math.pi / 4 - h) - f(math.pi / 4 + h)) / (2 * h)


def lean_of_a_kink(kappa):
    """kappa times the mean height at the equator, by a rule of Gauss on each half."""
    s, w = np.polynomial.legendre.leggauss(400)
    top = bottom = 0.0
    for z, slope in ((s / 2 + 0.5, 0.5), (s / 2 - 0.5, 0.0)):
        r = np.sqrt(1 - z**2)
        part = w * (1 + slope * z) * i0e(kappa * r) * np.exp(kappa * (r - 1))
        top, bottom = top + part @ z, bottom + part.sum()
    return kappa * top / bottom


def best_moment(beta, C1, c):
    """Where the bound is least, by halving the zero of its slope."""
    e = math.sqrt(math.log(beta + 1) / beta)
    return brentq(
        lambda t: C1 * e * math.exp(C1 * t) - c * math.exp(-c * t), 0, 50, xtol=1e-12
    )


def power_of_the_bound():
    """Exponent of the least bound in epsilon, times -1/2."""

    def least(e):
        t = brentq(lambda t: e * math.exp(t) - 0.5 * math.exp(-t / 2), 0, 60)
        return e * math.exp(t) + math.exp(-t / 2)

    return -0.5 * math.log(least(1e-8) / least(1e-9)) / math.log(10)


LEAST = (0.06495, 0.05721, 0.04601, 0.03515, 0.02691, 0.02256)


def power_of_the_least():
    x, y = np.log(20.0 * 2 ** np.arange(6)), np.log(LEAST)
    return np.cov(x, y)[0, 1] / np.var(x, ddof=1)


def wait(gap, beta):
    """Time from a gap to a tenth, by an integrator of the equation of the gap."""

    def f(_, phi):
        return -2 * np.sin(phi) / (1 + np.exp(beta * (1 - np.cos(phi))))

    def there(_, phi):
        return phi[0] - 0.1

    there.terminal = True
    run = solve_ivp(f, (0, 1e9), [gap], "LSODA", events=there, rtol=1e-10, atol=1e-12)
    return run.t_events[0][0]


def bell(y):
    """Density of N(0, 1) times the weight at alpha = 10, up to a factor."""
    return math.exp(-y * y / 2 - 5 * (y - 1) ** 2)


def angle_of_rest():
    """Where the score of the pair of sign_switch changes its sign, by bisection."""
    B = np.diag([2, -0.5])
    point = lambda a: np.array([math.cos(a), math.sin(a)])  # noqa: E731
    return brentq(lambda a: point(a) @ B @ point(a), 0.5, 1.5, xtol=1e-14)


def rate_at_rest(h=1e-6):
    """Slope of the angle's speed at the point of rest, by a central difference."""
    switch = Heads(np.diag([2, -0.5]), np.diag([1.0, 2.0]), 20.0)

    def speed(a):
        x = np.array([[math.cos(a), math.sin(a)]])
        v = attention.velocity(np.concatenate([x, -x]), switch)[0]
        return v @ [-math.sin(a), math.cos(a)]

    a = angle_of_rest()
    return (speed(a + h) - speed(a - h)) / (2 * h)


def two_means():
    one, two = (quad(lambda z, b=b: math.exp(b * z) / 2, -1, 1)[0] for b in (2, 4))
    return one, two, one**2 / two


def least_of_nodes():
    turn = np.linalg.qr(np.array([[1.0, 2, 3], [2, -1, 1], [1, 1, -2]]))[0]
    grid, head = sphere.quadrature(3, 20), Heads(B3, V3, 80.0)
    start = Measure(sphere.retract(grid.x @ turn.T), grid.mass)
    field, t = attention.field(head, start.mass), np.linspace(0, 6, 61)
    run = flow.solve(field, start.x, t, rtol=1e-6, atol=1e-8)
    limit = metastability.Limit.of(head)
    return metastability.phases(run, limit, V3, start.mass).least


def exit_at_160(v, b, skew):
    """By the share of tokens that have left, not by the sort of the distance."""
    head = Heads(np.diag([2.0, b]), np.diag([1.0, v]), 160.0)
    x0, t = metastability.circle(200, skew=skew), np.linspace(0, 10, 201)
    x = flow.solve(attention.field(head), x0, t, rtol=1e-7, atol=1e-9).x
    poles = np.mean(x0[:, 0] > 0)
    away = [two_poles(y[:, 0], poles) for y in x]
    return metastability.exit_time(t, np.array(away))


def two_poles(height, share):
    """Chordal distance to two poles with a share that splits no token."""
    h, k = np.sort(height)[::-1], round(len(height) * share)
    return math.sqrt((np.sum(2 - 2 * h[:k]) + np.sum(2 + 2 * h[k:])) / len(h))


def unequal_pair():
    """Angles of rest for the masses 0.6 and 0.4, as a zero of both speeds."""

    def speeds(angles):
        x = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        score = 20 * (2 * np.outer(x[:, 0], x[:, 0]) - np.outer(x[:, 1], x[:, 1]) / 2)
        a = np.exp(score) * [0.6, 0.4]
        pull = (a / a.sum(axis=1, keepdims=True)) @ x * [1, 2]
        return pull[:, 1] * x[:, 0] - pull[:, 0] * x[:, 1]

    return np.degrees(root(speeds, np.arctan(2) + [0, -np.pi], tol=1e-12).x)


def small_heads():
    """Minus the slope of E along the softmax velocity, by a central difference."""
    J, h = np.array([[0, 1.0], [1, 0]]), 1e-4
    heads = Heads.descent(np.array([0.09 * J, -0.1 * J]))
    a = math.asin(0.8) / 2
    point = lambda b: np.array([[math.cos(b), math.sin(b)]])  # noqa: E731
    turn = attention.velocity(point(a), heads)[0] @ [-math.sin(a), math.cos(a)]
    up, down = (energy.interaction(point(b), heads) for b in (a + h, a - h))
    return -1e6 * turn * (up - down) / (2 * h)


VALUES = {
    "ex-limit-1": lambda: frozen([0.6, 0, 0.8], np.diag([2.0, 1, 1]), I3, 2.0)[0],
    "ex-projection-1": two_pole_time,
    "ex-projection-2": lambda: [
        quad(lambda z: (1 + z / 2) / 2, *ends)[0] for ends in ((0, 1), (-1, 0))
    ],
    "ex-projection-3": ratio_and_bound,
    "ex-laplace-1": lambda: brentq(lambda k: mean_height(k) - 0.99, 10, 300),
    "ex-laplace-2": lean_of_a_tilt,
    "ex-laplace-4": lambda: mean_height(2.0),
    "ex-laplace-5": lambda: (
        quad(lambda u: u * u * math.exp(-u * u / 2), 0, 30)[0]
        / 2
        / math.sqrt(math.tau),
        lean_of_a_kink(160.0),
    ),
    "ex-concentration-1": lambda: best_moment(1e4, 1.0, 0.5),
    "ex-concentration-2": power_of_the_bound,
    "ex-concentration-3": power_of_the_least,
    "ex-metastability-1": lambda: (2 / 2 + 1 / 2, 2 / 2 + 1 / (2 * 0.8)),
    "ex-metastability-2": lambda: round(wait(2.0, 9.0)),
    "ex-terminal-2": lambda: math.degrees(angle_of_rest()),
    "ex-terminal-3": rate_at_rest,
    "ex-consensus-1": lambda: brentq(
        lambda a: (1 + a) ** -0.5 - 0.01, 1, 1e5, xtol=1e-9
    ),
    "ex-consensus-2": lambda: (
        quad(lambda y: y * bell(y), -9, 9)[0] / quad(bell, -9, 9)[0]
    ),
    "ex-finite_size-1": lambda: 50 / (math.tanh(100) / 100),
    "ex-finite_size-2": lambda: 50 * math.sqrt(100 * math.pi),
    "ex-finite_size-3": two_means,
    "ex-finite_size-5": least_of_nodes,
    "ex-studies-1": lambda: 5 * 2 * 2 * 20,
    "ex-studies-2": lambda: (2 / 2 + 1 / (2 * 2), exit_at_160(3.0, 1 / 3, 0.4)),
    "ex-studies-3": lambda: exit_at_160(2.0, 0.5, 0.2),
    "ex-open-1": unequal_pair,
    "ex-open-2": small_heads,
    "ex-open-3": lambda: (
        math.sqrt(math.log(1000)),
        brentq(lambda t: (1 - 2 * t) ** -2 - math.log(1000), 0, 0.49),
    ),
    "ex-metastability-3": lambda: brentq(lambda t: math.exp(-t) - 100**-0.5, 0, 9),
}
ON_THE_WAY: dict = {}
