// View "cloud": the variance of finitely many tokens beside that of the Gaussian law.

import { doubles } from "../kit/passport.mjs";
import { fade } from "../kit/palette.mjs";
import { linear } from "../kit/scale.mjs";
import { label } from "../kit/text.mjs";
import { cloudOf, endOf, STEP } from "./cloud_run.mjs";
import * as line from "./line.mjs";
import { cloudPython } from "./python.mjs";
import { wall } from "./wall.mjs";
import { digits, heard } from "./words.mjs";

const BINS = 60;

/** Shares of the tokens per unit of length. */
function histogram(g, x) {
  const width = (2 * g.reach) / BINS;
  const bins = new Float64Array(BINS);
  for (const v of x) {
    const b = Math.floor((v + g.reach) / width);
    if (b >= 0 && b < BINS) bins[b] += 1 / (x.length * width);
  }
  return { bins, width };
}

function draw(ctx, view, { run, k, S, past }) {
  const p = view.palette;
  const x = run.at(k);
  const g = line.lineOf(view, { reach: 8, top: Math.min(2, 0.55 / Math.sqrt(Math.max(0.05, Math.min(run.variance[k], S)))) });
  line.ground(ctx, g, p);
  const { bins, width } = histogram(g, x);
  ctx.fillStyle = fade(p.state, 0.3);
  ctx.beginPath();
  bins.forEach((height, b) => {
    const left = g.x(-g.reach + b * width);
    ctx.rect(left, g.y(Math.min(height, g.top)), g.x(-g.reach + (b + 1) * width) - left, g.bottom - g.y(Math.min(height, g.top)));
  });
  ctx.fill();
  if (!past) {
    const f = line.bell(0, S);
    line.curve(ctx, g, f, { color: p.theory, width: 1.8, dash: [6, 5] });
    const spot = Math.min(5.5, 1.3 * Math.sqrt(S));
    label(ctx, "the law", g.x(spot) + 8, g.y(f(spot)) - 8, p, { size: 13, color: p.theory, halo: p.soft });
  } else label(ctx, "the law has blown up", view.w / 2, 16, p, { size: 13, color: p.stop, align: "center", halo: p.soft });
  ctx.fillStyle = p.state;
  ctx.beginPath();
  for (const v of x) {
    const px = g.x(v);
    if (px < 2 || px > g.w - 2) continue;
    ctx.moveTo(px + 2.4, g.bottom - 6);
    ctx.arc(px, g.bottom - 6, 2.4, 0, 2 * Math.PI);
  }
  ctx.fill();
  label(ctx, `${x.length} tokens`, 14, g.bottom - 22, p, { size: 13, color: p.state, halo: p.soft });
}

const LAMPS = ["the law has not blown up", "all *p*²*S* are below log *N*", "no token beyond the bound"];

function lampsOf(run, k, t) {
  const { a, vk, n } = run.state;
  const x = run.at(k);
  const far = x.reduce((top, v) => Math.max(top, Math.abs(v)), 0);
  const start = run.at(0).reduce((top, v) => Math.max(top, Math.abs(v)), 0);
  const bound = start * Math.exp((Math.abs(a) + Math.abs(vk)) * t);
  const score = far * far * run.variance[k];
  return [
    [t < run.wall ? "holds" : "fails", Number.isFinite(run.wall) ? `its wall stands at ${digits(run.wall, 5)}` : "it never does"],
    [score < Math.log(n) ? "holds" : "fails", `at most ${digits(score, 3)} against ${digits(Math.log(n), 3)}: the tail is ${score < Math.log(n) ? "seen" : "missing"}`],
    [far <= bound * (1 + 1e-6) ? "holds" : "fails", `the farthest at ${digits(far, 3)}, bound ${digits(bound, 3)}`],
  ];
}

function verdictOf(run, k, t) {
  const seen = run.variance[k];
  const tokens = `${run.state.n} tokens have variance ${digits(seen, 4)}`;
  if (t >= run.wall) return ["The law is gone, the tokens are not", `${tokens}: finitely many never blow up.`, "stop"];
  const S = run.law(t);
  const off = Math.abs(seen - S) / S;
  const [title, tone] = off < 0.05 ? ["Tokens follow the law", "ink"] : ["Tokens fall behind the law", "stop"];
  return [title, `${tokens}, the law ${digits(S, 4)}.`, tone];
}

export function build(card) {
  let run = null;
  let [k, t] = [0, 0];
  const pace = card.pace();
  const stage = card.stage({
    label: "Tokens on a line, and the Gaussian law.",
    draw: (ctx, view) => draw(ctx, view, { run, k, S: run.law(t), past: t >= run.wall }),
  });
  const readouts = card.readouts(["*S* of tokens", "*S* of the law", "blow-up in"]);
  const chart = card.chart({ x: "layer-time *t*", y: "variance" });
  const verdict = card.verdict();

  function show(moment) {
    k = run.index(moment);
    t = run.times[k];
    stage.invalidate();
    chart.set({ t: run.times, filled: run.filled, now: k });
    readouts.set(0, digits(run.variance[k], 4));
    readouts.set(1, t < run.wall ? digits(run.law(t), 4) : "∞", t < run.wall ? "" : "stop");
    readouts.set(2, Number.isFinite(run.wall) ? digits(Math.max(0, run.wall - t), 3) : "never", Number.isFinite(run.wall) ? "stop" : "");
    if (!pace.due()) return;
    verdict.set(...verdictOf(run, k, t));
    lampsOf(run, k, t).forEach((lamp, i) => lamps.set(i, ...lamp));
    passport.update();
    card.relabel();
  }
  const player = card.player({
    axis: linear(0, endOf(card.values())), step: STEP, seconds: 9, format: (v) => v.toFixed(2),
    work: (ms) => run.advance(ms), filled: () => run.times[run.filled - 1], show,
  });
  card.presets();
  card.slider({ key: "n", symbol: "*N*", label: "tokens", min: 10, max: 10000, scale: "log", int: true });
  card.slider({ key: "s0", symbol: "*S*_0", label: "variance at the start", min: 0.1, max: 2, step: 0.05 });
  card.slider({ key: "vk", symbol: "*vk*", label: "value times score", min: -2, max: 2, step: 0.05 });
  card.slider({ key: "a", symbol: "*a*", label: "drift", min: -2, max: 2, step: 0.05 });
  card.slider({ key: "seed", symbol: "seed", label: "of the sample", min: 0, max: 99, int: true });
  const lamps = card.lamps("Do the tokens follow the law?", LAMPS);
  const measured = card.deviation((reference) => {
    if (!reference.steps) return null;
    if (run.filled <= reference.steps) return null;
    const theirs = doubles(reference.x);
    return run.at(reference.steps).reduce((top, v, i) => Math.max(top, Math.abs(v - theirs[i])), 0);
  });
  const passport = card.passport({
    items: () => [`seed ${card.get("seed")}`, "method rk4", `dt ${STEP}`, measured(), `tfdynlib ${card.model.get("version")}`],
    python: () => cloudPython(card.values(), STEP),
  });
  card.live(() => heard(`Layer-time ${t.toFixed(2)}. ${verdictOf(run, k, t).slice(0, 2).join(". ")}`));

  function theory(ctx, at, view) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
    ctx.clip();
    ctx.beginPath();
    const end = Math.min(endOf(run.state), run.wall * (1 - 1e-6));
    for (let j = 0; j <= 200; j += 1) {
      const S = run.law((j * end) / 200);
      ctx.lineTo(at.x((j * end) / 200), at.y(Math.min(S, 1e3)));
      if (S > 1e3) break;
    }
    Object.assign(ctx, { strokeStyle: view.palette.theory, lineWidth: 1.8 });
    ctx.setLineDash([6, 5]);
    ctx.stroke();
    ctx.restore();
    if (run.wall < endOf(run.state)) wall(ctx, at, view, run.wall, "");
  }
  function restart() {
    run = cloudOf(card.values());
    run.advance(7);
    player.axis = linear(0, endOf(card.values()));
    chart.set({ axis: player.axis, range: [0, Math.max(12, 2 * run.state.s0)], curves: [{ y: run.variance, width: 2.6 }], over: theory });
    player.wake();
  }
  card.on(["n", "s0", "vk", "a", "seed", "t_end"], restart);
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({
    t, variance: run.variance[k], law: Number.isFinite(run.law(t)) ? run.law(t) : null, farthest: Math.max(...run.at(k).map(Math.abs)),
    wall: Number.isFinite(run.wall) ? run.wall : null, filled: run.filled,
  });
  restart();
}

export const cloudView = {
  title: "What do finitely many tokens make of an infinite variance?",
  lead: "Change the number of tokens. [[state|Blue]] are the tokens, dashed is the Gaussian law.",
  build,
};
