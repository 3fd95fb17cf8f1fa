// What both sums cost in this browser, for tokens from 16 to 8192.

import { scaledBessel } from "../twin/bessel.mjs";
import { directSums, fourierSums } from "../twin/fourier.mjs";

export const SIZES = Float64Array.from({ length: 10 }, (_, k) => 16 * 2 ** k);
const ROWS = 128; // of all pairs: a longer table is timed on so many rows, and scaled up
const LEAST = 2; // ms that one measurement takes: clocks in browsers are coarse
const ROUNDS = 5; // the quickest counts: other work can only slow it down

const tokens = (n) => Float64Array.from({ length: n }, (_, j) => (j * 2.399963) % (2 * Math.PI));

/** Milliseconds of one call. */
function time(call) {
  let calls = 0;
  const start = performance.now();
  let now = start;
  while (now - start < LEAST) {
    call();
    calls += 1;
    now = performance.now();
  }
  return (now - start) / calls;
}

function direct(n, r) {
  const theta = tokens(n);
  const rows = Math.min(n, ROWS);
  return (n / rows) * time(() => directSums(theta, theta, r, 0, rows));
}

function fourier(n, waves) {
  const theta = tokens(n);
  return time(() => fourierSums(theta, theta, waves));
}

// Measured once for a page: all pairs cost the same for every beta, waves by their number.
const known = new Map();

/** A row of times, `key` names what was measured; NaN where nothing is yet. */
const rowOf = (key) =>
  known.get(key) ?? known.set(key, { least: new Float64Array(SIZES.length).fill(NaN), done: 0 }).get(key);

/** Both rows of times for a length r of the queries and K waves, worked off in slices. */
export function stopwatch(r, K) {
  const waves = scaledBessel(r, K);
  const rows = [
    { row: rowOf("pairs"), measure: (n) => direct(n, r) },
    { row: rowOf(K), measure: (n) => fourier(n, waves) },
  ];
  const whole = ROUNDS * SIZES.length;

  function next() {
    const one = rows.reduce((a, b) => (b.row.done < a.row.done ? b : a));
    if (one.row.done >= whole) return false;
    const k = one.row.done % SIZES.length;
    const ms = one.measure(SIZES[k]);
    const before = one.row.least[k];
    one.row.least[k] = before <= ms ? before : ms;
    one.row.done += 1;
    return rows.some(({ row }) => row.done < whole);
  }

  return {
    pairs: rows[0].row.least,
    series: rows[1].row.least,
    get filled() { return Math.min(SIZES.length, ...rows.map(({ row }) => row.done)); },
    get done() { return rows.every(({ row }) => row.done >= whole); },
    advance(ms) {
      const stop = performance.now() + ms;
      let left = !this.done;
      while (left && performance.now() < stop) left = next();
      return left;
    },
  };
}
