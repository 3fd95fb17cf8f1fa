// From the state of the figure to the path found, its weights and what every method pays.

import { ofMoments } from "../kit/ellipses.mjs";
import {
  distance2, gap, integrated, kineticCost, METHODS, powerAt, rankOf, sizeAt, steer, weightCost, weightsAt,
} from "../twin/control.mjs";
import { eigSym, flat } from "../twin/matrix2.mjs";

export { METHODS };
const FRAMES = 60; // of every piece of a path, for the curves
const REACHES = [1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 15];
const AIR = 1.14; // round what the stage holds
const SIGMAS = 2; // as ellipses are drawn

/** The Gaussians of a state. */
export const startOf = ({ start_mean: mean, start_cov: cov }) => ({ mean, cov: flat(cov) });
export const targetOf = ({ target_mean: mean, target_cov: cov }) => ({ mean, cov: flat(cov) });

/** The ellipse of a Gaussian of a rank that is known; of rank 1 its short axis is 0 exactly, of rank 0 both. */
export function ellipseOf({ mean, cov }, rank = rankOf(cov)) {
  const made = ofMoments(mean, cov);
  return { ...made, long: rank > 0 ? made.long : 0, short: rank > 1 ? made.short : 0 };
}

/** The square of the plane that holds these Gaussians: its centre, and half its side. */
function viewOf(all) {
  const sides = [0, 1].map((k) => {
    const far = all.map(({ cov }) => SIGMAS * Math.sqrt(Math.max(0, cov[3 * k])));
    const [low, high] = [
      Math.min(...all.map(({ mean }, j) => mean[k] - far[j])),
      Math.max(...all.map(({ mean }, j) => mean[k] + far[j])),
    ];
    const middle = Math.round(2 * (low + high)) / 4;
    return { middle, half: Math.max(high - middle, middle - low) };
  });
  const half = AIR * Math.max(...sides.map((side) => side.half));
  return { centre: sides.map((side) => side.middle), reach: REACHES.find((r) => r >= half) ?? half };
}

/** Frames of a path: what curves are drawn through. */
function framesOf(path, followed) {
  const times = path.pieces.flatMap(({ from, to }) =>
    Array.from({ length: FRAMES + 1 }, (_, k) => from + ((to - from) * k) / FRAMES));
  const moments = times.map((t) => followed.at(t));
  const weights = path.pieces.flatMap((one, j) =>
    times.slice(j * (FRAMES + 1), (j + 1) * (FRAMES + 1)).map((t) => one.layer(t)));
  const course = (key, size) =>
    Array.from({ length: size }, (_, k) => Float64Array.from(weights, (one) => one[key][k]));
  const curve = (f) => Float64Array.from(times, f);
  const deviation = (which) => (_, k) => Math.sqrt(Math.max(0, eigSym(moments[k].cov).values[which]));
  return {
    t: Float64Array.from(times),
    moments,
    courses: { A: course("A", 4), B: course("B", 4), V: course("V", 4), b: course("b", 2) },
    speed: curve((t) => powerAt(path, t)),
    size: curve((t) => sizeAt(path, t)),
    long: curve(deviation(0)),
    short: curve(deviation(1)),
  };
}

/** Everything that follows from a state. */
export function prepare(state) {
  const [start, target] = [startOf(state), targetOf(state)];
  const { T, method } = state;
  const paths = Object.fromEntries(METHODS.map((name) => [name, steer(start, target, T, name)]));
  const costs = Object.fromEntries(METHODS.map((name) => [name, paths[name].refused
    ? null
    : { weight: weightCost(paths[name]), kinetic: kineticCost(paths[name]) }]));
  const path = paths[method];
  const run = {
    state, start, target, path, paths, costs, T, method,
    ranks: [rankOf(start.cov), rankOf(target.cov)],
    refused: path.refused ?? null,
    distance2: distance2(start, target),
    least: distance2(start, target) / T,
    cost: costs[method],
    frames: null,
    error: NaN,
    at: () => start,
    weights: () => null,
  };
  if (!run.refused) {
    const followed = integrated(path, start);
    run.frames = framesOf(path, followed);
    run.at = followed.at;
    run.weights = (t) => weightsAt(path, t);
    run.error = gap(followed.at(T), target);
  }
  run.view = viewOf([start, target, ...(run.frames?.moments ?? [])]);
  return run;
}

const STILL = 1e-9; // a change of an entry below this part of all of them is rounding

/** Whether the weights of a way do not change. */
export function isConstant({ frames: { courses } }) {
  const all = Object.values(courses).flat();
  const size = Math.max(...all.map((y) => Math.max(...y.map(Math.abs))));
  return all.every((y) => Math.max(...y) - Math.min(...y) <= STILL * size);
}

/** The last frame at or before t. */
export function frameAt({ frames }, t) {
  if (!frames) return 0;
  let k = frames.t.length - 1;
  while (k > 0 && frames.t[k] > t + 1e-12) k -= 1;
  return k;
}
