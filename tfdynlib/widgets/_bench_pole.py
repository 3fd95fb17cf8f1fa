"""Euler's method on ds/dt = 2 s^2 from s = 1, which has a wall at t = 1/2."""

from typing import Any

import numpy as np

from tfdynlib import flow

PARTS = (1, 2, 5)  # the step, and what it is divided by
WALL, END = 0.5, 0.52
HIGHEST = 4000.0  # of the picture


def walked(dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and variances after each step up to the end, behind the wall too."""
    times = dt * np.arange(int((END + 1e-9) / dt) + 1)
    run = flow.solve(
        lambda t, s: 2 * s**2, np.ones((1, 1)), times, "euler", space="euclidean"
    )
    return times, run.x[:, 0, 0]


def numbers(state: dict[str, Any]) -> np.ndarray:
    """Logarithms of what all three runs have."""
    return np.log(np.concatenate([walked(state["dt"] / k)[1] for k in PARTS]))


def still(plot: Any, state: dict[str, Any]) -> tuple[Any, str]:
    """Three runs and the truth against layer-time."""
    t = np.linspace(0.3, END, 441)
    runs = {}
    for k in PARTS:
        times, s = walked(state["dt"] / k)
        y = s[np.searchsorted(times, t + 1e-9, side="right") - 1]
        runs[f"steps of {state['dt'] / k:g}"] = np.where(y < HIGHEST, y, np.nan)
    truth = 1 / (1 - 2 * np.minimum(t, WALL - 1e-9))
    dashed = {"truth": np.where(truth < HIGHEST, truth, np.nan)}
    ax = plot.curves(t, runs, dashed, y_name="variance", y_scale="log")
    return ax, (
        "Variance against layer-time on a log axis by Euler's method with three sizes "
        "of step, and the truth, dashed, which rises to a wall at one half. All three "
        "go on behind the wall and differ."
    )
