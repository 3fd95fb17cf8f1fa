// The softmax field of one head at any temperature: rows with their own shift, and terms
// below e^{-40} of the largest left out, which no double of the sum would show.

import { project, velocity } from "./attention.mjs";

const CUT = 40;

// e^{-u} for 0 <= u <= CUT from a table of e^{-k/64} and six terms: two units of rounding,
// in a third of the time.
const STEPS = 64;
const TABLE = Float64Array.from({ length: CUT * STEPS + 1 }, (_, k) => Math.exp(-k / STEPS));

/** Velocity of n tokens on the sphere of R^d under one head, into `out`. */
export function softmaxField(x, n, d, { B, V }, beta, mass, out) {
  const [x0, x1, x2] = [0, 1, 2].map(() => new Float64Array(n));
  for (let i = 0; i < n; i += 1) {
    x0[i] = x[i * d];
    x1[i] = x[i * d + 1];
    if (d === 3) x2[i] = x[i * d + 2];
  }
  const score = new Float64Array(n);
  const m = [0, 0, 0];
  for (let i = 0; i < n; i += 1) {
    const q = [0, 0, 0];
    for (let r = 0; r < d; r += 1) for (let k = 0; k < d; k += 1) q[r] += beta * B[r * d + k] * x[i * d + k];
    const [a, b, c] = q;
    let top = -Infinity;
    for (let j = 0; j < n; j += 1) {
      const s = a * x0[j] + b * x1[j] + c * x2[j];
      score[j] = s;
      if (s > top) top = s;
    }
    let [z, u, v, w] = [0, 0, 0, 0];
    for (let j = 0; j < n; j += 1) {
      const far = top - score[j];
      if (far > CUT) continue;
      const k = (far * STEPS) | 0;
      const r = k / STEPS - far;
      const e = mass[j] * TABLE[k] * (1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r / 720))))));
      z += e;
      u += e * x0[j];
      v += e * x1[j];
      w += e * x2[j];
    }
    [m[0], m[1], m[2]] = [u / z, v / z, w / z];
    for (let r = 0; r < d; r += 1) {
      let sum = 0;
      for (let k = 0; k < d; k += 1) sum += V[r * d + k] * m[k];
      out[i * d + r] = sum;
    }
  }
  return project(out, x, n, d);
}

/** The field of a rule as `(x, out) => out`. */
export function fieldOf(rule, n, d, head, beta, mass) {
  if (rule === "softmax") return (x, out) => softmaxField(x, n, d, head, beta, mass, out);
  return (x, out) => velocity(x, n, d, [head], { beta, rule, mass }, out);
}
