// Random numbers, the same as numpy's: uniform ones and integers to the last bit,
// normal ones to rounding.
//
// `generator(seed).random()` gives the stream of `np.random.default_rng(seed).random()`:
// the seed is spread over a pool of four words (M. E. O'Neill's seed_seq design, as
// described in numpy's documentation of SeedSequence), the pool starts a permuted
// congruential generator with 128 bits of state and an xor-shift-low, random-rotation
// output (O'Neill 2014, PCG XSL RR 128/64), and the top 53 bits make the number. Normal
// numbers come from the ziggurat of 256 layers (Marsaglia and Tsang 2000), whole numbers
// below a bound from the high half of a product of 32 bits (Lemire 2019).

const POOL = 4;
const XSHIFT = 16;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const MASK64 = (1n << 64n) - 1n;
const MASK128 = (1n << 128n) - 1n;

const times = (a, b) => Math.imul(a, b) >>> 0;

/** A running hash: each word is mixed with a constant that moves on at every use. */
function hasher(start, step) {
  let constant = start;
  return (word) => {
    let value = (word ^ constant) >>> 0;
    constant = times(constant, step);
    value = times(value, constant);
    return (value ^ (value >>> XSHIFT)) >>> 0;
  };
}

function mix(x, y) {
  const value = (times(0xca01f9dd, x) - times(0x4973f715, y)) >>> 0;
  return (value ^ (value >>> XSHIFT)) >>> 0;
}

/** Little-endian 32-bit words of a non-negative integer; zero is one word. */
function words(seed) {
  const out = [];
  for (let rest = BigInt(seed); rest > 0n || out.length === 0; rest >>= 32n) {
    out.push(Number(rest & 0xffffffffn));
  }
  return out;
}

function pool(seed) {
  const entropy = words(seed);
  const hash = hasher(0x43b0d7e5, 0x931e8875);
  const out = Array.from({ length: POOL }, (_, i) => hash(entropy[i] ?? 0));
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) {
      if (from !== to) out[to] = mix(out[to], hash(out[from]));
    }
  }
  for (const word of entropy.slice(POOL)) {
    for (let to = 0; to < POOL; to++) out[to] = mix(out[to], hash(word));
  }
  return out;
}

/** Two 128-bit numbers from the pool: the start and the stream of the generator. */
function seeds(seed) {
  const source = pool(seed);
  const hash = hasher(0x8b51f9dd, 0x58f38ded);
  const w = Array.from({ length: 8 }, (_, i) => BigInt(hash(source[i % POOL])));
  const wide = (i) => (w[i + 1] << 96n) | (w[i] << 64n) | (w[i + 3] << 32n) | w[i + 2];
  return [wide(0), wide(4)];
}

// The ziggurat: the edge of its last layer, and the area of each.
const EDGE = 3.654152885361009;
const AREA = 0.004928673233974658;
const BITS = 2 ** 52;

/** Widths, heights and the shares of each layer that lie wholly under the bell. */
function layers() {
  const bell = (x) => Math.exp((-x * x) / 2);
  const edge = new Float64Array(256);
  edge[255] = EDGE;
  for (let k = 255; k > 1; k--) edge[k - 1] = Math.sqrt(-2 * Math.log(AREA / edge[k] + bell(edge[k])));
  const width = edge.map((x, k) => (k === 0 ? AREA / bell(EDGE) : x));
  const share = edge.map((x, k) => (k === 0 ? EDGE / width[0] : edge[k - 1] / x));
  return { width, share, height: edge.map((x, k) => (k === 0 ? 1 : bell(x))) };
}

const { width: WIDTH, share: SHARE, height: HEIGHT } = layers();

/**
 * The stream of a seed.
 *
 * @param {number} seed a non-negative integer
 * @returns `word()` draws 64 bits, `random()` a number from [0, 1), `normal()` a standard
 *   normal one, `below(k)` a whole one from 0 to k - 1, as numpy's `integers` for k < 2^32
 */
export function generator(seed) {
  if (!Number.isInteger(seed) || seed < 0) {
    throw new RangeError(`seed must be a non-negative integer, got ${seed}`);
  }
  const [start, stream] = seeds(seed);
  const increment = ((stream << 1n) | 1n) & MASK128;
  const step = (state) => (state * MULTIPLIER + increment) & MASK128;
  let state = step((step(0n) + start) & MASK128);

  function word() {
    state = step(state);
    const turn = state >> 122n;
    const folded = (state >> 64n) ^ (state & MASK64);
    return ((folded >> turn) | (folded << (64n - turn))) & MASK64;
  }
  const random = () => Number(word() >> 11n) / 9007199254740992;

  /** Beyond the last layer, by Marsaglia's two exponential numbers. */
  function tail() {
    for (;;) {
      const x = -Math.log1p(-random()) / EDGE;
      const y = -Math.log1p(-random());
      if (2 * y > x * x) return EDGE + x;
    }
  }
  function normal() {
    for (;;) {
      const drawn = word();
      const k = Number(drawn & 0xffn);
      const bits = (drawn >> 9n) & 0xfffffffffffffn;
      const part = Number(bits) / BITS;
      const size = part * WIDTH[k];
      const sign = (drawn >> 8n) & 1n ? -1 : 1;
      if (part < SHARE[k]) return sign * size;
      if (k === 0) return (bits >> 8n) & 1n ? -tail() : tail();
      const y = (HEIGHT[k - 1] - HEIGHT[k]) * random() + HEIGHT[k];
      if (y < Math.exp((-size * size) / 2)) return sign * size;
    }
  }

  let half = null; // of a word, that the last whole number has left
  function word32() {
    const drawn = half ?? word();
    half = half === null ? drawn >> 32n : null;
    return Number(drawn & 0xffffffffn);
  }
  function below(k) {
    const refused = (2 ** 32 - k) % k;
    for (;;) {
      const product = BigInt(word32()) * BigInt(k);
      if (Number(product & 0xffffffffn) >= refused) return Number(product >> 32n);
    }
  }
  return { word, random, normal, below };
}
