// View "layers": L Euler steps, a transformer of L layers, beside the flow.

import { number } from "../kit/dom.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { linear, log } from "../kit/scale.mjs";
import { choice } from "../kit/slider.mjs";
import { label } from "../kit/text.mjs";
import { angles as anglesOf } from "../twin/points.mjs";
import { placeToken, startControls, startHand, weightsColumn } from "./controls.mjs";
import { errorTable, FINE, MOST, prepare } from "./layers_run.mjs";
import { home, paint } from "./layers_stage.mjs";
import * as model from "./model.mjs";
import { dragTokens, tokenKeys } from "./pointer.mjs";
import { layersPython } from "./python.mjs";
import { passportOf } from "./reference.mjs";

const WATCHED = ["n", "beta", "B", "V", "start", "seed", "gap", "angles", "t_end", "layers", "normalise"];

const digits = (v) => (v === 0 ? "0" : v < 1e-3 ? v.toExponential(2).replace("e-", "·10^{−") + "}" : number(v, 4));

function verdictOf(now, table) {
  if (!now.state.normalise)
    return ["The tokens leave the circle", `The farthest is at |*x*| = ${number(now.longest, 3)}. More layers do not bring them to the flow on the circle.`];
  const L = now.state.layers;
  if (2 * L <= table.filled) {
    const ratio = now.error / table.errors[2 * L - 1];
    return [`Twice the layers, error ÷ ${number(ratio, 3)}`, "First order: error times layers tends to a constant."];
  }
  return ["A layer is an Euler step", "First order: error times layers tends to a constant."];
}

export const layersView = {
  title: "How many layers make a flow?",
  lead: "Slide the number of [[grab|layers]]. Blue is the transformer, dashed the flow it steps along.",
  build(card) {
    let now = prepare(card.values());
    let table = errorTable(now);
    let t = 0;
    let chosen = -1;
    const moving = () => t === 0 && !card.clock.playing && now.state.normalise;
    const stage = card.stage({
      label: "Tokens through the layers, from the middle to the rim.",
      keys: "Left and right choose a token of the start, up and down turn it.",
      draw: (ctx, view) => paint(ctx, view, { now, t, moving: moving(), held: hand.held, chosen }),
      onKey: (event) => tokenKeys(event, startHand(card, now.n, chosen, (i) => { chosen = i; stage.invalidate(); })),
    });
    const hand = dragTokens(card, stage, {
      marks: () => (moving() ? { g: home(stage.view), angles: anglesOf(now.x0) } : null),
      take: (i) => { chosen = i; },
      put: (i, angle) => placeToken(card, i, angle),
      drop: () => card.speak(),
    });
    const outs = card.readouts(["layers", "error", "error × layers"]);
    const chart = card.chart({
      x: "layers *L*, log",
      y: "error at the end",
      seek: (L) => card.set({ layers: Math.max(1, Math.round(L)) }),
    });
    const verdict = card.verdict();
    const player = card.player({
      axis: linear(0, now.state.t_end),
      step: () => now.state.t_end / now.state.layers,
      seconds: 7,
      work: (ms) => table.advance(ms),
      filled: () => now.state.t_end,
      show,
    });
    card.live(() =>
      `${now.state.layers} layers to layer-time ${number(now.state.t_end, 3)}. ` +
      `Distance to the flow at the end ${number(now.error, 3)}, times layers ${number(now.error * now.state.layers, 3)}.`);
    card.presets();
    card.slider({ key: "layers", symbol: "*L*", label: "layers", min: 1, max: MOST, scale: "log", int: true });
    card.slider({ key: "t_end", symbol: "*T*", label: "horizon", min: 0.1, max: 20, scale: "log" });
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.1, max: 100, scale: "log" });
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: 2, max: 32, int: true });
    weightsColumn(
      card,
      choice(card, { key: "normalise", label: "after each layer", options: [[true, "normalise"], [false, "do not"]] }),
      ...startControls(card, [["uniform", "uniform draw"], ["angles", "as placed"]]),
    );
    const lamps = card.lamps("When does the error fall like *C* / *L*?", [
      "a step is short against the field", "tokens stay on the circle", "the field is smooth",
    ]);
    const foot = passportOf(card, {
      words: () => [`method euler, ${now.state.layers} steps`, `flow rk4, ${FINE} steps`],
      compare: (reference) => largestDifference(
        [...now.path.at(-1), ...now.end], doubles(reference.numbers)),
      python: () => layersPython(card.values()),
    });

    function show(moment) {
      t = moment;
      stage.invalidate();
      chart.set({ filled: table.filled, now: Math.min(now.state.layers, Math.max(table.filled, 1)) - 1 });
      verdict.set(...verdictOf(now, table));
      foot.update();
    }

    function restart() {
      now = prepare(card.values());
      table = errorTable(now);
      table.advance(5);
      const { layers: L, t_end: end, normalise } = now.state;
      outs.set(0, String(L));
      outs.set(1, digits(now.error));
      outs.name(2, normalise ? "error × layers" : "longest |*x*|");
      outs.set(2, normalise ? digits(now.error * L) : number(now.longest, 4));
      chart.set({
        axis: log(1, MOST),
        t: Float64Array.from({ length: MOST }, (_, k) => k + 1),
        curves: [{ y: table.errors }],
        log: true,
        over: (ctx, at, view) => firstOrder(ctx, at, view.palette, now, table),
      });
      const step = model.longestStep(now.heads, now.state.beta);
      const short = end / L <= 2 * step;
      lamps.set(0, short ? "holds" : "fails", short ? "" : `a step of ${number(end / L, 2)} is coarse for these weights`);
      lamps.set(1, normalise ? "holds" : "fails", normalise ? "" : "each layer lengthens or shortens them");
      lamps.set(2, "holds", "softmax at finite *β*");
      if (player.axis.max !== end) player.axis = linear(0, end);
      player.wake();
    }
    card.on(WATCHED, restart);
    card.el.tfdyn.numbers = () => ({
      x: [...now.path.at(-1)], error: now.error, longest: now.longest,
      errors: [...table.errors.subarray(0, table.filled)],
    });
    restart();
  },
};

/** The law C / L, dashed, fitted at the largest number of layers. */
function firstOrder(ctx, at, palette, now, table) {
  if (table.filled < MOST || !now.state.normalise) return;
  const C = table.errors[MOST - 1] * MOST;
  ctx.save();
  ctx.strokeStyle = palette.theory;
  ctx.lineWidth = 1.6;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
  ctx.clip();
  ctx.beginPath();
  ctx.moveTo(at.x(1), at.y(C));
  ctx.lineTo(at.x(MOST), at.y(C / MOST));
  ctx.stroke();
  ctx.restore();
  label(ctx, "*C* / *L*", at.x(2.2), at.y(C / 2.2) - 14, palette, { size: 12.5, color: palette.theory, halo: palette.bg });
}
