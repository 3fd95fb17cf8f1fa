// View "density": many tokens as a mist, the growth of its ripples, and the drops it makes.

import { h, minus, number } from "../kit/dom.mjs";
import { linear } from "../kit/scale.mjs";
import { slider } from "../kit/slider.mjs";
import { label } from "../kit/text.mjs";
import { signChoice } from "./controls.mjs";
import { momentOf, prepare, RIPPLES, SMALL } from "./density_run.mjs";
import { paint } from "./density_stage.mjs";
import { densityPython } from "./density_python.mjs";
import { checkpoints, passportOf } from "./reference.mjs";

const WATCHED = ["n", "beta", "V", "seed", "noise", "planted", "t_end"];
const SLICE = 4; // ms of integration in a frame
const [LOW, HIGH] = [-0.2, 0.95]; // of the axis of rates, none of which is above 2/e

const clock = (t) => t.toFixed(2);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function verdictOf(now, m) {
  const k = now.winner;
  const law = `Ripple *k* = ${k} is the fastest: *λ*_{${k}} = ${number(now.rates[k], 5)}, and √(2*β*) = ${number(Math.sqrt(2 * now.state.beta), 3)}.`;
  if (now.sign < 0) return ["Every ripple dies out", `Under *V* = −*I* the mist is stable. The fastest to go is *k* = ${k}, at the rate ${number(now.rates[k], 5)}.`];
  if (m.small) return ["Still a mist", law];
  if (m.chain) return [`${plural(m.lumps, "lump")} in the mist`, law];
  if (m.clusters > m.lumps) return [`${plural(m.lumps, "lump")}, still gathering`, law];
  return [m.clusters === 1 ? "One drop" : `${m.clusters} drops`, law];
}

function sentence(now, m) {
  const k = now.winner;
  const drops = m.chain ? "one chain of neighbours" : plural(m.clusters, "cluster");
  const rate = m.t > 0 ? ` Ripple ${k} has grown at the rate ${number(m.grown[k], 3)}, theory ${number(now.rates[k], 3)}.` : "";
  return `Layer-time ${clock(m.t)}. ${now.n} tokens, ${plural(m.lumps, "lump")}, ${drops}.${rate}`;
}

/** Bars of the measured rates, dashes of the theory, the winner's name. */
function bars(ctx, at, p, now, m) {
  const wide = Math.min(0.32, 9 / (at.x(1) - at.x(0))) * (at.x(1) - at.x(0));
  const inside = (value) => at.y(Math.min(HIGH, Math.max(LOW, value)));
  ctx.fillStyle = p.state;
  for (let k = 1; k <= now.kmax; k++) {
    if (!Number.isFinite(m.grown[k])) continue;
    const [zero, top] = [at.y(0), inside(m.grown[k])];
    ctx.fillRect(at.x(k) - wide, Math.min(zero, top), 2 * wide, Math.max(1, Math.abs(zero - top)));
  }
  ctx.save();
  ctx.strokeStyle = p.theory;
  ctx.lineWidth = 1.7;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  for (let k = 0; k <= now.kmax; k++) ctx.lineTo(at.x(k), inside(now.rates[k]));
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.lineWidth = 2.4;
  ctx.beginPath();
  for (let k = 1; k <= now.kmax; k++) {
    ctx.moveTo(at.x(k) - wide - 2, inside(now.rates[k]));
    ctx.lineTo(at.x(k) + wide + 2, inside(now.rates[k]));
  }
  ctx.stroke();
  ctx.restore();
  const best = now.winner;
  const side = now.rates[best] < 0 ? 14 : -13;
  label(ctx, `*λ*_{${best}}`, at.x(best), inside(now.rates[best]) + side, p, { size: 13.5, align: "center", color: p.theory, halo: p.bg });
}

const RIPPLE = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 };

/** Keys on the stage: another ripple is planted. */
function keys(card, event) {
  const by = RIPPLE[event.key];
  if (!by) return false;
  plant(card, card.get("planted") + by);
  card.speak();
  return true;
}

const plant = (card, k) => card.set({ planted: Math.min(RIPPLES, Math.max(0, Math.round(k))) });

function lampsOf(lamps, now, m) {
  const first = Math.max(...now.sizes.subarray(1));
  lamps.set(0, first < SMALL ? "holds" : "fails", `its largest ripple is ${number(first, 2)}`);
  const over = now.pace(m.t);
  lamps.set(1, m.small ? "holds" : "fails", m.small ? `none above ${SMALL}` : over >= 0 ? `the linear theory ends at *t* = ${clock(now.times[over])}` : "");
  lamps.set(2, now.sign > 0 ? "holds" : "fails", now.sign > 0 ? "" : "ripples die out");
  const fine = now.n >= 6 * Math.sqrt(2 * now.state.beta);
  lamps.set(3, fine ? "holds" : "fails", fine ? `${number(now.n / Math.sqrt(2 * now.state.beta), 2)} tokens a ripple` : "attention sees single tokens");
}

export const densityView = {
  title: "How many drops does a mist make?",
  lead: "Press play, and count. [[grab|Drag in the bars]] to plant a ripple of your own.",
  build(card) {
    let now = prepare(card.values());
    let m = momentOf(now, 0);
    const pace = card.pace();
    const stage = card.stage({
      label: "A mist of tokens as a curve round the circle.",
      keys: "Arrow keys plant another ripple.",
      draw: (ctx, view) => paint(ctx, view, { now, m }),
      onKey: (event) => keys(card, event),
    });
    const outs = card.readouts(["lumps", "clusters", "rate"]);
    const chart = card.chart({
      x: "ripple *k*",
      y: "growth rate since the start",
      seek: (k) => plant(card, k),
    });
    const verdict = card.verdict();
    const player = card.player({
      axis: linear(0, now.state.t_end),
      seconds: 10,
      format: clock,
      work: () => now.run.advance(SLICE),
      filled: () => now.times[now.run.filled - 1],
      stopped: () => now.run.failed,
      show,
    });
    card.live(() => sentence(now, m));
    card.presets();
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.5, max: 100, scale: "log" });
    card.slider({ key: "noise", symbol: "*σ*", label: "noise of the grid, in radian", min: 1e-4, max: 0.3, scale: "log" });
    card.slider({ key: "planted", symbol: "*k*", label: "planted ripple (0: none)", min: 0, max: RIPPLES, int: true });
    const rest = [
      slider(card, { key: "n", symbol: "*n*", label: "tokens", min: 16, max: 256, int: true, scale: "log" }),
      slider(card, { key: "seed", symbol: "seed", label: "of the noise", min: 0, max: 99, int: true }),
      slider(card, { key: "t_end", symbol: "*T*", label: "horizon", min: 5, max: 100, scale: "log" }),
    ];
    card.control(signChoice(card));
    card.weights(h("div", { class: "tfdyn-controls" }, ...rest));
    const lamps = card.lamps("Does the linear theory speak about this?", [
      "the start is nearly even", "ripples are still small", "attention pulls, so ripples grow", "tokens are finer than a ripple",
    ]);
    const foot = passportOf(card, {
      words: () => [`seed ${now.state.seed}`, "method rk4", `dt ${number(now.dt, 3)}`, `${now.waves.length - 1} waves`],
      compare: (reference) => checkpoints(reference, now),
      python: () => densityPython(now, m),
    });

    function show(t) {
      const k = now.run.index(t);
      if (k !== m.k || m.of !== now) m = { ...momentOf(now, k), of: now };
      stage.invalidate();
      outs.set(0, String(m.lumps));
      outs.set(1, m.chain ? "1 chain" : String(m.clusters));
      outs.name(2, `rate of *k* = ${now.winner}`);
      outs.set(2, m.t > 0 ? minus(m.grown[now.winner].toFixed(5)) : "–");
      chart.set({ now: now.state.planted, over: (ctx, at, view) => bars(ctx, at, view.palette, now, m) });
      if (pace.due()) {
        verdict.set(...verdictOf(now, m));
        lampsOf(lamps, now, m);
        foot.update();
      }
    }

    function restart() {
      const end = now.state.t_end;
      now = prepare(card.values());
      now.run.advance(SLICE);
      chart.set({
        axis: linear(0, now.kmax + 0.6),
        t: Float64Array.from({ length: RIPPLES + 1 }, (_, k) => k),
        filled: RIPPLES + 1,
        range: [LOW, HIGH],
        levels: [],
      });
      if (now.state.t_end !== end) player.axis = linear(0, now.state.t_end);
      player.wake();
    }
    card.on(WATCHED, restart);
    card.el.tfdyn.numbers = () => ({
      x: [...m.x], t: m.t, lumps: m.lumps, clusters: m.clusters, chain: m.chain, sizes: [...m.sizes],
      grown: [...m.grown], rates: [...now.rates], winner: now.winner, small: m.small,
    });
    restart();
  },
};
