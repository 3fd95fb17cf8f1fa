// How far the page is from Python, measured on what the Python class ships.

import { doubles, largestDifference } from "../kit/passport.mjs";
import { angularVelocity } from "../twin/stairs.mjs";
import { onCircle } from "../twin/points.mjs";

/** Largest difference of the first velocity and of tokens at 1, 10, 100, ...; or null. */
export function checked(reference, { run, y0, n, head, state }) {
  if ((reference.times.at(-1) ?? 0) > run.filled) return null;
  const mass = new Float64Array(n).fill(1 / n);
  const speed = angularVelocity(y0, mass, head, state.beta);
  const x = onCircle(y0);
  const v = x.map((_, k) => (k % 2 === 0 ? -x[k + 1] * speed[k / 2] : x[k - 1] * speed[(k - 1) / 2]));
  const tokens = doubles(reference.tokens);
  return Math.max(
    largestDifference(v, doubles(reference.velocity)),
    ...reference.times.map((t, k) =>
      largestDifference(onCircle(run.tokens(t)), tokens.subarray(2 * n * k, 2 * n * (k + 1)))),
  );
}
