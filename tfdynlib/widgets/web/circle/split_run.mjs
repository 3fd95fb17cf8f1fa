// One atom on its way over an angle, whole or in parts; and what it costs over all angles.

import { leastPath, placesAt } from "../twin/geodesic.mjs";

export const MODES = 24;
const ROUGH = 12; // modes for the curve over all angles
export const STEPS = 80; // times at which the path is drawn
const ANGLES = Float64Array.from({ length: 42 }, (_, k) => 0.075 * (k + 1) - 0.0001 * (k === 41));

/** Angles of every part at the 81 times, one row a time. */
const rowsOf = (path) =>
  Array.from({ length: STEPS + 1 }, (_, k) => Array.from(placesAt(path, k / STEPS).theta));

const kept = new Map();

/** The ratio of costs over all angles, for some beta and number of parts: worked off in slices. */
function curveOf(beta, parts) {
  const key = `${beta} ${parts}`;
  if (!kept.has(key)) {
    if (kept.size > 20) kept.clear();
    kept.set(key, makeCurve(beta, parts));
  }
  return kept.get(key);
}

function makeCurve(beta, parts) {
  const ratio = new Float64Array(ANGLES.length).fill(NaN);
  function* work() {
    const first = Math.PI / Math.sqrt(beta);
    for (let k = 0; k < ANGLES.length; k++) {
      // Below the threshold the whole atom is cheapest, so far as is known: seen at two
      // angles below it, and taken for the smaller ones.
      if (parts === 1 || ANGLES[k] < first - 0.2) ratio[k] = 1;
      else ratio[k] = (yield* leastPath(ANGLES[k], parts, beta, ROUGH)).length / ANGLES[k];
    }
  }
  return { ratio, work: work() };
}

/** All that follows from a state. */
export function prepare(state) {
  const { gap: turn, beta, parts } = state;
  const unit = Math.exp(beta / 2);
  const threshold = Math.PI / Math.sqrt(beta);
  const curve = curveOf(beta, parts);
  const now = {
    state, turn, beta, parts, unit, threshold, curve,
    whole: unit * turn,
    path: null,
    rows: null,
    settled: false,
  };
  const take = (path) => {
    now.path = path;
    now.rows = rowsOf(path);
  };
  function* own() {
    const search = leastPath(turn, parts, beta, MODES);
    for (;;) {
      const { value, done } = search.next();
      if (value) take(value);
      if (done) break;
      yield;
    }
    now.settled = true;
    now.cost = unit * now.path.length;
    now.ratio = turn > 0 ? now.path.length / turn : 1;
  }
  const first = own();
  let doing = first;
  now.advance = (ms) => {
    const end = performance.now() + ms;
    while (doing && performance.now() < end)
      if (doing.next().done) doing = doing === first ? curve.work : null;
    return doing !== null;
  };
  while (!now.rows) if (first.next().done) break; // a rough path is there in no time
  return now;
}

/** The curve with the present angle in it. */
export function curveWith({ turn, ratio, settled, curve }) {
  const t = Array.from(ANGLES);
  const y = Array.from(curve.ratio);
  const at = t.findIndex((angle) => angle >= turn);
  const place = at < 0 ? t.length : at;
  const same = t[place] === turn ? 1 : 0;
  t.splice(place, same, turn);
  y.splice(place, same, settled ? ratio : NaN);
  return { t: Float64Array.from(t), y: Float64Array.from(y), now: place };
}
