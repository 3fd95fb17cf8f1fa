// Runs into deep layer-time: tokens on the circle that go on as one once they have met.
//
// As tfdynlib.flow.solve with method "dopri5" and the option `merge`.  What makes a late
// step short is only the contraction inside a cluster (rate about 1); when its tokens are
// one, the next steps are as long as the wait of the clusters, so that t = 1e8 is near.

import { adaptive } from "./adaptive.mjs";

const TURN = 2 * Math.PI;
const ATOL = 1e-10; // as in flow.solve
const SLACK = 100; // tokens meet within this many tolerances: more than a step may err
const MOST = 6000; // trials of steps; a run that merges takes some hundreds
const NOTHING = -60; // e^-60 of a pull moves nothing in 1e9 units of layer-time by 1e-16

/** Signed shortest turn from angle a to angle b. */
const arc = (a, b) => b - a - TURN * Math.round((b - a) / TURN);

/** The radius within which tokens become one: larger than what one step may err. */
export const mergeRadius = (rtol) => Math.min(SLACK * rtol, 0.01);

/**
 * The angular velocity of tokens at the angles y with masses m under one softmax head.
 *
 * With t_i the tangent at x_i: t_i . V x_i + sum_j a_ij t_i . V (x_j - x_i).  Seen from
 * x_i, what a token sends to itself is exactly 0, however small the other weights are.
 */
export function angularVelocity(y, m, { B, V }, beta) {
  const n = y.length;
  const [c, s, score] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    c[i] = Math.cos(y[i]);
    s[i] = Math.sin(y[i]);
  }
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const p = beta * (B[0] * c[i] + B[1] * s[i]);
    const q = beta * (B[2] * c[i] + B[3] * s[i]);
    let top = -Infinity;
    for (let j = 0; j < n; j++) {
      score[j] = p * c[j] + q * s[j];
      if (score[j] > top) top = score[j];
    }
    let [z, u, w] = [0, 0, 0];
    for (let j = 0; j < n; j++) {
      const less = score[j] - top;
      if (less < NOTHING) continue;
      const e = m[j] * Math.exp(less);
      z += e;
      u += e * (c[j] - c[i]);
      w += e * (s[j] - s[i]);
    }
    const [a, b] = [c[i] + u / z, s[i] + w / z];
    // V = v I pulls along x_i by nothing: its part is taken of the difference only
    const v = (V[0] + V[3]) / 2;
    const [d, f, g] = [(V[0] - V[3]) / 2, V[1], V[2]];
    out[i] = (v * (c[i] * w - s[i] * u)) / z + c[i] * (g * a - d * b) - s[i] * (d * a + f * b);
  }
  return out;
}

/** Labels of the chains of angles with steps of at most `radius`, numbered by first token. */
export function chains(y, radius) {
  const n = y.length;
  const order = Array.from(y, (_, i) => i);
  const at = Float64Array.from(y, (a) => a - TURN * Math.floor(a / TURN));
  order.sort((i, j) => at[i] - at[j]);
  const cuts = order.map((i, k) => {
    const before = order[(k + n - 1) % n];
    return at[i] - at[before] + (k === 0 ? TURN : 0) > radius;
  });
  const first = cuts.indexOf(true);
  const chain = new Int32Array(n);
  if (first < 0) return { labels: chain, count: 1 };
  let count = -1;
  for (let k = 0; k < n; k++) {
    if (cuts[(first + k) % n]) count += 1;
    chain[order[(first + k) % n]] = count;
  }
  return renumbered(chain);
}

/** Labels by the order of their first tokens. */
export function renumbered(chain) {
  const names = new Map();
  const labels = Int32Array.from(chain, (label) => {
    if (!names.has(label)) names.set(label, names.size);
    return names.get(label);
  });
  return { labels, count: names.size };
}

/** Centres of mass of the labelled angles; one that is alone keeps all its digits. */
function centres(y, mass, { labels, count }) {
  const out = new Float64Array(count).fill(NaN);
  const total = new Float64Array(count);
  const first = new Float64Array(count);
  const walk = new Float64Array(count);
  labels.forEach((label, i) => {
    if (Number.isNaN(out[label])) first[label] = out[label] = y[i];
    total[label] += mass[i];
    walk[label] += mass[i] * arc(first[label], y[i]);
  });
  return { y: out.map((_, k) => first[k] + (walk[k] === 0 ? 0 : walk[k] / total[k])), mass: total };
}

/**
 * The angles after those within `radius` of one another have met, or null if none is.
 *
 * A chain too long for one place (a token further than the radius from its centre)
 * stays as it is.
 */
export function met(y, mass, radius) {
  let found = chains(y, radius);
  if (found.count === y.length) return null;
  let joined = centres(y, mass, found);
  const far = new Set();
  y.forEach((a, i) => {
    const label = found.labels[i];
    if (Math.abs(arc(a, joined.y[label])) > radius) far.add(label);
  });
  if (far.size > 0) {
    found = renumbered(found.labels.map((label, i) => (far.has(label) ? y.length + i : label)));
    if (found.count === y.length) return null;
    joined = centres(y, mass, found);
  }
  return { ...joined, labels: found.labels };
}

/**
 * Tokens of equal masses from the angles y0 up to the time `end`, tolerance `rtol`.
 *
 * @returns the run of adaptive.mjs with `tokens(t)`, the angle of every token of the start,
 *   and `rows(t)`, `{ y, mass, place }`: those still apart, and which of them holds a token
 */
export function coldRun(y0, head, beta, end, rtol = 1e-11) {
  const n = y0.length;
  const radius = mergeRadius(rtol);
  let mass = new Float64Array(n).fill(1 / n);
  let place = Int32Array.from({ length: n }, (_, i) => i);
  let start = Float64Array.from(y0);
  const first = met(start, mass, radius);
  if (first) [start, mass, place] = [first.y, first.mass, first.labels];
  const held = [{ mass, place }]; // of each step
  const join = (y) => {
    const now = met(y, mass, radius);
    if (now) [mass, place] = [now.mass, place.map((row) => now.labels[row])];
    held.push({ mass, place });
    return now?.y ?? null;
  };
  const f = (y) => angularVelocity(y, mass, head, beta);
  const run = adaptive(f, start, end, rtol + ATOL, { join, most: MOST });
  const rows = (t) => ({ y: run.at(t), ...held[run.step(t)] });
  const tokens = (t) => {
    const { y, place: row } = rows(t);
    return Float64Array.from(row, (k) => y[k]);
  };
  return Object.assign(run, { rows, tokens, radius, rtol, n });
}
