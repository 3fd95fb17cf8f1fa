// View "flow": what stands on the chart besides the measured curve.

import { label } from "../kit/text.mjs";
import { concentrationBound } from "../twin/cold.mjs";

export const NAMES = {
  distance: "*W*_2 to the limit, chordal",
  alignment: "alignment with the top of *V*",
  angle: "angle of the first token, degrees",
};

const MOST = 3; // distances on the chart end here
const LEAST = 1e-3;

/** Range of the chart, from the curve that is there. */
export function rangeOf(run, state) {
  if (run.curve === "alignment") return [0, 1.05];
  if (run.curve === "angle") return null;
  if (state.scale === "linear") return [0, 1.75];
  let least = 0.05;
  for (let k = 0; k < run.flow.filled; k += 1) if (run.flow.values[k] > LEAST) least = Math.min(least, run.flow.values[k]);
  return [Math.max(LEAST, least / 1.5), MOST];
}

/** A path through (t, y), inside the chart. */
function path(ctx, at, t, y, filled) {
  ctx.beginPath();
  let pen = false;
  for (let k = 0; k < filled; k += 1) {
    const [x, v] = [at.x(t[k]), at.y(y(k))];
    if (!(v >= at.top && v <= at.bottom + 0.5)) pen = false;
    else if (pen) ctx.lineTo(x, v);
    else {
      ctx.moveTo(x, v);
      pen = true;
    }
  }
  ctx.stroke();
}

/** Right-most point of a curve that is inside the chart. */
function lastInside(at, t, y, filled) {
  for (let k = filled - 1; k >= 0; k -= 1) {
    const v = at.y(y(k));
    if (v >= at.top + 6 && v <= at.bottom - 14) return [at.x(t[k]), v];
  }
  return null;
}

const boundAt = (run, { C, C1, c }) => (k) => concentrationBound(run.beta, run.times[k], C, C1, c);

/** Bound, zero-temperature curve and the scale √(log β/β), each with its name. */
export function overlays(run, { bound, word, small }) {
  return (ctx, at, view) => {
    const p = view.palette;
    ctx.save();
    ctx.strokeStyle = p.theory;
    const room = { size: 12.5, color: p.theory, halo: p.bg };
    if (run.beside?.filled > 1) {
      const { t, y, filled } = run.beside;
      ctx.lineWidth = 1.4;
      ctx.setLineDash([2, 3]);
      path(ctx, at, t, (k) => y[k], filled);
      const end = lastInside(at, t, (k) => y[k], filled);
      if (end) label(ctx, "*β* = ∞", end[0] - 6, end[1] + 2, p, { ...room, align: "right", base: "top" });
    }
    if (bound) {
      ctx.lineWidth = 1.8;
      ctx.setLineDash([6, 5]);
      path(ctx, at, run.times, boundAt(run, bound), run.flow.filled);
      const k = Math.min(run.flow.filled - 1, Math.round(0.04 * run.times.length));
      const y = Math.max(at.top + 24, Math.min(at.y(boundAt(run, bound)(k)), at.bottom) - 10);
      if (k > 0) label(ctx, `bound, ${word}`, at.left + 8, y, p, room);
    }
    if (run.scale !== null && !small) {
      const y = at.y(run.scale);
      ctx.lineWidth = 1.5;
      ctx.lineCap = "round";
      ctx.setLineDash([1.5, 4]);
      if (y > at.top && y < at.bottom) {
        ctx.beginPath();
        ctx.moveTo(at.left, y);
        ctx.lineTo(at.right, y);
        ctx.stroke();
        label(ctx, "√(log *β* / *β*)", at.right - 4, y - 10, p, { ...room, align: "right" });
      }
    }
    ctx.restore();
  };
}

/** Phase bands behind the curve. */
export function bandsOf(run, { wait, obey }) {
  if (run.scale === null || run.curve !== "distance") return [];
  const end = run.times[run.flow.filled - 1];
  const whole = run.flow.filled === run.times.length ? run.state.t_end : end;
  const bands = [{ from: run.axis.min, to: Math.min(wait, whole), strength: 0.06, label: "1 gather" }];
  if (wait < whole) bands.push({ from: wait, to: Math.min(obey, whole), strength: 0.17, label: "2 wait" });
  if (obey < whole) bands.push({ from: obey, to: whole, strength: 0.06, label: "3 obey *V*" });
  return bands;
}
