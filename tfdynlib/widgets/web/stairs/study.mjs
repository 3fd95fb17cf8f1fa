// View "study": the stored runs of a study as a map, and the run of the chosen cell.

import { checked } from "./check.mjs";
import { distanceCurve, paintExit } from "./exit_draw.mjs";
import { exitPython, studyPython } from "./python.mjs";
import { same } from "./run.mjs";
import { studyMap } from "./study_map.mjs";
import { momentOf, prepareStudy } from "./study_run.mjs";
import { LAMPS, lampsOf, readoutsOf, sentence, verdictOf } from "./study_words.mjs";
import { brief, clock } from "./words.mjs";

const WATCHED = ["n", "beta", "B", "V", "start", "seed", "gap", "skew", "turn", "rtol", "t_end"];
const BETAS = [20, 40, 80, 160, 320];
const SKEWS = [0.4, 0.2];
const DOTS = 2; // every second stored value is a dot of the chart

/** The stored values of the chosen run as dots on the curve of this one. */
function dots(ctx, at, palette, { row, t }) {
  if (!row) return;
  ctx.fillStyle = palette.theory;
  for (let k = 0; k < t.length; k += DOTS) {
    ctx.beginPath();
    ctx.arc(at.x(t[k]), at.y(row.y[k]), 2.2, 0, 2 * Math.PI);
    ctx.fill();
  }
}

export const studyView = {
  title: "What does one curve out of ten say?",
  lead: "Press [[grab|a cell]] of the map: its run is shown. Dots are stored values, the line is computed here.",
  build(card) {
    const table = card.model.get("study") ?? {};
    let now = prepareStudy(card.values(), table);
    let m = momentOf(now, 0);
    let k = 0;
    const pace = card.pace();
    let layout = null;
    let drawn = [];
    const stage = card.stage({
      label: "Tokens on a circle, with the poles they gather at.",
      draw: (ctx, view) => paintExit(ctx, view, { now, m, k }),
    });
    const outs = card.readouts(["*W*_2 to poles", "stored", "exit at"]);
    const chart = card.chart({ x: "layer-time *t*", y: "chordal *W*_2 to the poles" });
    const map = studyMap(card, {
      look: () => ({
        rows: now.rows, t: now.t, axis: now.axis, at: layout, slope: now.limit.slope,
        beta: now.state.beta, now: Math.min(card.clock.t, now.axis.max),
      }),
      pick(beta, t) {
        card.set({ beta });
        card.clock.seek(t);
      },
    });
    const verdict = card.verdict();
    const player = card.player({
      axis: now.axis,
      seconds: 10,
      format: clock,
      work: (ms) => now.advance(ms),
      filled: () => (now.own ? now.axis.max : now.axis.min), // what is said needs the exit
      stopped: () => now.run.failed,
      show,
    });
    card.live(() => sentence(now, m));
    card.presets();
    card.choice({ key: "beta", label: "inverse temperature *β*", options: BETAS.map((v) => [v, String(v)]) });
    card.choice({ key: "skew", label: "skew of the cloud", options: SKEWS.map((v) => [v, String(v)]) });
    const lamps = card.lamps("Is this evidence?", LAMPS);
    const deviation = card.deviation((reference) => checked(reference, now));
    const version = card.model.get("version");
    const foot = card.passport({
      items: () => [
        "sweep.published(\"exit\")", "method dopri5", `tolerance ${brief(now.state.rtol)}`, deviation(), `tfdynlib ${version}`,
      ],
      python: () => (now.row ? studyPython : exitPython)(card.values(), { t: m.t, simple: now.limit.simple }),
    });

    function show(t) {
      const key = [now, t, now.samples.frames.length, now.own];
      if (same(key, drawn)) return;
      drawn = key;
      m = momentOf(now, t);
      const { frames } = now.samples;
      k = now.samples.index(m.t);
      stage.invalidate();
      map.invalidate();
      readoutsOf(now, m).forEach((text, i) => outs.set(i, text));
      chart.set({ now: k, filled: now.limit.simple ? frames.length : 0 });
      if (pace.due()) {
        verdict.set(...verdictOf(now, m));
        lampsOf(now).forEach((lamp, i) => lamps.set(i, ...lamp));
        foot.update();
        card.relabel();
      }
    }

    function drawChart() {
      const others = now.rows.filter((row) => row !== now.row);
      chart.set({
        ...distanceCurve(now),
        ghosts: others.map(({ y }) => ({ t: now.t, y })),
        over(ctx, at, view) {
          if (layout?.left !== at.left || layout?.right !== at.right) map.invalidate();
          layout = at;
          dots(ctx, at, view.palette, now);
        },
      });
    }

    function restart() {
      const { max } = now.axis;
      now = prepareStudy(card.values(), table);
      drawChart();
      if (now.axis.max !== max) player.axis = now.axis;
      now.advance(10);
      player.wake();
    }
    card.on(WATCHED, restart);
    /** What is shown, as numbers: for tests and for the curious. */
    card.el.tfdyn.numbers = () => ({
      t: m.t, x: [...m.x], distance: m.distance, stored: m.stored, gap: now.gap, exit: now.own?.exit ?? null,
      rows: now.rows.map(({ beta, exit, twice }) => [beta, exit, twice]),
      places: now.rows.map(({ beta }) => map.place(beta, 0)), at: layout && { left: layout.left, right: layout.right },
    });
    restart();
  },
};
