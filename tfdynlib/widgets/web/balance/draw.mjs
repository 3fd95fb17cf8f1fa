// The stage of the account, on the circle or the sphere, and the ends of its curves.

import * as ball from "../kit/ball.mjs";
import { label } from "../kit/text.mjs";
import * as ring from "../circle/ring.mjs";
import { angles } from "../twin/points.mjs";

const TRAIL = 24; // frames of the past at most

/** The past up to frame k, and the frame. */
function past(run, k) {
  const span = Math.min(k, Math.ceil(1.6 / (run.stride * run.h)));
  const stride = Math.max(1, Math.floor(span / TRAIL));
  const frames = [];
  for (let j = k - stride * Math.floor(span / stride); j <= k; j += stride) frames.push(run.at(j));
  return frames;
}

function onSphere(ctx, view, { run, k, turn, tilt, hint }) {
  ball.scene(ctx, view, { frames: past(run, k), turn, tilt, hint });
}

function onCircle(ctx, view, { run, k, n, end }) {
  const p = view.palette;
  const g = ring.place(view);
  ring.disc(ctx, g, p);
  ring.axes(ctx, g, p);
  ring.tunnel(ctx, g, p, { frames: run.at, share: (j) => run.times[j] / end, now: k, n });
  ring.rim(ctx, g, p);
  ring.dots(ctx, g, p, angles(run.at(k)), n > 64 ? 3.4 : 5);
}

export const drawStage = { 2: onCircle, 3: onSphere };

const LINE = 15; // px between two names

/** Names of the curves at their right ends, moved apart where they would meet. */
export function names(curves) {
  return (ctx, at, view, data) => {
    const last = data.filled - 1;
    const spots = curves
      .map(({ name, y }) => ({ name, y: at.y(y[last]) }))
      .sort((a, b) => a.y - b.y);
    spots.forEach((spot, i) => {
      if (i > 0) spot.y = Math.max(spot.y, spots[i - 1].y + LINE);
    });
    for (let i = spots.length - 1, low = at.bottom - 4; i >= 0; i -= 1, low -= LINE)
      spots[i].y = Math.min(spots[i].y, low);
    for (const { name, y } of spots)
      label(ctx, name, at.right + 6, y, view.palette, { size: 12.5, color: view.palette.state });
  };
}
