// The lines of Python that give the picture's numbers.

import { STEP } from "./run.mjs";

const PATH = {
  frozen: () => "weights.constant(weights.Heads.descent(D0))",
  ou: ({ g2 }) => `weights.ornstein_uhlenbeck(D0, t, rng, noise_var=${g2})`,
  spread: ({ H }) => `weights.oscillating(${H}, 3, D0, "spread")`,
  common: ({ H }) => `weights.oscillating(${H}, 3, D0, "common")`,
};

const START = {
  uniform: ({ n }) => [`x0 = sphere.uniform(${n}, 3, rng)`],
  axes: ({ n }) => [
    `which = np.floor(6 * rng.random(${n})).astype(int)  # near the axes`,
    "axes = np.concatenate([np.eye(3), -np.eye(3)])",
    `x0 = sphere.retract(axes[which] + 0.05 * rng.standard_normal((${n}, 3)))`,
  ],
};

/** Text that runs as it is and prints energy and G^2 at the moment shown. */
export function python(state) {
  const { H, seed, layout, rule, t_end: end, t } = state;
  const k = Math.round(Math.min(t, end) / STEP);
  const ruled = rule === "softmax" ? "" : `, rule="${rule}"`;
  const run =
    k === 0
      ? ["x = x0"]
      : [`x = flow.solve(attention.field(path${ruled}), x0, t[: ${k + 1}], method="rk4").x[-1]`];
  return [
    "import numpy as np",
    "from tfdynlib import attention, energy, flow, sphere, weights",
    "",
    `rng = np.random.default_rng(${seed})`,
    ...START[state.start](state),
    `Z = rng.standard_normal((${H}, 3, 3))`,
    "D0 = Z + Z.swapaxes(1, 2)",
    `t = ${STEP} * np.arange(${Math.round(end / STEP) + 1})`,
    `path = ${PATH[layout](state)}`,
    ...run,
    `heads = path(t[${k}])`,
    `v = attention.velocity(x, heads${ruled})`,
    "print(energy.interaction(x, heads), energy.action(x, v, heads))",
    "",
  ].join("\n");
}
