// From the state of the figure to a trajectory with its weights, energy and action.

import { evenTimes, trajectory } from "../kit/trajectory.mjs";
import { noisy, oscillating } from "../twin/drift.mjs";
import { retract, rk4Step } from "../twin/flow.mjs";
import { headsEnergy, headsVelocity } from "../twin/heads.mjs";
import { generator } from "../twin/random.mjs";

export const STEP = 0.05;
const NEAR = 0.05; // noise of a token near an axis, each coordinate
export const SHOWN = 6; // heads whose paths are drawn
export const ENTRIES = { 11: 0, 12: 1, 13: 2 }; // place of an entry in a row-major matrix

/** n uniform tokens on S^2 from a generator that others go on drawing from. */
function uniform(n, rng) {
  const x = new Float64Array(3 * n);
  for (let i = 0; i < n; i += 1) {
    const z = 2 * rng.random() - 1;
    const longitude = 2 * Math.PI * rng.random();
    const r = Math.sqrt(1 - z * z);
    x.set([r * Math.cos(longitude), r * Math.sin(longitude), z], 3 * i);
  }
  return x;
}

/** n tokens near the six points ±e_i, each chosen at random. */
function nearAxes(n, rng, normal) {
  const which = Array.from({ length: n }, () => Math.floor(6 * rng.random()));
  const x = Float64Array.from({ length: 3 * n }, () => NEAR * normal());
  which.forEach((k, i) => {
    x[3 * i + (k % 3)] += k < 3 ? 1 : -1;
  });
  return retract(x, n, 3);
}

/** Heads Z + Z^T. */
function startOfHeads(H, normal) {
  const Z = Float64Array.from({ length: 9 * H }, normal);
  return Z.map((v, i) => v + Z[i - (i % 9) + 3 * (i % 3) + Math.floor((i % 9) / 3)]);
}

/** Tokens at layer-time 0, and the path of the weights: the order of the draws is Python's. */
export function start({ n, H, seed, layout, g2, t_end: end, start: place }) {
  const rng = generator(seed);
  const { normal } = rng;
  const x = place === "axes" ? nearAxes(n, rng, normal) : uniform(n, rng);
  const D0 = startOfHeads(H, normal);
  const made = {
    frozen: () => ({ at: () => D0 }),
    ou: () => noisy(D0, STEP, Math.round(end / STEP), g2, normal),
    spread: () => oscillating(D0, true),
    common: () => oscillating(D0, false),
  };
  return { x, path: made[layout]() };
}

/** Mean over heads of entry k. */
function meanOf(D, k) {
  let sum = 0;
  for (let i = k; i < D.length; i += 9) sum += D[i];
  return sum / (D.length / 9);
}

/** Mean over heads of |D| (1 + |D|), a bound of the field's Lipschitz constant. */
function lipschitz(D) {
  let sum = 0;
  for (let i = 0; i < D.length; i += 9) {
    const size = Math.hypot(...D.subarray(i, i + 9));
    sum += size * (1 + size);
  }
  return sum / (D.length / 9);
}

/** Everything that follows from the weights. */
export function runOf(state) {
  const { n, H, rule, t_end: end } = state;
  const { x, path } = start(state);
  const times = evenTimes(end, STEP);
  const count = Math.min(H, SHOWN);
  const row = () => new Float64Array(times.length);
  const [actions, energies] = [row(), row()];
  const means = Array.from({ length: 3 }, row);
  const heads = Array.from({ length: 3 }, () => Array.from({ length: count }, row));
  const made = { path, actions, energies, means, heads, heat: 0 };
  let frame = 0;

  function measure(y) {
    const D = path.at(times[frame]);
    const { energy, action } = headsEnergy(y, n, D, rule);
    [energies[frame], actions[frame]] = [energy, action];
    for (let k = 0; k < 3; k += 1) {
      means[k][frame] = meanOf(D, k);
      for (let h = 0; h < count; h += 1) heads[k][h][frame] = D[9 * h + k];
    }
    made.heat = Math.max(made.heat, STEP * lipschitz(D));
    frame += 1;
    return action;
  }
  const field = (t, y, out) => headsVelocity(y, n, path.at(t), rule, out);
  made.run = trajectory({
    times,
    dt: STEP,
    start: x,
    step: (y, t, h) => y.set(rk4Step(field, t, y, h, n, 3)),
    measure,
  });
  return made;
}

/** Mean of G^2 over a part of the run, from `from` to `to` of its length. */
export function meanAction({ run, actions }, from = 0.5, to = 1) {
  const last = run.times.length - 1;
  const [a, b] = [Math.round(from * last), Math.round(to * last)];
  let sum = 0;
  for (let k = a; k <= b; k += 1) sum += actions[k];
  return sum / (b - a + 1);
}
