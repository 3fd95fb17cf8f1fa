// View "flow": what stands on the chart besides the measured curve.

import { label, textWidth } from "../kit/text.mjs";
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

/** The points of a curve that lie inside the chart, in pixels; gaps are null. */
function points(at, t, y, filled) {
  const found = [];
  for (let k = 0; k < filled; k += 1) {
    const [x, v] = [at.x(t[k]), at.y(y(k))];
    found.push(v >= at.top && v < at.bottom - 0.5 ? [x, v] : null);
  }
  return found;
}

function trace(ctx, list) {
  ctx.beginPath();
  let pen = false;
  for (const point of list) {
    if (!point) pen = false;
    else if (pen) ctx.lineTo(...point);
    else ctx.moveTo(...point);
    pen = Boolean(point);
  }
  ctx.stroke();
}

/**
 * Where a name of this width may stand beside its own curve: the first place above or
 * below it that hits no other curve, no upright line and no other name.
 */
function spot(own, width, at, { others, upright, taken }) {
  const inside = own.filter(Boolean);
  const free = (box) =>
    box.x0 >= at.left + 2 && box.x1 <= at.right && box.y0 >= at.top + 2 && box.y1 <= at.bottom - 3 &&
    !upright.some((x) => x > box.x0 - 4 && x < box.x1 + 4) &&
    !taken.some((b) => b.x0 < box.x1 && box.x0 < b.x1 && b.y0 < box.y1 && box.y0 < b.y1) &&
    ![own, ...others].some((list) => list.some((p) => p && p[0] > box.x0 - 2 && p[0] < box.x1 + 2 && p[1] > box.y0 - 1 && p[1] < box.y1 + 1));
  for (const share of [0.06, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]) {
    const point = inside[Math.round(share * (inside.length - 1))];
    if (!point) continue;
    for (const [dx, dy] of [[4, -11], [4, 12], [-width - 4, 12], [-width - 4, -11], [8, 0], [-width / 2, -14], [-width / 2, 15]]) {
      const [x, y] = [point[0] + dx, point[1] + dy];
      const box = { x0: x, x1: x + width, y0: y - 8, y1: y + 8 };
      if (free(box)) return box;
    }
  }
  return null;
}

const boundAt = (run, { C, C1, c }) => (k) => concentrationBound(run.beta, run.times[k], C, C1, c);

/** Bound, zero-temperature curve and the scale √(log β/β), each with its name. */
export function overlays(run, { bound, word, marks }) {
  return (ctx, at, view) => {
    const p = view.palette;
    const { filled } = run.flow;
    const drawn = [];
    const add = (list, name, width, dash, cap = "butt") => {
      if (list.filter(Boolean).length < 2) return;
      Object.assign(ctx, { strokeStyle: p.theory, lineWidth: width, lineCap: cap });
      ctx.setLineDash(dash);
      trace(ctx, list);
      drawn.push({ list, name });
    };
    ctx.save();
    if (run.scale !== null) {
      const level = Array.from({ length: 101 }, (_, k) => run.axis.value(k / 100));
      add(points(at, level, () => run.scale, 101), "√(log *β*/*β*)", 1.5, [1.5, 4], "round");
    }
    if (bound) add(points(at, run.times, boundAt(run, bound), filled), `bound, ${word}`, 1.8, [6, 5]);
    if (run.beside) add(points(at, run.beside.t, (k) => run.beside.y[k], run.beside.filled), "*β* = ∞", 1.4, [3, 3]);
    ctx.restore();
    const measured = points(at, run.times, (k) => run.flow.values[k], filled);
    const taken = [];
    const upright = marks.map(({ t }) => at.x(t));
    for (const { t } of marks) {
      const [x, y] = [at.x(t), at.top + 9];
      const width = textWidth(ctx, "log *β*", p, { size: 12.5 });
      const left = x - 8 - width > at.left;
      const x0 = left ? x - 8 - width : x + 8;
      taken.push({ x0, x1: x0 + width, y0: y - 8, y1: y + 8 });
      label(ctx, "log *β*", x0, y, p, { size: 12.5, color: p.theory, halo: p.bg });
    }
    for (const { list, name } of [...drawn].reverse()) {
      const others = [measured, ...drawn.filter((one) => one.list !== list).map((one) => one.list)];
      const box = spot(list, textWidth(ctx, name, p, { size: 12.5 }), at, { others, upright, taken });
      if (!box) continue;
      taken.push(box);
      label(ctx, name, box.x0, (box.y0 + box.y1) / 2, p, { size: 12.5, color: p.theory, halo: p.bg });
    }
  };
}

/** Whether the run has phases on this chart. */
export const phased = (run) => run.scale !== null && run.curve === "distance";

/** Phase bands behind the curve. */
export function bandsOf(run, { wait, obey }) {
  if (!phased(run)) return [];
  const end = run.times[run.flow.filled - 1];
  const whole = run.flow.filled === run.times.length ? run.state.t_end : end;
  const bands = [{ from: run.axis.min, to: Math.min(wait, whole), strength: 0.06, label: "1 gather" }];
  if (wait < whole) bands.push({ from: wait, to: Math.min(obey, whole), strength: 0.17, label: "2 wait" });
  if (obey < whole) bands.push({ from: obey, to: whole, strength: 0.06, label: "3 obey *V*" });
  return bands;
}
