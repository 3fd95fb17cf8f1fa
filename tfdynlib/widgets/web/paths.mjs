// Tokens under weights that change.  weights → flow → trajectory → stage, charts, lamps.

import { shownWhen } from "./circle/controls.mjs";
import { figure } from "./kit/card.mjs";
import { chart as timeChart } from "./kit/chart.mjs";
import { h } from "./kit/dom.mjs";
import { doubles, largestDifference } from "./kit/passport.mjs";
import { linear } from "./kit/scale.mjs";
import { choice, slider } from "./kit/slider.mjs";
import { turning } from "./kit/turning.mjs";
import { python as pythonOf } from "./paths/python.mjs";
import { ENTRIES, meanAction, runOf, STEP } from "./paths/run.mjs";
import { drawStage } from "./paths/stage.mjs";
import { isVisited, sweepChart, visitedOf, withPoint } from "./paths/sweep.mjs";
import { LAMPS, lampsOf, restOf, sentence, short, verdictOf } from "./paths/words.mjs";

const AT_ONCE = 30; // ms of integration when a weight changes, to stay at the same moment
const FLOOR = 1e-12; // values below it are rounding: the axis ends there

const STATE = {
  layout: { choices: ["frozen", "ou", "spread", "common"] },
  H: { min: 1, max: 32, int: true },
  n: { min: 2, max: 200, int: true },
  start: { choices: ["uniform", "axes"] },
  g2: { min: 0.1, max: 4 },
  seed: { min: 0, max: 9999, int: true },
  rule: { choices: ["softmax", "gradient"] },
  t_end: { min: 5, max: 40, int: true },
  entry: { choices: Object.keys(ENTRIES) },
  visited: { check: isVisited },
  t: { min: 0, max: 40 },
  turn: { min: -180, max: 180 },
  tilt: { min: -90, max: 90 },
};

/** The lines of Python for a state. */
export const python = pythonOf;

/** Largest difference of tokens, energy and action to Python's, once the buffer is there. */
function deviationFrom({ run, energies, actions }, reference) {
  const k = Math.round(reference.t / STEP);
  if (k >= run.filled) return null;
  const page = [...run.at(k), energies[0], actions[0], energies[k], actions[k]];
  return largestDifference(page, doubles(reference.numbers));
}

const SLIDERS = [
  { key: "H", symbol: "*H*", label: "heads", min: 1, max: 32, scale: "log", int: true },
  { key: "g2", symbol: "*g*^2", label: "variance of the noise", min: 0.1, max: 4, scale: "log" },
  { key: "n", symbol: "*n*", label: "tokens", min: 2, max: 200, scale: "log", int: true },
  { key: "seed", symbol: "start", label: "seed of the random draw", min: 0, max: 99, int: true },
  { key: "t_end", symbol: "*T*", label: "end of the run", min: 5, max: 40, int: true },
];

const CHOICES = [
  {
    key: "layout",
    label: "how the weights move (last two: waves)",
    options: [["frozen", "frozen"], ["ou", "noise"], ["spread", "spread"], ["common", "in step"]],
  },
  {
    key: "rule",
    label: "rule of the tokens",
    options: [["softmax", "softmax"], ["gradient", "gradient"]],
  },
  {
    key: "start",
    label: "tokens start",
    options: [["uniform", "anywhere"], ["axes", "near the axes"]],
  },
];

const NAMES = { 11: "D₁₁", 12: "D₁₂", 13: "D₁₃" };

const SHOW = {
  key: "entry",
  label: "entry of the weights",
  options: Object.entries(NAMES),
};

/** Least and largest value of all curves, with a little air. */
function rangeOf(curves, filled, level) {
  let [low, high] = level === null ? [Infinity, -Infinity] : [level, level];
  for (const y of curves)
    for (let k = 0; k < filled; k += 1) [low, high] = [Math.min(low, y[k]), Math.max(high, y[k])];
  const air = 0.08 * (high - low) + 0.1;
  const wide = high - low + 2 * air > 8; // then ticks are five apart, and two are wanted
  return wide ? [Math.min(low - air, -5.2), Math.max(high + air, 5.2)] : [low - air, high + air];
}

/** The part of a stored run that the axis shows. */
function ghostOf(replay, end) {
  const t = replay.t.filter((s) => s <= end);
  return { t, y: replay.slope_squared.slice(0, t.length) };
}

function build(card) {
  let solved = null;
  let k = 0;
  let hint = true;
  const pace = card.pace();
  let late = NaN; // mean of G^2 over the second half, once it is known

  const stage = card.stage({
    label: "Tokens on the sphere.",
    keys: "Arrow keys turn the sphere, space plays.",
    draw: (ctx, view) =>
      drawStage(ctx, view, {
        solved,
        k,
        t: Math.min(player.t, solved.run.times[solved.run.filled - 1]),
        turn: card.get("turn"),
        tilt: card.get("tilt"),
        hint: hint && view.w > 200 && !card.onPaper(),
      }),
    onKey: (event) => onKey(event),
  });
  const onKey = turning(card, stage.canvas, () => stage.invalidate());
  const readouts = card.readouts(["energy", "*G*^2 now", "mean, 2nd half"]);
  const chart = card.chart({ x: "layer-time *t*", y: "*G*^2 = ∫ *b*|*v*|^2 d*μ*, log" });
  const verdict = card.verdict();

  const weightsChart = timeChart(card, {
    x: "layer-time *t*",
    y: "weights of the heads (thin) and their mean",
    seek: (t) => player.seek(t),
  });
  card.surfaces.push(weightsChart);
  const sweep = sweepChart(card);

  function showWeights() {
    const state = card.values();
    const { run, means, heads } = solved;
    const place = ENTRIES[state.entry];
    const rest = restOf(state);
    const filled = run.filled;
    const times = run.times.subarray(0, filled);
    const thin = state.H === 1 ? [] : heads[place];
    weightsChart.set({
      axis: player.axis,
      t: run.times,
      filled,
      now: k,
      curves: [{ y: means[place] }],
      ghosts: thin.map((y) => ({ t: times, y: y.subarray(0, filled) })),
      range: rangeOf([means[place], ...thin], filled, rest),
      levels: rest === null ? [] : [{ y: rest, label: `mean target ${rest}` }],
    });
  }

  /** Stored runs of the present layout, and the curve of the one with as many heads. */
  const storedOf = ({ layout }) => (card.model.get("sweep") ?? []).filter((one) => one.layout === layout);
  function showSweep() {
    const state = card.values();
    sweep.set({
      stored: storedOf(state).map(({ H, late_mean: y }) => ({ H, y })),
      visited: visitedOf(state),
      H: state.H,
      power: state.layout === "ou", // waves follow no power of H
    });
  }

  function finish() {
    late = meanAction(solved);
    const visited = late > 0 ? withPoint(card.values(), late) : null;
    if (visited) card.set({ visited });
    if (!player.playing) card.speak();
  }

  function show(t) {
    const { run, actions, energies } = solved;
    k = run.index(t);
    if (Number.isNaN(late) && run.filled === run.times.length) finish();
    stage.invalidate();
    chart.set({ t: run.times, curves: [{ y: actions }], filled: run.filled, now: k, range: actionRange(run.filled) });
    showWeights();
    readouts.set(0, short(energies[k]));
    readouts.set(1, short(actions[k]));
    readouts.set(2, short(late));
    if (pace.due()) {
      verdict.set(...verdictOf(solved));
      passport.update();
      card.relabel();
    }
  }

  function actionRange(filled) {
    let [low, high] = [Infinity, 0];
    const ghosts = solved.replay ? [solved.replay.slope_squared] : [];
    for (const y of [solved.actions.subarray(0, filled), ...ghosts])
      for (const v of y) if (v > 0) [low, high] = [Math.min(low, v), Math.max(high, v)];
    if (!(high > 0)) return [FLOOR, 1];
    return [Math.max(FLOOR, low / 1.5), Math.max(high * 1.5, 2 * FLOOR)];
  }

  const player = card.player({
    axis: linear(0, card.get("t_end")),
    step: 4 * STEP,
    seconds: 10,
    work: (ms) => solved.run.filled < solved.run.times.length && solved.run.advance(Math.min(ms, 5)),
    filled: () => solved.run.times[solved.run.filled - 1],
    stopped: () => solved.run.failed,
    show,
  });
  card.presets();
  card.choice(CHOICES[0]);
  const needed = { g2: () => card.get("layout") === "ou", rule: () => card.get("H") > 1 };
  const when = (node, key) => card.control(shownWhen(card, node, ["layout", "H"], needed[key] ?? (() => true)));
  SLIDERS.forEach((one) => when(slider(card, one), one.key));
  CHOICES.slice(1).forEach((one) => when(choice(card, one), one.key));
  const charts = h("div", {}, choice(card, SHOW), weightsChart.node, sweep.node);
  card.fold("The weights, and the number of heads", charts);
  const lamps = card.lamps("Must the tokens come to rest?", LAMPS);
  const measured = card.deviation((reference) => deviationFrom(solved, reference));
  const passport = card.passport({
    items: () => [
      `seed ${card.get("seed")}`,
      "method rk4",
      `dt ${STEP}`,
      measured(),
      `tfdynlib ${card.model.get("version")}`,
    ],
    python: () => python(card.values()),
  });
  card.live(() =>
    sentence({ t: player.t, state: card.values(), action: solved.actions[k], late }));

  function restart() {
    const state = card.values();
    late = NaN;
    const replay = storedOf(state).find((one) => one.H === state.H) ?? null;
    solved = { ...runOf(state), state, replay };
    solved.run.advanceTo(Math.min(player.t, state.t_end) - 1e-9, AT_ONCE);
    player.axis = linear(0, state.t_end);
    chart.set({
      axis: player.axis,
      log: true,
      ghosts: replay ? [ghostOf(replay, state.t_end)] : [],
    });
    lampsOf(state).forEach((lamp, i) => lamps.set(i, ...lamp));
    showSweep();
    player.wake();
  }
  card.on(["layout", "H", "n", "start", "g2", "seed", "rule", "t_end"], restart);
  card.on(["turn", "tilt"], () => stage.invalidate());
  card.on(["visited"], showSweep);
  card.on(["entry"], () => {
    solved.state = card.values();
    stage.invalidate();
    showWeights();
  });
  stage.canvas.addEventListener("pointerdown", () => { hint = false; }, { once: true });
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({
    x: [...solved.run.at(k)],
    energy: solved.energies[k],
    action: solved.actions[k],
    late,
    mean: solved.means.map((y) => y[k]),
    heads: [...solved.path.at(solved.run.times[k])],
    visited: card.get("visited").points,
    stored: storedOf(card.values()).length,
  });
  restart();
}

export default figure({
  name: "paths",
  title: "Do tokens rest when the weights do not?",
  lead: "Change the number of heads, watch *G*^2. [[grab|Orange]] is what you can move.",
  state: STATE,
  build,
});
