// Many tokens on the circle for B = I, V = ±I: start, field by waves, ripples, their rates.

import { generator } from "./random.mjs";

const TURN = 2 * Math.PI;

/**
 * Angles of a regular grid with Gaussian noise, and a ripple: a density 1 + size cos(k a).
 *
 * Normal numbers come in pairs of uniform ones (Box and Muller), as Python draws them.
 */
export function mistAngles({ n, noise, seed, planted }, size) {
  const rng = generator(seed);
  const u = Array.from({ length: 2 * n }, () => rng.random());
  return Float64Array.from({ length: n }, (_, j) => {
    const normal = Math.sqrt(-2 * Math.log(1 - u[j])) * Math.cos(TURN * u[n + j]);
    const grid = (TURN * j) / n;
    const ripple = planted > 0 ? (size * Math.sin(planted * grid)) / planted : 0;
    return grid - ripple + noise * normal;
  });
}

/** Coefficients mean_j e^{-i k theta_j}, k = 0 ... K, of tokens x (rows cos, sin). */
export function ripples(x, K) {
  const n = x.length / 2;
  const re = new Float64Array(K + 1);
  const im = new Float64Array(K + 1);
  for (let j = 0; j < n; j++) {
    const [c, s] = [x[2 * j], x[2 * j + 1]];
    let u = 1, v = 0;
    for (let k = 0; k <= K; k++) {
      re[k] += u;
      im[k] -= v;
      const next = u * c - v * s;
      v = u * s + v * c;
      u = next;
    }
  }
  return { re: re.map((value) => value / n), im: im.map((value) => value / n) };
}

/**
 * The velocity sign / beta d/da log s at every token, as a tangent vector; `waves` are
 * e^{-beta} I_k(beta), k = 0 ... K, with K large enough for the tail to be rounding.
 */
export function mistVelocity(x, waves, beta, sign, out) {
  const K = waves.length - 1;
  const { re, im } = ripples(x, K);
  for (let k = 0; k <= K; k++) {
    const weight = (k === 0 ? 1 : 2) * waves[k];
    re[k] *= weight;
    im[k] *= -weight;
  }
  for (let j = 0; j < x.length; j += 2) {
    const [c, s] = [x[j], x[j + 1]];
    let u = 1, v = 0, value = 0, slope = 0;
    for (let k = 0; k <= K; k++) {
      value += re[k] * u + im[k] * v;
      slope += k * (im[k] * u - re[k] * v);
      const next = u * c - v * s;
      v = u * s + v * c;
      u = next;
    }
    const speed = (sign * slope) / (beta * value);
    out[j] = -speed * s;
    out[j + 1] = speed * c;
  }
  return out;
}

/** Growth rates k^2 I_k / (beta I_0), k = 0 ... kmax, as tfdynlib.density.growth_rates. */
export const growthRates = (waves, beta, kmax) =>
  Float64Array.from({ length: kmax + 1 }, (_, k) => (k * k * waves[k]) / (beta * waves[0]));

/** How many maxima the smoothed density s has round the circle. */
export function lumps(x, waves, points = 720) {
  const K = waves.length - 1;
  const { re, im } = ripples(x, K);
  let count = 0;
  let before = null;
  let first = null;
  for (let p = 0; p < points; p++) {
    const angle = (TURN * p) / points;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    let u = 1, v = 0, slope = 0;
    for (let k = 0; k <= K; k++) {
      slope += k * waves[k] * (-im[k] * u - re[k] * v);
      const next = u * c - v * s;
      v = u * s + v * c;
      u = next;
    }
    const up = slope > 0;
    if (before && !up) count += 1;
    first ??= up;
    before = up;
  }
  return count + (before && !first ? 1 : 0);
}
