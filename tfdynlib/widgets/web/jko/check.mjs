// The numbers that Python's class ships for a state, made by the page.

import { proximal } from "../twin/proximal.mjs";
import { d } from "./run.mjs";

const SHORT = 1; // steps up to this length have one minimum that both sides find
const STEPS = 3; // of which energy and price are compared

/**
 * F and its gradient at the explicit step; for short steps the energy after each of the
 * first and what it left over.  Null while the run is not there.
 */
export function checked(state, run) {
  const { n, x0, heads, beta } = run.world;
  const aim = proximal(x0, n, d, heads(state.tau), beta, state.tau, state.weight);
  const { value, gradient } = aim.at(aim.firstGuess(Infinity));
  const out = [value, ...gradient];
  if (state.tau > SHORT) return out;
  if (run.filled < STEPS) return null;
  for (let k = 1; k <= STEPS; k++) out.push(run.energies[k], run.steps[k - 1].decrease);
  return out;
}
