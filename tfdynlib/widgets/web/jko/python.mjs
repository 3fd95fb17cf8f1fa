// The lines of Python that give the numbers of a step.

import { isDiagonal, literal } from "../kit/python.mjs";
import { stepsToOne } from "./run.mjs";

/** A 3 x 3 matrix as a reader would write it. */
function matrix(rows) {
  const entries = rows.map((row, i) => row[i]);
  if (!isDiagonal(rows)) return literal(rows);
  return entries.every((v) => v === 1) ? "np.eye(3)" : `np.diag([${entries.join(", ")}])`;
}

function start({ start: kind, n, seed, gap }) {
  if (kind === "cloud") return `x0 = sphere.uniform(${n}, 3, np.random.default_rng(${seed}))`;
  return `c, s = np.cos(${gap} / 2), np.sin(${gap} / 2)\nx0 = np.array([[0.8 * c, -s, 0.6 * c], [0.8 * c, s, 0.6 * c]])`;
}

/** Energy after step k, what is left over and the longest way; the error of both orders. */
export function python(state, k, withError) {
  const { D1, D2, beta, tau, weight, moving } = state;
  const alone = JSON.stringify(D1) === JSON.stringify(D2);
  const D = alone ? matrix(D1) : `[${matrix(D1)}, ${matrix(D2)}]`;
  const count = stepsToOne(tau);
  const ruled = weight === "frozen" ? "" : `, weight="${weight}"`;
  return [
    "import numpy as np",
    "from tfdynlib import attention, energy, flow, jko, sphere, weights",
    "",
    start(state),
    moving === "still"
      ? `path = weights.constant(weights.Heads.descent(${D}, beta=${beta}))`
      : `path = weights.oscillating(${alone ? 1 : 2}, 3, ${D}, "common", beta=${beta})`,
    `tau = ${tau}`,
    ...(k === 0
      ? ["print(energy.interaction(x0, path(0.0)))"]
      : [
          `run = jko.solve(x0, path, tau, ${k}${ruled})`,
          "print(energy.interaction(run.x[-1], path(run.t[-1])), run.decrease[-1], run.longest[-1])",
        ]),
    ...(withError
      ? [
          `field = attention.field(path, rule="gradient")`,
          `exact = flow.solve(field, x0, [0, ${count} * tau], rtol=1e-11, atol=1e-12).x[-1]`,
          `end = jko.solve(x0, path, tau, ${count}${ruled}).x[-1]`,
          "print(np.sqrt(np.mean(sphere.distance(end, exact) ** 2)))",
        ]
      : []),
  ].join("\n");
}
