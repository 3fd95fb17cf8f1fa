// View "split": is it ever cheaper to split a single point in two on the way?

import { number } from "../kit/dom.mjs";
import { linear } from "../kit/scale.mjs";
import { dragTokens } from "./pointer.mjs";
import { numbers, passportOf } from "./reference.mjs";
import { curveWith, MODES, prepare, STEPS } from "./split_run.mjs";
import { extremes, paint, placeOf } from "./split_stage.mjs";

const WATCHED = ["gap", "beta", "parts"];
const [NEAR, FAR] = [0.05, 3.1];
const SLICE = 5; // ms of search in a frame
const NOTHING = 1e-6; // part of the cost: a gain below this is none
const PARTS = { 1: "whole", 2: "in two halves", 4: "in four parts", 8: "in eight parts" };

const named = (parts) => PARTS[parts] ?? `in ${parts} parts`;
const within = (angle) => Math.min(FAR, Math.max(NEAR, Number(angle.toFixed(4))));

/** How far apart the outermost parts are halfway. */
function widthOf({ rows }) {
  const [low, high] = extremes(rows);
  return rows[STEPS / 2][high] - rows[STEPS / 2][low];
}

/** A cost to be read: four decimals, fewer when it is large. */
const cost = (value) => (value < 1000 ? value.toFixed(4) : value < 1e5 ? value.toFixed(1) : value.toExponential(4));

function verdictOf(now) {
  if (!now.settled) return ["Searching", "A rough path is drawn meanwhile."];
  const below = `*φ* is ${now.turn < now.threshold ? "below" : "above"} the threshold *π*/√*β* = ${number(now.threshold, 4)}`;
  if (now.parts === 1) return ["All of it together", `${below}. Let it come apart to see what that saves.`];
  const saved = 1 - now.ratio;
  if (saved < NOTHING) return ["Together is cheapest", `${below}: coming apart costs more motion than it saves.`];
  return [`Coming apart saves ${number(100 * saved, 3)} %`, `${below}. Halfway the parts are ${number(widthOf(now), 3)} apart.`];
}

function sentence(now) {
  const start = `Angle ${number(now.turn, 3)}, threshold ${number(now.threshold, 3)}. The way costs ${number(now.whole, 4)} whole`;
  if (now.parts === 1 || !now.settled) return `${start}.`;
  return `${start}, ${number(now.cost, 4)} ${named(now.parts)}. Halfway these are ${number(widthOf(now), 2)} apart.`;
}

const TURNS = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 };

/** Keys on the stage: the goal goes round. */
function keys(card, event) {
  const by = TURNS[event.key];
  if (!by) return false;
  card.set({ gap: within(card.get("gap") + by * (event.shiftKey ? 0.25 : 0.05)) });
  card.speak();
  return true;
}

function lampsOf(lamps, now) {
  const far = now.turn > now.threshold;
  lamps.set(0, far ? "holds" : "fails", `*φ*√*β*/*π* = ${number(now.turn / now.threshold, 4)}`);
  if (!now.settled) {
    for (const i of [1, 2, 3]) lamps.set(i, "unasked", "searching");
    return;
  }
  const { gradient, gap, length } = now.path;
  const saved = 1 - now.ratio;
  const cheaper = saved > NOTHING;
  if (now.parts === 1) lamps.set(1, "unasked", "it stays together");
  else lamps.set(1, cheaper ? "holds" : "fails", cheaper ? `by ${number(100 * saved, 3)} %` : "the parts stay together");
  lamps.set(2, gradient <= 1e-6 ? "holds" : "fails", gradient <= 1e-6 ? "so no small change of it is cheaper" : "what is shown is an upper bound all the same");
  const even = gap <= 1e-6 * length;
  lamps.set(3, even ? "holds" : "fails", even ? "as on every shortest path" : `${MODES} modes do not resolve it: ${number(gap / length, 1)} off`);
}

/** The lines of Python that give both costs. */
const python = ({ gap, beta, parts }) => [
  "import numpy as np",
  "from tfdynlib import geometry, weights",
  "from tfdynlib.measure import Measure",
  "",
  `heads = weights.Heads.descent(np.eye(2), beta=${beta})`,
  "start, goal = (Measure(np.array([[np.cos(a), np.sin(a)]])) for a in (0, " + gap + "))",
  'whole = geometry.weighted_distance(start, goal, heads, "rigid", shift=0)',
  `split = geometry.weighted_distance(start, goal, heads, parts=${parts}, shift=0)`,
  "print(whole.distance, split.distance)",
].join("\n");

export const splitView = {
  title: "Is it ever cheaper to come apart on the way?",
  lead: "[[grab|Drag the goal]] past a right angle. Time runs outward; dense traffic pays a toll.",
  build(card) {
    let now = prepare(card.values());
    let t = 0;
    let told = null; // the state whose costs were said
    const stage = card.stage({
      label: "The way of an atom round the circle, from the middle to the rim.",
      keys: "Arrow keys move the goal.",
      draw: (ctx, view) => paint(ctx, view, { now, t, held: hand.held }),
      onKey: (event) => keys(card, event),
    });
    const hand = dragTokens(card, stage, {
      marks: () => ({ g: placeOf(stage.view), angles: [now.turn] }),
      put: (_i, angle) => card.set({ gap: within(angle < -Math.PI / 2 ? Math.PI : angle) }),
      drop: () => card.speak(),
    });
    const outs = card.readouts(["cost whole", "cost in parts", "ratio"]);
    const chart = card.chart({
      x: "angle *φ*",
      y: "cost, in units of the whole atom's",
      seek: (angle) => card.set({ gap: within(angle) }),
    });
    const verdict = card.verdict();
    const player = card.player({
      axis: linear(0, 1),
      step: 1 / STEPS,
      seconds: 5,
      name: "time on the way",
      work: () => now.advance(SLICE),
      filled: () => 1,
      show,
    });
    card.live(() => sentence(now));
    card.presets();
    card.slider({ key: "gap", symbol: "*φ*", label: "angle from start to goal", min: NEAR, max: FAR, format: (v) => v.toFixed(2) });
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.25, max: 16, scale: "log" });
    card.choice({ key: "parts", label: "the atom travels", options: [[1, "whole"], [2, "in halves"], [4, "in four"], [8, "in eight"]] });
    const lamps = card.lamps("What is known of this path?", [
      "*φ* is above the threshold of splitting", "it is cheaper than all together", "the search has settled", "it has constant speed",
    ]);
    const foot = passportOf(card, {
      words: () => [`${STEPS} time steps`, `${MODES} modes in time`, "L-BFGS to 10⁻⁹"],
      compare: (reference) => (now.settled ? numbers(reference, [now.whole, now.cost]) : null),
      python: () => python(card.values()),
    });

    function show(moment) {
      t = moment;
      stage.invalidate();
      outs.set(0, cost(now.whole));
      outs.set(1, now.settled ? cost(now.cost) : "…");
      outs.set(2, now.settled ? now.ratio.toFixed(5) : "…");
      const { t: angles, y, now: at } = curveWith(now);
      const least = y.reduce((low, value) => (value < low ? value : low), 0.96);
      chart.set({
        axis: linear(0, Math.PI),
        t: angles,
        curves: [{ y }],
        filled: angles.length,
        now: at,
        range: [least - 0.015, 1.015],
        levels: [{ y: 1, label: "whole" }],
        marks: now.threshold < Math.PI ? [{ t: now.threshold, label: "*π*/√*β*" }] : [],
        over: (ctx, place, view) => solid(ctx, place, view.palette, angles, y),
      });
      verdict.set(...verdictOf(now));
      lampsOf(lamps, now);
      foot.update();
      if (now.settled && told !== now) {
        told = now;
        card.speak();
      }
    }

    function restart() {
      now = prepare(card.values());
      now.advance(SLICE);
      player.wake();
    }
    card.on(WATCHED, restart);
    card.el.tfdyn.numbers = () => ({
      whole: now.whole, cost: now.settled ? now.cost : null, ratio: now.settled ? now.ratio : null,
      width: widthOf(now), threshold: now.threshold, gap: now.path.gap ?? null, gradient: now.path.gradient,
      rows: now.rows, curve: { angle: [...curveWith(now).t], ratio: [...curveWith(now).y] },
    });
    restart();
  },
};

/** The whole curve in full: what is known at other angles is no less so. */
function solid(ctx, at, p, t, y) {
  ctx.beginPath();
  let pen = false;
  y.forEach((value, k) => {
    if (!Number.isFinite(value)) { pen = false; return; }
    if (pen) ctx.lineTo(at.x(t[k]), at.y(value));
    else ctx.moveTo(at.x(t[k]), at.y(value));
    pen = true;
  });
  ctx.strokeStyle = p.state;
  ctx.lineWidth = 2.4;
  ctx.stroke();
}
