// A mist of tokens on its way to drops: the run, its ripples, the linear theory, counts.

import { trajectory } from "../kit/trajectory.mjs";
import { leastWaves, scaledBessel } from "../twin/bessel.mjs";
import { clusters } from "../twin/clusters.mjs";
import { rk4Step } from "../twin/flow.mjs";
import { growthRates, lumps, mistAngles, mistVelocity, ripples } from "../twin/mist.mjs";
import { angles as anglesOf, onCircle } from "../twin/points.mjs";
import * as model from "./model.mjs";

export const PLANTED = 0.1; // size of a planted ripple
export const RIPPLES = 12; // that can be planted
export const SMALL = 0.2; // a ripple up to here is small: the linear theory is about it
const RADIUS = 0.1; // of a cluster, as everywhere in the book
const FRAMES = 500;
const TAIL = 1e-13; // of the series: the sum is 1/n at least, and n is 256 at most

/** Attention pulls (1) or pushes (-1). */
export const signOf = ({ V }) => (V[0][0][0] < 0 ? -1 : 1);

/** Sizes 2 |c_k| of the ripples k = 0 ... kmax. */
function sizesOf(x, kmax) {
  const { re, im } = ripples(x, kmax);
  return re.map((value, k) => 2 * Math.hypot(value, im[k]));
}

/** All that follows from a state. */
export function prepare(state) {
  const { beta, n, t_end: end } = state;
  const sign = signOf(state);
  const K = leastWaves(beta, TAIL);
  const kmax = Math.max(8, RIPPLES, Math.ceil(2 * Math.sqrt(2 * beta)));
  const waves = scaledBessel(beta, Math.max(K, kmax));
  const x0 = onCircle(Array.from(mistAngles(state, PLANTED)));
  const field = (t, x, out) => mistVelocity(x, waves, beta, sign, out);
  const times = Float64Array.from({ length: FRAMES + 1 }, (_, k) => (k * end) / FRAMES);
  const heads = [{ B: [1, 0, 0, 1], V: [sign, 0, 0, sign] }];
  const parts = Math.max(1, Math.ceil(end / FRAMES / model.longestStep(heads, beta) - 1e-9));
  const largest = (x) => Math.max(...sizesOf(x, kmax).subarray(1));
  const run = trajectory({
    times,
    dt: end / FRAMES / parts,
    start: x0,
    step: (x, t, h) => x.set(rk4Step(field, t, x, h, n, 2)),
    measure: largest,
  });
  const rates = growthRates(waves, beta, kmax).map((rate) => sign * rate);
  const winner = rates.reduce((best, rate, k) => (Math.abs(rate) > Math.abs(rates[best]) ? k : best), 1);
  return {
    state, sign, waves, x0, n, field, times, parts, dt: end / FRAMES / parts, run, rates, kmax, winner,
    starts: ripples(x0, kmax),
    sizes: sizesOf(x0, kmax),
    pace: (t) => run.values.subarray(0, run.filled).findIndex((value, k) => value > SMALL && times[k] <= t),
  };
}

/** Widest way between two tokens, as a chord. */
const spread = (angles) => Math.max(...angles.map((a) => Math.abs(Math.sin((a - angles[0]) / 2)) * 2));

/** One moment: tokens, counts, measured growth. */
export function momentOf(now, k) {
  const x = now.run.at(k);
  const t = now.times[k];
  const found = clusters(x, now.n, 2, RADIUS);
  const sizes = sizesOf(x, now.kmax);
  const grown = sizes.map((size, j) => (t > 0 && now.sizes[j] > 0 ? Math.log(size / now.sizes[j]) / t : NaN));
  const angles = anglesOf(x);
  return {
    k, x, t, found, sizes, grown, angles,
    clusters: found.count,
    chain: found.count === 1 && spread(angles) > 1,
    lumps: lumps(x, now.waves),
    small: now.run.values[k] <= SMALL,
  };
}

/** The density of the linear theory, uniform = 1, in `bins` directions; null when it is void. */
export function linearDensity(now, t, bins) {
  const growth = now.rates.map((rate) => Math.exp(rate * t));
  const { re, im } = now.starts;
  const sum = now.sizes.reduce((total, size, k) => (k > 0 ? total + size * growth[k] : 0), 0);
  if (sum > 1) return null;
  return Float64Array.from({ length: bins }, (_, b) => {
    const angle = (2 * Math.PI * (b + 0.5)) / bins;
    let value = 1;
    for (let k = 1; k <= now.kmax; k++)
      value += 2 * growth[k] * (re[k] * Math.cos(k * angle) - im[k] * Math.sin(k * angle));
    return value;
  });
}
