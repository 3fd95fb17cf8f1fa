// The stage: tokens on the circle, their past, the clusters by letter and number of tokens.

import * as ring from "../circle/ring.mjs";
import { label } from "../kit/text.mjs";

const WIDE = 0.12; // a cluster narrower than this is one disc
const MANY = 9; // of more clusters only the closest two are named
const TURN = 2 * Math.PI;
const off = (a, b) => Math.abs(a - b - TURN * Math.round((a - b) / TURN));

/** The way between the two closest clusters, dashed, with the angle between them. */
function gapArc(ctx, g, palette, pair) {
  const { first, second, gap } = pair;
  const r = g.R * 0.68;
  const from = first.angle;
  const turn = second.angle - first.angle - TURN * Math.round((second.angle - first.angle) / TURN);
  ctx.beginPath();
  for (let k = 0; k <= 40; k++) {
    const [x, y] = ring.at(g, from + (turn * k) / 40, r);
    if (k === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.strokeStyle = palette.theory;
  ctx.lineWidth = 1.6;
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.setLineDash([]);
  const place = ring.at(g, from + turn / 2, r - 18);
  const named = ring.names(g).some(([u, v]) => Math.hypot(place[0] - u, place[1] - v) < 30);
  const [x, y] = named ? ring.at(g, from + turn / 2, r - 44) : place;
  label(ctx, gap.toFixed(gap < 1 ? 3 : 2), x, y, palette, {
    size: 12.5, color: palette.theory, align: "center", halo: palette.glass1,
  });
}

/** Clusters: a disc with its letter and its number of tokens; wide ones as dots. */
function clusters(ctx, g, palette, m, n, outside) {
  const wide = m.places.list.map(() => 0);
  m.y.forEach((a, i) => {
    const k = m.places.labels[i];
    wide[k] = Math.max(wide[k], off(a, m.places.list[k].angle));
  });
  const single = Array.from(m.y).filter((_, i) => wide[m.places.labels[i]] > WIDE / 2 || m.places.list[m.places.labels[i]].size === 1);
  ring.dots(ctx, g, palette, single, n > 96 ? 3.4 : 4.6);
  const discs = m.places.list.filter(({ size }, k) => size > 1 && wide[k] <= WIDE / 2);
  for (const { angle, size } of discs) {
    const [x, y] = ring.at(g, angle);
    ctx.beginPath();
    ctx.arc(x, y, Math.min(4 + 9 * Math.sqrt(size / Math.max(n, 16)), 13), 0, TURN);
    ctx.fillStyle = palette.state;
    ctx.strokeStyle = palette.bg;
    ctx.lineWidth = 2.4;
    ctx.stroke();
    ctx.fill();
  }
  const named = m.count <= MANY ? m.places.list : m.alone === null ? [] : [m.pair.first, m.pair.second];
  for (const { angle, size, letter } of named) {
    const [x, y] = ring.at(g, angle, g.R + outside);
    label(ctx, `${letter ?? ""} ${size}`.trim(), x, y, palette, { size: 13, weight: 600, align: "center", halo: palette.bg });
  }
}

/** The stage of the view "clusters", from back to front. */
export function paint(ctx, view, { now, m, k }) {
  const p = view.palette;
  const g = ring.place(view);
  if (now.n >= 16) ring.silhouette(ctx, g, p, ring.law(Array.from(m.y)), 0.5 * (Math.min(view.w, view.h) / 2 - g.R));
  ring.disc(ctx, g, p);
  const { frames, times } = now.samples;
  if (frames.length > 0)
    ring.tunnel(ctx, g, p, { frames: (j) => frames[j], share: (j) => now.axis.share(times[j]), now: k, n: now.n });
  ring.axes(ctx, g, p);
  ring.rim(ctx, g, p);
  if (m.alone !== null) gapArc(ctx, g, p, m.pair);
  clusters(ctx, g, p, m, now.n, now.n >= 16 ? Math.min(view.w, view.h) / 2 - g.R - 12 : 26);
}

/** Waits as bands of the chart, each with its length. */
export const bandsOf = (waits, end, words) =>
  waits.map(({ from, until, length, to }, k) => ({
    from, to: until, strength: k % 2 ? 0.16 : 0.08, label: to > end ? "" : words(length),
  }));
