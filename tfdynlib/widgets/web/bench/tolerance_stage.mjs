// Three circles, one in the other: the same tokens with three tolerances.

import * as ring from "../circle/ring.mjs";
import { label } from "../kit/text.mjs";

const SHARE = [0.42, 0.71, 1]; // the loosest inside, the tightest outside
const NAMES = ["10^{−3}", "10^{−6}", "10^{−9}"];

export function paint(ctx, view, { states, counts }) {
  const p = view.palette;
  const whole = ring.place(view, 40);
  ring.disc(ctx, whole, p);
  SHARE.forEach((share, r) => {
    const g = { ...whole, R: share * whole.R };
    ring.rim(ctx, g, p);
    ring.dots(ctx, g, p, states[r], states[r].length > 96 ? 2.6 : 4);
  });
  const odd = (r) => counts[r] !== counts[2];
  SHARE.forEach((share, r) => {
    const [x, y] = ring.at(whole, Math.PI / 2, share * whole.R - 15);
    label(ctx, NAMES[r], x, y, p, { size: 12.5, align: "center", halo: p.glass1, color: odd(r) ? p.stop : p.mut });
  });
  label(ctx, String(counts[2]), whole.cx, whole.cy - 7, p, { size: 22, weight: 600, align: "center", halo: p.glass1 });
  label(ctx, counts[2] === 1 ? "cluster" : "clusters", whole.cx, whole.cy + 14, p, { size: 12.5, align: "center", color: p.mut, halo: p.glass1 });
}
