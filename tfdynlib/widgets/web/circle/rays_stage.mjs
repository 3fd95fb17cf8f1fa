// The stage of the view "rays": weights as widths, the mean, the pull.

import { mix } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import * as ring from "./ring.mjs";

const TURN = 2 * Math.PI;
const WIDEST = 22; // pixels of a ray of weight one
const MARGIN = 66;
const LOOP = 23 + 1.5 * WIDEST; // how far the loop of weight one reaches beyond the rim

/** Where the circle lies: with room for the largest loop, also on a narrow stage. */
export function placeOf(view) {
  const g = ring.place(view, MARGIN);
  return { ...g, R: Math.min(g.R, Math.min(view.w, view.h) / 2 - LOOP) };
}

/** The stage of the view "rays", from back to front. */
export function paint(ctx, view, { now, m, held }) {
  const p = view.palette;
  const g = placeOf(view);
  ring.disc(ctx, g, p);
  ring.rim(ctx, g, p);
  selfLoop(ctx, g, p, now, m);
  rays(ctx, g, p, now, m);
  meanMark(ctx, g, p, m);
  question(ctx, g, p, now);
  pullArrow(ctx, g, p, now, m);
  ring.dots(ctx, g, p, now.angles, now.n > 48 ? 3.6 : 5);
  if (now.n <= 48) grips(ctx, g, p, now.angles, held);
  const [x, y] = ring.at(g, now.angles[now.query]);
  circle(ctx, x, y, 10.5, p.ink, 1.6);
  if (now.n <= 10) names(ctx, g, p, now, m);
}

function circle(ctx, x, y, r, color, width) {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, TURN);
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.stroke();
}

/** Thin orange rings: every token can be dragged. */
function grips(ctx, g, p, angles, held) {
  angles.forEach((angle, i) => {
    const [x, y] = ring.at(g, angle);
    circle(ctx, x, y, i === held ? 8.5 : 7, p.grab, 1.5);
  });
}

/** Rays to the others; a weight under a thousandth is not drawn. */
function rays(ctx, g, p, now, m) {
  const from = ring.at(g, now.angles[now.query]);
  ctx.strokeStyle = mix(p.state, p.glass1, 0.5);
  ctx.lineCap = "butt";
  m.a.forEach((weight, j) => {
    if (j === now.query || weight < 1e-3) return;
    ctx.lineWidth = WIDEST * weight;
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...ring.at(g, now.angles[j]));
    ctx.stroke();
  });
}

/** The weight a token gives itself: a loop outside the rim, as wide as a ray. */
function selfLoop(ctx, g, p, now, m) {
  const width = WIDEST * m.self;
  if (m.self < 1e-3) return;
  const r = 11 + width / 2;
  const [x, y] = ring.at(g, now.angles[now.query], g.R + r);
  circle(ctx, x, y, r, mix(p.state, p.bg, 0.5), width);
}

function meanMark(ctx, g, p, { m }) {
  const [x, y] = [g.cx + g.R * m[0], g.cy - g.R * m[1]];
  ctx.beginPath();
  for (const [dx, dy] of [[5, 5], [5, -5]]) {
    ctx.moveTo(x - dx, y - dy);
    ctx.lineTo(x + dx, y + dy);
  }
  ctx.strokeStyle = p.bg;
  ctx.lineWidth = 4.5;
  ctx.stroke();
  ctx.strokeStyle = p.ink;
  ctx.lineWidth = 1.8;
  ctx.stroke();
  const side = x > g.cx ? -1 : 1;
  label(ctx, "*m*", x + 12 * side, y - 11, p, { size: 14, align: side < 0 ? "right" : "left", halo: p.glass1 });
}

/** The direction the token asks for, B x, where it is another than the token's own. */
function question(ctx, g, p, now) {
  const angle = Math.atan2(now.p[1], now.p[0]);
  if (Math.hypot(...now.p) < 1e-9 || Math.cos(angle - now.angles[now.query]) > 0.9995) return;
  ctx.beginPath();
  ctx.moveTo(...ring.at(g, angle, g.R + 3));
  ctx.lineTo(...ring.at(g, angle - 0.035, g.R + 14));
  ctx.lineTo(...ring.at(g, angle + 0.035, g.R + 14));
  ctx.fillStyle = p.ink;
  ctx.fill();
  const [x, y] = ring.at(g, angle, g.R + 26);
  label(ctx, "*Bx*", x, y, p, { size: 14, align: "center", halo: p.bg });
}

/** The projected pull as an arrow along the tangent. */
function pullArrow(ctx, g, p, now, m) {
  if (m.pull < 5e-3) return;
  const [x, y] = ring.at(g, now.angles[now.query]);
  const length = Math.min(0.9 * g.R, Math.max(20, 0.8 * g.R * m.pull));
  const [ux, uy] = [m.v[0] / m.pull, -m.v[1] / m.pull];
  const [ex, ey] = [x + ux * length, y + uy * length];
  ctx.strokeStyle = p.ink;
  ctx.fillStyle = p.ink;
  ctx.lineWidth = 1.8;
  ctx.beginPath();
  ctx.moveTo(x + 11 * ux, y + 11 * uy);
  ctx.lineTo(ex - 7 * ux, ey - 7 * uy);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(ex, ey);
  ctx.lineTo(ex - 9 * ux - 4.5 * uy, ey - 9 * uy + 4.5 * ux);
  ctx.lineTo(ex - 9 * ux + 4.5 * uy, ey - 9 * uy - 4.5 * ux);
  ctx.fill();
}

/** The weight beside each token, the own one at the far side of its loop. */
function names(ctx, g, p, now, m) {
  now.angles.forEach((angle, j) => {
    const own = j === now.query;
    const [x, y] = own ? besideLoop(g, angle, m) : ring.at(g, angle, g.R + 26);
    label(ctx, m.a[j].toFixed(3), x, y, p, {
      size: 12.5, weight: own ? 600 : 400, align: "center", halo: p.bg,
    });
  });
}

/** A place for the own weight: beside the loop, where the pull does not point. */
function besideLoop(g, angle, { self, v }) {
  const width = WIDEST * self;
  const [x, y] = ring.at(g, angle, g.R + 11 + width / 2);
  const along = v[1] * Math.cos(angle) - v[0] * Math.sin(angle);
  const side = along > 0 ? -1 : 1;
  const far = 11 + width + 13;
  return [x - side * far * Math.sin(angle), y - side * far * Math.cos(angle)];
}
