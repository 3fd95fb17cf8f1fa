// The lines of Python that print the numbers on the screen.

import { text } from "./words.mjs";

const lines = (...parts) => `${parts.flat().join("\n")}\n`;

const layer = ({ A, B, V, b }) => [
  `A, B, V = ${text(A)}, ${text(B)}, ${text(V)}`,
  `layer = gaussian.Layer(A, B, V, b=${text(b)})`,
];

const BESIDE = {
  nothing: () => [],
  twin: ({ at }) => [
    "twin = gaussian.Layer(layer.A, -layer.B, -layer.V, layer.b)",
    `print(gaussian.solve(twin, start, [0, ${at}]).mean[-1])`,
  ],
  filter: ({ noise, at }) => [
    `C, Q = -layer.V[0, 0] * (layer.B + layer.B.T), ${noise} * np.eye(2)`,
    `parts = max(1, round(${at}))`,
    `E = scipy.linalg.expm(${at} / parts * np.block([[layer.A, Q], [C, -layer.A.T]]))`,
    "S = start.cov",
    "for _ in range(parts):  # Kalman and Bucy, by the linear system of X and Y",
    "    X, Y = E[:2, :2] @ S + E[:2, 2:], E[2:, :2] @ S + E[2:, 2:]",
    "    S = X @ np.linalg.inv(Y)",
    "print(np.linalg.eigvalsh((S + S.T) / 2)[::-1])",
  ],
  clipped: ({ at, euler, floor }) => [
    "S = start.cov",
    `for _ in range(${Math.floor(at / euler + 1e-6)}):  # Euler, eigenvalues lifted to ${floor}`,
    "    J = layer.jacobian(S)",
    `    values, U = np.linalg.eigh(S + ${euler} * (J @ S + S @ J.T))`,
    `    S = U * np.maximum(values, ${floor}) @ U.T`,
    "print(np.linalg.eigvalsh(S)[0])",
  ],
};

/** Mean and eigenvalues at the moment shown, the blow-up, and what stands beside. */
export function flowPython(state, { at, wall, beside, euler, floor }) {
  const still = ["print(start.mean, np.linalg.eigvalsh(start.cov)[::-1])"];
  const moved = [
    `run = gaussian.solve(layer, start, [0, ${at}])`,
    "print(run.mean[-1], np.linalg.svd(run.factor[-1], compute_uv=False) ** 2)",
  ];
  const more = at > 0 && beside ? BESIDE[state.beside]({ ...state, at, euler, floor }) : [];
  const needs = more.some((line) => line.includes("scipy.")) ? ["import scipy"] : [];
  return lines(
    ["import numpy as np", ...needs, "from tfdynlib import gaussian", ""],
    layer(state),
    [`start = gaussian.Gaussian(mean=${text(state.mean)}, cov=${text(state.cov)})`],
    at > 0 ? moved : still,
    wall ? [`print(gaussian.solve(layer, start, [0, ${wall}]).blow_up_time)`] : [],
    more,
  );
}
