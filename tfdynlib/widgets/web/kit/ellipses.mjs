// Ellipses on a plane: a map of the plane, how Gaussians are drawn, how one is dragged.
//
// An ellipse is `{ mean: [x, y], long, short, angle }`, with standard deviations along
// its axes; drawn at twice the deviation.  A figure that lets the reader drag some:
//
//   const hand = ellipses.dragging(card, stage, {
//     place: () => plane,                    the map in use (frozen while dragging)
//     list: () => [{ ellipse, set(next) }, …],   what can be dragged, topmost first
//     points: () => [{ at: [x, y], set([x, y]) }, …]   other draggable points
//     begin() {}, end() {},                  a drag begins, ends
//   });
//   hand.hovered                             { index, part } under the mouse, or null
//   onKey: (event) => { const next = ellipses.moved(event, ellipse); … }   keys

import { label, textWidth } from "./text.mjs";
import { drag } from "./stage.mjs";
import { fade } from "./palette.mjs";
import { tickText } from "./scale.mjs";
import { eigSym, ofEigen } from "../twin/matrix2.mjs";

export const SIGMAS = 2; // the outline is drawn at so many standard deviations

/** The ellipse of a mean and a covariance (flat, 2 x 2). */
export function ofMoments(mean, cov) {
  const { values, angle } = eigSym(cov);
  const [long, short] = values.map((v) => Math.sqrt(Math.max(0, v)));
  return { mean: [...mean], long, short, angle };
}

/** The covariance (flat) of an ellipse. */
export const covOf = ({ long, short, angle }) => ofEigen([long * long, short * short], angle);

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

const boxOf = (x, y, w, h) => ({ x0: x - w / 2 - 3, x1: x + w / 2 + 3, y0: y - h / 2 - 3, y1: y + h / 2 + 3 });
const overlap = (a, b) =>
  Math.max(0, Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)) * Math.max(0, Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0));

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

const LEAST = 24; // px between a knob and the centre: a line too has a knob to widen it by

/** The places that can be grabbed, as pixels: centre, two knobs, their hollow twins. */
export function handlesOf(g, { mean, long, short, angle }) {
  const [x, y] = [g.x(mean[0]), g.y(mean[1])];
  const end = (length, turn) => {
    const r = Math.max(LEAST, SIGMAS * g.scale * length);
    return { x: x + r * Math.cos(turn), y: y - r * Math.sin(turn) };
  };
  const right = angle + Math.PI / 2;
  return {
    long: end(long, angle),
    short: end(short, right),
    "long twin": end(long, angle + Math.PI),
    "short twin": end(short, right + Math.PI),
    centre: { x, y },
  };
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

const NEAR = { mouse: 16, touch: 26, pen: 20 };
const DEGREES = Math.PI / 180;
const [THIN, EVEN, TURN, AXIS] = [0.07, 0.04, 3 * DEGREES, 0.06]; // what snaps
const LIMIT = { mean: 6, deviation: 3 };

const clamp = (v, most) => Math.min(most, Math.max(-most, v));
const tidy = (v) => Number(v.toFixed(3)) + 0;
/** An angle in (-pi/2, pi/2]. */
const wrapped = (angle) => angle - Math.PI * Math.ceil(angle / Math.PI - 0.5);

/**
 * Keep an ellipse in order: the longer axis first, sizes and centre in range.  `swapped`
 * and `flipped` say whether the axes changed places, and whether their ends did.
 */
function ordered({ mean, long, short, angle }) {
  const [a, b] = [long, short].map((v) => Math.min(LIMIT.deviation, Math.max(0, v)));
  const swapped = b > a;
  const turned = swapped ? angle + Math.PI / 2 : angle;
  const next = wrapped(turned);
  return {
    mean: mean.map((v) => tidy(clamp(v, LIMIT.mean))),
    long: swapped ? b : a,
    short: swapped ? a : b,
    angle: next,
    swapped,
    flipped: Math.abs(Math.round((turned - next) / Math.PI)) % 2 === 1,
  };
}

/**
 * The ellipse after its `part` was dragged to the point `to` of the plane; `extra` is how
 * far the knob stands outside the ellipse.
 */
export function dragged(ellipse, part, to, snap = true, extra = 0) {
  if (part === "centre") {
    const mean = to.map((v) => (snap && Math.abs(v) < AXIS ? 0 : v));
    return ordered({ ...ellipse, mean });
  }
  const way = [to[0] - ellipse.mean[0], to[1] - ellipse.mean[1]];
  const side = part.startsWith("long") ? "long" : "short";
  let length = Math.max(0, Math.hypot(...way) - extra) / SIGMAS;
  let turn = Math.atan2(way[1], way[0]) + (part.endsWith("twin") ? Math.PI : 0);
  if (side === "short") turn -= Math.PI / 2;
  if (Math.hypot(...way) < 0.04) turn = ellipse.angle;
  const next = { ...ellipse };
  if (snap) {
    const eighth = Math.round(turn / (Math.PI / 4)) * (Math.PI / 4);
    if (Math.abs(turn - eighth) < TURN) turn = eighth;
    const other = side === "long" ? ellipse.short : ellipse.long;
    if (length < THIN) length = 0;
    else if (Math.abs(length - other) < EVEN * other) length = other;
  }
  next[side] = length;
  next.angle = turn;
  return ordered(next);
}

/**
 * The ellipse after a key, or null: arrows move the centre, with Shift they change the
 * long (left, right) and the short deviation (down, up); R and E turn, "[" and "]" too.
 */
export function moved(event, ellipse) {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  const turn = { "[": 1, "]": -1, r: -1, e: 1, R: -1, E: 1 }[event.key];
  if (turn) return ordered({ ...ellipse, angle: ellipse.angle + turn * 5 * DEGREES });
  if (!by) return null;
  if (!event.shiftKey)
    return ordered({ ...ellipse, mean: ellipse.mean.map((v, k) => v + 0.1 * by[k]) });
  const grown = (v, step) => {
    const next = Math.max(0, v + 0.05 * step);
    return next < THIN && step < 0 ? 0 : next;
  };
  return ordered({ ...ellipse, long: grown(ellipse.long, by[0]), short: grown(ellipse.short, by[1]) });
}

export const KEYS =
  "Arrow keys move the centre; with Shift, left and right change the long axis, up and down the short one; E and R turn.";

// When the shorter axis outgrows the longer, the hand keeps hold of the same end.  The new
// angle is a quarter turn further, so a short end is the new long end, and the old long end
// lies a quarter turn behind the new long one: it is the twin of the new short end.
const SWAP = {
  short: "long", "short twin": "long twin", long: "short twin", "long twin": "short",
};

const otherEnd = (part) =>
  part === "centre" ? part : part.endsWith(" twin") ? part.slice(0, -5) : `${part} twin`;

/** Dragging of ellipses and points on a stage; see the head of this file. */
export function dragging(card, stage, { place, list = () => [], points = () => [], begin = () => {}, end = () => {} }) {
  const { canvas } = stage;
  canvas.style.touchAction = "none";
  let held = null;
  const self = { hovered: null, get held() { return held; } };

  function find(p, event) {
    const g = place();
    if (!g) return null;
    const spots = points().map(({ at }, index) => ({ kind: "point", index, x: g.x(at[0]), y: g.y(at[1]) }));
    list().forEach(({ ellipse }, index) => {
      for (const [part, at] of Object.entries(handlesOf(g, ellipse))) spots.push({ kind: "ellipse", index, part, ...at });
    });
    const reach = NEAR[event.pointerType] ?? NEAR.mouse;
    let best = null;
    for (const spot of spots) {
      const away = Math.hypot(spot.x - p.x, spot.y - p.y);
      if (away <= reach && (!best || away < best.away - 1e-9)) best = { ...spot, away };
    }
    return best;
  }
  const hover = card.guard((event) => {
    if (held) return;
    const found = find({ x: event.offsetX, y: event.offsetY }, event);
    const same = found?.index === self.hovered?.index && found?.part === self.hovered?.part && found?.kind === self.hovered?.kind;
    canvas.style.cursor = found ? "grab" : "";
    if (same) return;
    self.hovered = found;
    stage.invalidate();
  });
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerleave", card.guard(() => {
    if (held || !self.hovered) return;
    self.hovered = null;
    stage.invalidate();
  }));
  drag(card, canvas, {
    start(p, event) {
      held = find(p, event);
      if (!held) return false;
      held.off = { x: held.x - p.x, y: held.y - p.y };
      held.extra = 0;
      if (held.kind === "ellipse" && held.part !== "centre") {
        const { ellipse } = list()[held.index];
        const size = SIGMAS * ellipse[held.part.startsWith("long") ? "long" : "short"];
        held.extra = Math.max(0, LEAST / place().scale - size);
      }
      self.hovered = held;
      begin(held);
      return true;
    },
    move(p, event) {
      const to = place().at({ x: p.x + held.off.x, y: p.y + held.off.y });
      if (held.kind === "point") {
        points()[held.index].set(to.map((v) => tidy(clamp(!event.altKey && Math.abs(v) < AXIS ? 0 : v, LIMIT.mean))));
        return;
      }
      const { ellipse, set } = list()[held.index];
      const { swapped, flipped, ...next } = dragged(ellipse, held.part, to, !event.altKey, held.extra);
      if (swapped) held.part = SWAP[held.part] ?? held.part;
      if (flipped) held.part = otherEnd(held.part);
      set(next);
    },
    end() {
      const was = held;
      held = null;
      end(was);
    },
  });
  return self;
}
