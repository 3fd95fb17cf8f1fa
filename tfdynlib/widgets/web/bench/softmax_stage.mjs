// A question among three tokens, and below it what each formula gives to each of them.

import * as ring from "../circle/ring.mjs";
import { label } from "../kit/text.mjs";
import { TOKENS } from "./softmax_run.mjs";

/** Where the circle lies: in the upper half. */
export const placeOf = ({ w, h }) => ({ cx: w / 2, cy: 0.29 * h, R: 0.19 * h });

export const quotient = (m, j) => (m.fate === "under" ? "0/0" : m.e[j] === Infinity ? "∞/∞" : "");

export function paint(ctx, view, { now, m, held }) {
  const p = view.palette;
  const g = placeOf(view);
  ring.disc(ctx, g, p);
  ring.rim(ctx, g, p);
  ctx.beginPath();
  ctx.moveTo(g.cx, g.cy);
  ctx.lineTo(...ring.at(g, now.look));
  Object.assign(ctx, { strokeStyle: p.grab, lineWidth: 2 });
  ctx.stroke();
  ring.knobs(ctx, g, p, [now.look], 11, held);
  ring.dots(ctx, g, p, TOKENS, 4.5);
  TOKENS.forEach((theta, j) => {
    const [x, y] = ring.at(g, theta, g.R + 21);
    label(ctx, String(j + 1), x, y, p, { size: 12.5, align: "center", halo: p.bg });
  });
  const [x, y] = ring.at(g, now.look + Math.PI, 15);
  label(ctx, "*p*", x, y, p, { size: 15, align: "center", color: p.grab });
  bars(ctx, view, m);
}

function bars(ctx, { w, h, palette: p }, m) {
  const [base, high, wide] = [0.93 * h, 0.28 * h, 0.075 * w];
  label(ctx, "filled: naive", 8, 0.555 * h, p, { size: 12.5, color: p.state });
  label(ctx, "dashed: the cure", w - 8, 0.555 * h, p, { size: 12.5, color: p.theory, align: "right" });
  TOKENS.forEach((_, j) => {
    const mid = (w * (2 * j + 1)) / 6;
    const text = { size: 12, align: "center", halo: p.bg };
    const [left, right] = [mid - 0.045 * w - 4, mid + 0.045 * w + 4];
    const [naive, cured] = [high * m.naive[j], high * m.cured[j]];
    if (Number.isNaN(naive)) {
      label(ctx, "lost", left, base - 26, p, { ...text, color: p.stop, weight: 600 });
      label(ctx, quotient(m, j), left, base - 10, p, { ...text, color: p.stop });
    } else {
      ctx.fillStyle = p.state;
      ctx.fillRect(left - wide / 2, base - naive, wide, naive);
      label(ctx, m.naive[j].toFixed(2), left, base - naive - 9, p, { ...text, color: m.fate === "fine" ? p.state : p.stop });
    }
    Object.assign(ctx, { strokeStyle: p.theory, lineWidth: 1.7 });
    ctx.setLineDash([5, 4]);
    ctx.strokeRect(right - wide / 2, base - cured, wide, cured);
    ctx.setLineDash([]);
    label(ctx, m.cured[j].toFixed(2), right, base - cured - 9, p, { ...text, color: p.theory });
    label(ctx, `token ${j + 1}`, mid, base + 12, p, { ...text, color: p.mut });
  });
  ctx.beginPath();
  ctx.moveTo(8, base);
  ctx.lineTo(w - 8, base);
  Object.assign(ctx, { strokeStyle: p.ctl, lineWidth: 1 });
  ctx.stroke();
}
