// A map of the plane on a stage: square units, a grid, and boxes of what is written.

import { tickText } from "./scale.mjs";
import { label } from "./text.mjs";

/** A map of the plane: square units, `reach` from the centre to the nearer edge. */
export function plane(view, { centre = [0, 0], reach = 4 } = {}) {
  const scale = Math.min(view.w, view.h) / 2 / reach;
  return {
    scale,
    reach,
    centre,
    w: view.w,
    h: view.h,
    x: (v) => view.w / 2 + (v - centre[0]) * scale,
    y: (v) => view.h / 2 - (v - centre[1]) * scale,
    at: (p) => [(p.x - view.w / 2) / scale + centre[0], (view.h / 2 - p.y) / scale + centre[1]],
  };
}

const crisp = (v) => Math.round(v) + 0.5;
const STEPS = [0.5, 1, 2, 5, 10, 20, 50, 100];

/** Ground, grid, the two axes with a number each side, and their names; boxes of these. */
export function grid(ctx, g, p, names = ["*x*_1", "*x*_2"]) {
  const step = STEPS.find((s) => s * g.scale >= 36) ?? STEPS.at(-1);
  const [left, top] = g.at({ x: 0, y: 0 });
  const [right, bottom] = g.at({ x: g.w, y: g.h });
  ctx.fillStyle = p.soft;
  ctx.beginPath();
  ctx.roundRect(0, 0, g.w, g.h, 8);
  ctx.fill();
  ctx.save();
  ctx.clip();
  ctx.lineWidth = 1;
  ctx.strokeStyle = p.line;
  ctx.beginPath();
  for (let k = Math.ceil(left / step); k * step <= right; k += 1) {
    ctx.moveTo(crisp(g.x(k * step)), 0);
    ctx.lineTo(crisp(g.x(k * step)), g.h);
  }
  for (let k = Math.ceil(bottom / step); k * step <= top; k += 1) {
    ctx.moveTo(0, crisp(g.y(k * step)));
    ctx.lineTo(g.w, crisp(g.y(k * step)));
  }
  ctx.stroke();
  ctx.strokeStyle = p.grat;
  ctx.beginPath();
  ctx.moveTo(0, crisp(g.y(0)));
  ctx.lineTo(g.w, crisp(g.y(0)));
  ctx.moveTo(crisp(g.x(0)), 0);
  ctx.lineTo(crisp(g.x(0)), g.h);
  ctx.stroke();
  ctx.restore();
  const taken = [];
  const write = (text, x, y, size, align) => {
    const w = label(ctx, text, x, y, p, { size, color: p.mut, halo: p.soft, align });
    const from = align === "center" ? x - w / 2 : align === "right" ? x - w : x;
    taken.push(boxOf(from + w / 2, y, w, size));
  };
  for (const v of [-2 * step, 2 * step])
    if (v > left + 0.4 * step && v < right - 0.4 * step) write(tickText(v), g.x(v), g.y(0) + 11, 11.5, "center");
  write(names[0], g.w - 8, g.y(0) - 11, 13, "right");
  write(names[1], g.x(0) + 8, 13, 13, "left");
  return taken;
}

/** A box round a text of this width and height, with air. */
export const boxOf = (x, y, w, h) => ({ x0: x - w / 2 - 3, x1: x + w / 2 + 3, y0: y - h / 2 - 3, y1: y + h / 2 + 3 });
/** The area that two boxes share. */
export const overlap = (a, b) =>
  Math.max(0, Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)) * Math.max(0, Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0));
