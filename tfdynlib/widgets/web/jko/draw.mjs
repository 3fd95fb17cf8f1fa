// The stage: movements in blue, the flow they imitate dashed, Euler steps in plum.

import * as ball from "../kit/ball.mjs";
import { fade } from "../kit/palette.mjs";
import { exponential } from "../twin/proximal.mjs";
import { d } from "./run.mjs";

const PATHS = 40; // tokens up to which every way is drawn in full
const SHARES = [0.2, 0.4, 0.6, 0.8, 1];

/** Token arrays along the movements up to the moment k: each step along its great circles. */
function waysTo({ x, steps, world }, moment) {
  const [whole, part] = [Math.floor(moment), moment % 1];
  const inner = whole > 30 ? [1] : SHARES;
  const frames = [x[0]];
  for (let k = 0; k < whole; k++)
    for (const share of inner)
      frames.push(share === 1 ? x[k + 1] : exponential(x[k], steps[k].u, world.n, d, share));
  if (part > 0 && steps[whole]) frames.push(exponential(x[whole], steps[whole].u, world.n, d, part));
  return frames;
}

/** Lines through the frames of every token on one side of the ball. */
function strands(ctx, place, look, frames, near) {
  const seen = frames.map((x) => ball.see(look, x));
  ctx.beginPath();
  for (let i = 0; i < seen[0].n; i++) {
    let pen = false;
    for (const { u, v, w } of seen) {
      const at = [place.x + place.r * u[i], place.y - place.r * v[i]];
      if (w[i] > 0 !== near) pen = false;
      else if (pen) ctx.lineTo(...at);
      else {
        ctx.moveTo(...at);
        pen = true;
      }
    }
  }
  ctx.stroke();
}

/** Rings at tokens, faint behind the ball. */
function rings(ctx, place, look, x, color, radius, width, near) {
  const seen = ball.see(look, x);
  ctx.beginPath();
  for (let i = 0; i < seen.n; i++) {
    if (seen.w[i] > 0 !== near) continue;
    const [px, py] = [place.x + place.r * seen.u[i], place.y - place.r * seen.v[i]];
    ctx.moveTo(px + radius, py);
    ctx.arc(px, py, radius, 0, 2 * Math.PI);
  }
  ctx.strokeStyle = fade(color, near ? 1 : 0.45);
  ctx.lineWidth = width;
  ctx.stroke();
}

function flowLines(ctx, place, look, p, frames, near) {
  ctx.save();
  ctx.setLineDash([6, 5]);
  ctx.lineWidth = near ? 1.7 : 1.2;
  ctx.strokeStyle = fade(p.theory, near ? 0.95 : 0.4);
  strands(ctx, place, look, frames, near);
  ctx.restore();
}

/** The stage at a moment (a number of steps; between two, tokens are on their way). */
export function paint(ctx, view, { run, moment, turn, tilt, beside, hint }) {
  const p = view.palette;
  const place = ball.place(view.w, view.h);
  const look = ball.eye(turn, tilt);
  const few = run.world.n <= PATHS;
  const ways = waysTo(run, moment);
  const k = Math.floor(moment);
  const flow = run.flow.fine.slice(0, k + 1).flat();
  const there = run.flow.x.length > k;
  const side = (near) => {
    if (few) rings(ctx, place, look, run.x[0], p.ctl, 3, 1.4, near);
    if (few) flowLines(ctx, place, look, p, flow, near);
    ctx.lineCap = "round";
    ball.trails(ctx, place, look, p, few ? ways : ways.slice(-12), near);
    if (there) rings(ctx, place, look, run.flow.x[k], p.theory, few ? 8 : 5.5, few ? 1.6 : 1.2, near);
    const jumped = beside === "euler" && run.euler.x[k];
    if (jumped) rings(ctx, place, look, jumped, p.stop, few ? 5.5 : 3.2, few ? 2.4 : 1.5, near);
  };
  const seen = ball.see(look, ways.at(-1));
  ball.farHalf(ctx, place, look, p);
  side(false);
  ball.farDots(ctx, place, seen, p, () => false);
  ball.nearHalf(ctx, place, look, p);
  ball.axes(ctx, place, look, p);
  side(true);
  ball.nearDots(ctx, place, seen, p, () => false);
  if (hint) ball.turnHint(ctx, place, p);
}
