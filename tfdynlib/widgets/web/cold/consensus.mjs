// View "consensus": particles on a landscape, and the mean they agree on.

import { minus } from "../kit/dom.mjs";
import { doubles } from "../kit/passport.mjs";
import { mix } from "../kit/palette.mjs";
import { linear } from "../kit/scale.mjs";
import { choice } from "../kit/slider.mjs";
import { label } from "../kit/text.mjs";
import { consensus, gaussianMean, LANDSCAPES, meansOf, NODES, REACH } from "../twin/consensus.mjs";
import { consensusPython } from "./python.mjs";
import { heard, short } from "./words.mjs";

const FRAMES = 240;
const SPAN = 2.6; // places from -SPAN to SPAN are on the stage
const TOP = 2.4; // height of the landscape at the top of the stage
const SHOWN = [-1.5, -0.5, 0.5, 1.5]; // particles on the chart, in standard deviations

function modelOf(state) {
  const { mass, run } = consensus(state, state.t_end);
  const times = Float64Array.from({ length: FRAMES + 1 }, (_, k) => (k * state.t_end) / FRAMES);
  const [mean, variance] = [0, 1].map(() => new Float64Array(FRAMES + 1));
  const shown = SHOWN.map((z) => Math.round(((z + REACH) / (2 * REACH)) * (NODES - 1)));
  const paths = shown.map(() => new Float64Array(FRAMES + 1));
  const plain = state.objective === "quadratic" && state.kernel === 0;
  const model = {
    state, mass, times, mean, variance, paths, filled: 0, wells: LANDSCAPES[state.objective].wells,
    stop: plain ? gaussianMean(state.m0, state.spread, 1, state.alpha, Infinity) : null,
    at: (k) => run.at(times[k]),
    run: (t) => run.at(t),
    advance(ms) {
      const left = run.done ? false : run.advance(ms);
      while (model.filled <= FRAMES && times[model.filled] <= run.filled + 1e-12) {
        const k = model.filled;
        const x = run.at(times[k]);
        for (let i = 0; i < x.length; i += 1) mean[k] += mass[i] * x[i];
        for (let i = 0; i < x.length; i += 1) variance[k] += mass[i] * (x[i] - mean[k]) ** 2;
        shown.forEach((i, j) => { paths[j][k] = x[i]; });
        model.filled += 1;
      }
      return left;
    },
  };
  return model;
}

/** Landscape, wells, particles and what they hear. */
function draw(ctx, view, { model, k }) {
  const p = view.palette;
  const { state, mass } = model;
  const { height } = LANDSCAPES[state.objective];
  const [left, right, top, bottom] = [10, view.w - 10, 26, view.h - 34];
  const px = (y) => left + ((y + SPAN) / (2 * SPAN)) * (right - left);
  const py = (f) => bottom - (Math.min(f, TOP * 1.1) / TOP) * (bottom - top);
  ctx.fillStyle = p.glass1;
  ctx.beginPath();
  ctx.moveTo(px(-SPAN), bottom + 16);
  for (let j = 0; j <= 160; j += 1) {
    const y = -SPAN + (2 * SPAN * j) / 160;
    ctx.lineTo(px(y), py(height(y)));
  }
  ctx.lineTo(px(SPAN), bottom + 16);
  ctx.fill();
  ctx.strokeStyle = p.rim;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  for (let j = 0; j <= 160; j += 1) {
    const y = -SPAN + (2 * SPAN * j) / 160;
    ctx.lineTo(px(y), py(height(y)));
  }
  ctx.stroke();
  for (const tick of [-2, -1, 0, 1, 2])
    label(ctx, minus(tick), px(tick), bottom + 26, p, { size: 11.5, color: p.mut, align: "center" });
  ctx.save();
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 1.8;
  ctx.setLineDash([6, 5]);
  const line = (y, from) => {
    ctx.beginPath();
    ctx.moveTo(px(y), from);
    ctx.lineTo(px(y), bottom + 14);
    ctx.stroke();
  };
  for (const well of model.wells) line(well, py(height(well)) - 60);
  if (model.stop !== null) line(model.stop, top + 20);
  ctx.restore();
  const name = { size: 12.5, color: p.theory, halo: p.bg };
  for (const well of model.wells) label(ctx, model.wells.length > 1 ? "well" : "optimum", px(well) + 6, py(height(well)) - 52, p, name);
  if (model.stop !== null) label(ctx, `stop ${model.stop.toFixed(3)}`, px(model.stop) - 6, top + 26, p, { ...name, align: "right" });
  const x = model.at(k);
  const most = Math.max(...mass);
  const all = Array.from(x, (y, i) => [px(y), py(height(y)), 1.2 + 4.4 * Math.sqrt(mass[i] / most)]).filter(([u, v, r]) => u > left && u < right && v > top && r > 1.35);
  for (const [grow, colour] of [[1.1, p.bg], [0, p.state]]) {
    ctx.beginPath();
    for (const [u, v, r] of all) {
      ctx.moveTo(u + r + grow, v);
      ctx.arc(u, v, r + grow, 0, 2 * Math.PI);
    }
    ctx.fillStyle = colour;
    ctx.fill();
  }
  const means = meansOf(x, mass, state);
  const seen = state.kernel === 0 ? [means[0]] : SHOWN.map((z) => means[Math.round(((z + REACH) / (2 * REACH)) * (NODES - 1))]);
  ctx.strokeStyle = state.kernel === 0 ? p.state : mix(p.state, p.bg, 0.7);
  ctx.lineWidth = 2;
  for (const m of seen) {
    ctx.beginPath();
    ctx.moveTo(px(m), top);
    ctx.lineTo(px(m), bottom + 14);
    ctx.stroke();
  }
  const words = seen.length > 1 ? "means heard" : "weighted mean *m*_α";
  const at = px(seen[seen.length - 1]);
  const late = at > view.w / 2;
  label(ctx, words, at + (late ? -6 : 6), top - 8, p, { size: 12.5, align: late ? "right" : "left", halo: p.bg });
}

const LAMPS = [
  "one objective for all",
  "Gaussian start stays Gaussian",
  "the mean comes to a minimum",
  "noise",
];

function lampsOf(model, k) {
  const { state } = model;
  const polar = state.kernel > 0;
  const miss = Math.min(...model.wells.map((w) => Math.abs(w - model.mean[k])));
  const rest = model.variance[k] < 1e-3;
  return [
    [polar ? "fails" : "holds", polar ? "each weighs its neighbours more, as attention does" : "as in consensus-based optimisation"],
    [model.stop !== null ? "holds" : "unasked", model.stop !== null ? "closed form, dashed" : "no closed form here"],
    [!rest ? "unasked" : miss < 0.01 ? "holds" : "fails", rest ? `it is ${short(miss)} away` : "not at rest yet"],
    ["unasked", "none here: noise would buy time, attention has none"],
  ];
}

function verdictOf(model, k) {
  const { mean, variance, state, stop } = model;
  const wide = Math.sqrt(variance[k]);
  if (state.kernel > 0) {
    const why = model.wells.length > 1 ? "They began near one well, or the kernel is too wide to keep two apart." : "There is one well, for all.";
    return wide > 0.3 ? ["More than one opinion", "Each gathers with those that are near.", "theory"] : ["One opinion", why, "ink"];
  }
  if (stop !== null)
    return [wide < 0.05 ? `They agree at ${mean[k].toFixed(4)}, not at 1` : "On the way to a consensus", `Closed form: at ${stop.toFixed(6)}; 1 − *m* = (1 − *m*_0) (1 + *αS*_0)^{−1/2}.`, "theory"];
  return [wide < 0.05 ? `They agree at ${short(mean[k])}` : "On the way to a consensus", "All hear one mean: they end in one place, well or not.", "ink"];
}

function build(card) {
  let model = null;
  let k = 0;
  const stage = card.stage({ label: "Particles on a landscape, and the mean they hear.", draw: (ctx, view) => draw(ctx, view, { model, k }) });
  const readouts = card.readouts(["mean", "spread", "to nearest well"]);
  const chart = card.chart({ x: "time *t*", y: "place: mean (wide) and four particles" });
  const verdict = card.verdict();
  function show(t) {
    k = Math.max(0, Math.min(model.filled - 1, Math.round((t / model.state.t_end) * FRAMES)));
    stage.invalidate();
    chart.set({ now: k, filled: model.filled });
    readouts.set(0, minus(model.mean[k].toFixed(4)));
    readouts.set(1, short(Math.sqrt(model.variance[k])));
    readouts.set(2, short(Math.min(...model.wells.map((w) => Math.abs(w - model.mean[k])))));
    verdict.set(...verdictOf(model, k));
    lampsOf(model, k).forEach((lamp, i) => lamps.set(i, ...lamp));
    passport.update();
    card.relabel();
  }
  const player = card.player({
    axis: linear(0, card.get("t_end")), seconds: 7, format: (t) => t.toFixed(2),
    work: (ms) => model.advance(ms), filled: () => model.times[Math.max(0, model.filled - 1)], show,
  });
  card.presets();
  card.slider({ key: "alpha", symbol: "*α*", label: "inverse temperature", min: 0.1, max: 1e4, scale: "log" });
  card.slider({ key: "kernel", symbol: "*κ*", label: "width of hearing, 0 for all", min: 0, max: 3, step: 0.05 });
  card.slider({ key: "m0", symbol: "*m*_0", label: "mean of the start", min: -2, max: 2, step: 0.05 });
  card.slider({ key: "spread", symbol: "*S*_0", label: "variance of the start", min: 0.05, max: 4, scale: "log" });
  card.control(choice(card, { key: "objective", label: "landscape", options: [["quadratic", "one well"], ["double_well", "two wells"]] }));
  card.slider({ key: "t_end", symbol: "*T*", label: "end of the run", min: 1, max: 60, scale: "log" });
  const lamps = card.lamps("How is this like attention?", LAMPS);
  const measured = card.deviation((reference) => {
    if (!reference.mean) return null;
    if (model.filled <= FRAMES) return null;
    const [t, mean, variance] = ["t", "mean", "variance"].map((key) => doubles(reference[key]));
    let worst = 0;
    t.forEach((moment, j) => {
      const x = model.run(moment);
      const m = x.reduce((sum, y, i) => sum + model.mass[i] * y, 0);
      const v = x.reduce((sum, y, i) => sum + model.mass[i] * (y - m) ** 2, 0);
      worst = Math.max(worst, Math.abs(m - mean[j]), Math.abs(v - variance[j]));
    });
    return worst;
  });
  const passport = card.passport({
    items: () => [`${NODES} weighted particles`, "order 5, adaptive", measured(), `tfdynlib ${card.model.get("version")}`],
    python: () => consensusPython({ ...card.values(), t: model.times[k] }, { nodes: NODES, reach: REACH }),
  });
  card.live(() => heard(`Time ${player.t.toFixed(1)}. Mean ${short(model.mean[k])}, spread ${short(Math.sqrt(model.variance[k]))}. ${verdictOf(model, k)[0]}.`));
  function restart() {
    model = modelOf(card.values());
    model.advance(20);
    player.axis = linear(0, model.state.t_end);
    chart.set({
      axis: player.axis, t: model.times, filled: model.filled, range: [-2.2, 2.2],
      curves: [{ y: model.mean, width: 2.6 }, ...model.paths.map((y) => ({ y, width: 1.1 }))],
      levels: [...model.wells.map((y) => ({ y, label: model.wells.length > 1 ? "well" : "optimum" })), ...(model.stop !== null ? [{ y: model.stop, label: "stop" }] : [])],
    });
    player.wake();
  }
  card.on(["alpha", "kernel", "m0", "spread", "objective", "t_end"], restart);
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({ t: model.times[k], mean: model.mean[k], variance: model.variance[k], stop: model.stop, filled: model.filled });
  restart();
}

export const consensusView = {
  title: "Do they agree before they arrive?",
  lead: "Particles run to a weighted mean of themselves. Change [[grab|*α*]], or let each hear only its neighbours.",
  build,
};
