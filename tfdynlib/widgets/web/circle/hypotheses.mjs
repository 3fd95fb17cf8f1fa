// The lamps of the single-head gradient-flow theorem.

import { facts, lampsOf } from "../sphere/theorem.mjs";

/** Set the four lamps: symmetric B, V = ±B, equal heads, a start that moves. */
export function showHypotheses(lamps, { B, V }, restless) {
  const H = Math.min(B.length, V.length);
  const known = facts({ B: B.slice(0, H), V: V.slice(0, H), rule: "softmax" });
  lampsOf(known, "softmax").slice(0, 3).forEach((lamp, i) => lamps.set(i, ...lamp));
  if (!known.alike) lamps.set(2, "fails", "a mean of descents need not descend");
  if (restless > 1e-12) lamps.set(3, "holds", "");
  else lamps.set(3, "fails", "no pull above rounding, so a move would be rounding");
}
