// The stage of the sphere: tokens, trails, clusters with their counts.

import * as ball from "../kit/ball.mjs";
import { label, textWidth } from "../kit/text.mjs";

const TRAIL = 1.6; // layer-time
const TIGHT = 7; // px: a cluster no wider than this is one disc
const RINGED = 3; // tokens: smaller clusters have no ring, nor those
const PART = 0.05; // below this part of all tokens
const WIDEST = 0.26; // chord from the centre: wider clusters have no ring yet

/** Old to new token arrays of the trail that ends in `x`, just after frame `k`. */
function past(run, k, spacing, x) {
  const count = Math.min(k, Math.round(TRAIL / spacing));
  const stride = Math.max(1, Math.floor(count / 24));
  const frames = [];
  for (let j = k - stride * Math.floor(count / stride); j <= k; j += stride) frames.push(run.at(j));
  frames.push(x);
  return frames;
}

/** Clusters on the canvas: centre, reach, count, depth. */
function groups(seen, found, place) {
  const all = found.sizes.map((count) => ({ count, u: 0, v: 0, w: 0, reach: 0, chord: 0 }));
  for (let i = 0; i < seen.n; i += 1) {
    const group = all[found.labels[i]];
    group.u += seen.u[i] / group.count;
    group.v += seen.v[i] / group.count;
    group.w += seen.w[i] / group.count;
  }
  for (let i = 0; i < seen.n; i += 1) {
    const group = all[found.labels[i]];
    const [u, v, w] = [seen.u[i] - group.u, seen.v[i] - group.v, seen.w[i] - group.w];
    group.reach = Math.max(group.reach, Math.hypot(u, v) * place.r);
    group.chord = Math.max(group.chord, Math.hypot(u, v, w));
  }
  for (const group of all) {
    group.x = place.x + place.r * group.u;
    group.y = place.y - place.r * group.v;
    group.tight = group.count >= RINGED && group.chord * place.r < TIGHT;
    group.disc = Math.min(13, 3.4 * Math.sqrt(group.count) ** 0.62);
    group.ring = group.tight ? group.disc + 6 : group.reach + 13;
  }
  return all;
}

function discs(ctx, all, p, near) {
  for (const group of all) {
    if (!group.tight || group.w >= 0 !== near) continue;
    if (near) ball.dot(ctx, group.x, group.y, group.disc, p);
    else {
      ctx.beginPath();
      ctx.arc(group.x, group.y, 0.85 * group.disc, 0, 2 * Math.PI);
      ctx.fillStyle = ball.farShade(p, -group.w);
      ctx.fill();
    }
  }
}

const boxesMeet = (a, b) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

/** The first of right, left, below, above where the count hits no ring and no count. */
function placeCount(ctx, group, view, taken) {
  const text = String(group.count);
  const w = textWidth(ctx, text, view.palette, { size: 13, weight: 600 });
  const spots = [
    [group.x + group.ring + 5 + w / 2, group.y],
    [group.x - group.ring - 5 - w / 2, group.y],
    [group.x, group.y + group.ring + 10],
    [group.x, group.y - group.ring - 10],
  ];
  const boxes = spots.map(([x, y]) => ({ x, y, x0: x - w / 2 - 1, x1: x + w / 2 + 1, y0: y - 7, y1: y + 7 }));
  const inside = (b) => b.x0 > 2 && b.x1 < view.w - 2 && b.y0 > 2 && b.y1 < view.h - 2;
  const free = boxes.find((b) => inside(b) && !taken.some((t) => t !== group.box && boxesMeet(b, t)));
  return { text, box: free ?? boxes[0] };
}

/** Rings in ink with the count beside them, for clusters in front. */
function rings(ctx, all, view) {
  const p = view.palette;
  const least = Math.max(RINGED, PART * all.reduce((sum, g) => sum + g.count, 0));
  const shown = all.filter((g) => g.count >= least && g.w > 0.12 && g.chord < WIDEST);
  for (const g of shown)
    g.box = { x0: g.x - g.ring, x1: g.x + g.ring, y0: g.y - g.ring, y1: g.y + g.ring };
  const taken = shown.map((g) => g.box);
  ctx.strokeStyle = p.ink;
  ctx.lineWidth = 1.25;
  for (const group of shown) {
    ctx.beginPath();
    ctx.arc(group.x, group.y, group.ring, 0, 2 * Math.PI);
    ctx.stroke();
  }
  for (const group of shown) {
    const { text, box } = placeCount(ctx, group, view, taken);
    taken.push(box);
    label(ctx, text, box.x, box.y, p, { size: 13, weight: 600, align: "center", halo: p.glass1 });
  }
}

/**
 * Draw tokens `x`, at or just after frame `k` of `run`; `found` are the clusters of the
 * frame, `hint` whether to say "drag to turn".
 */
export function drawStage(ctx, view, { run, k, x, spacing, found, turn, tilt, hint }) {
  const p = view.palette;
  const place = ball.place(view.w, view.h);
  const look = ball.eye(turn, tilt);
  const seen = ball.see(look, x);
  const frames = past(run, k, spacing, x);
  const all = groups(seen, found, place);
  const inDisc = (i) => all[found.labels[i]].tight;
  ball.farHalf(ctx, place, look, p);
  ball.trails(ctx, place, look, p, frames, false);
  ball.farDots(ctx, place, seen, p, inDisc);
  discs(ctx, all, p, false);
  ball.nearHalf(ctx, place, look, p);
  ball.axes(ctx, place, look, p);
  ball.trails(ctx, place, look, p, frames, true);
  ball.nearDots(ctx, place, seen, p, inDisc);
  discs(ctx, all, p, true);
  rings(ctx, all, view);
  if (hint) ball.turnHint(ctx, place, p);
}
