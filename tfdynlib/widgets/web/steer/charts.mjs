// The side chart: what the tokens pay, what the weights pay, or the axes of the ellipse.

import { fade } from "../kit/palette.mjs";
import { linear } from "../kit/scale.mjs";
import { ellipseOf } from "./run.mjs";

/** The area under a curve up to now: what has been paid. */
const area = (values) => (ctx, at, view, { t, now }) => {
  ctx.beginPath();
  ctx.moveTo(at.x(t[0]), at.bottom);
  for (let k = 0; k <= now; k += 1) ctx.lineTo(at.x(t[k]), at.y(values[k]));
  ctx.lineTo(at.x(t[now]), at.bottom);
  ctx.fillStyle = fade(view.palette.state, 0.14);
  ctx.fill();
};

const CHARTS = {
  speed: ({ frames, least, T }) => ({
    name: "E|*u*|^2, its area the kinetic cost",
    curves: [{ y: frames.speed }],
    levels: [{ y: least / T, label: "*W*_2^2/*T*^2" }],
    over: area(frames.speed),
  }),
  size: ({ frames }) => ({
    name: "|weights|^2, its area the weight cost",
    curves: [{ y: frames.size }],
    levels: [],
    over: area(frames.size),
  }),
  axes({ frames, target }) {
    const { long, short } = ellipseOf(target);
    const levels = [{ y: long, label: "target" }, { y: short, label: long === short ? "" : "target" }];
    return {
      name: "deviations *σ*_1, *σ*_2 along the axes",
      curves: [{ y: frames.long, width: 2.6, label: "*σ*_1" }, { y: frames.short, width: 1.4, label: "*σ*_2" }],
      levels,
      over: null,
    };
  },
};

const EMPTY = { curves: [], t: [], filled: 0, now: 0, levels: [], over: null, range: [0, 1] };

/** What the chart shows of a run at frame k. */
export function chartOf(run, k, curve) {
  const axis = linear(0, run.T);
  if (!run.frames) return { ...EMPTY, axis };
  const shown = CHARTS[curve](run);
  const top = Math.max(1e-9, ...shown.curves.flatMap(({ y }) => [...y]), ...shown.levels.map(({ y }) => y));
  return {
    ...shown, axis, t: run.frames.t, filled: run.frames.t.length, now: k,
    range: [0, 1.12 * top], labelWidth: curve === "axes" ? 20 : 0,
  };
}
