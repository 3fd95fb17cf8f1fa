r"""The cheapest weights between two Gaussians, by direct transcription.

Weights are constant on pieces of equal length.  Unknown are the weights of each piece
and the moments at the inner edges; each piece is one constraint: the moments at its
end, integrated from its beginning, are those at the next edge (multiple shooting).  The
cost is a sum of squares.  All pieces are integrated at once with the eighth-order
method of Dormand and Prince, and its steps are differentiated backwards, so gradients
are those of the constraints themselves.

The constraints are curved: what the solver finds is a local minimum.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib._tableaux import Tableau, tableau
from tfdynlib.control.cost import weight_cost
from tfdynlib.control.ranks import pair, reachable
from tfdynlib.control.steering import METHODS, Arrival, steer, verify
from tfdynlib.gaussian import Gaussian, Layer, LayerPath, piecewise

WEIGHTS = ("all", "feedforward", "attention")
# Steps of order 8 in each piece, and what the end may miss after them.
STEPS, MISSED = 2, 1e-6
# More unknowns than this take minutes.
LARGEST = 400
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
        ``"local minimum"`` (the solver's conditions hold); ``"too many steps"`` or
        ``"stuck"`` (it stopped before: a path, but no minimum); ``"missed"`` (the end,
        integrated with care, is not the target: more pieces are needed).
    gap
        By name of a method of ``steer``: its cost less this one.
    arrival
        See ``verify``.
    """

    path: LayerPath = field(repr=False)
    cost: float
    status: str
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
    constant controls of ``steer`` that fit; the best end counts.  More pieces can only
    cost less.

    Raises ``ValueError`` if the target is not reachable or of less than full rank (the
    constraints of a thin cloud depend on each other), and for more than 400 unknowns.
    """
    d = pair(start, target)
    T = _check.positive(t_end, "t_end")
    _check.one_of(weights, WEIGHTS, "weights")
    reach = reachable(start, target)
    if not reach or start.rank < d:
        why = reach.reason if not reach else f"both fill {start.rank} of {d} dimensions"
        raise ValueError(f"target must be reachable, and of full rank: {why}")
    program = _Program(start, target, T, _check.count(pieces, "pieces"), weights)
    runs = [program.solve(guess) for guess in program.guesses()]
    best = min(runs, key=lambda run: (run[2] != "local minimum", run[1]))
    path = program.path(best[0])
    cost = weight_cost(path)
    arrival = verify(path, start, target, MISSED)
    gap = {
        method: weight_cost(steer(start, target, T, method)) - cost
        for method in METHODS
    }
    status = best[2] if arrival else "missed"
    return Cheapest(path, cost, status, gap, arrival)


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
        self.seeds = _seeds(d, self.rows, self.columns)

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
            path = steer(start, target, T)
            # V = B = 0 is a place from which no attention is ever begun.
            out.append(self.guess(path, 0.05 if self.kind == "all" else 0.0))
        if self.kind != "feedforward":
            out.append(self.guess(steer(start, target, T, "attention", self.slope())))
        return out

    def slope(self) -> float:
        """The v > 0 at which V = vI and B of ``steer`` cost least."""
        B = steer(self.start, self.target, self.T, "attention")(0).B
        balanced = np.sqrt(np.linalg.norm(B) / np.sqrt(self.d))
        return float(balanced) if balanced > 0 else 1.0

    def guess(self, path: LayerPath, attention: float = 0.0) -> np.ndarray:
        t = np.linspace(0, self.T, self.K + 1)
        layers = [path(s) for s in (t[1:] + t[:-1]) / 2]
        moments = verify(path, self.start, self.target).moments
        inner = np.zeros((self.K - 1, self.c))
        if self.K > 1:
            from tfdynlib.gaussian import solve

            moments = solve(path, self.start, t)
            inner = np.stack([self.flat(moments.at(k)) for k in range(1, self.K)])
        nudge = attention * np.eye(self.d)
        u = []
        for layer in layers:
            whole = {"A": layer.A, "B": layer.B + nudge, "V": layer.V + nudge}
            whole["b"] = layer.b
            u.append(np.concatenate([whole[name].ravel() for name in self.free]))
        parts = [np.ravel(u) * self.unit, inner.ravel() / self.scale]
        return np.concatenate(parts)

    # ------------------------------------------------------------- constraints

    def cost(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        w = z[: self.K * self.n_u]
        slope = np.concatenate([w, np.zeros(self.n - len(w))])
        return float(w @ w / 2), slope

    def defects(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each piece misses, (K c,), and its derivative, (K c, n)."""
        K, c, d = self.K, self.c, self.d
        u, edges = self.split(z)
        first = edges[:-1]
        S = np.zeros((K, d, d))
        S[:, self.rows, self.columns] = first[:, d:]
        S[:, self.columns, self.rows] = first[:, d:]
        end, slopes, by_state = _shoot(u, first[:, :d], S, self.h, self.seeds)
        mean, cov = end
        reached = np.hstack([mean, cov[:, self.rows, self.columns]])
        jacobian = np.zeros((K, c, self.n))
        by_u = np.concatenate(
            [slopes[name].reshape(K, c, -1) for name in self.free], axis=2
        )
        dm, dS = by_state
        twice = np.where(self.rows == self.columns, 1.0, 2.0)
        by_x = np.concatenate([dm, twice * dS[:, :, self.rows, self.columns]], axis=2)
        offset = K * self.n_u
        for k in range(K):
            jacobian[k, :, k * self.n_u : (k + 1) * self.n_u] = by_u[k] / self.unit
            if k > 0:
                at = offset + (k - 1) * c
                jacobian[k, :, at : at + c] = by_x[k] * self.scale
            if k < K - 1:
                at = offset + k * c
                jacobian[k, :, at : at + c] -= self.scale * np.eye(c)
        missed = (reached - edges[1:]).ravel() / self.scale
        return missed, jacobian.reshape(K * c, self.n) / self.scale

    def solve(self, guess: np.ndarray) -> tuple[np.ndarray, float, str]:
        from scipy.optimize import minimize

        memory: dict[bytes, Any] = {}

        def both(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            key = z.tobytes()
            if key not in memory:
                memory.clear()
                memory[key] = self.defects(z)
            return memory[key]

        constraint = {
            "type": "eq",
            "fun": lambda z: both(z)[0],
            "jac": lambda z: both(z)[1],
        }
        options = {"maxiter": ITERATIONS, "ftol": 1e-11}
        run = minimize(
            self.cost,
            guess,
            jac=True,
            method="SLSQP",
            constraints=[constraint],
            options=options,
        )
        words = {0: "local minimum", 9: "too many steps"}
        return run.x, float(run.fun), words.get(run.status, "stuck")


# ----------------------------------------------- all pieces at once, and backwards


def _seeds(d: int, rows: np.ndarray, columns: np.ndarray) -> tuple:
    """Gradients of the numbers that make a Gaussian: by mean, and by covariance."""
    c = d + len(rows)
    by_mean, by_cov = np.zeros((c, d)), np.zeros((c, d, d))
    by_mean[:d] = np.eye(d)
    k = np.arange(d, c)
    by_cov[k, rows, columns] += 0.5
    by_cov[k, columns, rows] += 0.5
    return by_mean, by_cov


def _rate(u: dict[str, np.ndarray], m: np.ndarray, S: np.ndarray) -> tuple:
    """m' and Sigma' of every piece."""
    J = u["A"] + u["V"] @ S @ u["B"]
    JS = J @ S
    new = np.einsum("kij,kj->ki", J + u["V"], m) + u["b"]
    return new, JS + JS.swapaxes(1, 2)


def _pull_back(u: dict, m: np.ndarray, S: np.ndarray, lam: Any, Lam: Any) -> tuple:
    """Gradients of <lam, m'> + <Lam, Sigma'> by m, by Sigma and by the weights.

    lam is (K, c, d), Lam (K, c, d, d) and symmetric.
    """
    A, B, V = (u[name][:, None] for name in "ABV")
    S, m = S[:, None], m[:, None]
    VS = V @ S
    J = A + VS @ B
    outer = lam[..., :, None] * m[..., None, :]
    by_J = 2 * Lam @ S + outer
    by_V = by_J @ (S @ B).swapaxes(2, 3) + outer
    by_B = VS.swapaxes(2, 3) @ by_J
    moved = Lam @ J
    inner = V.swapaxes(2, 3) @ by_J @ B.swapaxes(2, 3)
    by_S = moved + moved.swapaxes(2, 3) + (inner + inner.swapaxes(2, 3)) / 2
    by_m = ((J + V).swapaxes(2, 3) @ lam[..., None])[..., 0]
    return by_m, by_S, {"A": by_J, "B": by_B, "V": by_V, "b": lam}


def _shoot(
    u: dict[str, np.ndarray], m: np.ndarray, S: np.ndarray, h: float, seeds: tuple
) -> tuple[tuple, dict[str, np.ndarray], tuple]:
    """Moments at the end of every piece, and their gradients by what began it."""
    table = tableau("dop853")
    step = h / STEPS
    record = []
    for _ in range(STEPS):
        stages, (m, S) = _step(table, u, m, S, step)
        record.append(stages)
    K, (c, d) = len(m), seeds[0].shape
    lam = np.broadcast_to(seeds[0], (K, c, d))
    Lam = np.broadcast_to(seeds[1], (K, c, d, d))
    slopes: dict[str, Any] = {name: 0.0 for name in "ABVb"}
    for stages in reversed(record):
        lam, Lam = _step_back(table, u, stages, lam, Lam, step, slopes)
    return (m, S), slopes, (lam, Lam)


def _step(table: Tableau, u: dict, m: Any, S: Any, h: float) -> tuple[list, tuple]:
    stages, rates = [], []
    for row in range(len(table.b)):
        at = m, S
        for a, (rm, rS) in zip(table.a[row], rates):
            if a:
                at = at[0] + h * a * rm, at[1] + h * a * rS
        stages.append(at)
        rates.append(_rate(u, *at))
    for b, (rm, rS) in zip(table.b, rates):
        m, S = m + h * b * rm, S + h * b * rS
    return stages, (m, S)


def _step_back(
    table: Tableau, u: dict, stages: list, lam: Any, Lam: Any, h: float, slopes: dict
) -> tuple[Any, Any]:
    """Adjoint of one step: stages in reversed order; adds to the slopes."""
    back: list[Any] = [None] * len(stages)
    for i in reversed(range(len(stages))):
        k_m, k_S = h * table.b[i] * lam, h * table.b[i] * Lam
        for j in range(i + 1, len(stages)):
            if table.a[j, i]:
                k_m = k_m + h * table.a[j, i] * back[j][0]
                k_S = k_S + h * table.a[j, i] * back[j][1]
        by_m, by_S, by_u = _pull_back(u, *stages[i], k_m, k_S)
        back[i] = by_m, by_S
        for name, value in by_u.items():
            slopes[name] = slopes[name] + value
    return (
        lam + sum(b[0] for b in back),
        Lam + sum(b[1] for b in back),
    )
