// View "flow": from the state to the run and all that is drawn of it.

import { linear } from "../kit/scale.mjs";
import * as gaussian from "../twin/gaussian.mjs";
import * as m2 from "../twin/matrix2.mjs";
import { fateOf } from "../twin/regime.mjs";

const FRAMES = 240;
const WALL = 1e-4; // part of the way to a blow-up that is not shown
export const FLOOR = 1e-3; // eigenvalues of the clipped run are lifted to this
export const EULER = 0.05; // its step
const KALMAN = 0.05; // times of the filter

/** Rows of the state as flat matrices. */
export const layerOf = ({ A, B, V, b }) => ({ A: m2.flat(A), B: m2.flat(B), V: m2.flat(V), b: [...b] });
export const startOf = ({ mean, cov }) => ({ mean: [...mean], cov: m2.flat(cov) });

/** The moment shown for a moment asked for: a run ends before its wall. */
export const shownAt = (run, t) => Math.min(t, run.last);

/** A covariance at `t` among ones evenly spaced from 0, between two by a straight line. */
export function between(list, h, t) {
  const k = Math.min(list.length - 1, Math.floor(t / h + 1e-9));
  const part = Math.min(1, Math.max(0, t / h - k));
  if (k === list.length - 1 || part < 1e-9) return list[k];
  return list[k].map((v, e) => v + part * (list[k + 1][e] - v));
}

/** Frames evenly in time, and closer and closer to a wall. */
function timesOf(last, wall) {
  const times = Array.from({ length: FRAMES + 1 }, (_, k) => (k * last) / FRAMES);
  if (wall) for (let d = wall / FRAMES / 1.5; wall - d < last; d /= 1.5) times.push(wall - d);
  return Float64Array.from(times.sort((a, b) => a - b));
}

/** The mean that rests at the limit covariance, or null where there is none that attracts. */
function restOf(layer, cov) {
  const K = m2.add(gaussian.jacobian(layer, cov), layer.V);
  const stable = m2.trace(K) < -1e-9 && m2.det(K) > 1e-9;
  return stable ? { K, mean: m2.solve(K, layer.b.map((v) => -v)) } : { K, mean: null };
}

/** What stands beside the flow: another law, as `at(t)` → { mean, cov }, or null. */
function besideOf(state, layer, start, run, end) {
  if (state.beside === "twin") {
    const flipped = { ...layer, V: m2.scaled(-1, layer.V), B: m2.scaled(-1, layer.B) };
    const other = gaussian.flow(flipped, start, { tEnd: end, horizon: end });
    return { name: "−*V*, −*B*", at: (t) => other.at(t), last: other.lastTime };
  }
  const count = (h) => Math.ceil(end / h) + 2;
  if (state.beside === "filter") {
    const list = gaussian.filter(layer, start.cov, state.noise, KALMAN, count(KALMAN));
    if (!list) return null;
    const cov = (t) => exactly(layer, list, state.noise, t);
    return { name: "filter", at: (t) => ({ mean: run.at(t).mean, cov: cov(t) }), last: (list.length - 1) * KALMAN };
  }
  if (state.beside === "clipped") {
    const list = gaussian.clipped(layer, start.cov, EULER, count(EULER), FLOOR);
    const cov = (t) => list[Math.min(list.length - 1, Math.floor(t / EULER + 1e-6))];
    return { name: "clipped", at: (t) => ({ mean: run.at(t).mean, cov: cov(t) }), last: (list.length - 1) * EULER };
  }
  return null;
}

/** The filter between two of its times: one exact step from the earlier one. */
function exactly(layer, list, noise, t) {
  const k = Math.min(list.length - 1, Math.floor(t / KALMAN + 1e-9));
  const left = t - k * KALMAN;
  if (left < 1e-9) return list[k];
  return gaussian.filter(layer, list[k], noise, left, 2)[1] ?? list[k];
}

/** Everything that follows from a state, made anew at each change. */
export function runOf(state) {
  const [layer, start] = [layerOf(state), startOf(state)];
  const run = gaussian.flow(layer, start, { tEnd: state.t_end });
  const wall = run.blowUp <= state.t_end ? run.blowUp : null;
  const end = wall ? 1.25 * wall : state.t_end;
  const last = wall ? wall * (1 - WALL) : Math.min(end, run.lastTime);
  const times = timesOf(last, wall);
  const frames = Array.from(times, (t) => run.at(t));
  const fate = fateOf(layer, start.cov, run);
  const rest = fate.limit ?? (run.status === "settled" ? run.last.cov : null);
  const limit = rest && { cov: rest, ...restOf(layer, rest), exact: fate.limit !== null };
  const curve = (entry) => Float64Array.from(frames, entry);
  const precision = frames.map(({ cov }) => m2.inverse(cov));
  return {
    state, layer, start, flow: run, wall, blowUp: Math.min(run.blowUp, fate.blowUp ?? Infinity), end, last, times, frames, fate, limit,
    axis: linear(0, end),
    rank: m2.factor(start.cov)[3] === 0 && m2.factor(start.cov)[1] === 0 ? (m2.trace(start.cov) > 0 ? 1 : 0) : 2,
    large: curve(({ values }) => values[0]),
    small: curve(({ values }) => values[1]),
    precision: [0, 1, 3].map((e) => Float64Array.from(precision, (P) => P?.[e] ?? NaN)),
    beside: besideOf(state, layer, start, run, Math.min(last, end)),
    at: (t) => run.at(Math.min(t, last)),
    index(t) {
      let [low, high] = [0, times.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= t + 1e-9) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

/** The bias with which the mean comes to rest at `target`, or null. */
export function biasFor({ limit }, target) {
  if (!limit?.mean) return null;
  return m2.apply(limit.K, target).map((v) => Number((-v).toPrecision(12)) + 0);
}
