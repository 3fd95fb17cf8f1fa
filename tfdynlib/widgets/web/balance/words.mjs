// What the account says: numbers, verdict, lamps, and the sentence that is heard.

import { minus } from "../kit/dom.mjs";
import { tickText } from "../kit/scale.mjs";

/** Four digits, three below 0.01, or two and a power of ten when large or small. */
export function short(value) {
  const size = Math.abs(value);
  if (size < 1e-14) return "0"; // rounding of a sum
  if (size >= 1e5 || size < 1e-3) return tickText(Number(value.toPrecision(2)));
  const digits = size >= 1000 ? String(Number(value.toPrecision(4))) : value.toPrecision(size < 0.01 ? 3 : 4);
  return minus(digits);
}

/** Mean of numbers and its standard error. */
export function meanOf(values) {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  const square = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  const error = values.length > 1 ? Math.sqrt(square / (values.length - 1) / values.length) : 0;
  return { mean, error };
}

/** Residuals at this moment of runs with other steps: the reader's own, in no address. */
export const earlier = (past) =>
  past.length === 0
    ? ""
    : `Residual here before: ${past.map(({ dt, value }) => `${short(value)} (*dt* ${dt})`).join(", ")}.`;

/** What to make of the moment. */
export function verdictOf({ state, run, k }) {
  const { motion, book } = state;
  const one = run.books[0];
  if (run.failed) return ["Steps too long", "Euler left the numbers: make *dt* smaller.", "stop"];
  const rest = (book === "coded" ? one.paper : one.exact)[k];
  const gap = one.lost[k] - one.coded[k];
  if (book === "coded" && Math.abs(gap) > 1e-9)
    return [
      `Residual ${short(rest)}: of it ${short(-gap)} is no error of the steps`,
      "The coded slope² is not what these heads dissipate. Halve *dt* and see what stays.",
      "stop",
    ];
  if (motion === "noisy" && run.books.length > 1) {
    const { mean, error } = meanOf(run.books.map((book_) => book_.noise[k]));
    return [
      `Work of the noise: mean ${minus(mean.toFixed(2))} ± ${error.toFixed(2)}`,
      `Over ${run.books.length} paths; the law says 0. One path alone may win or lose.`,
      "ink",
    ];
  }
  if (motion === "frozen" && one.gain[k] > 1e-9)
    return ["Frozen weights, and the energy rises", "The heads pull against each other: what is lost is negative.", "stop"];
  return [`The books close up to ${short(Math.abs(rest))}`, "Halve *dt*: the residual halves.", "ink"];
}

/** What the lamps need to know. */
export function factsOf({ D, motion, rule, dt }) {
  const same = D.every((M) => M.flat().every((v, k) => Math.abs(v - D[0].flat()[k]) < 1e-12));
  const still = motion === "frozen" || motion === "ascent";
  const alike = D.length === 1 || (still && same);
  const size = Math.max(...D.map((M) => Math.hypot(...M.flat())), still ? 0 : 3);
  return { alike, still, fine: dt * size * (1 + size) <= 2, steepest: alike || rule === "gradient" };
}

export const LAMPS = [
  "the loss booked is that of the rule",
  "the rule is steepest descent",
  "weights are frozen",
  "steps are short",
];

const word = (fact) => (fact ? "holds" : "fails");

/** State and detail of each lamp. */
export function lampsOf(facts, { book, motion }) {
  const exact = book === "exact" || facts.steepest;
  return [
    [word(exact), exact ? "the residual tends to 0 with dt" : "the residual tends to another number"],
    [word(facts.steepest), facts.steepest ? "" : "heads differ: the loss may be negative"],
    [
      word(facts.still),
      facts.still ? "" : motion === "noisy" ? "work of drift, Itô term and noise" : "the weights do work",
    ],
    [word(facts.fine), facts.fine ? "" : "one step is longer than the flow is smooth"],
  ];
}

/** Pattern: when, how many, the number the page is about. */
export function sentence({ state, t, energy, rest }) {
  const heard = (v) => short(v).replace(/·?10\^\{(.*)\}/u, " times 10 to the $1");
  const { n, D, motion } = state;
  const heads = D.length === 1 ? "one head" : `${D.length} heads`;
  const tokens = n === 1 ? "1 token" : `${n} tokens`;
  const moving = motion === "ascent" ? "frozen" : motion;
  const money = `Energy ${heard(energy)}, residual ${heard(rest)}.`;
  return `Layer-time ${t.toFixed(1)}. ${tokens}, ${heads}, weights ${moving}. ${money}`;
}
