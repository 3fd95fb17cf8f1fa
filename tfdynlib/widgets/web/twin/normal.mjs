// Normal random numbers, the stream of np.random.default_rng(seed).standard_normal().
//
// The ziggurat of Marsaglia and Tsang (2000): the area under e^{-x^2/2} is cut into 256
// layers of equal area, a base with the tail and 255 boxes on it.  A layer and a place in
// its width are drawn from one word; most places are under the curve for sure.

const LAYERS = 256;
const R = 3.6541528853610087963519472518; // where the base ends and the tail begins
const AREA = 0.0049286732339746519; // of a layer: R f(R) and the tail beyond
const WIDTH = 2 ** 52;

/** Of each layer: width over 2^52, height of the curve, and what is below it for sure. */
const { wide, high, sure } = (() => {
  const f = (x) => Math.exp(-0.5 * x * x);
  const edge = new Float64Array(LAYERS); // the edge of layer i; layer 0 is the base
  edge[LAYERS - 1] = R;
  for (let i = LAYERS - 2; i > 0; i -= 1)
    edge[i] = Math.sqrt(-2 * Math.log(AREA / edge[i + 1] + f(edge[i + 1])));
  const base = AREA / f(R);
  return {
    wide: edge.map((x, i) => (i === 0 ? base : x) / WIDTH),
    high: edge.map((x, i) => (i === 0 ? 1 : f(x))),
    sure: edge.map((x, i) => (i === 0 ? R / base : i === 1 ? 0 : edge[i - 1] / x) * WIDTH),
  };
})();

/** A number of the tail beyond R, from two uniform ones at a time. */
function tail(random) {
  for (;;) {
    const x = -Math.log1p(-random()) / R;
    const y = -Math.log1p(-random());
    if (2 * y > x * x) return R + x;
  }
}

/** `() => number`, standard normal, drawn from a `generator` of random.mjs. */
export function normals({ word, random }) {
  return function normal() {
    for (;;) {
      const bits = word();
      const layer = Number(bits & 0xffn);
      const place = Number((bits >> 9n) & 0xfffffffffffffn);
      const x = ((bits >> 8n) & 1n) === 1n ? -place * wide[layer] : place * wide[layer];
      if (place < sure[layer]) return x;
      if (layer === 0) {
        const far = tail(random);
        return Math.floor(place / 256) % 2 === 1 ? -far : far;
      }
      const height = high[layer] + (high[layer - 1] - high[layer]) * random();
      if (height < Math.exp(-0.5 * x * x)) return x;
    }
  };
}
