// Axes: a value to a share of the way (0 to 1) and back, with ticks.

import { minus } from "./dom.mjs";

/** A linear axis from `a` to `b`. */
export function linear(a, b) {
  return {
    kind: "lin",
    min: a,
    max: b,
    share: (value) => (value - a) / (b - a || 1),
    value: (share) => a + share * (b - a),
    ticks: (about) => linearTicks(a, b, about),
  };
}

/** A logarithmic axis from `a` > 0 to `b`; values at or below `a` sit at 0. */
export function log(a, b) {
  const [low, high] = [Math.log(a), Math.log(b)];
  return {
    kind: "log",
    min: a,
    max: b,
    share: (value) => (value <= a ? 0 : (Math.log(value) - low) / (high - low || 1)),
    value: (share) => Math.exp(low + share * (high - low)),
    ticks: (about) => decades(a, b, about),
  };
}

/** An axis from 0 to `b`, even in log(1 + value): linear below 1, logarithmic above. */
export function logFromZero(b) {
  const whole = Math.log1p(b);
  return {
    kind: "log",
    min: 0,
    max: b,
    share: (value) => Math.log1p(value) / whole,
    value: (share) => Math.expm1(share * whole),
    ticks: () => [0, 1, 10, 100, 1000].filter((tick) => tick <= b),
  };
}

const ROUND = [1, 2, 5, 10];

function linearTicks(a, b, about = 4) {
  const raw = (b - a) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ROUND.find((r) => raw <= r * power * 1.0001);
  const ticks = [];
  for (let k = Math.ceil(a / step - 1e-9); k * step <= b + 1e-9 * step; k += 1)
    ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

function decades(a, b, about = 4) {
  const [low, high] = [Math.ceil(Math.log10(a) - 1e-9), Math.floor(Math.log10(b) + 1e-9)];
  const every = Math.max(1, Math.ceil((high - low + 1) / (about + 1)));
  const ticks = [];
  for (let k = low; k <= high; k += every) ticks.push(Number(`1e${k}`));
  return ticks.length > 1 ? ticks : linearTicks(a, b, about);
}

/** Three digits, or a power of ten where a number is small or large. */
export function threeDigits(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return tickText(Number(value.toPrecision(3)));
  return minus(size >= 1000 ? Number(value.toPrecision(3)) : value.toPrecision(3));
}

/** A tick as text: 0.1, 100, 2·10⁵ written short. */
export function tickText(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) {
    const power = Math.floor(Math.log10(size) + 1e-9);
    const lead = Number((value / 10 ** power).toPrecision(3));
    const head = lead === 1 ? "" : minus(`${lead}·`);
    return `${head}10^{${minus(power)}}`;
  }
  return minus(Number(value.toPrecision(6)));
}
