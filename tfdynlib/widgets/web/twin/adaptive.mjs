// The adaptive method of order five, as tfdynlib.flow with method "dopri5".
//
// Coefficients: Dormand and Prince 1980. Between steps the cubic through both ends and both
// slopes is taken, which is what a figure needs and not more.

const A = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
const SAFETY = 0.9;

function combined(y, h, coefficients, slopes) {
  const out = Float64Array.from(y);
  coefficients.forEach((a, s) => {
    if (a !== 0) for (let k = 0; k < out.length; k++) out[k] += h * a * slopes[s][k];
  });
  return out;
}

function sizeOf(h, slopes, tol) {
  const n = slopes[0].length;
  let sum = 0;
  for (let k = 0; k < n; k++) {
    let e = 0;
    for (let s = 0; s < 7; s++) e += ERROR[s] * slopes[s][k];
    sum += ((h * e) / tol) ** 2;
  }
  return Math.sqrt(sum / n);
}

/**
 * A run of y' = f(y) from y0 to the time `end`, with `tol` allowed to each coordinate in
 * a step; it is worked off in slices.
 *
 * @returns {{advance: function(number): boolean, at: function(number): Float64Array,
 *   filled: number, evaluations: number, steps: number, done: boolean}}
 */
export function adaptive(f, y0, end, tol, first = 0.01) {
  const times = [0];
  const states = [Float64Array.from(y0)];
  const rates = [f(y0)];
  let evaluations = 1;
  let rejected = 0;
  let h = Math.min(first, end);

  function step() {
    const last = times.length - 1;
    const t = times[last];
    const length = Math.min(h, end - t);
    const slopes = [rates[last]];
    let y = states[last];
    for (const row of A) {
      y = combined(states[last], length, row, slopes);
      slopes.push(f(y));
    }
    evaluations += A.length;
    const size = sizeOf(length, slopes, tol);
    if (size <= 1) {
      times.push(length < h ? end : t + length);
      states.push(y);
      rates.push(slopes[6]);
    } else rejected += 1;
    h = length * Math.min(5, Math.max(0.2, SAFETY * Math.max(size, 1e-10) ** -0.2));
  }

  const self = {
    advance(ms) {
      const stop = performance.now() + ms;
      while (!self.done && performance.now() < stop) step();
      return !self.done;
    },
    finish() {
      while (!self.done) step();
      return self;
    },
    get filled() { return times[times.length - 1]; },
    get done() { return times[times.length - 1] >= end; },
    get evaluations() { return evaluations; },
    get rejected() { return rejected; },
    get steps() { return times.length - 1; },
    /** The state at a time that is filled. */
    at(t) {
      let [low, high] = [0, times.length - 1];
      if (t >= times[high]) return states[high];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle] <= t) low = middle;
        else high = middle;
      }
      const length = times[high] - times[low];
      const s = (t - times[low]) / length;
      const [a, b] = [(1 + 2 * s) * (1 - s) ** 2, s * s * (3 - 2 * s)];
      const [c, d] = [s * (1 - s) ** 2 * length, -s * s * (1 - s) * length];
      return states[low].map((value, k) =>
        a * value + c * rates[low][k] + b * states[high][k] + d * rates[high][k]);
    },
  };
  return self;
}
