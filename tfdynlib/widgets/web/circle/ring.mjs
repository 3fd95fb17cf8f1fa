// The circle on the stage: rim, tokens, their past, their law, their clusters.
//
// Directions run counter-clockwise from the right, as on paper; the canvas turns y over.

import { fade, mix } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";

const TURN = 2 * Math.PI;

/** Where the circle lies on a stage of w x h: centre and radius. */
export function place(view, margin = 58) {
  const { w, h } = view;
  const air = Math.min(margin, 0.17 * Math.min(w, h));
  return { cx: w / 2, cy: h / 2, R: Math.min(w, h) / 2 - air };
}

/** Canvas point of the direction `angle` at the radius `r`. */
export const at = (g, angle, r = g.R) => [g.cx + r * Math.cos(angle), g.cy - r * Math.sin(angle)];

/** Direction and radius of a canvas point. */
export const polar = (g, p) => ({
  angle: Math.atan2(g.cy - p.y, p.x - g.cx),
  r: Math.hypot(p.x - g.cx, p.y - g.cy),
});

export function disc(ctx, g, palette) {
  ctx.beginPath();
  ctx.arc(g.cx, g.cy, g.R, 0, TURN);
  ctx.fillStyle = palette.glass1;
  ctx.fill();
}

export function rim(ctx, g, palette, width = 1.25) {
  ctx.beginPath();
  ctx.arc(g.cx, g.cy, g.R, 0, TURN);
  ctx.strokeStyle = palette.rim;
  ctx.lineWidth = width;
  ctx.stroke();
}

/** Where the names of the two axes stand. */
export const names = (g) => [0, Math.PI / 2].map((angle) => at(g, angle, g.R - 20));

/** Short ticks and names of the two axes, inside the rim. */
export function axes(ctx, g, palette) {
  ctx.strokeStyle = palette.grat;
  ctx.lineWidth = 1;
  for (const [k, name] of [[0, "*e*_1"], [1, "*e*_2"]]) {
    const angle = (k * Math.PI) / 2;
    ctx.beginPath();
    ctx.moveTo(...at(g, angle, g.R - 1));
    ctx.lineTo(...at(g, angle, g.R - 9));
    ctx.stroke();
    const [x, y] = names(g)[k];
    label(ctx, name, x, y, palette, { size: 13, color: palette.mut, align: "center", halo: palette.glass1 });
  }
}

/** Tokens as dots: first every halo, then every dot, so that a crowd melts together. */
export function dots(ctx, g, palette, angles, radius, color = palette.state) {
  const trace = (r) => {
    ctx.beginPath();
    for (const angle of angles) {
      const [x, y] = at(g, angle);
      ctx.moveTo(x + r, y);
      ctx.arc(x, y, r, 0, TURN);
    }
  };
  trace(radius + 1.2);
  ctx.fillStyle = palette.bg;
  ctx.fill();
  trace(radius);
  ctx.fillStyle = color;
  ctx.fill();
}

/** Hollow orange rings: tokens that can be taken and moved. */
export function knobs(ctx, g, palette, angles, radius, held = -1) {
  angles.forEach((angle, i) => {
    const [x, y] = at(g, angle);
    if (i === held) {
      ctx.beginPath();
      ctx.arc(x, y, radius + 7, 0, TURN);
      ctx.fillStyle = fade(palette.grab, 0.18);
      ctx.fill();
    }
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, TURN);
    ctx.fillStyle = palette.bg;
    ctx.fill();
    ctx.strokeStyle = palette.grab;
    ctx.lineWidth = 2;
    ctx.stroke();
  });
}

const AGES = 9;

/**
 * The past as a tunnel: the rim is now, the middle is long ago.
 *
 * `frames(k)` is frame k, row-major; `share(k)` its place on the time axis, in [0, 1];
 * `reach` is the part of the axis that fits between the rim and the middle.
 */
export function tunnel(ctx, g, palette, { frames, share, now, n, reach = 0.4 }) {
  const here = share(now);
  const depth = (k) => 1 - (0.8 * (here - share(k))) / reach;
  let first = now;
  while (first > 0 && depth(first - 1) > 0.2) first -= 1;
  const every = n > 64 ? Math.max(1, Math.round((now - first) / 48)) : 1;
  ctx.lineJoin = "round";
  for (let age = 0; age < AGES; age++) {
    const older = now - Math.floor(((now - first) * (age + 1)) / AGES);
    const newer = now - Math.floor(((now - first) * age) / AGES);
    if (older === newer) continue;
    const fresh = 1 - age / AGES;
    ctx.strokeStyle = fade(palette.state, 0.1 + 0.6 * fresh ** 1.3);
    ctx.lineWidth = 0.8 + 1.1 * fresh;
    ctx.beginPath();
    strand(ctx, g, { frames, depth, n }, newer, older, every);
    ctx.stroke();
  }
}

/** One line for each token through the frames newer, ..., older. */
function strand(ctx, g, { frames, depth, n }, newer, older, every) {
  const path = [];
  for (let k = newer; k > older; k -= every) path.push({ x: frames(k), r: g.R * depth(k) });
  path.push({ x: frames(older), r: g.R * depth(older) });
  for (let i = 0; i < n; i++) {
    path.forEach(({ x, r }, k) => {
      const [px, py] = [g.cx + r * x[2 * i], g.cy - r * x[2 * i + 1]];
      if (k === 0) ctx.moveTo(px, py);
      else ctx.lineTo(px, py);
    });
  }
}

export const BINS = 360;

/**
 * The law of the tokens as a density in 360 bins, uniform = 1.
 *
 * Each mass is spread to half the gap on either side, then smoothed over a few degrees.
 */
export function law(angles) {
  const n = angles.length;
  const order = angles.map((a) => a - TURN * Math.floor(a / TURN)).sort((a, b) => a - b);
  const total = new Float64Array(BINS + 1);
  const middle = (i) => (order[i] + (i + 1 < n ? order[i + 1] : order[0] + TURN)) / 2;
  let from = middle(n - 1) - TURN;
  for (let i = 0; i < n; i++) {
    const to = middle(i);
    spread(total, from, to, 1 / n);
    from = to;
  }
  return smooth(Float64Array.from({ length: BINS }, (_, k) => total[k] * BINS));
}

/** Adds a mass, evenly, to the bins between two angles. */
export function spread(total, from, to, mass) {
  const a = (from / TURN) * BINS;
  const b = Math.max((to / TURN) * BINS, a + 1e-6); // tokens at one place still weigh
  const wide = b - a;
  for (let k = Math.floor(a); k < b; k++) {
    const part = Math.min(b, k + 1) - Math.max(a, k);
    total[((k % BINS) + BINS) % BINS] += (mass * part) / wide;
  }
}

/** A law in bins, averaged three times over five of them. */
export function smooth(density) {
  for (let pass = 0; pass < 3; pass++)
    density = density.map((_, k) => {
      let sum = 0;
      for (let j = -2; j <= 2; j++) sum += density[(k + j + BINS) % BINS];
      return sum / 5;
    });
  return density;
}

/** A law as a silhouette outside the rim, readable from uniform to a point. */
export function silhouette(ctx, g, palette, density, height, air = 5) {
  const r = (k) => g.R + air + height * Math.tanh(0.4 * Math.sqrt(density[k % BINS]));
  ctx.beginPath();
  for (let k = 0; k <= BINS; k++) {
    const [x, y] = at(g, (TURN * (k + 0.5)) / BINS, r(k));
    if (k === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.closePath();
  ctx.arc(g.cx, g.cy, g.R + air, 0, TURN, true);
  ctx.fillStyle = mix(palette.state, palette.bg, 0.34);
  ctx.fill("evenodd");
}

/**
 * Groups of tokens to draw: clusters narrower than `widest` as one disc, others as dots.
 *
 * @param {{labels: Int32Array, sizes: number[]}} found clusters of the tokens
 * @returns {{discs: {angle: number, count: number}[], single: number[]}}
 */
export function groups(angles, found, widest = 0.12) {
  const sums = found.sizes.map(() => [0, 0]);
  angles.forEach((angle, i) => {
    sums[found.labels[i]][0] += Math.cos(angle);
    sums[found.labels[i]][1] += Math.sin(angle);
  });
  const mean = sums.map(([c, s]) => Math.atan2(s, c));
  const wide = found.sizes.map(() => 0);
  angles.forEach((angle, i) => {
    const off = Math.abs(angle - mean[found.labels[i]]);
    wide[found.labels[i]] = Math.max(wide[found.labels[i]], Math.min(off, TURN - off));
  });
  const fewest = (label) => (angles.length < 16 || wide[label] < 0.01 ? 2 : 3);
  const tight = (label) => found.sizes[label] >= fewest(label) && wide[label] < widest / 2;
  return {
    discs: mean.map((angle, k) => ({ angle, count: found.sizes[k] })).filter((_, k) => tight(k)),
    single: angles.filter((_, i) => !tight(found.labels[i])),
  };
}

/** Tight clusters: a disc whose area grows with the count, an ink ring, the count. */
export function clusterDiscs(ctx, g, palette, discs, n, outside) {
  for (const { angle, count } of discs) {
    const [x, y] = at(g, angle);
    const r = Math.min(4 + 9 * Math.sqrt(count / Math.max(n, 16)), 13);
    ctx.beginPath();
    ctx.arc(x, y, r, 0, TURN);
    ctx.fillStyle = palette.state;
    ctx.strokeStyle = palette.bg;
    ctx.lineWidth = 2.4;
    ctx.stroke();
    ctx.fill();
    ctx.beginPath();
    ctx.arc(x, y, r + 3.5, 0, TURN);
    ctx.strokeStyle = palette.ink;
    ctx.lineWidth = 1.25;
    ctx.stroke();
    const [tx, ty] = at(g, angle, g.R + outside);
    label(ctx, String(count), tx, ty, palette, { size: 13, weight: 600, align: "center", halo: palette.bg });
  }
}
