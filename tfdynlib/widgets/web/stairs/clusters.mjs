// View "clusters": tokens gather into clusters that wait, and meet, over many decades.

import { sliderWhen } from "../circle/controls.mjs";
import { number } from "../kit/dom.mjs";
import { bandsOf, paint } from "./draw.mjs";
import { checked } from "./check.mjs";
import { clustersPython } from "./python.mjs";
import { FIRST, keepCount, LOOSE, prepare, RADII, same, TIGHT } from "./run.mjs";
import { treeChart } from "./tree.mjs";
import { brief, clock, LAMPS, lampsOf, momentOf, readoutsOf, runWords, sentence, span, verdictOf } from "./words.mjs";

const WATCHED = ["n", "beta", "B", "V", "start", "seed", "gap", "skew", "turn", "radius", "rtol", "t_end"];

/** The range that holds the highest step: that of k equal clusters, and air above it. */
function rangeOf(now) {
  const most = now.tree ? Math.max(...now.samples.values.subarray(0, now.samples.frames.length)) : 1;
  return [0, 1.15 / Math.max(1, Math.floor(1 / most + 0.02))];
}

/** Shares of the largest energy of k equal clusters that do not see each other. */
function levelsOf(now, [, top]) {
  if (!now.plain) return [];
  const first = Math.ceil(1 / top);
  const name = (k) => (k === 1 ? "1 cluster" : k === first || k === 2 ? `${k} equal` : k < first + 3 ? String(k) : "");
  return [0, 1, 2, 3].map((i) => ({ y: 1 / (first + i), label: name(first + i) }));
}

export const clustersView = {
  title: "How long do clusters wait before they meet?",
  lead: "Drag the [[grab|orange grip]] along log time, or press a fork of the tree to go to that merger.",
  build(card) {
    let now = prepare(card.values());
    let m = momentOf(now, 0);
    let k = 0;
    const pace = card.pace();
    let layout = null;
    let drawn = [];
    const stage = card.stage({
      label: "Tokens on a circle, clusters by letter.",
      draw: (ctx, view) => paint(ctx, view, { now, m, k }),
    });
    const outs = card.readouts(["clusters", "next merger in", "pair alone, in"]);
    const chart = card.chart({ x: "", y: "energy *E* as a share of the largest" });
    const tree = treeChart(card, {
      look: () => ({ tree: now.tree, t: Math.max(m.t, FIRST), axis: now.axis, at: layout }),
      seek: (t) => card.clock.seek(t),
    });
    const verdict = card.verdict();
    const player = card.player({
      axis: now.axis,
      seconds: 12,
      format: clock,
      work: (ms) => now.advance(ms),
      filled: () => (now.tree ? now.axis.max : now.axis.min), // what is said needs the tree
      stopped: () => now.run.failed,
      show,
    });
    card.live(() => sentence(now, m));
    card.presets();
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.1, max: 100, scale: "log" });
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: 2, max: 256, int: true, scale: "log" });
    card.choice({ key: "start", label: "start", options: [["uniform", "uniform draw"], ["gap", "a pair"], ["grid", "skewed grid"]] });
    const when = (kind) => () => card.get("start") === kind;
    card.control(sliderWhen(card, { key: "seed", symbol: "seed", label: "of the draw", min: 0, max: 99, int: true }, ["start"], when("uniform")));
    card.control(sliderWhen(card, { key: "gap", symbol: "*φ*", label: "gap of the pair", min: 0.15, max: 3.1, format: (v) => number(v, 4) }, ["start"], when("gap")));
    card.control(sliderWhen(card, { key: "skew", symbol: "*a*", label: "skew of the grid", min: -0.9, max: 0.9, step: 0.05 }, ["start"], when("grid")));
    card.slider({ key: "t_end", symbol: "*T*", label: "end of the run", min: 100, max: 1e9, scale: "log", format: brief });
    card.choice({ key: "radius", label: "radius of a cluster", options: RADII.map((r) => [r, String(r)]) });
    card.choice({ key: "rtol", label: "tolerance of the steps", options: [[TIGHT, brief(TIGHT)], [LOOSE, `${brief(LOOSE)}, looser`]] });
    const lamps = card.lamps("Can these clusters be trusted?", LAMPS);
    const deviation = card.deviation((reference) => checked(reference, now));
    const version = card.model.get("version");
    const foot = card.passport({
      items: () => [...runWords(now), deviation(), `tfdynlib ${version}`],
      python: () => clustersPython(card.values(), { t: m.t }),
    });
    keepCount(card, "uniform");

    function show(t) {
      const key = [now, t, now.samples.frames.length, now.tree, now.other.going];
      if (same(key, drawn)) return;
      drawn = key;
      m = momentOf(now, t);
      const { frames } = now.samples;
      k = now.samples.index(m.t);
      stage.invalidate();
      tree.invalidate();
      readoutsOf(now, m).forEach((text, i) => outs.set(i, text, i === 2 ? "theory" : ""));
      const range = rangeOf(now);
      chart.set({
        now: k, filled: frames.length, bands: bandsOf(now.waits, now.axis.max, span),
        range, levels: levelsOf(now, range),
      });
      if (pace.due()) {
        verdict.set(...verdictOf(now, m));
        lampsOf(now, m).forEach((lamp, i) => lamps.set(i, ...lamp));
        foot.update();
        card.relabel();
      }
    }

    function drawChart() {
      chart.set({
        axis: now.axis,
        strip: true,
        t: now.samples.times,
        curves: [{ y: now.samples.values }],
        over: (ctx, at) => {
          if (layout?.left !== at.left || layout?.right !== at.right) tree.invalidate();
          layout = at;
        },
        x: "layer-time *t*, log",
      });
    }

    function restart() {
      const { min, max } = now.axis;
      now = prepare(card.values());
      drawChart();
      if (now.axis.min !== min || now.axis.max !== max) player.axis = now.axis;
      now.advance(10);
      player.wake();
    }
    card.on(WATCHED, restart);
    /** What is shown, as numbers: for tests and for the curious. */
    card.el.tfdyn.numbers = () => ({
      t: m.t, x: [...m.x], clusters: m.count, counts: m.counts, other: m.other, gap: m.pair?.gap ?? null,
      energy: Math.exp(now.energy(m.t)), share: m.share, left: m.left, alone: m.alone, wait: m.wait,
      waits: now.waits, tree: now.tree, forks: tree.places(), steps: now.run.steps, letters: m.places.list.map((one) => one.letter),
    });
    restart();
  },
};
