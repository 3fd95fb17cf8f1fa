// Minimising movements, the flow beside them, Euler steps, and errors against tau.

import { adaptive } from "../twin/adaptive.mjs";
import { velocity } from "../twin/attention.mjs";
import { retract } from "../twin/flow.mjs";
import { frobenius } from "../twin/linalg.mjs";
import { uniformSphere } from "../twin/points.mjs";
import { energyOf, exponential, step } from "../twin/proximal.mjs";
import { headsOf } from "./moving.mjs";

export const d = 3;
const FLOW_TOL = 1e-10;
const ABOUT = 1; // errors are taken at the first step that ends here or later
const LOW = 0.01;
const GRID = Float64Array.from({ length: 9 }, (_, j) => LOW * 10 ** (j / 2));
const ROUGH = 1e-10; // of the search, where only errors against the flow are taken
const FAR = 3000; // rates of the field: farther the flow is not followed
const STEEP = 100; // scores up to which exponentials, squared and divided, stay doubles
const PARTS = [0.01, 0.04, 0.12, 0.3, 0.6, 1]; // of a step, where the flow is drawn

/** The tokens at the start; a pair lies on a tilted great circle. */
export function startOf({ start, gap, n, seed }) {
  if (start === "cloud") return uniformSphere(n, seed);
  const [c, s] = [Math.cos(gap / 2), Math.sin(gap / 2)];
  return Float64Array.of(0.8 * c, -s, 0.6 * c, 0.8 * c, s, 0.6 * c);
}

/** Steps of length tau up to time 1, where errors are taken. */
export const stepsToOne = (tau) => Math.max(1, Math.ceil(ABOUT / tau - 1e-9));

/** Steps that are shown. */
export const stepsOf = (tau) => Math.max(tau > 10 ? 6 : 10, stepsToOne(tau));

/** What a state says, before anything is computed. */
function given(state) {
  const x0 = startOf(state);
  const n = x0.length / d;
  const heads = headsOf(state);
  const { beta } = state;
  const size = Math.max(...heads(0).map(({ B }) => frobenius(B)), state.moving === "still" ? 0 : 6);
  return {
    n, x0, heads, beta,
    steep: beta * size > STEEP,
    reach: FAR / (size * (1 + beta * size) || 1),
    field: (t, x) => velocity(x, n, d, heads(t), { beta, rule: "gradient" }),
    energy: (x, t) => energyOf(x, n, d, heads(t), beta),
  };
}

/** The gradient-rule flow from x at `from` to `to`; returns the run and its end. */
function* flowBetween({ field, n }, x, from, to) {
  const slope = (y) => {
    const v = field(from + y[n * d], retract(y.slice(0, n * d), n, d));
    const out = new Float64Array(n * d + 1);
    out.set(v);
    out[n * d] = 1; // the clock is a coordinate: weights may move
    return out;
  };
  const y0 = new Float64Array(n * d + 1);
  y0.set(x);
  const run = adaptive(slope, y0, to - from, FLOW_TOL);
  while (run.advance(0.5)) yield;
  const at = (t) => retract(run.at(t - from).slice(0, n * d), n, d);
  return { at, end: at(to) };
}

/** The end of `count` movements of length tau from the start. */
function* endOf(world, tau, count, weight) {
  let x = world.x0;
  for (let k = 0; k < count; k++)
    x = (yield* step(x, world.n, d, world.heads((k + 1) * tau), world.beta, tau, weight, ROUGH)).x;
  return x;
}

/** Root of the mean squared geodesic distance of tokens. */
export function apart(x, y, n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let [near, far] = [0, 0];
    for (let k = i * d; k < (i + 1) * d; k++) {
      near += (x[k] - y[k]) ** 2;
      far += (x[k] + y[k]) ** 2;
    }
    sum += (2 * Math.atan2(Math.sqrt(near), Math.sqrt(far))) ** 2;
  }
  return Math.sqrt(sum / n);
}

/** 2 (half steps) - (whole steps), back on the sphere. */
const extrapolated = (half, whole, n) => retract(half.map((value, k) => 2 * value - whole[k]), n, d);

/** Errors on the grid of tau; they do not know the tau of the state. */
function gridOf(world, weight) {
  const errors = [1, 2].map(() => new Float64Array(GRID.length).fill(NaN));
  function* work() {
    const ends = GRID.map((tau) => tau * stepsToOne(tau));
    const order = Array.from(GRID.keys()).sort((i, j) => ends[i] - ends[j]);
    let [x, t] = [world.x0, 0];
    for (const j of order) {
      if (ends[j] > world.reach) continue;
      if (ends[j] > t) x = (yield* flowBetween(world, x, t, ends[j])).end;
      t = Math.max(t, ends[j]);
      const count = stepsToOne(GRID[j]);
      const whole = yield* endOf(world, GRID[j], count, weight);
      const half = yield* endOf(world, GRID[j] / 2, 2 * count, weight);
      errors[0][j] = apart(whole, x, world.n);
      errors[1][j] = apart(extrapolated(half, whole, world.n), x, world.n);
    }
  }
  return { errors, work: work() };
}

let kept = { key: "", grid: null };

/** The grid of a state, kept while only tau changes. */
function gridFor(world, state) {
  const { start, gap, n, seed, beta, D1, D2, moving, weight } = state;
  const key = JSON.stringify([start, gap, n, seed, beta, D1, D2, moving, weight]);
  if (kept.key !== key) kept = { key, grid: gridOf(world, weight) };
  return kept.grid;
}

/** One movement from x at time t, with its books. */
function* movement(world, x, t, tau, weight) {
  const [old, next] = [world.heads(t), world.heads(t + tau)];
  const moved = yield* step(x, world.n, d, next, world.beta, tau, weight);
  const [before, after] = [world.energy(x, t + tau), world.energy(moved.x, t + tau)];
  return { ...moved, before, after, lift: old === next ? 0 : before - world.energy(x, t) };
}

/**
 * A run that is worked off in slices: first the movements, then Euler steps, the flow, the
 * error at this tau, and the errors on the grid.
 */
export function prepare(state) {
  const { tau, weight } = state;
  const world = given(state);
  const count = stepsOf(tau);
  const goal = stepsToOne(tau);
  const grid = gridFor(world, state);
  const steps = [];
  const x = [world.x0];
  const energies = new Float64Array(count + 1).fill(NaN);
  const euler = { x: [world.x0], energies: new Float64Array(count + 1).fill(NaN), befores: [NaN] };
  const flow = { x: [world.x0], fine: [[world.x0]], energies: new Float64Array(count + 1).fill(NaN) };
  const error = [NaN, NaN];
  for (const one of [{ energies }, euler, flow]) one.energies[0] = world.energy(world.x0, 0);

  function* movements() {
    for (let k = 0; k < count; k++) {
      const moved = yield* movement(world, x[k], k * tau, tau, weight);
      x.push(moved.x);
      energies[k + 1] = world.energy(moved.x, (k + 1) * tau);
      steps.push(moved);
    }
  }

  function* eulers() {
    for (let k = 0; k < count; k++) {
      const way = world.field(k * tau, euler.x[k]).map((value) => tau * value);
      const next = exponential(euler.x[k], way, world.n, d);
      euler.befores.push(world.energy(euler.x[k], (k + 1) * tau)); // at the new weights
      euler.x.push(next);
      euler.energies[k + 1] = world.energy(next, (k + 1) * tau);
      yield;
    }
  }

  function* flows() {
    for (let k = 0; k < count && (k + 1) * tau <= world.reach; k++) {
      const { at, end } = yield* flowBetween(world, flow.x[k], k * tau, (k + 1) * tau);
      const parts = count > 40 ? [1] : PARTS;
      flow.fine.push(parts.map((share) => (share === 1 ? end : at((k + share) * tau))));
      flow.x.push(end);
      flow.energies[k + 1] = world.energy(end, (k + 1) * tau);
      yield;
    }
  }

  function* everything() {
    yield* movements();
    yield* eulers();
    yield* flows();
    if (flow.x.length <= goal) return;
    error[0] = apart(x[goal], flow.x[goal], world.n);
    const half = yield* endOf(world, tau / 2, 2 * goal, weight);
    error[1] = apart(extrapolated(half, x[goal], world.n), flow.x[goal], world.n);
  }

  const own = everything();
  let doing = world.steep ? null : own;
  return {
    state, world, count, goal, steep: world.steep, steps, x, energies, euler, flow, error,
    grid: { tau: GRID, errors: grid.errors },
    get filled() { return steps.length; },
    /** Whether all but the errors on the grid is done. */
    get settled() { return doing !== own; },
    /** Work for about `ms`; true while something is left. */
    advance(ms) {
      const end = performance.now() + ms;
      while (doing && performance.now() < end)
        if (doing.next().done) doing = doing === own ? grid.work : null;
      return doing !== null;
    },
  };
}

/** Errors of both orders with the present tau among those of the grid. */
export function errorCurves({ state, error, grid }) {
  const at = grid.tau.findIndex((tau) => tau > state.tau * (1 - 1e-9));
  const same = Math.abs(grid.tau[at] / state.tau - 1) < 1e-9;
  const insert = (row, value) => {
    const out = Array.from(row);
    out.splice(at < 0 ? out.length : at, same ? 1 : 0, value);
    return Float64Array.from(out);
  };
  const tau = insert(grid.tau, state.tau);
  return { tau, now: at < 0 ? tau.length - 1 : at, errors: grid.errors.map((row, k) => insert(row, error[k])) };
}
