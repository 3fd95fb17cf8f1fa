// The stage of the twins: dots of one cloud, rings of the other, a line for each pair.

import * as ball from "../kit/ball.mjs";
import { fade } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";

const NEAR = 9; // px: pairs closer than this need no line
const never = () => false;

const put = (place, seen, i) => [place.x + place.r * seen.u[i], place.y - place.r * seen.v[i]];

/** Rings of the second cloud on one side. */
function rings(ctx, place, seen, p, near) {
  ctx.beginPath();
  for (let i = 0; i < seen.n; i += 1) {
    if (seen.w[i] >= 0 !== near) continue;
    const [x, y] = put(place, seen, i);
    const r = 6.4 + 1.4 * seen.w[i];
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 2 * Math.PI);
  }
  ctx.strokeStyle = fade(p.ink, near ? 0.85 : 0.3);
  ctx.lineWidth = near ? 1.5 : 1.1;
  ctx.stroke();
}

/** A straight line from each dot to its ring, where they are visibly apart. */
function pairs(ctx, place, one, two, p, near) {
  ctx.beginPath();
  for (let i = 0; i < one.n; i += 1) {
    if (one.w[i] + two.w[i] >= 0 !== near) continue;
    const [a, b] = [put(place, one, i), put(place, two, i)];
    if (Math.hypot(a[0] - b[0], a[1] - b[1]) < NEAR) continue;
    ctx.moveTo(...a);
    ctx.lineTo(...b);
  }
  ctx.strokeStyle = fade(p.ink, near ? 0.4 : 0.16);
  ctx.lineWidth = 1.1;
  ctx.stroke();
}

/** Where the nudge was: an orange ring about token 0 and the word. */
function mark(ctx, place, seen, p) {
  const [x, y] = put(place, seen, 0);
  ctx.beginPath();
  ctx.arc(x, y, 11, 0, 2 * Math.PI);
  ctx.strokeStyle = fade(p.grab, seen.w[0] >= 0 ? 1 : 0.55);
  ctx.lineWidth = 2.2;
  ctx.stroke();
  const left = seen.u[0] > 0.4;
  label(ctx, "nudged", x + (left ? -16 : 16), y, p, { size: 13, color: p.grab, halo: p.bg, align: left ? "right" : "left" });
}

export function paintTwins(ctx, view, { both, trail, turn, tilt, prompt, hint }) {
  const p = view.palette;
  const place = ball.place(view.w, view.h);
  const look = ball.eye(turn, tilt);
  const m = both.length / 2;
  const [one, two] = [ball.see(look, both.subarray(0, m)), ball.see(look, both.subarray(m))];
  const frames = trail.map((x) => x.subarray(0, m));
  ball.farHalf(ctx, place, look, p);
  ball.trails(ctx, place, look, p, frames, false);
  pairs(ctx, place, one, two, p, false);
  ball.farDots(ctx, place, one, p, never);
  rings(ctx, place, two, p, false);
  ball.nearHalf(ctx, place, look, p);
  ball.axes(ctx, place, look, p);
  ball.trails(ctx, place, look, p, frames, true);
  pairs(ctx, place, one, two, p, true);
  ball.nearDots(ctx, place, one, p, never);
  rings(ctx, place, two, p, true);
  if (prompt) mark(ctx, place, one, p);
  if (hint) ball.turnHint(ctx, place, p);
}
