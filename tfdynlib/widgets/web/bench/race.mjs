// View "race": a sum by a few waves against all pairs, how wrong and how fast it is.

import { chart as chartOf } from "../kit/chart.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { log } from "../kit/scale.mjs";
import { label } from "../kit/text.mjs";
import { racePython } from "./python.mjs";
import { FLOORS, momentOf, prepare, ROUNDING } from "./race_run.mjs";
import { paint } from "./race_stage.mjs";
import { SIZES, stopwatch } from "./race_times.mjs";
import { ms, small, spoken } from "./words.mjs";

const FLOOR = 1e-17;
const NOTHING = 2; // means have length 1 at most: this far off, nothing is known
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
  return [`The certificate turns down ${m.refused} of ${n} tokens`, `They look where nobody is: the smallest *q* is ${m.least > ROUNDING ? small(m.least) : "below rounding"}. Those rows are summed over all pairs.`, "stop"];
}

/** The error of a curve as far as rounding lets one measure it. */
function measuredError(m, curve) {
  if (curve === "mean" && !Number.isFinite(m.promised)) return "only noise";
  const floor = FLOORS[curve](m);
  return m[curve] > floor ? small(m[curve]) : `≤ ${small(floor)}`;
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

/** Both rows whole: what is measured for other numbers of tokens is no less so. */
function solid(ctx, at, p, { pairs, series, filled }) {
  for (const [row, width] of [[pairs, 2.6], [series, 1.5]]) {
    ctx.beginPath();
    for (let k = 0; k < filled; k++) {
      if (k === 0) ctx.moveTo(at.x(SIZES[k]), at.y(row[k]));
      else ctx.lineTo(at.x(SIZES[k]), at.y(row[k]));
    }
    ctx.strokeStyle = p.state;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

/** The laws n² and n through the last times, and the names of both rows. */
function laws(ctx, at, view, watch) {
  const p = view.palette;
  const last = watch.filled - 1;
  if (last < 3) return;
  const name = { size: 12.5, halo: p.bg };
  solid(ctx, at, p, watch);
  for (const [row, power, word, side] of [[watch.pairs, 2, "all pairs", -1], [watch.series, 1, "waves", 1]]) {
    const level = [0, 1, 2].reduce((sum, k) => sum + Math.log(row[last - k] / SIZES[last - k] ** power) / 3, 0);
    const law = (n) => at.y(Math.exp(level) * n ** power);
    ctx.save();
    ctx.beginPath();
    ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
    ctx.clip();
    ctx.strokeStyle = p.theory;
    ctx.lineWidth = 1.4;
    ctx.setLineDash([6, 5]);
    ctx.beginPath();
    ctx.moveTo(at.x(SIZES[last]), law(SIZES[last]));
    ctx.lineTo(at.x(SIZES[0]), law(SIZES[0]));
    ctx.stroke();
    ctx.restore();
    const [mid, end] = [SIZES[last - 3], SIZES[last]];
    const align = side < 0 ? "right" : "center";
    label(ctx, power === 2 ? "∝ *n*^2" : "∝ *n*", at.x(mid) + 6 * side, law(mid) + 13 * side, p, { ...name, align, color: p.theory });
    label(ctx, word, at.x(end) - 14, law(end) + (side < 0 ? 2 : 16), p, { ...name, align: "right", color: p.state });
  }
}

/** The second chart: times in this browser. */
function timesOf(card) {
  const times = chartOf(card, {
    x: "tokens *n*, log",
    y: "ms of one sum in this browser, log",
    seek: (n) => card.set({ n: Math.min(4096, Math.max(2, Math.round(n))) }),
  });
  times.node.dataset.timed = ""; // a machine's times differ from visit to visit
  card.surfaces.push(times);
  card.weights(times.node);
  times.set({ axis: log(SIZES[0], SIZES.at(-1)), t: SIZES, log: true });
  return times;
}

/** From half the least time to thrice the longest: room for the names. */
function rangeOf({ pairs, series, filled }) {
  const all = [...pairs.subarray(0, filled), ...series.subarray(0, filled)];
  return filled === 0 ? [0.01, 10] : [Math.min(...all) / 2, 3 * Math.max(...all)];
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
    const outs = card.readouts(["measured", "bound of sum", "certificate"]);
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
    card.choice({ key: "sign", label: "tokens look (*B* = *I*, *B* = −*I*)", options: [[1, "at their like"], [-1, "away"]] });
    card.choice({ key: "curve", label: "chart", options: [["sum", "sum"], ["mean", "means"]] });
    const times = timesOf(card);
    const lamps = card.lamps("What is known without summing all pairs?", [
      "the kernel's tail is below 10^{−12}", "every token hears somebody", "the error is below its bound", "the fast sum is the faster one",
    ]);
    lamps.node.querySelector("li:last-child").dataset.timed = "";
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
        range: rangeOf(watch),
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
      outs.set(0, measuredError(m, card.get("curve")));
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
        curves: [{ y: curve.of(now)[0].map((value) => Math.min(Math.max(value, FLOOR), NOTHING)) }],
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
  lamps.set(1, all, all === "unasked" ? "first the tail" : m.least > ROUNDING ? `smallest *q* = ${small(m.least)}` : "the smallest *q* is below rounding");
  const below = m.sum <= m.tail + ROUNDING && (m.mean <= m.promised || !Number.isFinite(m.promised));
  lamps.set(2, below ? "holds" : "fails", `sum ${small(m.sum)} against ${small(m.tail + ROUNDING)}`);
}
