// Error of the truncated sum for every number of waves, and the bounds that promise it.

import { linear } from "../kit/scale.mjs";
import { circleTail, leastWaves, scaledBessel } from "../twin/bessel.mjs";
import { coefficients, directSums, errorsOf, seriesOf, valuesOf } from "../twin/fourier.mjs";
import { generator } from "../twin/random.mjs";

export const GOAL = 1e-12; // what the lamp asks of the kernel
export const CHECKED = 256; // tokens at which sums are compared with all pairs
// What rounding leaves of a sum of unit terms: 64 units in the last place.
export const ROUNDING = 64 * 2 ** -52;
const LAST = 1e-15; // the chart ends where the bound is there

/** Angles of the start: n draws on an arc. */
export function anglesOf({ n, seed, arc }) {
  const rng = generator(seed);
  return Float64Array.from({ length: n }, () => arc * rng.random());
}

/** Where the tokens look: at themselves (B = I) or away (B = -I). */
export const gazeOf = (theta, sign) => (sign > 0 ? theta : theta.map((angle) => angle + Math.PI));

/** All that a state says, for every number of waves. */
export function prepare(state) {
  const theta = anglesOf(state);
  const r = state.beta;
  const psi = gazeOf(theta.subarray(0, CHECKED), state.sign);
  const most = leastWaves(r, LAST) + 2;
  const waves = scaledBessel(r, most);
  const series = seriesOf(coefficients(theta, most + 1), waves);
  const exact = directSums(theta, psi, r);
  const errors = errorsOf(series, psi, exact);
  const K = Float64Array.from({ length: most + 1 }, (_, k) => k);
  const tails = K.map((k) => circleTail(r, k));
  const promised = tails.map((tail, k) => certificate(tail, errors.least[k]));
  return {
    state, theta, psi, r, most, waves, series, exact, errors, K, tails, promised,
    need: leastWaves(r, GOAL),
    axis: linear(0, most),
  };
}

/** 2 (tail + rounding) / q, a bound of the error of every mean; infinite where it says nothing. */
export const certificate = (tail, q) => (q > tail + ROUNDING ? (2 * (tail + ROUNDING)) / q : Infinity);

/** The least error that is told from rounding: of a sum, of a mean. */
export const FLOORS = { sum: () => ROUNDING, mean: ({ least }) => (2 * ROUNDING) / least };

/** The numbers at one number of waves. */
export function momentOf(now, K) {
  const k = Math.min(Math.max(Math.round(K), 0), now.most);
  return {
    K: k,
    tail: now.tails[k],
    sum: now.errors.sum[k],
    mean: now.errors.mean[k],
    least: now.errors.least[k],
    promised: now.promised[k],
    refused: refusedAt(now, k),
  };
}

const ASKED = 1e-6;

/** Tokens whose certificate does not reach 10⁻⁶: they need all pairs. */
function refusedAt(now, k) {
  const z = valuesOf(now.series[0], now.psi, k);
  return z.reduce((count, q) => count + (certificate(now.tails[k], q) > ASKED ? 1 : 0), 0);
}

/** The sum in `count` directions, by K waves. */
export function fieldOf(now, K, count) {
  const psi = Float64Array.from({ length: count }, (_, k) => (2 * Math.PI * k) / count);
  return valuesOf(now.series[0], psi, K);
}
