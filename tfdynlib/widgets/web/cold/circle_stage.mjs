// View "flow" on the circle: tokens, their law, the poles, and where V pulls.

import { label, textWidth } from "../kit/text.mjs";
import { angles as anglesOf } from "../twin/points.mjs";
import * as ring from "../circle/ring.mjs";

const TURN = 2 * Math.PI;
const WIDE = 0.06; // radian: half the width of a cluster that is one disc

/** The law of tokens with masses in bins, uniform = 1, smoothed over some degrees. */
function law(angles, mass) {
  const total = new Float64Array(ring.BINS);
  const least = TURN / ring.BINS;
  const order = angles.map((_, i) => i).sort((a, b) => angles[a] - angles[b]);
  order.forEach((i, k) => {
    const [a, b] = [order[(k + order.length - 1) % order.length], order[(k + 1) % order.length]];
    const gap = (u, v) => ((v - u) % TURN + TURN) % TURN;
    const width = Math.min(0.3, Math.max(least, (gap(angles[a], angles[i]) + gap(angles[i], angles[b])) / 2));
    ring.spread(total, angles[i] - width / 2, angles[i] + width / 2, mass[i]);
  });
  return ring.smooth(total.map((share) => share * ring.BINS));
}

function across(ctx, g, angle) {
  ctx.beginPath();
  ctx.moveTo(...ring.at(g, angle));
  ctx.lineTo(...ring.at(g, angle + Math.PI));
  ctx.stroke();
}

/** A name beside the rim, and the box it stands in. */
function named(ctx, p, text, x, y, style) {
  const width = textWidth(ctx, text, p, style);
  return { text, x, y, style: { ...style, align: "center", halo: p.glass1 }, x0: x - width / 2 - 3, x1: x + width / 2 + 3, y0: y - 9, y1: y + 9 };
}

const meet = (a, b) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

/** Writes a name unless another one stands there. */
function write(ctx, p, name, taken) {
  if (taken.some((other) => meet(other, name))) return false;
  taken.push(name);
  label(ctx, name.text, name.x, name.y, p, name.style);
  return true;
}

/** The axis of V: where a lone cluster goes. */
function pull(ctx, g, p, { top, limit, known }, taken) {
  if (!top) return;
  const angle = Math.atan2(top.vector[1], top.vector[0]);
  ctx.strokeStyle = p.ctl;
  ctx.lineWidth = 1;
  across(ctx, g, angle);
  const apart = known ? Math.abs(Math.sin(angle - Math.atan2(limit.basis[0][1], limit.basis[0][0]))) : 1;
  const words = apart < 0.05 ? "*V* pulls here too" : "*V* pulls here";
  const shift = apart < 0.05 ? 16 : 0;
  for (const share of [0.36, -0.36, -0.2, 0.2]) {
    const [x, y] = ring.at(g, angle, share * g.R);
    if (write(ctx, p, named(ctx, p, words, x, y + shift, { size: 12.5, color: p.mut }), taken)) return;
  }
}

/** The dominant space of M: a dashed axis, and rings at its poles. */
function poles(ctx, g, p, { limit, known, d }, taken) {
  if (!known || limit.dim !== 1 || d !== 2) return;
  const angle = Math.atan2(limit.basis[0][1], limit.basis[0][0]);
  ctx.save();
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 2;
  ctx.setLineDash([6, 5]);
  across(ctx, g, angle);
  ctx.restore();
  const [x, y] = ring.at(g, angle + Math.PI, 0.5 * g.R);
  write(ctx, p, named(ctx, p, "*E*", x, y - 13, { size: 14, color: p.theory }), taken);
}

function poleRings(ctx, g, p, { limit, known }) {
  if (!known || limit.dim !== 1) return;
  const angle = Math.atan2(limit.basis[0][1], limit.basis[0][0]);
  for (const side of [0, Math.PI]) {
    const [x, y] = ring.at(g, angle + side);
    ctx.beginPath();
    ctx.arc(x, y, 14, 0, TURN);
    ctx.strokeStyle = p.theory;
    ctx.lineWidth = 2;
    ctx.stroke();
  }
}

/** Ticks and names of the axes, where no pole ring covers them. */
function axes(ctx, g, p, taken) {
  ctx.strokeStyle = p.grat;
  ctx.lineWidth = 1;
  for (const [angle, name, dx, dy] of [[0, "*e*_1", -26, 20], [Math.PI / 2, "*e*_2", 17, 24]]) {
    ctx.beginPath();
    ctx.moveTo(...ring.at(g, angle, g.R - 1));
    ctx.lineTo(...ring.at(g, angle, g.R - 9));
    ctx.stroke();
    const [x, y] = ring.at(g, angle);
    write(ctx, p, named(ctx, p, name, x + dx, y + dy, { size: 13, color: p.mut }), taken);
  }
}

/** Tokens that are near enough to be one disc, with the mass of each. */
export function groupsOf(angles, mass) {
  const order = angles.map((_, i) => i).sort((a, b) => angles[a] - angles[b]);
  const groups = [];
  for (const i of order) {
    const last = groups[groups.length - 1];
    if (last && angles[i] - last.to <= WIDE / 2) Object.assign(last, { to: angles[i], mass: last.mass + mass[i], all: [...last.all, i] });
    else groups.push({ from: angles[i], to: angles[i], mass: mass[i], all: [i] });
  }
  const [first, last] = [groups[0], groups[groups.length - 1]];
  if (groups.length > 1 && first.from + TURN - last.to <= WIDE / 2) {
    groups.pop();
    groups[0] = { from: last.from - TURN, to: first.to, mass: first.mass + last.mass, all: [...last.all, ...first.all] };
  }
  return groups;
}

const percent = (mass) => `${Math.round(100 * mass)} %`;

/** Shares of the mass of tight clusters, inside the rim: the largest where two would meet. */
function shares(ctx, g, p, groups) {
  const taken = [];
  for (const { from, to, mass } of [...groups].sort((a, b) => b.mass - a.mass)) {
    if (mass < 0.02) break;
    const angle = (from + to) / 2;
    const [x, y] = ring.at(g, angle, g.R - 40);
    const name = named(ctx, p, percent(mass), x, y - 12 * Math.abs(Math.cos(angle)), { size: 13, weight: 600 });
    if (!taken.some((other) => meet(other, name))) taken.push(name);
  }
  return taken;
}

/** Discs for tight clusters. */
function discs(ctx, g, p, groups) {
  for (const group of groups) {
    const angle = (group.from + group.to) / 2;
    const [x, y] = ring.at(g, angle);
    const r = 4 + 7 * Math.sqrt(group.mass);
    ctx.beginPath();
    ctx.arc(x, y, r, 0, TURN);
    ctx.fillStyle = p.state;
    ctx.strokeStyle = p.bg;
    ctx.lineWidth = 2.4;
    ctx.stroke();
    ctx.fill();
  }
}

/** Leaves dots hollow. */
function open(ctx, g, p, angles, r) {
  ctx.beginPath();
  for (const angle of angles) {
    const [x, y] = ring.at(g, angle);
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, TURN);
  }
  ctx.fillStyle = p.bg;
  ctx.fill();
}

/** Where the circle is on this stage. */
export function place(view) {
  const g = ring.place(view, 62);
  return { ...g, air: Math.min(view.w, view.h) / 2 - g.R };
}

/** All of it, from back to front. */
export function drawCircle(ctx, view, { run, x, hollow }) {
  const p = view.palette;
  const g = place(view);
  const { mass } = run.start;
  const angles = anglesOf(x);
  if (run.n >= 16) ring.silhouette(ctx, g, p, law(angles, mass), 0.62 * g.air, 8);
  ring.disc(ctx, g, p);
  const groups = groupsOf(angles, mass);
  const tight = groups.filter(({ from, to, all }) => to - from <= 2 * WIDE && all.length >= (run.n < 16 ? 1 : 3));
  const taken = shares(ctx, g, p, tight);
  const percents = [...taken];
  poles(ctx, g, p, run, taken);
  pull(ctx, g, p, run, taken);
  axes(ctx, g, p, taken);
  ring.rim(ctx, g, p);
  const inDisc = new Set(tight.flatMap(({ all }) => all));
  const size = run.n > 150 ? 2.9 : 3.8;
  ring.dots(ctx, g, p, angles.filter((_, i) => !inDisc.has(i)), size);
  if (hollow) open(ctx, g, p, angles.filter((_, i) => hollow[i] && !inDisc.has(i)), size - 1.2);
  discs(ctx, g, p, tight);
  for (const { text, x: tx, y: ty, style } of percents) label(ctx, text, tx, ty, p, style);
  poleRings(ctx, g, p, run);
}
