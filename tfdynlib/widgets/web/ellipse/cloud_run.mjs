// View "cloud": tokens on a line beside the equation of their variance.

import { scalar, scalarBlowUp } from "../twin/gaussian.mjs";
import { generator } from "../twin/random.mjs";
import { softMeanParts } from "../twin/softmean.mjs";

export const STEP = 0.01;
const LONGEST = 2; // a run of many tokens is kept whole

/** The end of the run. */
export const endOf = ({ t_end: end }) => Math.min(end, LONGEST);

/** A sample of exactly mean 0 and variance s0. */
export function tokensOf({ n, seed, s0 }) {
  const rng = generator(seed);
  const z = Float64Array.from({ length: n }, () => rng.normal());
  const mean = z.reduce((sum, v) => sum + v, 0) / n;
  const square = z.reduce((sum, v) => sum + (v - mean) ** 2, 0) / n;
  return z.map((v) => ((v - mean) / Math.sqrt(square)) * Math.sqrt(s0));
}

export function varianceOf(x) {
  const mean = x.reduce((sum, v) => sum + v, 0) / x.length;
  return x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / x.length;
}

/** Steps of the classical method of order four, in small parts. */
function* march({ a, vk }, x, steps, store) {
  const n = x.length;
  const stages = Array.from({ length: 4 }, () => new Float64Array(n));
  const y = new Float64Array(n);
  const weights = [0, 0.5, 0.5, 1];
  for (let step = 0; step < steps; step += 1) {
    for (let s = 0; s < 4; s += 1) {
      for (let i = 0; i < n; i += 1) y[i] = x[i] + (s ? STEP * weights[s] * stages[s - 1][i] : 0);
      yield* softMeanParts(y, 1, stages[s]);
      for (let i = 0; i < n; i += 1) stages[s][i] = a * y[i] + vk * stages[s][i];
    }
    for (let i = 0; i < n; i += 1)
      x[i] += (STEP / 6) * (stages[0][i] + 2 * stages[1][i] + 2 * stages[2][i] + stages[3][i]);
    store();
  }
}

/** The run of a state, worked off by `advance(ms)`. */
export function cloudOf(state) {
  const { a, vk, s0, n } = state;
  const steps = Math.max(1, Math.round(endOf(state) / STEP));
  const frames = new Float64Array((steps + 1) * n);
  const times = Float64Array.from({ length: steps + 1 }, (_, k) => k * STEP);
  const variance = new Float64Array(steps + 1);
  const x = tokensOf(state);
  let filled = 0;
  const store = () => {
    frames.set(x, filled * n);
    variance[filled] = varianceOf(x);
    filled += 1;
  };
  store();
  const work = march(state, x, steps, store);
  const wall = scalarBlowUp(a, vk, s0);
  return {
    state, times, variance, wall,
    law: (t) => scalar(a, vk, s0, t),
    at: (k) => frames.subarray(k * n, (k + 1) * n),
    get filled() { return filled; },
    index: (t) => Math.min(filled - 1, Math.floor(t / STEP + 1e-6)),
    advance(ms) {
      const until = performance.now() + ms;
      while (performance.now() < until) if (work.next().done) return false;
      return filled <= steps;
    },
  };
}
