// Numbers of any size as a reader writes them.

import { minus } from "../kit/dom.mjs";

/** 3·10^{−7}, 0.12, 45: rich text. */
export function small(value, digits = 2) {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return "∞";
  if (value >= 0.01 && value < 1e5) return String(Number(value.toPrecision(digits)));
  const [lead, power] = value.toExponential(digits - 1).split("e");
  const head = Number(lead) === 1 ? "" : `${Number(lead)}·`;
  return `${head}10^{${minus(Number(power))}}`;
}

/** The same to be heard: "3 times ten to the minus 7". */
export function spoken(value) {
  if (value === 0) return "zero";
  if (!Number.isFinite(value)) return "infinite";
  if (value >= 0.01 && value < 1e5) return String(Number(value.toPrecision(2)));
  return `ten to the ${Math.round(Math.log10(value))}`.replace("-", "minus ");
}

/** Milliseconds with two digits. */
export const ms = (value) => (value < 0.01 ? `${Number((1e3 * value).toPrecision(2))} µs` : `${Number(value.toPrecision(2))} ms`);
