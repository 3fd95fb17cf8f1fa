// A trajectory that is integrated ahead of its drawing, in slices of time.

/**
 * Frames of `start` at `times`, integrated on demand.
 *
 * `step(x, t, h)` moves `x` in place by one step of length `h`.  Between two
 * times there are as many equal steps of at most `dt` as it takes (one, when
 * times are `dt` apart).  `measure(x)` gives one number a frame (an energy).
 * Frames are doubles and never change once stored: scrubbing back is exact.
 */
export function trajectory({ times, dt, start, step, measure = null }) {
  const size = start.length;
  const frames = new Float64Array(times.length * size);
  const values = new Float64Array(times.length);
  const x = Float64Array.from(start);
  let filled = 0;
  let failed = false;

  function store() {
    frames.set(x, filled * size);
    if (measure) values[filled] = measure(x);
    filled += 1;
  }
  store();

  const interval = () => {
    const [from, to] = [times[filled - 1], times[filled]];
    const count = Math.max(1, Math.ceil((to - from) / dt - 1e-6));
    return { from, count, h: (to - from) / count };
  };
  let part = 0; // steps already made inside the present interval

  function advance(ms) {
    const until = performance.now() + ms;
    while (filled < times.length && !failed) {
      const { from, count, h } = interval();
      step(x, from + part * h, h);
      part += 1;
      if (part === count) {
        part = 0;
        if (x.every(Number.isFinite)) store();
        else failed = true;
      }
      if (performance.now() >= until) break;
    }
    return filled < times.length && !failed;
  }

  return {
    times,
    values,
    advance,
    /** Number of frames there are so far. */
    get filled() {
      return filled;
    },
    /** The flow left the numbers (a step too long): frames end where they are. */
    get failed() {
      return failed;
    },
    /** Integrate up to time `t`, but for no longer than about `ms`. */
    advanceTo(t, ms) {
      const until = performance.now() + ms;
      while (times[filled - 1] < t && performance.now() < until && advance(0));
    },
    at: (k) => frames.subarray(k * size, (k + 1) * size),
    /** The last frame at or before `t` among those there are. */
    index(t) {
      let low = 0;
      let high = filled - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= t + 1e-9) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

/** Times 0, dt, 2 dt, … up to `end`. */
export function evenTimes(end, dt) {
  const count = Math.round(end / dt) + 1;
  return Float64Array.from({ length: count }, (_, k) => k * dt);
}

/** Time 0 followed by `count` times evenly spaced in log t from `first` to `end`. */
export function logTimes(first, end, count) {
  const ratio = Math.log(end / first) / (count - 1);
  const times = Float64Array.from({ length: count + 1 }, (_, k) =>
    k === 0 ? 0 : first * Math.exp((k - 1) * ratio),
  );
  times[count] = end;
  return times;
}
