// From the state of the figure to its paths and their accounts.
//
// Tokens and weights move by Euler steps, and every integral is a sum over left ends, as in
// the first paper's code: then a residual is the error of the steps, or of the formula.

import { retract } from "../twin/flow.mjs";
import { noise, rates, target } from "../twin/balance.mjs";
import { uniformCircle, uniformSphere } from "../twin/points.mjs";
import { generator } from "../twin/random.mjs";
import { identity } from "../twin/linalg.mjs";

const FRAMES = 1000;

/** Number of steps, and how many of them lie between two frames. */
export function stepsOf({ dt, t_end: end }) {
  const wanted = Math.max(1, Math.round(end / dt));
  const stride = Math.ceil(wanted / FRAMES);
  return { steps: Math.ceil(wanted / stride) * stride, stride };
}

/** Near the ends of the axes, as the first paper starts. */
function nearAxes(n, d, seed) {
  const rng = generator(seed);
  const side = Array.from({ length: n }, () => rng.below(2 * d));
  const x = new Float64Array(n * d);
  for (let k = 0; k < n * d; k++) x[k] = 0.05 * rng.normal();
  side.forEach((one, i) => {
    x[i * d + (one % d)] += one < d ? 1 : -1;
  });
  return retract(x, n, d);
}

const STARTS = {
  axes: nearAxes,
  uniform: (n, d, seed) => (d === 2 ? uniformCircle(n, seed) : uniformSphere(n, seed)),
  point: (n, d) => {
    const one = [Math.cos(Math.PI / 8), Math.sin(Math.PI / 8), 0].slice(0, d);
    return Float64Array.from({ length: n * d }, (_, k) => one[k % d]);
  },
};

export const startOf = ({ start, n, d, seed }) => STARTS[start](n, d, seed);

/** Drift of the weights at time t. */
const DRIFT = {
  frozen: null,
  ascent: null,
  oscillating: (D, t, d) => D.map((M, h) => target(d, t, h, D.length).map((v, k) => v - M[k])),
  noisy: (D, _t, d) => D.map((M) => identity(d).map((v, k) => v - M[k])),
};

const SUMS = ["energy", "weights", "lost", "coded", "noise"];

/** One path: its tokens, heads, and the sums of its account so far. */
function pathOf(state, number, start) {
  const { n, d, motion, noise_var: variance, rule } = state;
  const options = { sign: motion === "ascent" ? 1 : -1, rule };
  const drift = DRIFT[motion];
  const rng = motion === "noisy" ? generator(state.seed + 1 + number) : null;
  const x = Float64Array.from(start);
  let D = state.D.map((rows) => rows.flat());
  let here = rates(x, n, d, D, options);
  const sums = { weights: 0, lost: 0, coded: 0, noise: 0 };
  return {
    x,
    now: () => ({ energy: here.energy, ...sums }),
    step(t, h) {
      sums.lost += h * here.lost;
      sums.coded += h * here.coded;
      if (drift) {
        const F = drift(D, t, d);
        const shake = rng && noise(rng, D.length, d, h, variance);
        sums.weights += h * (here.push(F) + (rng ? here.ito(variance) : 0));
        if (rng) sums.noise += here.push(shake);
        D = D.map((M, k) => M.map((v, e) => v + h * F[k][e] + (shake ? shake[k][e] : 0)));
      }
      for (let k = 0; k < x.length; k++) x[k] += h * here.v[k];
      retract(x, n, d);
      here = rates(x, n, d, D, options);
    },
  };
}

/**
 * All paths of a state, integrated on demand.  `at(k)` are the tokens of the first path at
 * frame k; `books[p]` the account of path p, one array a term, with `exact` and `paper`,
 * the residuals with the exact loss and with the coded one.
 */
export function runOf(state) {
  const { steps, stride } = stepsOf(state);
  const count = state.motion === "noisy" ? state.paths : 1;
  const frames = steps / stride + 1;
  const h = state.t_end / steps;
  const start = startOf(state);
  const size = start.length;
  const times = Float64Array.from({ length: frames }, (_, k) => k * stride * h);
  const tokens = new Float64Array(frames * size);
  const blank = () => new Float64Array(frames);
  const books = Array.from({ length: count }, () =>
    Object.fromEntries([...SUMS, "gain", "exact", "paper", "given", "paid"].map((name) => [name, blank()])),
  );
  const paths = books.map((_, p) => pathOf(state, p, start));
  let [filled, part, turn, failed] = [0, 0, 0, false];

  function store() {
    tokens.set(paths[0].x, filled * size);
    books.forEach((book, p) => {
      const now = paths[p].now();
      for (const name of SUMS) book[name][filled] = now[name];
      const gain = now.energy - book.energy[0];
      book.gain[filled] = gain;
      book.given[filled] = -now.lost;
      book.paid[filled] = -now.coded;
      book.exact[filled] = gain - now.weights + now.lost - now.noise;
      book.paper[filled] = gain - now.weights + now.coded - now.noise;
    });
    filled += 1;
  }
  store();

  function unit() {
    const done = (filled - 1) * stride + part;
    paths[turn].step(done * h, h);
    turn += 1;
    if (turn < count) return;
    turn = 0;
    part += 1;
    if (part < stride) return;
    part = 0;
    failed = paths.some((path) => !Number.isFinite(path.now().energy) || !path.x.every(Number.isFinite));
    if (!failed) store();
  }
  function advance(ms) {
    const until = performance.now() + ms;
    while (filled < frames && !failed) {
      unit();
      if (performance.now() >= until) break;
    }
    return filled < frames && !failed;
  }
  return {
    times, books, advance, h, stride,
    get filled() { return filled; },
    get failed() { return failed; },
    at: (k) => tokens.subarray(k * size, (k + 1) * size),
    index: (t) => Math.min(filled - 1, Math.floor(t / (stride * h) + 1e-6)),
    advanceTo(t, ms) {
      const until = performance.now() + ms;
      while (times[filled - 1] < t && performance.now() < until && advance(0));
    },
  };
}
