// View "tilt": a Gaussian seen through one query is the same Gaussian, moved.

import { h } from "../kit/dom.mjs";
import * as ellipses from "../kit/ellipses.mjs";
import { matrices } from "../kit/matrix.mjs";
import { doubles } from "../kit/passport.mjs";
import { fade } from "../kit/palette.mjs";
import { linear } from "../kit/scale.mjs";
import { choice, slider } from "../kit/slider.mjs";
import { inside, label, textWidth } from "../kit/text.mjs";
import { vector } from "../kit/vector.mjs";
import * as m2 from "../twin/matrix2.mjs";
import { generator } from "../twin/random.mjs";
import { tiltPython } from "./python.mjs";
import { proper, valuesOf } from "./start.mjs";
import { digits, heard, pair, short } from "./words.mjs";

const FRAMES = 100;
const FEW = 10; // effective tokens below which a mean says little

/** The sample of a state, and what a query makes of it. */
function sampleOf({ mean, cov, n, seed }) {
  const rng = generator(seed);
  const root = m2.sqrt(m2.flat(cov));
  return Array.from({ length: n }, () => {
    const z = [rng.normal(), rng.normal()];
    return m2.apply(root, z).map((v, k) => v + mean[k]);
  });
}

/** Weights e^{<p, y>} of a sample, the largest 1; their mean and effective number. */
function weigh(sample, p) {
  const score = sample.map((y) => m2.dot(p, y));
  const top = score.reduce((best, v) => Math.max(best, v), -Infinity);
  const weights = score.map((v) => Math.exp(v - top));
  let [sum, square, a, b] = [0, 0, 0, 0];
  weights.forEach((w, i) => {
    sum += w;
    square += w * w;
    a += w * sample[i][0];
    b += w * sample[i][1];
  });
  return { weights, sum, mean: [a / sum, b / sum], number: (sum * sum) / square };
}

/** Everything that follows from a state. */
function modelOf(state) {
  const cov = m2.flat(state.cov);
  const B = m2.flat(state.B);
  const p = m2.apply(B, state.query);
  const sampled = state.shown === "sample";
  const sample = sampled ? sampleOf(state) : [];
  const t = Float64Array.from({ length: FRAMES + 1 }, (_, k) => k / FRAMES);
  const squared = m2.dot(p, m2.apply(cov, p));
  const at = (share) => {
    const q = p.map((v) => share * v);
    const shift = m2.apply(cov, q);
    const wrong = m2.apply(cov, m2.apply(m2.transpose(B), state.query)).map((v, k) => share * v + state.mean[k]);
    return {
      shift, wrong, mean: shift.map((v, k) => v + state.mean[k]), part: Math.exp(-share * share * squared),
      seen: sampled ? weigh(sample, q) : null,
    };
  };
  const law = t.map((share) => Math.exp(-share * share * squared));
  const measured = sampled
    ? t.map((share) => weigh(sample, p.map((v) => share * v)).number / state.n)
    : null;
  return { state, cov, p, squared, sample, sampled, t, law, measured, at };
}

const REACHES = [2.5, 3, 4, 5, 6.5, 8];

/** Half the width of the plane that holds tokens, query and what it sees. */
function reachOf({ state, cov, at }) {
  const wide = 2.2 * Math.sqrt(Math.max(cov[0], cov[3]));
  const far = (point, more = 0.4) => Math.max(...point.map(Math.abs)) + more;
  const most = Math.max(far(state.query), far(state.mean, wide), far(at(1).mean, wide));
  return REACHES.find((r) => r >= most) ?? REACHES.at(-1);
}

function arrow(ctx, from, to, color, width) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const size = Math.hypot(dx, dy);
  if (size < 4) return;
  const [c, s] = [dx / size, dy / size];
  ctx.beginPath();
  ctx.moveTo(from.x, from.y);
  ctx.lineTo(to.x, to.y);
  ctx.moveTo(to.x - 9 * c + 5 * s, to.y - 9 * s - 5 * c);
  ctx.lineTo(to.x, to.y);
  ctx.lineTo(to.x - 9 * c - 5 * s, to.y - 9 * s + 5 * c);
  Object.assign(ctx, { strokeStyle: color, lineWidth: width, lineJoin: "round" });
  ctx.stroke();
}

function tokens(ctx, g, p, { sample }, { weights, sum }) {
  const n = sample.length;
  ctx.fillStyle = fade(p.state, 0.5);
  ctx.beginPath();
  sample.forEach(([a, b], i) => {
    const r = Math.min(22, 2.2 * Math.sqrt((n * weights[i]) / sum));
    if (r < 0.35) return;
    ctx.moveTo(g.x(a) + r, g.y(b));
    ctx.arc(g.x(a), g.y(b), r, 0, 2 * Math.PI);
  });
  ctx.fill();
  ctx.fillStyle = fade(p.ctl, 0.7);
  for (const [a, b] of sample) ctx.fillRect(g.x(a) - 0.6, g.y(b) - 0.6, 1.2, 1.2);
}

function draw(ctx, view, { model, g, now, share, hovered }) {
  const p = view.palette;
  const { state } = model;
  const taken = ellipses.grid(ctx, g, p);
  if (now.seen) tokens(ctx, g, p, model, now.seen);
  const start = ellipses.ofMoments(state.mean, model.cov);
  const tilted = { ...start, mean: now.mean };
  if (!now.seen) ellipses.cloud(ctx, g, tilted, p.state);
  ellipses.outline(ctx, g, tilted, { color: p.state, width: 2.6 });
  ellipses.draggable(ctx, g, start, p, { name: "", hover: hovered?.kind === "ellipse" ? hovered.part : null });
  const pixel = ([a, b]) => ({ x: g.x(a), y: g.y(b) });
  arrow(ctx, pixel(state.mean), pixel(now.mean), p.state, 2);
  const tip = pixel(state.query);
  arrow(ctx, pixel([0, 0]), pixel(state.query.map((v) => share * v)), p.grab, 2);
  ellipses.diamond(ctx, tip.x, tip.y, p, p.grab, hovered?.kind === "point");
  label(ctx, "query *x*", tip.x, tip.y + (state.query[1] < 0 ? 18 : -18), p, { size: 13, color: p.grab, align: "center", halo: p.soft });
  ellipses.dot(ctx, g, now.mean, p, p.state);
  label(ctx, "*m* + *ΣBx*", g.x(now.mean[0]) + 10, g.y(now.mean[1]) - 12, p, { size: 13, color: p.state, halo: p.soft });
  const [x, y] = [g.x(now.wrong[0]), g.y(now.wrong[1])];
  ctx.beginPath();
  ctx.moveTo(x - 5, y - 5);
  ctx.lineTo(x + 5, y + 5);
  ctx.moveTo(x + 5, y - 5);
  ctx.lineTo(x - 5, y + 5);
  Object.assign(ctx, { strokeStyle: p.stop, lineWidth: 2 });
  ctx.stroke();
  const [turned, size] = ["with *B*^⊤", 12.5]; // on the side away from the other name
  const above = y < g.y(now.mean[1]);
  const clear = inside(x + 9, textWidth(ctx, turned, p, { size }), "left", g.w);
  label(ctx, turned, clear, y + (above ? -12 : 12), p, { size, color: p.stop, halo: p.soft });
  ellipses.nameAll(ctx, g, p, [{ ellipse: start, name: "tokens", color: p.grab }], [...taken, ...ellipses.handleBoxes(g, start)]);
  if (now.seen) {
    ellipses.dot(ctx, g, now.seen.mean, p, p.ink, 4.5);
    label(ctx, "mean seen", g.x(now.seen.mean[0]) - 9, g.y(now.seen.mean[1]) + 13, p, { size: 12.5, align: "right", halo: p.soft });
  }
}

const LAMPS = ["the tokens are Gaussian", "*p*^⊤*Σp* is below log *N*", "ten effective tokens", "scores use *B*, not *B*^⊤"];

function lampsOf(model, now, share) {
  const { n, shown } = model.state;
  const squared = share * share * model.squared;
  if (shown !== "sample")
    return [["holds", "then the tilted law is Gaussian again"], ["unasked", "a law has a tail without end"], ["unasked", "no sample drawn"], ["holds", "the cross: where *B*^⊤ would lead"]];
  const enough = now.seen.number >= FEW;
  return [
    ["holds", `${n} draws of it`],
    [squared < Math.log(n) ? "holds" : "fails", `${digits(squared, 3)} against ${digits(Math.log(n), 3)}`],
    [enough ? "holds" : "fails", `${digits(now.seen.number, 3)} of ${n} carry the mean`],
    ["holds", "the cross: where *B*^⊤ would lead"],
  ];
}

function verdictOf(model, now) {
  if (!now.seen)
    return ["The ellipse keeps its shape", `Only its centre moves, by *Σp* = ${pair(now.shift)}, to ${pair(now.mean)}.`, "theory"];
  const where = `Mean seen ${pair(now.seen.mean)}, of the law ${pair(now.mean)}.`;
  return now.seen.number < FEW
    ? ["Too few tokens so far out", where, "stop"]
    : ["The sample follows the law", where, "ink"];
}

export function build(card) {
  let model = null;
  let now = null;
  let share = 0;
  let reach = 3;
  let g = null;
  let before = card.get("cov");

  const stage = card.stage({
    label: "Plane of the tokens: the law, the query, the tilted law.",
    keys: "Arrow keys move the query, space plays.",
    draw(ctx, view) {
      if (!hand.held) reach = reachOf(model);
      g = ellipses.plane(view, { reach });
      draw(ctx, view, { model, g, now, share, hovered: hand.hovered });
    },
    onKey(event) {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by) return false;
      card.set({ query: card.get("query").map((v, k) => Math.max(-6, Math.min(6, Number((v + 0.1 * by[k]).toFixed(3))))) });
      card.speak();
      return true;
    },
  });
  const hand = ellipses.dragging(card, stage, {
    place: () => g,
    list: () => [{ ellipse: ellipses.ofMoments(card.get("mean"), model.cov), set: (next) => card.set(valuesOf(next)) }],
    points: () => [{ at: card.get("query"), set: (query) => card.set({ query }) }],
    begin: () => player.pause(),
    end: () => card.speak(),
  });
  const readouts = card.readouts(["shift |*Σp*|", "effective part", "effective *N*"]);
  const chart = card.chart({ x: "share of the query *t*", y: "effective part of the tokens" });
  const verdict = card.verdict();

  function show(t) {
    share = t;
    now = model.at(t);
    stage.invalidate();
    chart.set({ now: Math.round(t * FRAMES) });
    readouts.set(0, short(Math.hypot(...now.shift)));
    readouts.set(1, digits(now.part, 5));
    readouts.set(2, now.seen ? digits(now.seen.number, 4) : digits(now.part * card.get("n"), 4), now.seen?.number < FEW ? "stop" : "");
    verdict.set(...verdictOf(model, now));
    lampsOf(model, now, t).forEach((lamp, i) => lamps.set(i, ...lamp));
    passport.update();
    card.relabel();
  }
  const player = card.player({
    axis: linear(0, 1), seconds: 5, name: "share of the query", rests: true, format: (t) => t.toFixed(2),
    work: () => false, filled: () => 1, show,
  });
  card.presets();
  card.slider({ key: "n", symbol: "*N*", label: "tokens", min: 10, max: 2000, scale: "log", int: true });
  const seed = slider(card, { key: "seed", symbol: "seed", label: "of the sample", min: 0, max: 99, int: true });
  card.control(choice(card, { key: "shown", label: "tokens shown as", options: [["law", "a law"], ["sample", "a sample"]] }));
  card.control(seed);
  const editors = matrices(card, { keys: ["B", "cov"], letters: ["B", "Σ"], names: ["score", "tokens"], size: 2 });
  const row = editors.querySelector(".tfdyn-editors");
  row.append(vector(card, { key: "mean", letter: "m", words: "tokens" }), vector(card, { key: "query", letter: "x", words: "query" }));
  row.classList.add("tfdyn-editors-six");
  card.el.querySelector(".tfdyn-part-weights").classList.add("tfdyn-part-wide");
  card.fold("Score *B*, tokens and query", h("div", {}, editors));
  const lamps = card.lamps("When does a sample see what the law sees?", LAMPS);
  const measured = card.deviation((reference) => {
    if (!reference.numbers) return null;
    const whole = model.at(1);
    const ours = [...whole.mean, whole.part, ...(whole.seen ? [...whole.seen.mean, whole.seen.number] : [])];
    const theirs = doubles(reference.numbers);
    return Math.max(...ours.map((v, k) => Math.abs(v - theirs[k]) / Math.max(1, Math.abs(theirs[k]))));
  });
  const passport = card.passport({
    items: () => [
      ...(model.sampled ? [`seed ${card.get("seed")}`] : []), "closed form", measured(), `tfdynlib ${card.model.get("version")}`,
    ],
    python: () => tiltPython(card.values()),
  });
  card.live(() => heard(
    `Share ${share.toFixed(2)} of the query. Mean ${now.mean.map(short).join(", ")}. Effective part ${digits(now.part, 3)}.` +
      (now.seen ? ` ${digits(now.seen.number, 3)} effective tokens of ${card.get("n")}.` : ""),
  ));

  function restart() {
    const cov = proper(card.get("cov"), before);
    if (JSON.stringify(cov) !== JSON.stringify(card.get("cov"))) card.set({ cov });
    before = cov;
    model = modelOf({ ...card.values(), cov });
    seed.hidden = !model.sampled;
    chart.set({
      axis: player.axis, t: model.t, filled: model.t.length, range: [0, 1.05],
      curves: [{ y: model.measured ?? model.law, width: 2.4 }],
      levels: model.sampled ? [{ y: FEW / card.get("n"), label: "10 tokens" }] : [],
      over: model.sampled
        ? (ctx, at, view) => {
            ctx.save();
            ctx.beginPath();
            model.law.forEach((y, k) => ctx.lineTo(at.x(model.t[k]), at.y(y)));
            Object.assign(ctx, { strokeStyle: view.palette.theory, lineWidth: 1.6 });
            ctx.setLineDash([6, 5]);
            ctx.stroke();
            ctx.restore();
          }
        : null,
    });
    player.wake();
  }
  card.on(["mean", "cov", "B", "query", "n", "seed", "shown"], restart);
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({
    share, mean: now.mean, shift: now.shift, wrong: now.wrong, part: now.part,
    seen: now.seen && { mean: now.seen.mean, number: now.seen.number }, place: { scale: g?.scale, w: g?.w, h: g?.h },
  });
  restart();
}

export const tiltView = {
  title: "What does one query make of a Gaussian?",
  lead: "Drag the [[grab|orange]] query or the tokens. [[state|Blue]] is what the query sees of them.",
  build,
};
