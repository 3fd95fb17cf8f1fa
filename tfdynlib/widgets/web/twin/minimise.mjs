// A minimum by L-BFGS, worked off in slices: what scipy's "L-BFGS-B" is for the package.

const MEMORY = 20;
const DESCENT = 1e-4; // of the slope, that a step must win
const CURVATURE = 0.9; // of the slope, that may be left after it
const ROUNDING = 1e-14; // of the value: smaller falls are not seen
const TRIALS = 40;

const dot = (a, b) => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
};

const along = (x, t, d) => x.map((value, k) => value + t * d[k]);

/** Largest entry, in size. */
export const largest = (g) => {
  let top = 0;
  for (let k = 0; k < g.length; k++) top = Math.max(top, Math.abs(g[k]));
  return top;
};

/** The direction -H g, with the curvature of the last steps (two loops). */
function direction(g, pairs) {
  const d = g.map((value) => -value);
  const shares = [];
  for (let k = pairs.length - 1; k >= 0; k--) {
    const { s, y, sy } = pairs[k];
    shares[k] = dot(s, d) / sy;
    for (let i = 0; i < d.length; i++) d[i] -= shares[k] * y[i];
  }
  const last = pairs.at(-1);
  const scale = last ? last.sy / dot(last.y, last.y) : 1;
  for (let i = 0; i < d.length; i++) d[i] *= scale;
  pairs.forEach(({ s, y, sy }, k) => {
    const back = shares[k] - dot(y, d) / sy;
    for (let i = 0; i < d.length; i++) d[i] += back * s[i];
  });
  return d;
}

/**
 * A generator that looks for a minimum of `f(x) = { value, gradient }` from x.
 *
 * It yields after every evaluation and returns `{ x, value, gradient, evaluations }`,
 * with no entry of the gradient above `tol`, or the best there is. A line search (weak
 * Wolfe, by bisection) makes every step lower the value; where the fall is below
 * rounding, a step counts that makes the gradient smaller.
 */
export function* minimise(f, x, { tol = 1e-10, most = 2000 } = {}) {
  let here = { x, ...f(x) };
  let evaluations = 1;
  yield;
  let pairs = [];
  while (largest(here.gradient) > tol && evaluations < most) {
    let d = direction(here.gradient, pairs);
    let slope = dot(d, here.gradient);
    if (!(slope < 0)) {
      pairs = [];
      d = here.gradient.map((value) => -value);
      slope = dot(d, here.gradient);
    }
    // Without a memory the length of the first step is anybody's guess: at most one.
    let t = pairs.length ? 1 : Math.min(1, 1 / Math.sqrt(-slope));
    let [low, high] = [0, Infinity];
    let next = null;
    for (let trial = 0; trial < TRIALS && evaluations < most; trial++) {
      const point = along(here.x, t, d);
      const there = { x: point, ...f(point) };
      evaluations += 1;
      yield;
      const flat = Math.abs(there.value - here.value) <= ROUNDING * Math.abs(here.value);
      if (flat && largest(there.gradient) < largest(here.gradient)) {
        next = there;
        break;
      }
      if (!(there.value <= here.value + DESCENT * t * slope)) high = t;
      else if (dot(there.gradient, d) < CURVATURE * slope) low = t;
      else {
        next = there;
        break;
      }
      if (flat && high < Infinity && trial > 3) break;
      t = high < Infinity ? (low + high) / 2 : 2 * low;
    }
    if (!next) {
      if (pairs.length === 0) break;
      pairs = []; // once more, straight down
      continue;
    }
    const s = next.x.map((value, k) => value - here.x[k]);
    const y = next.gradient.map((value, k) => value - here.gradient[k]);
    const sy = dot(s, y);
    if (sy > 1e-12 * dot(y, y) ** 0.5 * dot(s, s) ** 0.5) {
      pairs.push({ s, y, sy });
      if (pairs.length > MEMORY) pairs.shift();
    }
    here = next;
  }
  return { ...here, evaluations };
}

/** The return value of a generator, run to its end at once. */
export function finish(generator) {
  let step = generator.next();
  while (!step.done) step = generator.next();
  return step.value;
}
