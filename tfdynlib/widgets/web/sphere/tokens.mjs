// View "tokens": weights → flow → trajectory → stage, chart, lamps.

import * as ball from "../kit/ball.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { linear, logFromZero } from "../kit/scale.mjs";
import { drawStage } from "./draw.mjs";
import { HEADS } from "./editor.mjs";
import { python as pythonOf } from "./python.mjs";
import { paired, runOf, STEP, topSpeed, velocityOf } from "./run.mjs";
import { facts, lampsOf } from "./theorem.mjs";
import { turning } from "../kit/turning.mjs";
import { energyText, levelsOf, sentence, verdictOf } from "./words.mjs";
import { clusters } from "../twin/clusters.mjs";

const RADIUS = 0.2; // geodesic distance within which tokens are one cluster
const WIDE = 1; // chord: neighbours in a chain as long as this have not met
const LONG = 50; // runs from here on are shown on a logarithmic axis of time
const AT_ONCE = 30; // ms of integration when a weight changes, to stay at the same moment

/** The lines of Python for a state. */
const python = (state) => pythonOf({ ...paired(state), radius: RADIUS });

/** Everything that follows from the weights, made anew at each change. */
function solve(state) {
  const made = runOf(state);
  const found = facts(state);
  return {
    ...made,
    rule: state.rule,
    found,
    axis: state.t_end < LONG ? linear(0, state.t_end) : logFromZero(state.t_end),
    spacing: made.run.times[1] ?? STEP,
    levels: levelsOf(found, state.beta, state.rule),
  };
}

/** Chord between the first token and the one farthest from it. */
function reach(x) {
  let far = 0;
  for (let i = 3; i < x.length; i += 3)
    far = Math.max(far, Math.hypot(x[i] - x[0], x[i + 1] - x[1], x[i + 2] - x[2]));
  return far;
}

/** Largest difference of velocity and tokens to Python's, once the buffer is there. */
function deviationFrom(solved, reference, card) {
  const { run, heads, dt, start, spacing } = solved;
  if (reference.dt !== dt) return null;
  const values = card.values();
  let worst = largestDifference(velocityOf(start, heads, values), doubles(reference.velocity));
  for (const { t, x } of reference.tokens) {
    if (t > values.t_end) continue;
    const k = Math.round(t / spacing);
    if (k >= run.filled) return null;
    worst = Math.max(worst, largestDifference(run.at(k), doubles(x)));
  }
  return worst;
}

const SLIDERS = [
  { key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.1, max: 50, scale: "log" },
  { key: "n", symbol: "*n*", label: "tokens", min: 2, max: 512, scale: "log", int: true },
  { key: "seed", symbol: "start", label: "seed of the random draw", min: 0, max: 99, int: true },
  { key: "t_end", symbol: "*T*", label: "end of the run", min: 5, max: 200, scale: "log", int: true },
];

const THEOREM = [
  "*B* is symmetric",
  "*V* = ±*B* in every head",
  "one head, or equal heads",
  "the flow is an exact gradient flow",
];

function build(card) {
  let solved = null;
  let k = 0;
  let found = { labels: [], count: 0, sizes: [], wide: false };
  let hint = true;
  const pace = card.pace();

  const stage = card.stage({
    label: "Tokens on the sphere.",
    keys: "Arrow keys turn the sphere, space plays.",
    draw: (ctx, view) =>
      drawStage(ctx, view, {
        ...solved,
        k,
        x: ball.between(solved.run, k, player.t),
        found,
        turn: card.get("turn"),
        tilt: card.get("tilt"),
        hint: hint && view.w > 200 && !card.onPaper(),
      }),
    onKey: (event) => onKey(event),
  });
  const onKey = turning(card, stage.canvas, () => stage.invalidate());
  const readouts = card.readouts(["clusters", "largest", "energy"]);
  const chart = card.chart({ x: "layer-time *t*", y: "energy *E*" });
  const verdict = card.verdict();

  function show(t) {
    const { run } = solved;
    k = run.index(t);
    found = { n: card.get("n"), ...clusters(run.at(k), card.get("n"), 3, RADIUS) };
    found.wide = found.count === 1 && reach(run.at(k)) > WIDE;
    stage.invalidate();
    chart.set({ t: run.times, curves: [{ y: run.values }], filled: run.filled, now: k });
    const largest = Math.max(...found.sizes);
    readouts.set(0, String(found.count));
    readouts.set(1, `${largest} of ${card.get("n")}`);
    readouts.set(2, energyText(run.values[k], solved.steep));
    if (pace.due()) {
      verdict.set(...verdictOf(solved, found, topSpeed(run, k)));
      passport.update();
      card.relabel();
    }
  }

  const player = card.player({
    axis: linear(0, card.get("t_end")),
    step: 4 * STEP,
    seconds: 10,
    work: (ms) => solved.run.filled < solved.run.times.length && solved.run.advance(ms),
    filled: () => solved.run.times[solved.run.filled - 1],
    stopped: () => solved.dt === null || solved.run.failed,
    show,
  });
  card.presets();
  SLIDERS.forEach(card.slider);
  card.matrices(HEADS);
  const lamps = card.lamps("Does the gradient-flow theorem speak about this?", THEOREM);
  const measured = card.deviation((reference) => deviationFrom(solved, reference, card));
  const passport = card.passport({
    items: () => [
      `seed ${card.get("seed")}`,
      "method rk4",
      `dt ${solved.dt ?? "too long"}`,
      measured(),
      `tfdynlib ${card.model.get("version")}`,
    ],
    python: () => python(card.values()),
  });
  card.live(() =>
    sentence({
      t: player.t,
      n: card.get("n"),
      found,
      energy: solved.run.values[k],
      steep: solved.steep,
    }),
  );

  function restart() {
    const state = paired(card.values());
    solved = solve(state);
    const wanted = Math.min(player.t, state.t_end) - 1e-9;
    solved.run.advanceTo(wanted, AT_ONCE);
    player.axis = solved.axis;
    chart.set({
      axis: solved.axis,
      x: solved.axis.kind === "log" ? "layer-time *t*, log" : "layer-time *t*",
      levels: solved.levels,
      name: solved.steep ? "log_{10} of the energy *E*" : "energy *E*",
      zero: solved.levels.length > 0,
    });
    lampsOf(solved.found, state.rule).forEach((lamp, i) => lamps.set(i, ...lamp));
    player.wake();
  }
  card.on(["n", "beta", "seed", "start", "rule", "B", "V", "t_end"], restart);
  card.on(["turn", "tilt"], () => stage.invalidate());
  const touched = () => {
    hint = false;
  };
  stage.canvas.addEventListener("pointerdown", touched, { once: true });
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({
    x: [...solved.run.at(k)],
    energy: solved.run.values[k],
    energies: [...solved.run.values.subarray(0, solved.run.filled)],
    clusters: found.count,
    levels: solved.levels.length,
  });
  restart();
}

export const tokensView = {
  title: "When do tokens gather, and when do they wait?",
  lead: "Turn the sphere, set a weight, watch the clusters. [[grab|Orange]] is what you can move.",
  build,
};
