// The lines of Python behind the view "density".

import { PLANTED } from "./density_run.mjs";

/** Clusters at the moment shown, and how fast the fastest ripple has grown until then. */
export function densityPython({ state, sign, parts, winner: k }, m) {
  const { n, noise, seed, planted, beta } = state;
  const steps = m.k * parts;
  const ripple = planted > 0 ? ` - ${PLANTED} * np.sin(${planted} * grid) / ${planted}` : "";
  const V = sign > 0 ? "np.eye(2)" : "-np.eye(2)";
  return [
    "import numpy as np",
    "from tfdynlib import attention, flow, metastability, weights",
    "",
    `u, v = np.random.default_rng(${seed}).random((2, ${n}))`,
    `grid = 2 * np.pi * np.arange(${n}) / ${n}`,
    `a = grid${ripple} + ${noise} * np.sqrt(-2 * np.log(1 - u)) * np.cos(2 * np.pi * v)`,
    "x0 = np.column_stack([np.cos(a), np.sin(a)])",
    `heads = weights.Heads(B=np.eye(2), V=${V}, beta=${beta})`,
    `t = np.linspace(0, ${m.t}, ${steps + 1})`,
    steps === 0 ? "x = x0" : 'x = flow.solve(attention.field(heads), x0, t, "rk4").x[-1]',
    `size = lambda x: abs(np.mean((x[:, 0] + 1j * x[:, 1]) ** ${k}))`,
    "print(metastability.clusters(x, radius=0.1).max() + 1)",
    ...(steps === 0 ? [] : [`print(np.log(size(x) / size(x0)) / ${m.t})`]),
  ].join("\n");
}
