// The lines of Python that give the distance of the twins and the bound.

import { START, stack } from "./python.mjs";
import { STEP, stepLength } from "./run.mjs";
import { weightsOf } from "./twins_run.mjs";

const CHANGE = {
  prompt: ({ size }) => [
    "other, y0 = heads, x0.copy()",
    "east = np.array([-x0[0, 1], x0[0, 0], 0]) / np.hypot(*x0[0, :2])",
    `y0[0] = np.cos(${size}) * x0[0] + np.sin(${size}) * east`,
  ],
  weights: ({ bits }) => [
    `levels = 2 ** (${bits} - 1) - 1`,
    "top = lambda M: np.abs(M).max(axis=(1, 2), keepdims=True)",
    "on_grid = lambda M: np.floor(M / top(M) * levels + 0.5) / levels * top(M)",
    "other = weights.Heads(on_grid(heads.B), on_grid(heads.V), heads.beta)",
    "y0 = x0",
  ],
  sign: ({ size }) => [
    `other = weights.Heads(-${size} * heads.B, -${size} * heads.V, heads.beta)`,
    `heads = weights.Heads(${size} * heads.B, ${size} * heads.V, heads.beta)`,
    "y0 = x0",
  ],
};

/** Text that runs as it is and prints the distance, and the bound, or log10 of it if `vast`. */
export function twinsPython(state, vast) {
  const { beta, rule, seed, B, V, t, change } = state;
  const { one, two } = weightsOf(state);
  const dt = stepLength({ ...state, B: [...one.B, ...two.B], V: [...one.V, ...two.V] });
  const steps = dt === null ? 0 : Math.round(t / STEP) * Math.round(STEP / dt);
  const ruled = rule === "softmax" ? "" : `, rule="${rule}"`;
  const run = (heads, start) =>
    steps === 0
      ? start
      : `flow.solve(attention.field(${heads}${ruled}), ${start}, t, method="rk4").x[-1]`;
  return [
    "import numpy as np",
    "from tfdynlib import attention, flow, sphere, stability, weights",
    "",
    `rng = np.random.default_rng(${seed})`,
    ...START[state.start](state),
    `heads = weights.Heads(B=${stack(B)}, V=${stack(V)}, beta=${beta})`,
    ...CHANGE[change](state),
    `t = ${dt ?? STEP} * np.arange(${steps + 1})`,
    `x = ${run("heads", "x0")}`,
    `y = ${run("other", "y0")}`,
    "rms = lambda x, y: np.sqrt(np.mean(sphere.distance(x, y) ** 2))",
    "print(rms(x, y))",
    ...(rule === "softmax"
      ? [
          "bound = stability.log_drift_bound(t[-1], heads, other, rms(x0, y0))",
          vast ? "print(bound / np.log(10))" : "print(np.exp(bound))",
        ]
      : []),
    "",
  ].join("\n");
}
