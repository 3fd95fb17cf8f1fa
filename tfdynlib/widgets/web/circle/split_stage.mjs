// The stage of the view "split": time runs outward, from the start inside to the goal.

import { mix } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import * as ring from "./ring.mjs";
import { STEPS } from "./split_run.mjs";

const TURN = 2 * Math.PI;
const INNER = 0.2; // of the radius, where the way begins

/** Where the outer circle lies; the goal on it can be dragged. */
export const placeOf = (view) => ring.place(view, 40);

const radius = (g, share) => g.R * (INNER + (1 - INNER) * share);

/** The points of one part from time `from` to `to` (steps), added to the present path. */
function follow(ctx, g, rows, part, from, to) {
  const by = to < from ? -1 : 1;
  for (let k = from; k !== to + by; k += by) ctx.lineTo(...ring.at(g, rows[k][part], radius(g, k / STEPS)));
}

/** The way of the whole atom: an even turn, dashed. */
function straight(ctx, g, p, turn) {
  ctx.save();
  ctx.beginPath();
  for (let k = 0; k <= STEPS; k++) ctx.lineTo(...ring.at(g, (turn * k) / STEPS, radius(g, k / STEPS)));
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 1.7;
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.restore();
}

/** The whole stage at the time t. */
export function paint(ctx, view, { now, t, held }) {
  const p = view.palette;
  const g = placeOf(view);
  const { rows, parts, turn } = now;
  const step = Math.min(STEPS, Math.floor(t * STEPS + 1e-9));
  ring.disc(ctx, g, p);
  ring.rim(ctx, g, p);
  ctx.beginPath();
  ctx.arc(g.cx, g.cy, radius(g, 0), 0, TURN);
  ctx.strokeStyle = p.grat;
  ctx.lineWidth = 1;
  ctx.stroke();
  const [low, high] = extremes(rows);
  ctx.beginPath(); // the eye
  follow(ctx, g, rows, low, 0, STEPS);
  follow(ctx, g, rows, high, STEPS, 0);
  ctx.fillStyle = mix(p.state, p.glass1, 0.16);
  ctx.fill();
  straight(ctx, g, p, turn);
  const width = parts > 2 ? 1.8 : 2.8;
  for (const [color, last] of [[mix(p.state, p.glass1, 0.42), STEPS], [p.state, step]])
    for (let i = 0; i < parts; i++) {
      ctx.beginPath();
      follow(ctx, g, rows, i, 0, last);
      ctx.strokeStyle = color;
      ctx.lineWidth = width;
      ctx.lineJoin = "round";
      ctx.stroke();
    }
  front(ctx, g, p, t);
  const here = { ...g, R: radius(g, step / STEPS) };
  ring.dots(ctx, here, p, rows[step], parts > 2 ? 4.4 : 6);
  ring.knobs(ctx, g, p, [turn], 7.5, held);
  words(ctx, g, p, now);
}

/** The parts that are farthest apart halfway. */
export function extremes(rows) {
  const middle = rows[STEPS / 2];
  return [middle.indexOf(Math.min(...middle)), middle.indexOf(Math.max(...middle))];
}

/** The present time as a circle. */
function front(ctx, g, p, t) {
  if (t <= 0 || t >= 1) return;
  ctx.beginPath();
  ctx.arc(g.cx, g.cy, radius(g, t), 0, TURN);
  ctx.strokeStyle = mix(p.ink, p.glass1, 0.35);
  ctx.lineWidth = 1;
  ctx.stroke();
}

function words(ctx, g, p, { turn }) {
  label(ctx, "start", g.cx, g.cy, p, { size: 12, color: p.mut, align: "center", halo: p.glass1 });
  const [x, y] = ring.at(g, turn, g.R + 20);
  const inside = Math.min(2 * g.cx - 26, Math.max(26, x)); // where the rim is near the edge
  const lift = inside === x ? 0 : 16;
  label(ctx, "goal *φ*", inside, y - lift, p, { size: 13, color: p.grab, align: "center", halo: p.bg });
  const [u, v] = ring.at(g, -Math.PI / 2, 0.66 * g.R);
  label(ctx, "dashed: all of it together", u, v, p, { size: 12, color: p.theory, align: "center", halo: p.glass1 });
}
