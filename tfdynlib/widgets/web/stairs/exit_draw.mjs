// The stage of the view "exit": the cloud, the poles it gathers at, where V pulls.

import * as ring from "../circle/ring.mjs";
import { label } from "../kit/text.mjs";
import { THRESHOLD } from "./exit_run.mjs";

const TURN = 2 * Math.PI;

/** The chart of the distance to the poles over the run. */
export const distanceCurve = ({ axis, samples, limit }) => ({
  axis,
  t: samples.times,
  curves: [{ y: samples.values }],
  zero: true,
  range: [0, Math.SQRT2 * 1.05],
  levels: limit.simple ? [{ y: THRESHOLD, label: "0.2: has left" }] : [],
});

/** Direction of the eigenvector of V that is not e_1, or null. */
function pulled({ V }, { stays, pull, pole }) {
  if (!stays || pull <= 1e-9) return null;
  const v1 = V[0] * Math.cos(pole) ** 2 + (V[1] + V[2]) * Math.cos(pole) * Math.sin(pole) + V[3] * Math.sin(pole) ** 2;
  const top = v1 + pull;
  const [a, b] = [[V[1], top - V[0]], [top - V[3], V[2]]];
  const w = Math.hypot(...a) > Math.hypot(...b) ? a : b;
  return Math.atan2(w[1], w[0]);
}

function poles(ctx, g, p, { limit, back, n }) {
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 2;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  ctx.moveTo(...ring.at(g, limit.pole, g.R - 16));
  ctx.lineTo(...ring.at(g, limit.pole + Math.PI, g.R - 16));
  ctx.stroke();
  ctx.setLineDash([]);
  for (const [angle, count, name] of [[limit.pole, n - back, "*e*_1"], [limit.pole + Math.PI, back, "−*e*_1"]]) {
    const [x, y] = ring.at(g, angle);
    ctx.beginPath();
    ctx.arc(x, y, 14, 0, TURN);
    ctx.stroke();
    const [u, v] = ring.at(g, angle, g.R - 46);
    label(ctx, `${name}: ${count}`, u, v - 12, p, { size: 13, color: p.theory, align: "center", halo: p.glass1 });
  }
}

function pull(ctx, g, p, now) {
  const angle = pulled(now.head, now.limit);
  if (angle === null) return;
  ctx.strokeStyle = p.ctl;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(...ring.at(g, angle));
  ctx.lineTo(...ring.at(g, angle + Math.PI));
  ctx.stroke();
  const up = Math.sin(angle) >= 0 ? angle : angle + Math.PI;
  const [x, y] = ring.at(g, up, g.R - 30);
  label(ctx, "*V* pulls here", x, y, p, { size: 12.5, color: p.mut, align: "center", halo: p.glass1 });
}

/** The stage, from back to front. */
export function paintExit(ctx, view, { now, m, k }) {
  const p = view.palette;
  const g = ring.place(view);
  if (now.n >= 16) ring.silhouette(ctx, g, p, Array.from(m.y), 0.6 * (Math.min(view.w, view.h) / 2 - g.R));
  ring.disc(ctx, g, p);
  pull(ctx, g, p, now);
  const { frames, times } = now.samples;
  if (frames.length > 0)
    ring.tunnel(ctx, g, p, { frames: (j) => frames[j], share: (j) => now.axis.share(times[j]), now: k, n: now.n });
  ring.rim(ctx, g, p);
  if (now.limit.simple) poles(ctx, g, p, now);
  ring.dots(ctx, g, p, Array.from(m.y), now.n > 96 ? 3.4 : 4.6);
}

/** The law as a dashed line of its slope through the first exit, over ln beta. */
export function lawLine(ctx, at, palette, { slope, through, axis }) {
  if (Number.isNaN(slope) || !through) return;
  const y = (beta) => through.exit + slope * Math.log(beta / through.beta);
  ctx.strokeStyle = palette.theory;
  ctx.lineWidth = 1.6;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  ctx.moveTo(at.x(axis.min), at.y(y(axis.min)));
  ctx.lineTo(at.x(axis.max), at.y(y(axis.max)));
  ctx.stroke();
  ctx.setLineDash([]);
}
