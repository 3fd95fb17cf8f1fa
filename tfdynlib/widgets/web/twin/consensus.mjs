// Consensus-based optimisation of particles with masses on a line, without noise.

import { adaptive } from "./adaptive.mjs";

export const [NODES, REACH] = [161, 6]; // particles, and the standard deviations they cover
const TOLERANCE = 1e-10;

export const LANDSCAPES = {
  quadratic: { height: (y) => (y - 1) ** 2 / 2, wells: [1] },
  double_well: { height: (y) => (y * y - 1) ** 2 / 4, wells: [-1, 1] },
};

/** Even places with the masses of N(m0, spread). */
export function startOf({ m0, spread }) {
  const z = Float64Array.from({ length: NODES }, (_, k) => -REACH + (2 * REACH * k) / (NODES - 1));
  const weight = z.map((v) => Math.exp((-v * v) / 2));
  const total = weight.reduce((sum, w) => sum + w, 0);
  return { x: z.map((v) => m0 + Math.sqrt(spread) * v), mass: weight.map((w) => w / total) };
}

/** The mean that each particle hears: one for all, or with a kernel each its own. */
export function meansOf(x, mass, { objective, alpha, kernel }) {
  const { height } = LANDSCAPES[objective];
  const score = x.map((y, j) => Math.log(mass[j]) - alpha * height(y));
  const mean = (add) => {
    let top = -Infinity;
    const s = score.map((value, j) => value + add(j));
    for (const value of s) top = Math.max(top, value);
    let [sum, first] = [0, 0];
    for (let j = 0; j < x.length; j += 1) {
      const w = Math.exp(s[j] - top);
      sum += w;
      first += w * x[j];
    }
    return first / sum;
  };
  if (kernel === 0) return new Float64Array(x.length).fill(mean(() => 0));
  return x.map((at) => mean((j) => -((at - x[j]) ** 2) / (2 * kernel * kernel)));
}

/** The run x' = m(x) - x, worked off in slices. */
export function consensus(state, end) {
  const { x, mass } = startOf(state);
  const field = (y) => meansOf(y, mass, state).map((m, i) => m - y[i]);
  return { mass, run: adaptive(field, x, end, TOLERANCE) };
}

/** The mean of a Gaussian under f = (y - a)^2 / 2 at the time t; Infinity is welcome. */
export function gaussianMean(m0, spread, a, alpha, t) {
  const now = spread * Math.exp(-2 * t);
  return a - (a - m0) * Math.sqrt((1 + alpha * now) / (1 + alpha * spread));
}
