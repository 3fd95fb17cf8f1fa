// Minimising movements.  weights → steps beside the flow → stage, error against tau, lamps.

import { sliderWhen } from "./circle/controls.mjs";
import { figure } from "./kit/card.mjs";
import { h, number } from "./kit/dom.mjs";
import { fold } from "./kit/fold.mjs";
import { matrices } from "./kit/matrix.mjs";
import { doubles, largestDifference } from "./kit/passport.mjs";
import { linear, log } from "./kit/scale.mjs";
import { choice } from "./kit/slider.mjs";
import { label } from "./kit/text.mjs";
import { turning } from "./kit/turning.mjs";
import { isSymmetric } from "./kit/valid.mjs";
import { checked } from "./jko/check.mjs";
import { paint } from "./jko/draw.mjs";
import { python } from "./jko/python.mjs";
import { errorCurves, prepare } from "./jko/run.mjs";
import { decimal, LAMPS, lampsOf, readoutsOf, sentence, verdictOf } from "./jko/words.mjs";

const SLICE = 5; // ms of work in a frame: one evaluation may end late
const WATCHED = ["tau", "weight", "start", "gap", "n", "seed", "beta", "D1", "D2", "moving"];

const isWeight = (rows) => isSymmetric(rows, 3);

const STATE = {
  tau: { min: 0.01, max: 100 },
  weight: { choices: ["frozen", "implicit"] },
  start: { choices: ["pair", "cloud"] },
  gap: { min: 0, max: Math.PI },
  n: { min: 2, max: 128, int: true },
  seed: { min: 0, max: 9999, int: true },
  beta: { min: 0.1, max: 10 },
  D1: { check: isWeight },
  D2: { check: isWeight },
  moving: { choices: ["still", "oscillating"] },
  curve: { choices: ["error", "energy"] },
  beside: { choices: ["flow", "euler"] },
  t: { min: 0, max: 1000 },
  turn: { min: -180, max: 180 },
  tilt: { min: -90, max: 90 },
};

/** Keeps both matrices symmetric: an entry takes its mirror image along. */
function mirrored(card) {
  for (const key of ["D1", "D2"]) {
    let before = card.get(key);
    card.on([key], () => {
      const next = card.get(key).map((row) => [...row]);
      for (let i = 0; i < 3; i++)
        for (let j = 0; j < 3; j++)
          if (next[i][j] !== before[i][j]) next[j][i] = next[i][j];
      before = next;
      if (!isWeight(card.get(key))) card.set({ [key]: next });
    });
  }
}

/** A law c tau^order through the smallest tau, dashed, with its name. */
function law(ctx, at, p, { tau, errors }, order, name) {
  const first = errors.findIndex(Number.isFinite);
  if (first < 0) return;
  const c = errors[first] / tau[first] ** order;
  const y = (value) => at.y(c * value ** order);
  ctx.save();
  ctx.beginPath();
  ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
  ctx.clip();
  ctx.beginPath();
  ctx.moveTo(at.x(tau[0]), y(tau[0]));
  ctx.lineTo(at.x(tau.at(-1)), y(tau.at(-1)));
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.restore();
  const where = order === 1 ? 0.035 : 0.12;
  const shift = order === 1 ? -12 : 12;
  label(ctx, name, at.x(where), y(where) + shift, p, { size: 12.5, color: p.theory, align: order === 1 ? "right" : "left", halo: p.bg });
}

/** A second curve of the energies: dashed for the flow, plum for Euler. */
function line(ctx, at, y, color, dash) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
  ctx.clip();
  ctx.beginPath();
  y.forEach((value, k) => {
    if (Number.isFinite(value)) ctx.lineTo(at.x(k), at.y(value));
  });
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.7;
  ctx.setLineDash(dash);
  ctx.stroke();
  ctx.restore();
}

const CHARTS = {
  error(run) {
    const { tau, now, errors } = errorCurves(run);
    const all = errors.flatMap((row) => [...row]).filter((v) => v > 0);
    return {
      x: "step length *τ*, log",
      name: "error against the flow, log",
      axis: log(0.01, 100),
      t: tau,
      now,
      filled: tau.length,
      curves: [{ y: errors[0].map(floor), width: 2.6 }, { y: errors[1].map(floor), width: 1.4 }],
      log: true,
      zero: false,
      range: all.length ? [Math.max(Math.min(...all) / 3, 1e-9), Math.max(...all) * 3] : [1e-6, 1],
      over(ctx, at, view) {
        law(ctx, at, view.palette, { tau, errors: errors[0] }, 1, "∝ *τ*");
        law(ctx, at, view.palette, { tau, errors: errors[1] }, 2, "∝ *τ*^2");
        solid(ctx, at, view.palette, tau, errors);
      },
    };
  },
  energy(run, k, beside) {
    const other = beside === "euler" ? run.euler : run.flow;
    const all = [...run.energies, ...other.energies].filter(Number.isFinite);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const air = 0.08 * (high - low) || 0.1;
    return {
      x: "step *k*",
      name: "energy *E*",
      axis: linear(0, run.count),
      t: Float64Array.from({ length: run.count + 1 }, (_, j) => j),
      now: Math.min(k, run.filled),
      filled: run.filled + 1,
      curves: [{ y: run.energies }],
      log: false,
      range: [low - air, high + air],
      over(ctx, at, view) {
        const p = view.palette;
        line(ctx, at, other.energies, beside === "euler" ? p.stop : p.theory, beside === "euler" ? [2, 3] : [6, 5]);
        const j = Math.max(1, Math.round(run.count * 0.6));
        if (!Number.isFinite(other.energies[j])) return;
        const name = beside === "euler" ? "Euler" : "flow";
        label(ctx, name, at.right - 4, at.y(other.energies.at(-1)) - 11, p, {
          size: 12.5, align: "right", color: beside === "euler" ? p.stop : p.theory, halo: p.bg,
        });
      },
    };
  },
};

/** Errors at rounding have a place on the axis all the same; what is not there has none. */
const floor = (value) => (Number.isFinite(value) ? Math.max(value, 1e-12) : NaN);

/** Both rows whole: what is measured for other tau is no less so. */
function solid(ctx, at, p, tau, errors) {
  errors.forEach((row, k) => {
    ctx.beginPath();
    let pen = false;
    row.forEach((value, j) => {
      if (!(value > 0)) { pen = false; return; }
      if (pen) ctx.lineTo(at.x(tau[j]), at.y(value));
      else ctx.moveTo(at.x(tau[j]), at.y(value));
      pen = true;
    });
    ctx.strokeStyle = p.state;
    ctx.lineWidth = k === 0 ? 2.6 : 1.4;
    ctx.stroke();
  });
}

function build(card) {
  let run = prepare(card.values());
  let moment = 0;
  let hint = true;
  const stage = card.stage({
    label: "Tokens on the sphere and their ways.",
    keys: "Arrow keys turn the sphere, space plays.",
    draw: (ctx, view) => paint(ctx, view, {
      run, moment, turn: card.get("turn"), tilt: card.get("tilt"), beside: card.get("beside"),
      hint: hint && view.w > 200 && !card.onPaper(),
    }),
    onKey: (event) => onKey(event),
  });
  const onKey = turning(card, stage.canvas);
  const outs = card.readouts(["energy *E*", "left over", "longest way"]);
  const chart = card.chart({
    x: "step length *τ*, log",
    y: "error against the flow, log",
    seek(value) {
      if (card.get("curve") === "energy") card.clock.seek(value);
      else card.set({ tau: Number(value.toPrecision(3)) });
    },
  });
  const verdict = card.verdict();
  const player = card.player({
    symbol: "*k*",
    name: "step",
    whole: true,
    step: 1,
    axis: linear(0, run.count),
    seconds: 8,
    format: (k) => String(Math.floor(k + 1e-9)),
    work: () => run.advance(SLICE),
    filled: () => run.filled,
    stopped: () => run.steep,
    show,
  });
  card.live(() => sentence(run, shownStep()));
  card.presets();
  card.slider({ key: "tau", symbol: "*τ*", label: "length of a step", min: 0.01, max: 100, scale: "log" });
  card.choice({ key: "weight", label: "the weights of the price", options: [["frozen", "frozen at the old place"], ["implicit", "at the new one"]] });
  card.choice({ key: "curve", label: "chart", options: [["error", "error"], ["energy", "energy"]] });
  card.choice({ key: "beside", label: "beside the steps", options: [["flow", "the flow"], ["euler", "and Euler"]] });
  card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.1, max: 10, scale: "log" });
  const editors = matrices(card, { keys: ["D1", "D2"], names: ["one head", "and another"], heads: 1, size: 3 });
  mirrored(card);
  const motion = choice(card, { key: "moving", label: "the heads", options: [["still", "stay"], ["oscillating", "oscillate"]] });
  const cloud = () => card.get("start") === "cloud";
  const when = (options, shown) => sliderWhen(card, options, ["start"], shown);
  card.weights(h(
    "div",
    { class: "tfdyn-controls" },
    fold(card, "Descent heads *B* = *D*, *V* = −*D*", editors),
    motion,
    choice(card, { key: "start", label: "start", options: [["pair", "a pair"], ["cloud", "a cloud"]] }),
    when({ key: "gap", symbol: "*φ*", label: "gap of the pair", min: 0.05, max: 3.1, format: (v) => v.toFixed(2) }, () => !cloud()),
    when({ key: "n", symbol: "*n*", label: "tokens", min: 2, max: 128, scale: "log", int: true }, cloud),
    when({ key: "seed", symbol: "seed", label: "of the uniform draw", min: 0, max: 99, int: true }, cloud),
  ));
  const lamps = card.lamps("What does the proposition promise here?", LAMPS);
  const measured = card.deviation((reference) => {
    const ours = run.steep ? [] : checked(card.values(), run);
    return ours && largestDifference(ours, doubles(reference.numbers));
  });
  const foot = card.passport({
    items: () => [
      run.state.start === "cloud" ? `seed ${run.state.seed}` : `gap ${number(run.state.gap, 5)}`,
      "L-BFGS to 10⁻¹²", `flow to 10⁻¹⁰`, measured(), `tfdynlib ${card.model.get("version")}`,
    ],
    python: () => python(card.values(), shownStep(), Number.isFinite(run.error[0])),
  });

  const shownStep = () => Math.min(Math.floor(moment + 1e-9), run.filled);

  function show(t) {
    moment = Math.min(t, run.filled);
    const k = shownStep();
    stage.invalidate();
    readoutsOf(run, k).forEach((text, i) => {
      const far = i === 2 && run.steps[k - 1]?.longest > Math.PI;
      outs.set(i, text, far ? "stop" : "");
    });
    chart.set({ levels: [], ...CHARTS[card.get("curve")](run, k, card.get("beside")) });
    const [title, words, tone] = verdictOf(run, k);
    const off = Number.isFinite(run.error[0])
      ? ` Error at *t* = ${number(run.goal * run.state.tau, 3)}: ${decimal(run.error[0])}.`
      : run.settled && !run.steep ? " The flow is not followed that far." : "";
    verdict.set(title, words + off, tone);
    lampsOf(run).forEach((lamp, i) => lamps.set(i, ...lamp));
    foot.update();
  }

  function restart() {
    run = prepare(card.values());
    run.advance(SLICE);
    player.axis = linear(0, run.count);
    player.wake();
  }
  card.on(WATCHED, restart);
  card.on(["curve", "beside"], player.wake);
  card.on(["turn", "tilt"], () => stage.invalidate());
  stage.canvas.addEventListener("pointerdown", () => { hint = false; }, { once: true });
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => {
    const k = shownStep();
    const one = run.steps[k - 1];
    return {
      k, x: [...run.x[k]], energy: run.energies[k], energies: [...run.energies], steps: run.filled,
      decrease: one?.decrease ?? null, price: one?.price ?? null, longest: one?.longest ?? null,
      status: one?.status ?? null, euler: [...run.euler.energies], flow: [...run.flow.energies],
      error: [...run.error], grid: { tau: [...run.grid.tau], errors: run.grid.errors.map((row) => [...row]) },
    };
  };
  restart();
}

export default figure({
  name: "jko",
  title: "Can a step be so long that the energy rises?",
  lead: "Slide [[grab|*τ*]], the length of a step. Blue are minimising movements, dashed the flow they imitate.",
  state: STATE,
  build,
});
