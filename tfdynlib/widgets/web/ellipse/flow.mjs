// View "flow": weights and start → moments → plane, chart, lamps.

import { h } from "../kit/dom.mjs";
import * as ellipses from "../kit/ellipses.mjs";
import { matrices } from "../kit/matrix.mjs";
import { doubles } from "../kit/passport.mjs";
import { choice, slider } from "../kit/slider.mjs";
import { vector } from "../kit/vector.mjs";
import { eigSym } from "../twin/matrix2.mjs";
import { biasFor, EULER, FLOOR, runOf, shownAt } from "./flow_run.mjs";
import { draw, reachOf } from "./flow_stage.mjs";
import { LAMPS, lampsOf, readoutsOf, sentence, verdictOf } from "./flow_words.mjs";
import { flowPython } from "./python.mjs";
import { proper, valuesOf } from "./start.mjs";
import { endNames, wall } from "./wall.mjs";
import { digits } from "./words.mjs";

const [LEAST, MOST] = [1e-4, 1e3]; // of the eigenvalues on the chart

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Powers of ten that hold the eigenvalues. */
function rangeOf(run) {
  const all = [...run.large, ...run.small].filter((v) => v > 0);
  if (all.length === 0) return [0.1, 10];
  const low = 10 ** Math.floor(Math.log10(Math.min(...all) * 1.0001));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...all) * 0.9999));
  const top = Math.min(MOST, Math.max(high, 1));
  return [Math.max(LEAST, Math.min(low, 0.1, top / 100)), top < 10 && low >= 0.1 ? 10 : top];
}

function precisionRange(run) {
  const all = run.precision.flatMap((row) => [...row]).filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...all), Math.max(0.1, ...all)];
  const air = 0.08 * (high - low);
  return [Math.max(-50, low - air), Math.min(50, high + air)];
}

const CHARTS = {
  eigenvalues(run) {
    const limit = run.limit ? eigSym(run.limit.cov).values.filter((v) => v > LEAST) : [];
    return {
      name: "eigenvalues of *Σ*",
      curves: [{ y: run.large, width: 2.6 }, { y: run.small, width: 1.3 }],
      levels: limit.map((y) => ({ y, label: "" })),
      log: true, range: rangeOf(run), labelWidth: 22,
      names: [["*λ*_1", run.large], ["*λ*_2", run.small]],
    };
  },
  precision(run) {
    return {
      name: "entries of the precision *P* = *Σ*^{−1}",
      curves: run.precision.map((y, k) => ({ y, width: [2.6, 1.3, 1.9][k] })),
      levels: [], log: false, range: precisionRange(run), labelWidth: 28,
      names: [["*P*_{11}", run.precision[0]], ["*P*_{12}", run.precision[1]], ["*P*_{22}", run.precision[2]]],
    };
  },
};

/** Largest difference to Python's moments and blow-up, relative where numbers are large. */
function deviationFrom(run, reference) {
  const [t, mean, cov] = ["t", "mean", "cov"].map((key) => [...doubles(reference[key])]);
  const off = (a, b) => Math.abs(a - b) / Math.max(1, Math.abs(b));
  let worst = 0;
  t.forEach((moment, k) => {
    const here = run.flow.at(moment);
    here.mean.forEach((v, e) => { worst = Math.max(worst, off(v, mean[2 * k + e])); });
    here.cov.forEach((v, e) => { worst = Math.max(worst, off(v, cov[4 * k + e])); });
  });
  const [time] = doubles(reference.blow_up);
  if (Number.isFinite(time)) worst = Math.max(worst, Math.abs(run.flow.blowUp - time) / time);
  else if (run.flow.blowUp <= run.state.t_end) return NaN;
  return worst;
}

const BESIDE = [["nothing", "nothing"], ["twin", "twin of turned signs"], ["filter", "Kalman filter"], ["clipped", "clipped eigenvalues"]];

export function build(card) {
  let run = null;
  let k = 0;
  let shown = 0;
  let g = null;
  let reach = 4;
  let before = card.get("cov");
  const pace = card.pace();

  const stage = card.stage({
    label: "Plane of the tokens: start, cloud, limit.",
    keys: `${ellipses.KEYS} Space plays.`,
    draw(ctx, view) {
      g = ellipses.plane(view, { reach });
      draw(ctx, view, { run, g, t: shown, k, hovered: hand.hovered, paper: card.onPaper() });
    },
    onKey(event) {
      const ellipse = ellipses.moved(event, here());
      if (!ellipse) return false;
      card.set(valuesOf(ellipse));
      card.speak();
      return true;
    },
  });
  const here = () => ellipses.ofMoments(run.start.mean, run.start.cov);
  const hand = ellipses.dragging(card, stage, {
    place: () => g,
    list: () => [{ ellipse: here(), set: (next) => card.set(valuesOf(next)) }],
    points: () => (run.limit?.mean ? [{ at: run.limit.mean, set: (to) => card.set({ b: biasFor(run, to) }) }] : []),
    begin(held) {
      if (held.kind === "ellipse") player.seek(0);
      else player.pause();
    },
    end(held) {
      if (held.kind === "ellipse" && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
      zoom();
      card.speak();
    },
  });
  const readouts = card.readouts(["*λ*_1 long axis", "*λ*_2 short axis", "blow-up in"]);
  const chart = card.chart({ x: "layer-time *t*", y: "eigenvalues of *Σ*" });
  const verdict = card.verdict();

  function show(t) {
    shown = shownAt(run, t);
    k = run.index(shown);
    stage.invalidate();
    chart.set({ now: k });
    readoutsOf(run, shown).forEach(([text, tone], i) => readouts.set(i, text, tone));
    if (!pace.due()) return;
    verdict.set(...verdictOf(run, shown));
    lampsOf(run, shown).forEach((lamp, i) => lamps.set(i, ...lamp));
    passport.update();
    card.relabel();
  }

  const player = card.player({
    axis: runOf(card.values()).axis,
    seconds: 9,
    work: () => false,
    filled: () => run.last,
    stopped: () => run.wall !== null,
    format: (t) => digits(t, 4),
    show,
  });
  card.presets();
  const ending = slider(card, { key: "t_end", symbol: "*T*", label: "end of the run", min: 0.5, max: 40, scale: "log" });
  card.control(ending);
  const curve = choice(card, { key: "curve", label: "chart", options: [["eigenvalues", "eigenvalues"], ["precision", "precision"]] });
  const noise = slider(card, { key: "noise", symbol: "*q*", label: "process noise of the filter", min: 0, max: 2 });
  card.control(choice(card, { key: "beside", label: "beside the cloud", options: BESIDE }));
  card.control(curve);
  card.control(noise);
  const editors = matrices(card, { keys: ["A", "B", "V", "cov"], letters: ["A", "B", "V", "Σ"], names: ["drift", "score", "value", "start"], size: 2 });
  const row = editors.querySelector(".tfdyn-editors");
  row.insertBefore(vector(card, { key: "b", words: "bias" }), row.lastChild);
  row.append(vector(card, { key: "mean", letter: "m", words: "start" }));
  row.classList.add("tfdyn-editors-six");
  card.el.querySelector(".tfdyn-part-weights").classList.add("tfdyn-part-wide");
  card.fold("Weights *A*, *B*, *V*, *b* and the start", h("div", {}, editors));
  const lamps = card.lamps("What decides the fate", LAMPS);
  const measured = card.deviation((reference) => (reference.t ? deviationFrom(run, reference) : null));
  const passport = card.passport({
    items: () => [
      "order 5, adaptive, factor form", `rank ${run.rank}`, measured(), `tfdynlib ${card.model.get("version")}`,
    ],
    python: () => python(card.values()),
  });
  card.live(() => sentence(run, shown));

  const python = (state) => {
    const one = runOf(state);
    return flowPython(state, {
      at: Number(shownAt(one, state.t).toPrecision(9)), beside: one.beside !== null, euler: EULER, floor: FLOOR,
      wall: Number.isFinite(one.blowUp),
    });
  };

  function zoom() {
    reach = reachOf(run);
    stage.invalidate();
  }
  function controls() {
    curve.hidden = run.rank < 2;
    ending.hidden = run.wall !== null; // then the axis ends behind the wall
    noise.hidden = card.get("beside") !== "filter";
  }
  function restart() {
    const cov = proper(card.get("cov"), before);
    if (!same(cov, card.get("cov"))) card.set({ cov });
    before = cov;
    run = runOf({ ...card.values(), cov });
    if (!hand.held) zoom();
    controls();
    player.axis = run.axis;
    picture();
    player.wake();
  }
  function picture() {
    const { names, ...data } = CHARTS[run.rank < 2 ? "eigenvalues" : card.get("curve")](run);
    const over = (ctx, at, view) => {
      if (run.wall) wall(ctx, at, view, run.wall, `wall at ${digits(run.wall, 3)}`);
      const last = run.wall ? Math.max(0, run.index(run.wall * 0.7)) : run.times.length - 1;
      const spots = names.map(([name, y]) => ({ name, y: at.y(y[last]) - (run.wall ? 12 : 0), x: run.wall ? at.x(run.times[last]) - 16 : null }));
      endNames(ctx, at, view, spots, view.palette.state);
    };
    chart.set({ axis: run.axis, t: run.times, filled: run.times.length, over, ...data });
    player.wake();
  }
  card.on(["A", "B", "V", "b", "mean", "cov", "t_end", "beside", "noise"], restart);
  card.on(["curve"], picture);
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({
    ...run.at(shown), t: shown, blowUp: Number.isFinite(run.blowUp) ? run.blowUp : null,
    direction: run.flow.direction, kind: run.fate.kind, theorem: run.fate.theorem, margin: run.fate.margin,
    limit: run.limit?.cov ?? null, target: run.limit?.mean ?? null, rank: run.rank,
    beside: run.beside ? run.beside.at(Math.min(shown, run.beside.last)) : null,
    place: { scale: g?.scale, w: g?.w, h: g?.h },
  });
  restart();
}

export const flowView = {
  title: "Will the cloud settle, shrink, or blow up?",
  lead: "Drag the [[grab|orange]] start ellipse or its centre, change a weight, and follow the [[state|blue]] cloud.",
  build,
};
