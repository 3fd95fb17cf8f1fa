// The sum around the circle: what a query hears in every direction, by a few waves.

import * as ring from "../circle/ring.mjs";
import { mix } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import { fieldOf } from "./race_run.mjs";

const POINTS = 720;
const TURN = 2 * Math.PI;

/** The values as a curve round the rim: height of the largest one `high`, below 0 inside. */
function trace(ctx, g, values, scale) {
  ctx.beginPath();
  values.forEach((value, k) => {
    const r = g.R + Math.max(-0.8 * g.R, Math.min(scale * value, 0.62 * g.R));
    const [x, y] = ring.at(g, (TURN * k) / values.length, r);
    if (k === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  });
  ctx.closePath();
}

/** Where the text about the exact curve stands: at its peak, outside. */
function peakOf(values) {
  let top = 0;
  values.forEach((value, k) => { if (value > values[top]) top = k; });
  return (TURN * top) / values.length;
}

export function paint(ctx, view, { now, m }) {
  const p = view.palette;
  const g = { cx: view.w / 2, cy: view.h / 2, R: 0.29 * Math.min(view.w, view.h) };
  const exact = fieldOf(now, now.most, POINTS);
  const values = fieldOf(now, m.K, POINTS);
  const scale = (0.48 * g.R) / Math.max(...exact);
  trace(ctx, g, values, scale);
  ctx.arc(g.cx, g.cy, g.R, 0, TURN, true);
  ctx.fillStyle = mix(p.state, p.bg, 0.2);
  ctx.fill("evenodd");
  ring.rim(ctx, g, p);
  trace(ctx, g, values, scale);
  ctx.strokeStyle = p.state;
  ctx.lineWidth = 2.4;
  ctx.lineJoin = "round";
  ctx.stroke();
  ctx.save();
  trace(ctx, g, exact, scale);
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 1.7;
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.restore();
  ring.dots(ctx, g, p, now.theta.subarray(0, 1024), now.state.n > 200 ? 1.8 : now.state.n > 80 ? 2.6 : 3.8);
  names(ctx, g, p, now, m, peakOf(exact));
}

function names(ctx, g, p, now, m, peak) {
  const text = { align: "center", halo: p.bg };
  const waves = m.K === 1 ? "wave" : "waves";
  label(ctx, `${m.K} ${waves}`, g.cx, g.cy - 9, p, { ...text, size: 15, weight: 600, color: p.state });
  label(ctx, "dashed: all pairs", g.cx, g.cy + 12, p, { ...text, size: 12.5, color: p.theory });
  if (now.state.sign > 0) return;
  const away = peak + Math.PI;
  const [x, y] = ring.at(g, away, g.R + 12);
  const side = Math.cos(away) < -0.3 ? "right" : Math.cos(away) > 0.3 ? "left" : "center";
  label(ctx, "tokens look", x, y + 14, p, { ...text, align: side, size: 12.5, color: p.stop });
  label(ctx, "over here", x, y + 30, p, { ...text, align: side, size: 12.5, color: p.stop });
}
