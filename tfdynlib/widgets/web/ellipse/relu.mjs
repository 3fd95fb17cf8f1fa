// View "relu": a bell through a kink, beside the bell it would have stayed.

import { doubles } from "../kit/passport.mjs";
import { linear } from "../kit/scale.mjs";
import * as relu from "../twin/relu.mjs";
import * as line from "./line.mjs";
import { reluPython } from "./python.mjs";
import { digits, heard } from "./words.mjs";
import { endNames } from "./wall.mjs";

const END = 1.5;
const FRAMES = 150;
const CLOSE = 0.05; // distance up to which the Gaussian is called good

function draw(ctx, view, { m, t, now }) {
  const p = view.palette;
  const grown = Math.exp(t);
  const reach = Math.max(4, 1.6 + (2.2 + Math.max(0, m)) * grown * 0.72);
  const centre = Math.max(0, m * grown * 0.5);
  const g = line.lineOf(view, { reach, centre, top: 0.46 });
  line.ground(ctx, g, p);
  const law = relu.density(m, t);
  line.area(ctx, g, law, p.state);
  line.curve(ctx, g, line.bell(now.mean, now.variance), { color: p.ctl, width: 1.4 });
  line.curve(ctx, g, law, { color: p.state, width: 2.6 });
  line.curve(ctx, g, line.bell(m * grown, grown * grown), { color: p.theory, width: 1.8, dash: [6, 5] });
  const put = line.names(ctx, g, p);
  const side = (m - 0.9) * grown;
  put("Gaussian of *x*′ = *x*", side, line.bell(m * grown, grown * grown)(side), p.theory, "right", 14);
  const peak = Math.max(0, m * grown);
  put("*x*′ = *x*^{+}", m > 0.3 ? peak : Math.min(m, 0), m > 0.3 ? law(peak) : law(Math.min(m, 0)), p.state, "center", 14);
  const far = now.mean + 0.3 * Math.sqrt(now.variance);
  put("same mean, variance", far, line.bell(now.mean, now.variance)(far), p.mut, "left", 10);
}

const LAMPS = ["no mass below the kink", "the Gaussian is close", "the distance is within its bound"];

function lampsOf(m, now) {
  const below = relu.Phi(-m);
  return [
    [below < 1e-3 ? "holds" : "fails", `${digits(100 * below, 3)} per cent of the tokens`],
    [now.distance <= CLOSE ? "holds" : "fails", `*W*_2 = ${digits(now.distance, 4)}`],
    [now.distance <= now.bound + 1e-12 ? "holds" : "fails", `${digits(now.distance, 4)} of at most ${digits(now.bound, 4)}`],
  ];
}

function verdictOf(now) {
  const text = `To the Gaussian of the same mean and variance it is ${digits(now.matched, 4)}.`;
  return now.distance <= CLOSE
    ? ["Nearly a bell still", text, "theory"]
    : ["No bell any more", text, "stop"];
}

export function build(card) {
  let [t, now, curves] = [0, null, null];
  const stage = card.stage({
    label: "Density of the tokens on a line, and two Gaussians.",
    draw: (ctx, view) => draw(ctx, view, { m: card.get("m"), t, now }),
  });
  const readouts = card.readouts(["distance *W*_2", "its bound", "skewness"]);
  const chart = card.chart({ x: "layer-time *t*", y: "distance *W*_2 to the Gaussian" });
  const verdict = card.verdict();

  function show(moment) {
    t = Math.min(moment, END);
    now = relu.numbers(card.get("m"), t);
    stage.invalidate();
    chart.set({ now: Math.round((t / END) * FRAMES) });
    readouts.set(0, digits(now.distance, 4));
    readouts.set(1, digits(now.bound, 4));
    readouts.set(2, digits(now.skewness, 4));
    verdict.set(...verdictOf(now));
    lampsOf(card.get("m"), now).forEach((lamp, i) => lamps.set(i, ...lamp));
    passport.update();
    card.relabel();
  }
  const player = card.player({
    axis: linear(0, END), seconds: 8, format: (v) => v.toFixed(2), work: () => false, filled: () => END, show,
  });
  card.presets();
  card.slider({ key: "m", symbol: "*m*", label: "mean at the start", min: -1, max: 4, step: 0.05 });
  const lamps = card.lamps("How Gaussian is it still?", LAMPS);
  const measured = card.deviation((reference) => {
    if (!reference.numbers) return null;
    const at = relu.numbers(card.get("m"), 1);
    const theirs = doubles(reference.numbers);
    return Math.max(...[at.distance, at.bound, at.skewness, at.matched].map((v, k) => Math.abs(v - theirs[k])));
  });
  const passport = card.passport({
    items: () => ["closed form", measured(), `tfdynlib ${card.model.get("version")}`],
    python: () => reluPython({ ...card.values(), t: Math.min(card.values().t, END) }),
  });
  card.live(() => heard(
    `Layer-time ${t.toFixed(2)}. Distance to the Gaussian ${digits(now.distance, 3)}, bound ${digits(now.bound, 3)}. Skewness ${digits(now.skewness, 3)}. ${verdictOf(now)[0]}.`,
  ));

  function restart() {
    const times = Float64Array.from({ length: FRAMES + 1 }, (_, k) => (k * END) / FRAMES);
    const all = Array.from(times, (s) => relu.numbers(card.get("m"), s));
    curves = { distance: Float64Array.from(all, (v) => v.distance), bound: Float64Array.from(all, (v) => v.bound) };
    chart.set({
      axis: player.axis, t: times, filled: times.length, labelWidth: 46, zero: true,
      range: [0, 1.05 * Math.max(curves.bound.at(-1), 1e-6)], curves: [{ y: curves.distance, width: 2.6 }],
      over(ctx, at, view) {
        ctx.save();
        ctx.beginPath();
        curves.bound.forEach((y, k) => ctx.lineTo(at.x(times[k]), at.y(y)));
        Object.assign(ctx, { strokeStyle: view.palette.theory, lineWidth: 1.8 });
        ctx.setLineDash([6, 5]);
        ctx.stroke();
        ctx.restore();
        endNames(ctx, at, view, [{ name: "bound", y: at.y(curves.bound.at(-1)) }], view.palette.theory);
      },
    });
    player.wake();
  }
  card.on(["m"], restart);
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({ t, m: card.get("m"), gap: relu.gap(card.get("m")), ...now });
  restart();
}

export const reluView = {
  title: "How long does a bell survive a kink?",
  lead: "Move the [[grab|mean]] to where the kink does not matter. [[state|Blue]] is the law under the kink.",
  build,
};
