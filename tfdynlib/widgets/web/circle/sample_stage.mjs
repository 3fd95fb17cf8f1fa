// The stage of the view "sample": every token spreads over its share of the circle.

import { fade } from "../kit/palette.mjs";
import { label } from "../kit/text.mjs";
import { sortedAngles, spreadOut } from "../twin/sampling.mjs";
import * as ring from "./ring.mjs";

const TURN = 2 * Math.PI;

/** The sample on the inner circle, the uniform law on the outer one, the plan between. */
export function paint(ctx, view, { x, n }) {
  const p = view.palette;
  const size = Math.min(view.w, view.h) / 2;
  const centre = { cx: view.w / 2, cy: view.h / 2 };
  const inner = { ...centre, R: 0.5 * size };
  const outer = { ...centre, R: Math.min(0.9 * size, size - 14) };
  const angles = sortedAngles(x.subarray(0, 2 * n));
  const { turn } = spreadOut(angles);
  ring.disc(ctx, outer, p);
  angles.forEach((angle, i) => {
    ctx.fillStyle = fade(p.state, i % 2 === 0 ? 0.44 : 0.2);
    fan(ctx, inner, outer, angle, turn + (TURN * i) / n, Math.PI / n);
  });
  ring.rim(ctx, inner, p);
  law(ctx, outer, p);
  ring.dots(ctx, inner, p, Array.from(angles), n > 100 ? 2.6 : n > 32 ? 3.4 : 5);
  label(ctx, "a sample", centre.cx, centre.cy - 10, p, { size: 14, align: "center", color: p.state, halo: p.glass1 });
  label(ctx, "and its law", centre.cx, centre.cy + 11, p, { size: 14, align: "center", color: p.theory, halo: p.glass1 });
}

/** The mass of one token on its way out: a point inside, an arc of the law outside. */
function fan(ctx, inner, outer, angle, middle, half) {
  const edge = (side, from, to) => {
    for (let k = 0; k <= 24; k++) {
      const s = from + ((to - from) * k) / 24;
      const goal = middle + side * half;
      const point = ring.at(inner, angle + s * (goal - angle), inner.R + s * (outer.R - inner.R));
      ctx.lineTo(...point);
    }
  };
  ctx.beginPath();
  edge(-1, 0, 1);
  ctx.arc(outer.cx, outer.cy, outer.R, -(middle - half), -(middle + half), true);
  edge(1, 1, 0);
  ctx.fill();
}

/** The uniform law, dashed as all theory is. */
function law(ctx, g, p) {
  ctx.beginPath();
  ctx.arc(g.cx, g.cy, g.R, 0, TURN);
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 2;
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.setLineDash([]);
}
