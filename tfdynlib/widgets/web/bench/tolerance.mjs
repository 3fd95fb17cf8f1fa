// View "tolerance": how tight must a solver be before a count of clusters is true?

import { doubles, largestDifference } from "../kit/passport.mjs";
import { logFromZero } from "../kit/scale.mjs";
import { adaptive } from "../twin/adaptive.mjs";
import { onCircle } from "../twin/points.mjs";
import { sliderWhen } from "../circle/controls.mjs";
import { tolerancePython } from "./python.mjs";
import { prepare, TOLERANCES } from "./tolerance_run.mjs";
import { paint } from "./tolerance_stage.mjs";
import { small, spoken } from "./words.mjs";

const AT_ONCE = 30; // ms of work when a weight changes, to stay at the same moment
const COMPARED = 2; // layer-time at which page and Python are compared
const FINEST = 1e-12;
const WIDTHS = [1.3, 2, 3];
const WATCHED = ["start", "n", "seed", "arc", "noise", "beta", "t_end"];
const NAMES = ["10^{−3}", "10^{−6}", "10^{−9}"];

const SHOWS = {
  clusters: (now) => ({
    name: "clusters, the tightest wide",
    curves: [2, 1, 0].map((r) => ({ y: now.counts[r], width: WIDTHS[r] })),
    log: false,
    zero: true,
    range: null,
    levels: [],
  }),
  distance: (now) => ({
    name: "distance to the tightest run, log",
    curves: [0, 1].map((r) => ({ y: now.errors[r], width: WIDTHS[1 - r] + 0.4 })),
    log: true,
    zero: false,
    range: [1e-12, 10],
    levels: [{ y: 1e-3, label: "asked: 10^{−3}" }, { y: 1e-6, label: "asked: 10^{−6}" }],
  }),
};

function verdictOf(now, m) {
  const work = now.runs.map((run) => run.evaluations);
  const cost = now.runs.every((run) => run.done)
    ? `Evaluations to the end: ${work.join(", ")}.`
    : "";
  if (m.counts[0] === m.counts[2] && m.counts[1] === m.counts[2])
    return ["All three count alike", `The loosest is ${small(m.errors[0])} from the tightest. ${cost}`, "ink"];
  const wrong = m.counts[1] !== m.counts[2] ? "10^{−3} and 10^{−6} count" : "10^{−3} counts";
  return [`At this moment ${wrong} wrong`, `${m.counts.join(", ")} clusters; the loosest is ${small(m.errors[0])} away. ${cost}`, "stop"];
}

const sentence = (m, t, n) =>
  `Layer-time ${Number(t.toPrecision(3))}. ${n} tokens. Clusters at tolerance one thousandth: ${m.counts[0]}, ` +
  `at a millionth: ${m.counts[1]}, at a billionth: ${m.counts[2]}. The loosest run is ${spoken(m.errors[0])} from the tightest.`;

export const toleranceView = {
  title: "How tight must a solver be to be true?",
  lead: "Three runs of the same tokens. Slide through [[grab|layer-time]] and watch where the counts part.",
  build(card) {
    let now = prepare(card.values());
    let m = null;
    const stage = card.stage({
      label: "The same tokens on three circles, solved with three tolerances.",
      draw: (ctx, view) => paint(ctx, view, m),
    });
    const outs = card.readouts(NAMES.map((name) => `at ${name}`));
    const chart = card.chart({ x: "layer-time *t*, log", y: "clusters" });
    const verdict = card.verdict();
    const player = card.player({
      axis: now.axis,
      seconds: 10,
      work: (ms) => now.advance(ms),
      filled: () => now.t[Math.max(now.filled - 1, 0)],
      format: (t) => String(Number(t.toPrecision(3))),
      show,
    });
    card.live(() => sentence(m, player.t, now.start.length));
    card.presets();
    card.choice({ key: "start", label: "start", options: [["uniform", "a draw"], ["grid", "an even grid, disturbed"]] });
    card.control(sliderWhen(card, { key: "noise", symbol: "*ε*", label: "of the disturbance", min: 1e-9, max: 1, scale: "log", format: (v) => (v < 0.001 ? v.toExponential(0) : String(v)) }, ["start"], () => card.get("start") === "grid"));
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: 0.5, max: 64, scale: "log" });
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: 2, max: 96, int: true });
    card.slider({ key: "seed", symbol: "seed", label: "of the draw", min: 0, max: 99, int: true });
    card.slider({ key: "t_end", symbol: "*T*", label: "end of the run", min: 5, max: 3000, scale: "log" });
    card.choice({ key: "shows", label: "chart", options: [["clusters", "clusters"], ["distance", "distance"]] });
    const lamps = card.lamps("When is a count to be believed?", [
      "two tolerances agree", "the start outweighs the tolerance", "no error is magnified a thousandfold",
    ]);
    const measured = card.deviation((reference) => {
      const end = Math.min(COMPARED, card.get("t_end"));
      const fine = adaptive(now.field, now.start, end, 2 * FINEST).finish();
      return largestDifference(onCircle([...fine.at(end)]), doubles(reference.numbers));
    });
    const foot = card.passport({
      items: () => [`seed ${card.get("seed")}`, "method dopri5", "tolerances 1e-3, 1e-6, 1e-9", measured(), `tfdynlib ${card.model.get("version")}`],
      python: () => tolerancePython({ ...card.values(), n: now.start.length, t: Number(player.t.toPrecision(7)) }),
    });

    function show(t) {
      const k = now.index(t);
      m = now.moment(t);
      stage.invalidate();
      chart.set({ filled: now.filled, now: k });
      m.counts.forEach((count, r) => outs.set(r, String(count), count === m.counts[2] ? "" : "stop"));
      verdict.set(...verdictOf(now, m));
      lampsOf(lamps, now, m);
      foot.update();
    }

    function restart() {
      now = prepare(card.values());
      if (player.t > 0) now.advance(AT_ONCE);
      showChart();
      if (player.axis.max !== now.axis.max) player.axis = logFromZero(now.state.t_end);
      player.wake();
    }
    function showChart() {
      chart.set({ axis: now.axis, t: now.t, ...SHOWS[card.get("shows")](now), filled: now.filled });
      player.wake();
    }
    card.on(WATCHED, restart);
    card.on(["shows"], showChart);
    card.el.tfdyn.numbers = () => ({
      counts: m.counts, errors: m.errors, evaluations: now.runs.map((run) => run.evaluations),
      t: [...now.t], all: now.counts.map((row) => [...row]),
    });
    restart();
  },
};

function lampsOf(lamps, now, m) {
  const alike = m.counts.filter((count) => count === m.counts[2]).length;
  lamps.set(0, alike > 1 ? "holds" : "fails", alike === 3 ? "all three, now" : alike === 2 ? "the two tighter ones, now" : "three answers");
  const even = now.state.start === "grid";
  const strong = now.state.noise > TOLERANCES[0];
  if (!even) lamps.set(1, "holds", "a draw is far from any symmetry");
  else lamps.set(1, strong ? "holds" : "fails", strong ? "" : `a disturbance of ${small(now.state.noise)} is smaller than 10^{−3}: the solver breaks the symmetry itself`);
  const grown = Math.max(m.errors[0] / TOLERANCES[0], m.errors[1] / TOLERANCES[1]);
  lamps.set(2, grown < 1000 ? "holds" : "fails", `now ${small(grown)} times the tolerance`);
}
