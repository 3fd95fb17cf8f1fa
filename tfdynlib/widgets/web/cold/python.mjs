// The lines of Python that give the numbers on the screen.

import { text } from "./words.mjs";

const lines = (...parts) => `${parts.flat().join("\n")}\n`;

const GRID3 = (h) => [
  `z, w = np.polynomial.legendre.leggauss(${h})`,
  `z, a = np.repeat(z, ${h}), np.tile(2 * np.pi * np.arange(${h}) / ${h}, ${h})`,
  "r = np.sqrt(1 - z**2)",
  `x0, mass = np.stack([z, r * np.cos(a), r * np.sin(a)], axis=1), np.repeat(w, ${h})`,
];

/** The lines that make tokens x0 and their masses. */
function start({ start: kind, n, seed, skew, angle, density, band }, d) {
  const even = "mass = np.ones(len(x0))";
  const made =
    kind === "pair"
      ? [`x0 = np.outer([1, -1], [np.cos(${angle}), np.sin(${angle})${d === 3 ? ", 0" : ""}])`, even]
      : kind === "draw"
        ? [`x0 = sphere.uniform(${n}, ${d}, np.random.default_rng(${seed}))`, even]
        : d === 3
          ? GRID3(Math.max(2, Math.round(Math.sqrt(n))))
          : [
              `phi = (np.arange(${n}) + 0.5) * 2 * np.pi / ${n}`,
              `phi = phi + ${skew === 0 ? "0.1" : `${skew} * np.sin(phi - 1)`}`,
              "x0 = np.stack([np.cos(phi), np.sin(phi)], axis=1)",
              even,
            ];
  const tilted = density === 0 && band === 0 ? [] : [
    `mass = mass * (1 + ${density} * x0[:, 0])`,
    `kept = (np.abs(x0[:, 0]) >= ${band}) & (mass > 0)`,
    "x0, mass = x0[kept], mass[kept]",
  ];
  return [...made, ...tilted, "mass = mass / mass.sum()"];
}

const MEASURE = {
  distance: ({ dim }) =>
    dim === 1
      ? [
          "values, U = np.linalg.eigh((heads.V[0] @ heads.B[0] + (heads.V[0] @ heads.B[0]).T) / 2)",
          "z0, z = x0 @ U[:, -1], x @ U[:, -1]",
          "order = np.argsort(-z)  # two poles: the highest tokens go to the upper one",
          "ends = np.minimum(np.cumsum(mass[order]), mass[z0 > 0].sum())",
          "up = np.diff(ends, prepend=0)",
          "print(np.sqrt(np.sum(up * (2 - 2 * z[order]) + (mass[order] - up) * (2 + 2 * z[order]))))",
        ]
      : [
          "values, U = np.linalg.eigh((heads.V[0] @ heads.B[0] + (heads.V[0] @ heads.B[0]).T) / 2)",
          `E = U[:, -${dim}:]  # the dominant space`,
          "target = sphere.retract(x0 @ E @ E.T)",
          "print(np.sqrt(mass @ np.sum((x - target) ** 2, axis=1)))",
        ],
  alignment: ({ vector }) => [`print(mass @ np.abs(x @ ${text(vector)}))`],
  angle: () => ["print(np.degrees(np.arctan2(x[0, 1], x[0, 0])))  # up to whole turns"],
};

/** View "flow": the number of the chart at the moment shown. */
export function flowPython(state, { d, B, V, t, curve, dim, vector }) {
  const ruled = state.rule === "softmax" ? "" : `, rule="${state.rule}"`;
  const moved = t > 0
    ? [`field = attention.field(heads, mass=mass${ruled})`, `x = flow.solve(field, x0, [0, ${t}]).x[-1]`]
    : ["x = x0"];
  return lines(
    ["import numpy as np", "from tfdynlib import attention, flow, sphere, weights", ""],
    `heads = weights.Heads(B=${text(B)}, V=${text(V)}, beta=${state.beta})`,
    start(state, d),
    moved,
    MEASURE[curve]({ dim, vector }),
  );
}

/** View "query": length of the mean of a uniform law, and both parts of the mean heard. */
export function queryPython({ dim, beta, density, angle }) {
  return lines(
    ["import numpy as np", "from scipy import special", ""],
    [
      `d, kappa, c, angle = ${dim}, ${beta}, ${density}, ${angle}`,
      "A = special.ive(d / 2, kappa) / special.ive(d / 2 - 1, kappa)",
      "if not np.isfinite(A):  # both too small for a double: the continued fraction",
      "    A, far = 0.0, int(20 + 7 * kappa**0.5)",
      "    for j in range(far, -1, -1):",
      "        A = kappa / (d + 2 * j + kappa * A)",
      "mass = 1 + c * A * np.cos(angle)",
      "along = (A + c * np.cos(angle) * (1 - (d - 1) * A / kappa)) / mass",
      "print(A, along, c * np.sin(angle) * A / kappa / mass)",
    ],
  );
}

/** View "consensus": the mean of the particles at the moment shown. */
export function consensusPython({ objective, alpha, m0, spread, kernel, t }, { nodes, reach }) {
  const f = objective === "quadratic" ? "(y - 1) ** 2 / 2" : "(y**2 - 1) ** 2 / 4";
  const near = kernel > 0 ? ` - (x - x.T) ** 2 / (2 * ${kernel}**2)` : "";
  return lines(
    ["import numpy as np", "from tfdynlib import flow", ""],
    [
      `z = np.linspace(-${reach}, ${reach}, ${nodes})[:, None]`,
      "mass = np.exp(-z[:, 0] ** 2 / 2)",
      "mass = mass / mass.sum()",
      "",
      "def field(t, x):",
      `    y = x.T`,
      `    log = np.log(mass) - ${alpha} * (${f})${near}`,
      "    w = np.exp(log - log.max(axis=1, keepdims=True))",
      "    return (w @ x) / w.sum(axis=1, keepdims=True) - x",
      "",
      `x = ${m0} + ${spread}**0.5 * z`,
      t > 0 ? `x = flow.solve(field, x, [0, ${t}], space="euclidean").x[-1]` : "",
      "print(mass @ x[:, 0], mass @ x[:, 0] ** 2 - (mass @ x[:, 0]) ** 2)",
    ].filter((line, k, all) => line !== "" || all[k + 1]?.startsWith("def") || all[k - 1]?.startsWith("    return")),
  );
}
