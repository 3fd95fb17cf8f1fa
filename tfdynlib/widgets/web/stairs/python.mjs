// The lines of Python that give the numbers on the screen.

import { mergeRadius } from "../twin/stairs.mjs";

const text = (value) => (Array.isArray(value) ? `[${value.map(text).join(", ")}]` : String(value));
const lines = (...parts) => parts.flat().join("\n");

const heads = ({ B, V, beta }) => `heads = weights.Heads(B=${text(B)}, V=${text(V)}, beta=${beta})`;

function start({ start: kind, n, seed, gap, skew, turn }) {
  if (kind === "uniform") return [`x0 = sphere.uniform(${n}, 2, np.random.default_rng(${seed}))`];
  const theta = kind === "gap"
    ? [`theta = np.array([-1, 1]) * ${gap} / 2`]
    : [`phi = (np.arange(${n}) + 0.5) * 2 * np.pi / ${n}`, `theta = phi + ${skew} * np.sin(phi - 1) + ${turn}`];
  return [...theta, "x0 = np.column_stack([np.cos(theta), np.sin(theta)])"];
}

const options = ({ rtol }) => `rtol=${rtol}, merge=${Number(mergeRadius(rtol).toPrecision(12))}`;

/** View "clusters": how many there are at the moment shown, and the energy. */
export function clustersPython(state, { t }) {
  const solve = t === 0
    ? ["x = x0"]
    : [`run = flow.solve(attention.field(heads), x0, [0, ${t}], ${options(state)})`, "x = run.x[-1]"];
  return lines(
    ["import numpy as np", "from tfdynlib import attention, energy, flow, metastability, sphere, weights", ""],
    heads(state),
    start(state),
    solve,
    `labels = metastability.clusters(x, radius=${state.radius})`,
    "print(labels.max() + 1, energy.interaction(x, heads))",
  );
}

/** View "exit": the distance at the moment shown, and when it passes the threshold again. */
export function exitPython(state, { t, back, pole }) {
  const axis = [Math.cos(pole), Math.sin(pole)].map((v) => Number(v.toPrecision(15)));
  return lines(
    ["import numpy as np", "from tfdynlib import attention, flow, metastability, weights", ""],
    heads(state),
    start(state),
    `t = np.union1d(np.arange(0, ${state.t_end} + 0.01, 0.05), [${t}])`,
    `x = flow.solve(attention.field(heads), x0, t, ${options(state)}).x`,
    `side = np.where(np.arange(len(x0)) < ${back}, -1, 1)`,
    `distance = np.sqrt(2 - 2 * np.mean(side * np.sort(x @ np.array(${text(axis)}), axis=1), axis=1))`,
    `print(distance[np.searchsorted(t, ${t})], metastability.exit_time(t, distance))`,
  );
}
