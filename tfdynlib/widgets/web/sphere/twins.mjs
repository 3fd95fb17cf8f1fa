// View "twins": two clouds that differ a little, their distance, and what a bound allows.

import { minus } from "../kit/dom.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { linear, logFromZero } from "../kit/scale.mjs";
import { label } from "../kit/text.mjs";
import { sliderWhen } from "../circle/controls.mjs";
import { HEADS } from "./editor.mjs";
import { facts } from "./theorem.mjs";
import { turning } from "../kit/turning.mjs";
import { twinsPython } from "./twins_python.mjs";
import { paired } from "./run.mjs";
import { twinsOf } from "./twins_run.mjs";
import { paintTwins } from "./twins_stage.mjs";

const LONG = 50; // runs from here on are shown on a logarithmic axis of time
const AT_ONCE = 30; // ms of integration at once when a weight changes
const TRAIL = 1.6; // layer-time
const FLOOR = 1e-9; // where the axis of distances ends, at the latest

/** Three digits; a reader of Python finds them again. */
const digits = (value) => (value === 0 ? "0" : minus(value.toPrecision(3)));
const VAST = 4; // powers of ten from here on are told by their exponent
/** What is allowed, from its logarithm to base ten. */
const reach = (power) => (power < VAST ? `a distance of ${digits(10 ** power)}` : `ten to the ${Math.round(power)}`);

const CHANGES = [["prompt", "one token"], ["weights", "rounded weights"], ["sign", "sign of the weights"]];

const LAMPS = ["the rule is softmax", "both clouds have the same weights", "*V* = ±*B* in every head", "the bound says more than the sphere does"];

function verdictOf(now, distance, allowed) {
  if (now.dt === null) return ["Too fast to follow", "Lower *β* or the entries of *B* and *V*.", "stop"];
  const { change } = now.state;
  const room = now.softmax ? `The bound allows ${reach(allowed)}.` : "No bound is drawn for this rule.";
  if (change === "prompt") {
    const ratio = distance / now.before;
    const words = ratio < 0.995 ? "They come closer" : ratio > 1.005 ? "They part" : "As far apart as before";
    return [words, `${digits(ratio)} times the distance at the start. ${room}`, "ink"];
  }
  if (distance > 0.5) return ["Another fate", `A small change of weights, and the clouds end far apart. ${room}`, "ink"];
  return ["Still the same picture", room, "ink"];
}

/** The bound, dashed, as far as the chart reaches. */
function dashed(ctx, at, view, now, range) {
  const p = view.palette;
  const [low, high] = range.map(Math.log10);
  ctx.save();
  ctx.beginPath();
  ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
  ctx.clip();
  ctx.beginPath();
  let end = null;
  const [from, to] = [now.axis.min, now.axis.max];
  // The moment b at which it leaves the chart.
  let [a, b] = [from, to];
  for (let k = 0; k < 60 && now.bound(to) > high; k += 1) {
    const middle = (a + b) / 2;
    if (now.bound(middle) > high) b = middle;
    else a = middle;
  }
  for (let k = 0; k <= 160; k += 1) {
    const t = from + (b - from) * (k / 160) ** 2;
    const level = Math.max(now.bound(t), low - 1);
    const point = [at.x(t), at.y(10 ** level)];
    if (k === 0) ctx.moveTo(...point);
    else ctx.lineTo(...point);
    end = point;
  }
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 1.8;
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.restore();
  const left = end[0] > (at.left + at.right) / 2;
  label(ctx, "bound", end[0] + (left ? -8 : 8), at.top + 34, p, { size: 12.5, color: p.theory, halo: p.bg, align: left ? "right" : "left" });
}

/** The bound at all times of the run, worked out once. */
function allowedAt(now) {
  now.allowed ??= Array.from(now.run.times, (t) => 10 ** now.bound(t));
  return now.allowed;
}

function rangeOf(run) {
  let low = 1;
  for (let k = 0; k < run.filled; k += 1) if (run.values[k] > 0) low = Math.min(low, run.values[k]);
  return [10 ** Math.floor(Math.log10(Math.max(low, FLOOR))), 10];
}

function deviationFrom(now, reference) {
  if (reference.dt !== now.dt) return null;
  const numbers = doubles(reference.bound);
  let worst = largestDifference([now.L / Math.max(1, numbers[0]), now.gap], [numbers[0] / Math.max(1, numbers[0]), numbers[1]]);
  for (const { t, x } of reference.tokens) {
    if (t > now.state.t_end) continue;
    const k = Math.round(t / now.spacing);
    if (k >= now.run.filled) return null;
    worst = Math.max(worst, largestDifference(now.run.at(k), doubles(x)));
  }
  return worst;
}

export const twinsView = {
  title: "How far apart do two almost equal prompts drift?",
  lead: "Dots and rings are two clouds. Set [[grab|how they differ]], play, and compare their distance with the bound.",
  build(card) {
    let now = null;
    let k = 0;
    let hint = true;
    const pace = card.pace();
    let distance = 0;
    let allowed = 0;

    const stage = card.stage({
      label: "Two clouds of tokens on the sphere, dots and rings.",
      keys: "Arrow keys turn the sphere, space plays.",
      draw(ctx, view) {
        const count = Math.min(k, Math.round(TRAIL / now.spacing));
        const stride = Math.max(1, Math.floor(count / 24));
        const trail = [];
        for (let j = k - stride * Math.floor(count / stride); j <= k; j += stride) trail.push(now.run.at(j));
        paintTwins(ctx, view, {
          both: now.run.at(k), trail, turn: card.get("turn"), tilt: card.get("tilt"),
          prompt: card.get("change") === "prompt", hint: hint && view.w > 200 && !card.onPaper(),
        });
      },
      onKey: (event) => onKey(event),
    });
    const onKey = turning(card, stage.canvas, () => stage.invalidate());
    stage.canvas.addEventListener("pointerdown", () => { hint = false; }, { once: true });
    const outs = card.readouts(["distance", "at the start", "rate *L*"]);
    const chart = card.chart({ x: "layer-time *t*", y: "distance of the clouds, log" });
    const verdict = card.verdict();

    function show(t) {
      const { run } = now;
      k = run.index(t);
      distance = run.values[k];
      allowed = now.bound(run.times[k]);
      stage.invalidate();
      const range = rangeOf(run);
      chart.set({
        t: run.times,
        curves: [{ y: run.values }],
        filled: run.filled,
        now: k,
        log: true,
        range,
        levels: [{ y: Math.PI, label: "half a turn" }],
        shunned: now.softmax ? [{ y: allowedAt(now) }] : [],
        over: (ctx, at, view) => { if (now.softmax) dashed(ctx, at, view, now, range); },
      });
      outs.set(0, digits(distance));
      outs.set(1, digits(now.before));
      outs.set(2, now.softmax ? digits(now.L) : "–", "theory");
      if (pace.due()) {
        verdict.set(...verdictOf(now, distance, allowed));
        lampsAt();
        foot.update();
        card.relabel();
      }
    }

    function lampsAt() {
      const { change } = now.state;
      const found = facts(now.state);
      lamps.set(0, now.softmax ? "holds" : "fails", now.softmax ? "the field is Lipschitz" : "this bound is for softmax");
      lamps.set(1, change === "prompt" ? "holds" : "fails", change === "prompt" ? "" : "a gap of the two fields is added to the bound");
      lamps.set(2, found.factor !== null && Math.abs(found.factor) === 1 ? "holds" : "fails", "asked by the energy, not by the bound");
      if (!now.softmax) lamps.set(3, "unasked", "");
      else if (10 ** allowed < Math.PI) lamps.set(3, "holds", "it is below half a turn");
      else lamps.set(3, "fails", "it allows more than half a turn: true, and empty");
    }

    const player = card.player({
      axis: linear(0, card.get("t_end")),
      step: 0.2,
      seconds: 10,
      work: (ms) => now.run.filled < now.run.times.length && now.run.advance(ms),
      filled: () => now.run.times[now.run.filled - 1],
      stopped: () => now.dt === null || now.run.failed,
      show,
    });
    card.presets();
    card.choice({ key: "change", label: "what differs", options: CHANGES });
    card.control(sliderWhen(card,
      { key: "size", symbol: "*ε*", label: "size of the change", min: 1e-5, max: 1, scale: "log" },
      ["change"], () => card.get("change") !== "weights"));
    card.control(sliderWhen(card,
      { key: "bits", symbol: "bits", label: "of each weight", min: 2, max: 16, int: true },
      ["change"], () => card.get("change") === "weights"));
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.1, max: 50, scale: "log" });
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: 2, max: 512, scale: "log", int: true });
    card.slider({ key: "seed", symbol: "start", label: "seed of the random draw", min: 0, max: 99, int: true });
    card.slider({ key: "t_end", symbol: "*T*", label: "end of the run", min: 5, max: 200, scale: "log", int: true });
    card.matrices(HEADS);
    const lamps = card.lamps("What does the exponential bound ask, and say?", LAMPS);
    const measured = card.deviation((reference) => deviationFrom(now, reference));
    const foot = card.passport({
      items: () => [`seed ${card.get("seed")}`, "method rk4", `dt ${now.dt ?? "too long"}`, "distance token by token, at least W₂", measured(), `tfdynlib ${card.model.get("version")}`],
      python: () => twinsPython(paired(card.values()), allowed >= VAST),
    });
    card.live(() =>
      `Layer-time ${player.t.toFixed(1)}. ${card.get("n")} pairs of tokens, distance ${digits(distance)}, ${digits(now.before)} at the start. ` +
      (now.softmax ? `The bound allows ${reach(allowed)}.` : "No bound for this rule."));

    function restart() {
      now = twinsOf(card.values());
      now.axis = now.state.t_end < LONG ? linear(0, now.state.t_end) : logFromZero(now.state.t_end);
      now.run.advanceTo(Math.min(player.t, now.state.t_end) - 1e-9, AT_ONCE);
      player.axis = now.axis;
      chart.set({ axis: now.axis, x: now.axis.kind === "log" ? "layer-time *t*, log" : "layer-time *t*" });
      player.wake();
    }
    card.on(["n", "beta", "seed", "start", "rule", "B", "V", "change", "size", "bits", "t_end"], restart);
    card.on(["turn", "tilt"], () => stage.invalidate());
    /** What is shown, as numbers: for tests and for the curious. */
    card.el.tfdyn.numbers = () => ({
      both: [...now.run.at(k)], distance, allowed, L: now.L, gap: now.gap, before: now.before,
      distances: [...now.run.values.subarray(0, now.run.filled)],
    });
    restart();
  },
};
