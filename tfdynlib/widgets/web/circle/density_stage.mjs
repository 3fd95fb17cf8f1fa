// The stage of the view "density": the mist as a curve round the circle, and its tokens.

import { mix } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import { linearDensity } from "./density_run.mjs";
import * as ring from "./ring.mjs";

const TURN = 2 * Math.PI;
const BINS = 360;
const FULL = 3.2; // density that fills the room outside the rim by two thirds

/** Where the circle lies: room outside for the curve. */
export function placeOf(view) {
  const size = Math.min(view.w, view.h) / 2;
  return { cx: view.w / 2, cy: view.h / 2, R: 0.56 * size, room: 0.4 * size };
}

/** Height of a density over the rim: even is a fifth of the room, a point fills it. */
const height = (g, density) => g.room * Math.tanh(density / FULL) ** 0.8;

function trace(ctx, g, values) {
  ctx.beginPath();
  for (let b = 0; b <= values.length; b++) {
    const value = Math.max(0, values[b % values.length]);
    ctx.lineTo(...ring.at(g, (TURN * (b + 0.5)) / values.length, g.R + 6 + height(g, value)));
  }
  ctx.closePath();
}

/** The whole stage at a moment. */
export function paint(ctx, view, { now, m }) {
  const p = view.palette;
  const g = placeOf(view);
  const density = ring.law(m.angles);
  trace(ctx, g, density);
  ctx.arc(g.cx, g.cy, g.R + 6, 0, TURN, true);
  ctx.fillStyle = mix(p.state, p.bg, 0.24);
  ctx.fill("evenodd");
  trace(ctx, g, density);
  ctx.strokeStyle = p.state;
  ctx.lineWidth = 2.2;
  ctx.lineJoin = "round";
  ctx.stroke();
  dashed(ctx, g, p, now, m);
  ring.disc(ctx, g, p);
  ring.rim(ctx, g, p);
  const { discs, single } = ring.groups(m.angles, m.found, 0.12);
  ring.dots(ctx, g, p, single, now.n > 128 ? 2.4 : 3.4);
  ring.clusterDiscs(ctx, g, p, discs, now.n, -22);
  words(ctx, g, p, now, m);
}

/** The linear theory as long as it speaks. */
function dashed(ctx, g, p, now, m) {
  const theory = linearDensity(now, m.t, BINS);
  if (!theory) return;
  ctx.save();
  trace(ctx, g, theory);
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 1.6;
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.restore();
}

function words(ctx, g, p, now, m) {
  const text = { align: "center", halo: p.glass1 };
  const lumps = m.lumps === 1 ? "1 lump" : `${m.lumps} lumps`;
  label(ctx, lumps, g.cx, g.cy - 10, p, { ...text, size: 16, weight: 600, color: p.state });
  const below = linearDensity(now, m.t, 1) ? "dashed: linear theory" : "linear theory is over";
  label(ctx, below, g.cx, g.cy + 13, p, { ...text, size: 12, color: p.theory });
}
