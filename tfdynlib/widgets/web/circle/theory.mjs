// What is known in closed form: two tokens, and clusters of equal size.

const STEP = 0.01; // in w = log tan(phi / 2)

/**
 * The gap phi(t) of two tokens under B = I, V = sigma I, from phi(0) = gap.
 *
 * phi' = -2 sigma sin(phi) / (1 + e^{beta (1 - cos phi)}). In w = log tan(phi / 2) this is
 * dt = -sigma (1 + e^{beta (1 + tanh w)}) / 2 dw, a smooth integrand: Simpson's rule on
 * steps of 0.01 leaves an error of about 1e-9 in t.
 *
 * @returns {{t: number[], y: number[]}} points of the curve up to `end`, or null where
 *   the gap is 0 or pi: such a pair never moves
 */
export function gapCurve(gap, beta, sigma, end) {
  if (!(gap > 0 && gap < Math.PI)) return null;
  const slowness = (w) => (1 + Math.exp(beta * (1 + Math.tanh(w)))) / 2;
  const start = Math.log(Math.tan(gap / 2));
  const dw = -sigma * STEP;
  const out = { t: [0], y: [gap], w: [start], slowness };
  let t = 0;
  let left = slowness(start);
  for (let k = 0; t < end && k < 4000; k++) {
    const w = start + k * dw;
    const right = slowness(w + dw);
    t += (STEP * (left + 4 * slowness(w + dw / 2) + right)) / 6;
    left = right;
    out.t.push(t);
    out.w.push(w + dw);
    out.y.push(2 * Math.atan(Math.exp(w + dw)));
  }
  return out;
}

/** The gap at a moment: from the point before it, by Newton's rule on Simpson's. */
export function gapAt(curve, t) {
  const last = curve.t.length - 1;
  if (t >= curve.t[last]) return curve.y[last];
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (curve.t[middle] <= t) low = middle;
    else high = middle;
  }
  const { w, slowness } = curve;
  const sign = Math.sign(w[high] - w[low]);
  let at = w[low];
  for (let k = 0; k < 4; k++) {
    const way = at - w[low];
    const sum = slowness(w[low]) + 4 * slowness(w[low] + way / 2) + slowness(at);
    at += sign * (t - curve.t[low] - (sign * way * sum) / 6) / slowness(at);
  }
  return 2 * Math.atan(Math.exp(at));
}

/** Energy of k equal clusters at the corners of a regular k-gon, for B = I. */
export function polygonEnergy(k, beta) {
  let sum = 0;
  for (let j = 0; j < k; j++) sum += Math.exp(beta * Math.cos((2 * Math.PI * j) / k));
  return sum / (2 * beta * k);
}
