// What a state of the figure means: tokens at the start, steps, the kind of heads.

import { rk4Step } from "../twin/flow.mjs";
import { frobenius } from "../twin/linalg.mjs";
import { angles as anglesOf, onCircle, uniformCircle } from "../twin/points.mjs";
import { velocity } from "../twin/attention.mjs";

/** Angles of the start: given ones, a gap symmetric about the first axis, or a draw. */
export function startAngles({ start, angles, gap, n, seed }) {
  if (start === "angles") return angles;
  if (start === "gap") return [-gap / 2, gap / 2];
  return anglesOf(uniformCircle(n, seed));
}

/** Tokens at the start; a draw keeps its own sines and cosines, bit for bit. */
export function startTokens(state) {
  if (state.start === "uniform") return uniformCircle(state.n, state.seed);
  return onCircle(startAngles(state));
}

/**
 * The longest step for these weights, at most a half.
 *
 * |V| (1 + beta |B| / 4), in Frobenius norms, is more than how fast neighbours part or
 * meet. Twice its inverse is well inside the stability of RK4 (2.78 over the true rate)
 * and, since frames are closer together while much happens, accurate.
 */
export function longestStep(heads, beta) {
  const rates = heads.map(({ B, V }) => frobenius(V) * (1 + (beta * frobenius(B)) / 4));
  return Math.min(0.5, 2 / Math.max(...rates));
}

/** The softmax field of these heads, and one step of it in place. */
export function flowOf(heads, beta, n, space = "sphere") {
  const field = (t, x, out) => velocity(x, n, 2, heads, { beta, space }, out);
  return { field, step: (x, t, h) => x.set(rk4Step(field, t, x, h, n, 2)) };
}

const equal = (A, C, sign = 1) => A.every((entry, k) => entry === sign * C[k]);

/** +1 if V = B in every head (ascent), -1 if V = -B (descent), 0 if neither. */
export function signOf(heads) {
  return [1, -1].find((sign) => heads.every(({ B, V }) => equal(V, B, sign))) ?? 0;
}

/** Whether B = I and V = sign I in every head: what the closed forms are about. */
export const isPlain = (heads, sign) =>
  heads.every(({ B, V }) => equal(B, [1, 0, 0, 1]) && equal(V, [sign, 0, 0, sign]));

/** Length of the fastest token's velocity. */
export function fastest(v) {
  let top = 0;
  for (let k = 0; k < v.length; k += 2) top = Math.max(top, Math.hypot(v[k], v[k + 1]));
  return top;
}
