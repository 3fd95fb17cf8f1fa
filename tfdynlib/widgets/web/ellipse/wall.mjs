// The wall of a blow-up on a chart: a line, and hatching of what is not there.

import { label } from "../kit/text.mjs";
import { fade } from "../kit/palette.mjs";

/** Draw the wall at `t`; `name` stands left of it, or over it where there is no room. */
export function wall(ctx, at, view, t, name) {
  const p = view.palette;
  const x = at.x(t);
  if (!(x < at.right)) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, at.top, at.right - x, at.bottom - at.top);
  ctx.clip();
  ctx.strokeStyle = fade(p.stop, 0.6);
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let c = x - (at.bottom - at.top); c < at.right; c += 6) {
    ctx.moveTo(c, at.bottom);
    ctx.lineTo(c + at.bottom - at.top, at.top);
  }
  ctx.stroke();
  ctx.restore();
  ctx.strokeStyle = p.stop;
  ctx.lineWidth = 2.5;
  ctx.beginPath();
  ctx.moveTo(x, at.top - 4);
  ctx.lineTo(x, at.bottom);
  ctx.stroke();
  if (name) label(ctx, name, x - 7, at.top + 8, p, { size: 12.5, color: p.stop, align: "right", halo: p.bg });
}

/** Names at the right ends of curves, moved apart where they would meet. */
export function endNames(ctx, at, view, spots, color) {
  const placed = spots.map((one) => ({ ...one, y: Math.min(at.bottom - 4, Math.max(at.top + 2, one.y)) })).sort((a, b) => a.y - b.y);
  for (let i = 1; i < placed.length; i += 1) placed[i].y = Math.max(placed[i].y, placed[i - 1].y + 14);
  for (let i = placed.length - 1, low = at.bottom - 2; i >= 0; i -= 1, low -= 14) placed[i].y = Math.min(placed[i].y, low);
  for (const { name, x, y } of placed) label(ctx, name, x ?? at.right + 5, y, view.palette, { size: 12.5, color });
}
