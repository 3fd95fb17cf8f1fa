// The lines of Python that print the numbers on the screen.

import { lines as joined, literal } from "../kit/python.mjs";

const lines = (...parts) => `${joined(...parts)}\n`;

const layer = ({ A, B, V, b }) => [
  `A, B, V = ${literal(A)}, ${literal(B)}, ${literal(V)}`,
  `layer = gaussian.Layer(A, B, V, b=${literal(b)})`,
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
    [`start = gaussian.Gaussian(mean=${literal(state.mean)}, cov=${literal(state.cov)})`],
    at > 0 ? moved : still,
    wall ? ["print(gaussian.blow_up_time(layer, start.cov))"] : [],
    more,
  );
}

/** The tilted mean, the effective part, and those of the sample if there is one. */
export function tiltPython({ mean, cov, B, query, n, seed, shown, t }) {
  const sample = [
    "values, U = np.linalg.eigh(tokens.cov)",
    "root = (U * np.sqrt(np.maximum(values, 0))) @ U.T",
    `y = tokens.mean + np.random.default_rng(${seed}).standard_normal((${n}, 2)) @ root`,
    "w = np.exp(y @ p - (y @ p).max())",
    "print(w @ y / w.sum(), w.sum() ** 2 / (w @ w))",
  ];
  return lines(
    ["import numpy as np", "from tfdynlib import gaussian", ""],
    [
      `tokens = gaussian.Gaussian(mean=${literal(mean)}, cov=${literal(cov)})`,
      `p = ${t} * np.array(${literal(B)}) @ ${literal(query)}`,
      "print(tokens.mean + tokens.cov @ p, np.exp(-p @ tokens.cov @ p))",
    ],
    shown === "sample" ? sample : [],
  );
}

/** The variance of the tokens, and that of the law while there is one. */
export function cloudPython({ n, seed, s0, a, vk, t }, step) {
  const steps = Math.floor(t / step + 1e-6);
  const moved = [
    "def field(t, x):",
    `    return ${a} * x + attention.velocity(x, heads, space="euclidean")`,
    "",
    `t = np.linspace(0, ${Number((steps * step).toFixed(6))}, ${steps + 1})`,
    'x = flow.solve(field, x, t, method="rk4", space="euclidean").x[-1]',
    `law = gaussian.solve(gaussian.Layer([[${a}]], [[1.0]], [[${vk}]]), gaussian.Gaussian([0.0], [[${s0}]]), t)`,
    'print(x.var(), law.cov[-1, 0, 0] if law.status == "done" else "")',
  ];
  return lines(
    ["import numpy as np", "from tfdynlib import attention, flow, gaussian, weights", ""],
    [
      `z = np.random.default_rng(${seed}).standard_normal((${n}, 1))`,
      `x = ${s0}**0.5 * (z - z.mean()) / z.std()`,
      `heads = weights.Heads([[1.0]], [[${vk}]])`,
    ],
    steps > 0 ? moved : ["print(x.var())"],
  );
}

/** Distance to the Gaussian, its bound, skewness, distance to the matched one. */
export function reluPython({ m, t }) {
  return lines(
    ["import numpy as np", "from scipy.stats import norm", "from tfdynlib import gaussian", ""],
    [
      `m, t = ${m}, ${t}`,
      "up, down, f, e = norm.cdf(m), norm.cdf(-m), norm.pdf(m), np.exp(t)",
      "gap = np.sqrt(gaussian.relu_gap(gaussian.Gaussian([m], [[1.0]]), [[1.0]], [0.0])[0])",
      "mean = e * (m * up + f) - (f - m * down)",
      "var = e**2 * ((m**2 + 1) * up + m * f) + (m**2 + 1) * down - m * f - mean**2",
      "c, g = m**3 + 3 * m, (m**2 + 2) * f",
      "third = e**3 * (c * up + g) - (g - c * down) - 3 * mean * var - mean**3",
      "sd = np.sqrt(var)",
      "matched = np.sqrt(max(0.0, 2 * sd * (sd - e * up - down)))",
      "print((e - 1) * gap, t * e * gap, third / sd**3, matched)",
    ],
  );
}

/** The variance at the moment shown, and its blow-up. */
export function mapPython({ a, vk, s0, t, wall }) {
  return lines(
    ["from tfdynlib import gaussian", ""],
    [
      `layer = gaussian.Layer(A=[[${a}]], B=[[1.0]], V=[[${vk}]])`,
      `start = gaussian.Gaussian(mean=[0.0], cov=[[${s0}]])`,
      t > 0 ? `print(gaussian.solve(layer, start, [0, ${t}]).cov[-1, 0, 0])` : "print(start.cov[0, 0])",
    ],
    Number.isFinite(wall) ? ["print(gaussian.blow_up_time(layer, start.cov))"] : [],
  );
}
