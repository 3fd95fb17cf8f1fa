"""All pieces of a path integrated at once, and differentiated backwards.

Weights u are a stack for each of A, B, V and b, one for each piece; the steps are those
of the eighth-order method of Dormand and Prince.
"""

from typing import Any

import numpy as np

from tfdynlib._tableaux import Tableau, tableau


def seeds(d: int, rows: np.ndarray, columns: np.ndarray) -> tuple:
    """Gradients of the numbers that make a Gaussian: by mean, and by covariance."""
    c = d + len(rows)
    by_mean, by_cov = np.zeros((c, d)), np.zeros((c, d, d))
    by_mean[:d] = np.eye(d)
    k = np.arange(d, c)
    by_cov[k, rows, columns] += 0.5
    by_cov[k, columns, rows] += 0.5
    return by_mean, by_cov


def rate(u: dict[str, np.ndarray], m: np.ndarray, S: np.ndarray) -> tuple:
    """m' and Sigma' of every piece."""
    J = u["A"] + u["V"] @ S @ u["B"]
    JS = J @ S
    new = np.einsum("kij,kj->ki", J + u["V"], m) + u["b"]
    return new, JS + JS.swapaxes(1, 2)


def pull_back(u: dict, m: np.ndarray, S: np.ndarray, lam: Any, Lam: Any) -> tuple:
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


def run(
    u: dict, m: np.ndarray, S: np.ndarray, h: float, steps: int
) -> tuple[list, tuple]:
    """Every piece from its beginning to its end: the stages, and the moments there."""
    record = []
    for _ in range(steps):
        stages, (m, S) = step(tableau("dop853"), u, m, S, h / steps)
        record.append(stages)
    return record, (m, S)


def run_back(
    u: dict, record: list, h: float, seeds: tuple
) -> tuple[tuple, dict[str, np.ndarray]]:
    """Gradients of the moments at the end of every piece, by those at its beginning
    and by its weights."""
    K, (c, d) = len(u["b"]), seeds[0].shape
    lam = np.broadcast_to(seeds[0], (K, c, d))
    Lam = np.broadcast_to(seeds[1], (K, c, d, d))
    slopes: dict[str, Any] = {name: 0.0 for name in "ABVb"}
    for stages in reversed(record):
        step = h / len(record)
        lam, Lam = step_back(tableau("dop853"), u, stages, lam, Lam, step, slopes)
    return (lam, Lam), slopes


def step(table: Tableau, u: dict, m: Any, S: Any, h: float) -> tuple[list, tuple]:
    stages: list[tuple] = []
    rates: list[tuple] = []
    for row in range(len(table.b)):
        at = m, S
        for a, (rm, rS) in zip(table.a[row], rates):
            if a:
                at = at[0] + h * a * rm, at[1] + h * a * rS
        stages.append(at)
        rates.append(rate(u, *at))
    for b, (rm, rS) in zip(table.b, rates):
        m, S = m + h * b * rm, S + h * b * rS
    return stages, (m, S)


def step_back(
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
        by_m, by_S, by_u = pull_back(u, stages[i][0], stages[i][1], k_m, k_S)
        back[i] = by_m, by_S
        for name, value in by_u.items():
            slopes[name] = slopes[name] + value
    return (
        lam + sum(b[0] for b in back),
        Lam + sum(b[1] for b in back),
    )
