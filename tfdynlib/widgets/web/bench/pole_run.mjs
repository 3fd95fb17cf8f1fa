// Euler's steps of ds/dt = 2s² from s = 1, whose solution stands at a wall at t = 1/2.

import { linear } from "../kit/scale.mjs";

export const PARTS = [1, 2, 5]; // the step, and what it is divided by
export const WALL = 0.5;
const END = 0.52;
const FRAMES = 520;

/** What Euler has after each step. */
export function euler(dt) {
  const values = [1];
  for (let k = 1; k * dt < END + 1e-9; k++) {
    const s = values[k - 1];
    values.push(s + dt * (2 * s * s));
  }
  return Float64Array.from(values);
}

/** The solution; behind the wall there is none. */
export const truth = (t) => (t < WALL ? 1 / (1 - 2 * t) : NaN);

/** Three runs, with steps of dt and two finer ones, and their values at frames. */
export function prepare({ dt }) {
  const axis = linear(0, END);
  const t = Float64Array.from({ length: FRAMES + 1 }, (_, k) => (END * k) / FRAMES);
  const steps = PARTS.map((part) => dt / part);
  const runs = steps.map(euler);
  const moment = (time) => runs.map((run, r) => run[Math.min(Math.floor(time / steps[r] + 1e-6), run.length - 1)]);
  const curves = runs.map(() => new Float64Array(FRAMES + 1));
  t.forEach((time, k) => moment(time).forEach((s, r) => { curves[r][k] = s; }));
  return { axis, t, steps, runs, curves, moment, index: (time) => Math.round(axis.share(time) * FRAMES) };
}
