"""The view "study" of the figure ``stairs``: the stored exits, thinned for the page."""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tfdynlib.widgets._stairs_presets import EXIT

if TYPE_CHECKING:
    import xarray as xr

EVERY = 5  # output times of the study from one that travels with the page to the next
RUNS = {"n": EXIT["n"], "B": EXIT["B"], "V": EXIT["V"], "start": "grid", "turn": 0.0}


def stored() -> "xr.Dataset":
    """The study, one seed."""
    from tfdynlib import sweep

    return sweep.published("exit").squeeze("seed")


@cache
def table() -> dict[str, Any]:
    """What all runs share, and for each: skew, beta, exits and W2 over the times.

    ``twice`` is the exit with twice the tokens.  An exit that never comes is ``None``.
    """
    found = stored()
    runs = [
        {
            "skew": float(skew),
            "beta": float(beta),
            "exit": _time(found.exit.sel(skew=skew, beta=beta, n=RUNS["n"])),
            "twice": _time(found.exit.sel(skew=skew, beta=beta, n=2 * RUNS["n"])),
            "y": _thin(found.distance.sel(skew=skew, beta=beta, n=RUNS["n"])),
        }
        for skew in found.skew.values
        for beta in found.beta.values
    ]
    return {"of": RUNS, "t": found.t.values[::EVERY].tolist(), "runs": runs}


def _time(exit_: Any) -> float | None:
    return round(float(exit_), 5) if np.isfinite(exit_) else None


def _thin(y: Any) -> list[float]:
    return [float(f"{v:.5g}") for v in y.values[::EVERY]]


def still(plot: Any, state: dict[str, Any]) -> tuple[Any, str]:
    """Stored distances to the poles over layer-time, a curve for each beta."""
    of = min(table()["runs"], key=lambda run: abs(run["skew"] - state["skew"]))
    runs = [run for run in table()["runs"] if run["skew"] == of["skew"]]
    t = np.array(table()["t"])
    ax = plot.curves(
        t,
        {f"β = {run['beta']:g}": np.array(run["y"]) for run in runs},
        {"0.2": np.full(len(t), 0.2)},
        y_name="chordal $W_2$ to the poles",
    )
    exits = ", ".join(f"{run['exit']:.2f}" for run in runs if run["exit"] is not None)
    return ax, (
        f"Distance to the poles over layer-time for {len(runs)} inverse temperatures, "
        f"each twice the last: it falls, waits and rises; the exits are at {exits}."
    )
