// The adaptive method of order five, as tfdynlib.flow with method "dopri5".
//
// Coefficients: Dormand and Prince 1980; between steps, Shampine 1986. Steps are chosen as
// the package chooses them, so that both sides take the same ones, up to rounding.

export const A = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
export const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
// Rows: slopes; columns: powers 1 to 4 of the part of the step that has passed.
export const DENSE = [
  [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
  [0, 0, 0, 0],
  [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
  [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
  [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
  [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
  [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
];
const ORDER = 5;
const SAFETY = 0.9;
const [LEAST, LARGEST] = [0.2, 10]; // factors by which a step may change
const DAMPING = 0.04; // share of the last error in the choice of the next step
const STRETCH = 0.01; // a step that would leave less than this of itself goes to the end

function combined(y, h, coefficients, slopes) {
  const out = Float64Array.from(y);
  coefficients.forEach((a, s) => {
    if (a !== 0) for (let k = 0; k < out.length; k++) out[k] += h * a * slopes[s][k];
  });
  return out;
}

/** Root mean square. */
function size(e) {
  let sum = 0;
  for (const value of e) sum += value * value;
  return Math.sqrt(sum / e.length);
}

function errorOf(h, slopes, scale) {
  const zero = new Float64Array(slopes[0].length);
  return (h / scale) * size(combined(zero, 1, ERROR, slopes));
}

/** A first step from the sizes of y, y' and y'' (Hairer, Norsett, Wanner), y of size 1. */
function firstLength(f, y, v, end, scale) {
  const speed = size(v) / scale;
  const h = Math.min(speed < 1e-5 ? 1e-6 : 0.01 / (scale * speed), end);
  const bend = size(combined(f(combined(y, h, [1], [v])), -1, [1], [v])) / (scale * h);
  if (Math.max(speed, bend) <= 1e-15) return Math.min(Math.max(1e-6, 1e-3 * h), end);
  return Math.min(100 * h, (0.01 / Math.max(speed, bend)) ** (1 / ORDER), end);
}

/** Proportional-integral control: the change of length after an accepted step. */
function factorOf(error, before, largest) {
  if (error === 0) return largest;
  const factor = SAFETY * error ** -(1 / ORDER - 0.75 * DAMPING) * before ** DAMPING;
  return Math.min(largest, Math.max(LEAST, factor));
}

/**
 * A run of y' = f(y), y angles, from y0 to the time `end`, with an error of `scale` allowed
 * to a step (root mean square); it is worked off in slices.
 *
 * `join(y)` is asked after each step and answers the fewer angles that go on (tokens that
 * met), or null; from then on `f` is one of fewer angles.  After `most` trials it `failed`.
 *
 * @returns {{advance: function(number): boolean, at: function(number): Float64Array,
 *   step: function(number): number, times: number[], filled: number, evaluations: number,
 *   steps: number, done: boolean, failed: boolean}}
 */
export function adaptive(f, y0, end, scale, { join = null, most = Infinity } = {}) {
  const times = [0];
  const states = [Float64Array.from(y0)];
  const stages = []; // the seven slopes of each step
  let v = f(y0);
  let h = firstLength(f, y0, v, end, scale);
  let evaluations = 2;
  let rejected = 0;
  let before = 1;
  let largest = LARGEST; // a step that was taken back is not followed by a longer one

  function step() {
    const last = times.length - 1;
    const t = times[last];
    const fastest = v.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    const wish = fastest > 0 ? Math.min(h, Math.PI / 2 / fastest) : h; // a quarter turn
    const next = t + (1 + STRETCH) * wish >= end ? end : t + wish;
    const length = next - t;
    const slopes = [v];
    let y = states[last];
    for (const row of A) {
      y = combined(states[last], length, row, slopes);
      slopes.push(f(y));
    }
    evaluations += A.length;
    const error = errorOf(length, slopes, scale);
    if (error <= 1) {
      const fewer = join?.(y) ?? null;
      times.push(next);
      states.push(fewer ?? y);
      stages.push(slopes);
      v = fewer ? f(fewer) : slopes[6];
      if (fewer) evaluations += 1;
      h = length * factorOf(error, before, largest);
      before = Math.max(error, 1e-4);
      largest = LARGEST;
    } else {
      rejected += 1;
      h = length * Math.max(LEAST, SAFETY * error ** (-1 / ORDER));
      largest = 1;
    }
  }

  const self = {
    advance(ms) {
      const stop = performance.now() + ms;
      while (self.going && performance.now() < stop) step();
      return self.going;
    },
    finish() {
      while (self.going) step();
      return self;
    },
    times,
    get going() { return !self.done && !self.failed; },
    get failed() { return !self.done && stages.length + rejected >= most; },
    get filled() { return times[times.length - 1]; },
    get done() { return times[times.length - 1] >= end; },
    get evaluations() { return evaluations; },
    get rejected() { return rejected; },
    get steps() { return times.length - 1; },
    /** The step that holds a time; the number of steps at the end. */
    step(t) {
      let [low, high] = [0, times.length - 1];
      if (t >= times[high]) return high;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle] <= t) low = middle;
        else high = middle;
      }
      return low;
    },
    /** The state at a time that is filled. */
    at(t) {
      const low = self.step(t);
      if (low === times.length - 1) return states[low];
      const length = times[low + 1] - times[low];
      const s = (t - times[low]) / length;
      const weights = DENSE.map(([a, b, c, d]) => s * (a + s * (b + s * (c + s * d))));
      return combined(states[low], length, weights, stages[low]);
    },
  };
  return self;
}
