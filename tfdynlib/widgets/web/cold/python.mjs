// The lines of Python that give the numbers on the screen.

import { lines as joined, literal } from "../kit/python.mjs";

const lines = (...parts) => `${joined(...parts)}\n`;

const GRID3 = (h) => [
  `z, w = np.polynomial.legendre.leggauss(${h})`,
  `z, a = np.repeat(z, ${h}), np.tile(2 * np.pi * (np.arange(${h}) + 0.5) / ${h}, ${h})`,
  "r = np.sqrt(1 - z**2)",
  `x0, mass = np.stack([z, r * np.cos(a), r * np.sin(a)], axis=1), np.repeat(w, ${h})`,
];

/** Weighted nodes, dense at the equator and the poles of the first axis. */
const FINE = (n, d) => {
  const longitudes = d === 2 ? 2 : Math.max(2, Math.round(Math.sqrt(n / 2)));
  const h = d === 2 ? Math.max(2, Math.round(n / 2)) : 2 * longitudes;
  return [
    `v, w = np.polynomial.legendre.leggauss(${h})`,
    `z, mass = v**5 * (3.5 - 2.5 * v**2), w * v**4 * (1 - v**2)  # dense at equator and poles`,
    `z, mass = np.repeat(z, ${longitudes}), np.repeat(mass, ${longitudes})`,
    ...(d === 2
      ? [`a, side = np.pi / 2 * (1 + z), np.tile([1, -1], ${h})`, "x0 = np.stack([np.cos(a), side * np.sin(a)], axis=1)"]
      : [
          `a, r = np.tile(2 * np.pi * np.arange(${longitudes}) / ${longitudes}, ${h}), np.sqrt(1 - z**2)`,
          "x0 = np.stack([z, r * np.cos(a), r * np.sin(a)], axis=1)",
        ]),
  ];
};

/** The lines that make tokens x0 and their masses. */
function start({ start: kind, n, seed, skew, angle, density, band }, d, isWeighed) {
  const even = "mass = np.ones(len(x0))";
  const made =
    kind === "pair"
      ? [`x0 = np.outer([1, -1], [np.cos(${angle}), np.sin(${angle})${d === 3 ? ", 0" : ""}])`, even]
      : kind === "fine" ? FINE(n, d) : kind === "draw"
        ? [`x0 = sphere.uniform(${n}, ${d}, np.random.default_rng(${seed}))`, even]
        : d === 3
          ? GRID3(Math.max(2, Math.round(Math.sqrt(n))))
          : [`x0 = metastability.circle(${n}, ${skew === 0 ? "turn=0.1" : `skew=${skew}`})`, even];
  const weighed = !isWeighed ? [] : [
    `mass = mass * (1 + ${density} * x0[:, 0])`,
    `kept = (np.abs(x0[:, 0]) >= ${band}) & (mass > 0)`,
    "x0, mass = x0[kept], mass[kept]",
  ];
  return [...made, ...weighed, "mass = mass / mass.sum()"];
}

const LIMIT = "limit = metastability.Limit.of(heads)";
const MEASURE = {
  distance: ({ dim }) =>
    dim === 1
      ? [
          LIMIT,
          "mu, start = measure.Measure(x, mass), measure.Measure(x0, mass)",
          "print(metastability.distance_to_limit(mu, limit, start))",
        ]
      : [LIMIT, "print(np.sqrt(mass @ np.sum((x - limit.project(x0)) ** 2, axis=1)))"],
  alignment: ({ vector }) => [`print(np.sqrt(mass @ (x @ ${literal(vector)}) ** 2))`],
  angle: () => ["print(np.degrees(np.arctan2(x[0, 1], x[0, 0])))  # up to whole turns"],
};

/** View "flow": the number of the chart at the moment shown, and the neighbours heard. */
export function flowPython(state, { d, B, V, t, curve, dim, vector, frame, weighed }) {
  const jumps = state.rule === "hardmax"; // then by fixed steps, as on the page
  const times = !jumps
    ? `[0, ${t}]`
    : state.time === "log" ? `np.append(0, np.geomspace(0.05, ${t}, ${frame}))` : `np.linspace(0, ${t}, ${frame + 1})`;
  const ruled = state.rule === "softmax" ? "" : `, rule="${state.rule}"`;
  const moved = t > 0
    ? [`field = attention.field(heads, mass=mass${ruled})`, `x = flow.solve(field, x0, ${times}${jumps ? ', method="rk4"' : ""}).x[-1]`]
    : ["x = x0"];
  return lines(
    ["import numpy as np", "from tfdynlib import attention, flow, measure, metastability, sphere, weights", ""],
    `heads = weights.Heads(B=${literal(B)}, V=${literal(V)}, beta=${state.beta})`,
    start(state, d, weighed),
    moved,
    MEASURE[curve]({ dim, vector }),
    state.rule === "softmax" ? ["print(metastability.effective_neighbours(x, heads, mass).mean())"] : [],
  );
}

/** View "query": length of the mean of a uniform law, and both parts of the mean heard. */
export function queryPython({ dim, kappa, density, angle }) {
  return lines(
    ["import numpy as np", "from tfdynlib import metastability", ""],
    [
      `d, kappa, c, angle = ${dim}, ${kappa}, ${density}, ${angle}`,
      "A = float(metastability.bessel_ratio(d, kappa))",
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
      "mean = mass @ x[:, 0]",
      "print(mean, np.sqrt(mass @ (x[:, 0] - mean) ** 2))",
    ].filter((line, k, all) => line !== "" || all[k + 1]?.startsWith("def") || all[k - 1]?.startsWith("    return")),
  );
}
