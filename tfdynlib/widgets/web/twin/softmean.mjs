// Tokens on a line under one attention layer: the softmax mean by interpolation.
//
// p -> sum_j y_j e^{p y_j} / sum_j e^{p y_j} is smooth, so that it is summed at the
// Chebyshev nodes of the interval of all p and interpolated between: n K terms, not n^2.

const LEAST = 16;

/** Nodes on [low, high] and their barycentric weights. */
function chebyshev(low, high, count) {
  const nodes = new Float64Array(count);
  const weights = new Float64Array(count);
  for (let k = 0; k < count; k += 1) {
    const angle = (Math.PI * k) / (count - 1);
    nodes[k] = (low + high) / 2 + ((high - low) / 2) * Math.cos(angle);
    weights[k] = (k % 2 === 0 ? 1 : -1) * (k === 0 || k === count - 1 ? 0.5 : 1);
  }
  return { nodes, weights };
}

/** The mean of y under weights e^{p y}. */
export function softMean(y, p) {
  let top = -Infinity;
  for (const v of y) top = Math.max(top, p * v);
  let [sum, first] = [0, 0];
  for (const v of y) {
    const w = Math.exp(p * v - top);
    sum += w;
    first += w * v;
  }
  return first / sum;
}

/** Softmax means of the points x, seen by themselves with scores B x y, into `out`. */
export function softMeans(x, B, out) {
  for (const _ of softMeanParts(x, B, out));
  return out;
}

/** The same in parts of about n terms each, for a page that must not stop. */
export function* softMeanParts(x, B, out) {
  let [low, high] = [Infinity, -Infinity];
  for (const v of x) {
    low = Math.min(low, B * v);
    high = Math.max(high, B * v);
  }
  const spread = ((high - low) / Math.abs(B || 1)) * (high - low);
  const count = Math.ceil(LEAST + 1.3 * spread);
  if (!(high > low) || count >= x.length) {
    for (let i = 0; i < x.length; i += 1) {
      out[i] = softMean(x, B * x[i]);
      yield i;
    }
    return;
  }
  const { nodes, weights } = chebyshev(low, high, count);
  const values = new Float64Array(count);
  for (let k = 0; k < count; k += 1) {
    values[k] = softMean(x, nodes[k]);
    yield k;
  }
  for (let i = 0; i < x.length; i += 1) {
    let [top, below, hit] = [0, 0, -1];
    for (let k = 0; k < count; k += 1) {
      const gap = B * x[i] - nodes[k];
      if (gap === 0) {
        hit = k;
        break;
      }
      const c = weights[k] / gap;
      top += c * values[k];
      below += c;
    }
    out[i] = hit >= 0 ? values[hit] : top / below;
    if (i % 1000 === 999) yield i;
  }
}
