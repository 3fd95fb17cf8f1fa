// Numbers of the figure as text.

import { minus, number, spoken } from "../kit/dom.mjs";
import { tickText } from "../kit/scale.mjs";

/** Two decimals; small and large numbers with three digits. */
export function short(value) {
  const size = Math.abs(value);
  if (size < 5e-10) return "0";
  if (size >= 1e4 || size < 1e-3) return tickText(Number(value.toPrecision(2)));
  const text = size < 0.1 || size >= 100 ? String(Number(value.toPrecision(3))) : value.toFixed(2);
  return minus(text);
}

/** A number with `digits` digits. */
export const digits = (value, count = 4) =>
  Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-4)
    ? tickText(Number(value.toPrecision(Math.min(3, count))))
    : number(value, count);

/** The same to be heard. */
export const heard = spoken;

/** A row of numbers in brackets. */
export const pair = (values, format = short) => `(${values.map(format).join(", ")})`;
