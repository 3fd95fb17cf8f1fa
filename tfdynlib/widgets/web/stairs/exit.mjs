// View "exit": the cloud waits at the poles of V B, then V takes it away, log beta later.

import { number } from "../kit/dom.mjs";
import { log } from "../kit/scale.mjs";
import { label } from "../kit/text.mjs";
import { checked } from "./check.mjs";
import { distanceCurve, lawLine, paintExit } from "./exit_draw.mjs";
import { FROM, LAW, prepareExit, slopes } from "./exit_run.mjs";
import { exitOf, LAMPS, lampsOf, momentOf, readoutsOf, sentence, verdictOf } from "./exit_words.mjs";
import { exitPython } from "./python.mjs";
import { keepCount, same } from "./run.mjs";
import { clock, runWords } from "./words.mjs";

const WATCHED = ["n", "beta", "B", "V", "start", "seed", "gap", "skew", "turn", "rtol", "t_end"];
const BETAS = { ...log(20, 640), ticks: () => LAW };

/** The exits that were measured, as dots. */
function dots(ctx, at, palette, points) {
  ctx.fillStyle = palette.state;
  for (const { beta, exit } of points) {
    ctx.beginPath();
    ctx.arc(at.x(beta), at.y(exit), 3, 0, 2 * Math.PI);
    ctx.fill();
  }
}

export const exitView = {
  title: "When does the cloud leave the poles?",
  lead: "Drag the [[grab|orange grips]]: log time above, *β* below. Twice *β*, and it leaves a constant later.",
  build(card) {
    let now = prepareExit(card.values());
    let m = momentOf(now, 0);
    let k = 0;
    const pace = card.pace();
    let told = null; // the law that was spoken
    let drawn = [];
    const stage = card.stage({
      label: "Tokens on a circle, with the poles they gather at.",
      draw: (ctx, view) => paintExit(ctx, view, { now, m, k }),
    });
    const outs = card.readouts(["*W*_2 to poles", "exit at", "slope in ln *β*"]);
    const chart = card.chart({ x: "layer-time *t*, log", y: "chordal *W*_2 to the poles" });
    const law = card.chart({
      x: "inverse temperature *β*, log", y: "exit time",
      seek: (beta) => card.set({ beta: Number(beta.toPrecision(3)) }),
    });
    law.canvas.classList.add("tfdyn-low");
    const verdict = card.verdict();
    const player = card.player({
      axis: now.axis,
      seconds: 10,
      format: clock,
      work,
      filled: () => (now.own ? now.axis.max : now.axis.min), // what is said needs the exit
      stopped: () => now.run.failed,
      show,
    });
    card.live(() => sentence(now, m));
    card.presets();
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 5, max: 1000, scale: "log" });
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: 16, max: 256, int: true, scale: "log" });
    card.slider({ key: "skew", symbol: "*a*", label: "skew of the cloud", min: -0.9, max: 0.9, step: 0.05 });
    card.slider({ key: "turn", symbol: "*α*", label: "turn of the grid", min: -0.5, max: 0.5, step: 0.01 });
    card.slider({ key: "t_end", symbol: "*T*", label: "end of the run", min: 5, max: 1000, scale: "log" });
    card.matrices({ keys: ["B", "V"], names: ["who listens to whom", "what is passed on"], heads: 1, size: 2, title: "Weights of the head: *B*, *V*" });
    const lamps = card.lamps("Does the log *β* law speak about this?", LAMPS);
    const deviation = card.deviation((reference) => checked(reference, now));
    const version = card.model.get("version");
    const foot = card.passport({
      items: () => [...runWords(now), deviation(), `tfdynlib ${version}`],
      python: () => exitPython(card.values(), { t: m.t, simple: now.limit.simple }),
    });

    /** Work ahead; what the law says is told when it is there. */
    function work(ms) {
      const left = now.advance(ms);
      if (!left && told !== now.law) {
        told = now.law;
        card.speak();
      }
      return left;
    }

    function show(t) {
      const key = [now, t, now.samples.frames.length, now.own, now.law.found.length];
      if (same(key, drawn)) return;
      drawn = key;
      m = momentOf(now, t);
      const { frames } = now.samples;
      k = now.samples.index(m.t);
      stage.invalidate();
      readoutsOf(now, m).forEach((text, i) => outs.set(i, text));
      chart.set({ now: k, filled: now.limit.simple ? frames.length : 0, ...besides() });
      drawLaw();
      if (pace.due()) {
        verdict.set(...verdictOf(now, m));
        lampsOf(now).forEach((lamp, i) => lamps.set(i, ...lamp));
        foot.update();
        card.relabel();
      }
    }

    /** Runs at other temperatures as ghosts, and the wait as a band. */
    function besides() {
      const exit = exitOf(now);
      const ghosts = now.law.found.map(({ t, y }) => {
        const first = t.findIndex((time) => time >= FROM);
        return { t: t.subarray(first), y: y.subarray(first) };
      });
      const bands = exit === null || !Number.isFinite(exit) ? [] : [{ from: now.own.near, to: exit, strength: 0.1, label: "waits" }];
      return { ghosts, bands };
    }

    function drawLaw() {
      const points = now.law.found.map(({ beta, exit }) => ({ beta, exit }));
      const exit = exitOf(now);
      if (now.own && !LAW.includes(now.state.beta)) points.push({ beta: now.state.beta, exit: exit ?? NaN });
      points.sort((a, b) => a.beta - b.beta);
      const shown = now.mirrored ? [] : points.filter((point) => Number.isFinite(point.exit));
      const top = Math.max(1, ...shown.map((point) => point.exit));
      law.set({
        axis: BETAS,
        t: shown.map(({ beta }) => beta),
        curves: [{ y: shown.map((point) => point.exit) }],
        filled: shown.length,
        now: Math.max(0, shown.findIndex(({ beta }) => beta === now.state.beta)),
        range: [0, 1.25 * top],
        over: (ctx, at, view) => {
          dots(ctx, at, view.palette, shown);
          const through = shown.find(({ beta }) => LAW.includes(beta));
          lawLine(ctx, at, view.palette, { slope: now.limit.slope, through, axis: BETAS });
          if (through && !Number.isNaN(now.limit.slope))
            label(ctx, `slope ${number(now.limit.slope, 4)}`, at.left + 8, at.top + 8, view.palette, { size: 12.5, color: view.palette.theory, halo: view.palette.bg });
        },
      });
    }

    function restart() {
      const { max } = now.axis;
      now = prepareExit(card.values(), now);
      chart.set({ ...distanceCurve(now), strip: true });
      if (now.axis.max !== max) player.axis = now.axis;
      now.advance(10);
      player.wake();
    }
    card.on(WATCHED, restart);
    keepCount(card, "grid");
    /** What is shown, as numbers: for tests and for the curious. */
    card.el.tfdyn.numbers = () => ({
      t: m.t, x: [...m.x], distance: m.distance, exit: exitOf(now), least: now.own?.least ?? null, back: now.back,
      law: now.law.found.map(({ beta, exit }) => [beta, exit]), slopes: slopes(now.law.found), limit: now.limit, steps: now.run.steps,
    });
    restart();
  },
};
