// View "sample": n tokens drawn from the uniform law, their energy and their distance to it.

import { number } from "../kit/dom.mjs";
import { fade } from "../kit/palette.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { linear, log } from "../kit/scale.mjs";
import { label } from "../kit/text.mjs";
import { samplePython } from "./python.mjs";
import { passportOf } from "./reference.mjs";
import { DRAWS, draws, exactly, FEW, fewest, MOST } from "./sample_run.mjs";
import { paint } from "./sample_stage.mjs";

const SMALL = 0.1; // share of the energy that self-pairs may have and still be called few

/** Everything that follows from the seed and beta; the number of tokens only reads it. */
function prepare(state) {
  return { state, run: draws(state), exact: exactly(state.beta) };
}

/** The draw on the stage at the number of tokens of the state. */
function momentOf(now, n, t) {
  const k = Math.min(Math.floor(t + 1e-9), now.run.filled - 1);
  const draw = now.run.all[k];
  const { mean, sd } = now.run.bands.energy;
  return {
    k, n, draw, seed: now.state.seed + k,
    energy: draw.energy[n], distance: draw.distance[n], mean: mean[n], sd: sd(n),
  };
}

const VERDICTS = {
  energy(now, m) {
    const [mean, sd] = [now.exact.mean(m.n), now.exact.sd(m.n)];
    const off = (m.energy - mean) / sd;
    return [
      `${Math.abs(off).toFixed(1)} spreads ${off < 0 ? "below" : "above"} the mean`,
      `Energy of ${DRAWS} draws: ${number(m.mean, 4)} ± ${number(m.sd, 2)}. Exactly: ${number(mean, 4)} ± ${number(sd, 2)}.`,
    ];
  },
  distance(now, m) {
    const rms = now.exact.rms(m.n);
    return [
      `${(m.distance / rms).toFixed(2)} of what is to be expected`,
      `Root mean square of ${DRAWS} draws: ${number(rmsOf(now.run, m.n), 4)}. Exactly: ${number(rms, 4)}.`,
    ];
  },
};

function verdictOf(now, m, shown) {
  const [title, text] = VERDICTS[shown](now, m);
  return [title, now.run.filled < DRAWS ? "…" : text];
}

const rmsOf = ({ all, filled }, n) =>
  Math.sqrt(all.reduce((sum, { distance }) => sum + distance[n] ** 2, 0) / filled);

const sentence = ({ exact }, m) =>
  `Seed ${m.seed}, ${m.n} tokens. Energy ${number(m.energy, 4)}; ` +
  `the exact mean is ${number(exact.mean(m.n), 4)}, the spread ${number(exact.sd(m.n), 2)}. ` +
  `Distance to the uniform law ${number(m.distance, 3)}.`;

/**
 * What the chart shows of the draws, by the reader's choice; both on logarithmic axes.
 * Samples never lie below the uniform law, since it has the least energy of all laws.
 */
const CHARTS = {
  energy: ({ exact }, few) => {
    const excess = (n) => exact.mean(n) - exact.limit;
    return {
      name: "energy above its limit, log",
      from: exact.limit,
      range: [0.25 * excess(MOST), 3 * excess(few)],
      theory: [
        [excess, 1.7, "exact mean"],
        [(n) => excess(n) + exact.sd(n), 1],
        [(n) => excess(n) - exact.sd(n), 1],
      ],
    };
  },
  distance: ({ exact }, few) => ({
    name: "*W*_2 to the uniform law, log",
    from: 0,
    range: [0.4 * exact.rms(MOST), 2.2 * exact.rms(few)],
    theory: [[exact.rms, 1.7, "*π* / √(3*n*)"]],
  }),
};

export const sampleView = {
  title: "How many tokens make a continuum?",
  lead: "Slide [[grab|*n*]]; the step button draws again. The line is one draw, the band a hundred.",
  build(card) {
    let now = prepare(card.values());
    let m = momentOf(now, card.get("n"), 0);
    const stage = card.stage({
      label: "Tokens on an inner circle, each spread over an equal share of the outer one.",
      keys: "Left and right take another draw, up and down add and remove a token.",
      draw: (ctx, view) => paint(ctx, view, { x: m.draw.x, n: m.n }),
      onKey: (event) => keys(card, event),
    });
    const outs = card.readouts(["energy *E*", "its band", "*W*_2 to the law"]);
    const chart = card.chart({
      x: "tokens *n*, log",
      y: "energy above its limit, log",
      seek: (n) => card.set({ n: Math.round(n) }),
    });
    const verdict = card.verdict();
    const player = card.player({
      axis: linear(0, DRAWS - 1),
      step: 1,
      seconds: 25,
      rests: true,
      symbol: "seed",
      name: "seed of the draw",
      format: (t) => String(now.state.seed + Math.floor(t + 1e-9)),
      work: (ms) => now.run.advance(ms),
      filled: () => now.run.filled - 1,
      show,
    });
    card.live(() => sentence(now, m));
    card.presets();
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: FEW, max: MOST, scale: "log", int: true });
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.1, max: 20, scale: "log" });
    card.slider({ key: "seed", symbol: "seed", label: "of the first draw", min: 0, max: 9999, int: true });
    card.choice({ key: "shown", label: "chart", options: [["energy", "energy"], ["distance", "distance"]] });
    const lamps = card.lamps("What can be said of *n* tokens?", [
      "mean and spread of *E* are exact", "the mean of *W*_2^2 is exact", "pairs of a token with itself are few",
    ]);
    lamps.set(0, "holds", "independent uniform tokens, *B* = *I*");
    lamps.set(1, "holds", "it is *π*^2 / (3*n*), along the circle");
    const foot = passportOf(card, {
      words: () => [`seed ${m.seed}`, `${now.run.filled} draws`, "every pair"],
      compare: (reference) => (now.run.filled < DRAWS ? null : deviationOf(now.run, reference)),
      python: () => samplePython(card.values(), m.seed, DRAWS),
    });

    function show(t) {
      m = momentOf(now, card.get("n"), t);
      stage.invalidate();
      outs.set(0, number(m.energy, 4));
      outs.set(1, now.run.filled < DRAWS ? "…" : `±\u2009${number(m.sd, 2)}`);
      outs.set(2, number(m.distance, 4));
      verdict.set(...verdictOf(now, m, card.get("shown")));
      showSelf();
      drawChart();
      foot.update();
    }

    /** Self-pairs: what they add to the energy of the law, of the whole. */
    function showSelf() {
      const share = 1 - now.exact.limit / now.exact.mean(m.n);
      const words = `they lift the energy by ${number(100 * share, 2)} % of it`;
      lamps.set(2, share < SMALL ? "holds" : "fails", words);
    }

    function drawChart() {
      const { shown } = card.values();
      const few = fewest(m);
      const ns = Float64Array.from({ length: MOST + 1 - few }, (_, i) => few + i);
      const { theory, from, ...look } = CHARTS[shown](now, few);
      const curve = (k) => now.run.all[k][shown].subarray(few).map((y) => y - from);
      const before = [m.k - 1, m.k - 2, m.k - 3].filter((k) => k >= 0);
      chart.set({
        ...look,
        log: true,
        axis: log(few, MOST),
        t: ns,
        curves: [{ y: curve(m.k) }],
        ghosts: before.map((k) => ({ t: ns, y: curve(k) })),
        filled: ns.length,
        now: m.n - few,
        over: (ctx, at, view) => {
          ctx.save();
          ctx.beginPath();
          ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
          ctx.clip();
          band(ctx, at, view.palette, now.run.bands[shown], from, ns);
          theory.forEach((line) => dashed(ctx, at, view.palette, line, ns));
          ctx.restore();
        },
      });
    }

    function restart() {
      now = prepare(card.values());
      now.run.advance(5);
      player.wake();
    }
    card.on(["beta", "seed"], restart);
    card.on(["n", "shown"], player.wake);
    card.el.tfdyn.numbers = () => ({
      seed: m.seed, n: m.n, x: Array.from(m.draw.x.subarray(0, 2 * m.n)),
      energy: m.energy, distance: m.distance, mean: m.mean, sd: m.sd, draws: now.run.filled,
      exact: { mean: now.exact.mean(m.n), sd: now.exact.sd(m.n), rms: now.exact.rms(m.n), limit: now.exact.limit },
      rms: rmsOf(now.run, m.n),
    });
    restart();
  },
};

const DRAW = { ArrowLeft: -1, ArrowRight: 1 };
const TOKEN = { ArrowDown: -1, ArrowUp: 1 };

/** Keys on the stage: true when one was used. */
function keys(card, event) {
  const [draw, token] = [DRAW[event.key], TOKEN[event.key]];
  if (!draw && !token) return false;
  if (draw) card.clock.seek(Math.floor(card.clock.t + 1e-9) + draw);
  if (token) {
    const n = card.get("n") + token * (event.shiftKey ? 8 : 1);
    card.set({ n: Math.min(Math.max(n, FEW), MOST) });
    card.speak();
  }
  return true;
}

/** Energy and W_2 of every draw, and the band, against Python. */
function deviationOf(run, reference) {
  const n = reference.of.n;
  const { mean, sd } = run.bands.energy;
  const ours = [...run.all.map((one) => one.energy[n]), ...run.all.map((one) => one.distance[n]), mean[n], sd(n)];
  return largestDifference(ours, doubles(reference.numbers));
}

/** Mean plus and minus one spread of all draws, filled; below zero there is no axis. */
function band(ctx, at, palette, { mean, sd }, from, ns) {
  const y = (value) => at.y(Math.max(value - from, Number.MIN_VALUE));
  ctx.beginPath();
  for (const n of ns) ctx.lineTo(at.x(n), y(mean[n] + sd(n)));
  for (const n of ns.slice().reverse()) ctx.lineTo(at.x(n), y(mean[n] - sd(n)));
  ctx.fillStyle = fade(palette.state, 0.2);
  ctx.fill();
}

/** A curve of the theory, dashed, with its name where there is one. */
function dashed(ctx, at, palette, [f, width, name], ns) {
  const y = (n) => at.y(Math.max(f(n), Number.MIN_VALUE));
  ctx.strokeStyle = palette.theory;
  ctx.lineWidth = width;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  for (const n of ns) ctx.lineTo(at.x(n), y(n));
  ctx.stroke();
  ctx.setLineDash([]);
  if (!name) return;
  const place = { size: 12.5, color: palette.theory, align: "right", halo: palette.bg };
  label(ctx, name, at.right - 2, at.y(f(40)) - 26, palette, place);
}
