// What the figure says of a way: numbers, verdict, lamps, and what is heard.

import { number } from "../kit/dom.mjs";
import { tickText } from "../kit/scale.mjs";
import { eigSym } from "../twin/matrix2.mjs";
import { isConstant } from "./run.mjs";

export const NAMES = { feedforward: "feed-forward", attention: "attention", geodesic: "straight" };
const SPOKEN = { feedforward: "Feed-forward", attention: "Attention only", geodesic: "The straight way" };
const CLOSE = 1e-6; // a way into or out of a very thin ellipse stretches what rounding left
const EVEN = 1e-9; // an excess below this part is rounding and quadrature

/** A cost: six digits, or a power of ten. */
export const cost = (value) => (value !== 0 && (value >= 1e6 || value < 1e-4) ? tickText(Number(value.toPrecision(3))) : number(value, 6));

/** A small error: one digit and a power of ten. */
const tiny = (value) => (value === 0 ? "0" : tickText(Number(value.toPrecision(1))));

const excess = ({ cost: paid, least }) => (least > 0 ? paid.kinetic / least - 1 : 0);
const isLeast = (run) => run.cost.kinetic - run.least <= EVEN * Math.max(run.least, 1e-12);

/** An excess in words: "2.8 % more than needed" or "4 times what is needed". */
const more = (share, [above, times]) => (share >= 1 ? `${number(share + 1, 2)} times ${times}` : `${number(100 * share, 2)} % ${above}`);

/** Name and value: weight cost, kinetic cost, the least of the latter; or the distance. */
export const readoutsOf = (run) => [
  ["weight cost", run.cost ? cost(run.cost.weight) : "–"],
  ["kinetic cost", run.cost ? cost(run.cost.kinetic) : "–"],
  run.refused ? ["distance *W*_2", number(Math.sqrt(run.distance2), 6)] : ["least, *W*_2^2/*T*", cost(run.least)],
];

const KINDS = ["a point", "a line", "a cloud that fills the plane"];

/** Why ranks that differ cannot be bridged, in a student's words. */
function whyNot({ ranks: [from, to], target }) {
  if (from === 0) return "All tokens are one and the same: what a layer does to one it does to all. A point stays a point.";
  if (to === 0) return "Two tokens that differ never become equal: a layer moves all by one smooth map, which can be undone.";
  if (from === 1) {
    const near = number(Math.sqrt(eigSym(target.cov).values[1]), 3);
    return `Each layer moves all tokens by one affine map, and that takes a line to a line. No line comes nearer to this target than *W*_2 = ${near}.`;
  }
  return "Each layer moves tokens by an affine map that can be undone. The cloud may get as thin as you like, but never a line.";
}

const ATTENTION = "With *V* = *I* attention moves the tokens of a line along that line: it cannot turn it, and Σ^{−1} in the formula is not there.";

/** How it ends: title, words, tone. */
export function verdictOf(run) {
  if (run.refused === "rank")
    return [`Out of reach: ${KINDS[run.ranks[0]]} does not become ${KINDS[run.ranks[1]]}`, whyNot(run), "stop"];
  if (run.refused) return ["Not by attention alone", ATTENTION, "stop"];
  const paid = isLeast(run)
    ? "No way costs the tokens less."
    : `The tokens pay ${more(excess(run), ["more than needed", "what is needed"])}.`;
  return [run.error < CLOSE ? "It arrives" : "It arrives, up to rounding", `Integrated back, the weights end ${tiny(run.error)} off the target. ${paid}`, "ink"];
}

export const LAMPS = [
  "start and target have equal rank",
  "the weights are constant",
  "the weights end at the target",
  "no other way costs the tokens less",
];

function howOf(run) {
  const { ranks: [rank], method } = run;
  if (isConstant(run)) {
    const formula = rank === 2 && method === "feedforward";
    return ["holds", formula ? "*A* = log *G*/*T*" : "nothing changes on the way"];
  }
  const why = {
    feedforward: "two stages: stretch, then turn",
    attention: "*B* is constant, the bias *b*(*t*) is not",
    geodesic: "all tokens go straight, so *A*(*t*) changes",
  };
  return ["fails", why[method]];
}

/** State and words of every lamp. */
export function lampsOf(run) {
  const [from, to] = run.ranks;
  const rank = from === to ? ["holds", `both have rank ${from}`] : ["fails", `rank ${from} and rank ${to}`];
  if (run.refused) {
    const none = run.refused === "rank" ? "no weights do it" : "no such path";
    return [rank, ["unasked", ""], ["fails", none], ["unasked", ""]];
  }
  return [
    rank,
    howOf(run),
    [run.error < CLOSE ? "holds" : "fails", `off by ${tiny(run.error)}`],
    isLeast(run) ? ["holds", "it is *W*_2^2/*T*"] : ["fails", more(excess(run), ["above *W*_2^2/*T*", "*W*_2^2/*T*"])],
  ];
}

const heard = (value) => number(Number(value.toFixed(2)), 3);

/** Pattern: when, where, the number the page is about. */
export function sentence(run, t) {
  if (run.refused === "rank") return `Out of reach: the start has rank ${run.ranks[0]}, the target rank ${run.ranks[1]}.`;
  if (run.refused) return "Attention alone does not steer a line.";
  const { mean, cov } = run.at(t);
  const [long, short] = eigSym(cov).values.map((v) => Math.sqrt(Math.max(0, v)));
  return (
    `Layer-time ${heard(t)} of ${number(run.T, 3)}. Mean ${heard(mean[0])}, ${heard(mean[1])}. ` +
    `Standard deviations ${heard(long)} and ${heard(short)}. ` +
    `${SPOKEN[run.method]} has kinetic cost ${number(run.cost.kinetic, 3)}, the least is ${number(run.least, 3)}.`
  );
}
