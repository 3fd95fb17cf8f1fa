r"""The numerical experiments of the first paper, run again: tokens under many heads.

Descent heads :math:`D_h` at beta = 1, equal masses, softmax; Euler steps with a
normalisation, as in the public code.  A *layout* says how the heads move:

``"ou"``
    Ornstein-Uhlenbeck noise with g^2 = 2 around the identity (Euler-Maruyama).
``"spread"``, ``"common"``
    Oscillating targets, head h at the phase 2 pi h / H (the code's), or all at one.

``python -m tfdynlib.experiments`` runs what is in ``PLAN`` and stores it, path by path:
stopped, it goes on where it was.

Source: settings of the public code of :cite:t:`massucco2026multihead`; the numbers
are ours.
"""

import argparse
import datetime
import json
import os
import platform
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from dataclasses import field as default
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import _along, _check, _oscillation, records, sphere, weights
from tfdynlib._along import Course

LAYOUTS = ("ou", "spread", "common")
# Times at which curves are kept.
KEPT = 101
NOISE = 2.0
# Steps of one path: its heads have to fit into the memory.
MOST_STEPS = 10_000_000
# Squares of longer steps are no doubles.
LONGEST = 1e100
CLUMPS, NOISE_OF_TOKENS = 5, 0.05
# Paths of noisy weights that also get Ito's term, and with it a residual.
ACCOUNTS = 2
CURVES = ("slope_squared", "energy", "dissipation", "metric_slope")
RESIDUALS = ("residual_coded", "residual_exact")

Tokens = Float[np.ndarray, "n d"]
Stack = Float[np.ndarray, "H d d"]
Curve = Float[np.ndarray, " m"]


@dataclass(frozen=True)
class Setting:
    """One experiment: layout of the heads, sizes, time, step and seed."""

    layout: str
    d: int
    H: int
    n: int
    T: float = 20.0
    dt: float = 5e-3
    seed: int = 42

    def __post_init__(self) -> None:
        _check.one_of(self.layout, LAYOUTS, "layout")
        _check.count(self.d, "d", 2)
        for name in ("H", "n"):
            _check.count(getattr(self, name), name)
        for name in ("T", "dt"):
            if _check.positive(getattr(self, name), name) > LONGEST:
                raise _check.refuse(name, f"up to {LONGEST:g}", getattr(self, name))
        _check.count(self.seed, "seed", 0)
        if self.T / MOST_STEPS > self.dt:
            raise _check.refuse("T", f"at most {MOST_STEPS:g} dt", f"{self.T:g}")

    @property
    def steps(self) -> int:
        """Number of steps, a multiple of the number of kept intervals."""
        rough = self.T / self.dt / (KEPT - 1)
        return max(1, round(rough)) * (KEPT - 1)

    @property
    def pairs(self) -> float:
        """Exponentials of one path."""
        return float(self.steps * self.H * self.n**2)


def start(d: int, n: int, rng: np.random.Generator) -> Tokens:
    """Tokens of the experiments.

    d = 2: five clumps at the angles 2 pi k / 5, with Gaussian noise of size 0.05 on the
    angle.  Above: near one of the 2 d unit vectors of the axes, each chosen at random,
    with Gaussian noise of size 0.05 on each coordinate, and back onto the sphere.
    """
    d, n, rng = _check.count(d, "d", 2), _check.count(n, "n"), _check.generator(rng)
    if d == 2:
        angle = 2 * np.pi * (np.arange(n) % CLUMPS) / CLUMPS
        angle = angle + NOISE_OF_TOKENS * rng.standard_normal(n)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    axes = np.concatenate([np.eye(d), -np.eye(d)])
    noise = NOISE_OF_TOKENS * rng.standard_normal((n, d))
    return sphere.retract(axes[rng.integers(2 * d, size=n)] + noise)


def tokens(setting: Setting) -> Tokens:
    """The tokens of a setting at layer-time 0, the same for all H and layouts."""
    rng = np.random.default_rng([_setting(setting).seed, setting.d])
    return start(setting.d, setting.n, rng)


def first_heads(setting: Setting) -> Stack:
    """D_h(0) = Z + Z^T, the same for all paths and layouts."""
    rng = np.random.default_rng([_setting(setting).seed, setting.d, setting.H])
    Z = rng.standard_normal((setting.H, setting.d, setting.d))
    return Z + Z.swapaxes(1, 2)


def course(setting: Setting, path: int = 0, account: bool = True) -> Course:
    """One path of a setting, with everything that is measured at every step.

    ``path`` counts the samples of noisy weights.  ``account=False`` leaves Ito's term
    out, without which the residual of noisy weights means nothing; it halves the time.
    """
    _setting(setting)
    path = _check.count(path, "path", 0)
    _check.instance(account, bool, "account", "True or False")
    t = np.linspace(0, setting.T, setting.steps + 1)
    D0, H, d = first_heads(setting), setting.H, setting.d
    if setting.layout == "ou":
        # One more than the path: seeds do not see a zero at their end.
        rng = np.random.default_rng([setting.seed, d, H, path + 1])
        sample = weights.ornstein_uhlenbeck(D0, t, rng, NOISE, method="euler").sample
        assert sample is not None
        D = sample.D
    else:
        D = _oscillating(D0, t, setting.layout == "spread")
    noise = NOISE if setting.layout == "ou" and account else 0.0
    every = setting.steps // (KEPT - 1)
    return _along.follow(tokens(setting), D, float(t[1]), noise, every)


def _setting(setting: Setting) -> Setting:
    return _check.instance(setting, Setting, "setting", "an experiments.Setting")


def _oscillating(D0: Stack, t: Curve, spread: bool) -> Float[np.ndarray, "m H d d"]:
    """``weights.oscillating`` at all times at once."""
    H, d = D0.shape[:2]
    target, angle = _oscillation.target(d), _oscillation.phases(H, spread)
    transient = D0 - target.response(angle)
    periodic = target.response((t[:, None] + angle).ravel())
    return np.exp(-t)[:, None, None, None] * transient + periodic.reshape(-1, H, d, d)


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
        """Its standard error, from the spread over paths; 0 if nothing is random, nan
        (unknown) for a single random path."""
        if self.setting.layout != "ou":
            return 0.0
        return _standard_error(self.late)

    def __repr__(self) -> str:
        s = self.setting
        return (
            f"Run({s.layout}, d={s.d}, n={s.n}, H={s.H}, {self.paths} paths: late "
            f"G^2 {self.late_mean:.4g} +- {self.late_error:.1g})"
        )

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
        return float("nan")
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
    account = _setting(setting).layout != "ou" or path < ACCOUNTS
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
    paths = _check.count(paths, "paths") if _setting(setting).layout == "ou" else 1
    out = one(setting)
    for path in range(1, paths):
        out = join(out, one(setting, path))
    return out


@dataclass(frozen=True)
class Power:
    """A fit a H^b: the exponent, half of its 95% interval, and the factor."""

    exponent: float
    half_width: float
    factor: float

    def __str__(self) -> str:
        return f"{self.exponent:.3f} ± {self.half_width:.3f}"


def _runs(runs: Iterable[Run]) -> list[Run]:
    """A list of runs."""
    wanted = "a list of Runs (see experiments.run)"
    found = list(_check.instance(runs, Iterable, "runs", wanted))
    return [_check.instance(r, Run, "runs", wanted) for r in found]


def fit(runs: Sequence[Run]) -> Power:
    """The late means against H as a H^b, weighed by their standard errors.

    The interval is 1.96 standard errors, those of the means carried to the exponent:
    the error of the samples, not that of the model.  If the errors of some means are
    0 or unknown all weigh the same, and the interval is nan.
    """
    runs = _runs(runs)
    if len({r.setting.H for r in runs}) < 2:
        raise _check.refuse("runs", "of two numbers of heads or more", len(runs))
    H = np.log([float(r.setting.H) for r in runs])
    mean = np.array([r.late_mean for r in runs])
    relative = np.array([r.late_error for r in runs]) / mean
    known = bool(np.all(np.isfinite(relative) & (relative > 0)))
    weight = 1 / relative**2 if known else np.ones(len(runs))
    weight = weight / weight.sum()
    centre, level = weight @ H, weight @ np.log(mean)
    along = weight * (H - centre) / (weight @ (H - centre) ** 2)
    b = float(along @ np.log(mean))
    half = 1.96 * float(np.sqrt(along**2 @ relative**2)) if known else float("nan")
    return Power(b, half, float(np.exp(level - b * centre)))


def plan() -> Iterator[tuple[Setting, int]]:
    """Settings of the paper and their numbers of paths, the quick ones first.

    On the two-sphere three and thirty heads stand between those of the paper, and
    oscillating weights also have two, three and four, where the answer changes.
    """
    todo = []
    sizes = {2: (100, (1, 5, 20), 10), 3: (200, (1, 10, 100), 100)}
    sizes[5] = (200, (1, 10, 100), 20)
    for d, (n, heads, paths) in sizes.items():
        for layout in LAYOUTS:
            count = paths if layout == "ou" else 1
            todo += [(Setting(layout, d, H, n), count) for H in heads]
    todo += [(Setting("ou", 3, H, 200), 100) for H in (3, 30)]
    todo += [(Setting("spread", 3, H, 200), 1) for H in (2, 3, 4)]
    yield from sorted(todo, key=lambda job: job[0].pairs * job[1])


def stored(file: str | Path | None = None) -> list[Run]:
    """The runs in a file; those that the book shows if none is given."""
    record = records.read(file) if file else records.published("heads")
    return [from_stored(dict(found)) for found in record.runs]


def select(runs: Iterable[Run], layout: str, d: int) -> list[Run]:
    """The runs of one layout and dimension, by their number of heads."""
    _check.one_of(layout, LAYOUTS, "layout")
    d = _check.count(d, "d")
    found = [r for r in _runs(runs) if (r.setting.layout, r.setting.d) == (layout, d)]
    return sorted(found, key=lambda r: r.setting.H)


@dataclass(frozen=True)
class Overview:
    """What was run, for how long, and what came out, one row a setting."""

    rows: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return records.as_text(TITLE, HEAD, self.rows)

    def _repr_html_(self) -> str:
        """The table for a page."""
        return records.as_html(TITLE, HEAD, self.rows)


TITLE = "Late mean of G² over paths, and residuals at the end"
HEAD = ("layout", "d", "n", "H", "paths", "CPU, s", "late G²", "G² booked", "exact")


def overview(runs: Iterable[Run]) -> Overview:
    """A table of runs: sizes, time, the late mean of G^2 with its standard error, and
    what the account leaves open if G^2 or the exact dissipation is booked."""
    order = sorted(
        _runs(runs), key=lambda r: (r.setting.d, r.setting.layout, r.setting.H)
    )
    return Overview(tuple(_row(r) for r in order))


def _row(run: Run) -> tuple[str, ...]:
    s, late = run.setting, f"{run.late_mean:.4g}"
    if run.late_error > 0:
        late += f" ± {run.late_error:.1g}"
    ends = [f"{r[-1]:+.4f}" for r in (run.residual_coded, run.residual_exact)]
    sizes = map(str, (s.d, s.n, s.H, run.paths))
    return (s.layout, *sizes, f"{run.seconds:.1f}", late, *ends)


def _write(runs: Collection[Run], file: Path, load: float | None) -> None:
    """All runs as a ``records.Record``; a reader never sees half a file."""
    names = ("tfdynlib", "numpy", "scipy", "numba")
    minutes = sum(r.seconds for r in runs) / 60
    versions: dict[str, str | None] = {name: _version(name) for name in names}
    out = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "processor": records.here().split(",")[0],
        "form": "heads",
        "load": load,
        "versions": {"python": platform.python_version(), **versions},
        "note": f"CPU time of all runs: {minutes:.1f} minutes.",
        "cases": {},
        "runs": [r.stored() for r in runs],
    }
    beside = file.with_suffix(".part")
    lines = json.dumps(out, separators=(",", ":")).replace('{"layout"', '\n{"layout"')
    beside.write_text(lines + "\n", "utf-8")
    beside.replace(file)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="The first paper's experiments, again")
    parser.add_argument("--out", type=Path, default=Path("heads.json"))
    parser.add_argument(
        "--pairs",
        type=float,
        default=np.inf,
        help="most pairs of tokens in all paths of one setting; a pair takes about a "
        "nanosecond.  At least four paths of noisy weights are run.",
    )
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    done = {r.setting: r for r in stored(options.out)} if options.out.exists() else {}
    for setting, paths in plan():
        wanted = int(min(paths, max(4, options.pairs / setting.pairs)))
        while setting not in done or done[setting].paths < wanted:
            before = done.get(setting)
            began = time.monotonic()
            while True:  # a few seconds between two writes
                first = before.paths if before else 0
                found = one(setting, first)
                before = join(before, found) if before else found
                if before.paths >= wanted or time.monotonic() - began > 20:
                    break
            done[setting] = before
            _write(done.values(), options.out, load)
        print(done[setting], flush=True)


if __name__ == "__main__":
    main()
