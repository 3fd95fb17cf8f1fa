// View "pole": Euler's method walks through the wall of a blow-up, and says nothing.

import { endNames, wall } from "../ellipse/wall.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { PARTS, prepare, truth, WALL } from "./pole_run.mjs";
import { paint } from "./pole_stage.mjs";
import { polePython } from "./python.mjs";
import { small, spoken } from "./words.mjs";

const WIDTHS = [3, 2, 1.3];
const RANGE = [0.8, 4000];
const APART = 0.05; // runs that differ by more than this part do not agree
const shown = (step) => String(Number(step.toPrecision(3)));

function verdictOf(m) {
  const s = truth(m.t);
  if (!Number.isFinite(s))
    return ["Behind the wall, and no alarm", `Three finite numbers, ${m.values.map((value) => small(value, 3)).join(", ")}. The variance has none.`, "stop"];
  if (agree(m)) return ["Before the wall: the steps agree", `The variance is ${small(s, 3)}; the longest step has ${small(m.values[0], 3)}.`, "theory"];
  return ["Close to the wall: the steps part", `The variance is ${small(s, 3)}; the longest step has ${small(m.values[0], 3)}, the shortest ${small(m.values[2], 3)}.`, "ink"];
}

const agree = (m) => Math.abs(m.values[0] / m.values[1] - 1) < APART;

function sentence(m) {
  const s = truth(m.t);
  const said = m.values.map((value, r) => `${spoken(value)} with steps of ${shown(m.steps[r])}`).join(", ");
  return `Layer-time ${m.t.toFixed(3)}. Variance by Euler: ${said}. ${Number.isFinite(s) ? `The truth: ${spoken(s)}.` : "The truth: none, the wall is passed."}`;
}

/** The truth, dashed, up to its wall; the names of the runs. */
function over(ctx, at, view, now) {
  const p = view.palette;
  ctx.save();
  ctx.beginPath();
  for (let t = 0; t < WALL; t += 0.0005) {
    const y = at.y(truth(t));
    if (y < at.top) break;
    ctx.lineTo(at.x(t), y);
  }
  Object.assign(ctx, { strokeStyle: p.theory, lineWidth: 1.7 });
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.restore();
  wall(ctx, at, view, WALL, "the wall");
  const last = now.t.length - 1;
  endNames(ctx, at, view, now.curves.map((row, r) => ({ name: shown(now.steps[r]), x: at.right + 10, y: at.y(row[last]) })), p.state);
}

export const poleView = {
  title: "Would a program notice a wall?",
  lead: "The variance of a Gaussian that blows up at *t* = ½, by three step sizes. Slide through [[grab|layer-time]] and over the wall.",
  build(card) {
    let now = prepare(card.values());
    let m = null;
    const stage = card.stage({
      label: "A bell curve that widens, as Euler's method has it with three step sizes, and the true one.",
      draw: (ctx, view) => paint(ctx, view, m),
    });
    const outs = card.readouts(["step Δ*t*", "Δ*t*/2", "Δ*t*/5"]);
    const chart = card.chart({ x: "layer-time *t*", y: "variance, log" });
    const verdict = card.verdict();
    const player = card.player({
      axis: now.axis,
      seconds: 10,
      step: 0.01,
      work: () => false,
      filled: () => now.axis.max,
      format: (t) => t.toFixed(3),
      show,
    });
    card.live(() => sentence(m));
    card.presets();
    card.slider({ key: "dt", symbol: "Δ*t*", label: "the longest step", min: 0.01, max: 0.05, scale: "log" });
    const lamps = card.lamps("Would one notice?", ["two step sizes agree", "the time is before the wall", "an alarm: overflow or not a number"]);
    const measured = card.deviation((reference) =>
      largestDifference(now.runs.flatMap((run) => [...run].map(Math.log)), doubles(reference.numbers)));
    const foot = card.passport({
      items: () => ["method Euler", `steps ${now.steps.map(shown).join(", ")}`, measured(), `tfdynlib ${card.model.get("version")}`],
      python: () => polePython({ ...card.values(), parts: PARTS, t: Number(player.t.toPrecision(7)) }),
    });

    function show(t) {
      m = { t, values: now.moment(t), steps: now.steps };
      stage.invalidate();
      chart.set({ now: now.index(t) });
      const odd = !agree(m);
      m.values.forEach((value, r) => outs.set(r, small(value, 3), odd ? "stop" : ""));
      verdict.set(...verdictOf(m));
      lamps.set(0, odd ? "fails" : "holds", odd ? "this is the alarm to wait for" : "within a twentieth");
      lamps.set(1, t < WALL ? "holds" : "fails", "the wall is at *t* = 0.5");
      lamps.set(2, "fails", "every number is finite");
      foot.update();
    }

    function restart() {
      now = prepare(card.values());
      chart.set({
        axis: now.axis, t: now.t, filled: now.t.length, log: true, range: RANGE, labelWidth: 44,
        curves: now.curves.map((y, r) => ({ y, width: WIDTHS[r] })),
        over: (ctx, at, view) => over(ctx, at, view, now),
      });
      player.wake();
    }
    card.on(["dt"], restart);
    card.el.tfdyn.numbers = () => ({ values: m.values, steps: m.steps, truth: Number.isFinite(truth(m.t)) ? truth(m.t) : null });
    restart();
  },
};
