// The stage of the view "layers": depth runs outward, or the plane when tokens may leave.

import { fade, mix } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import { angles as anglesOf } from "../twin/points.mjs";
import { FINE, longest } from "./layers_run.mjs";
import * as ring from "./ring.mjs";

const TURN = 2 * Math.PI;
const MARGIN = 34;

/** Where the first layer lies: what can be dragged. */
export function home(view) {
  const g = ring.place(view, MARGIN);
  return { ...g, R: depth(g, 0) };
}

/** Radius of a moment on the stage: the middle is the first layer, the rim the last. */
const depth = (g, share) => g.R * (0.16 + 0.84 * share);

/** The whole stage at the moment t. */
export function paint(ctx, view, { now, t, moving, held, chosen }) {
  const p = view.palette;
  if (!now.state.normalise) {
    paintPlane(ctx, view, now, t);
    return;
  }
  const g = ring.place(view, MARGIN);
  const share = t / now.state.t_end;
  const { layers: L } = now.state;
  ring.disc(ctx, g, p);
  layerRings(ctx, g, p, L);
  ring.rim(ctx, g, p);
  strands(ctx, g, p, now.flow, now.n, { color: p.theory, width: 1.5, dash: [6, 5] });
  const done = Math.floor(share * L + 1e-9);
  strands(ctx, g, p, now.path, now.n, { color: mix(p.state, p.glass1, 0.38), width: 2 });
  strands(ctx, g, p, now.path.slice(0, done + 1), now.n, { color: p.state, width: 2.2, of: L });
  const here = { ...g, R: depth(g, share) };
  ctx.beginPath();
  ctx.arc(g.cx, g.cy, here.R, 0, TURN);
  ctx.strokeStyle = p.ink;
  ctx.lineWidth = 1;
  ctx.stroke();
  ring.dots(ctx, { ...g, R: depth(g, done / L) }, p, anglesOf(now.path[done]), 4.6);
  if (moving) ring.knobs(ctx, here, p, anglesOf(now.x0), 5.5, held >= 0 ? held : chosen);
  captions(ctx, g, p);
}

function layerRings(ctx, g, p, L) {
  if (L > 30) return;
  ctx.strokeStyle = fade(p.grat, 0.7);
  ctx.lineWidth = 1;
  for (let k = 0; k < L; k++) {
    ctx.beginPath();
    ctx.arc(g.cx, g.cy, depth(g, k / L), 0, TURN);
    ctx.stroke();
  }
}

/** One line a token through the layers of a path, outward with depth. */
function strands(ctx, g, p, path, n, { color, width, dash = [], of = path.length - 1 }) {
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.lineJoin = "round";
  ctx.setLineDash(dash);
  const every = Math.max(1, Math.floor(path.length / 240));
  for (let i = 0; i < n; i++) {
    ctx.beginPath();
    for (let k = 0; k < path.length; k += every) {
      const r = depth(g, k / of);
      const [x, y] = [g.cx + r * path[k][2 * i], g.cy - r * path[k][2 * i + 1]];
      if (k === 0) ctx.moveTo(x, y);
      else ctx.lineTo(x, y);
    }
    ctx.stroke();
  }
  ctx.restore();
}

function captions(ctx, g, p) {
  label(ctx, "first layer", g.cx, g.cy, p, { size: 11.5, color: p.mut, align: "center", halo: p.glass1 });
  const [x, y] = ring.at(g, -Math.PI / 2, g.R + 16);
  label(ctx, "rim: the last layer · dashed: the flow", x, y, p, { size: 12, color: p.mut, align: "center", halo: p.bg });
}

/** Without normalisation: the plane, the circle left behind. */
function paintPlane(ctx, view, now, t) {
  const p = view.palette;
  const L = now.state.layers;
  const far = Math.max(...now.path.map(longest), 1.05);
  const size = Math.min(view.w, view.h) / 2 - 22;
  const g = { cx: view.w / 2, cy: view.h / 2, R: size / far };
  ring.disc(ctx, g, p);
  ring.rim(ctx, g, p);
  label(ctx, "the circle", g.cx, g.cy, p, { size: 12, color: p.mut, align: "center", halo: p.glass1 });
  const done = Math.floor((t / now.state.t_end) * L + 1e-9);
  ctx.lineJoin = "round";
  for (const [color, last] of [[mix(p.state, p.bg, 0.38), L], [p.state, done]]) {
    ctx.strokeStyle = color;
    ctx.lineWidth = 2;
    for (let i = 0; i < now.n; i++) {
      ctx.beginPath();
      for (let k = 0; k <= last; k++) {
        const [x, y] = [g.cx + g.R * now.path[k][2 * i], g.cy - g.R * now.path[k][2 * i + 1]];
        if (k === 0) ctx.moveTo(x, y);
        else ctx.lineTo(x, y);
      }
      ctx.stroke();
    }
  }
  const x = now.path[done];
  for (let i = 0; i < now.n; i++)
    ring.dots(ctx, { ...g, R: g.R * Math.hypot(x[2 * i], x[2 * i + 1]) }, p, [Math.atan2(x[2 * i + 1], x[2 * i])], 4.6);
  ring.dots(ctx, g, p, anglesOf(now.flow[Math.round((t / now.state.t_end) * FINE)]), 3, p.theory);
}
