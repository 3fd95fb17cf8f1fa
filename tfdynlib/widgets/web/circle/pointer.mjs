// Taking tokens of the circle with the pointer or with keys.

import { drag } from "../kit/stage.mjs";
import { arc } from "../twin/transport.mjs";
import { at, polar } from "./ring.mjs";

const MOUSE = 16;
const FINGER = 26;

/** Index of the mark nearest to p, of those within reach; -1 if none is. */
function nearest(g, angles, radius, p, reach) {
  let best = { i: -1, far: reach };
  angles.forEach((angle, i) => {
    const [x, y] = at(g, angle, radius);
    const far = Math.hypot(p.x - x, p.y - y);
    if (far < best.far) best = { i, far };
  });
  return best.i;
}

/** The angle, drawn to a multiple of 45 degrees within 3; Alt lets go. */
function snapped(angle, event) {
  const step = Math.PI / 4;
  const round = step * Math.round(angle / step);
  return !event.altKey && Math.abs(angle - round) < 0.052 ? round : angle;
}

/**
 * Drag marks round a circle.
 *
 * `marks()` gives { g, angles, radius } of what can be taken, or null; `take(i)` when one
 * is taken, `put(i, angle)` while it moves, `drop(i)` at the end.
 */
export function dragTokens(card, stage, { marks, take = () => {}, put, drop = () => {} }) {
  let held = -1;
  let offset = 0;
  const find = (p, event) => {
    const { g, angles, radius = g.R } = marks() ?? { g: null };
    if (!g) return -1;
    return nearest(g, angles, radius, p, event.pointerType === "mouse" ? MOUSE : FINGER);
  };
  drag(card, stage.canvas, {
    start(p, event) {
      held = find(p, event);
      if (held < 0) return false;
      const { g, angles } = marks();
      offset = arc(polar(g, p).angle, angles[held]);
      take(held);
      return true;
    },
    move(p, event) {
      put(held, snapped(polar(marks().g, p).angle + offset, event));
    },
    end() {
      const dropped = held;
      held = -1;
      drop(dropped);
    },
  });
  const over = (at, type) => {
    const box = stage.canvas.getBoundingClientRect();
    return find({ x: at.clientX - box.left, y: at.clientY - box.top }, { pointerType: type }) >= 0;
  };
  stage.canvas.addEventListener("pointermove", card.guard((event) => {
    if (held < 0) stage.canvas.style.cursor = over(event, event.pointerType) ? "" : "default";
  }));
  // A finger on a token moves the token; anywhere else it scrolls the page.
  stage.canvas.addEventListener("touchstart", card.guard((event) => {
    if (over(event.touches[0], "touch")) event.preventDefault();
  }), { passive: false });
  return { get held() { return held; } };
}

/**
 * Arrow keys on the stage: left and right choose a token, up and down turn it.
 *
 * @returns true when the key was one of these
 */
export function tokenKeys(event, { n, chosen, choose, turn }) {
  const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (along) {
    choose((chosen + along + n) % n);
    return true;
  }
  const round = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (!round) return false;
  turn(round * (event.shiftKey ? 0.25 : 0.05));
  return true;
}
