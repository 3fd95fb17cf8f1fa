// How an ellipse is dragged, by the mouse and by keys.
//
//   const hand = ellipses.dragging(card, stage, {
//     place: () => plane,                    the map in use (frozen while dragging)
//     list: () => [{ ellipse, set(next) }, …],   what can be dragged, topmost first
//     points: () => [{ at: [x, y], set([x, y]) }, …]   other draggable points
//     begin() {}, end() {},                  a drag begins, ends
//   });
//   hand.hovered                             { index, part } under the mouse, or null
//   onKey: (event) => { const next = ellipses.moved(event, ellipse); … }   keys

import { handlesOf, LEAST, SIGMAS } from "./ellipse_shape.mjs";
import { drag } from "./stage.mjs";

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
