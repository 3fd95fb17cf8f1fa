"""The view "split" of the figure ``circle``: an atom on its way, whole or in parts."""

from types import ModuleType
from typing import Any

import numpy as np

from tfdynlib import geometry, measure, weights
from tfdynlib.geometry import _chart, _path
from tfdynlib.widgets._widget import Preset, doubles

STAGES = ((4, 1e-4), (8, 1e-4), (24, 1e-9))  # modes in time, gradient at which to stop
SPREAD = 0.3

PRESETS = {
    "dirac_or_split": Preset(
        "Two half masses",
        {"view": "split", "beta": 4.0, "gap": 2.0, "parts": 2},
        moment=0.5,
        about="Past a right angle a point travels cheaper in two halves.",
    ),
    "eight_parts": Preset(
        "Eight parts",
        {"view": "split", "beta": 4.0, "gap": 2.9, "parts": 8},
        moment=0.5,
        about="Far beyond the threshold more strands pay.",
    ),
    "hot_atom": Preset(
        "Warm attention",
        {"view": "split", "beta": 1.0, "gap": 3.0, "parts": 2},
        moment=0.5,
        about="At beta 1 the threshold is half a turn: a point stays whole.",
    ),
}


def heads_of(state: dict[str, Any]) -> weights.Heads:
    """The one head of this view, B = I."""
    return weights.Heads.descent(np.eye(2), beta=state["beta"])


def path_of(state: dict[str, Any]) -> _path.Path:
    """The path of least action of the parts, with 24 modes, as the page finds it."""
    M, turn = state["parts"], state["gap"]
    ends = np.full((M, 1), turn), np.zeros((M, 1))
    problem = _path.Problem(
        _chart.Angle(),
        np.zeros((M, 1)),
        lambda _: ends,
        np.full(M, 1 / M),
        heads_of(state),
    )
    modes = np.zeros((STAGES[0][0], M, 1))
    if M > 1:
        modes[0, :, 0] = SPREAD * min(1.0, turn) * np.linspace(-1, 1, M)
    for count, accuracy in STAGES:
        more = np.zeros((count - len(modes), M, 1))
        path = _path.minimise(problem, np.concatenate([modes, more]), accuracy=accuracy)
        modes = path.modes
    return path


def reference_for(state: dict[str, Any]) -> dict[str, Any]:
    """Costs of the way: whole, and in parts."""
    whole = np.exp(state["beta"] / 2) * state["gap"]
    cost = _path.length(path_of(state))[0] if state["parts"] > 1 else whole
    return {"numbers": doubles(np.array([whole, cost]))}


def still(plot: ModuleType, state: dict[str, Any]) -> tuple[Any, str]:
    """Angles of the parts over the time of the way."""
    start, goal = (
        measure.Measure(np.array([[np.cos(a), np.sin(a)]])) for a in (0, state["gap"])
    )
    found = geometry.weighted_distance(
        start, goal, heads_of(state), parts=state["parts"], shift=0
    )
    whole = np.exp(state["beta"] / 2) * state["gap"]
    return plot.geodesic(found), (
        f"Angle over time of {state['parts']} parts of one atom on its way over the "
        f"angle {state['gap']:g}. They cost {found.distance:.4f}, together {whole:.4f}."
    )
