// View "flow": the plane of the tokens.

import * as ellipses from "../kit/ellipses.mjs";
import { fade } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import * as m2 from "../twin/matrix2.mjs";

const REACHES = [2.5, 3, 4, 5, 6.5, 8];
const GHOSTS = 8;

/** Half the width of the plane that holds start and limit. */
export function reachOf({ start, limit, state }) {
  const far = (mean, cov) => {
    const high = 2.2 * Math.sqrt(Math.max(cov[0], cov[3]));
    return Math.max(...mean.map(Math.abs)) + high;
  };
  const most = Math.max(
    far(start.mean, start.cov),
    limit?.mean ? far(limit.mean, limit.cov) : 0,
    state.beside === "twin" ? 4 : 0,
  );
  return REACHES.find((r) => r >= most) ?? REACHES.at(-1);
}

/** Arrows of the velocity on a grid of pixels, in one stroke. */
function field(ctx, g, p, { layer }, { mean, cov }) {
  const K = m2.add(layer.A, m2.mul(m2.mul(layer.V, cov), layer.B));
  const shift = m2.apply(layer.V, mean).map((v, k) => v + layer.b[k]);
  if (![...K, ...shift].every((v) => Math.abs(v) < 1e6)) return;
  ctx.beginPath();
  const gap = g.w < 300 ? 40 : 48;
  for (let x = gap / 2; x < g.w; x += gap)
    for (let y = gap / 2; y < g.h; y += gap) {
      const u = m2.apply(K, g.at({ x, y })).map((v, k) => v + shift[k]);
      const speed = Math.hypot(...u);
      if (speed < 1e-9) continue;
      const length = 14 * Math.tanh(speed / 0.9);
      if (length < 1.5) continue;
      const [dx, dy] = [(u[0] / speed) * length, (-u[1] / speed) * length];
      ctx.moveTo(x - dx / 2, y - dy / 2);
      ctx.lineTo(x + dx / 2, y + dy / 2);
      const tip = Math.min(4, length / 2) / length;
      ctx.moveTo(x + dx / 2 - tip * (dx - dy), y + dy / 2 - tip * (dy + dx));
      ctx.lineTo(x + dx / 2, y + dy / 2);
      ctx.lineTo(x + dx / 2 - tip * (dx + dy), y + dy / 2 - tip * (dy - dx));
    }
  ctx.strokeStyle = fade(p.ctl, 0.75);
  ctx.lineWidth = 1;
  ctx.stroke();
}

/** The way of a mean up to now, and pale beyond. */
function way(ctx, g, p, frames, k, color, width = 1.6) {
  const trace = (i, j) => {
    ctx.beginPath();
    for (let f = i; f <= j; f += 1) {
      const [a, b] = frames[f].mean;
      if (Math.abs(a) > 1e4 || Math.abs(b) > 1e4) break;
      ctx.lineTo(g.x(a), g.y(b));
    }
    ctx.stroke();
  };
  ctx.lineJoin = "round";
  ctx.strokeStyle = fade(color, 0.35);
  ctx.lineWidth = width;
  trace(k, frames.length - 1);
  ctx.strokeStyle = color;
  trace(0, k);
}

const outside = (g, { mean, long, short, angle }) => {
  const ends = [0, 1, 2, 3].map((q) => {
    const [r, turn] = [q % 2 ? short : long, angle + (q * Math.PI) / 2];
    return [g.x(mean[0] + 2 * r * Math.cos(turn)), g.y(mean[1] + 2 * r * Math.sin(turn))];
  });
  return ends.every(([x, y]) => x < 0 || y < 0 || x > g.w || y > g.h);
};

function ghosts(ctx, g, p, { frames }, k) {
  for (let j = 1; j <= GHOSTS; j += 1) {
    const f = Math.round((j * (frames.length - 1)) / (GHOSTS + 1));
    if (f >= k) break;
    const one = ellipses.ofMoments(frames[f].mean, frames[f].cov);
    ellipses.outline(ctx, g, one, { color: fade(p.state, 0.35), width: 1 });
  }
}

/** The line on which a blow-up runs off, through the mean. */
function wayOut(ctx, g, p, [a, b], angle) {
  const r = 3 * g.reach * g.scale;
  const [x, y, dx, dy] = [g.x(a), g.y(b), r * Math.cos(angle), r * Math.sin(angle)];
  ctx.save();
  ctx.strokeStyle = p.stop;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([2, 4]);
  ctx.beginPath();
  ctx.moveTo(x - dx, y + dy);
  ctx.lineTo(x + dx, y - dy);
  ctx.stroke();
  ctx.restore();
}

/** All of it, from back to front. */
export function draw(ctx, view, { run, g, t, k, hovered, paper }) {
  const p = view.palette;
  const now = run.at(t);
  const ellipse = ellipses.ofMoments(now.mean, now.cov);
  const taken = ellipses.grid(ctx, g, p);
  field(ctx, g, p, run, now);
  if (run.wall && run.flow.direction !== null) wayOut(ctx, g, p, now.mean, run.flow.direction);
  ellipses.cloud(ctx, g, ellipse, p.state);
  ghosts(ctx, g, p, run, k);
  way(ctx, g, p, run.frames, k, p.state);
  const limit = run.limit && ellipses.ofMoments(run.limit.mean ?? now.mean, run.limit.cov);
  if (limit) ellipses.limit(ctx, g, limit, p, "");
  const other = run.beside?.at(Math.min(t, run.beside.last));
  const beside = other && ellipses.ofMoments(other.mean, other.cov);
  if (beside) {
    if (run.state.beside === "twin") way(ctx, g, p, besideWay(run), Math.min(k, besideWay(run).length - 1), p.state, 1.2);
    ellipses.outline(ctx, g, beside, { color: p.ink, width: 1.4, dash: [1.5, 4] });
  }
  ellipses.outline(ctx, g, ellipse, { color: p.state, width: 2.6 });
  ellipses.halfAxes(ctx, g, ellipse, p.state);
  if (beside) ellipses.dot(ctx, g, beside.mean, p, p.ink, 4);
  const start = ellipses.ofMoments(run.start.mean, run.start.cov);
  ellipses.draggable(ctx, g, start, p, { name: "", hover: hovered?.kind === "ellipse" ? hovered.part : null });
  ellipses.dot(ctx, g, now.mean, p, p.state);
  if (run.limit?.mean) {
    const [x, y] = [g.x(run.limit.mean[0]), g.y(run.limit.mean[1])];
    if (!paper) ellipses.diamond(ctx, x, y, p, p.grab, hovered?.kind === "point");
    label(ctx, "target", x, y + 17, p, { size: 13, color: p.grab, align: "center", halo: p.soft });
    taken.push({ x0: x - 24, x1: x + 24, y0: y - 10, y1: y + 25 });
  }
  const named = [{ ellipse: start, name: "start", color: p.grab }];
  if (limit) named.push({ ellipse: limit, name: run.limit.exact ? "limit" : "limit of the run", color: p.theory, side: "right" });
  if (beside) named.push({ ellipse: beside, name: run.beside.name, color: p.ink, side: "bottom" });
  ellipses.nameAll(ctx, g, p, named, [...taken, ...ellipses.handleBoxes(g, start)]);
  if (outside(g, ellipse) || Math.hypot(...now.mean) > 3 * g.reach)
    label(ctx, "the cloud has left the view", view.w / 2, view.h - 16, p, { size: 13, color: p.stop, align: "center", halo: p.soft });
}

function besideWay(run) {
  run.besideWay ??= Array.from(run.times).filter((t) => t <= run.beside.last).map((t) => run.beside.at(t));
  return run.besideWay;
}
