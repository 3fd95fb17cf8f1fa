"""The figure ``stairs``: clusters over log time, their tree, and how a cloud leaves."""

from types import ModuleType
from typing import Any

import numpy as np
import traitlets

from tfdynlib import attention, flow, measure, metastability, sphere, weights
from tfdynlib._circle import points
from tfdynlib.widgets import _stairs_study
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._stairs_presets import PRESETS, I
from tfdynlib.widgets._traits import Matrix, OneOf, Real, Whole
from tfdynlib.widgets._widget import Widget, doubles

FIRST = 0.01  # where logarithmic layer-time begins
SLACK, WIDEST = 100.0, 0.01  # tokens meet within this many tolerances, at most
FROM = 0.1  # where it begins in the view "exit"
TIGHT = 1e-6  # a looser run is compared up to 1 only: later it is an accident


def heads_of(state: dict[str, Any]) -> weights.Heads:
    """The one head of a state."""
    return weights.Heads(state["B"], state["V"], beta=state["beta"])


def angles_of(state: dict[str, Any]) -> np.ndarray:
    """Angles of a pair, or of a regular grid that is skewed and turned."""
    if state["start"] == "gap":
        return np.array([-1, 1]) * state["gap"] / 2
    grid = (np.arange(state["n"]) + 0.5) * 2 * np.pi / state["n"]
    return grid + state["skew"] * np.sin(grid - 1) + state["turn"]


def start_of(state: dict[str, Any]) -> np.ndarray:
    """Tokens of a state at layer-time 0."""
    if state["start"] == "uniform":
        return sphere.uniform(state["n"], 2, np.random.default_rng(state["seed"]))
    theta = angles_of(state)
    return points(theta)


def merge_radius(rtol: float) -> float:
    """The radius within which tokens become one: larger than what one step may err."""
    return min(SLACK * rtol, WIDEST)


def run_of(state: dict[str, Any], t: Any) -> flow.Trajectory:
    """The tokens at the times t, the first of them 0."""
    field, rtol = attention.field(heads_of(state)), state["rtol"]
    return flow.solve(field, start_of(state), t, rtol=rtol, merge=merge_radius(rtol))


def checks_of(state: dict[str, Any]) -> np.ndarray:
    """The times at which page and Python are compared: 1, 10, 100 up to the end."""
    if state["rtol"] > TIGHT:
        return np.ones(1)
    return 10.0 ** np.arange(0, np.floor(np.log10(state["t_end"]) + 1e-9) + 1)


class Stairs(Widget):
    """Tokens on the circle over many decades of layer-time: ``Stairs("circle_beta9")``.

    View ``"clusters"``: clusters at ``radius``, the staircase of the energy, the waits
    and the tree of mergers.  View ``"exit"``: chordal W2 to the poles of M = V B, and
    the moment it passes 0.2 again.  View ``"study"``: the stored runs of
    ``sweep.published("exit")`` as a map, and the run that is chosen.

    One head ``B``, ``V`` at ``beta``; the start is a ``"uniform"`` draw of ``n`` tokens
    by ``seed``, a pair at the ``"gap"``, or a ``"grid"`` phi + ``skew`` sin(phi - 1) +
    ``turn``.  ``rtol`` is the tolerance of the run to ``t_end``; tokens within a
    hundred of it go on as one.
    """

    name = "stairs"
    _esm = esm("stairs")
    _css = style()
    PRESETS = PRESETS
    OPENING = ("circle_beta9", "pair_far", "loose", "exit2d", "exit2d_symmetric")

    view = OneOf("clusters", words=("clusters", "exit", "study")).tag(
        sync=True, page=True
    )
    n = Whole(32, min=2, max=256).tag(sync=True, page=True)
    beta = Real(9.0, min=0.1, max=1000.0).tag(sync=True, page=True)
    B = Matrix(I, d=2).tag(sync=True, page=True)
    V = Matrix(I, d=2).tag(sync=True, page=True)
    start = OneOf("uniform", words=("uniform", "gap", "grid")).tag(sync=True, page=True)
    seed = Whole(0, min=0, max=2**31 - 1).tag(sync=True, page=True)
    gap = Real(3.0, min=0.0, max=np.pi).tag(sync=True, page=True)
    skew = Real(0.4, min=-0.95, max=0.95).tag(sync=True, page=True)
    turn = Real(0.0, min=-np.pi, max=np.pi).tag(sync=True, page=True)
    radius = Real(0.1, min=0.001, max=1.0).tag(sync=True, page=True, numbers=False)
    rtol = Real(1e-11, min=1e-13, max=0.05).tag(sync=True, page=True)
    t_end = Real(1e4, min=1.0, max=1e9).tag(sync=True, page=True)
    t = Real(0.0, min=0.0, max=1e9).tag(sync=True, page=True, view=True)

    study: traitlets.Dict = traitlets.Dict().tag(sync=True)

    @traitlets.default("study")
    def _table(self) -> dict[str, Any]:
        return _stairs_study.table()

    def page_state(self) -> dict[str, Any]:
        """The state, with the stored runs where a chip or the state shows them."""
        out = super().page_state()
        views = {out["view"], *(chip["values"]["view"] for chip in out["presets"])}
        return {**out, "study": self.study if "study" in views else {}}

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Velocity at the start and tokens at 1, 10, 100, ...; of a loose run at 1."""
        x0 = start_of(state)
        v = attention.velocity(x0, heads_of(state))
        times = checks_of(state)
        run = run_of(state, np.union1d([0, state["t_end"]], times))
        seen = np.isin(run.t, times)  # fewer if the steps became too many
        return {
            "velocity": doubles(v),
            "times": run.t[seen].tolist(),
            "tokens": doubles(run.x[seen]),
        }

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """Clusters or the distance to the poles, over the logarithm of the time."""
        from tfdynlib import plot

        ax, alt = STILLS[state["view"]](plot, state)
        return plot.show(ax, alt=alt).svg


def _still_clusters(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    """The energy as a share of the largest, a staircase over log time."""
    t = np.geomspace(FIRST, state["t_end"], 241)
    run, heads = run_of(state, np.append(0, t)), heads_of(state)
    largest = np.exp(heads.beta * np.linalg.norm(state["B"], 2)) / (2 * heads.beta)
    share = metastability.energy_staircase(run, heads)[1:] / largest
    left = int(metastability.clusters(run.x[-1], state["radius"]).max()) + 1
    plain = state["B"] == I and state["V"] == I
    levels = {"1 cluster": 1.0, "2 equal": 0.5} if plain else {}
    ax = plot.curves(
        run.t[1:],
        {"energy": share},
        {name: np.full(len(share), level) for name, level in levels.items()},
        y_name="energy as a share of the largest",
        x_name="layer-time $t$, log",
        x_scale="log",
    )
    alt = (
        f"Energy of {run.x.shape[1]} tokens at inverse temperature {state['beta']:g} "
        "over the logarithm of layer-time: a staircase that ends with "
        f"{left} {'cluster' if left == 1 else 'clusters'}."
    )
    return ax, alt


def poles_of(state: dict[str, Any]) -> metastability.Limit | None:
    """The zero-temperature limit if it has two poles, else None."""
    try:
        limit = metastability.Limit.of(heads_of(state))
    except ValueError:  # M = V B is not symmetric: there is no such limit
        return None
    return limit if limit.dim == 1 else None


def _still_exit(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    """Chordal W2 to the poles over log time; without poles, the tokens."""
    t = np.geomspace(FROM, state["t_end"], 241)
    run, limit = run_of(state, np.append(0, t)), poles_of(state)
    what = f"{run.x.shape[1]} tokens at inverse temperature {state['beta']:g}"
    if limit is None:
        return plot.circle(
            run.x[-1]
        ), f"{what} on the circle; the weights have no poles."
    start = measure.Measure(run.x[0])
    distance = [
        metastability.distance_to_limit(measure.Measure(x), limit, start)
        for x in run.x[1:]
    ]
    leaves = metastability.exit_time(run.t[1:], distance)
    ax = plot.curves(
        run.t[1:],
        {"$W_2$": np.array(distance)},
        {"0.2": np.full(len(distance), 0.2)},
        y_name="chordal $W_2$ to the poles",
        x_name="layer-time $t$, log",
        x_scale="log",
    )
    left = f"and leaves at {leaves:.2f}" if np.isfinite(leaves) else "and stays"
    return ax, f"Distance of {what} to the poles: it falls, waits, {left}."


STILLS = {
    "clusters": _still_clusters,
    "exit": _still_exit,
    "study": _stairs_study.still,
}
