// View "flow": from the state to the run, the curves beside it, and what theory says.

import { linear, log } from "../kit/scale.mjs";
import { logTimes, trajectory } from "../kit/trajectory.mjs";
import { headOf } from "../twin/attention.mjs";
import * as cold from "../twin/cold.mjs";
import { fieldOf } from "../twin/cold_field.mjs";
import { rk4Step } from "../twin/flow.mjs";
import { sphereFlow } from "../twin/sphere_flow.mjs";
import { startOf } from "./start.mjs";

const FRAMES = 400;
const FIRST = 0.05; // where logarithmic time begins
const BESIDE = 80; // moments of the zero-temperature curve
export const EXIT = 0.2; // a distance beyond which the tokens have left their poles
const [FEW_DRAWN, FEW_NODES] = [10, 3]; // neighbours below which a cloud is no continuum

const EYE = { 2: [[1, 0], [0, 1]], 3: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] };

/** B and V of one size: while Python sets one after the other, B waits for V. */
export function matricesOf({ B, V }) {
  const d = V.length;
  return { d, B: B.length === d ? B : EYE[d], V };
}

/** The inverse temperature, infinite without softmax. */
export const betaOf = ({ beta, rule }) => (rule === "softmax" ? beta : Infinity);

/** What the theorem asks of the head and of the start. */
function hypothesesOf(limit, state, heard, { weighed }) {
  const positive = state.start !== "pair" && !(weighed && (Math.abs(state.density) >= 1 || state.band > 0));
  const few = state.start === "draw" ? FEW_DRAWN : FEW_NODES;
  return {
    invertible: limit.invertible,
    symmetric: limit.symmetric,
    gap: limit.symmetric ? limit.gap > 0 : null,
    positive,
    enough: state.rule === "hardmax" ? false : heard === null ? null : heard >= few,
  };
}

/** Distance of tokens to where the start is projected: exact for two poles. */
function distanceOf(limit, start) {
  if (limit.dim === 1) {
    const plus = cold.massPlus(start.x, start.mass, limit);
    return (x) => cold.distanceToPoles(x, start.mass, limit.basis[0], plus);
  }
  const target = cold.project(start.x, limit);
  return (x) => cold.couplingCost(x, target, start.mass);
}

/** Root mean square of <x, v> for the top eigenvector v of V. */
function alignmentOf(v, { mass }) {
  return (x) => {
    let mean = 0;
    for (let i = 0; i < mass.length; i += 1) {
      let along = 0;
      for (let k = 0; k < v.length; k += 1) along += x[i * v.length + k] * v[k];
      mean += mass[i] * along * along;
    }
    return Math.sqrt(mean);
  };
}

/** Angle of the first token in degrees, without jumps from frame to frame. */
function unwound() {
  let last = null;
  return (x) => {
    const angle = Math.atan2(x[1], x[0]);
    last = last === null ? angle : last + Math.atan2(Math.sin(angle - last), Math.cos(angle - last));
    return (last * 180) / Math.PI;
  };
}

/** Which curve can be shown for these weights, nearest to the one asked for. */
function curveOf(state, can) {
  return [state.curve, "distance", "alignment", "angle"].find((name) => can[name]);
}

/** A field that jumps, by one classical step a frame: an adaptive method would crawl. */
function steps({ field, start, n, d, times, measure }) {
  const f = (_t, x, out) => field(x, out);
  const run = trajectory({ times, dt: Infinity, start, step: (x, t, h) => x.set(rk4Step(f, t, x, h, n, d)), measure });
  return Object.defineProperty(run, "count", { value: { evaluations: 4 * times.length } });
}

/** Everything that follows from a state, made anew at each change. */
export function runOf(state) {
  const { d, B, V } = matricesOf(state);
  const head = headOf({ B, V });
  const start = startOf(state, d);
  const { n } = start;
  const limit = cold.limitOf(head);
  const top = cold.topDirection(head.V);
  const known = limit.symmetric && limit.gap > 0;
  const beta = betaOf(state);
  const heard = state.rule === "softmax" ? cold.effectiveNeighbours(start.x, n, d, head.B, beta, start.mass) : null;
  const isLog = state.time === "log";
  const times = isLog
    ? logTimes(FIRST, state.t_end, FRAMES)
    : Float64Array.from({ length: FRAMES + 1 }, (_, k) => (k * state.t_end) / FRAMES);
  const can = { distance: known, alignment: top !== null, angle: d === 2 };
  const curve = curveOf(state, can);
  const measure = {
    distance: () => distanceOf(limit, start),
    alignment: () => alignmentOf(top.vector, start),
    angle: unwound,
  }[curve]();
  const field = fieldOf(state.rule, n, d, head, beta, start.mass);
  const flow = state.rule === "hardmax"
    ? steps({ field, start: start.x, n, d, times, measure })
    : sphereFlow({ field, start: start.x, n, d, times, measure });
  return {
    state, d, n, head, start, limit, top, known, beta, heard, isLog, times, curve, can, flow, field,
    axis: isLog ? log(FIRST, state.t_end) : linear(0, state.t_end),
    scale: known && beta < Infinity ? cold.laplaceScale(beta) : null,
    facts: hypothesesOf(limit, state, heard, start),
    beside: known && curve === "distance" && state.rule !== "zero_temperature" ? besideOf(state, head, start, limit) : null,
    exactLimit: limit.dim === 1,
    followed: followedOf(start.x, d, state.start === "draw"),
    below: known && limit.dim === 1 ? belowOf(start.x, limit) : null,
  };
}

/** Which tokens start on the side of the second pole. */
const belowOf = (x, { basis: [e], d }) =>
  Array.from({ length: x.length / d }, (_, i) => e.reduce((sum, v, k) => sum + v * x[i * d + k], 0) <= 0);

const FOLLOWED = [0.6, 0, 0.8]; // on the sphere the token that starts nearest is followed
const SHARED = 20; // of a draw one of the first, which are the same whatever the number

const followedOf = (x, d, isDrawn) => {
  let [best, most] = [0, -Infinity];
  const n = isDrawn ? Math.min(SHARED, x.length / d) : x.length / d;
  for (let i = 0; d === 3 && i < n; i += 1) {
    const along = FOLLOWED.reduce((sum, v, k) => sum + v * x[i * d + k], 0);
    if (along > most) [best, most] = [i, along];
  }
  return best;
};

/** The way of the followed token, as points. */
export function trackOf({ flow, d, followed }, until = flow.filled - 1) {
  const every = Math.max(1, Math.floor(until / 100));
  const at = (k) => Array.from(flow.at(k).subarray(followed * d, (followed + 1) * d));
  const track = [];
  for (let k = 0; k < until; k += every) track.push(at(k));
  return [...track, at(until)];
}

/** The zero-temperature curve of the distance, made moment by moment. */
function besideOf(state, head, start, limit) {
  const t = Float64Array.from({ length: BESIDE + 1 }, (_, k) =>
    state.time === "log" && k > 0 ? FIRST * (state.t_end / FIRST) ** ((k - 1) / (BESIDE - 1)) : (k * state.t_end) / BESIDE);
  const y = new Float64Array(BESIDE + 1);
  const tokens = cold.zeroTemperature(start.x, head, limit, t);
  const target = cold.project(start.x, limit);
  let filled = 0;
  return {
    t, y,
    get filled() { return filled; },
    /** True while something is left. */
    advance(until) {
      while (filled <= BESIDE) {
        y[filled] = cold.couplingCost(tokens.next().value, target, start.mass);
        filled += 1;
        if (performance.now() >= until) break;
      }
      return filled <= BESIDE;
    },
  };
}

/**
 * First crossing of `level` upwards, linear between frames, or Infinity; and the frame of
 * the least distance before it.
 */
export function exitOf(t, y, filled, level = EXIT) {
  let k = 1;
  while (k < filled && !(y[k - 1] < level && y[k] >= level)) k += 1;
  let least = 0;
  for (let j = 0; j < Math.min(k, filled); j += 1) if (y[j] < y[least]) least = j;
  const left = k < filled ? t[k - 1] + ((level - y[k - 1]) / (y[k] - y[k - 1])) * (t[k] - t[k - 1]) : Infinity;
  return { left, least };
}

/**
 * Gathering until the distance is below the scale √(log(β + 1)/β), waiting while it is,
 * and then obeying V.
 *
 * @returns {{wait: number, obey: number}} times, Infinity where not reached
 */
export function phasesOf({ scale, times, flow }) {
  if (scale === null) return { wait: Infinity, obey: Infinity };
  const [y, filled] = [flow.values, flow.filled];
  let k = 0;
  while (k < filled && y[k] > scale) k += 1;
  if (k === filled) return { wait: Infinity, obey: Infinity };
  const wait = times[k];
  const { least } = exitOf(times, y, filled);
  let j = Math.max(k, least);
  while (j < filled && y[j] <= scale) j += 1;
  return { wait, obey: j < filled ? times[j] : Infinity };
}

const RATES = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4];

/**
 * Constants of the bound for this run: of the C1 and c on a list those that leave the least
 * room above the curve on the logarithmic axis, until the tokens leave their poles, with
 * the least C that holds on the whole run.
 */
export function fitBound({ beta, times, flow }) {
  const { left } = exitOf(times, flow.values, flow.filled); // later the distance grows no more
  const last = Math.max(8, Number.isFinite(left) ? flow.index(left) : flow.filled);
  const every = Math.max(1, Math.floor(last / 60));
  const ks = [];
  for (let k = 0; k < Math.min(last, flow.filled); k += every) if (flow.values[k] > 1e-9) ks.push(k);
  let best = null;
  for (const C1 of RATES)
    for (const c of RATES) {
      let [most, sum] = [-Infinity, 0];
      for (const k of ks) {
        const room = Math.log(cold.concentrationBound(beta, times[k], 1, C1, c)) - Math.log(flow.values[k]);
        most = Math.max(most, -room);
        sum += room;
      }
      const score = most + sum / ks.length;
      if (!best || score < best.score - 1e-12) best = { score, C1, c };
    }
  if (!best) return null;
  let C = 0;
  for (let k = 0; k < flow.filled; k += 1)
    C = Math.max(C, flow.values[k] / cold.concentrationBound(beta, times[k], 1, best.C1, best.c));
  return { C, C1: best.C1, c: best.c };
}
