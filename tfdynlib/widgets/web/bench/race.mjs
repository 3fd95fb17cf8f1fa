// View "race": a sum by a few waves against all pairs, how wrong and how fast it is.

import { chart as chartOf } from "../kit/chart.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { log } from "../kit/scale.mjs";
import { label, textWidth } from "../kit/text.mjs";
import { racePython } from "./python.mjs";
import { momentOf, prepare, ROUNDING } from "./race_run.mjs";
import { paint } from "./race_stage.mjs";
import { SIZES, stopwatch } from "./race_times.mjs";
import { ms, small, spoken } from "./words.mjs";

const FLOOR = 1e-17;
const REST = 350; // ms without a change of weights before a time is measured
const HOLDS = 1e-10; // a certificate below this is as good as all pairs in practice

const CURVES = {
  sum: { name: "error of the sum", bound: "bound", of: (now) => [now.errors.sum, now.tails] },
  mean: { name: "error of the means", bound: "certificate", of: (now) => [now.errors.mean, now.promised] },
};

function verdictOf(now, m) {
  const n = Math.min(now.state.n, now.psi.length);
  if (m.promised <= HOLDS)
    return ["Certified: as good as all pairs", `No mean is off by more than ${small(m.promised)}, and nobody had to sum all pairs to know.`, "theory"];
  if (m.K < now.need)
    return ["Too few waves, and the bound says so", `For 10^{−12} the bound asks for *K* = ${now.need}.`, "ink"];
  return [`The certificate turns down ${m.refused} of ${n} tokens`, `They look where nobody is: the smallest *q* is ${m.least > 0 ? small(m.least) : "below rounding"}. Those rows are summed over all pairs.`, "stop"];
}

const sentence = (now, m) =>
  `${m.K} waves at beta ${Number(now.state.beta.toPrecision(3))}, ${now.state.n} tokens. ` +
  `Error of the sum ${spoken(m.sum)}, bound ${spoken(m.tail)}. ` +
  `Error of the means ${spoken(m.mean)}, certificate ${spoken(m.promised)}.`;

/** A curve over the waves, dashed: what is promised. */
function promise(ctx, at, view, now, curve) {
  const p = view.palette;
  const [error, bound] = curve.of(now);
  ctx.save();
  ctx.beginPath();
  ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
  ctx.clip();
  ctx.beginPath();
  let pen = false;
  bound.forEach((value, k) => {
    if (!(Number.isFinite(value) && value > 0)) { pen = false; return; }
    const point = [at.x(k), at.y(Math.max(value, FLOOR))];
    if (pen) ctx.lineTo(...point);
    else ctx.moveTo(...point);
    pen = true;
  });
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 1.7;
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.restore();
  const at5 = bound.findIndex((value) => value < 1e-4);
  if (at5 > 0) label(ctx, curve.bound, at.x(at5) + 8, at.y(bound[at5]) - 8, p, { size: 12.5, color: p.theory, halo: p.bg });
  const low = error.findIndex((value) => value < 1e-7);
  if (low > 0) label(ctx, "measured", at.x(low) - 9, at.y(error[low]) + 6, p, { size: 12.5, color: p.state, align: "right", halo: p.bg });
}

/** Names at the right ends of the times, and the laws n² and n through their last points. */
function laws(ctx, at, view, watch) {
  if (watch.filled < SIZES.length) return;
  const p = view.palette;
  const last = SIZES.length - 1;
  for (const [row, power, name, dy] of [[watch.pairs, 2, "all pairs", -12], [watch.series, 1, "waves", 14]]) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(at.left, at.top - 8, at.right - at.left, at.bottom - at.top + 8);
    ctx.clip();
    ctx.strokeStyle = p.theory;
    ctx.lineWidth = 1.4;
    ctx.setLineDash([6, 5]);
    ctx.beginPath();
    ctx.moveTo(at.x(SIZES[last]), at.y(row[last]));
    ctx.lineTo(at.x(SIZES[0]), at.y(row[last] * (SIZES[0] / SIZES[last]) ** power));
    ctx.stroke();
    ctx.restore();
    const x = at.x(SIZES[last]) - 4;
    label(ctx, name, x - textWidth(ctx, name, p, { size: 12.5 }), at.y(row[last]) + dy, p, { size: 12.5, color: p.state, halo: p.bg });
    const mid = SIZES[2];
    label(ctx, power === 2 ? "∝ *n*^2" : "∝ *n*", at.x(mid), at.y(row[last] * (mid / SIZES[last]) ** power) + (power === 2 ? 14 : -12), p, { size: 12.5, color: p.theory, halo: p.bg });
  }
}

/** The second chart: times in this browser. */
function timesOf(card) {
  const times = chartOf(card, {
    x: "tokens *n*, log",
    y: "ms of one sum in this browser, log",
    seek: (n) => card.set({ n: Math.min(4096, Math.max(2, Math.round(n))) }),
  });
  card.surfaces.push(times);
  card.weights(times.node);
  times.set({ axis: log(SIZES[0], SIZES.at(-1)), t: SIZES, log: true });
  return times;
}

const nearest = (n) => {
  let best = 0;
  SIZES.forEach((size, k) => { if (Math.abs(Math.log(size / n)) < Math.abs(Math.log(SIZES[best] / n))) best = k; });
  return best;
};

const WATCHED = ["n", "beta", "seed", "arc", "sign", "curve"];

export const raceView = {
  title: "Is a fast sum an approximate one?",
  lead: "Drag the number of [[grab|waves]] *K*. Blue is the sum by *K* waves, dashed the sum over all pairs.",
  build(card) {
    let now = prepare(card.values());
    let m = momentOf(now, card.get("K"));
    let watch = stopwatch(now.r, now.need);
    let changed = -Infinity;
    const stage = card.stage({
      label: "What a query hears in every direction of the circle.",
      keys: "Left and right take a wave away or add one.",
      draw: (ctx, view) => paint(ctx, view, { now, m }),
      onKey(event) {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return false;
        player.seek(m.K + by);
        return true;
      },
    });
    const outs = card.readouts(["measured", "bound", "certificate"]);
    const errors = card.chart({ x: "waves *K*", y: CURVES.sum.name });
    const verdict = card.verdict();
    const player = card.player({
      key: "K",
      symbol: "*K*",
      name: "waves",
      rests: true,
      whole: true,
      step: 1,
      axis: now.axis,
      seconds: 9,
      format: (K) => String(Math.round(K)),
      work,
      filled: () => now.most,
      show,
    });
    card.live(() => sentence(now, m));
    card.presets();
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.5, max: 256, scale: "log" });
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: 2, max: 4096, scale: "log", int: true });
    card.slider({ key: "arc", symbol: "arc", label: "on which tokens start", min: 0.1, max: 6.2832, format: (v) => v.toFixed(2) });
    card.slider({ key: "seed", symbol: "seed", label: "of the draw", min: 0, max: 99, int: true });
    card.choice({ key: "sign", label: "tokens look", options: [[1, "*B* = *I*, at their like"], [-1, "*B* = −*I*, away"]] });
    card.choice({ key: "curve", label: "chart", options: [["sum", "sum"], ["mean", "means"]] });
    const times = timesOf(card);
    const lamps = card.lamps("What is known without summing all pairs?", [
      "the kernel's tail is below 10^{−12}", "every token hears somebody", "the error is below its bound", "the fast sum is the faster one",
    ]);
    const measured = card.deviation((reference) => {
      const numbers = doubles(reference.numbers);
      const ours = [...now.waves.subarray(0, 8), ...now.exact.flatMap((column) => [...column])];
      return largestDifference(ours, numbers);
    });
    const foot = card.passport({
      items: () => [`seed ${card.get("seed")}`, `${now.psi.length} tokens compared`, `rounding ${ROUNDING.toExponential(0)}`, measured(), `tfdynlib ${card.model.get("version")}`],
      python: () => racePython({ ...card.values(), K: m.K }),
    });

    /** Times are taken once the hand rests; `true` while something is left to do. */
    function work(slice) {
      if (watch.done) return false;
      if (player.playing || performance.now() - changed < REST) return true;
      const left = watch.advance(slice);
      showTimes();
      return left;
    }

    function showTimes() {
      const { filled } = watch;
      times.set({
        curves: filled === 0 ? [] : [{ y: watch.pairs, width: 2.6 }, { y: watch.series, width: 1.5 }],
        filled,
        now: Math.min(nearest(card.get("n")), Math.max(filled - 1, 0)),
        over: (ctx, at, view) => laws(ctx, at, view, watch),
      });
      const k = nearest(card.get("n"));
      const [slow, fast] = [watch.pairs[k], watch.series[k]];
      if (!(slow > 0 && fast > 0)) lamps.set(3, "unasked", "measuring");
      else lamps.set(3, fast < slow ? "holds" : "fails", `at *n* = ${SIZES[k]}: ${ms(fast)} against ${ms(slow)}`);
    }

    function show(K) {
      m = momentOf(now, K);
      stage.invalidate();
      const curve = CURVES[card.get("curve")];
      outs.name(0, curve.name);
      outs.set(0, small(card.get("curve") === "sum" ? m.sum : m.mean));
      outs.set(1, small(m.tail), "theory");
      outs.set(2, small(m.promised), "theory");
      verdict.set(...verdictOf(now, m));
      errors.set({ now: m.K });
      lampsOf(lamps, now, m);
      foot.update();
    }

    function restart() {
      now = prepare(card.values());
      watch = stopwatch(now.r, now.need);
      changed = performance.now();
      const curve = CURVES[card.get("curve")];
      errors.set({
        axis: now.axis,
        t: now.K,
        name: `${curve.name}, log`,
        curves: [{ y: curve.of(now)[0].map((value) => Math.max(value, FLOOR)) }],
        filled: now.K.length,
        range: [FLOOR, 10],
        log: true,
        over: (ctx, at, view) => promise(ctx, at, view, now, curve),
      });
      showTimes();
      player.axis = now.axis;
      player.wake();
    }
    card.on(WATCHED, restart);
    card.el.tfdyn.numbers = () => ({
      K: m.K, sum: m.sum, mean: m.mean, tail: m.tail, promised: m.promised, refused: m.refused,
      need: now.need, sums: [...now.errors.sum], means: [...now.errors.mean], tails: [...now.tails],
      times: watch.done ? { n: [...SIZES], pairs: [...watch.pairs], series: [...watch.series] } : null,
    });
    restart();
  },
};

function lampsOf(lamps, now, m) {
  const enough = m.K >= now.need;
  lamps.set(0, enough ? "holds" : "fails", enough ? `the bound is ${small(m.tail)}` : `*K* = ${now.need} is enough for *β* = ${Number(now.r.toPrecision(3))}`);
  const heard = m.refused === 0;
  const all = m.K < now.need ? "unasked" : heard ? "holds" : "fails";
  lamps.set(1, all, all === "unasked" ? "first the tail" : `smallest *q* = ${m.least > 0 ? small(m.least) : "below rounding"}`);
  const below = m.sum <= m.tail + ROUNDING && (m.mean <= m.promised || !Number.isFinite(m.promised));
  lamps.set(2, below ? "holds" : "fails", `sum ${small(m.sum)} against ${small(m.tail + ROUNDING)}`);
}
