// Numbers of the figure as text.

import { minus, number, spoken } from "../kit/dom.mjs";
import { tickText } from "../kit/scale.mjs";

/** Three digits; powers of ten where a number is tiny or huge. */
export function short(value, count = 3) {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (size < 1e-12) return "0";
  if (size >= 1e5 || size < 1e-4) return tickText(Number(value.toPrecision(2)));
  return number(value, count);
}

/** A distance: three decimals, or two digits where it is small. */
export const metres = (value) => (value >= 0.01 ? value.toFixed(3) : short(value, 2));

/** The same to be heard. */
export const heard = (text) => spoken(text).replace(/[*_{}]/gu, "").replace(/∞/gu, "infinity");

/** A direction as coordinates or, on the circle, as an angle. */
export function direction(v) {
  if (v.length === 3) return `(${v.map((x) => (Math.abs(x) < 5e-3 ? "0" : minus(x.toFixed(2)))).join(", ")})`;
  return `${short((Math.atan2(v[1], v[0]) * 180) / Math.PI)}°`;
}
