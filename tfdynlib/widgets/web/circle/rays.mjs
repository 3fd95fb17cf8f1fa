// View "rays": what one token takes from the others, as rays as wide as their weights.

import { number } from "../kit/dom.mjs";
import { log } from "../kit/scale.mjs";
import { attend, headsOf, velocity } from "../twin/attention.mjs";
import { isSymmetric, matvec } from "../twin/linalg.mjs";
import { placeToken, startControls, weightsColumn } from "./controls.mjs";
import * as model from "./model.mjs";
import { dragTokens, tokenKeys } from "./pointer.mjs";
import { raysPython } from "./python.mjs";
import { numbers, passportOf } from "./reference.mjs";
import { paint, placeOf } from "./rays_stage.mjs";

const LOW = 0.01;
const HIGH = 100;
const POINTS = 240;
const WATCHED = ["n", "B", "V", "start", "seed", "gap", "angles", "query", "curve"];

/** Mean over heads of the weights of one token at one beta. */
function weightsAt(now, beta) {
  const rows = now.heads.map((head) => {
    const a = attend(now.x, now.n, 2, head, beta);
    return a.subarray(now.query * now.n, (now.query + 1) * now.n);
  });
  return Array.from({ length: now.n }, (_, j) => rows.reduce((sum, a) => sum + a[j], 0) / rows.length);
}

const perplexity = (a) => Math.exp(-a.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0));

/** Where the weights put the mean, and how far along the scores it lies. */
function meanOf(now, a) {
  const m = [0, 1].map((k) => a.reduce((sum, p, j) => sum + p * now.x[2 * j + k], 0));
  return { m, score: m[0] * now.p[0] + m[1] * now.p[1] };
}

/** All that a state says, with the curves over every beta. */
function prepare(state) {
  const heads = headsOf(state);
  const x = model.startTokens(state);
  const n = x.length / 2;
  const query = Math.min(state.query, n - 1);
  const p = heads.map(({ B }) => matvec(B, [x[2 * query], x[2 * query + 1]]))
    .reduce((sum, v) => [sum[0] + v[0] / heads.length, sum[1] + v[1] / heads.length], [0, 0]);
  const now = { state, heads, x, n, query, p, angles: model.startAngles(state) };
  const axis = log(LOW, HIGH);
  now.betas = Float64Array.from({ length: POINTS }, (_, k) => axis.value(k / (POINTS - 1)));
  const all = Array.from(now.betas, (beta) => weightsAt(now, beta));
  return Object.assign(now, CURVES[state.curve](now, all), { axis, ties: tiesOf(now) });
}

/** The curves of the chart, by what the reader wants to see. */
const CURVES = {
  perplexity: (now, all) => ({
    curves: [{ y: all.map(perplexity) }],
    range: [0.6, now.n * 1.06],
    name: "perplexity: how many it hears",
    levels: [{ y: now.n, label: `all ${now.n}` }, { y: 1, label: "one" }],
  }),
  weights: (now, all) => ({
    curves: Array.from({ length: Math.min(now.n, 8) }, (_, j) => ({
      y: all.map((a) => a[j]), width: j === now.query ? 2.8 : 1.4,
    })),
    range: [-0.02, 1.04],
    name: "weight of each token, its own wide",
    levels: [{ y: 1 / now.n, label: `1/${now.n}` }],
  }),
  score: (now, all) => ({
    curves: [{ y: all.map((a) => meanOf(now, a).score) }],
    range: null,
    name: "mean score ⟨*p*, *m*⟩",
    levels: [{ y: Math.max(...scoresOf(now)), label: "largest score" }],
  }),
};

const scoresOf = ({ x, n, p }) =>
  Array.from({ length: n }, (_, j) => p[0] * x[2 * j] + p[1] * x[2 * j + 1]);

/** The tokens of largest score; more than one is a tie. */
function tiesOf(now) {
  const scores = scoresOf(now);
  const top = Math.max(...scores);
  return scores.flatMap((score, j) => (score > top - 1e-9 ? [j] : []));
}

/** The numbers at one beta. */
function momentOf(now, beta) {
  const a = weightsAt(now, beta);
  const v = velocity(now.x, now.n, 2, now.heads, { beta });
  const own = v.subarray(2 * now.query, 2 * now.query + 2);
  return { beta, a, self: a[now.query], perplexity: perplexity(a), ...meanOf(now, a), v: own, pull: Math.hypot(...own) };
}

/** Six digits: enough to check by hand. */
const six = (value) => value.toFixed(6);
const moves = (m) => m.pull > 1e-9;

function verdictOf(now, m) {
  if (!moves(m)) return ["Attention, and no motion", "The pull points along the radius: its tangent part is zero."];
  const share = m.self > 0.5 ? "It hears mostly itself" : m.perplexity > 0.9 * now.n ? "It hears nearly all alike" : "It hears some, and is pulled";
  return [share, `The pull along the circle is ${number(m.pull, 4)} a unit of layer-time.`];
}

const sentence = (now, m) =>
  `Beta ${number(m.beta, 3)}. Token ${now.query + 1} of ${now.n} gives itself weight ${m.self.toFixed(3)}. ` +
  `Perplexity ${m.perplexity.toFixed(2)}. ` +
  (moves(m) ? `The pull along the circle is ${number(m.pull, 2)}.` : "The pull is along the radius: no motion.");

export const raysView = {
  title: "What does a token take from the others?",
  lead: "Choose a token, [[grab|drag it]], slide *β*. A ray is as wide as the weight it carries.",
  build(card) {
    let now = prepare(card.values());
    let m = momentOf(now, card.get("beta"));
    const stage = card.stage({
      label: "Tokens on a circle, with rays from the chosen one.",
      keys: "Left and right choose a token, up and down turn it.",
      draw: (ctx, view) => paint(ctx, view, { now, m, held: hand.held }),
      onKey: (event) => tokenKeys(event, {
        n: now.n,
        chosen: now.query,
        choose: (i) => { card.set({ query: i }); card.speak(); },
        turn: (by) => { placeToken(card, now.query, now.angles[now.query] + by); card.speak(); },
      }),
    });
    const hand = dragTokens(card, stage, {
      marks: () => ({ g: placeOf(stage.view), angles: now.angles }),
      take: (i) => card.set({ query: i }),
      put: (i, angle) => placeToken(card, i, angle),
      drop: () => card.speak(),
    });
    const outs = card.readouts(["self-weight", "perplexity", "|projected pull|"]);
    const chart = card.chart({ x: "*β*, log", y: "perplexity" });
    const verdict = card.verdict();
    const player = card.player({
      key: "beta",
      symbol: "*β*",
      name: "inverse temperature",
      rests: true,
      axis: now.axis,
      seconds: 9,
      format: (beta) => number(beta, 3),
      work: () => false,
      filled: () => HIGH,
      show,
    });
    card.live(() => sentence(now, m));
    card.presets();
    card.slider({ key: "beta", symbol: "*β*", label: "inverse temperature", min: LOW, max: HIGH, scale: "log" });
    card.choice({
      key: "curve",
      label: "chart",
      options: [["perplexity", "perplexity"], ["weights", "weights"], ["score", "mean score"]],
    });
    card.slider({ key: "n", symbol: "*n*", label: "tokens", min: 2, max: 64, int: true });
    startControls(card, [["uniform", "uniform draw"], ["angles", "as placed"]]).forEach(card.control);
    weightsColumn(card);
    const lamps = card.lamps("What happens when *β* grows?", [
      "one best match", "the token hears itself most", "*B* is symmetric", "the pull has a tangent part",
    ]);
    const foot = passportOf(card, {
      words: () => [`query x[${now.query}]`, `β ${number(m.beta, 3)}`, "shifted softmax"],
      compare: (reference) => {
        const at = momentOf(now, reference.of.beta);
        return numbers(reference, [...at.a, at.perplexity, at.pull]);
      },
      python: () => raysPython({ ...card.values(), beta: Number(m.beta.toPrecision(7)) }, now.query),
    });

    function show(beta) {
      m = momentOf(now, beta);
      stage.invalidate();
      outs.set(0, six(m.self));
      outs.set(1, m.perplexity.toFixed(4));
      outs.set(2, moves(m) ? six(m.pull) : "0");
      verdict.set(...verdictOf(now, m));
      chart.set({ now: Math.round(now.axis.share(beta) * (POINTS - 1)) });
      showLamps(lamps, now, m);
      foot.update();
    }

    function restart() {
      now = prepare(card.values());
      const { curves, range, levels, name, axis, betas } = now;
      chart.set({ axis, t: betas, curves, range, levels, name, filled: POINTS });
      player.wake();
    }
    card.on(WATCHED, restart);
    card.el.tfdyn.numbers = () => ({
      beta: m.beta, weights: m.a, perplexity: m.perplexity, pull: m.pull, score: m.score,
      query: now.query, curve: Array.from(now.curves[0].y),
    });
    restart();
  },
};

function showLamps(lamps, now, m) {
  const one = now.ties.length === 1;
  lamps.set(0, one ? "holds" : "fails", one
    ? `in the limit it hears token ${now.ties[0] + 1} alone`
    : `in the limit, the mean of ${now.ties.length} equal scores`);
  const self = now.ties.includes(now.query);
  lamps.set(1, self ? "holds" : "fails", self ? "" : `it hears token ${now.ties[0] + 1} more than itself`);
  const symmetric = now.heads.every(({ B }) => isSymmetric(B));
  lamps.set(2, symmetric ? "holds" : "fails", symmetric ? "" : "*i* scores *j* otherwise than *j* scores *i*");
  lamps.set(3, moves(m) ? "holds" : "fails", moves(m) ? "" : "weights, and no motion");
}
