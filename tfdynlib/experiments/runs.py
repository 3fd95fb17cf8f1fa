"""Means over paths: a run of one setting, and two runs as one."""

import time
from dataclasses import dataclass, fields, replace
from dataclasses import field as default
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib.experiments.settings import KEPT, Curve, Setting, checked, course

# Paths of noisy weights that also get Ito's term, and with it a residual.
ACCOUNTS = 2
CURVES = ("slope_squared", "energy", "dissipation", "metric_slope")
RESIDUALS = ("residual_coded", "residual_exact")


@dataclass(frozen=True, repr=False)
class Run:
    """Means over the paths of one setting, at the times t.

    Attributes
    ----------
    setting, paths, seconds
        What was run, how many samples of the weights, and the CPU time of all.
    t
        Times of the curves.
    slope_squared
        What the first paper's code calls G^2 and its figures show: the squared length
        of the velocity in the metric of the heads (``energy.action``).
    spread
        Standard error of ``slope_squared`` over paths; 0 if nothing is random.
    energy, dissipation, metric_slope
        Interaction energy; its exact rate of fall along softmax
        (``energy.dissipation``); its squared metric slope (``energy.slope_squared``).
    late
        Mean of G^2 over the second half of the time, one for each path.
    accounts
        Over how many paths residuals are means.
    residual_coded, residual_exact
        What the account of the energy leaves open if G^2 is booked as loss, as in the
        code, or the exact dissipation.
    """

    setting: Setting
    paths: int
    seconds: float
    t: Curve
    slope_squared: Curve
    spread: Curve
    energy: Curve
    dissipation: Curve
    metric_slope: Curve
    late: Float[np.ndarray, " p"]
    accounts: int
    residual_coded: Curve = default(repr=False)
    residual_exact: Curve = default(repr=False)

    @property
    def late_mean(self) -> float:
        """Mean of G^2 over paths and the second half of the time."""
        return float(np.mean(self.late))

    @property
    def late_error(self) -> float:
        """Its standard error, from the spread over paths; 0 if nothing is random, inf
        for a single random path: nothing is known of it."""
        if self.setting.layout != "ou":
            return 0.0
        return _standard_error(self.late)

    def __repr__(self) -> str:
        s, error = self.setting, self.late_error
        paths = "one path" if self.paths == 1 else f"{self.paths} paths"
        known = f" +- {error:.1g}" if np.isfinite(error) else ""
        late = f"{self.late_mean:.4g}{known}"
        return f"Run({s.layout}, d={s.d}, n={s.n}, H={s.H}, {paths}: late G^2 {late})"

    def stored(self) -> dict[str, Any]:
        """This run as a dictionary of plain numbers, six digits each."""
        s = self.setting
        out: dict[str, Any] = {f.name: getattr(s, f.name) for f in fields(s)}
        out["paths"], out["seconds"] = self.paths, round(self.seconds, 2)
        out["late_mean"] = self.late_mean
        out["late_error"] = self.late_error if self.paths > 1 else 0.0
        out["accounts"] = self.accounts
        for name in ("t", *CURVES, "spread", *RESIDUALS, "late"):
            out[name] = [float(f"{v:.6g}") for v in getattr(self, name)]
        return out


def _standard_error(values: Float[np.ndarray, " p"]) -> float:
    if len(values) < 2:
        return float("inf")
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def from_stored(found: dict[str, Any]) -> Run:
    """A run from the dictionary of ``Run.stored``."""
    curves = ("t", *CURVES, "spread", *RESIDUALS, "late")
    plain = ("paths", "seconds", "accounts")
    _check.instance(found, dict, "found", "a dictionary (see Run.stored)")
    for name in (*(f.name for f in fields(Setting)), *curves, *plain):
        if name not in found:
            raise _check.refuse("found", "as Run.stored makes it", f"no {name}")
    setting = Setting(**{f.name: found[f.name] for f in fields(Setting)})
    numbers: dict[str, Any] = {name: np.array(found[name], float) for name in curves}
    numbers |= {name: found[name] for name in plain}
    return Run(setting, **numbers)


def one(setting: Setting, path: int = 0) -> Run:
    """One path as a run."""
    path = _check.count(path, "path", 0)
    account = checked(setting).layout != "ou" or path < ACCOUNTS
    began = time.process_time()
    found = course(setting, path, account)
    seconds = time.process_time() - began
    every = setting.steps // (KEPT - 1)
    late = found.action[setting.steps // 2 :].mean()
    nothing = np.zeros(KEPT)
    pair = (found.action, found.lost) if account else ()
    residuals = [found.residual(booked)[::every] for booked in pair]
    return Run(
        setting,
        1,
        seconds,
        found.t[::every],
        found.action[::every],
        nothing,
        found.energy[::every],
        found.lost[::every],
        found.slope[::every],
        np.array([late]),
        int(account),
        *(residuals or (nothing, nothing)),
    )


def join(a: Run, b: Run) -> Run:
    """Both runs of one setting as one, as if their paths had been run together."""
    for name, value in (("a", a), ("b", b)):
        _check.instance(value, Run, name, "a Run (see experiments.run)")
    if a.setting != b.setting:
        raise _check.refuse("b", f"of the setting {a.setting}", b.setting)
    paths, accounts = a.paths + b.paths, a.accounts + b.accounts

    def mean(name: str) -> Curve:
        p, q = (a.accounts, b.accounts) if name in RESIDUALS else (a.paths, b.paths)
        mixed = (p * getattr(a, name) + q * getattr(b, name)) / max(p + q, 1)
        return np.asarray(mixed)

    means: dict[str, Any] = {name: mean(name) for name in (*CURVES, *RESIDUALS)}
    # Sums of squares about each mean, and that between the two means.
    squares = a.paths * b.paths / paths * (a.slope_squared - b.slope_squared) ** 2
    for run in (a, b):
        squares = squares + run.spread**2 * run.paths * (run.paths - 1)
    return replace(
        a,
        paths=paths,
        seconds=a.seconds + b.seconds,
        spread=np.sqrt(squares / (paths * (paths - 1))),
        late=np.concatenate([a.late, b.late]),
        accounts=accounts,
        **means,
    )


def run(setting: Setting, paths: int = 1) -> Run:
    """A setting, mean over samples of its weights; oscillating ones have one path."""
    paths = _check.count(paths, "paths") if checked(setting).layout == "ou" else 1
    out = one(setting)
    for path in range(1, paths):
        out = join(out, one(setting, path))
    return out
