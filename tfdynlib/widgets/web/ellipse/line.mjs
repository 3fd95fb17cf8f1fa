// Densities over a line: the stage of the one-dimensional views.

import { tickText, linear } from "../kit/scale.mjs";
import { fade } from "../kit/palette.mjs";
import { inside, label, textWidth } from "../kit/text.mjs";

const LINE = 17; // px between lines of names

/** A map of the stage: x from -reach to reach, heights from 0 to `top`. */
export function lineOf(view, { reach, top, centre = 0 }) {
  const [bottom, head] = [view.h - 46, 26];
  return {
    w: view.w, h: view.h, bottom, head, reach, top, centre,
    x: (v) => view.w / 2 + ((v - centre) / reach) * (view.w / 2 - 14),
    y: (v) => bottom - (v / top) * (bottom - head),
    at: (px) => centre + ((px - view.w / 2) / (view.w / 2 - 14)) * reach,
  };
}

/** Ground, axis and ticks. */
export function ground(ctx, g, p, name = "*x*") {
  ctx.fillStyle = p.soft;
  ctx.beginPath();
  ctx.roundRect(0, 0, g.w, g.h, 8);
  ctx.fill();
  ctx.strokeStyle = p.ctl;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(10, g.bottom + 0.5);
  ctx.lineTo(g.w - 10, g.bottom + 0.5);
  for (const tick of linear(g.centre - g.reach, g.centre + g.reach).ticks(6)) {
    const x = Math.round(g.x(tick)) + 0.5;
    ctx.moveTo(x, g.bottom);
    ctx.lineTo(x, g.bottom + 5);
  }
  ctx.stroke();
  for (const tick of linear(g.centre - g.reach, g.centre + g.reach).ticks(6))
    if (g.x(tick) > 16 && g.x(tick) < g.w - 30)
      label(ctx, tickText(tick), g.x(tick), g.bottom + 15, p, { size: 11.5, color: p.mut, align: "center" });
  label(ctx, name, g.w - 12, g.bottom + 15, p, { size: 13, color: p.mut, align: "right" });
}

function trace(ctx, g, f) {
  ctx.beginPath();
  for (let px = 10; px <= g.w - 10; px += 1.5) ctx.lineTo(px, g.y(Math.min(f(g.at(px)), 1.15 * g.top)));
}

/** A curve of densities f(x); dashed for theory. */
export function curve(ctx, g, f, { color, width = 2.4, dash = [] }) {
  ctx.save();
  trace(ctx, g, f);
  ctx.setLineDash(dash);
  Object.assign(ctx, { strokeStyle: color, lineWidth: width, lineJoin: "round" });
  ctx.stroke();
  ctx.restore();
}

/** The area under a curve. */
export function area(ctx, g, f, color, strength = 0.2) {
  trace(ctx, g, f);
  ctx.lineTo(g.w - 10, g.bottom);
  ctx.lineTo(10, g.bottom);
  ctx.fillStyle = fade(color, strength);
  ctx.fill();
}

/** put(name, x, height, color, align, up): names over a curve, each above those before. */
export function names(ctx, g, p) {
  const taken = [];
  return (name, x, height, color, align, up) => {
    const width = textWidth(ctx, name, p);
    const at = inside(g.x(x), width, align, g.w);
    const left = at - { left: 0, center: width / 2, right: width }[align];
    const meets = (y) => taken.some((b) => Math.abs(b.y - y) < LINE && b.left < left + width + 4 && left < b.right + 4);
    let y = Math.max(14, g.y(height) - up);
    while (meets(y) && y > 14) y = Math.max(14, y - LINE);
    taken.push({ left, right: left + width, y });
    label(ctx, name, at, y, p, { size: 13, color, align, halo: p.soft });
  };
}

/** The density of N(m, S). */
export const bell = (m, S) => (x) => Math.exp(-((x - m) ** 2) / (2 * S)) / Math.sqrt(2 * Math.PI * S);
