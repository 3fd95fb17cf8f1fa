"""What is run: settings, tokens and heads of the experiments, and one path."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tfdynlib import _along, _check, _circle, _oscillation, sphere, weights
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
        return _circle.points(angle)
    axes = np.concatenate([np.eye(d), -np.eye(d)])
    noise = NOISE_OF_TOKENS * rng.standard_normal((n, d))
    return sphere.retract(axes[rng.integers(2 * d, size=n)] + noise)


def tokens(setting: Setting) -> Tokens:
    """The tokens of a setting at layer-time 0, the same for all H and layouts."""
    rng = np.random.default_rng([checked(setting).seed, setting.d])
    return start(setting.d, setting.n, rng)


def first_heads(setting: Setting) -> Stack:
    """D_h(0) = Z + Z^T, the same for all paths and layouts."""
    rng = np.random.default_rng([checked(setting).seed, setting.d, setting.H])
    Z = rng.standard_normal((setting.H, setting.d, setting.d))
    return Z + Z.swapaxes(1, 2)


def course(setting: Setting, path: int = 0, account: bool = True) -> Course:
    """One path of a setting, with everything that is measured at every step.

    ``path`` counts the samples of noisy weights.  ``account=False`` leaves Ito's term
    out, without which the residual of noisy weights means nothing; it halves the time.
    """
    checked(setting)
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


def checked(setting: Setting) -> Setting:
    """The setting, if it is one."""
    return _check.instance(setting, Setting, "setting", "an experiments.Setting")


def _oscillating(D0: Stack, t: Curve, spread: bool) -> Float[np.ndarray, "m H d d"]:
    """``weights.oscillating`` at all times at once."""
    H, d = D0.shape[:2]
    target, angle = _oscillation.target(d), _oscillation.phases(H, spread)
    transient = D0 - target.response(angle)
    periodic = target.response((t[:, None] + angle).ravel())
    return np.exp(-t)[:, None, None, None] * transient + periodic.reshape(-1, H, d, d)
