"""The figure ``steer``: weights that take one Gaussian to another, and their costs."""

from typing import Any

import numpy as np

from tfdynlib import control, gaussian
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._steer_presets import PRESETS, START, TARGET
from tfdynlib.widgets._traits import Covariance, OneOf, Real, Vector
from tfdynlib.widgets._widget import Widget, doubles

METHODS = ("feedforward", "attention", "geodesic")
LEAST = 1e-8  # of a variance: precisions are finite, and so are their squares
SHARES = (0.0, 0.3, 0.8)  # of T, where page and Python are compared
WORDS = {
    "feedforward": "feed-forward weights",
    "attention": "attention alone",
    "geodesic": "the straight way",
}


class Steer(Widget):
    """Steering of a Gaussian in the plane: ``Steer("r1", T=0.1)``.

    From N(``start_mean``, ``start_cov``) to N(``target_mean``, ``target_cov``) in the
    layer-time ``T`` by ``method``, as in ``control.steer``: ``"feedforward"``,
    ``"attention"`` or ``"geodesic"``.  Ranks that differ are refused in words.
    ``curve`` chooses the chart: what the tokens pay (``"speed"``), what the weights pay
    (``"size"``), or the ``"axes"`` of the ellipse.
    """

    name = "steer"
    _esm = esm("steer")
    _css = style()
    PRESETS = PRESETS
    OPENING = ("r1", "thin_to_round", "mirror", "attention_only", "line_to_line")

    start_mean = Vector(START["start_mean"], d=2).tag(sync=True, page=True)
    start_cov = Covariance(START["start_cov"], d=2, least=LEAST).tag(
        sync=True, page=True
    )
    target_mean = Vector(TARGET["target_mean"], d=2).tag(sync=True, page=True)
    target_cov = Covariance(TARGET["target_cov"], d=2, least=LEAST).tag(
        sync=True, page=True
    )
    method = OneOf("feedforward", words=METHODS).tag(sync=True, page=True)
    T = Real(1.5, min=0.01, max=5.0).tag(sync=True, page=True)
    curve = OneOf("axes", words=("speed", "size", "axes")).tag(
        sync=True, page=True, numbers=False
    )
    t = Real(0.0, min=0.0, max=5.0).tag(sync=True, page=True, view=True)

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Ranks and the least cost; of every method that can be, its costs and its
        weights at a few times; mean and covariance there, along the method shown."""
        start, target = ends_of(state)
        T, times = state["T"], np.multiply(SHARES, state["T"])
        numbers: list[float] = [start.rank, target.rank]
        numbers.append(gaussian.distance(start, target) ** 2 / T)
        for method in METHODS:
            path = path_of({**state, "method": method})
            if path is None:
                continue
            numbers += [control.weight_cost(path), control.kinetic_cost(path, start)]
            for t in times:
                layer = path(t)
                for part in (layer.A, layer.B, layer.V, layer.b):
                    numbers += part.ravel().tolist()
        path = path_of(state)
        if path is not None:
            run = gaussian.solve(path, start, times)
            for mean, cov in zip(run.mean, run.cov):
                numbers += [*mean.tolist(), *cov.ravel().tolist()]
        return {"numbers": doubles(np.array(numbers))}

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """Start, target and the way between them, up to the moment shown."""
        from tfdynlib import plot
        from tfdynlib.widgets import _steer_still

        start, target = ends_of(state)
        path = path_of(state)
        ax = _steer_still.draw(start, target, path, min(state["t"], state["T"]))
        if path is None:
            reason = control.reachable(start, target).reason
            return plot.show(
                ax, alt=f"Two ellipses and no way between them: {reason}"
            ).svg
        alt = (
            f"A Gaussian on its way to another by {WORDS[state['method']]}: ellipses "
            f"at equal parts of the layer-time {state['T']:g}."
        )
        return plot.show(ax, alt=alt).svg


def ends_of(state: dict[str, Any]) -> tuple[gaussian.Gaussian, gaussian.Gaussian]:
    """Start and target of a state."""
    start = gaussian.Gaussian(state["start_mean"], state["start_cov"])
    return start, gaussian.Gaussian(state["target_mean"], state["target_cov"])


def path_of(state: dict[str, Any]) -> gaussian.LayerPath | None:
    """The weights found, or None where there are none."""
    start, target = ends_of(state)
    thin = state["method"] == "attention" and start.rank < 2
    if thin or not control.reachable(start, target):
        return None
    return control.steer(start, target, state["T"], state["method"])
