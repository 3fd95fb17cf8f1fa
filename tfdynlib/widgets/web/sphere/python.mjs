// The lines of Python that give the picture's numbers.

import { isDiagonal, literal } from "../kit/python.mjs";
import { STEP, stepLength } from "./run.mjs";

const EYE = "np.eye(3)";

/** A 3 x 3 matrix as a reader would write it. */
function matrix(rows) {
  const entries = rows.map((row, i) => row[i]);
  if (!isDiagonal(rows)) return literal(rows);
  if (entries.every((v) => v === 1)) return EYE;
  if (entries.every((v) => v === -1)) return `-${EYE}`;
  return `np.diag([${entries.map((v) => (Number.isInteger(v) ? `${v}.0` : v)).join(", ")}])`;
}

export const stack = (list) => (list.length === 1 ? matrix(list[0]) : `[${list.map(matrix).join(", ")}]`);

export const START = {
  uniform: ({ n }) => [`x0 = sphere.uniform(${n}, 3, rng)`],
  cap: ({ n }) => [
    `u = rng.random((${n}, 2))  # a cap of 60 degrees`,
    "z, a = 1 - u[:, 0] / 2, 2 * np.pi * u[:, 1]",
    "x0 = np.stack([np.sqrt(1 - z**2) * np.cos(a), np.sqrt(1 - z**2) * np.sin(a), z], 1)",
  ],
};

/** Text that runs as it is and prints energy and cluster count at the moment shown. */
export function python(state) {
  const { beta, rule, seed, B, V, t, radius } = state;
  const dt = stepLength(state);
  const steps = dt === null ? 0 : Math.round(t / STEP) * Math.round(STEP / dt);
  const ruled = rule === "softmax" ? "" : `, rule="${rule}"`;
  const run =
    steps === 0
      ? ["x = x0"]
      : [
          `field = attention.field(heads${ruled})`,
          `x = flow.solve(field, x0, ${dt} * np.arange(${steps + 1}), method="rk4").x[-1]`,
        ];
  return [
    "import numpy as np",
    "from tfdynlib import attention, energy, flow, metastability, sphere, weights",
    "",
    `rng = np.random.default_rng(${seed})`,
    ...START[state.start](state),
    `heads = weights.Heads(B=${stack(B)}, V=${stack(V)}, beta=${beta})`,
    ...run,
    `print(energy.interaction(x, heads), metastability.clusters(x, ${radius}).max() + 1)`,
    "",
  ].join("\n");
}
