// Steering a cloud to a target.  two Gaussians → weights → way → stage, costs, lamps.

import { figure } from "./kit/card.mjs";
import { h } from "./kit/dom.mjs";
import * as ellipses from "./kit/ellipses.mjs";
import { fold } from "./kit/fold.mjs";
import { doubles, largestDifference } from "./kit/passport.mjs";
import { linear } from "./kit/scale.mjs";
import { choice, slider } from "./kit/slider.mjs";
import { isSymmetric, isVector } from "./kit/valid.mjs";
import { boxes, valuesOf } from "./steer/boxes.mjs";
import { chartOf } from "./steer/charts.mjs";
import { checked } from "./steer/check.mjs";
import { costs } from "./steer/costs.mjs";
import { found } from "./steer/found.mjs";
import { python } from "./steer/python.mjs";
import { ellipseOf, frameAt, METHODS, prepare } from "./steer/run.mjs";
import { paint } from "./steer/stage.mjs";
import { LAMPS, lampsOf, readoutsOf, sentence, verdictOf } from "./steer/words.mjs";
import { ORDER, rankOf } from "./twin/control.mjs";
import { eigSym, flat } from "./twin/matrix2.mjs";

const NAMES = ["start", "target"];
const WATCHED = ["start_mean", "start_cov", "target_mean", "target_cov", "method", "T"];

const LEAST = 1e-8; // of a variance: precisions are finite, and so are their squares

const isMean = (v) => isVector(v, 2);

/** Two rows, symmetric to the last bit, no eigenvalue that is negative or too small but one of rounding. */
function isCovariance(v) {
  if (!isSymmetric(v, 2)) return false;
  const [large, small] = eigSym(flat(v)).values;
  const counted = [large, small].slice(0, rankOf(flat(v)));
  return small >= -1e-12 * Math.abs(large) && large >= 0 && counted.every((x) => x >= LEAST);
}

const STATE = {
  start_mean: { check: isMean },
  start_cov: { check: isCovariance },
  target_mean: { check: isMean },
  target_cov: { check: isCovariance },
  method: { choices: METHODS },
  T: { min: 0.01, max: 5 },
  curve: { choices: ["speed", "size", "axes"] },
  t: { min: 0, max: 5 },
};

const OPTIONS = {
  method: [["feedforward", "feed-forward"], ["attention", "attention"], ["geodesic", "straight"]],
  curve: [["speed", "tokens pay"], ["size", "weights pay"], ["axes", "axes"]],
};

function build(card) {
  let run = prepare(card.values());
  let moment = 0;
  let map = null;
  let hand = null;
  let chosen = 0;
  let hint = true;
  const stage = card.stage({
    label: "Ellipses of the start, of the target, and of the tokens between them.",
    keys: `${ellipses.KEYS} Enter takes the other ellipse, space plays.`,
    draw(ctx, view) {
      if (!map || !hand?.held) map = ellipses.plane(view, run.view);
      paint(ctx, map, view.palette, {
        run, t: moment, hover: hand?.hovered,
        chosen: document.activeElement === stage.canvas ? chosen : null,
        hint: hint && view.w > 300 && !card.onPaper(),
      });
    },
    onKey(event) {
      if (event.key === "Enter") {
        chosen = 1 - chosen;
        card.speak(`Keys move the ${NAMES[chosen]}.`);
        stage.invalidate();
        return true;
      }
      const next = ellipses.moved(event, ellipseOf(run[NAMES[chosen]]));
      if (next) card.set(valuesOf(NAMES[chosen], next));
      return next !== null;
    },
  });
  const repaint = card.guard(() => stage.invalidate());
  for (const name of ["focus", "blur"]) stage.canvas.addEventListener(name, repaint);
  hand = ellipses.dragging(card, stage, {
    place: () => map,
    list: () => NAMES.map((name) => ({
      ellipse: ellipseOf(run[name]),
      set(next) {
        card.set(valuesOf(name, next));
        card.flush();
      },
    })),
    begin({ index }) {
      chosen = index;
      hint = false;
      card.clock.pause();
    },
    end() {
      stage.invalidate();
      card.speak();
    },
  });
  const outs = card.readouts(["weight cost", "kinetic cost", "least, *W*_2^2/*T*"]);
  const chart = card.chart({ x: "layer-time *t*", y: "E|*u*|^2, its area the kinetic cost" });
  const verdict = card.verdict();
  const player = card.player({
    axis: linear(0, run.T),
    seconds: 7,
    format: (t) => t.toFixed(run.T < 0.5 ? 4 : 2),
    work: () => false,
    filled: () => (run.refused ? 0 : run.T),
    stopped: () => run.refused !== null,
    show,
  });
  card.live(() => sentence(run, moment));
  card.presets();
  const method = choice(card, { key: "method", label: "the method", options: OPTIONS.method });
  const time = slider(card, { key: "T", symbol: "*T*", label: "layer-time at the target", min: 0.01, max: 5, scale: "log" });
  const curve = choice(card, { key: "curve", label: "chart", options: OPTIONS.curve });
  [method, time, curve].forEach(card.control);
  const table = costs();
  card.weights(table.node);
  const matrices = found(card);
  const numbers = boxes(card);
  const way = h("div", { class: "tfdyn-whole" }, fold(card, "Weights found, now and over layer-time", matrices.node));
  card.weights(way);
  card.weights(h("div", { class: "tfdyn-whole" }, fold(card, "Start and target in numbers", numbers.node)));
  const lamps = card.lamps("What can be reached, and at what cost?", LAMPS);
  const measured = card.deviation((reference) => largestDifference(checked(run), doubles(reference.numbers)));
  const foot = card.passport({
    items: () => [
      "no seed", `costs by Gauss, order ${ORDER}`, "followed by dopri5, 10⁻¹²",
      measured(), `tfdynlib ${card.model.get("version")}`,
    ],
    python: () => python(run, Number(Math.min(moment, run.T).toPrecision(7))),
  });

  function show(t) {
    moment = Math.min(t, run.T);
    stage.invalidate();
    matrices.show(run, moment);
    chart.set({ ghosts: [], marks: [], ...chartOf(run, frameAt(run, moment), card.get("curve")) });
    foot.update();
  }

  /** What does not depend on the moment. */
  function settle() {
    readoutsOf(run).forEach(([name, text], i) => {
      outs.name(i, name);
      outs.set(i, text);
    });
    verdict.set(...verdictOf(run));
    lampsOf(run).forEach((lamp, i) => lamps.set(i, ...lamp));
    table.show(run);
    numbers.show();
    const closed = run.refused === "rank"; // then neither method nor time changes a thing
    for (const node of [method, time]) node.hidden = closed;
    for (const node of [curve, chart.node, way]) node.hidden = run.refused !== null;
    table.node.hidden = closed;
    for (const one of player.node.querySelectorAll("button, input")) one.disabled = run.refused !== null;
  }

  /** Another time keeps the place on the way, unless a moment came with it. */
  function restart() {
    const [told, before] = [card.get("t"), run.T];
    const kept = Math.abs(told - player.t) <= 1e-6 * (1 + told);
    const place = player.t / before;
    run = prepare(card.values());
    if (run.T !== before) {
      player.axis = linear(0, run.T);
      if (!player.playing) {
        player.seek(kept ? place * run.T : told, { quiet: true });
        card.moment(player.t);
      }
    }
    settle();
    player.wake();
  }
  card.on(WATCHED, restart);
  card.on(["curve"], player.wake);
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => {
    const { mean, cov } = run.at(moment);
    const weights = run.weights(moment);
    return {
      t: moment, mean: [...mean], cov: [...cov], refused: run.refused, ranks: run.ranks,
      weights: weights && Object.fromEntries(Object.entries(weights).map(([key, v]) => [key, [...v]])),
      costs: run.costs, least: run.least, error: run.error, view: run.view,
    };
  };
  settle();
}

export default figure({
  name: "steer",
  title: "Which weights take one cloud to another, and at what cost?",
  lead: "Drag the [[grab|orange]] start or target, or pull an axis to zero. [[state|Blue]] is the way found.",
  state: STATE,
  build,
});
