// What the gradient-flow theorem says about given heads.

import { minus } from "../kit/dom.mjs";

const SMALL = 1e-12;

const symmetric = (rows) =>
  rows.every((row, i) => row.every((v, j) => Math.abs(v - rows[j][i]) <= SMALL));

const equal = (a, b) => a.every((row, i) => row.every((v, j) => Math.abs(v - b[i][j]) <= SMALL));

/** The c with V = cB, or null. */
function multiple(B, V) {
  const [b, v] = [B.flat(), V.flat()];
  const k = b.reduce((top, value, i) => (Math.abs(value) > Math.abs(b[top]) ? i : top), 0);
  if (b[k] === 0) return v.every((value) => value === 0) ? 0 : null;
  const c = v[k] / b[k];
  return v.every((value, i) => Math.abs(value - c * b[i]) <= SMALL * (1 + Math.abs(c))) ? c : null;
}

const identity = (rows) => rows.every((row, i) => row.every((v, j) => v === (i === j ? 1 : 0)));

/** Facts about the heads: which hypotheses hold, and what follows for the energy. */
export function facts({ B, V, rule }) {
  const factors = B.map((rows, h) => multiple(rows, V[h]));
  const c = factors.every((f) => f !== null && f === factors[0]) ? factors[0] : null;
  const alike = B.every((rows, h) => equal(rows, B[0]) && equal(V[h], V[0]));
  const isSymmetric = B.every(symmetric);
  const needsAlike = rule === "softmax";
  const gradient =
    rule !== "hardmax" && isSymmetric && c !== null && (alike || !needsAlike);
  return {
    heads: B.length,
    symmetric: isSymmetric,
    factor: c,
    /** V is a multiple of B in every head, but not the same one. */
    mixed: c === null && factors.every((f) => f !== null),
    alike,
    needsAlike,
    gradient,
    /** B = V = I in every head: levels E_max / k mean k equal clusters. */
    identity: B.every(identity) && V.every(identity),
    still: V.every((rows) => rows.flat().every((v) => v === 0)),
  };
}

const factorText = (c) => minus(Number(c.toPrecision(3)));

/** The factor in words, and what it does to the energy where the theorem speaks. */
function direction({ factor: c, mixed, gradient }) {
  if (mixed) return "the heads differ in *c*";
  if (c === null) return "";
  if (c === 0) return "*V* = 0: nothing moves";
  const sign = c === 1 ? "plus sign" : c === -1 ? "minus sign" : `*c* = ${factorText(c)}`;
  return gradient ? `${sign}: energy ${c > 0 ? "climbs" : "falls"}` : sign;
}

const exact = ({ factor, mixed }) => !mixed && (factor === null || Math.abs(factor) === 1);

/** The four lamps: [state, detail, name]. */
export function lampsOf(found, rule) {
  const word = (yes) => (yes ? "holds" : "fails");
  const relation = exact(found)
    ? "*V* = ±*B* in every head"
    : "*V* = *cB*, the same *c* in every head";
  const alike =
    found.needsAlike || rule === "hardmax"
      ? [word(found.alike), ""]
      : ["unasked", "heads add up in the unnormalised rule"];
  const last = found.gradient
    ? ["holds", found.needsAlike ? "in the metric weighted by attention" : "in the plain metric"]
    : [
        "fails",
        rule === "hardmax"
          ? "hard choice has no energy at finite *β*"
          : "outside the hypotheses: energy need not be monotone",
      ];
  return [
    [word(found.symmetric), "", null],
    [word(found.factor !== null), direction(found), relation],
    [...alike, null],
    [...last, null],
  ];
}
