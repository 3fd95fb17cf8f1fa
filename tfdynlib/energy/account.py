"""The balance of the energy along a flow."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tfdynlib import _check, _slopes, attention, sphere
from tfdynlib._check import Number
from tfdynlib.attention import How, Masses
from tfdynlib.energy import _account
from tfdynlib.energy.landscape import interaction
from tfdynlib.flow import Trajectory
from tfdynlib.weights import Heads, WeightPath
from tfdynlib.weights.paths import as_path, slope


@dataclass(frozen=True, repr=False)
class Balance:
    """The account of the energy along a trajectory; what is not ``energy`` starts at 0.

    Attributes
    ----------
    t, energy
        Times and E at them.
    by_weights
        Work done by the changing weights, jumps included.
    dissipated
        Integral of the dissipation along the rule.
        Along noisy weights that of drift and Itô term.
    martingale
        Work of the noise; zero along weights that are a function of time.
    residual
        energy - energy[0] - by_weights + dissipated - martingale: the error of the
        integrator and the quadrature, nothing else.
    left_point
        The same with all integrals as sums over left ends, the noise as Itô sums: what
        the first paper's code prints.  First order in the step, along noisy weights
        only half.
    """

    t: Float[np.ndarray, " m"]
    energy: Float[np.ndarray, " m"]
    by_weights: Float[np.ndarray, " m"]
    dissipated: Float[np.ndarray, " m"]
    martingale: Float[np.ndarray, " m"]
    residual: Float[np.ndarray, " m"]
    left_point: Float[np.ndarray, " m"]

    def __repr__(self) -> str:
        return (
            f"Balance(E {self.energy[0]:.6g} -> {self.energy[-1]:.6g}, "
            f"by weights {self.by_weights[-1]:+.6g},\n"
            f"        dissipated {self.dissipated[-1]:.6g}, "
            f"residual {self.residual[-1]:.2g})"
        )


def balance(
    trajectory: Trajectory,
    path: WeightPath | Heads,
    rule: str = "softmax",
    mass: ArrayLike | None = None,
    method: str = "auto",
    tol: Number = 1e-10,
) -> Balance:
    r"""Energy balance of a trajectory that followed ``rule`` along ``path``.

    .. math::
        E(t) - E(0) = \int_0^t \partial_s E\, ds + \sum_{\text{jumps}} \Delta E
                      - \int_0^t \text{dissipation}\, ds

    Both integrals by Simpson's rule on each interval of the trajectory, with the state
    in the middle from the cubic through its ends: fourth order, so that the residual of
    an ``rk4`` run falls with the fourth power of the step, that of an ``euler`` run
    with the first.

    Along noisy weights the trajectory must step from sample to sample of the path;
    there :math:`\partial_s E` includes the Itô term (see ``power``), a martingale joins
    the right-hand side, and the work is that along the chord between two samples.

    Raises ``ValueError`` if the weights are noisy without a sample, or jump or bend at
    a time that is not among ``trajectory.t``.
    """
    wanted = "a Trajectory (see flow.solve)"
    _check.instance(trajectory, Trajectory, "trajectory", wanted)
    path = as_path(path)
    t = trajectory.t
    first = _door(path, t)
    _, mass, _ = _check.cloud(trajectory.x[0], path.d, mass)
    how = attention.how(method, tol)
    if path.sample is None:
        parts = [
            _interval(trajectory, k, path, rule, mass, how) for k in range(len(t) - 1)
        ]
        table = np.array(parts).reshape(-1, 3).T
        work, lost, left = table
        noise = np.zeros(len(work))
    else:
        work, lost, noise, left = _account.noisy(
            trajectory, path, rule, mass, how, first
        )
    by_weights, dissipated, martingale, lefts = (
        np.concatenate([[0.0], np.cumsum(part)]) for part in (work, lost, noise, left)
    )
    energy = np.array(
        [interaction(x, path(s), mass, *how) for s, x in zip(t, trajectory.x)]
    )
    gain = energy - energy[0]
    residual = gain - by_weights + dissipated - martingale
    sums = (by_weights, dissipated, martingale, residual, gain - lefts)
    return Balance(t, energy, *sums)


def _door(path: WeightPath, t: Float[np.ndarray, " m"]) -> int:
    """Front door of ``balance``: the number of the sample at which t starts."""
    if path.sample is None and path.noise_var != 0:
        came = f"noise_var = {path.noise_var:g} (see weights.ornstein_uhlenbeck)"
        raise _check.refuse("path", "free of noise", came)
    missing = sorted({b for b in path.breaks if t[0] < b < t[-1]} - set(t.tolist()))
    if missing:
        wanted = f"inclusive of the jump of the weights at {missing[0]:g}"
        raise _check.refuse("trajectory.t", wanted, t)
    if path.sample is None:
        return 0
    first = int(np.searchsorted(path.sample.t, t[0]))
    if not np.array_equal(path.sample.t[first : first + len(t)], t):
        raise _check.refuse("trajectory.t", "times of the sample of the path", t)
    return first


def _interval(
    trajectory: Trajectory, k: int, path: WeightPath, rule: str, mass: Masses, how: How
) -> tuple[float, float, float]:
    """Work of the weights and dissipation between outputs k and k + 1, and the sum of
    both at the left end."""
    t0, t1 = (float(s) for s in trajectory.t[k : k + 2])
    x0, x1 = trajectory.x[k : k + 2]
    last = float(np.nextafter(t1, t0)) if t1 in path.breaks else t1
    h, middle = t1 - t0, 0.5 * (t0 + t1)
    v0, v1 = (
        attention.velocity(x, path(t), mass, rule, *how)
        for t, x in ((t0, x0), (last, x1))
    )
    x_middle = sphere.retract((x0 + x1) / 2 + h * (v0 - v1) / 8)
    v_middle = attention.velocity(x_middle, path(middle), mass, rule, *how)
    nodes = ((t0, x0, v0), (middle, x_middle, v_middle), (last, x1, v1))
    powers = [
        _account.power(x, path(t), slope(path, t), mass, how) for t, x, _ in nodes
    ]
    losses = [-_slopes.rate(x, v, path(t), mass, how) for t, x, v in nodes]
    work, lost = (h * (a + 4 * b + c) / 6 for a, b, c in (powers, losses))
    left = h * (powers[0] - losses[0])
    if t1 in path.breaks:
        after, before = (interaction(x1, path(t), mass, *how) for t in (t1, last))
        jump = after - before
        work, left = work + jump, left + jump
    return work, lost, left
