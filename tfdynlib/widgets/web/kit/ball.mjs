// The sphere as glass, seen from far away.  Canvas only; knows nothing of attention.

import { fade, mix } from "./palette.mjs";
import { label } from "./text.mjs";

const RADIANS = Math.PI / 180;
const CIRCLE = 120;

/** Circles of the graticule: meridians and parallels every 30 degrees, as points. */
const GRATICULE = (() => {
  const at = Array.from({ length: CIRCLE + 1 }, (_, k) => (2 * Math.PI * k) / CIRCLE);
  const circles = [0, 30, 60, 90, 120, 150].map((a) =>
    at.map((s) => [
      Math.cos(s) * Math.cos(a * RADIANS),
      Math.cos(s) * Math.sin(a * RADIANS),
      Math.sin(s),
    ]),
  );
  for (const b of [-60, -30, 0, 30, 60])
    circles.push(
      at.map((s) => [
        Math.cos(b * RADIANS) * Math.cos(s),
        Math.cos(b * RADIANS) * Math.sin(s),
        Math.sin(b * RADIANS),
      ]),
    );
  return circles;
})();

/**
 * An eye at longitude `turn` and height `tilt` (degrees), and where things fall.
 * `at(x, y, z)` gives [right, up, towards the eye] in units of the radius.
 */
export function eye(turn, tilt) {
  const [ca, sa] = [Math.cos(turn * RADIANS), Math.sin(turn * RADIANS)];
  const [cb, sb] = [Math.cos(tilt * RADIANS), Math.sin(tilt * RADIANS)];
  return {
    at: (x, y, z) => [
      -sa * x + ca * y,
      -ca * sb * x - sa * sb * y + cb * z,
      ca * cb * x + sa * cb * y + sb * z,
    ],
  };
}

/** All tokens of a row-major array seen by the eye: columns u (right), v (up), w (near). */
export function see(view, x) {
  const n = x.length / 3;
  const seen = { u: new Float64Array(n), v: new Float64Array(n), w: new Float64Array(n), n };
  for (let i = 0; i < n; i += 1)
    [seen.u[i], seen.v[i], seen.w[i]] = view.at(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  return seen;
}

/** Where the ball is on a canvas of this size. */
export const place = (w, h) => ({ x: w / 2, y: h / 2 - 2, r: 0.425 * Math.min(w, h) });

function graticule(ctx, ball, view, near) {
  ctx.beginPath();
  for (const circle of GRATICULE) {
    let pen = false;
    for (const [x, y, z] of circle) {
      const [u, v, w] = view.at(x, y, z);
      if (w > 0 !== near) pen = false;
      else if (pen) ctx.lineTo(ball.x + ball.r * u, ball.y - ball.r * v);
      else {
        ctx.moveTo(ball.x + ball.r * u, ball.y - ball.r * v);
        pen = true;
      }
    }
  }
  ctx.stroke();
}

function disc(ctx, x, y, r) {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
}

/** The far half: body, far graticule.  Draw what is behind after it, then `nearHalf`. */
export function farHalf(ctx, ball, view, p) {
  disc(ctx, ball.x, ball.y, ball.r);
  ctx.fillStyle = p.glass1;
  ctx.fill();
  ctx.strokeStyle = fade(p.grat, 0.45);
  ctx.lineWidth = 1;
  graticule(ctx, ball, view, false);
}

/** The glass over it: highlight, near graticule, rim. */
export function nearHalf(ctx, ball, view, p) {
  const [x, y] = [ball.x - 0.3 * ball.r, ball.y - 0.36 * ball.r];
  const glass = ctx.createRadialGradient(x, y, 0, ball.x, ball.y, ball.r);
  glass.addColorStop(0, fade(p.glass0, 0.72));
  glass.addColorStop(0.3, fade(p.glass0, 0.4));
  glass.addColorStop(0.75, fade(p.glass1, 0.42));
  glass.addColorStop(1, fade(p.glass1, 0.5));
  disc(ctx, ball.x, ball.y, ball.r);
  ctx.fillStyle = glass;
  ctx.fill();
  ctx.strokeStyle = p.grat;
  ctx.lineWidth = 1;
  graticule(ctx, ball, view, true);
  disc(ctx, ball.x, ball.y, ball.r);
  ctx.strokeStyle = p.rim;
  ctx.lineWidth = 1.25;
  ctx.stroke();
}

/** Ticks of the axes where they leave the near side of the ball, with their names. */
export function axes(ctx, ball, view, p) {
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].forEach((e, k) => {
    const [u, v, w] = view.at(...e);
    if (w < -0.05 || w > 0.8) return;
    const [x, y] = [ball.x + ball.r * u, ball.y - ball.r * v];
    ctx.strokeStyle = p.ink;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(ball.x + 1.07 * ball.r * u, ball.y - 1.07 * ball.r * v);
    ctx.stroke();
    const name = { size: 13.5, color: p.mut, align: "center" };
    const reach = 1.07 * ball.r + 12;
    const inside = (at, middle) => Math.min(2 * middle - 9, Math.max(9, at));
    label(ctx, `*e*_${k + 1}`, inside(ball.x + reach * u, ball.x), ball.y - reach * v, p, name);
  });
}

const AGES = 6;

/**
 * Trails of all tokens on one side.  `frames` are token arrays from old to new, ending
 * in the present one; six strokes in all, however many tokens.
 */
export function trails(ctx, ball, view, p, frames, near) {
  const seen = frames.map((x) => see(view, x));
  ctx.lineCap = "butt";
  for (let age = 0; age < AGES; age += 1) {
    const [from, to] = [age, age + 1].map((k) => Math.round((k * (seen.length - 1)) / AGES));
    if (to <= from) continue;
    const fresh = age / (AGES - 1);
    const strength = (0.09 + 0.46 * fresh) * (near ? 1 : 0.55);
    ctx.strokeStyle = fade(p.state, strength);
    ctx.lineWidth = (1 + 1.4 * fresh) * (near ? 1 : 0.75);
    ctx.beginPath();
    for (let i = 0; i < seen[0].n; i += 1) {
      let pen = false;
      for (let k = from; k <= to; k += 1) {
        const { u, v, w } = seen[k];
        if (w[i] > 0 !== near) pen = false;
        else if (pen) ctx.lineTo(ball.x + ball.r * u[i], ball.y - ball.r * v[i]);
        else {
          ctx.moveTo(ball.x + ball.r * u[i], ball.y - ball.r * v[i]);
          pen = true;
        }
      }
    }
    ctx.stroke();
  }
}

const SHADES = 6;

/** Colour of a dot at `depth` (0 to 1) behind the glass. */
export const farShade = (p, depth) => mix(p.state, p.glass1, 0.74 - 0.2 * depth);

/** Dots behind the glass: smaller and paler with depth, one path a shade. */
export function farDots(ctx, ball, seen, p, skip) {
  for (let shade = 0; shade < SHADES; shade += 1) {
    ctx.beginPath();
    for (let i = 0; i < seen.n; i += 1) {
      const depth = -seen.w[i];
      if (depth < 0 || skip(i)) continue;
      if (Math.min(SHADES - 1, Math.floor(depth * SHADES)) !== shade) continue;
      const [x, y, r] = [ball.x + ball.r * seen.u[i], ball.y - ball.r * seen.v[i], 3.8 - 0.8 * depth];
      ctx.moveTo(x + r, y);
      ctx.arc(x, y, r, 0, 2 * Math.PI);
    }
    ctx.fillStyle = farShade(p, (shade + 0.5) / SHADES);
    ctx.fill();
  }
}

/** Dots on the near side: all halos first, then all dots, so that a crowd merges. */
export function nearDots(ctx, ball, seen, p, skip) {
  const at = [];
  for (let i = 0; i < seen.n; i += 1)
    if (seen.w[i] >= 0 && !skip(i))
      at.push([ball.x + ball.r * seen.u[i], ball.y - ball.r * seen.v[i], 3.8 + 1.4 * seen.w[i]]);
  for (const [extra, colour] of [
    [1.2, p.bg],
    [0, p.state],
  ]) {
    ctx.beginPath();
    for (const [x, y, r] of at) {
      ctx.moveTo(x + r + extra, y);
      ctx.arc(x, y, r + extra, 0, 2 * Math.PI);
    }
    ctx.fillStyle = colour;
    ctx.fill();
  }
  ctx.strokeStyle = fade(p.bg, 0.35);
  ctx.lineWidth = 0.7;
  ctx.stroke();
}

/** One dot of the state with its halo. */
export function dot(ctx, x, y, r, p) {
  disc(ctx, x, y, r + 1.2);
  ctx.fillStyle = p.bg;
  ctx.fill();
  disc(ctx, x, y, r);
  ctx.fillStyle = p.state;
  ctx.fill();
}

/** "drag to turn": an orange arc with two heads under the ball. */
export function turnHint(ctx, ball, p) {
  const [x, y, half] = [ball.x, ball.y + ball.r + 7, 0.2 * ball.r];
  ctx.strokeStyle = ctx.fillStyle = p.grab;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x - half, y + 1);
  ctx.quadraticCurveTo(x, y + 8, x + half, y + 1);
  ctx.stroke();
  for (const side of [-1, 1]) {
    ctx.save();
    ctx.translate(x + side * half, y + 1);
    ctx.scale(side, 1);
    ctx.rotate(-0.3);
    ctx.beginPath();
    ctx.moveTo(6, 0);
    ctx.lineTo(-3.5, -4.5);
    ctx.lineTo(-3.5, 4.5);
    ctx.fill();
    ctx.restore();
  }
  label(ctx, "drag to turn", x + half + 18, y + 5, p, { size: 13, color: p.grab });
}

/** Tokens at time `t`, on the chord between two frames of a run: for the eye, not for numbers. */
export function between(run, k, t) {
  const x = run.at(k);
  const share = k + 1 < run.filled ? (t - run.times[k]) / (run.times[k + 1] - run.times[k]) : 0;
  if (!(share > 0.01)) return x;
  const y = run.at(k + 1);
  const out = new Float64Array(x.length);
  for (let i = 0; i < x.length; i += 3) {
    const p = [0, 1, 2].map((a) => x[i + a] + share * (y[i + a] - x[i + a]));
    const size = Math.hypot(...p);
    for (let a = 0; a < 3; a += 1) out[i + a] = p[a] / size;
  }
  return out;
}

/** The whole ball with tokens and their trails; `frames` end in the tokens of now. */
export function scene(ctx, view, { frames, turn, tilt, hint }) {
  const p = view.palette;
  const on = place(view.w, view.h);
  const look = eye(turn, tilt);
  const seen = see(look, frames.at(-1));
  const none = () => false;
  farHalf(ctx, on, look, p);
  trails(ctx, on, look, p, frames, false);
  farDots(ctx, on, seen, p, none);
  nearHalf(ctx, on, look, p);
  axes(ctx, on, look, p);
  trails(ctx, on, look, p, frames, true);
  nearDots(ctx, on, seen, p, none);
  if (hint) turnHint(ctx, on, p);
}
