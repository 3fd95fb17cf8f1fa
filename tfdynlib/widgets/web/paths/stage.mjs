// The stage of moving weights: tokens on the sphere, and the wheel of the phases.

import * as ball from "../kit/ball.mjs";
import { label } from "../kit/text.mjs";
import { FREQUENCY, phaseOf } from "../twin/drift.mjs";
import { ENTRIES, STEP } from "./run.mjs";

const TRAIL = 1.6; // layer-time

function past(run, k, x) {
  const count = Math.min(k, Math.round(TRAIL / STEP));
  const frames = [];
  for (let j = k - count; j <= k; j += 2) frames.push(run.at(j));
  frames.push(x);
  return frames;
}

/** Arrow from (x0, y0) to (x1, y1). */
function arrow(ctx, x0, y0, x1, y1) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const size = Math.hypot(dx, dy);
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
  if (size < 7) return;
  const [u, v] = [dx / size, dy / size];
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x1 - 5 * u + 2.6 * v, y1 - 5 * v - 2.6 * u);
  ctx.lineTo(x1 - 5 * u - 2.6 * v, y1 - 5 * v + 2.6 * u);
  ctx.fill();
}

/**
 * The waves of the heads in the entry shown as arrows, each 1/H long, one after the
 * other from a middle; from the middle to the last tip goes their sum.
 */
export function wheel(ctx, view, { state, t }) {
  const p = view.palette;
  const { H, layout, entry } = state;
  if (layout !== "spread" && layout !== "common") return;
  const w = FREQUENCY[ENTRIES[entry]];
  const R = Math.min(38, 0.11 * view.w);
  const [x, y] = [R + 4, view.h - R - 4];
  ctx.strokeStyle = p.line;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.arc(x, y, R, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.strokeStyle = ctx.fillStyle = p.ctl;
  let [a, b] = [x, y];
  for (let h = 0; h < H; h += 1) {
    const turn = w * (t + phaseOf(h, H, layout === "spread"));
    const [c, d] = [a + (R / H) * Math.cos(turn), b - (R / H) * Math.sin(turn)];
    arrow(ctx, a, b, c, d);
    [a, b] = [c, d];
  }
  ctx.strokeStyle = ctx.fillStyle = p.state;
  ctx.lineWidth = 2.4;
  if (Math.hypot(a - x, b - y) > 0.5) arrow(ctx, x, y, a, b);
  ball.dot(ctx, a, b, 3, p);
  const room = view.h - 2 * R - 16;
  label(ctx, "sum of the waves", 2, room, p, { size: 11.5, color: p.mut, halo: p.bg });
}

/** Draw the tokens at time `t`, in or just after frame `k` of `solved.run`. */
export function drawStage(ctx, view, { solved, k, t, turn, tilt, hint }) {
  const { run, state } = solved;
  const frames = past(run, k, ball.between(run, k, t));
  ball.scene(ctx, view, { frames, turn, tilt, hint });
  wheel(ctx, view, { state, t });
}
