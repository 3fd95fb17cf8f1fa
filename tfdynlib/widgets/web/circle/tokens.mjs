// View "tokens": tokens on the circle, their past, and the staircase of the energy.

import { linear, log } from "../kit/scale.mjs";
import { logTimes, trajectory } from "../kit/trajectory.mjs";
import { number } from "../kit/dom.mjs";
import { headsOf } from "../twin/attention.mjs";
import { clusters } from "../twin/clusters.mjs";
import { logEnergy } from "../twin/energy.mjs";
import { angles as anglesOf } from "../twin/points.mjs";
import { slider } from "../kit/slider.mjs";
import { placeToken, startControls, startHand, weightsColumn } from "./controls.mjs";
import { showHypotheses } from "./hypotheses.mjs";
import * as model from "./model.mjs";
import { dragTokens, tokenKeys } from "./pointer.mjs";
import { tokensPython } from "./python.mjs";
import { checkpoints, passportOf } from "./reference.mjs";
import * as ring from "./ring.mjs";
import { gapAt, gapCurve, polygonEnergy } from "./theory.mjs";

const RADIUS = 0.1; // of a cluster, as everywhere in the book
const FRAMES = 500;
const FIRST = 0.01; // where logarithmic time begins
const WATCHED = ["n", "beta", "B", "V", "start", "seed", "gap", "angles", "time", "t_end"];
const STEEP = 24; // above this beta |B| the energy is shown by its logarithm

/** Everything that follows from the weights and the start, once per change. */
function prepare(state) {
  const heads = headsOf(state);
  const x0 = model.startTokens(state);
  const n = x0.length / 2;
  const { field, step } = model.flowOf(heads, state.beta, n);
  const isLog = state.time === "log" && state.t_end > FIRST;
  const times = isLog
    ? logTimes(FIRST, state.t_end, FRAMES)
    : Float64Array.from({ length: FRAMES + 1 }, (_, k) => (k * state.t_end) / FRAMES);
  const cap = model.longestStep(heads, state.beta);
  const parts = Math.max(1, Math.ceil(state.t_end / FRAMES / cap - 1e-9));
  const dt = isLog ? cap : state.t_end / FRAMES / parts;
  const sign = model.signOf(heads);
  const plain = sign !== 0 && model.isPlain(heads, sign);
  const pair = n === 2;
  const steep = !pair && state.beta * Math.max(...heads.map(({ B }) => Math.hypot(...B))) > STEEP;
  const energy = (x) => logEnergy(x, n, 2, heads, state.beta);
  const gap = (x) => Math.atan2(Math.abs(x[0] * x[3] - x[1] * x[2]), x[0] * x[2] + x[1] * x[3]);
  const measure = pair ? gap : steep ? (x) => energy(x) / Math.LN10 : (x) => Math.exp(energy(x));
  const theory = pair && plain ? gapCurve(gap(x0), state.beta, sign, state.t_end) : null;
  const run = trajectory({ times, dt, start: x0, step, measure });
  return {
    state, heads, x0, n, field, run, times, parts, dt, sign, plain, pair, steep, energy, gap, theory,
    axis: isLog ? log(FIRST, state.t_end) : linear(0, state.t_end),
    isLog,
    restless: model.fastest(field(0, x0, new Float64Array(2 * n))),
    levels: plain && sign > 0 && !pair ? staircase(state.beta, steep) : [],
  };
}

/** Energies of one, two, three ... equal clusters, while they can be told apart. */
function staircase(beta, steep) {
  const out = [];
  const top = polygonEnergy(1, beta);
  for (let k = 1; k <= 6; k++) {
    const value = polygonEnergy(k, beta);
    const before = out.length ? polygonEnergy(k - 1, beta) : Infinity;
    if (before - value < 0.05 * top) break;
    const room = before - value > 0.12 * top; // for a name above the line
    const label = k === 1 ? "1 cluster" : !room ? "" : k === 2 ? "2 equal clusters" : String(k);
    out.push({ y: steep ? Math.log10(value) : value, label });
  }
  return out;
}

/** What one moment shows: clusters, the fastest token, the numbers of the readouts. */
function momentOf(now, k) {
  const x = now.run.at(k);
  const found = clusters(x, now.n, 2, RADIUS);
  const v = now.field(0, x, new Float64Array(x.length));
  return {
    x, found,
    t: now.times[k],
    angles: anglesOf(x),
    count: found.count,
    largest: Math.max(...found.sizes),
    gap: now.pair ? now.gap(x) : null,
    logEnergy: now.energy(x),
    speed: model.fastest(v),
  };
}

const clock = (t) => (t < 10 ? t.toFixed(2) : t < 1000 ? t.toFixed(1) : number(t, 4));
const small = (v) => (v === 0 ? "0" : v >= 0.001 ? number(v, 3) : v.toExponential(0).replace("e-", "·10^{−") + "}");

/** An energy as text, also when it is beyond what can be written out. */
function energyText(logE) {
  if (logE < Math.log(1e5)) return number(Math.exp(logE), 4);
  const power = Math.floor(logE / Math.LN10);
  return `${number(Math.exp(logE - power * Math.LN10), 3)}·10^{${power}}`;
}

/** How it stands, and the number behind the words. */
function verdictOf(now, m) {
  if (now.theory) {
    const theory = gapAt(now.theory, m.t);
    const head = now.sign > 0 ? "They close in, at last like *e*^{−t}" : "They part, towards opposite points";
    return [head, `Closed form ${theory.toFixed(5)}, this run ${m.gap.toFixed(5)}.`];
  }
  if (now.restless < 1e-12) return ["Nothing pulls them", "To rounding, every pull at this start is along the radius."];
  const pace = `The fastest token moves at ${small(m.speed)} per unit of layer-time.`;
  if (m.count === 1 && spreadOf(m) < RADIUS) return ["All in one point", pace];
  if (isChain(m) && m.speed < 0.05) return ["Spread out, and slow", pace];
  if (m.speed < 0.05) return [`${m.count} ${m.count === 1 ? "cluster" : "clusters"}, waiting`, `${pace} Slow is not still.`];
  return [now.sign < 0 ? "Spreading out" : "On the move", pace];
}

/** While the buffer has not come to the moment asked for. */
const comingTo = ({ run, times, dt }) => [
  run.failed ? "The run stopped" : "Not there yet",
  `Integrated to layer-time ${clock(times[run.filled - 1])}, in steps of at most ${number(dt, 2)}.`,
];

/** Chord between the first token and the one farthest from it. */
const spreadOf = ({ angles }) => Math.max(...angles.map((a) => Math.abs(Math.sin((a - angles[0]) / 2)) * 2));

/** Whether tokens are one cluster only because neighbours are near. */
const isChain = (m) => m.count === 1 && spreadOf(m) > 1;

function sentence(now, m) {
  const what = now.pair
    ? `Two tokens, gap ${m.gap.toFixed(4)} radian.`
    : isChain(m)
      ? `${now.n} tokens in one wide chain of neighbours.`
      : `${now.n} tokens in ${m.count} ${m.count === 1 ? "cluster" : "clusters"}, the largest holds ${m.largest}.`;
  return `Layer-time ${clock(m.t)}. ${what} Energy ${energyText(m.logEnergy).replace(/\^\{(\d+)\}/u, " to the $1")}.`;
}

/** The stage, from back to front. */
function paint(ctx, view, { now, m, k, chosen, held, moving, heldAngles }) {
  const p = view.palette;
  const g = ring.place(view);
  if (now.n >= 16) ring.silhouette(ctx, g, p, ring.law(m.angles), 0.6 * (Math.min(view.w, view.h) / 2 - g.R));
  ring.disc(ctx, g, p);
  ring.tunnel(ctx, g, p, {
    frames: (j) => now.run.at(j),
    share: (j) => now.axis.share(now.times[j]),
    now: k,
    n: now.n,
  });
  ring.axes(ctx, g, p);
  ring.rim(ctx, g, p);
  const { discs, single } = ring.groups(m.angles, m.found, moving ? 0 : 0.12);
  ring.dots(ctx, g, p, single, now.n > 96 ? 3.4 : 4.6);
  ring.clusterDiscs(ctx, g, p, discs, now.n, Math.min(view.w, view.h) / 2 - g.R - 9);
  if (moving) ring.knobs(ctx, g, p, heldAngles, now.n > 48 ? 4 : 5.5, held >= 0 ? held : chosen);
}

export const tokensView = {
  title: "When do tokens gather, and when do they wait?",
  lead: "Press play, or first [[grab|drag a token]] round the circle. The rim is now; lines run back into the past.",
  build(card) {
    let now = prepare(card.values());
    let m = null;
    let k = 0;
    let chosen = -1;
    const pace = card.pace();
    const atStart = () => k === 0 && !card.clock.playing;
    const stage = card.stage({
      label: "Tokens on a circle.",
      keys: "Left and right choose a token of the start, up and down turn it.",
      draw: (ctx, view) => paint(ctx, view, {
        now, m, k, chosen, held: hand.held, moving: atStart(), heldAngles: model.startAngles(now.state),
      }),
      onKey: (event) => tokenKeys(event, startHand(card, now.n, chosen, (i) => { chosen = i; stage.invalidate(); })),
    });
    const hand = dragTokens(card, stage, {
      marks: () => ({ g: ring.place(stage.view), angles: atStart() ? model.startAngles(now.state) : m.angles }),
      take: (i) => { chosen = i; card.clock.seek(0); },
      put: (i, angle) => placeToken(card, i, angle),
      drop: () => card.clock.play(),
    });
    const outs = card.readouts(["clusters", "largest", "energy *E*"]);
    const chart = card.chart({ x: "layer-time *t*", y: "energy *E*" });
    const verdict = card.verdict();
    const player = card.player({
      axis: now.axis,
      seconds: 10,
      format: clock,
      work: (ms) => now.run.advance(ms),
      filled: () => now.times[now.run.filled - 1],
      stopped: () => now.run.failed,
      show,
    });
    card.live(() => (m ? sentence(now, m) : ""));
    card.presets();
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.1, max: 100, scale: "log" });
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: 2, max: 256, int: true, scale: "log" });
    startControls(card, [["uniform", "uniform draw"], ["gap", "a pair"], ["angles", "as placed"]]).forEach(card.control);
    card.choice({ key: "time", label: "layer-time", options: [["linear", "linear"], ["log", "logarithmic"]] });
    weightsColumn(
      card,
      slider(card, { key: "t_end", symbol: "*T*", label: "horizon", min: 1, max: 1e5, scale: "log" }),
    );
    const lamps = card.lamps("Does the gradient-flow theorem speak about this?", [
      "*B* is symmetric", "*V* = ±*B* in every head", "one head, or equal heads", "the start moves by itself",
    ]);
    const foot = passportOf(card, {
      words: () => [startWord(now.state), "method rk4", `dt ${number(now.dt, 3)}`],
      compare: (reference) => checkpoints(reference, now),
      python: () => tokensPython(card.values(), {
        t: now.times[k], steps: k * now.parts, gap: now.pair,
      }),
    });

    const frameAt = (t) => (t <= now.axis.min ? 0 : now.run.index(t));

    function show(t) {
      k = frameAt(t);
      m = momentOf(now, k);
      stage.invalidate();
      outs.set(0, String(m.count));
      outs.set(1, now.pair ? m.gap.toFixed(5) : `${m.largest}${now.n < 100 ? " of " : "/"}${now.n}`);
      outs.set(2, energyText(m.logEnergy));
      chart.set({ now: k, filled: now.run.filled });
      const late = now.run.filled < now.times.length && t > now.times[now.run.filled - 1];
      if (pace.due()) {
        verdict.set(...(late ? comingTo(now) : verdictOf(now, m)));
        foot.update();
        card.relabel();
      }
    }

    function drawChart() {
      outs.name(1, now.pair ? "gap *φ*" : "largest");
      chart.set({
        axis: now.axis,
        t: now.times,
        curves: [{ y: now.run.values }],
        levels: now.levels,
        zero: true,
        name: now.pair ? "gap *φ*, in radian" : now.steep ? "log_{10} of the energy *E*" : "energy *E*",
        over: now.theory ? (ctx, at, view) => theoryLine(ctx, at, view.palette, now) : null,
        x: now.isLog ? "layer-time *t*, log" : "layer-time *t*",
      });
    }

    function restart() {
      const axis = now.axis;
      now = prepare(card.values());
      chosen = Math.min(chosen, now.n - 1);
      drawChart();
      showHypotheses(lamps, now.state, now.restless);
      if (axis.kind !== now.axis.kind || axis.max !== now.axis.max) player.axis = now.axis;
      now.run.advance(10); // the same moment under other weights, where it is near
      k = frameAt(player.t);
      m = momentOf(now, k);
      player.wake();
    }
    card.on(WATCHED, restart);
    /** What is shown, as numbers: for tests and for the curious. */
    card.el.tfdyn.numbers = () => ({
      x: [...m.x],
      t: m.t,
      clusters: m.count,
      largest: m.largest,
      gap: m.gap,
      energy: Math.exp(m.logEnergy),
      values: [...now.run.values.subarray(0, now.run.filled)],
      theory: now.theory && gapAt(now.theory, m.t),
      levels: now.levels.length,
    });
    restart();
  },
};

const startWord = ({ start, seed, gap }) =>
  start === "uniform" ? `seed ${seed}` : start === "gap" ? `gap ${number(gap, 5)}` : "start as placed";

/** The closed-form gap, dashed, with its name beside it. */
function theoryLine(ctx, at, palette, { theory, axis }) {
  ctx.save();
  ctx.strokeStyle = palette.theory;
  ctx.lineWidth = 1.6;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  theory.t.forEach((t, k) => {
    if (t > axis.max) return;
    const [x, y] = [at.x(t), at.y(theory.y[k])];
    if (k === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  });
  ctx.stroke();
  ctx.restore();
}
