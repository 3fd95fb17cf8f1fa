// Two clouds that differ a little, moved together: heads, starts, distance, and the bound.

import { evenTimes, trajectory } from "../kit/trajectory.mjs";
import { headsOf } from "../twin/attention.mjs";
import { eigenvalues, matmul, transpose } from "../twin/linalg.mjs";
import { rk4Step } from "../twin/flow.mjs";
import { paired, startOf, STEP, stepLength, velocityOf } from "./run.mjs";

const FRAMES = 2000;

const scaled = (list, c) => list.map((rows) => rows.map((row) => row.map((v) => c * v)));

/** Entries on a grid of `bits` bits, symmetric about zero, the largest entry on it. */
function rounded(rows, bits) {
  const top = Math.max(...rows.flat().map(Math.abs));
  if (top === 0) return rows;
  const levels = 2 ** (bits - 1) - 1;
  return rows.map((row) => row.map((v) => (Math.floor((v / top) * levels + 0.5) / levels) * top));
}

/** Weights of both clouds: `{ one, two }`, each `{ B, V }`. */
export function weightsOf({ B, V, change, size, bits }) {
  if (change === "sign")
    return {
      one: { B: scaled(B, size), V: scaled(V, size) },
      two: { B: scaled(B, -size), V: scaled(V, -size) },
    };
  if (change === "weights")
    return {
      one: { B, V },
      two: { B: B.map((M) => rounded(M, bits)), V: V.map((M) => rounded(M, bits)) },
    };
  return { one: { B, V }, two: { B, V } };
}

/** The start with token 0 moved along its parallel, eastwards, by an arc of `size`. */
export function nudged(x, size) {
  const y = Float64Array.from(x);
  const [a, b] = x;
  const r = Math.hypot(a, b);
  const east = r > 0 ? [-b / r, a / r, 0] : [1, 0, 0];
  for (let k = 0; k < 3; k += 1) y[k] = Math.cos(size) * x[k] + Math.sin(size) * east[k];
  return y;
}

/** Operator norm of a flat 3 x 3 matrix. */
const norm = (M) => Math.sqrt(Math.max(0, eigenvalues(matmul(transpose(M), M))[0].re));

const mean = (list) => list.reduce((sum, v) => sum + v, 0) / list.length;

/** The Lipschitz constant of `stability.geodesic_constant`. */
export const lipschitz = (heads, beta) =>
  mean(heads.map(({ B, V }) => {
    const R = beta * norm(B);
    return norm(V) * (1 + R + (1 + 2 * R) * Math.cosh(Math.min(R, 300)));
  }));

/** How far the two fields are apart at one cloud, at most: `stability.field_gap`. */
const fieldGap = (one, two, beta) => {
  const less = (A, C) => A.map((v, k) => v - C[k]);
  return mean(one.map((head, h) =>
    norm(less(head.V, two[h].V)) + norm(two[h].V) * beta * norm(less(head.B, two[h].B))));
};

/** Root mean square arc between tokens of the same number; both clouds in one array. */
export function distanceOf(both) {
  const m = both.length / 2;
  let sum = 0;
  for (let k = 0; k < m; k += 3) {
    const chord = Math.hypot(
      both[k] - both[m + k], both[k + 1] - both[m + k + 1], both[k + 2] - both[m + k + 2]);
    sum += (2 * Math.asin(Math.min(1, chord / 2))) ** 2;
  }
  return Math.sqrt(sum / (m / 3));
}

/** Everything that follows from a state. */
export function twinsOf(given) {
  const state = paired(given);
  const { n, beta, rule, change } = state;
  const { one, two } = weightsOf(state);
  const [first, second] = [headsOf(one), headsOf(two)];
  const dt = stepLength({ ...state, B: [...one.B, ...two.B], V: [...one.V, ...two.V] });
  const start = startOf(state);
  const both = new Float64Array(6 * n);
  both.set(start);
  both.set(change === "prompt" ? nudged(start, state.size) : start, 3 * n);
  const fields = [first, second].map((heads) => (t, x) => velocityOf(x, heads, { n, beta, rule }));
  const spacing = STEP * Math.ceil(state.t_end / STEP / FRAMES);
  const run = trajectory({
    times: dt === null ? Float64Array.of(0) : evenTimes(state.t_end, spacing),
    dt: dt ?? STEP,
    start: both,
    step(x, t, h) {
      fields.forEach((field, k) => {
        const part = x.subarray(3 * n * k, 3 * n * (k + 1));
        part.set(rk4Step(field, t, part, h, n, 3));
      });
    },
    measure: distanceOf,
  });
  const L = lipschitz(first, beta);
  const gap = change === "prompt" ? 0 : fieldGap(first, second, beta);
  const before = run.values[0];
  return {
    state, run, dt, L, gap, before,
    spacing: run.times[1] ?? STEP,
    softmax: rule === "softmax",
    /** log10 of e^{Lt} d(0) + δ (e^{Lt} - 1) / L. */
    bound(t) {
      const grown = before + (L === 0 ? gap * t : (gap / L) * -Math.expm1(-L * t));
      return (L * t) / Math.LN10 + Math.log10(grown);
    },
  };
}
