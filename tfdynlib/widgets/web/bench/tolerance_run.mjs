// The same tokens solved with three tolerances, and what each of them counts.

import { logFromZero } from "../kit/scale.mjs";
import { adaptive } from "../twin/adaptive.mjs";
import { generator } from "../twin/random.mjs";

export const TOLERANCES = [1e-3, 1e-6, 1e-9];
export const RADIUS = 0.1; // neighbours closer than this are one cluster
const FRAMES = 320;
const MOST = 256; // tokens of a run; the state may hold more, for another view
const TURN = 2 * Math.PI;

/** Angles of the start: a draw on an arc, or an even grid with a little noise. */
export function startOf({ start, n, seed, arc, noise }) {
  const rng = generator(seed);
  const count = Math.min(n, MOST);
  const draw = Float64Array.from({ length: count }, () => rng.random());
  if (start === "grid") return draw.map((u, j) => (TURN * j) / count + noise * u);
  return draw.map((u) => arc * u);
}

/** Softmax attention on the circle, B = V = I, in angles. */
export function fieldOf(beta) {
  return (theta) => {
    const n = theta.length;
    const c = theta.map(Math.cos);
    const s = theta.map(Math.sin);
    const z = new Float64Array(n).fill(1);
    const pull = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        const e = Math.exp(beta * (c[i] * c[j] + s[i] * s[j] - 1));
        const side = e * (c[i] * s[j] - s[i] * c[j]);
        z[i] += e;
        z[j] += e;
        pull[i] += side;
        pull[j] -= side;
      }
    }
    return pull.map((value, i) => value / z[i]);
  };
}

/** Number of clusters of tokens at these angles: gaps wider than the radius. */
export function countOf(theta) {
  const order = theta.map((a) => a - TURN * Math.floor(a / TURN)).sort();
  let gaps = 0;
  for (let i = 0; i < order.length; i++) {
    const next = i + 1 < order.length ? order[i + 1] : order[0] + TURN;
    if (next - order[i] > RADIUS) gaps += 1;
  }
  return Math.max(1, gaps);
}

const farthest = (a, b) => a.reduce((top, value, k) => Math.max(top, Math.abs(value - b[k])), 0);

/** Three runs of a state, worked off side by side, with counts and distances at frames. */
export function prepare(state) {
  const axis = logFromZero(state.t_end);
  const t = Float64Array.from({ length: FRAMES + 1 }, (_, k) => axis.value(k / FRAMES));
  const start = startOf(state);
  const field = fieldOf(state.beta);
  // rtol and atol together, as the package has them on the circle.
  const runs = TOLERANCES.map((tol) => adaptive(field, start, state.t_end, 2 * tol));
  const counts = runs.map(() => new Float64Array(FRAMES + 1));
  const errors = [0, 1].map(() => new Float64Array(FRAMES + 1));
  let filled = 0;

  function fill() {
    const there = Math.min(...runs.map((run) => run.filled));
    while (filled <= FRAMES && t[filled] <= there * (1 + 1e-12)) {
      const states = runs.map((run) => run.at(t[filled]));
      states.forEach((theta, r) => { counts[r][filled] = countOf(theta); });
      errors.forEach((row, r) => { row[filled] = Math.max(farthest(states[r], states[2]), 1e-16); });
      filled += 1;
    }
  }

  const self = {
    state, axis, t, start, field, runs, counts, errors,
    get filled() { return filled; },
    get done() { return filled > FRAMES; },
    /** Work for about so many ms; true while something is left. */
    advance(ms) {
      for (const run of runs) run.advance(ms / runs.length);
      fill();
      return !self.done;
    },
    /** Tokens, counts and distances to the tightest run at t itself, between frames too. */
    moment(time) {
      const states = runs.map((run) => run.at(Math.min(time, run.filled)));
      return {
        states: states.map((theta) => [...theta]),
        counts: states.map(countOf),
        errors: [0, 1].map((r) => Math.max(farthest(states[r], states[2]), 1e-16)),
      };
    },
    /** Frame at t: the last one not after it. */
    index(time) {
      const k = Math.floor(axis.share(time) * FRAMES + 1e-6);
      return Math.min(Math.max(k, 0), Math.max(filled - 1, 0));
    },
  };
  return self;
}
