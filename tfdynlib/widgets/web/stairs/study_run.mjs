// A state of the view "study" -> the rows of the stored table, and the run that is chosen.

import { linear } from "../kit/scale.mjs";
import { same as equal } from "../kit/state.mjs";
import { behind, limitOf, polesDistance } from "../twin/exit.mjs";
import { onCircle } from "../twin/points.mjs";
import { coldRun } from "../twin/stairs.mjs";
import { departure } from "./exit_run.mjs";
import { headOf } from "../twin/attention.mjs";
import { sampled, startAngles } from "./run.mjs";

const FRAMES = 300;

/** The stored runs of the state's head and start, beta rising; none if it has another. */
function rowsOf({ of = {}, runs = [] }, state) {
  if (!Object.entries(of).every(([key, value]) => equal(state[key], value))) return [];
  return runs.filter(({ skew }) => skew === state.skew);
}

/** The largest gap between the stored distances and those of this run. */
function gapOf({ y }, t, distance) {
  let gap = 0;
  y.forEach((stored, k) => { gap = Math.max(gap, Math.abs(stored - distance(t[k]))); });
  return gap;
}

/** Everything that follows from a state and the table, once per change. */
export function prepareStudy(state, table) {
  const head = headOf(state);
  const y0 = startAngles(state);
  const limit = limitOf(head);
  const back = behind(y0, limit.pole);
  const run = coldRun(y0, head, state.beta, state.t_end, state.rtol);
  const distance = (t) => polesDistance(run.tokens(t), limit.pole, back);
  const times = Float64Array.from({ length: FRAMES + 1 }, (_, k) => (k * state.t_end) / FRAMES);
  const samples = sampled(run, times, distance);
  const rows = rowsOf(table, state);
  const row = rows.find(({ beta }) => beta === state.beta) ?? null;
  const t = (table.t ?? []).filter((time) => time <= state.t_end);
  const now = {
    state, head, y0, n: y0.length, limit, back, run, samples, rows, row, t,
    axis: linear(0, state.t_end),
    own: null,
    gap: null,
    advance(ms) {
      const until = performance.now() + ms;
      run.advance(ms);
      if (samples.advance(until - performance.now()) || run.going) return true;
      now.own ??= departure(run, limit, back, state.t_end);
      if (row && !run.failed) now.gap ??= gapOf({ y: row.y.slice(0, t.length) }, t, distance);
      return false;
    },
  };
  return now;
}

/** What one moment shows; `stored` is the entry of the table nearest to it. */
export function momentOf(now, time) {
  const t = Math.min(time, now.run.filled);
  const y = now.run.tokens(t);
  let k = 0;
  now.t.forEach((at, i) => { if (Math.abs(at - t) < Math.abs(now.t[k] - t)) k = i; });
  const stored = now.row && now.t.length > 0 ? now.row.y[k] : null;
  return { t, y, x: onCircle(y), k, stored, distance: polesDistance(y, now.limit.pole, now.back) };
}

/** Slopes of the stored exits in ln beta, from one row with an exit to the next. */
export function slopesOf(rows) {
  const found = rows.filter(({ exit }) => exit !== null);
  return found.slice(1).map(({ beta, exit }, k) => (exit - found[k].exit) / Math.log(beta / found[k].beta));
}
