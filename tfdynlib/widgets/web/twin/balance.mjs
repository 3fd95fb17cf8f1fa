// The account of the energy under moving symmetric heads, as tfdynlib.energy and .weights.
//
// At inverse temperature 1, equal masses of heads and tokens, V = -D (sign -1, descent) or
// V = D (sign 1, ascent). Tokens are row-major, n rows of d = 2 or 3; a list of heads is a
// list of flat d x d matrices.

import { identity } from "./linalg.mjs";
import { project } from "./attention.mjs";

const SINE = -Math.PI / 2; // sin s = cos(s - pi/2)
// size cos(w s + angle) on top of 2 I, entry by entry
const TARGETS = {
  2: { size: [1.5, 1, 1, 1.5], w: [1, 2, 2, 1], angle: [0, SINE, SINE, Math.PI] },
  3: {
    size: [1.5, 1, 1, 1, 1.5, 1, 1, 1, 1.5],
    w: [1, 2, 1, 2, 1, 2, 1, 2, 1],
    angle: [0, SINE, SINE, SINE, SINE, 0, SINE, 0, Math.PI / 4],
  },
};

/** The oscillating target of head h of H at time t, phases spread evenly over a turn. */
export function target(d, t, h, H) {
  const { size, w, angle } = TARGETS[d];
  const s = t + (2 * Math.PI * h) / H;
  return identity(d).map((one, k) => 2 * one + size[k] * Math.cos(w[k] * s + angle[k]));
}

/** Below this step the variance of what the two integrals do not share is a series. */
const SHORT = 0.05;

/** h - 2 tanh(h / 2): variance of W(h) given the faded integral. */
const unshared = (h) =>
  h < SHORT ? h ** 3 * (1 / 12 - h ** 2 / 120 + (17 * h ** 4) / 20160) : h - 2 * Math.tanh(h / 2);

/** One symmetric matrix (Z + Z^T) / 2 of normal numbers, for each of H heads. */
function symmetricNormals(rng, H, d) {
  return Array.from({ length: H }, () => {
    const z = Array.from({ length: d * d }, () => rng.normal());
    return z.map((_, k) => (z[k] + z[(k % d) * d + Math.floor(k / d)]) / 2);
  });
}

/** The noise g W(h) of H heads, drawn as tfdynlib.weights draws it from the same seed. */
export function noise(rng, H, d, h, noiseVar) {
  const [first, second] = [symmetricNormals(rng, H, d), symmetricNormals(rng, H, d)];
  const g = Math.sqrt(noiseVar);
  const shared = -Math.expm1(-h) / Math.sqrt(-Math.expm1(-2 * h) / 2);
  const own = Math.sqrt(unshared(h));
  return first.map((matrix, k) => matrix.map((v, e) => g * (shared * v + own * second[k][e])));
}

/**
 * What one head sees: s_i = mean_j e^{<D x_i, x_j>}, the mean of e x_j, and the mean over
 * all pairs of e (1 + <x_i, x_j>^2).
 */
function look(x, n, d, D) {
  const s = new Float64Array(n);
  const p = new Float64Array(n * d);
  let noisy = 0;
  const q = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < d; r++) {
      q[r] = 0;
      for (let c = 0; c < d; c++) q[r] += D[r * d + c] * x[i * d + c];
    }
    for (let j = 0; j <= i; j++) {
      let score = 0;
      let u = 0;
      for (let c = 0; c < d; c++) {
        score += q[c] * x[j * d + c];
        u += x[i * d + c] * x[j * d + c];
      }
      const e = Math.exp(score) / n;
      noisy += (i === j ? 1 : 2) * e * (1 + u * u);
      s[i] += e;
      for (let c = 0; c < d; c++) p[i * d + c] += e * x[j * d + c];
      if (i === j) continue;
      s[j] += e;
      for (let c = 0; c < d; c++) p[j * d + c] += e * x[i * d + c];
    }
  }
  return { s, p, noisy: noisy / n };
}

/** The slope of one head at each token, P_x D times the mean of e x_j. */
function slope(x, n, d, D, { p }) {
  const g = new Float64Array(n * d);
  for (let i = 0; i < n; i++)
    for (let r = 0; r < d; r++)
      for (let c = 0; c < d; c++) g[i * d + r] += D[r * d + c] * p[i * d + c];
  return project(g, x, n, d);
}

/**
 * Everything the account needs at one moment: velocity `v`, `energy`, `lost` (the rate at
 * which the energy falls at frozen weights, exactly), `coded` (the action of v, with the
 * sign of a loss: what the public code books), `ito(noiseVar)`, and `push(F)`, the rate of
 * the energy at held tokens when the heads move with F.
 */
export function rates(x, n, d, heads, { sign = -1, rule = "softmax" } = {}) {
  const m = 1 / heads.length;
  const seen = heads.map((D) => look(x, n, d, D));
  const g = heads.map((D, h) => slope(x, n, d, D, seen[h]));
  const v = new Float64Array(n * d);
  let [lost, action, energy] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    let price = 0;
    for (const { s } of seen) {
      price += m / s[i];
      energy += (m * s[i]) / (2 * n);
    }
    for (let k = i * d; k < (i + 1) * d; k++) {
      let [mean, soft] = [0, 0];
      for (let h = 0; h < heads.length; h++) {
        mean += m * g[h][k];
        soft += (m * g[h][k]) / seen[h].s[i];
      }
      v[k] = sign * (rule === "gradient" ? price * mean : soft);
      lost -= (mean * v[k]) / n;
      action += (v[k] * v[k]) / (price * n);
    }
  }
  return {
    v,
    energy,
    lost,
    coded: -sign * action,
    ito: (noiseVar) => seen.reduce((sum, { noisy }) => sum + (m * noiseVar * noisy) / 8, 0),
    push: (F) => F.reduce((sum, matrix, h) => sum + m * pushed(x, n, d, matrix, seen[h].p), 0),
  };
}

function pushed(x, n, d, F, p) {
  let sum = 0;
  for (let i = 0; i < n; i++)
    for (let r = 0; r < d; r++)
      for (let c = 0; c < d; c++) sum += p[i * d + r] * F[r * d + c] * x[i * d + c];
  return sum / (2 * n);
}
