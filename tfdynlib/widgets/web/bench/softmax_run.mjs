// Softmax with the exponentials as they are written, in single or in double precision.

import { log } from "../kit/scale.mjs";

export const TOKENS = [65, 90, 105].map((degrees) => (degrees / 180) * Math.PI);
export const COMPARED = [1, 10, 80, 120, 700, 1000, 2000]; // none near an end
export const [LOW, HIGH] = [0.1, 2000];
const LOST = -1; // stands for a weight that is no number
const FRAMES = 400;

/** Rounding, the largest number and the smallest above zero. */
export const KINDS = {
  single: { round: Math.fround, most: (2 - 2 ** -23) * 2 ** 127, least: 2 ** -149 },
  double: { round: (value) => value, most: Number.MAX_VALUE, least: Number.MIN_VALUE },
};

/** Scores of the tokens for a question that points to `look`, each step rounded. */
function scoresOf(look, round) {
  const [c, s] = [round(Math.cos(look)), round(Math.sin(look))];
  return TOKENS.map((theta) => round(round(round(Math.cos(theta)) * c) + round(round(Math.sin(theta)) * s)));
}

/** Exponentials of scores, their sum and the weights; `out` is taken from each score first. */
function softmax(scores, beta, round, out = 0) {
  const e = scores.map((s) => round(Math.exp(round(round(beta) * round(s - out)))));
  const sum = e.reduce((total, value) => round(total + value), 0);
  return { e, sum, weights: e.map((value) => round(value / sum)) };
}

/** Where the largest exponential leaves the numbers of a kind; none for a score near 0. */
function endOf(top, { most, least }) {
  return Math.abs((top > 0 ? Math.log(most) : Math.log(least) - Math.LN2) / top);
}

/** All that a question and a precision say, with the logarithm of the sum over every β. */
export function prepare({ look, precision }) {
  const { round } = KINDS[precision];
  const axis = log(LOW, HIGH);
  const scores = scoresOf(look, round);
  const top = Math.max(...scores);
  const moment = (beta) => {
    const naive = softmax(scores, beta, round);
    const cured = softmax(scores, beta, round, top);
    const fate = naive.sum === Infinity ? "over" : naive.sum === 0 ? "under" : "fine";
    const off = Math.max(...naive.weights.map((a, j) => Math.abs(a - cured.weights[j])));
    return { beta, fate, off, sum: naive.sum, e: naive.e, naive: naive.weights, cured: cured.weights };
  };
  const t = Float64Array.from({ length: FRAMES + 1 }, (_, k) => axis.value(k / FRAMES));
  const sums = t.map((beta) => {
    const { sum } = softmax(scores, beta, round);
    return sum > 0 && sum < Infinity ? Math.log10(sum) : NaN;
  });
  const truth = t.map((beta) => (beta * top + Math.log(softmax(scores, beta, (v) => v, top).sum)) / Math.LN10);
  return {
    look, precision, axis, scores, top, best: scores.indexOf(top), t, sums, truth, moment,
    ends: Object.fromEntries(Object.entries(KINDS).map(([name, kind]) => [name, endOf(top, kind)])),
    compared: () => COMPARED.flatMap((beta) => {
      const { naive, cured } = moment(beta);
      return [...naive, ...cured].map((a) => (Number.isNaN(a) ? LOST : a));
    }),
    index: (beta) => Math.round(axis.share(beta) * FRAMES),
  };
}
