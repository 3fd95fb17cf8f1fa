"""Typical wrong answers to the exercises on low temperature; each must be refused."""

import numpy as np
from scipy.special import iv

from tfdynlib import attention, sphere
from tfdynlib.weights import Heads


def not_projected(x, V, B):
    question = x @ B.T
    return question / np.linalg.norm(question, axis=1, keepdims=True) @ V.T


def transposed(x, V, B):
    return attention.velocity(x, Heads(B.T, V), rule="zero_temperature")


def of_one_length(x, V, B):
    """The linear flow without its clock."""
    return sphere.project(x, x @ (V @ B).T)


def copying(x, V, B):
    return attention.velocity(x, Heads(B, V), rule="hardmax")


def only_the_first(x, M, tol):
    e = np.linalg.eigh(M)[1][:, -1]
    return np.sign(x @ e)[:, None] * e


def not_normalised(x, M, tol):
    values, Q = np.linalg.eigh(M)
    W = Q[:, values >= values[-1] - tol]
    return x @ W @ W.T


def quotient(d, kappa):
    """A wrong answer that looks whole: 0 where both functions overflow."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(iv(d / 2, kappa) / iv(d / 2 - 1, kappa))


def nearest_pole(x, share):
    return np.sqrt(np.mean(2 - 2 * np.abs(x[:, 0])))


def whole_tokens(x, share):
    h, k = np.sort(x[:, 0])[::-1], round(len(x) * share)
    return np.sqrt((np.sum(2 - 2 * h[:k]) + np.sum(2 + 2 * h[k:])) / len(x))


def unsorted(x, share):
    plus = np.clip(len(x) * share - np.arange(len(x)), 0, 1)
    return np.sqrt(np.mean(plus * (2 - 2 * x[:, 0]) + (1 - plus) * (2 + 2 * x[:, 0])))


WRONG = {
    "limit.zero_temperature_field": [not_projected, transposed, of_one_length, copying],
    "limit.convert": [
        lambda Q, K, V: (Q.T @ K, V @ Q.T @ K),
        lambda Q, K, V: (K.T @ Q, V @ Q.T @ K),
        lambda Q, K, V: K.T @ Q,
        lambda Q, K, V: (K.T @ Q, None),
    ],
    "limit.bound": [
        lambda x, V, beta: 0.0,
        lambda x, V, beta: np.inf,
        lambda x, V, beta: 1e9,
        lambda x, V, beta: np.exp(-beta),
    ],
    "projection.project_to_dominant": [
        only_the_first,
        not_normalised,
        lambda x, M, tol: sphere.retract(x @ M),
        lambda x, M, tol: None,
    ],
    "laplace.bessel_ratio": [
        quotient,
        lambda d, kappa: 1 - (d - 1) / (2 * kappa),
        lambda d, kappa: 1 / np.tanh(kappa) - 1 / kappa,
        "A",
    ],
    "concentration.w2_two_poles": [nearest_pole, whole_tokens, unsorted],
    "metastability.dwell_time": [
        lambda gap, beta: np.exp(2 * beta),
        lambda gap, beta: (gap - 0.1) * (1 + np.exp(beta * (1 - np.cos(gap)))) / 2,
        lambda gap, beta: 21364.0,
    ],
    "metastability.gap_rhs": [
        lambda phi, beta, p: -2 * np.sin(phi) / (1 + np.exp(beta * (1 - np.cos(phi)))),
        lambda phi, beta, p: -np.sin(phi),
        lambda phi, beta, p: "fast",
    ],
    "open.uphill": [
        lambda r: (r, r, 0.5),
        lambda r: (r / 2, r, 0.46),
        lambda r: (0.09, 0.1, 0.46),
        lambda r: (0.9 * r, r),
        "uphill",
    ],
    "terminal.pair_rhs": [
        lambda x, V, B, beta: V @ x - (x @ V @ x) * x,
        lambda x, V, B, beta: np.tanh(beta * x @ B @ x) * (V @ x),
        lambda x, V, B, beta: (x @ B @ x) * (V @ x - (x @ V @ x) * x),
        lambda x, V, B, beta: None,
    ],
    "finite_size.effective_fraction": [
        lambda d, beta: np.tanh(beta) / beta,
        lambda d, beta: beta ** (-(d - 1) / 2),
        lambda d, beta: 1.0,
    ],
    "consensus.cbo_gaussian": [
        lambda m0, S0, a, alpha, t: a - (1 + alpha * S0) ** -0.5 * (a - m0),
        lambda m0, S0, a, alpha, t: a + np.exp(-t) * (m0 - a),
        lambda m0, S0, a, alpha, t: a,
    ],
    "consensus.table": [
        lambda x, B: (x @ B.T) @ x.T,
        lambda x, B: -(x @ B) @ x.T,
        lambda x, B: -x @ x.T,
        lambda x, B: -x @ B,
    ],
    "consensus.final_mean": [
        lambda m0, a, H, alpha: a,
        lambda m0, a, H, alpha: a - (a - m0) / np.sqrt(1 + alpha),
        lambda m0, a, H, alpha: a - np.linalg.solve(np.eye(3) + alpha * H, a - m0),
    ],
}
