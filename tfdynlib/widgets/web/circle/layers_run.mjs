// Layers as Euler steps, the flow beside them, and the error of every number of layers.

import { headsOf } from "../twin/attention.mjs";
import { eulerStep, rk4Step } from "../twin/flow.mjs";
import * as model from "./model.mjs";

export const MOST = 96; // layers
export const FINE = 960; // rk4 steps of the flow: its error is far below that of any layers

/** L Euler steps: every layer's tokens. Without normalisation nothing is projected. */
function eulerPath(now, L) {
  const h = now.state.t_end / L;
  const path = [now.x0];
  for (let k = 0; k < L; k++) path.push(eulerStep(now.layer, k * h, path[k], h, now.n, 2, now.state.normalise));
  return path;
}

function flowPath({ field, x0, n, state }) {
  const h = state.t_end / FINE;
  const path = [x0];
  for (let k = 0; k < FINE; k++) path.push(rk4Step(field, k * h, path[k], h, n, 2));
  return path;
}

/** Largest distance of two sets of tokens: along arcs on the circle, else straight. */
function largestGap(x, y, arcs) {
  let top = 0;
  for (let k = 0; k < x.length; k += 2) {
    const apart = Math.hypot(x[k] - y[k], x[k + 1] - y[k + 1]);
    const far = Math.hypot(x[k] + y[k], x[k + 1] + y[k + 1]);
    top = Math.max(top, arcs ? 2 * Math.atan2(apart, far) : apart);
  }
  return top;
}

/** What follows from a state: both paths, the error at the end. */
export function prepare(state) {
  const heads = headsOf(state);
  const x0 = model.startTokens(state);
  const n = x0.length / 2;
  const { field } = model.flowOf(heads, state.beta, n);
  const layer = state.normalise ? field : model.flowOf(heads, state.beta, n, "euclidean").field;
  const now = { state, heads, x0, n, field, layer };
  now.flow = flowPath(now);
  now.path = eulerPath(now, state.layers);
  now.end = now.flow[FINE];
  now.error = largestGap(now.path.at(-1), now.end, state.normalise);
  now.longest = longest(now.path.at(-1));
  return now;
}

/** Length of the longest token: one on the circle. */
export function longest(x) {
  let top = 0;
  for (let k = 0; k < x.length; k += 2) top = Math.max(top, Math.hypot(x[k], x[k + 1]));
  return top;
}

/** Errors for L = 1 ... 96, worked off a few at a time. */
export function errorTable(now) {
  const errors = new Float64Array(MOST);
  let filled = 0;
  return {
    errors,
    get filled() { return filled; },
    advance(ms) {
      const end = performance.now() + ms;
      while (filled < MOST && performance.now() < end) {
        const last = eulerPath(now, filled + 1).at(-1);
        errors[filled] = Math.max(largestGap(last, now.end, now.state.normalise), 1e-16);
        filled += 1;
      }
      return filled < MOST;
    },
  };
}
