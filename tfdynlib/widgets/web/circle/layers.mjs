// View "layers": L Euler steps, a transformer of L layers, beside the flow.

import { number } from "../kit/dom.mjs";
import { fade, mix } from "../kit/palette.mjs";
import { linear, log } from "../kit/scale.mjs";
import { label } from "../kit/text.mjs";
import { eulerStep, rk4Step } from "../twin/flow.mjs";
import { choice } from "../kit/slider.mjs";
import { placeToken, startControls, weightsColumn } from "./controls.mjs";
import * as model from "./model.mjs";
import { dragTokens, tokenKeys } from "./pointer.mjs";
import { layersPython } from "./python.mjs";
import { passportOf } from "./reference.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import * as ring from "./ring.mjs";

const TURN = 2 * Math.PI;
const MOST = 96;
const FINE = 960; // rk4 steps of the flow shown: error far below that of any Euler run
const WATCHED = ["n", "beta", "B", "V", "start", "seed", "gap", "angles", "t_end", "layers", "normalise"];

/** L Euler steps: every layer's tokens. Without normalisation nothing is projected. */
function eulerPath(now, L) {
  const h = now.state.t_end / L;
  const path = [now.x0];
  for (let k = 0; k < L; k++) path.push(eulerStep(now.layer, k * h, path[k], h, now.n, 2, now.state.normalise));
  return path;
}

function flowPath({ field, x0, n, state }) {
  const h = state.t_end / FINE;
  const path = [x0];
  for (let k = 0; k < FINE; k++) path.push(rk4Step(field, k * h, path[k], h, n, 2));
  return path;
}

/** Largest distance of two sets of tokens: along arcs on the circle, else straight. */
export function largestGap(x, y, arcs) {
  let top = 0;
  for (let k = 0; k < x.length; k += 2) {
    const apart = Math.hypot(x[k] - y[k], x[k + 1] - y[k + 1]);
    const far = Math.hypot(x[k] + y[k], x[k + 1] + y[k + 1]);
    top = Math.max(top, arcs ? 2 * Math.atan2(apart, far) : apart);
  }
  return top;
}

function prepare(state) {
  const heads = model.headsOf(state);
  const x0 = model.startTokens(state);
  const n = x0.length / 2;
  const { field } = model.flowOf(heads, state.beta, n);
  const layer = state.normalise ? field : model.flowOf(heads, state.beta, n, "euclidean").field;
  const now = { state, heads, x0, n, field, layer };
  now.flow = flowPath(now);
  now.path = eulerPath(now, state.layers);
  now.end = now.flow[FINE];
  now.error = largestGap(now.path.at(-1), now.end, state.normalise);
  now.longest = longest(now.path.at(-1));
  return now;
}

/** Length of the longest token: one on the circle. */
function longest(x) {
  let top = 0;
  for (let k = 0; k < x.length; k += 2) top = Math.max(top, Math.hypot(x[k], x[k + 1]));
  return top;
}

/** Errors for L = 1 ... 96, worked off a few at a time. */
function errorTable(now) {
  const errors = new Float64Array(MOST);
  let filled = 0;
  return {
    errors,
    get filled() { return filled; },
    advance(ms) {
      const end = performance.now() + ms;
      while (filled < MOST && performance.now() < end) {
        const last = eulerPath(now, filled + 1).at(-1);
        errors[filled] = Math.max(largestGap(last, now.end, now.state.normalise), 1e-16);
        filled += 1;
      }
      return filled < MOST;
    },
  };
}

/** Radius of a moment on the stage: the middle is the first layer, the rim the last. */
const depth = (g, share) => g.R * (0.16 + 0.84 * share);

function paint(ctx, view, { now, t, moving, held, chosen }) {
  const p = view.palette;
  if (!now.state.normalise) {
    paintPlane(ctx, view, now, t);
    return;
  }
  const g = ring.place(view, 34);
  const share = t / now.state.t_end;
  const { layers: L } = now.state;
  ring.disc(ctx, g, p);
  layerRings(ctx, g, p, L);
  ring.rim(ctx, g, p);
  strands(ctx, g, p, now.flow, now.n, { color: p.theory, width: 1.5, dash: [6, 5] });
  const done = Math.floor(share * L + 1e-9);
  strands(ctx, g, p, now.path, now.n, { color: mix(p.state, p.glass1, 0.38), width: 2 });
  strands(ctx, g, p, now.path.slice(0, done + 1), now.n, { color: p.state, width: 2.2, of: L });
  const here = { ...g, R: depth(g, share) };
  ctx.beginPath();
  ctx.arc(g.cx, g.cy, here.R, 0, TURN);
  ctx.strokeStyle = p.ink;
  ctx.lineWidth = 1;
  ctx.stroke();
  ring.dots(ctx, { ...g, R: depth(g, done / L) }, p, anglesOf(now.path[done]), 4.6);
  if (moving) ring.knobs(ctx, here, p, anglesOf(now.x0), 5.5, held >= 0 ? held : chosen);
  captions(ctx, g, p);
}

const anglesOf = (x) => Array.from({ length: x.length / 2 }, (_, i) => Math.atan2(x[2 * i + 1], x[2 * i]));

function layerRings(ctx, g, p, L) {
  if (L > 30) return;
  ctx.strokeStyle = fade(p.grat, 0.7);
  ctx.lineWidth = 1;
  for (let k = 0; k < L; k++) {
    ctx.beginPath();
    ctx.arc(g.cx, g.cy, depth(g, k / L), 0, TURN);
    ctx.stroke();
  }
}

/** One line a token through the layers of a path, outward with depth. */
function strands(ctx, g, p, path, n, { color, width, dash = [], of = path.length - 1 }) {
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.lineJoin = "round";
  ctx.setLineDash(dash);
  const every = Math.max(1, Math.floor(path.length / 240));
  for (let i = 0; i < n; i++) {
    ctx.beginPath();
    for (let k = 0; k < path.length; k += every) {
      const r = depth(g, k / of);
      const [x, y] = [g.cx + r * path[k][2 * i], g.cy - r * path[k][2 * i + 1]];
      if (k === 0) ctx.moveTo(x, y);
      else ctx.lineTo(x, y);
    }
    ctx.stroke();
  }
  ctx.restore();
}

function captions(ctx, g, p) {
  label(ctx, "first layer", g.cx, g.cy, p, { size: 11.5, color: p.mut, align: "center", halo: p.glass1 });
  const [x, y] = ring.at(g, -Math.PI / 2, g.R + 16);
  label(ctx, "rim: the last layer · dashed: the flow", x, y, p, { size: 12, color: p.mut, align: "center", halo: p.bg });
}

/** Without normalisation: the plane, the circle left behind. */
function paintPlane(ctx, view, now, t) {
  const p = view.palette;
  const L = now.state.layers;
  const far = Math.max(...now.path.map(longest), 1.05);
  const size = Math.min(view.w, view.h) / 2 - 22;
  const g = { cx: view.w / 2, cy: view.h / 2, R: size / far };
  ring.disc(ctx, g, p);
  ring.rim(ctx, g, p);
  label(ctx, "the circle", g.cx, g.cy, p, { size: 12, color: p.mut, align: "center", halo: p.glass1 });
  const done = Math.floor((t / now.state.t_end) * L + 1e-9);
  ctx.lineJoin = "round";
  for (const [color, last] of [[mix(p.state, p.bg, 0.38), L], [p.state, done]]) {
    ctx.strokeStyle = color;
    ctx.lineWidth = 2;
    for (let i = 0; i < now.n; i++) {
      ctx.beginPath();
      for (let k = 0; k <= last; k++) {
        const [x, y] = [g.cx + g.R * now.path[k][2 * i], g.cy - g.R * now.path[k][2 * i + 1]];
        if (k === 0) ctx.moveTo(x, y);
        else ctx.lineTo(x, y);
      }
      ctx.stroke();
    }
  }
  const x = now.path[done];
  for (let i = 0; i < now.n; i++)
    ring.dots(ctx, { ...g, R: g.R * Math.hypot(x[2 * i], x[2 * i + 1]) }, p, [Math.atan2(x[2 * i + 1], x[2 * i])], 4.6);
  ring.dots(ctx, g, p, anglesOf(now.flow[Math.round((t / now.state.t_end) * FINE)]), 3, p.theory);
}

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
    const home = () => { const g = ring.place(stage.view, 34); return { ...g, R: depth(g, 0) }; };
    const stage = card.stage({
      label: "Tokens through the layers, from the middle to the rim.",
      keys: "Left and right choose a token of the start, up and down turn it.",
      draw: (ctx, view) => paint(ctx, view, { now, t, moving: moving(), held: hand.held, chosen }),
      onKey: (event) => tokenKeys(event, {
        n: now.n,
        chosen: Math.max(chosen, 0),
        choose(i) { chosen = chosen < 0 ? 0 : i; card.clock.seek(0); stage.invalidate(); },
        turn(by) {
          chosen = Math.max(chosen, 0);
          card.clock.seek(0);
          placeToken(card, chosen, model.startAngles(card.values())[chosen] + by);
        },
      }),
    });
    const hand = dragTokens(card, stage, {
      marks: () => (moving() ? { g: home(), angles: anglesOf(now.x0) } : null),
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
