// The numbers that Python's class ships for a state, made by the page.

import { METHODS } from "./run.mjs";
import { weightsAt } from "../twin/control.mjs";

const SHARES = [0, 0.3, 0.8]; // of T, where weights and moments are compared

/**
 * Ranks and the least cost; of every method that can be, its costs, and weights, mean and
 * covariance at a few times.  Those of the method shown come from following the weights.
 */
export function checked(run) {
  const out = [...run.ranks, run.least];
  for (const name of METHODS) {
    const path = run.paths[name];
    if (path.refused) continue;
    out.push(run.costs[name].weight, run.costs[name].kinetic);
    for (const share of SHARES) {
      const { A, B, V, b } = weightsAt(path, share * run.T);
      out.push(...A, ...B, ...V, ...b);
    }
  }
  if (!run.refused)
    for (const share of SHARES) {
      const { mean, cov } = run.at(share * run.T);
      out.push(...mean, ...cov);
    }
  return out;
}
