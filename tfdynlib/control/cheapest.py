r"""The cheapest weights between two Gaussians, by direct transcription.

Weights are constant on pieces of equal length.  Unknown are the weights of each piece
and the moments at the inner edges; each piece is one constraint: the moments at its
end, integrated from its beginning, are those at the next edge (multiple shooting).  The
cost is a sum of squares.  The steps of the integrator are differentiated backwards, so
gradients are those of the constraints themselves.

The constraints are curved: what the solver finds is stationary, not the least of all.
"""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.control._shooting import run, run_back, seeds
from tfdynlib.control.arrival import Arrival, verify
from tfdynlib.control.cost import weight_cost
from tfdynlib.control.ranks import pair, reachable
from tfdynlib.control.steering import METHODS, steer
from tfdynlib.gaussian import Gaussian, Layer, LayerPath, piecewise, solve

WEIGHTS = ("all", "feedforward", "attention")
# Steps of order 8: so many in each piece at least, and so many in all.
STEPS, ALL_STEPS = 3, 16
# What the end may miss, by ``verify``: the error of these steps.
MISSED = 1e-6
# A slope of the cost below this costs eight digits of it at most.
SETTLED = 1e-4
# Size of what is added to the first guess.
NUDGE = 0.05
# Moments of a trial beyond this, in units of the larger cloud, are cut off there.
FAR = 1e8
# More unknowns than this take minutes.
LARGEST = 400
# Widths that the solver takes; lengths of the way are one, or the like.
WIDEST = 1e4
ITERATIONS = 400

Stack = Float[np.ndarray, "K _ _"]


@dataclass(frozen=True)
class Cheapest:
    """A path that costs little, and how much less than others.

    Attributes
    ----------
    path, cost
        Weights, constant on pieces, and their ``weight_cost``.
    status
        ``"stationary"`` (no small change of the weights that still arrives costs less,
        to first order); ``"not settled"`` (the solver stopped before: the path
        arrives, but costs too much); ``"missed"`` (the end, integrated with care, is
        not the target: more pieces are needed).
    slope
        Part of the slope of the cost that the constraints do not hold back, relative;
        the cost lies above that of the stationary point by about its square.
    gap
        By name of a method of ``steer``: its cost less this one.
    arrival
        See ``verify``.
    """

    path: LayerPath = field(repr=False)
    cost: float
    status: str
    slope: float
    gap: dict[str, float]
    arrival: Arrival = field(repr=False)


def cheapest(
    start: Gaussian,
    target: Gaussian,
    t_end: Number = 1.0,
    pieces: int = 8,
    weights: str = "all",
) -> Cheapest:
    r"""Weights of little :math:`\int|A|^2+|B|^2+|V|^2+|b|^2dt` from start to target.

    ``weights`` are those that may differ from zero: ``"all"``, ``"feedforward"`` (A and
    b) or ``"attention"`` (B, V and b).  The solver is SciPy's SLSQP, started from the
    constant controls of ``steer`` that fit; the cheapest that arrives counts.  Pieces
    cut in two can only cost less.

    Raises ``ValueError`` if the target is not reachable or of less than full rank (the
    constraints of a thin cloud depend on each other), for clouds wider than 1e4 or
    narrower than 1e-4, and for more than 400 unknowns.
    """
    d = pair(start, target)
    T = _check.moderate(t_end, "t_end")
    _check.one_of(weights, WEIGHTS, "weights")
    reach = reachable(start, target)
    if not reach or start.rank < d:
        why = reach.reason if not reach else f"both fill {start.rank} of {d} dimensions"
        raise ValueError(f"target must be reachable, and of full rank: {why}")
    _refuse_extremes(start, target)
    program = _Program(start, target, T, _check.count(pieces, "pieces"), weights)
    runs = [program.solve(guess) for guess in program.guesses()]
    arrivals = [verify(program.path(z), start, target, MISSED) for z in runs]
    order = sorted(
        range(len(runs)), key=lambda k: (not arrivals[k], program.cost(runs[k])[0])
    )
    best, arrival = runs[order[0]], arrivals[order[0]]
    path = program.path(best)
    cost = weight_cost(path)
    gap = {
        method: weight_cost(steer(start, target, T, method)) - cost
        for method in METHODS
    }
    slope = program.slope_left(best)
    status = "stationary" if slope <= SETTLED else "not settled"
    return Cheapest(path, cost, status if arrival else "missed", slope, gap, arrival)


def _refuse_extremes(start: Gaussian, target: Gaussian) -> None:
    """Refuse what is beyond the units of the solver."""
    for g, name in ((start, "start"), (target, "target")):
        widths = np.linalg.svd(g.factor, compute_uv=False)
        far = max(widths[0], float(np.abs(g.mean).max()))
        if far > WIDEST or widths[-1] < 1 / WIDEST:
            wanted = (
                f"of widths from {1 / WIDEST:g} to {WIDEST:g}, and a mean up to that"
            )
            came = f"widths from {widths[-1]:.3g}, and up to {far:.3g}"
            raise _check.refuse(name, wanted, came)


class _Program:
    """The optimisation problem in the units of the solver.

    Weights are stored as w = u sqrt(2 h), so that the cost has the identity as second
    derivative; moments in units of the larger cloud.
    """

    def __init__(
        self, start: Gaussian, target: Gaussian, T: float, K: int, weights: str
    ):
        self.start, self.target, self.T, self.K = start, target, T, K
        self.d, self.h = start.d, T / K
        self.steps = max(STEPS, -(-ALL_STEPS // K))
        d = self.d
        self.rows, self.columns = np.triu_indices(d)
        self.c = d + len(self.rows)  # numbers that make a Gaussian
        sizes = {"A": d * d, "B": d * d, "V": d * d, "b": d}
        free = {"all": "ABVb", "feedforward": "Ab", "attention": "BVb"}[weights]
        self.sizes, self.free, self.kind = sizes, free, weights
        self.n_u = sum(sizes[name] for name in free)
        self.n = K * self.n_u + (K - 1) * self.c
        if self.n > LARGEST:
            wanted = f"few enough for {LARGEST} unknowns in dimension {d}"
            raise _check.refuse("pieces", wanted, f"{K} ({self.n} unknowns)")
        self.scale = max(1.0, *(float(np.abs(self.flat(g)).max()) for g in self.ends))
        self.unit = np.sqrt(2 * self.h)
        self.seeds = seeds(d, self.rows, self.columns)

    @property
    def ends(self) -> tuple[Gaussian, Gaussian]:
        return self.start, self.target

    def flat(self, g: Gaussian) -> np.ndarray:
        return np.concatenate([g.mean, g.cov[self.rows, self.columns]])

    # ------------------------------------------------------- unknowns and paths

    def split(self, z: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Weights of each piece, and the moments at all edges, (K + 1, c)."""
        K, d = self.K, self.d
        u = z[: K * self.n_u].reshape(K, self.n_u) / self.unit
        out, k = {}, 0
        for name, size in self.sizes.items():
            shape = (K, d) if name == "b" else (K, d, d)
            out[name] = np.zeros(shape)
            if name in self.free:
                out[name] = u[:, k : k + size].reshape(shape)
                k += size
        inner = z[K * self.n_u :].reshape(K - 1, self.c) * self.scale
        ends = self.flat(self.start), self.flat(self.target)
        return out, np.vstack([ends[0], inner, ends[1]])

    def path(self, z: np.ndarray) -> LayerPath:
        u, _ = self.split(z)
        layers = [
            Layer(u["A"][k], u["B"][k], u["V"][k], u["b"][k]) for k in range(self.K)
        ]
        return piecewise(layers, np.linspace(0, self.T, self.K + 1))

    def guesses(self) -> list[np.ndarray]:
        """Constant controls that arrive, cut in pieces; b of attention at midpoints."""
        start, target, T = self.start, self.target, self.T
        out = []
        if self.kind != "attention":
            # Pushed aside: it is stationary without attention, and maybe a saddle.
            out.append(self.guess(steer(start, target, T), NUDGE))
        if self.kind != "feedforward":
            out.append(self.guess(steer(start, target, T, "attention", self.slope())))
        return out

    def slope(self) -> float:
        """The v > 0 at which V = vI and B of ``steer`` cost least."""
        B = steer(self.start, self.target, self.T, "attention")(0).B
        balanced = np.sqrt(np.linalg.norm(B) / np.sqrt(self.d))
        return float(balanced) if balanced > 0 else 1.0

    def guess(self, path: LayerPath, nudge: float = 0.0) -> np.ndarray:
        """The weights at midpoints of the pieces, and the moments along the path."""
        t = np.linspace(0, self.T, self.K + 1)
        layers = [path(s) for s in (t[1:] + t[:-1]) / 2]
        moments = solve(path, self.start, t)
        inner = [self.flat(moments.at(k)) for k in range(1, self.K)]
        same, skew = nudge * np.eye(self.d), np.triu(np.full((self.d,) * 2, nudge), 1)
        u = []
        for layer in layers:
            whole = {"A": layer.A + skew - skew.T, "B": layer.B + same}
            whole |= {"V": layer.V + same, "b": layer.b}
            u.append(np.concatenate([whole[name].ravel() for name in self.free]))
        parts = [np.ravel(u) * self.unit, np.ravel(inner) / self.scale]
        return np.concatenate(parts)

    # ------------------------------------------------------------- constraints

    def cost(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        w = z[: self.K * self.n_u]
        slope = np.concatenate([w, np.zeros(self.n - len(w))])
        return float(w @ w / 2), slope

    def begin(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance at the beginning of every piece."""
        S = np.zeros((self.K, self.d, self.d))
        S[:, self.rows, self.columns] = edges[:-1, self.d :]
        S[:, self.columns, self.rows] = edges[:-1, self.d :]
        return edges[:-1, : self.d], S

    def defects(self, z: np.ndarray) -> np.ndarray:
        """What each piece misses, (K c,).

        A trial of the solver may blow up within a piece: it then misses by much.
        """
        u, edges = self.split(z)
        with np.errstate(over="ignore", invalid="ignore"):  # cut off below
            _, (m, S) = run(u, *self.begin(edges), self.h, self.steps)
        reached = np.hstack([m, S[:, self.rows, self.columns]])
        missed = (reached - edges[1:]).ravel() / self.scale
        return np.where(np.abs(missed) < FAR, missed, FAR)

    def jacobian(self, z: np.ndarray) -> np.ndarray:
        """Derivative of the defects, (K c, n)."""
        K, c = self.K, self.c
        u, edges = self.split(z)
        record, _ = run(u, *self.begin(edges), self.h, self.steps)
        (dm, dS), slopes = run_back(u, record, self.h, self.seeds)
        by_u = np.concatenate(
            [slopes[name].reshape(K, c, -1) for name in self.free], axis=2
        )
        twice = np.where(self.rows == self.columns, 1.0, 2.0)
        by_x = np.concatenate([dm, twice * dS[:, :, self.rows, self.columns]], axis=2)
        out, k = np.zeros((K, c, K, self.n_u)), np.arange(K)
        out[k, :, k] = by_u / self.unit / self.scale
        inner = np.zeros((K, c, K + 1, c))
        inner[k, :, k], inner[k, :, k + 1] = by_x, -np.eye(c)
        parts = [out.reshape(K * c, -1), inner[:, :, 1:K].reshape(K * c, -1)]
        return np.hstack(parts)

    def slope_left(self, z: np.ndarray) -> float:
        """What the constraints leave of the slope of the cost, relative."""
        slope = self.cost(z)[1]
        J = self.jacobian(z)
        held = J.T @ np.linalg.lstsq(J.T, slope)[0]
        return float(np.linalg.norm(slope - held) / (np.linalg.norm(slope) or 1.0))

    def solve(self, guess: np.ndarray) -> np.ndarray:
        from scipy.optimize import minimize

        constraint = {"type": "eq", "fun": self.defects, "jac": self.jacobian}
        options = {"maxiter": ITERATIONS, "ftol": 1e-12}
        z = minimize(
            self.cost,
            guess,
            jac=True,
            method="SLSQP",
            constraints=[constraint],
            options=options,
        ).x
        for _ in range(3):  # Newton's steps of least length, back on the constraints
            z = z - np.linalg.lstsq(self.jacobian(z), self.defects(z))[0]
        return z
