// From the state of the figure to a trajectory: start, step, field, energy.

import { evenTimes, trajectory } from "../kit/trajectory.mjs";
import { headsOf, velocity } from "../twin/attention.mjs";
import { logEnergy } from "../twin/energy.mjs";
import { rk4Step } from "../twin/flow.mjs";
import { uniformSphere } from "../twin/points.mjs";
import { generator } from "../twin/random.mjs";

export const STEP = 0.05;
const LARGEST = 2.6; // RK4 is stable while step times the Lipschitz bound is below 2.78
const HALVINGS = 5;
const FRAMES = 2000;
const STEEP = 700; // above this bound of β|B| an energy may be too large for a double

/** The state with as many B as V: Python sets them one after the other. */
export function paired(state) {
  const count = Math.min(state.B.length, state.V.length);
  return { ...state, B: state.B.slice(0, count), V: state.V.slice(0, count) };
}

/** Uniform in the cap of 60 degrees round the north pole. */
function cap(n, seed) {
  const rng = generator(seed);
  const x = new Float64Array(3 * n);
  for (let i = 0; i < n; i += 1) {
    const z = 1 - rng.random() / 2;
    const angle = 2 * Math.PI * rng.random();
    const r = Math.sqrt(1 - z ** 2);
    x.set([r * Math.cos(angle), r * Math.sin(angle), z], 3 * i);
  }
  return x;
}

/** The tokens at layer-time 0. */
export const startOf = ({ start, n, seed }) =>
  start === "cap" ? cap(n, seed) : uniformSphere(n, seed);

/** A bound of the operator norm: root of largest row sum times largest column sum. */
function size(rows) {
  const sum = (list) => list.reduce((total, v) => total + Math.abs(v), 0);
  const across = Math.max(...rows.map(sum));
  const down = Math.max(...rows[0].map((_, j) => sum(rows.map((row) => row[j]))));
  return Math.sqrt(across * down);
}

/**
 * Step of the RK4 run: 0.05, halved while it is too long for the field, whose Lipschitz
 * bound is taken as |V| (1 + β|B|), times e^{β|B|} for the unnormalised rule.  Null when
 * five halvings are not enough.  (The Python class has the same rule.)
 */
export function stepLength({ beta, B, V, rule }) {
  const bounds = B.map((rows, h) => {
    const heat = beta * size(rows);
    return size(V[h]) * (1 + heat) * (rule === "unnormalised" ? Math.exp(Math.min(heat, 700)) : 1);
  });
  let dt = STEP;
  for (let k = 0; k <= HALVINGS; k += 1) {
    if (dt * Math.max(...bounds) <= LARGEST) return dt;
    dt /= 2;
  }
  return null;
}

export const velocityOf = (x, heads, { n, beta, rule }) =>
  velocity(x, n, 3, heads, { beta, rule });

/**
 * The trajectory of a state with its energy, or, where `steep`, log10 of it; `dt` is null
 * where it is not integrated.
 */
export function runOf(state) {
  const { n, beta, rule, t_end: end } = state;
  const heads = headsOf(state);
  const dt = stepLength(state);
  const start = startOf(state);
  const spacing = STEP * Math.ceil(end / STEP / FRAMES);
  const field = (t, x, out) => velocity(x, n, 3, heads, { beta, rule }, out);
  const steep = beta * Math.max(...state.B.map(size)) > STEEP;
  const energy = (x) => logEnergy(x, n, 3, heads, beta);
  const run = trajectory({
    times: dt === null ? Float64Array.of(0) : evenTimes(end, spacing),
    dt: dt ?? STEP,
    start,
    step: (x, t, h) => x.set(rk4Step(field, t, x, h, n, 3)),
    measure: steep ? (x) => energy(x) / Math.LN10 : (x) => Math.exp(energy(x)),
  });
  return { run, heads, dt, start, field, steep };
}

/** Largest speed of a token at frame `k`, from its neighbour frame. */
export function topSpeed(run, k) {
  const [a, b] = k + 1 < run.filled ? [k, k + 1] : [k - 1, k];
  if (a < 0) return null;
  const [x, y] = [run.at(a), run.at(b)];
  let top = 0;
  for (let i = 0; i < x.length; i += 3)
    top = Math.max(top, (y[i] - x[i]) ** 2 + (y[i + 1] - x[i + 1]) ** 2 + (y[i + 2] - x[i + 2]) ** 2);
  return Math.sqrt(top) / (run.times[b] - run.times[a]);
}
