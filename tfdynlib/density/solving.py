"""The density moved by attention, from one output time to the next."""

from collections.abc import Callable

from numpy.typing import ArrayLike

from tfdynlib import _check
from tfdynlib._charts import Stop
from tfdynlib._check import Number
from tfdynlib.density._labels import Angles, Start
from tfdynlib.density._rates import RULES
from tfdynlib.density.moving import Run
from tfdynlib.density.path import DensityPath
from tfdynlib.weights import Heads, WeightPath, gradient_sign
from tfdynlib.weights.paths import as_path

LABELS = ("auto", "uniform", "quantile", "panels")


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
    path, times = _circle_path(path), _check.increasing(t, "t").copy()
    _check.one_of(rule, RULES, "rule")
    _check.one_of(labels, LABELS, "labels")
    if rule == "gradient":
        gradient_sign(path(float(times[0])))
    _check.function(rho0, "rho0", "a function of an array of angles")
    n, step = _check.count(n, "n", 4), _check.positive(step, "step")
    tol = _check.positive(tol, "tol")
    run = Run(Start(rho0), path, rule, labels, n, step, tol)
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


def _circle_path(path: WeightPath | Heads) -> WeightPath:
    path = as_path(path)
    if path.d != 2:
        raise _check.refuse("path", "of dimension 2, the circle", f"d = {path.d}")
    return path
