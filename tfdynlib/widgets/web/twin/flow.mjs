// Steps and runs on the sphere, as tfdynlib.flow with method "rk4" and "euler".
//
// A field is `(t, x, out) => out`, tangent at unit rows x. Every stage is evaluated on the
// sphere: the retraction of the stage point. The step ends with the retraction.

/** Divide every row by its length, in place. */
export function retract(x, n, d) {
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (let k = 0; k < d; k++) square += x[i * d + k] * x[i * d + k];
    const size = Math.sqrt(square);
    for (let k = 0; k < d; k++) x[i * d + k] /= size;
  }
  return x;
}

/** x + h v, into `out`. */
function along(x, h, v, out) {
  for (let k = 0; k < x.length; k++) out[k] = x[k] + h * v[k];
  return out;
}

/** One Euler step: R(x + h f(t, x)). With `sphere` false the step is not retracted. */
export function eulerStep(field, t, x, h, n, d, sphere = true) {
  const next = along(x, h, field(t, x, new Float64Array(x.length)), new Float64Array(x.length));
  return sphere ? retract(next, n, d) : next;
}

/** One classical fourth-order step, all four stages on the sphere. */
export function rk4Step(field, t, x, h, n, d) {
  const at = (s, v) => retract(along(x, s, v, new Float64Array(x.length)), n, d);
  const f = (s, y) => field(t + s, y, new Float64Array(x.length));
  const k1 = f(0, x);
  const k2 = f(h / 2, at(h / 2, k1));
  const k3 = f(h / 2, at(h / 2, k2));
  const k4 = f(h, at(h, k3));
  const next = new Float64Array(x.length);
  for (let k = 0; k < x.length; k++) {
    next[k] = x[k] + (h / 6) * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
  }
  return retract(next, n, d);
}

/**
 * A run that fills itself bit by bit.
 *
 * `t` are the times of the frames; between two frames lie `Math.ceil(gap / dt)` equal
 * steps (one if `dt` is not given, as in Python). `advance(ms)` steps until the budget is
 * spent or the run is over; `filled` counts the frames that are there; `frame(k)` is a
 * view of frame k. A step that is not finite ends the run with status "not finite".
 */
export function run(field, x0, t, n, d, { dt = Infinity, step = rk4Step } = {}) {
  const size = n * d;
  const store = new Float64Array(size * t.length);
  store.set(x0);
  const self = { t, x: store, n, d, filled: 1, status: "running", frame, advance };
  let inner = 0;
  let now = Float64Array.from(x0);

  function frame(k) {
    return store.subarray(k * size, (k + 1) * size);
  }

  function once() {
    const k = self.filled;
    const gap = t[k] - t[k - 1];
    const parts = Math.max(1, Math.ceil(gap / dt - 1e-9));
    const h = gap / parts;
    now = step(field, t[k - 1] + inner * h, now, h, n, d);
    inner += 1;
    if (inner < parts) return;
    inner = 0;
    if (!now.every(Number.isFinite)) {
      self.status = "not finite";
      return;
    }
    store.set(now, k * size);
    self.filled += 1;
  }

  function advance(ms = Infinity) {
    const end = ms === Infinity ? Infinity : performance.now() + ms;
    while (self.filled < t.length && self.status === "running") {
      once();
      if (performance.now() > end) break;
    }
    if (self.filled === t.length) self.status = "done";
    return self;
  }
  return self;
}

/** m + 1 equally spaced times from 0 to `end`. */
export function linearTimes(end, m) {
  return Float64Array.from({ length: m + 1 }, (_, k) => (end * k) / m);
}

/** 0, then m times from `first` to `end` in equal ratios. */
export function logTimes(first, end, m) {
  const ratio = Math.log(end / first) / (m - 1);
  return Float64Array.from({ length: m + 1 }, (_, k) =>
    k === 0 ? 0 : k === m ? end : first * Math.exp(ratio * (k - 1)));
}
