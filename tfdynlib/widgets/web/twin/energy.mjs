// The interaction energy and its slope, as tfdynlib.energy.
import { moments, project } from "./attention.mjs";

/** E of one head, 1/(2 beta) sum_ij m_i m_j e^{beta <B x_i, x_j>}. */
export function interaction(x, n, d, head, beta, mass) {
  return Math.exp(logInteraction(x, n, d, head, beta, mass));
}

/** log E, finite also where E itself is beyond the largest number. */
export function logInteraction(x, n, d, head, beta, mass) {
  const { shift, z } = moments(x, n, d, head.B, beta, mass);
  const top = Math.max(...shift);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (mass ? mass[i] : 1 / n) * z[i] * Math.exp(shift[i] - top);
  return top + Math.log(sum) - Math.log(2 * beta);
}

/** log E of several heads of equal masses: the mean over heads of E, shifted. */
export function logEnergy(x, n, d, heads, beta) {
  const each = heads.map((head) => logInteraction(x, n, d, head, beta));
  const top = Math.max(...each);
  return top + Math.log(each.reduce((sum, value) => sum + Math.exp(value - top), 0) / each.length);
}

/** Squared metric slope of one head, sum_i m_i |g_i|^2 / s_i, with g = P B int y e^{...}. */
export function slopeSquared(x, n, d, head, beta, mass) {
  const { shift, z, s } = moments(x, n, d, head.B, beta, mass);
  const g = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < d; r++) {
      for (let c = 0; c < d; c++) g[i * d + r] += head.B[c * d + r] * s[c][i];
    }
  }
  project(g, x, n, d);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (let k = 0; k < d; k++) square += g[i * d + k] ** 2;
    sum += ((mass ? mass[i] : 1 / n) * square * Math.exp(shift[i])) / z[i];
  }
  return sum;
}
