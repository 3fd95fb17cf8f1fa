// View "flow" on the sphere: tokens behind and before the glass, the limit, and V.

import * as ball from "../kit/ball.mjs";
import { fade } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import { trackOf } from "./flow_run.mjs";

const TURN = 2 * Math.PI;
const NEAR = 0.06; // chord: tokens as near to a pole as this are one disc with their share

/** Tokens of the trail that ends at frame k. */
function past(run, k) {
  const back = Math.min(k, 24);
  return Array.from({ length: back + 1 }, (_, j) => run.flow.at(k - back + j));
}

/** A circle of unit vectors a cos + b sin, dashed, on one side of the glass. */
function circle(ctx, place, look, [a, b], near) {
  ctx.beginPath();
  let pen = false;
  for (let k = 0; k <= 120; k += 1) {
    const [c, s] = [Math.cos((k * TURN) / 120), Math.sin((k * TURN) / 120)];
    const [u, v, w] = look.at(...a.map((value, j) => c * value + s * b[j]));
    const at = [place.x + place.r * u, place.y - place.r * v];
    if (w >= 0 !== near) pen = false;
    else if (pen) ctx.lineTo(...at);
    else ctx.moveTo(...at);
    pen = w >= 0 === near;
  }
  ctx.stroke();
}

function theory(ctx, place, look, p, { limit, known }, near) {
  if (!known) return;
  ctx.save();
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = near ? 2 : 1.2;
  if (limit.dim === 2) {
    ctx.setLineDash([6, 5]);
    circle(ctx, place, look, limit.basis, near);
  } else
    for (const sign of [1, -1]) {
      const [u, v, w] = look.at(...limit.basis[0].map((value) => sign * value));
      if (w >= 0 !== near) continue;
      ctx.beginPath();
      ctx.arc(place.x + place.r * u, place.y - place.r * v, 14, 0, TURN);
      ctx.stroke();
    }
  ctx.restore();
}

/** The direction of V, as a tick with its letter. */
function pull(ctx, place, look, p, { top, known, limit }) {
  if (!top) return;
  const along = known && limit.dim === 1 ? limit.basis[0].reduce((sum, v, k) => sum + v * top.vector[k], 0) : 0;
  const below = Math.abs(along) > 0.97 ? 26 : -10; // the share of the pole stands above
  for (const sign of [1, -1]) {
    const [u, v, w] = look.at(...top.vector.map((value) => sign * value));
    if (w < -0.1) continue;
    const [x, y] = [place.x + place.r * u, place.y - place.r * v];
    ctx.strokeStyle = p.ink;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(x - 5, y - 5);
    ctx.lineTo(x + 5, y + 5);
    ctx.moveTo(x - 5, y + 5);
    ctx.lineTo(x + 5, y - 5);
    ctx.stroke();
    label(ctx, "*V*", x + 9, y + below, p, { size: 13, color: p.mut, halo: p.glass1 });
  }
}

/** Mass within a chord of each pole of E, beside its ring. */
function shares(ctx, place, look, p, { limit, known, start }, x) {
  if (!known || limit.dim !== 1) return;
  for (const sign of [1, -1]) {
    const e = limit.basis[0].map((value) => sign * value);
    let mass = 0;
    for (let i = 0; i < start.mass.length; i += 1)
      if (Math.hypot(x[3 * i] - e[0], x[3 * i + 1] - e[1], x[3 * i + 2] - e[2]) < 4 * NEAR) mass += start.mass[i];
    const [u, v, w] = look.at(...e);
    if (w < 0 || mass < 0.02) continue;
    label(ctx, `${Math.round(100 * mass)} %`, place.x + place.r * u, place.y - place.r * v - 24, p, {
      size: 13, weight: 600, align: "center", halo: p.glass1,
    });
  }
}

/** Dots of a crowd, smaller than those of the kit: halos, then dots, then hollow ones. */
function crowd(ctx, place, seen, p, hollow, size) {
  const dots = (extra, which) => {
    ctx.beginPath();
    for (let i = 0; i < seen.n; i += 1) {
      if (seen.w[i] < 0 || !which(i)) continue;
      const [x, y, r] = [place.x + place.r * seen.u[i], place.y - place.r * seen.v[i], size * (2 + 0.8 * seen.w[i]) + extra];
      ctx.moveTo(x + r, y);
      ctx.arc(x, y, r, 0, TURN);
    }
  };
  for (const [extra, colour, which] of [
    [0.8, p.bg, () => true],
    [0, p.state, () => true],
    [-1.1 * size, p.bg, (i) => Boolean(hollow?.[i])],
  ]) {
    dots(extra, which);
    ctx.fillStyle = colour;
    ctx.fill();
  }
}

/** The way of one token, on one side of the glass. */
function way(ctx, place, look, track, near) {
  ctx.beginPath();
  let pen = false;
  for (const point of track) {
    const [u, v, w] = look.at(...point);
    const at = [place.x + place.r * u, place.y - place.r * v];
    const here = w >= 0 === near;
    if (here && pen) ctx.lineTo(...at);
    else if (here) ctx.moveTo(...at);
    pen = here;
  }
  ctx.stroke();
}

/** The way of the followed token so far, and in runs before this one. */
function ways(ctx, place, look, p, run, k, tracks, near) {
  ctx.lineJoin = "round";
  ctx.strokeStyle = fade(p.state, near ? 0.45 : 0.25);
  ctx.lineWidth = 1;
  for (const track of tracks) if (track[0].length === 3) way(ctx, place, look, track, near);
  const track = trackOf(run, k);
  ctx.strokeStyle = near ? p.ink : fade(p.ink, 0.35);
  ctx.lineWidth = 1.6;
  way(ctx, place, look, track, near);
  const [u, v, w] = look.at(...track[track.length - 1]);
  if (!near || w < 0) return;
  ctx.beginPath();
  ctx.arc(place.x + place.r * u, place.y - place.r * v, 5.5, 0, TURN);
  ctx.stroke();
}

const CROWD = 150; // more tokens than this are drawn small, and without their past

/** All of it, from back to front. */
export function drawBall(ctx, view, { run, x, k, hollow, tracks, turn, tilt, hint }) {
  const p = view.palette;
  const place = ball.place(view.w, view.h);
  const look = ball.eye(turn, tilt);
  const seen = ball.see(look, x);
  const none = () => false;
  const frames = run.n <= CROWD ? past(run, k) : null;
  ball.farHalf(ctx, place, look, p);
  if (frames) ball.trails(ctx, place, look, p, frames, false);
  ball.farDots(ctx, place, seen, p, none);
  theory(ctx, place, look, p, run, false);
  ways(ctx, place, look, p, run, k, tracks, false);
  ball.nearHalf(ctx, place, look, p);
  ball.axes(ctx, place, look, p);
  theory(ctx, place, look, p, run, true);
  if (frames) ball.trails(ctx, place, look, p, frames, true);
  if (run.n > CROWD || hollow) crowd(ctx, place, seen, p, hollow, run.n > CROWD ? 1 : 1.8);
  else ball.nearDots(ctx, place, seen, p, none);
  ways(ctx, place, look, p, run, k, tracks, true);
  pull(ctx, place, look, p, run);
  shares(ctx, place, look, p, run, x);
  if (hint) ball.turnHint(ctx, place, p);
}
