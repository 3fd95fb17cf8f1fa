// The stage: start and target in orange, the way found in blue, the tokens' velocity in grey.

import * as ellipses from "../kit/ellipses.mjs";
import { fade } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import { ellipseOf } from "./run.mjs";

const GHOSTS = 6; // equal parts of the time at which the way is drawn
const EVERY = 44; // px between arrows
const LONGEST = 15; // px

/** Arrows of the velocity A x + V (m + S B x) + b, all in one stroke. */
function field(ctx, g, p, { A, B, V, b }, { mean, cov: S }) {
  const seen = ([x, y]) => {
    const q = [B[0] * x + B[1] * y, B[2] * x + B[3] * y];
    const a = [mean[0] + S[0] * q[0] + S[1] * q[1], mean[1] + S[2] * q[0] + S[3] * q[1]];
    return [
      A[0] * x + A[1] * y + V[0] * a[0] + V[1] * a[1] + b[0],
      A[2] * x + A[3] * y + V[2] * a[0] + V[3] * a[1] + b[1],
    ];
  };
  const columns = Math.floor(g.w / EVERY);
  const shift = (g.w - (columns - 1) * EVERY) / 2;
  const spots = [];
  for (let i = 0; i < columns; i += 1)
    for (let j = 0; j < columns; j += 1) spots.push({ x: shift + i * EVERY, y: shift + j * EVERY });
  const ways = spots.map((spot) => seen(g.at(spot)));
  const usual = ways.reduce((sum, [x, y]) => sum + Math.hypot(x, y), 0) / ways.length;
  ctx.beginPath();
  spots.forEach(({ x, y }, k) => {
    const [u, v] = ways[k];
    const speed = Math.hypot(u, v);
    if (!(speed > 1e-9 * usual)) return;
    const length = LONGEST * Math.tanh(speed / usual);
    if (length < 1.5) return;
    const [c, s] = [u / speed, -v / speed];
    const [tx, ty] = [x + (c * length) / 2, y + (s * length) / 2];
    ctx.moveTo(x - (c * length) / 2, y - (s * length) / 2);
    ctx.lineTo(tx, ty);
    const barb = Math.min(4, length / 2);
    ctx.moveTo(tx - barb * (c + 0.6 * s), ty - barb * (s - 0.6 * c));
    ctx.lineTo(tx, ty);
    ctx.lineTo(tx - barb * (c - 0.6 * s), ty - barb * (s + 0.6 * c));
  });
  Object.assign(ctx, { strokeStyle: fade(p.ctl, 0.6), lineWidth: 1.1 });
  ctx.stroke();
}

/** The way of the mean, solid up to now and pale beyond it. */
function trace(ctx, g, p, { t, moments }, now, here) {
  const stroke = (points, color) => {
    ctx.beginPath();
    for (const [x, y] of points) ctx.lineTo(g.x(x), g.y(y));
    Object.assign(ctx, { strokeStyle: color, lineWidth: 2 });
    ctx.stroke();
  };
  const means = moments.map(({ mean }) => mean);
  stroke([here, ...means.filter((_, k) => t[k] > now)], fade(p.state, 0.35));
  stroke([...means.filter((_, k) => t[k] <= now), here], p.state);
}

/** Tokens on a line, or all in one place: there is no cloud, so the line itself is it. */
function thin(ctx, g, p, ellipse) {
  if (ellipse.short > 0) return;
  ellipses.outline(ctx, g, ellipse, { color: p.state, width: 5 });
}

function way(ctx, g, p, run, t) {
  for (let k = 1; k < GHOSTS; k += 1) {
    const at = (k * run.T) / GHOSTS;
    const color = fade(p.state, at <= t ? 0.5 : 0.28);
    ellipses.outline(ctx, g, ellipseOf(run.at(at), run.ranks[0]), { color, width: 1.1 });
  }
}

/** Boxes along a line, for names to keep clear of. */
function alongLine(g, ellipse) {
  if (ellipse.short > 0) return [];
  const { long, centre } = ellipses.handlesOf(g, ellipse);
  return Array.from({ length: 17 }, (_, k) => {
    const s = k / 8 - 1;
    const [x, y] = [centre.x + s * (long.x - centre.x), centre.y + s * (long.y - centre.y)];
    return { x0: x - 8, x1: x + 8, y0: y - 8, y1: y + 8 };
  });
}

/** Names of start and target, clear of knobs and of one another. */
function names(ctx, g, p, [start, target], taken) {
  const upper = start.mean[1] > target.mean[1];
  const knobs = [start, target].flatMap((one) => ellipses.handleBoxes(g, one));
  ellipses.nameAll(ctx, g, p, [
    { ellipse: start, name: "start", color: p.grab, side: upper ? "top" : "bottom" },
    { ellipse: target, name: "target", color: p.grab, side: upper ? "bottom" : "top" },
  ], [...taken, ...knobs]);
}

/** A target that cannot be reached: hatched in plum, and said so. */
function barred(ctx, g, p, ellipse) {
  const k = ellipses.SIGMAS * g.scale;
  ctx.save();
  ctx.beginPath();
  ctx.ellipse(g.x(ellipse.mean[0]), g.y(ellipse.mean[1]), k * ellipse.long, k * ellipse.short, -ellipse.angle, 0, 2 * Math.PI);
  ctx.clip();
  ctx.beginPath();
  for (let x = -g.h; x < g.w; x += 9) {
    ctx.moveTo(x, g.h);
    ctx.lineTo(x + g.h, 0);
  }
  Object.assign(ctx, { strokeStyle: fade(p.stop, 0.5), lineWidth: 1 });
  ctx.stroke();
  ctx.restore();
  const [x, y] = [g.x(ellipse.mean[0]), g.y(ellipse.mean[1])];
  const away = Math.max(30, 0.55 * k * ellipse.short);
  label(ctx, "out of reach", Math.min(g.w - 50, Math.max(50, x)), Math.min(g.h - 12, y + away), p, {
    size: 13, color: p.stop, align: "center", halo: p.soft,
  });
}

/** Everything at the moment t. */
export function paint(ctx, g, p, { run, t, hover, chosen, hint }) {
  const taken = ellipses.grid(ctx, g, p);
  const now = run.at(t);
  const here = ellipseOf(now, run.ranks[0]);
  const [start, target] = [ellipseOf(run.start), ellipseOf(run.target)];
  if (!run.refused) field(ctx, g, p, run.weights(t), now);
  else if (run.refused === "rank") barred(ctx, g, p, target);
  ellipses.cloud(ctx, g, here, p.state);
  if (!run.refused) {
    way(ctx, g, p, run, t);
    trace(ctx, g, p, run.frames, t, now.mean);
  }
  thin(ctx, g, p, here);
  if (!run.refused) {
    ellipses.outline(ctx, g, here, { color: p.state, width: 2.4 });
    ellipses.halfAxes(ctx, g, here, p.state);
  }
  const part = (index) => (hover?.index === index ? hover.part : chosen === index ? "centre" : null);
  ellipses.draggable(ctx, g, target, p, { name: "", hover: part(1) });
  ellipses.draggable(ctx, g, start, p, { name: "", hover: part(0) });
  names(ctx, g, p, [start, target], [...taken, ...alongLine(g, here), ...alongLine(g, start), ...alongLine(g, target)]);
  if (!run.refused) ellipses.dot(ctx, g, now.mean, p, p.state, 4);
  if (hint && !run.refused)
    label(ctx, "drag an axis to zero", 10, g.h - 13, p, { size: 12, color: p.grab, halo: p.soft });
}
