// A state of the view "exit" -> its run, the distance to the poles, the law of exits.

import { log } from "../kit/scale.mjs";
import { logTimes } from "../kit/trajectory.mjs";
import { behind, exitTime, limitOf, polesDistance } from "../twin/exit.mjs";
import { coldRun } from "../twin/stairs.mjs";
import { headOf } from "../twin/attention.mjs";
import { sampled, startAngles } from "./run.mjs";

export const FROM = 0.1; // where the axis begins
export const THRESHOLD = 0.2; // of W_2: what counts as having left
export const LAW = [40, 80, 160, 320];
const GRID = 0.05; // step of the times between which the exit is interpolated
const FRAMES = 360;

/** Distance on the grid, the least of it, and the exit, once the run is done. */
export function departure(run, limit, back, end) {
  const count = Math.floor(end / GRID + 1e-9) + 1;
  const t = Float64Array.from({ length: count }, (_, k) => k * GRID);
  const y = t.map((time) => polesDistance(run.tokens(time), limit.pole, back));
  const { least, at, near, exit } = exitTime(t, y, count, THRESHOLD);
  return { t, y, least, at, near, exit: run.failed ? Infinity : exit };
}

/** The runs at the inverse temperatures of the law, one after the other. */
function lawOf({ head, y0, state, limit, back }) {
  const found = [];
  let run = null;
  return {
    found,
    advance(ms) {
      if (found.length === LAW.length || !limit.simple) return false;
      run ??= coldRun(y0, head, LAW[found.length], state.t_end, state.rtol);
      if (run.advance(ms)) return true;
      found.push({ beta: LAW[found.length], ...departure(run, limit, back, state.t_end) });
      run = null;
      return found.length < LAW.length;
    },
  };
}

/** Whether the start is its own mirror image along e_1: then rounding decides the exit. */
function mirrored(y, pole) {
  const wrap = (a) => a - 2 * Math.PI * Math.floor(a / (2 * Math.PI));
  const sorted = (sign) => y.map((a) => wrap(sign * (a - pole) + 0.1234)).sort(); // no token at the seam
  const [up, down] = [sorted(1), sorted(-1)];
  return up.every((a, k) => Math.abs(a - down[k]) < 1e-9);
}

const KEYS = ["n", "B", "V", "start", "seed", "gap", "skew", "turn", "rtol", "t_end"];

/** Everything that follows from a state; the law of `before` is kept when it still holds. */
export function prepareExit(state, before = null) {
  const head = headOf(state);
  const y0 = startAngles(state);
  const limit = limitOf(head);
  const back = behind(y0, limit.pole);
  const run = coldRun(y0, head, state.beta, state.t_end, state.rtol);
  const times = logTimes(FROM, state.t_end, FRAMES).subarray(1);
  const samples = sampled(run, times, (t) => polesDistance(run.tokens(t), limit.pole, back));
  const key = JSON.stringify(KEYS.map((name) => state[name]));
  const law = before?.key === key ? before.law : lawOf({ head, y0, state, limit, back });
  const now = {
    state, head, y0, n: y0.length, limit, back, run, samples, law, key,
    mirrored: mirrored(y0, limit.pole),
    even: state.start === "grid" && state.skew === 0,
    axis: log(FROM, state.t_end),
    own: null,
    advance(ms) {
      const until = performance.now() + ms;
      run.advance(ms);
      if (samples.advance(until - performance.now()) || run.going) return true;
      now.own ??= departure(run, limit, back, state.t_end);
      return law.advance(Math.max(1, until - performance.now()));
    },
  };
  return now;
}

/** Slopes of the exit in ln beta between one inverse temperature and the next. */
export const slopes = (found) =>
  found.slice(1).map(({ exit }, k) => (exit - found[k].exit) / Math.log(found[k + 1].beta / found[k].beta));
