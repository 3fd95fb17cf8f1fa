// View "map": the fate of one variance over drift and attention.

import { minus } from "../kit/dom.mjs";
import { doubles } from "../kit/passport.mjs";
import { fade, mix } from "../kit/palette.mjs";
import { linear } from "../kit/scale.mjs";
import { slider } from "../kit/slider.mjs";
import { drag } from "../kit/stage.mjs";
import { label } from "../kit/text.mjs";
import { diamond } from "../kit/ellipses.mjs";
import { scalar, scalarBlowUp } from "../twin/gaussian.mjs";
import { mapPython } from "./python.mjs";
import { wall } from "./wall.mjs";
import { digits, heard } from "./words.mjs";

const REACH = 2;
const FRAMES = 240;
const WALL = 1e-4;
const clamp = (v) => Math.min(REACH, Math.max(-REACH, v));
const tidy = (v) => Number((Math.round(v / 0.05) * 0.05).toFixed(2)) + 0;

/** What becomes of S. */
export function fateOf(a, c, S) {
  const wallTime = scalarBlowUp(a, c, S);
  if (Number.isFinite(wallTime)) return { kind: "blow-up", wall: wallTime, limit: Infinity };
  if (Math.abs(a + c * S) < 1e-12) return { kind: "rests", wall: Infinity, limit: S };
  if (c < 0 && a > 0) return { kind: "settles", wall: Infinity, limit: -a / c };
  if (c === 0 && a > 0) return { kind: "grows", wall: Infinity, limit: Infinity };
  return { kind: "decays", wall: Infinity, limit: 0 };
}

const WORDS = {
  "blow-up": ["Blows up", "stop"],
  settles: ["Settles", "theory"],
  decays: ["Decays to 0", "theory"],
  rests: ["Stays on the threshold", "ink"],
  grows: ["Grows, but never blows up", "ink"],
};

function place(view) {
  const pad = { left: 30, right: 10, top: 10, bottom: 30 };
  const [w, h] = [view.w - pad.left - pad.right, view.h - pad.top - pad.bottom];
  return {
    left: pad.left, top: pad.top, w, h,
    x: (a) => pad.left + ((a + REACH) / (2 * REACH)) * w,
    y: (c) => pad.top + ((REACH - c) / (2 * REACH)) * h,
    at: (p) => [clamp(((p.x - pad.left) / w) * 2 * REACH - REACH), clamp(REACH - ((p.y - pad.top) / h) * 2 * REACH)],
  };
}

/** A region given by corners (a, c). */
function region(ctx, g, corners, colour) {
  ctx.beginPath();
  for (const [a, c] of corners) ctx.lineTo(g.x(a), g.y(c));
  ctx.closePath();
  ctx.fillStyle = colour;
  ctx.fill();
}

function hatch(ctx, g, corners, colour) {
  ctx.save();
  ctx.beginPath();
  for (const [a, c] of corners) ctx.lineTo(g.x(a), g.y(c));
  ctx.closePath();
  ctx.clip();
  ctx.strokeStyle = fade(colour, 0.45);
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let x = g.left - g.h; x < g.left + g.w; x += 9) {
    ctx.moveTo(x, g.top + g.h);
    ctx.lineTo(x + g.h, g.top);
  }
  ctx.stroke();
  ctx.restore();
}

function draw(ctx, view, g, { a, vk, s0 }) {
  const p = view.palette;
  const far = Math.min(REACH, REACH * s0); // the threshold a = -c S0 leaves the map here
  const top = Math.min(REACH, REACH / s0);
  const boom = [[REACH, 0], [REACH, REACH], [-far, REACH], ...(far === REACH ? [[-REACH, top]] : []), [0, 0]];
  region(ctx, g, [[-REACH, -REACH], [REACH, -REACH], [REACH, REACH], [-REACH, REACH]], mix(p.ctl, p.bg, 0.12));
  region(ctx, g, [[0, 0], [REACH, 0], [REACH, -REACH], [0, -REACH]], mix(p.theory, p.bg, 0.16));
  region(ctx, g, boom, mix(p.stop, p.bg, 0.14));
  hatch(ctx, g, boom, p.stop);
  ctx.strokeStyle = p.grat;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(g.x(-REACH), g.y(0));
  ctx.lineTo(g.x(REACH), g.y(0));
  ctx.moveTo(g.x(0), g.y(-REACH));
  ctx.lineTo(g.x(0), g.y(REACH));
  ctx.stroke();
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 2;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  ctx.moveTo(g.x(0), g.y(0));
  ctx.lineTo(g.x(-far), g.y(top));
  ctx.stroke();
  ctx.setLineDash([]);
  const text = { size: 13, align: "center", halo: p.bg };
  label(ctx, "blows up", g.x(0.9), g.y(1.2), p, { ...text, color: p.stop });
  label(ctx, "settles", g.x(1), g.y(-1.2), p, { ...text, color: p.theory });
  label(ctx, "decays", g.x(-1), g.y(-0.9), p, text);
  label(ctx, "*a* = −*vk S*_0", g.x(-far * 0.38) - 8, g.y(top * 0.38) + 8, p, { size: 12.5, align: "right", color: p.theory, halo: p.bg });
  for (const v of [-2, -1, 0, 1, 2]) {
    const name = minus(v);
    label(ctx, name, g.x(v), g.top + g.h + 11, p, { size: 11.5, color: p.mut, align: "center" });
    label(ctx, name, g.left - 6, g.y(v), p, { size: 11.5, color: p.mut, align: "right" });
  }
  label(ctx, "drift *a*", g.x(REACH), g.top + g.h + 23, p, { size: 12.5, color: p.mut, align: "right" });
  label(ctx, "*vk*", g.left + 8, g.top + 12, p, { size: 13, color: p.mut, halo: p.bg });
  ctx.strokeStyle = p.grab;
  ctx.lineWidth = 1;
  diamond(ctx, g.x(a), g.y(vk), p);
}

/** The run of a state: its curve up to the wall. */
function runOf({ a, vk, s0, t_end: tEnd }) {
  const fate = fateOf(a, vk, s0);
  const walled = fate.wall < tEnd;
  const end = walled ? 1.25 * fate.wall : tEnd;
  const last = walled ? fate.wall * (1 - WALL) : end;
  const times = Array.from({ length: FRAMES + 1 }, (_, k) => (k * last) / FRAMES);
  if (walled) for (let d = fate.wall / FRAMES / 1.5; fate.wall - d < last; d /= 1.5) times.push(fate.wall - d);
  const t = Float64Array.from(times.sort((x, y) => x - y));
  return { ...fate, walled, end, last, t, S: t.map((s) => scalar(a, vk, s0, s)), at: (s) => scalar(a, vk, s0, Math.min(s, last)) };
}

export function build(card) {
  let [run, t, g] = [null, 0, null];
  const pick = (p) => {
    const [a, vk] = g.at(p).map(tidy);
    if (a !== card.get("a") || vk !== card.get("vk")) card.set({ a, vk });
  };
  const stage = card.stage({
    label: "Map of fates over drift and attention.",
    keys: "Arrow keys move the layer, space plays.",
    draw(ctx, view) {
      g = place(view);
      draw(ctx, view, g, card.values());
    },
    onKey(event) {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by) return false;
      card.set({ a: tidy(clamp(card.get("a") + 0.05 * by[0])), vk: tidy(clamp(card.get("vk") + 0.05 * by[1])) });
      card.speak();
      return true;
    },
  });
  stage.canvas.style.touchAction = "none";
  drag(card, stage.canvas, {
    start(p) {
      player.seek(0);
      pick(p);
      return true;
    },
    move: pick,
    end() {
      card.flush();
      if (!matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
    },
  });
  const readouts = card.readouts(["variance *S*", "limit", "blow-up in"]);
  const chart = card.chart({ x: "layer-time *t*", y: "variance *S*" });
  const verdict = card.verdict();

  function show(moment) {
    t = Math.min(moment, run.last);
    let k = run.t.findIndex((s) => s > t + 1e-9) - 1;
    if (k < 0) k = run.t.length - 1;
    chart.set({ now: k });
    readouts.set(0, digits(run.at(t), 4));
    readouts.set(1, Number.isFinite(run.limit) ? digits(run.limit, 4) : "∞");
    readouts.set(2, Number.isFinite(run.wall) ? digits(run.wall - t, 4) : "never", Number.isFinite(run.wall) ? "stop" : "");
    const [title, tone] = WORDS[run.kind];
    const { a, vk, s0 } = card.values();
    const threshold = vk > 0 && a < 0 ? ` The threshold is *S*_0 = ${digits(-a / vk, 4)}.` : "";
    verdict.set(run.kind === "blow-up" ? `Blows up at *t*^∗ = ${digits(run.wall, 7)}` : title, `From *S*_0 = ${digits(s0, 4)}.${threshold}`, tone);
    passport.update();
    card.relabel();
  }
  const player = card.player({
    axis: linear(0, runOf(card.values()).end), seconds: 7, format: (v) => digits(v, 4),
    work: () => false, filled: () => run.last, stopped: () => run.walled, show,
  });
  card.presets();
  card.slider({ key: "s0", symbol: "*S*_0", label: "variance at the start", min: 0.1, max: 2, step: 0.05 });
  const ending = slider(card, { key: "t_end", symbol: "*T*", label: "end of the run", min: 0.5, max: 10, step: 0.5 });
  card.control(ending);
  const lamps = card.lamps("What decides, in one dimension", ["*vk* is not positive", "*a* is positive", "*S*_0 is below its threshold"]);
  const measured = card.deviation((reference) => {
    if (!reference.t) return null;
    const theirs = doubles(reference.cov);
    const { a, vk, s0 } = card.values();
    const off = (x, y) => Math.abs(x - y) / Math.max(1, Math.abs(y));
    const worst = Math.max(...[...doubles(reference.t)].map((s, k) => off(scalar(a, vk, s0, s), theirs[k])));
    const [time] = doubles(reference.blow_up);
    return Number.isFinite(time) ? Math.max(worst, Math.abs(run.wall - time) / time) : worst;
  });
  const passport = card.passport({
    items: () => ["closed form", measured(), `tfdynlib ${card.model.get("version")}`],
    python: () => mapPython({ ...card.values(), t: Number(Math.min(card.values().t, run.last).toPrecision(9)), wall: run.wall }),
  });
  card.live(() => heard(`Layer-time ${digits(t, 3)}. Drift ${digits(card.get("a"), 3)}, value times score ${digits(card.get("vk"), 3)}. Variance ${digits(run.at(t), 4)}. ${WORDS[run.kind][0]}.`));

  function restart() {
    const { a, vk, s0 } = card.values();
    run = runOf(card.values());
    player.axis = linear(0, run.end);
    ending.hidden = run.walled; // then the axis ends behind the wall
    stage.invalidate();
    const top = run.walled ? Math.max(6, 4 * s0) : 1.1 * Math.max(...run.S, Number.isFinite(run.limit) ? run.limit : 0, 0.5);
    chart.set({
      axis: player.axis, t: run.t, filled: run.t.length, range: [0, Math.min(50, top)], curves: [{ y: run.S, width: 2.6 }],
      levels: Number.isFinite(run.limit) && run.limit > 0 ? [{ y: run.limit, label: "limit" }] : [],
      over: run.walled ? (ctx, at, view) => wall(ctx, at, view, run.wall, `wall at ${digits(run.wall, 3)}`) : null,
    });
    const threshold = vk > 0 ? -a / vk : null;
    lamps.set(0, vk <= 0 ? "holds" : "fails", vk <= 0 ? "then nothing blows up" : "then large variances blow up");
    lamps.set(1, a > 0 ? "holds" : "fails", a > 0 ? "then the variance cannot die" : "then small variances die");
    lamps.set(2, threshold === null ? "unasked" : s0 < threshold ? "holds" : "fails", threshold === null ? "there is none" : threshold > 0 ? `${digits(s0, 3)} against ${digits(threshold, 4)}` : "every variance blows up");
    player.wake();
  }
  card.on(["a", "vk", "s0", "t_end"], restart);
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({ t, S: run.at(t), kind: run.kind, limit: Number.isFinite(run.limit) ? run.limit : null, wall: Number.isFinite(run.wall) ? run.wall : null });
  restart();
}

export const mapView = {
  title: "Which layers settle, decay, or blow up?",
  lead: "Drag the [[grab|orange]] mark over the map, and slide the variance at the start.",
  build,
};
