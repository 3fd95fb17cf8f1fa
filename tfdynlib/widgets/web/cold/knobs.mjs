// Sliders of the view "flow" that are more than a state key.

import { number } from "../kit/dom.mjs";
import { slider } from "../kit/slider.mjs";
import { headOf } from "../twin/attention.mjs";
import { eigenSymmetric, limitOf } from "../twin/cold.mjs";
import { matmul } from "../twin/linalg.mjs";
import { matricesOf } from "./flow_run.mjs";

const COLDEST = 1e4;

/** A card on which `key` stands for something else: read by `get`, written by `set`. */
function through(card, key, keys, get, set) {
  const other = Object.create(card);
  other.get = (asked) => (asked === key ? get() : card.get(asked));
  other.set = (values) => card.set(set(values[key]));
  other.on = (_keys, fn) => card.on(keys, fn);
  return other;
}

/** Inverse temperature, with infinity at its right end. */
export function betaSlider(card) {
  const get = () => (card.get("rule") === "softmax" ? Math.min(card.get("beta"), COLDEST) : COLDEST);
  const set = (v) => (v >= COLDEST ? { rule: "zero_temperature" } : { beta: v, rule: "softmax" });
  return slider(through(card, "beta", ["beta", "rule"], get, set), {
    key: "beta", symbol: "*β*", label: "inverse temperature", min: 1, max: COLDEST, scale: "log",
    format: (v) => (v >= COLDEST ? "∞" : number(v)),
  });
}

const inverse = (M, d) => {
  const A = Array.from({ length: d }, (_, r) => [...M.slice(r * d, r * d + d), ...Array.from({ length: d }, (_, k) => (k === r ? 1 : 0))]);
  for (let p = 0; p < d; p += 1) {
    let best = p;
    for (let r = p; r < d; r += 1) if (Math.abs(A[r][p]) > Math.abs(A[best][p])) best = r;
    [A[p], A[best]] = [A[best], A[p]];
    if (Math.abs(A[p][p]) < 1e-9) return null;
    for (let r = 0; r < d; r += 1) {
      if (r === p) continue;
      const by = A[r][p] / A[p][p];
      A[r] = A[r].map((v, k) => v - by * A[p][k]);
    }
  }
  return A.flatMap((row, r) => row.slice(d).map((v) => v / row[r]));
};

const rowsOf = (M, d) => Array.from({ length: d }, (_, r) => Array.from(M.slice(r * d, r * d + d), (v) => Number(v.toFixed(12)) + 0));
const isEye = (rows) => rows.every((row, i) => row.every((v, j) => v === (i === j ? 1 : 0)));

/**
 * The head with another gap: the dominant eigenvalues of M = V B move, its eigenvectors
 * stay.  V follows where B is the identity, else B.  Null where that cannot be.
 */
export function withGap(state, limit, gap) {
  const { d, B, V } = matricesOf(state);
  if (!limit.symmetric || limit.dim === d) return null;
  const head = headOf({ B, V });
  const pairs = eigenSymmetric(limit.M);
  const top = limit.values[limit.dim] + gap;
  const M = Array.from({ length: d * d }, (_, k) =>
    pairs.reduce((sum, { value, vector }, j) => sum + (j < limit.dim ? top : value) * vector[Math.floor(k / d)] * vector[k % d], 0));
  const turned = isEye(B) ? { V: M } : { B: inverse(head.V, d) && matmul(inverse(head.V, d), M) };
  const [key, found] = Object.entries(turned)[0];
  if (!found || found.some((v) => !Number.isFinite(v) || Math.abs(v) > 10)) return null;
  return { [key]: rowsOf(found, d) };
}

/** The gap of M; moving it moves the weights. */
export function gapSlider(card) {
  const limitNow = () => limitOf(headOf(matricesOf(card.values())));
  const get = () => Math.min(4, Math.max(0.05, limitNow().gap || 0.05));
  const set = (gap) => withGap(card.values(), limitNow(), gap) ?? {};
  return slider(through(card, "gap", ["B", "V"], get, set), {
    key: "gap", symbol: "*γ*", label: "gap of *M* = *VB*", min: 0.05, max: 4, scale: "log",
  });
}
