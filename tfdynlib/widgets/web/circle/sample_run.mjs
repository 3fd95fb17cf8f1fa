// A hundred draws from the uniform law, each read at every number of tokens.
//
// The first n tokens of a draw are the draw of size n (numpy's stream has no memory of
// how many numbers were asked for), so one draw of 256 tokens is a sample of every size.

import { uniformCircle } from "../twin/points.mjs";
import { besselI0, spreadOut } from "../twin/sampling.mjs";

export const DRAWS = 100;
export const MOST = 256; // tokens
export const FEW = 8;

/** The fewest tokens on the axis: eight, unless the state has fewer. */
export const fewest = ({ n }) => Math.min(FEW, n);

const KEPT = 400;
const drawn = new Map();

/** Tokens of a seed, and their W_2 to the uniform law at every size; neither knows beta. */
function drawOf(seed) {
  if (!drawn.has(seed)) {
    if (drawn.size >= KEPT) drawn.clear();
    const x = uniformCircle(MOST, seed);
    drawn.set(seed, { x, distance: distances(x) });
  }
  return drawn.get(seed);
}

/** W_2 of the first n tokens for n = 1, ..., 256, by putting one after another in place. */
function distances(x) {
  const out = new Float64Array(MOST + 1);
  const sorted = new Float64Array(MOST);
  for (let n = 1; n <= MOST; n++) {
    const angle = Math.atan2(x[2 * n - 1], x[2 * n - 2]);
    let i = n - 1;
    for (; i > 0 && sorted[i - 1] > angle; i--) sorted[i] = sorted[i - 1];
    sorted[i] = angle;
    out[n] = spreadOut(sorted, n).w2;
  }
  return out;
}

/** Energy of the first n tokens for every n, B = I: each token adds its pairs. */
function energies(x, beta) {
  const out = new Float64Array(MOST + 1);
  let pairs = 0;
  for (let n = 1; n <= MOST; n++) {
    const [a, b] = [x[2 * n - 2], x[2 * n - 1]];
    let row = 0;
    for (let j = 0; j < n - 1; j++) row += Math.exp(beta * (a * x[2 * j] + b * x[2 * j + 1]));
    pairs += 2 * row + Math.exp(beta);
    out[n] = pairs / (2 * beta * n * n);
  }
  return out;
}

/** Mean and spread of curves that come one after another (Welford's updates). */
function band() {
  const mean = new Float64Array(MOST + 1);
  const squares = new Float64Array(MOST + 1);
  let count = 0;
  return {
    mean,
    sd: (n) => Math.sqrt(squares[n] / count),
    add(curve) {
      count += 1;
      for (let n = 1; n <= MOST; n++) {
        const off = curve[n] - mean[n];
        mean[n] += off / count;
        squares[n] += off * (curve[n] - mean[n]);
      }
    },
  };
}

/** The draws seed, seed + 1, ... of a state, worked off a few at a time. */
export function draws({ seed, beta }) {
  const all = [];
  const bands = { energy: band(), distance: band() };
  function one() {
    const { x, distance } = drawOf(seed + all.length);
    const made = { x, distance, energy: energies(x, beta) };
    bands.energy.add(made.energy);
    bands.distance.add(made.distance);
    all.push(made);
  }
  one();
  return {
    all,
    bands,
    get filled() { return all.length; },
    advance(ms) {
      const end = performance.now() + ms;
      while (all.length < DRAWS && performance.now() < end) one();
      return all.length < DRAWS;
    },
  };
}

/** What a computation by hand says: exact for every number of tokens. */
export function exactly(beta) {
  const [one, two] = [besselI0(beta), besselI0(2 * beta)];
  return {
    limit: one / (2 * beta),
    mean: (n) => (Math.exp(beta) / n + (1 - 1 / n) * one) / (2 * beta),
    sd: (n) => Math.sqrt(((n - 1) / (2 * n ** 3)) * Math.max(two - one * one, 0)) / beta,
    rms: (n) => Math.PI / Math.sqrt(3 * n),
  };
}
