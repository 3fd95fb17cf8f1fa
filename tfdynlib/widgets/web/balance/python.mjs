// The lines of Python that print the energy and the residual of the first path.

import { stepsOf } from "./run.mjs";

const START = {
  uniform: ({ n, d }) => [`x0 = sphere.uniform(${n}, ${d}, rng)`],
  axes: ({ n, d }) => [
    `ends = np.concatenate([np.eye(${d}), -np.eye(${d})])[rng.integers(0, ${2 * d}, ${n})]`,
    `x0 = sphere.retract(ends + 0.05 * rng.standard_normal((${n}, ${d})))`,
  ],
  point: ({ n, d }) => [
    `x0 = np.tile([np.cos(np.pi / 8), np.sin(np.pi / 8)${d === 3 ? ", 0.0" : ""}], (${n}, 1))`,
  ],
};

const PATH = {
  frozen: () => ["path = weights.constant(weights.Heads.descent(D))"],
  ascent: () => ["path = weights.constant(weights.Heads(D, D))"],
  noisy: ({ seed, noise_var: g2 }) => [
    `rng = np.random.default_rng(${seed + 1})`,
    `path = weights.ornstein_uhlenbeck(D, t, rng, noise_var=${g2}, method="euler")`,
  ],
  oscillating: ({ d, D }) => [
    `law, M = weights.oscillating(${D.length}, ${d}, D), [D]`,
    "for s, h in zip(t, np.diff(t)):  # Euler steps of the weights too",
    "    M.append(M[-1] + h * (law.drift(s)[0] + law(s).B - M[-1]))",
    "path = weights.interpolate(t, [weights.Heads.descent(m) for m in M])",
  ],
};

/** Text that runs as it is and prints energy and residual at the moment shown. */
export function python(state) {
  const { rule, seed, D, t, t_end: end, motion, book } = state;
  const { steps, stride } = stepsOf(state);
  const at = stride * Math.floor((t * steps) / (end * stride) + 1e-6);
  const sign = motion === "ascent" ? "-" : "";
  const still = [
    `heads = weights.Heads.descent(${JSON.stringify(D)})`,
    "print(energy.interaction(x0, heads), 0.0)",
  ];
  const moved = [
    `D = np.array(${JSON.stringify(D)}, dtype=float)`,
    `t = np.linspace(0, ${end}, ${steps + 1})[:${at + 1}]`,
    ...PATH[motion](state),
    `run = flow.solve(attention.field(path, rule="${rule}"), x0, t, method="euler")`,
    `books = energy.balance(run, path, "${rule}")`,
    ...(book === "coded" && rule === "softmax"
      ? [
          "gap = [energy.head_mismatch(x, path(s)) for s, x in zip(t[:-1], run.x)]",
          `print(books.energy[-1], books.left_point[-1] - (${sign}np.diff(t) @ gap))`,
        ]
      : ["print(books.energy[-1], books.left_point[-1])"]),
  ];
  return [
    "import numpy as np",
    "from tfdynlib import attention, energy, flow, sphere, weights",
    "",
    `rng = np.random.default_rng(${seed})`,
    ...START[state.start](state),
    ...(at === 0 ? still : moved),
    "",
  ].join("\n");
}
