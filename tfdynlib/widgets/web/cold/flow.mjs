// View "flow": weights and start → run → stage, chart, lamps.

import { h } from "../kit/dom.mjs";
import { matrices } from "../kit/matrix.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { choice, slider } from "../kit/slider.mjs";
import { turning } from "../kit/turning.mjs";
import { concentrationBound, couplingCost, effectiveNeighbours, massPlus } from "../twin/cold.mjs";
import { drawBall } from "./ball_stage.mjs";
import { angles as anglesOf } from "../twin/points.mjs";
import { drawCircle, groupsOf } from "./circle_stage.mjs";
import { bandsOf, NAMES, overlays, phased, rangeOf } from "./flow_chart.mjs";
import { exitOf, fitBound, matricesOf, phasesOf, runOf, trackOf } from "./flow_run.mjs";
import { lampsOf, LAMPS, phaseAt, readoutsOf, sentence, verdictOf } from "./flow_words.mjs";
import { betaSlider, gapSlider } from "./knobs.mjs";
import { flowPython } from "./python.mjs";
import { short } from "./words.mjs";

const AT_ONCE = 30; // ms of integration when a weight changes
const GHOSTS = 3; // earlier curves that stay
// The axis decides which frames there are: Python compares at even times.
const WATCHED = ["B", "V", "beta", "rule", "n", "start", "seed", "skew", "density", "band", "angle", "t_end", "time", "curve"];

/** Largest difference to Python's tokens, distances and neighbours, or null until they are there. */
function deviationFrom(run, reference) {
  if (!reference.t) return null;
  let worst = 0;
  for (const [k, t] of doubles(reference.t).entries()) {
    const frame = run.times.findIndex((moment) => Math.abs(moment - t) < 1e-9);
    if (frame < 0 || frame >= run.flow.filled) return null;
    const x = doubles(reference.x[k]);
    worst = Math.max(worst, largestDifference(run.flow.at(frame), x));
    const value = doubles(reference.value)[k];
    if (run.curve === "distance" && Number.isFinite(value)) worst = Math.max(worst, Math.abs(run.flow.values[frame] - value));
  }
  const [heard] = doubles(reference.heard);
  if (run.heard !== null) worst = Math.max(worst, Math.abs(run.heard - heard) / heard);
  return worst;
}

function build(card) {
  let run = null;
  let k = 0;
  let ghosts = [];
  const pace = card.pace();
  let neighbours = null;
  let drawn = null; // the frame on the stage
  let told = null; // the frame whose neighbours have been counted
  let hint = true;

  const stage = card.stage({
    label: "Tokens on the circle or the sphere, the limit, and where V pulls.",
    keys: "Arrow keys turn the sphere, space plays.",
    draw(ctx, view) {
      const x = run.flow.at(k);
      const hollow = card.get("sides") === "marked" ? run.below : null;
      if (run.d === 2) drawCircle(ctx, view, { run, x, hollow });
      else drawBall(ctx, view, { run, x, k, hollow, tracks: ghosts.map(({ track }) => track), turn: card.get("turn"), tilt: card.get("tilt"), hint: hint && view.w > 200 && !card.onPaper() });
    },
    onKey: (event) => (run.d === 3 ? onKey(event) : false),
  });
  const onKey = turning(card, stage.canvas);
  stage.canvas.addEventListener("pointerdown", () => { hint = false; }, { once: true });
  const readouts = card.readouts(["*W*_2 to limit", "phase", "*N*_{eff} heard"]);
  const chart = card.chart({ x: "layer-time *t*", y: NAMES.distance });
  const verdict = card.verdict();

  /** The bound with its constants, and whether it holds on the run. */
  function boundNow() {
    if (!run.known || run.curve !== "distance" || run.scale === null || run.flow.filled < 8) return null;
    if (card.get("bound") === "fitted") {
      if (run.fit?.filled !== run.flow.filled) run.fit = { filled: run.flow.filled, found: fitBound(run) };
      return run.fit.found && { ...run.fit.found, holds: true };
    }
    const [C, C1, c] = [card.get("C"), card.get("C1"), card.get("c")];
    let holds = true;
    for (let j = 0; j < run.flow.filled; j += 1)
      if (run.flow.values[j] > concentrationBound(run.beta, run.times[j], C, C1, c)) holds = false;
    return { C, C1, c, holds };
  }

  function moment(t) {
    const filled = run.flow.filled;
    const whole = filled === run.times.length;
    const phases = phasesOf(run);
    const { left, least } = run.curve === "distance" ? exitOf(run.times, run.flow.values, filled) : { left: Infinity, least: null };
    return {
      t: run.times[k], value: run.flow.values[k], phases, phase: phaseAt(run, phases, run.times[k]), neighbours,
      least: least === null ? null : { t: run.times[least], value: run.flow.values[least] },
      exit: left,
      masses: run.known && run.limit.dim === 1 ? massPlus(run.flow.at(k), run.start.mass, run.limit) : null,
      late: !whole && t > run.times[filled - 1] + 1e-9,
    };
  }

  function show(t) {
    k = t <= run.axis.min ? 0 : run.flow.index(t);
    if (drawn !== k) stage.invalidate();
    drawn = k;
    chart.set({ now: k, filled: run.flow.filled });
    if (!pace.due()) {
      readouts.set(0, readoutsOf(run, { value: run.flow.values[k], phase: null, neighbours })[0][1]);
      return;
    }
    if (told !== k) neighbours = heardAt(k);
    told = k;
    const now = moment(t);
    readoutsOf(run, now).forEach(([name, text, tone], i) => {
      readouts.name(i, name);
      readouts.set(i, text, tone);
    });
    const bound = boundNow();
    verdict.set(...verdictOf(run, now));
    lampsOf(run, bound, card.get("bound")).forEach((lamp, i) => lamps.set(i, ...lamp));
    const silent = outsideHead();
    const marks = run.curve === "distance" && run.scale !== null && !silent && run.beta > 1 ? [{ t: Math.log(run.beta), label: null }] : [];
    chart.set({
      bands: bandsOf(run, now.phases), range: rangeOf(run, card.values()), marks,
      over: run.curve === "distance" ? overlays(run, { bound: silent ? null : bound, word: card.get("bound"), marks }) : null,
    });
    passport.update();
    card.relabel();
  }
  const heardAt = (frame) =>
    run.state.rule === "softmax" ? effectiveNeighbours(run.flow.at(frame), run.n, run.d, run.head.B, run.beta, run.start.mass) : null;

  /** Whether the theorem does not speak: then its marks are taken away. */
  const outsideHead = () => !(run.facts.invertible && run.facts.symmetric && run.facts.gap && run.facts.positive);

  const player = card.player({
    axis: runOf(card.values()).axis,
    seconds: 10,
    work(ms) {
      const until = performance.now() + ms;
      const left = run.beside?.advance(performance.now() + ms / 3) ?? false;
      return run.flow.advance(Math.max(1, until - performance.now())) || left;
    },
    filled: () => run.times[run.flow.filled - 1],
    stopped: () => run.flow.failed,
    format: (t) => short(t, t < 10 ? 3 : 4),
    show,
  });
  card.presets();
  card.control(betaSlider(card));
  card.control(gapSlider(card));
  card.slider({ key: "n", symbol: "*N*", label: "tokens", min: 2, max: 1000, scale: "log", int: true });
  card.slider({ key: "t_end", symbol: "*T*", label: "end of the run", min: 1, max: 60, scale: "log" });
  card.control(choice(card, { key: "start", label: "tokens start", options: [["grid", "evenly"], ["fine", "finely"], ["draw", "at random"], ["pair", "paired"]] }));
  const own = {
    seed: slider(card, { key: "seed", symbol: "seed", label: "of the random draw", min: 0, max: 99, int: true }),
    skew: slider(card, { key: "skew", symbol: "skew", label: "of the even start", min: -0.9, max: 0.9, step: 0.01 }),
    density: slider(card, { key: "density", symbol: "*c*", label: "in the start density 1 + *c x*_1", min: -1, max: 1, step: 0.05 }),
    band: slider(card, { key: "band", symbol: "band", label: "|*x*_1| left out at the start", min: 0, max: 0.5, step: 0.01 }),
    angle: slider(card, { key: "angle", symbol: "*α*", label: "angle of the pair", min: 0, max: 3.14, step: 0.01 }),
  };
  Object.values(own).forEach(card.control);
  card.control(choice(card, { key: "rule", label: "temperature", options: [["softmax", "as set"], ["zero_temperature", "zero"], ["hardmax", "hardmax"]] }));
  const curves = choice(card, { key: "curve", label: "chart", options: [["distance", "distance"], ["alignment", "alignment"], ["angle", "angle"]] });
  card.control(curves);
  const sides = choice(card, { key: "sides", label: "tokens of the two poles", options: [["alike", "alike"], ["marked", "one hollow"]] });
  card.control(sides);
  card.control(choice(card, { key: "scale", label: "axis of the distance", options: [["log", "logarithmic"], ["linear", "linear"]] }));
  card.control(choice(card, { key: "time", label: "layer-time", options: [["linear", "linear"], ["log", "logarithmic"]] }));
  const editors = [2, 3].map((size) => matrices(card, { keys: ["B", "V"], names: ["who listens to whom", "what is passed on"], size }));
  card.fold("Weights of the head: *B*, *V*", h("div", {}, ...editors));
  const bounded = choice(card, { key: "bound", label: "constants of the bound", options: [["fitted", "fitted here"], ["given", "as given"]] });
  const constants = {
    C: slider(card, { key: "C", symbol: "*C*", label: "of the bound", min: 0.1, max: 10, scale: "log" }),
    C1: slider(card, { key: "C1", symbol: "*C*_1", label: "growth", min: 0.05, max: 5, scale: "log" }),
    c: slider(card, { key: "c", symbol: "*c*", label: "decay", min: 0.05, max: 5, scale: "log" }),
  };
  [bounded, ...Object.values(constants)].forEach(card.control);
  card.el.querySelector(".tfdyn-part-weights").classList.add("tfdyn-part-wide");
  const lamps = card.lamps("Hypotheses of the concentration theorem", LAMPS);
  const measured = card.deviation((reference) => deviationFrom(run, reference));
  const passport = card.passport({
    items: () => [
      card.get("start") === "draw" ? `seed ${card.get("seed")}` : `start ${card.get("start")}`,
      ...(card.get("rule") === "hardmax" ? ["rk4"] : ["order 5, adaptive", "tol 1e-8"]), measured(), `tfdynlib ${card.model.get("version")}`,
    ],
    python: () => python(card.values()),
  });
  card.live(() => sentence(run, moment(player.t)));

  function python(state) {
    const made = matricesOf(state);
    const moment = run.times[run.flow.index(state.t)];
    const t = state.t <= run.axis.min ? 0 : Number(moment.toPrecision(12));
    return flowPython(state, { ...made, t, curve: run.curve, dim: run.limit.dim, vector: run.top?.vector, weighed: run.start.weighed, frame: run.flow.index(state.t) });
  }

  function controls() {
    const { d, state } = run;
    editors.forEach((node, i) => { node.hidden = d !== i + 2; });
    own.seed.hidden = state.start !== "draw";
    own.skew.hidden = !(state.start === "grid" && d === 2);
    own.density.hidden = own.band.hidden = state.start === "pair";
    sides.hidden = run.below === null;
    own.angle.hidden = state.start !== "pair";
    for (const input of curves.querySelectorAll("input")) input.closest("label").hidden = !run.can[input.value];
    for (const node of Object.values(constants)) node.hidden = card.get("bound") === "fitted";
  }

  /** The curve of the run that ends, kept beside the next one if only β differs. */
  function keep(state) {
    if (!run || run.curve !== "distance" || run.flow.filled < run.times.length) return;
    const rest = (s) => JSON.stringify(WATCHED.filter((key) => !["beta", "rule"].includes(key)).map((key) => s[key]));
    if (rest(run.state) !== rest(state)) ghosts = [];
    else ghosts = [...ghosts, { t: run.times, y: run.flow.values, track: trackOf(run) }].slice(-GHOSTS);
  }

  function showCurves() {
    const { state } = run;
    chart.set({
      axis: run.axis, t: run.times, filled: run.flow.filled, strip: phased(run), curves: [{ y: run.flow.values }], ghosts, levels: levelsOf(),
      name: run.curve === "distance" && !run.exactLimit ? "*W*_2 to the limit, at most (chordal)" : NAMES[run.curve],
      log: run.curve === "distance" && state.scale === "log", x: run.isLog ? "layer-time *t*, log" : "layer-time *t*",
    });
  }

  function restart() {
    const state = card.values();
    keep(state);
    run = runOf(state);
    drawn = told = null;
    if (run.curve !== "distance") ghosts = [];
    const until = performance.now() + AT_ONCE;
    while (run.times[run.flow.filled - 1] < Math.min(player.t, state.t_end) && performance.now() < until && run.flow.advance(4));
    controls();
    showCurves();
    player.axis = run.axis;
    pace.soon();
    player.wake();
  }
  const levelsOf = () => (run.curve === "alignment" ? [{ y: 1, label: "at the top of *V*" }] : []);
  card.on(WATCHED, restart);
  card.on(["scale"], restart);
  card.on(["bound", "C", "C1", "c"], () => {
    controls();
    pace.soon();
    player.wake();
  });
  card.on(["turn", "tilt", "sides"], () => stage.invalidate());
  card.onFollow(() => {
    ghosts = [];
    stage.invalidate();
    showCurves();
  });
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => {
    const { value, phases, phase, least, exit, masses } = moment(player.t);
    const finite = (v) => (Number.isFinite(v) ? v : null);
    return {
      t: run.times[k], value, curve: run.curve, phase, wait: finite(phases.wait), obey: finite(phases.obey), least,
      exit: finite(exit), masses, neighbours, heard: run.heard, gap: run.limit.gap, dim: run.limit.dim, known: run.known,
      bound: boundNow(), facts: run.facts, n: run.n, d: run.d, filled: run.flow.filled, frames: run.times.length,
      beside: run.beside && [...run.beside.y], besideT: run.beside && [...run.beside.t], values: [...run.flow.values.subarray(0, run.flow.filled)],
      x: [...run.flow.at(k)], track: trackOf(run, k), ghosts: ghosts.length, evaluations: run.flow.count.evaluations,
      groups: run.d === 2 ? groupsOf(anglesOf(run.flow.at(k)), run.start.mass).map(({ from, to, mass }) => ({ angle: ((from + to) * 90) / Math.PI, mass })) : null,
      couple: couplingCost(run.flow.at(k), run.start.x, run.start.mass),
    };
  };
  restart();
}

export const flowView = {
  title: "How long does cold attention wait?",
  lead: "Lower the temperature with [[grab|*β*]] and play: the cloud gathers, waits for a time like log *β*, and obeys *V*.",
  build,
};
