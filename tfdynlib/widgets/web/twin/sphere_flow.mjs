// Adaptive runs of order five on the circle and on the sphere, as tfdynlib.flow.solve.
//
// The same coordinates (angles for d = 2, rows that are normalised for d = 3), the same
// error and the same choice of steps as in the package: both sides take the same steps,
// up to rounding.  Work is cut between two evaluations of the field.

import { A, DENSE, ERROR } from "./adaptive.mjs";

const ORDER = 5;
const SAFETY = 0.9;
const [LEAST, LARGEST] = [0.2, 10]; // factors by which a step may change
const DAMPING = 0.04;
const STRETCH = 0.01; // a step that would leave less than this of itself goes to the end
const SHORTEST = 10 * 2 ** -52;
export const TOLERANCE = 1e-8 + 1e-10; // rtol + atol of the package
const TURN = 2 * Math.PI;

/** Angles: y = atan2, one number a token. */
const circle = (n) => ({
  length: n,
  state: (x) => Float64Array.from({ length: n }, (_, i) => Math.atan2(x[2 * i + 1], x[2 * i])),
  points(y, out) {
    for (let i = 0; i < n; i += 1) {
      out[2 * i] = Math.cos(y[i]);
      out[2 * i + 1] = Math.sin(y[i]);
    }
    return out;
  },
  rate(x, v) {
    const out = new Float64Array(n);
    for (let i = 0; i < n; i += 1) out[i] = x[2 * i] * v[2 * i + 1] - x[2 * i + 1] * v[2 * i];
    return out;
  },
  settle: (y) => y.map((value) => value - TURN * Math.round(value / TURN)),
  size: (e) => Math.sqrt(e.reduce((sum, value) => sum + value * value, 0) / n),
  longest(v) {
    const fastest = v.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    return fastest > 0 ? Math.PI / 2 / fastest : Infinity;
  },
});

/** Rows in R^d: the field sees y / |y|. */
function rows(n, d) {
  function points(y, out) {
    for (let k = 0; k < n * d; k += d) {
      let square = 0;
      for (let j = k; j < k + d; j += 1) square += y[j] * y[j];
      const size = Math.sqrt(square);
      for (let j = k; j < k + d; j += 1) out[j] = y[j] / size;
    }
    return out;
  }
  return {
    length: n * d,
    state: (x) => Float64Array.from(x),
    points,
    rate: (x, v) => Float64Array.from(v),
    settle: (y) => points(y, new Float64Array(n * d)),
    /** Root mean square over tokens of the tangent part of e at y. */
    size(e, y) {
      let sum = 0;
      for (let k = 0; k < n * d; k += d) {
        let along = 0;
        for (let j = k; j < k + d; j += 1) {
          sum += e[j] * e[j];
          along += e[j] * y[j];
        }
        sum -= along * along;
      }
      return Math.sqrt(Math.max(sum / n, 0));
    },
    longest: () => Infinity,
  };
}

function combined(y, h, coefficients, slopes) {
  const out = Float64Array.from(y);
  coefficients.forEach((a, s) => {
    const by = h * a;
    const slope = slopes[s];
    if (a !== 0) for (let k = 0; k < out.length; k += 1) out[k] += by * slope[k];
  });
  return out;
}

/** Proportional-integral control: the change of length after an accepted step. */
function factorOf(error, before, largest) {
  if (error === 0) return largest;
  const factor = SAFETY * error ** -(1 / ORDER - 0.75 * DAMPING) * before ** DAMPING;
  return Math.min(largest, Math.max(LEAST, factor));
}

/**
 * Frames of x' = field(x) at `times` (from 0 on), integrated on demand in slices.
 *
 * `field(x, out)` gives the velocities of n tokens in R^d, row-major.  `measure(x)` gives
 * one number a frame.  The interface is that of a trajectory of the kit.
 */
export function sphereFlow({ field, start, n, d, times, tolerance = TOLERANCE, measure = null }) {
  const chart = d === 2 ? circle(n) : rows(n, d);
  const [size, end] = [n * d, times[times.length - 1]];
  const frames = new Float64Array(times.length * size);
  const values = new Float64Array(times.length);
  const count = { evaluations: 0, steps: 0 };
  let filled = 0;
  let failed = false;

  const f = (y) => {
    count.evaluations += 1;
    const x = chart.points(y, new Float64Array(size));
    return chart.rate(x, field(x, new Float64Array(size)));
  };
  function store(y) {
    const x = frames.subarray(filled * size, (filled + 1) * size);
    chart.points(y, x);
    if (measure) values[filled] = measure(x);
    filled += 1;
  }
  const zero = new Float64Array(chart.length);

  function* firstLength(y, v) {
    const speed = chart.size(v, y) / tolerance;
    const h = Math.min(speed < 1e-5 ? 1e-6 : 0.01 / (tolerance * speed), end);
    const ahead = f(combined(y, h, [1], [v]));
    yield;
    const bend = chart.size(combined(ahead, -1, [1], [v]), y) / (tolerance * h);
    if (Math.max(speed, bend) <= 1e-15) return Math.min(Math.max(1e-6, 1e-3 * h), end);
    return Math.min(100 * h, (0.01 / Math.max(speed, bend)) ** (1 / ORDER), end);
  }

  function between(t0, t1, y0, y1, slopes) {
    const h = t1 - t0;
    while (filled < times.length && times[filled] <= t1) {
      const t = times[filled];
      const s = (t - t0) / h;
      store(t === t1 ? y1 : combined(y0, h, DENSE.map(([a, b, c, e]) => s * (a + s * (b + s * (c + s * e)))), slopes));
    }
  }

  function* work() {
    let t = 0;
    let y = chart.state(start);
    let v = f(y);
    yield;
    let h = yield* firstLength(y, v);
    let before = 1;
    let largest = LARGEST; // a step that was taken back is not followed by a longer one
    while (t < end) {
      const wish = Math.max(Math.min(h, chart.longest(v)), SHORTEST * t);
      const next = t + (1 + STRETCH) * wish >= end ? end : t + wish;
      const length = next - t;
      const slopes = [v];
      let trial = y;
      for (const row of A) {
        trial = combined(y, length, row, slopes);
        slopes.push(f(trial));
        yield;
      }
      const error = (length / tolerance) * chart.size(combined(zero, 1, ERROR, slopes), y);
      if (!Number.isFinite(error) || h < SHORTEST * t) {
        failed = true;
        return;
      }
      if (error <= 1) {
        between(t, next, y, trial, slopes);
        count.steps += 1;
        [t, y, v] = [next, chart.settle(trial), slopes[6]];
        h = length * factorOf(error, before, largest);
        before = Math.max(error, 1e-4);
        largest = LARGEST;
      } else {
        h = length * Math.max(LEAST, SAFETY * error ** (-1 / ORDER));
        largest = 1;
      }
    }
  }

  frames.set(start, 0);
  if (measure) values[0] = measure(frames.subarray(0, size));
  filled = 1;
  const working = work();
  const self = {
    times,
    values,
    count,
    /** Integrate for about `ms`; true while something is left. */
    advance(ms) {
      const until = performance.now() + ms;
      while (filled < times.length && !failed) {
        if (working.next().done) break;
        if (performance.now() >= until) break;
      }
      return filled < times.length && !failed;
    },
    finish() {
      while (self.advance(1e9));
      return self;
    },
    get filled() { return filled; },
    get failed() { return failed; },
    at: (k) => frames.subarray(k * size, (k + 1) * size),
    /** The last frame at or before `t` among those there are. */
    index(t) {
      let [low, high] = [0, filled - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= t + 1e-9) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
  return self;
}
