"""Softmax with the exponentials as they are written, in single and double precision."""

from typing import Any

import numpy as np

from tfdynlib._circle import points

THETA = np.deg2rad([65.0, 90.0, 105.0])
COMPARED = (1.0, 10.0, 80.0, 120.0, 700.0, 1000.0, 2000.0)  # none near an end
LOST = -1.0  # stands for a weight that is no number
DTYPES = {"single": np.float32, "double": np.float64}


def exponentials(state: dict[str, Any], beta: float, out: bool = False) -> np.ndarray:
    """Exponentials of the scores; with ``out`` the largest is taken out first.

    Each is that of double precision, rounded: NumPy's own of single ones may be off in
    its last digit.
    """
    real = DTYPES[state["precision"]]
    x, p = (points(np.atleast_1d(a)).astype(real) for a in (THETA, state["look"]))
    s = (x * p).sum(axis=1)
    exponents = (real(beta) * (s - s.max() if out else s)).astype(float)
    with np.errstate(over="ignore"):
        return np.exp(exponents).astype(real)


def weights_of(state: dict[str, Any], beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the three tokens, naive and cured."""
    with np.errstate(over="ignore", invalid="ignore"):
        both = (exponentials(state, beta, out) for out in (False, True))
        naive, cured = (e / e.sum() for e in both)
    return naive.astype(float), cured.astype(float)


def numbers(state: dict[str, Any]) -> np.ndarray:
    """Weights at a few inverse temperatures, naive and cured."""
    rows = np.array([weights_of(state, beta) for beta in COMPARED])
    return np.where(np.isnan(rows), LOST, rows).ravel()


def still(plot: Any, state: dict[str, Any]) -> tuple[Any, str]:
    """Logarithm of the sum against the inverse temperature, as far as it is one."""
    beta, runs = np.geomspace(0.1, 2000.0, 400), {}
    for name in ("double", "single"):
        with np.errstate(over="ignore", divide="ignore"):
            kind = {**state, "precision": name}
            z = np.array([exponentials(kind, b).sum() for b in beta])
            runs[name] = np.where(np.isfinite(z) & (z > 0), np.log10(z), np.nan)
    s = np.cos(THETA - state["look"])
    truth = np.logaddexp.reduce(np.outer(s, beta), axis=0) / np.log(10)
    shown = {"truth": np.where(np.abs(truth) < 400, truth, np.nan)}
    ax = plot.curves(
        beta,
        runs,
        shown,
        x_name="inverse temperature $β$",
        x_scale="log",
        y_name="$\\log_{10}$ of the sum",
    )
    double, single = (beta[np.isfinite(y)].max() for y in runs.values())
    return ax, (
        "Logarithm of the sum of exponentials against the inverse temperature, on a "
        f"log axis: a number up to {single:.0f} in single precision and up to "
        f"{double:.0f} in double. The truth is dashed."
    )
