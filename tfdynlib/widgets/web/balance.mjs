// The account of the energy.  heads and their motion → paths → stage, ledger, lamps.

import { shownWhen, sliderWhen } from "./circle/controls.mjs";
import { h, setRich } from "./kit/dom.mjs";
import { matrices } from "./kit/matrix.mjs";
import { doubles, largestDifference } from "./kit/passport.mjs";
import { linear } from "./kit/scale.mjs";
import { choice } from "./kit/slider.mjs";
import { turning } from "./kit/turning.mjs";
import { isHeads, isSymmetric } from "./kit/valid.mjs";
import { views } from "./kit/views.mjs";
import { drawStage, names } from "./balance/draw.mjs";
import { python as pythonOf } from "./balance/python.mjs";
import { runOf, stepsOf } from "./balance/run.mjs";
import { earlier, factsOf, LAMPS, lampsOf, sentence, short, verdictOf } from "./balance/words.mjs";

const DIMENSION = { circle: 2, sphere: 3 };

/** The state with its dimension, its heads cut or filled with zeros to fit. */
function fitted(state) {
  const d = DIMENSION[state.space];
  const grid = Array.from({ length: d }, (_, k) => k);
  return { ...state, d, D: state.D.map((M) => grid.map((i) => grid.map((j) => M[i]?.[j] ?? 0))) };
}

/** The lines of Python for a state. */
export const python = (state) => pythonOf(fitted(state));

const AT_ONCE = 30; // ms of integration when a weight changes, to stay at the same moment
const SHORTEST = 0.00125;
const KEPT = 3; // earlier steps that stay on the chart

const areHeads = (list) =>
  isHeads(list, (rows) => [2, 3].includes(list[0]?.length) && isSymmetric(rows, list[0].length));

const STATE = {
  space: { choices: ["circle", "sphere"] },
  n: { min: 1, max: 128, int: true },
  start: { choices: ["axes", "uniform", "point"] },
  seed: { min: 0, max: 9999, int: true },
  D: { check: areHeads },
  motion: { choices: ["frozen", "ascent", "oscillating", "noisy"] },
  rule: { choices: ["softmax", "gradient"] },
  book: { choices: ["exact", "coded"] },
  shown: { choices: ["all", "residual", "noise"] },
  noise_var: { min: 0.05, max: 4 },
  paths: { min: 1, max: 40, int: true },
  dt: { min: SHORTEST, max: 0.1 },
  t_end: { min: 1, max: 40, int: true },
  t: { min: 0, max: 40 },
  turn: { min: -180, max: 180 },
  tilt: { min: -90, max: 90 },
};

const SLIDERS = [
  { key: "dt", symbol: "*dt*", label: "step", min: SHORTEST, max: 0.1, scale: "log" },
  { key: "noise_var", symbol: "*g*^2", label: "variance of the noise", min: 0.05, max: 4, scale: "log" },
  { key: "n", symbol: "*n*", label: "tokens", min: 1, max: 128, scale: "log", int: true },
  { key: "paths", symbol: "paths", label: "of noisy weights", min: 1, max: 40, int: true },
  { key: "seed", symbol: "seed", label: "of start and noise", min: 0, max: 99, int: true },
  { key: "t_end", symbol: "*T*", label: "end of the run", min: 1, max: 40, int: true },
];

const CHOICES = [
  ["motion", "weights", [["frozen", "frozen"], ["ascent", "ascent"], ["oscillating", "oscillating"], ["noisy", "noisy"]]],
  ["rule", "rule that moves the tokens", [["softmax", "softmax"], ["gradient", "gradient"]]],
  ["book", "loss that is booked", [["exact", "exact dissipation"], ["coded", "coded slope²"]]],
  ["shown", "chart", [["all", "all terms"], ["residual", "residual"], ["noise", "work of noise"]]],
];

/** Each head symmetric again: where one of two mirror cells was changed, the other follows. */
function mirrored(heads, before) {
  return heads.map((rows, k) =>
    rows.map((row, i) =>
      row.map((v, j) => {
        const other = rows[j][i];
        if (v === other) return v;
        const old = before?.[k]?.[i]?.[j] ?? before?.[0]?.[i]?.[j];
        return v === old ? other : v;
      }),
    ),
  );
}

/** Largest difference to Python's account and tokens at its checkpoint. */
function deviationFrom(run, reference) {
  const k = reference.frame;
  if (k >= run.filled) return null;
  const book = run.books[0];
  const here = ["energy", "weights", "lost", "coded", "noise"].map((name) => book[name][k]);
  return Math.max(
    largestDifference(run.at(k), doubles(reference.x)),
    largestDifference(Float64Array.from(here), doubles(reference.book)),
  );
}

/** Least and largest of a term over all paths so far, with a little air. */
function rangeOf(run, name, ghosts) {
  let [low, high] = [0, 0];
  const take = (y, count) => {
    for (let k = 0; k < count; k += 1) {
      low = Math.min(low, y[k]);
      high = Math.max(high, y[k]);
    }
  };
  run.books.forEach((book) => take(book[name], run.filled));
  ghosts.forEach(({ y }) => take(y, y.length));
  if (!(high > low)) return [-1, 1];
  const air = 0.06 * (high - low);
  return [low - air, high + air];
}

/** What the chart shows of the books. */
function chartOf(run, { shown, book, motion }, ghosts) {
  const rest = book === "coded" ? "paper" : "exact";
  const one = run.books[0];
  const others = (name) => run.books.slice(1).map((b) => ({ t: run.times.subarray(0, run.filled), y: b[name] }));
  if (shown === "residual")
    return { curves: [{ y: one[rest] }], ghosts: [...ghosts, ...others(rest)], name: "residual", over: null, labelWidth: 0, range: rangeOf(run, rest, ghosts) };
  if (shown === "noise")
    return { curves: [{ y: one.noise }], ghosts: others("noise"), name: "work of the noise *M*, path by path", over: null, labelWidth: 0, range: rangeOf(run, "noise", []) };
  const still = motion === "frozen" || motion === "ascent";
  const named = [
    { name: "gain of *E*", y: one.gain, width: 2.6 },
    ...(still ? [] : [{ name: "weights", y: one.weights, width: 1.6 }]),
    { name: "−lost", y: book === "coded" ? one.paid : one.given, width: 1.6 },
    ...(motion === "noisy" ? [{ name: "noise", y: one.noise, width: 1.2 }] : []),
    { name: "residual", y: one[rest], width: 1.2 },
  ];
  return {
    curves: named.map(({ y, width }) => ({ y, width })),
    ghosts: [], name: "terms of the account", over: names(named), labelWidth: 66, zero: true, range: null,
  };
}

const build = (d) => (card) => {
  let run = null;
  let facts = null;
  let k = 0;
  let hint = true;
  const pace = card.pace();
  let before = card.get("D");
  let last = null; // the settings but for dt, and what was seen at other steps
  let past = [];

  const options = {
    label: d === 2 ? "Tokens on the circle." : "Tokens on the sphere.",
    draw: (ctx, view) =>
      drawStage[d](ctx, view, {
        run, k, n: card.get("n"), end: card.get("t_end"), turn: card.get("turn"), tilt: card.get("tilt"),
        hint: hint && view.w > 200 && !card.onPaper(),
      }),
  };
  if (d === 3)
    Object.assign(options, { keys: "Arrow keys turn the sphere, space plays.", onKey: (event) => onKey(event) });
  const stage = card.stage(options);
  const onKey = d === 3 && turning(card, stage.canvas, () => stage.invalidate());
  const readouts = card.readouts(["energy *E*", "residual", "exact − coded"]);
  const chart = card.chart({ x: "layer-time *t*", y: "terms of the account" });
  const verdict = card.verdict();
  const formerly = h("p", { class: "tfdyn-earlier" });
  card.side(formerly);

  const rest = () => run.books[0][card.get("book") === "coded" ? "paper" : "exact"];
  const seen = () => past.filter(({ dt, book }) => dt !== card.get("dt") && book === card.get("book")).slice(-KEPT);

  function show(t) {
    k = run.index(t);
    const state = fitted(card.values());
    const one = run.books[0];
    stage.invalidate();
    const ghosts = seen().map(({ times, y }) => ({ t: times, y }));
    chart.set({ t: run.times, filled: run.filled, now: k, ...chartOf(run, state, ghosts) });
    readouts.set(0, short(one.energy[k]));
    readouts.set(1, short(rest()[k]));
    const noisy = state.motion === "noisy";
    readouts.set(2, short(noisy ? one.noise[k] : one.lost[k] - one.coded[k]));
    if (!pace.due()) return;
    const j = (list) => list.map(({ dt, y }) => ({ dt, value: y[Math.round((k / (run.times.length - 1)) * (y.length - 1))] }));
    verdict.set(...verdictOf({ state, run, k }));
    setRich(formerly, earlier(j(seen())));
    passport.update();
    card.relabel();
  }

  const player = card.player({
    axis: linear(0, card.get("t_end")),
    step: 0.1,
    seconds: 10,
    work: (ms) => run.advance(ms),
    filled: () => run.times[run.filled - 1],
    stopped: () => run.failed,
    show,
  });
  card.presets();
  const isNoisy = () => card.get("motion") === "noisy";
  const isSpread = () => card.get("start") !== "point";
  const needed = { noise_var: isNoisy, paths: isNoisy, n: isSpread, seed: () => isNoisy() || isSpread() };
  for (const one of SLIDERS)
    card.control(sliderWhen(card, one, ["motion", "start"], needed[one.key] ?? (() => true)));
  const halve = h("button", { type: "button", class: "tfdyn-copy" }, "Halve dt");
  halve.onclick = card.guard(() => {
    card.set({ dt: Math.max(SHORTEST, card.get("dt") / 2) });
    card.speak();
  });
  const shortest = () => { halve.disabled = card.get("dt") <= SHORTEST; };
  card.on(["dt"], shortest);
  shortest();
  card.control(halve);
  const known = () => factsOf(fitted(card.values()));
  const differ = { rule: () => !known().alike, book: () => !known().steepest };
  const choices = CHOICES.map(([key, label, words_]) =>
    shownWhen(card, choice(card, { key, label, options: words_ }), ["D", "motion", "rule"], differ[key] ?? (() => true)));
  const heads = matrices(card, { keys: ["D"], names: ["symmetric; score ⟨*Dx*, *y*⟩"], heads: 4, size: d });
  card.fold("Weights, rule and books", h("div", {}, heads, ...choices));
  const lamps = card.lamps("Must the residual vanish with the step?", LAMPS);
  const measured = card.deviation((reference) => deviationFrom(run, reference));
  const passport = card.passport({
    items: () => [
      `seed ${card.get("seed")}`, "method euler, left ends", `dt ${Number(run.h.toPrecision(6))}`,
      measured(), `tfdynlib ${card.model.get("version")}`,
    ],
    python: () => python(card.values()),
  });
  card.live(() => sentence({ state: card.values(), t: player.t, energy: run.books[0].energy[k], rest: rest()[k] }));

  /** Keep the residuals of the run that is left, if only its step changes. */
  function remember(state) {
    const { dt, t: _t, turn: _turn, tilt: _tilt, shown: _shown, book: _book, ...others } = state;
    const key = JSON.stringify(others);
    if (last?.key !== key) past = [];
    else if (run && run.filled === run.times.length && last.dt !== dt)
      for (const [book, name] of [["exact", "exact"], ["coded", "paper"]]) {
        past = past.filter((one) => one.dt !== last.dt || one.book !== book);
        past.push({ dt: last.dt, book, times: run.times, y: run.books[0][name] });
      }
    last = { key, dt };
  }

  function restart() {
    const D = mirrored(card.get("D"), before);
    if (JSON.stringify(D) !== JSON.stringify(card.get("D"))) card.set({ D });
    before = D;
    const state = fitted({ ...card.values(), D });
    remember(state);
    run = runOf(state);
    facts = factsOf(state);
    run.advanceTo(Math.min(player.t, state.t_end) - 1e-9, AT_ONCE);
    player.axis = linear(0, state.t_end);
    chart.set({ axis: player.axis });
    words();
    player.wake();
  }
  function words() {
    const state = fitted(card.values());
    readouts.name(2, state.motion === "noisy" ? "noise *M*" : "exact − coded");
    lampsOf(facts, state).forEach((lamp, i) => lamps.set(i, ...lamp));
    player.wake();
  }
  card.on(["n", "start", "seed", "D", "motion", "rule", "noise_var", "paths", "dt", "t_end"], restart);
  card.on(["book", "shown"], words);
  card.onFollow(() => {
    past = [];
    words();
  });
  card.on(["turn", "tilt"], () => stage.invalidate());
  stage.canvas.addEventListener("pointerdown", () => { hint = false; }, { once: true });
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({
    x: [...run.at(k)],
    ...Object.fromEntries(Object.entries(run.books[0]).map(([name, y]) => [name, y[k]])),
    steps: stepsOf(card.values()).steps,
    noises: run.books.map((book) => book.noise[k]),
  });
  restart();
};

const LEAD = "Move the weights, halve the step, choose what is booked as lost. [[grab|Orange]] is what you can move.";
const TITLE = "Do the books of the energy close?";

export default views({
  name: "balance",
  key: "space",
  state: STATE,
  views: {
    circle: { title: TITLE, lead: LEAD, build: build(2) },
    sphere: { title: TITLE, lead: LEAD, build: build(3) },
  },
});
