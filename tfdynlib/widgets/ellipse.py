"""The figure ``ellipse``: a Gaussian cloud under an attention layer."""

from typing import Any

import numpy as np

from tfdynlib import gaussian
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._ellipse_presets import COV, PRESETS, A, B, times
from tfdynlib.widgets._traits import Covariance, Matrix, OneOf, Real, Vector
from tfdynlib.widgets._widget import Widget, doubles

BESIDE = ("nothing", "twin", "filter", "clipped")
SHARES = np.array([0.1, 0.3, 0.6, 0.95])  # of the run: where page and Python compare


class Ellipse(Widget):
    """A Gaussian cloud under a layer: ``Ellipse("d1")``.

    ``view="flow"``: mean and covariance of N(``mean``, ``cov``) under the layer ``A``,
    ``B``, ``V``, ``b`` to the time ``t_end``, or to where it blows up.  ``curve`` is
    what the chart has, ``"eigenvalues"`` of the covariance or entries of its inverse,
    the ``"precision"``.  ``beside`` it stands ``"nothing"``; the ``"twin"`` with -V and
    -B; the error covariance of a Kalman ``"filter"`` with process noise ``noise``; or
    the run with ``"clipped"`` eigenvalues, a patch that makes rank out of nothing.
    """

    name = "ellipse"
    _esm = esm("ellipse")
    _css = style()
    PRESETS = PRESETS
    OPENING = ("d1", "d2", "d3", "e2", "twin_signs")

    view = OneOf("flow", words=("flow",)).tag(sync=True, page=True)
    A = Matrix(A, d=2).tag(sync=True, page=True)
    B = Matrix(B, d=2).tag(sync=True, page=True)
    V = Matrix(times(-0.7), d=2).tag(sync=True, page=True)
    b = Vector([0.0, 0.0], d=2, bound=100.0).tag(sync=True, page=True)
    mean = Vector([-1.5, 1.2], d=2).tag(sync=True, page=True)
    cov = Covariance(COV, d=2).tag(sync=True, page=True)
    t_end = Real(6.0, min=0.1, max=40.0).tag(sync=True, page=True)
    curve = OneOf("eigenvalues", words=("eigenvalues", "precision")).tag(
        sync=True, page=True, numbers=False
    )
    beside = OneOf("nothing", words=BESIDE).tag(sync=True, page=True, numbers=False)
    noise = Real(0.0, min=0.0, max=2.0).tag(sync=True, page=True, numbers=False)
    t = Real(0.0, min=0.0, max=60.0).tag(sync=True, page=True, view=True)

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """The moments at four times of the run, and where it blows up."""
        whole = gaussian.solve(layer_of(state), start_of(state), [0, state["t_end"]])
        blow_up = whole.blow_up_time
        t = SHARES * min(state["t_end"], blow_up)
        run = gaussian.solve(layer_of(state), start_of(state), [0, *t])
        return {
            "t": doubles(run.t[1:]),
            "mean": doubles(run.mean[1:]),
            "cov": doubles(run.cov[1:]),
            "blow_up": doubles(np.array([blow_up])),
        }

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """The ellipse at the start and at ``t``, and those between."""
        from tfdynlib import plot

        run = moments_to(state, state["t"])
        laws = [run.at(k) for k in range(len(run.t))]
        ax = plot.ellipses(laws, names={0: "start"}, trail=run.mean)
        sizes = np.linalg.svd(run.factor[-1], compute_uv=False)
        alt = (
            f"Ellipse of a Gaussian cloud from layer-time 0 to {run.t[-1]:.3g}: mean "
            f"{show(run.mean[-1])}, standard deviations {show(sizes)}."
        )
        return plot.show(ax, alt=alt).svg


def show(values: np.ndarray) -> str:
    """Numbers in words."""
    return " and ".join(f"{v:.2f}" for v in values)


def layer_of(state: dict[str, Any]) -> gaussian.Layer:
    """The layer of a state."""
    return gaussian.Layer(state["A"], state["B"], state["V"], state["b"])


def start_of(state: dict[str, Any]) -> gaussian.Gaussian:
    """The law of a state at layer-time 0."""
    return gaussian.Gaussian(state["mean"], state["cov"])


def moments_to(state: dict[str, Any], t: float, frames: int = 9) -> gaussian.Moments:
    """Moments up to t, or up to short of a blow-up before it."""
    times = np.linspace(0, max(t, 1e-9), frames)
    run = gaussian.solve(layer_of(state), start_of(state), times)
    if run.status == "done":
        return run
    last = min(run.t[-1], 0.999 * run.blow_up_time)
    return gaussian.solve(
        layer_of(state), start_of(state), np.linspace(0, last, frames)
    )


