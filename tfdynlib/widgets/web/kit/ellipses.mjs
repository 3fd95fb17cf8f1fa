// Ellipses on a plane: how Gaussians are drawn, at twice the deviation.  With the shapes,
// the map of the plane and the hand that drags one, all that a figure needs of them.

import { handlesOf, SIGMAS } from "./ellipse_shape.mjs";
import { fade } from "./palette.mjs";
import { boxOf, overlap } from "./plane.mjs";
import { label, textWidth } from "./text.mjs";

export { covOf, handlesOf, ofMoments, SIGMAS } from "./ellipse_shape.mjs";
export { dragged, dragging, KEYS, moved } from "./ellipse_hand.mjs";
export { grid, plane } from "./plane.mjs";

/**
 * Names beside ellipses, each where it meets least of what is there: `list` of
 * { ellipse, name, color, side }, `side` the place that is tried first; `taken` are boxes
 * { x0, x1, y0, y1 } to keep clear of (those of `grid`, for a start).
 */
export function nameAll(ctx, g, p, list, taken = []) {
  const used = [...taken];
  for (const { ellipse, name, color, side = "top" } of list) {
    const { mean, long, short, angle } = ellipse;
    const half = Math.min(g.w, SIGMAS * g.scale * Math.hypot(long * Math.cos(angle), short * Math.sin(angle)));
    const high = Math.min(g.h, SIGMAS * g.scale * Math.hypot(long * Math.sin(angle), short * Math.cos(angle)));
    const w = textWidth(ctx, name, p, { size: 13 });
    const [x, y] = [g.x(mean[0]), g.y(mean[1])];
    const spots = [
      ["top", x, y - high - 13], ["right", x + half + w / 2 + 9, y], ["bottom", x, y + high + 13], ["left", x - half - w / 2 - 9, y],
      ["", x + 0.75 * half + w / 2 + 8, y - 0.75 * high - 8], ["", x - 0.75 * half - w / 2 - 8, y - 0.75 * high - 8],
      ["", x + 0.75 * half + w / 2 + 8, y + 0.75 * high + 8], ["", x - 0.75 * half - w / 2 - 8, y + 0.75 * high + 8],
    ];
    const priced = spots.map(([where, a, b], k) => {
      const at = [Math.min(g.w - w / 2 - 6, Math.max(w / 2 + 6, a)), Math.min(g.h - 12, Math.max(12, b))];
      const moved = Math.hypot(at[0] - a, at[1] - b);
      const box = boxOf(...at, w, 14);
      return { at, box, cost: used.reduce((sum, other) => sum + overlap(box, other), 0) + 3 * moved + (where === side ? 0 : 4 + k) };
    });
    const best = priced.reduce((a, b) => (b.cost < a.cost ? b : a));
    label(ctx, name, ...best.at, p, { size: 13, color, halo: p.soft, align: "center" });
    used.push(best.box);
  }
  return used;
}

/** Boxes round the places that can be grabbed, for `nameAll`. */
export const handleBoxes = (g, ellipse) => Object.values(handlesOf(g, ellipse)).map(({ x, y }) => boxOf(x, y, 18, 18));

/** A path along the ellipse at `times` standard deviations; a line if it is thin. */
function path(ctx, g, { mean, long, short, angle }, times = SIGMAS) {
  const k = times * g.scale;
  ctx.ellipse(g.x(mean[0]), g.y(mean[1]), Math.min(1e5, k * long), Math.min(1e5, k * short), -angle, 0, 2 * Math.PI);
}

/** The outline.  `fill` is an optional colour inside. */
export function outline(ctx, g, ellipse, { color, width = 2.4, dash = [], fill = null } = {}) {
  ctx.save();
  ctx.beginPath();
  path(ctx, g, ellipse);
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  ctx.setLineDash(dash);
  Object.assign(ctx, { strokeStyle: color, lineWidth: width, lineCap: dash.length ? "butt" : "round" });
  ctx.stroke();
  ctx.restore();
}

/** The limit of a theorem: dashed, with its name. */
export function limit(ctx, g, ellipse, p, name = "limit", color = p.theory) {
  outline(ctx, g, ellipse, { color, width: 2, dash: [6, 5] });
  if (name) nameAt(ctx, g, ellipse, name, p, color);
}

/** A name beside the ellipse, inside the stage. */
export function nameAt(ctx, g, { mean, long, short, angle }, name, p, color, side = "right") {
  const half = SIGMAS * g.scale * Math.hypot(long * Math.cos(angle), short * Math.sin(angle));
  const high = SIGMAS * g.scale * Math.hypot(long * Math.sin(angle), short * Math.cos(angle));
  const [x, y] = [g.x(mean[0]), g.y(mean[1])];
  const clampX = (v) => Math.min(g.w - 24, Math.max(24, v));
  const clampY = (v) => Math.min(g.h - 12, Math.max(12, v));
  const options = { size: 13, color, halo: p.soft, align: "center" };
  if (side === "right") label(ctx, name, clampX(x + half + 24), clampY(y), p, options);
  else label(ctx, name, clampX(x), clampY(side === "top" ? y - high - 13 : y + high + 13), p, options);
}

const STOPS = Array.from({ length: 9 }, (_, k) => [k / 8, Math.exp(-(((3 * k) / 8) ** 2) / 2)]);

/** The density as a soft cloud out to three deviations. */
export function cloud(ctx, g, { mean, long, short, angle }, color, strength = 0.4) {
  const k = 3 * g.scale;
  const [a, b] = [Math.min(3e4, k * long), Math.min(3e4, k * short)];
  if (a < 0.5 || b < 0.5) return;
  ctx.save();
  ctx.translate(g.x(mean[0]), g.y(mean[1]));
  ctx.rotate(-angle);
  ctx.scale(a, b);
  const shade = ctx.createRadialGradient(0, 0, 0, 0, 0, 1);
  const end = STOPS.at(-1)[1];
  for (const [at, height] of STOPS) shade.addColorStop(at, fade(color, strength * (height - end)));
  ctx.fillStyle = shade;
  ctx.fillRect(-1, -1, 2, 2);
  ctx.restore();
}

/** Both half axes from the centre, the long one thick. */
export function halfAxes(ctx, g, { mean, long, short, angle }, color) {
  const [x, y] = [g.x(mean[0]), g.y(mean[1])];
  const ray = (length, turn, width) => {
    const r = Math.min(1e5, SIGMAS * g.scale * length);
    ctx.lineWidth = width;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + r * Math.cos(turn), y - r * Math.sin(turn));
    ctx.stroke();
  };
  ctx.strokeStyle = color;
  ray(long, angle, 2.6);
  ray(short, angle + Math.PI / 2, 1.3);
}

/** A mean: a dot with a halo. */
export function dot(ctx, g, [a, b], p, color, r = 5) {
  ctx.beginPath();
  ctx.arc(g.x(a), g.y(b), r, 0, 2 * Math.PI);
  Object.assign(ctx, { fillStyle: color, strokeStyle: p.bg, lineWidth: 2 });
  ctx.fill();
  ctx.stroke();
}

/** A draggable point: a diamond of 16 pixels. */
export function diamond(ctx, x, y, p, color = p.grab, hover = false) {
  if (hover) halo(ctx, x, y, color);
  ctx.beginPath();
  ctx.moveTo(x, y - 8);
  ctx.lineTo(x + 8, y);
  ctx.lineTo(x, y + 8);
  ctx.lineTo(x - 8, y);
  ctx.closePath();
  Object.assign(ctx, { fillStyle: color, strokeStyle: p.bg, lineWidth: 2 });
  ctx.stroke();
  ctx.fill();
}

function halo(ctx, x, y, color) {
  ctx.beginPath();
  ctx.arc(x, y, 14, 0, 2 * Math.PI);
  ctx.fillStyle = fade(color, 0.18);
  ctx.fill();
}

function knob(ctx, x, y, p, color, hover) {
  if (hover) halo(ctx, x, y, color);
  ctx.beginPath();
  ctx.arc(x, y, 7, 0, 2 * Math.PI);
  Object.assign(ctx, { fillStyle: color, strokeStyle: p.bg, lineWidth: 2 });
  ctx.fill();
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(x, y, 9, 0, 2 * Math.PI);
  Object.assign(ctx, { strokeStyle: color, lineWidth: 1 });
  ctx.stroke();
}

/** An ellipse that can be dragged: outline, knobs, diamond, and its name. */
export function draggable(ctx, g, ellipse, p, { name = "start", color = p.grab, hover = null, side = "top" } = {}) {
  const at = handlesOf(g, ellipse);
  outline(ctx, g, ellipse, { color, width: 1.5 });
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.2;
  ctx.beginPath();
  for (const part of ["long", "short"]) {
    ctx.moveTo(at.centre.x, at.centre.y);
    ctx.lineTo(at[part].x, at[part].y);
  }
  ctx.stroke();
  for (const part of ["long twin", "short twin"]) {
    ctx.beginPath();
    ctx.arc(at[part].x, at[part].y, 4, 0, 2 * Math.PI);
    Object.assign(ctx, { fillStyle: p.bg, strokeStyle: color, lineWidth: 1.5 });
    ctx.fill();
    ctx.stroke();
  }
  for (const part of ["short", "long"]) knob(ctx, at[part].x, at[part].y, p, color, hover === part);
  diamond(ctx, at.centre.x, at.centre.y, p, color, hover === "centre");
  if (name) nameAt(ctx, g, ellipse, name, p, color, side);
}
