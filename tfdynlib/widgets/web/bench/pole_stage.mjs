// One bell as a coarse and two finer programs have it, and the true one, dashed.

import * as line from "../ellipse/line.mjs";
import { truth } from "./pole_run.mjs";

const REACH = 24;
const TOP = 0.4; // of the bell at the start
const WIDTHS = [3, 2, 1.3];

export function paint(ctx, view, { t, values, steps }) {
  const p = view.palette;
  const g = line.lineOf(view, { reach: REACH, top: TOP });
  line.ground(ctx, g, p);
  const bells = values.map((s) => line.bell(0, s));
  line.area(ctx, g, bells[0], p.state, 0.18);
  bells.forEach((bell, r) => line.curve(ctx, g, bell, { color: p.state, width: WIDTHS[r] }));
  const put = line.names(ctx, g, p);
  const side = Math.min(Math.sqrt(values[0]), 8);
  put(`Euler, steps of ${Number(steps[0].toPrecision(3))}`, side, bells[0](side), p.state, "left", 22);
  const s = truth(t);
  if (!Number.isFinite(s)) {
    put("behind the wall there is no Gaussian", 0, 0.6 * TOP, p.stop, "center", 0);
    return;
  }
  const bell = line.bell(0, s);
  line.curve(ctx, g, bell, { color: p.theory, width: 1.8, dash: [6, 5] });
  const left = -Math.min(Math.sqrt(s), 8);
  put("the truth", left, bell(left), p.theory, "right", 22);
}
