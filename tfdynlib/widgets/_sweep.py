"""Stored runs over the number of heads, thinned for the figure ``paths``."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from tfdynlib import records

NAME = "heads"
POINTS = 60  # of a stored curve that travel with the page
KEPT = ("layout", "H", "n", "late_mean", "late_error")


@cache
def stored_runs() -> tuple[dict[str, Any], ...]:
    """Each stored run with its curve at about sixty times; empty if none is stored."""
    file = records.STORED / f"{NAME}.json"
    if not file.is_file():
        return ()
    found = json.loads(file.read_text("utf-8"))
    return tuple(_thin(run) for run in _runs(found))


def _runs(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The runs on the sphere S^2: of the file, or of its one case."""
    places = (found, found.get("cases", {}), *found.get("cases", {}).values())
    runs = next(p["runs"] for p in places if isinstance(p, Mapping) and "runs" in p)
    return [run for run in runs if run["d"] == 3]


def _thin(run: Mapping[str, Any]) -> dict[str, Any]:
    every = slice(None, None, max(1, len(run["t"]) // POINTS))
    curve = {
        key: [float(f"{v:.4g}") for v in run[key][every]]
        for key in ("t", "slope_squared")
    }
    return {key: run[key] for key in KEPT} | curve
